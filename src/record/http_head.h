/* http_head.h - where a head of fields ends, and the fields in it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_HTTP_HEAD_H
#define CFS_RECORD_HTTP_HEAD_H

#include "record_internal.h"

/* Longer heads are no heads.  Servers stop at 8 to 64 KiB; crawlers' own
 * added fields stay far below this. */
#define CFS_HEAD_MAX (1024u * 1024)
/* Fields past this many are left out: they could only be an attack. */
#define CFS_HEAD_FIELDS_MAX 4096u

/* Cuts the first line off s, without its LF and the CRs before it.
 * False, and s untouched, when s has no LF. */
bool cfs_head_line(struct cfs_slice *s, struct cfs_slice *line);

/*
 * Length of the head that s begins with: a first line of any kind, then
 * fields, to the first empty line, inclusive.  A line end is LF with any
 * number of CRs before it.
 * *complete false: there is no empty line; then the length is that of the
 * leading lines that look like fields, and the rest is the body.
 */
size_t cfs_head_length(struct cfs_slice s, bool *complete);

/*
 * The fields of `head` after its first line.  Values that were folded over
 * several lines are joined in memory of `own`; all else borrows from head.
 * Lines without a colon are stepped over.  0 or CFS_ENOMEM.
 */
int cfs_head_fields(struct cfs_slice head, struct cfs_record_own *own,
		    struct cfs_fields *out);

/* True if s begins with an HTTP status line ("HTTP/1.1 200", "HTTP 502"). */
bool cfs_http_is_response(struct cfs_slice s);
/* The status code of a status line, 0 if it has none. */
unsigned cfs_http_status(struct cfs_slice line);

#endif

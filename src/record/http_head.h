/* http_head.h - finds the end of a head and the fields in it.
 *
 * The same grammar serves HTTP messages and WARC headers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_HTTP_HEAD_H
#define CFS_RECORD_HTTP_HEAD_H

#include "base/error.h"
#include "base/slice.h"

/* A header field; value trimmed, folded lines joined by one blank. */
struct cfs_field {
	struct cfs_slice name, value;
};

/* In order of appearance, repeats kept. */
struct cfs_fields {
	struct cfs_field *v;	/* owned, together with the folded values */
	size_t n;
};

/* The value of the first (last) field of that name, ignoring case; '_' equals
 * '-'.  An empty slice, *found false if there is none.  found may be NULL. */
struct cfs_slice cfs_fields_get(const struct cfs_fields *f, const char *name,
				bool *found);
struct cfs_slice cfs_fields_get_last(const struct cfs_fields *f,
				     const char *name, bool *found);

/* Most bytes of a head.  Servers stop at 8 to 64 KiB, and what crawlers add is
 * far less than this. */
#define CFS_HEAD_MAX (1024u * 1024)
/* Further fields are left out: so many could only be an attack. */
#define CFS_HEAD_FIELDS_MAX 4096u

/* Cuts the first line off s, without its LF and the CRs before it.
 * False, and s untouched, when s has no LF. */
bool cfs_head_line(struct cfs_slice *s, struct cfs_slice *line);

/* Number of CRs and LFs at the start of s. */
size_t cfs_head_newlines(struct cfs_slice s);

/*
 * The first place in s, at 0 or behind a LF, of a line that is_wanted accepts;
 * s.n if there is none.  A line that the end of s cuts off does not count;
 * *from_line (may be NULL) is where it begins.
 */
size_t cfs_head_find_line(struct cfs_slice s,
			  bool (*is_wanted)(struct cfs_slice line),
			  size_t *from_line);

/*
 * Length of the head that s begins with: a first line of any kind, then
 * fields, to the first empty line, inclusive.  A line end is LF with any
 * number of CRs before it.
 * *complete false: there is no empty line, or a document begins before it.
 * Then the length is that of the leading lines that look like fields; the body
 * follows them.
 */
size_t cfs_head_length(struct cfs_slice s, bool *complete);

/*
 * Parses the fields of `head` behind its first line, until cfs_fields_release.
 * Names and values borrow from head, except folded values.  Lines without a
 * colon are skipped.  0 or CFS_ENOMEM.
 */
int cfs_head_fields(struct cfs_slice head, struct cfs_fields *out);
void cfs_fields_release(struct cfs_fields *f);	/* accepts zeroed ones */

/* True if s begins with an HTTP status line ("HTTP/1.1 200", "HTTP 502"). */
bool cfs_http_is_response(struct cfs_slice s);
/*
 * Bytes of the heads of interim responses at the start of s (RFC 9110 section
 * 15.2): 1xx, and a proxy's "200 Connection established", each only if another
 * response follows.
 */
size_t cfs_http_interim_bytes(struct cfs_slice s);
/* The status code of a status line, 0 if it has none. */
unsigned cfs_http_status(struct cfs_slice line);
/* True if s begins with a whole status line, "HTTP/1.1 200": stricter than
 * cfs_http_is_response, for bytes that need not be HTTP. */
bool cfs_http_is_status_line(struct cfs_slice s);
/* The media type (base/mime.h) of the last Content-Type that has one; *value is
 * all of that field, or of the last one. */
struct cfs_slice cfs_http_type(const struct cfs_fields *f,
			       struct cfs_slice *value);

#endif

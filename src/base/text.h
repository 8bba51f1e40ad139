/* text.h - bytes and figures as people read them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_TEXT_H
#define CFS_BASE_TEXT_H

#include "base/buf.h"

/* Appends s with control bytes, and what is not UTF-8, as \xNN: safe for a
 * terminal. */
void cfs_text_escape(struct cfs_buf *b, struct cfs_slice s);

/*
 * Copies s to out, cut to what fits, with "..." in place of the query of each
 * http: or https: URL in it, and of a name that it begins with, if that begins
 * with "./" as names of archives in an index do that have one: a query may be a
 * key to what is there, and is shown to nobody.  A query ends at a blank, at
 * ",SCHEME://" and at "#!/" (a member of a WACZ file); closing punctuation
 * behind it stays.  out is not s.
 */
void cfs_text_hide_queries(char *out, size_t out_bytes, const char *s);

/* "1.2 GB" and such, powers of 1000.  Returns out. */
#define CFS_TEXT_SIZE_BYTES 16
const char *cfs_text_size(double bytes, char out[CFS_TEXT_SIZE_BYTES]);

/* "1 file", "2 files", "2 indexes": words whose plural is regular.  Returns
 * out. */
#define CFS_TEXT_COUNT_BYTES 64
const char *cfs_text_count(uint64_t n, const char *word,
			   char out[CFS_TEXT_COUNT_BYTES]);

#endif

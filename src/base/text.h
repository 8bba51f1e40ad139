/* text.h - formats names, sizes and counts for people to read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_TEXT_H
#define CFS_BASE_TEXT_H

#include "base/buf.h"

/* Appends s with control characters and invalid UTF-8 as \xNN: safe for a
 * terminal. */
void cfs_text_escape(struct cfs_buf *b, struct cfs_slice s);

/* True for what a name or a text should not show: control characters; marks,
 * embeddings, overrides and isolates of direction, with which a name looks like
 * another; separators of lines; and what is no character. */
bool cfs_text_is_unshowable(uint32_t c);

/*
 * Copies s to out, truncated to fit, with "..." in place of each query, because
 * queries may contain access keys.  Queries are those of http: and https: URLs
 * in s, and of a name at its start that begins with "./", as archive names with
 * a query do in an index.  A query ends at a blank, at ",SCHEME://" and at
 * "#!/" (a member of a WACZ file); punctuation at its end stays.  out must not
 * be s.
 */
void cfs_text_hide_queries(char *out, size_t out_bytes, const char *s);

/* Formats a size as "1.2 GB", in powers of 1000.  Returns out. */
#define CFS_TEXT_SIZE_BYTES 16
const char *cfs_text_size(double bytes, char out[CFS_TEXT_SIZE_BYTES]);

/* Formats "1 file", "2 files", "2 indexes"; the word must have a regular
 * plural.  Returns out. */
#define CFS_TEXT_COUNT_BYTES 64
const char *cfs_text_count(uint64_t n, const char *word,
			   char out[CFS_TEXT_COUNT_BYTES]);

/* Formats a number with commas, "1,234,567".  Returns out. */
#define CFS_TEXT_FIGURE_BYTES 32
const char *cfs_text_figure(uint64_t n, char out[CFS_TEXT_FIGURE_BYTES]);

#endif

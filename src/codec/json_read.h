/* json_read.h - reads JSON front to back, without building it in memory.
 *
 * Values are lent as they stand in the text.  What is not asked for is passed
 * over and not checked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CODEC_JSON_READ_H
#define CFS_CODEC_JSON_READ_H

#include "base/buf.h"

/* The inside of a string, or a number, true, false or null. */
struct cfs_json_text {
	struct cfs_slice s;
	bool escaped;		/* it is a string that holds backslashes */
};

/* Appends the text with its escapes undone; codes as cfs_buf_add.  Half a
 * surrogate pair becomes U+FFFD, an unknown escape the byte behind its '\'. */
int cfs_json_add_text(struct cfs_buf *out, struct cfs_json_text t);

/* Each of these takes something off the front of *s, and is false where that
 * is not there or not whole; *s is then anywhere. */

void cfs_json_skip_blanks(struct cfs_slice *s);
/* A name of an object, its colon, and blanks around both. */
bool cfs_json_take_name(struct cfs_slice *s, struct cfs_json_text *out);
/* A value, which may be missing: empty, as an object or array is. */
bool cfs_json_take_value(struct cfs_slice *s, struct cfs_json_text *out);

/* Components of a path, and paths of one call. */
#define CFS_JSON_PATH_MAX 6u
#define CFS_JSON_PICKS_MAX 16u

/*
 * Finds strings, numbers and words in nested objects.  A path is the names on
 * the way, joined by '/'.  out[i] becomes the value of path i as written:
 * the inside of a string (escapes stay), a number, true, false or null; empty
 * if there is none.  Names are compared as written; of repeated ones the last
 * counts.  False if the text is not one object, or breaks off.
 */
bool cfs_json_pick(struct cfs_slice json, const char *const *paths, size_t n,
		   struct cfs_slice *out);

#endif

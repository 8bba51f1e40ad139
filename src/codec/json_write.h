/* json_write.h - writes JSON front to back into a buffer.
 *
 * A page can have hundreds of thousands of links, so no tree of values is
 * built: what is written is on its way out.  The bytes are those of Jansson's
 * json_dumps with JSON_INDENT(2), or JSON_COMPACT (the unit test compares).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CODEC_JSON_WRITE_H
#define CFS_CODEC_JSON_WRITE_H

#include "base/buf.h"

struct cfs_json {
	struct cfs_buf *out;	/* failures stay in it */
	bool compact;
	bool first;		/* nothing in the open object or array yet */
	unsigned depth;		/* open objects and arrays */
};

/* In an object: the name, then exactly one value. */
void cfs_json_key(struct cfs_json *j, struct cfs_slice name);
/* Before each value in an array. */
void cfs_json_item(struct cfs_json *j);

/* '{' and '['; the same with '}' and ']'. */
void cfs_json_open(struct cfs_json *j, char bracket);
void cfs_json_close(struct cfs_json *j, char bracket);

/* A string: bytes that are not UTF-8, and NUL, become U+FFFD. */
void cfs_json_str(struct cfs_json *j, struct cfs_slice s);
void cfs_json_int(struct cfs_json *j, int64_t v);
void cfs_json_true(struct cfs_json *j);

/* Key and value at once. */
void cfs_json_put_str(struct cfs_json *j, const char *key, struct cfs_slice s);
void cfs_json_put_int(struct cfs_json *j, const char *key, int64_t v);
void cfs_json_put_true(struct cfs_json *j, const char *key);

#endif

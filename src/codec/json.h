/* json.h - reads and writes JSON sequentially, without a tree in memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CODEC_JSON_H
#define CFS_CODEC_JSON_H

#include "base/buf.h"

/* ---- reading ----
 *
 * Values are borrowed from the text, with escapes left as they are.  Parts that
 * are not asked for are skipped without validating them. */

/* The inside of a string, or a number, true, false or null. */
struct cfs_json_text {
	struct cfs_slice s;
	bool escaped;		/* a string that contains backslashes */
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

/* ---- writing ----
 *
 * A page can have hundreds of thousands of links, so no tree of values is
 * built: what is written is on its way out.  The bytes are those of Jansson's
 * json_dumps with JSON_INDENT(2), or JSON_COMPACT (the unit test compares). */

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

/* Key and value at once. */
static inline void cfs_json_put_str(struct cfs_json *j, const char *key,
				    struct cfs_slice s)
{
	cfs_json_key(j, cfs_slice_str(key));
	cfs_json_str(j, s);
}

void cfs_json_put_int(struct cfs_json *j, const char *key, int64_t v);
/* The same, with as many blanks in front as make every number 20 bytes long
 * (compact: none). */
void cfs_json_put_wide_int(struct cfs_json *j, const char *key, int64_t v);
void cfs_json_put_true(struct cfs_json *j, const char *key);

/* Objects and arrays inside each other in a value that is copied. */
#define CFS_JSON_COPY_DEPTH 32u

/* Takes a value off the front of *s and writes it: numbers and words as they
 * stand, strings as cfs_json_str does.  False if it is not whole, no JSON, or
 * too deep; then something may have been written. */
bool cfs_json_copy(struct cfs_json *j, struct cfs_slice *s);

/* The same with the members of `object`, into the object that is open. */
bool cfs_json_copy_members(struct cfs_json *j, struct cfs_slice object);

#endif

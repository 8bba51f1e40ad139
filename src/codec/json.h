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

/* Appends the text with its escapes decoded; codes as cfs_buf_add.  A lone
 * surrogate becomes U+FFFD, an unknown escape the byte behind its '\'. */
int cfs_json_add_text(struct cfs_buf *out, struct cfs_json_text t);

/* The following take something off the front of *s.  They return false if that
 * is missing or incomplete; the position of *s is then undefined. */

void cfs_json_skip_blanks(struct cfs_slice *s);
/* Takes the name of a member, its colon, and blanks around both. */
bool cfs_json_take_name(struct cfs_slice *s, struct cfs_json_text *out);
/* Takes a value.  *out is empty for an object, an array, or a missing value. */
bool cfs_json_take_value(struct cfs_slice *s, struct cfs_json_text *out);

/* A member of an object, or an item of an array, which has no name. */
struct cfs_json_member {
	struct cfs_json_text name, value;
	struct cfs_slice written;	/* the value with quotes or brackets */
};

/* Takes the next member of an object, or the next item of an array, off *s,
 * which begins with the bracket that opens it, or with what is behind the
 * member before.  CFS_END: the bracket that closes it was taken.  CFS_EFORMAT:
 * *s is not such a text, or is incomplete. */
int cfs_json_next(struct cfs_slice *s, char bracket,
		  struct cfs_json_member *out);

/* The value of a member of an object, as written: up to the end of the text, if
 * that breaks off in it.  Empty if there is none before that. */
struct cfs_slice cfs_json_member_of(struct cfs_slice object, const char *name);

/* The most components of a path, and the most paths of one call. */
#define CFS_JSON_PATH_MAX 6u
#define CFS_JSON_PICKS_MAX 16u

/*
 * Finds scalar values in nested objects.  A path is the names on the way,
 * joined by '/'.  out[i] becomes the value of path i as written: the inside of
 * a string (escapes stay), a number, true, false or null; empty if there is
 * none.  Names are compared as written; the last of repeated ones counts.
 * False if the text is not an object, or is incomplete.
 */
bool cfs_json_pick(struct cfs_slice json, const char *const *paths, size_t n,
		   struct cfs_slice *out);

/* ---- writing ----
 *
 * A page can have hundreds of thousands of links, so no tree of values is
 * built: each call appends to the output, indented by two blanks a level, or
 * compact. */

struct cfs_json {
	struct cfs_buf *out;	/* records failures */
	bool compact;
	bool first;		/* the open object or array is still empty */
	unsigned depth;		/* number of open objects and arrays */
};

/* Writes the name of a member.  Exactly one value must follow. */
void cfs_json_key(struct cfs_json *j, struct cfs_slice name);
/* To be called before each value in an array. */
void cfs_json_item(struct cfs_json *j);

/* Begin an object that is a line of its own in out, and end it. */
void cfs_json_line_begin(struct cfs_json *j, struct cfs_buf *out);
void cfs_json_line_end(struct cfs_json *j);

/* Open an object or array ('{' or '['), and close it ('}' or ']'). */
void cfs_json_open(struct cfs_json *j, char bracket);
void cfs_json_close(struct cfs_json *j, char bracket);

/* Opens an object or array that is a member, or with key NULL an item of the
 * open array, or the whole text. */
void cfs_json_begin(struct cfs_json *j, const char *key, char bracket);

/* Writes a string.  Invalid UTF-8 and NUL become U+FFFD. */
void cfs_json_str(struct cfs_json *j, struct cfs_slice s);

/* Writes an array of the words in a text. */
void cfs_json_words(struct cfs_json *j, struct cfs_slice words,
		    uint8_t between);

/* Writes a number. */
void cfs_json_uint(struct cfs_json *j, uint64_t v);

/* How a byte that is not UTF-8 is written in a string of ASCII. */
enum cfs_json_odd {
	CFS_JSON_ODD_REPLACED,	/* U+FFFD, for prose */
	CFS_JSON_ODD_PERCENT,	/* %XX, for URLs: the same to a server */
	CFS_JSON_ODD_SURROGATE,	/* \udcXX, as Python does, for paths */
};

/* Appends a string in which every character but those from blank to tilde is
 * written as \uXXXX: it is the same in all charsets and safe on terminals, and
 * no program takes a character in it for the end of a line. */
void cfs_json_add_ascii(struct cfs_buf *out, struct cfs_slice s,
			enum cfs_json_odd odd);

/* Appends JSON that was made by the functions here, with \uXXXX for every
 * character that add_ascii writes so: these can only be in strings. */
void cfs_json_add_escaped(struct cfs_buf *out, struct cfs_slice json);

/* Writes the inside of a string, or a part of it that ends with a whole
 * character; the caller writes the quotes. */
void cfs_json_inside(struct cfs_json *j, struct cfs_slice s);

/* Write a member: name and value. */
static inline void cfs_json_put_str(struct cfs_json *j, const char *key,
				    struct cfs_slice s)
{
	cfs_json_key(j, cfs_slice_str(key));
	cfs_json_str(j, s);
}

/* An array of the words in a text, which `between` separates. */
void cfs_json_put_words(struct cfs_json *j, const char *key,
			struct cfs_slice words, uint8_t between);

/* A string of ASCII. */
static inline void cfs_json_put_ascii(struct cfs_json *j, const char *key,
				      struct cfs_slice s,
				      enum cfs_json_odd odd)
{
	cfs_json_key(j, cfs_slice_str(key));
	cfs_json_add_ascii(j->out, s, odd);
}

static inline void cfs_json_put_uint(struct cfs_json *j, const char *key,
				     uint64_t v)
{
	cfs_json_key(j, cfs_slice_str(key));
	cfs_json_uint(j, v);
}

/* A time in Unix seconds as "2024-02-29T12:34:56Z". */
void cfs_json_put_time(struct cfs_json *j, const char *key, int64_t t);
void cfs_json_put_bool(struct cfs_json *j, const char *key, bool v);
void cfs_json_put_int(struct cfs_json *j, const char *key, int64_t v);
/* The same, with the number padded to 20 bytes by blanks in front, unless
 * compact. */
void cfs_json_put_wide_int(struct cfs_json *j, const char *key, int64_t v);
static inline void cfs_json_put_true(struct cfs_json *j, const char *key)
{
	cfs_json_put_bool(j, key, true);
}

/* The deepest nesting of objects and arrays in a value that is copied. */
#define CFS_JSON_COPY_DEPTH 32u

/* Takes a value off the front of *s and writes it: numbers and words unchanged,
 * strings like cfs_json_str.  False if it is incomplete, invalid, or nested too
 * deeply; part of it may then have been written. */
bool cfs_json_copy(struct cfs_json *j, struct cfs_slice *s);

/* Copies the members of `object` into the open object.  False as
 * cfs_json_copy. */
bool cfs_json_copy_members(struct cfs_json *j, struct cfs_slice object);

#endif

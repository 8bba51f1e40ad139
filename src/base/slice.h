/* slice.h - borrowed bytes, and a cursor that decodes them without
 * over-reading.
 *
 * Every byte that comes from outside (archives, indexes, servers, file names)
 * is read through these two types.  Nothing here allocates.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_SLICE_H
#define CFS_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Borrowed bytes.  p is never NULL; no NUL follows the bytes. */
struct cfs_slice {
	const uint8_t *p;
	size_t n;
};

#define CFS_SLICE_EMPTY ((struct cfs_slice){ (const uint8_t *)"", 0 })
#define CFS_SLICE_LIT(s) ((struct cfs_slice){ (const uint8_t *)(s), sizeof(s) - 1 })

/* A slice over a C string, without its NUL.  s must outlive the slice. */
static inline struct cfs_slice cfs_slice_str(const char *s)
{
	return (struct cfs_slice){ (const uint8_t *)s, strlen(s) };
}

static inline struct cfs_slice cfs_slice_of(const void *p, size_t n)
{
	if (p == NULL)
		return CFS_SLICE_EMPTY;
	return (struct cfs_slice){ p, n };
}

/* The part of s from byte `off`, at most n bytes, clamped to s. */
static inline struct cfs_slice cfs_slice_sub(struct cfs_slice s, size_t off,
					     size_t n)
{
	if (off > s.n)
		off = s.n;
	if (n > s.n - off)
		n = s.n - off;
	return (struct cfs_slice){ s.p + off, n };
}

static inline struct cfs_slice cfs_slice_from(struct cfs_slice s, size_t off)
{
	return cfs_slice_sub(s, off, s.n);
}

/* Compares as unsigned bytes, a prefix before longer ones: <0, 0, >0. */
static inline int cfs_slice_cmp(struct cfs_slice a, struct cfs_slice b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	if (c != 0)
		return c;
	return (a.n > b.n) - (a.n < b.n);
}

static inline bool cfs_slice_eq(struct cfs_slice a, struct cfs_slice b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool cfs_slice_starts(struct cfs_slice s, struct cfs_slice prefix)
{
	return s.n >= prefix.n &&
	       (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static inline bool cfs_slice_ends(struct cfs_slice s, struct cfs_slice suffix)
{
	return s.n >= suffix.n &&
	       cfs_slice_eq(cfs_slice_from(s, s.n - suffix.n), suffix);
}

/* Compares ASCII letters without case, other bytes exactly. */
bool cfs_slice_starts_nocase(struct cfs_slice s, struct cfs_slice prefix);

static inline bool cfs_slice_eq_nocase(struct cfs_slice a, struct cfs_slice b)
{
	return a.n == b.n && cfs_slice_starts_nocase(a, b);
}

/* Length of the longest common prefix. */
size_t cfs_slice_common(struct cfs_slice a, struct cfs_slice b);

/* Index of the first (last) byte c, or -1. */
static inline ptrdiff_t cfs_slice_find(struct cfs_slice s, uint8_t c)
{
	const uint8_t *q = s.n ? memchr(s.p, c, s.n) : NULL;

	return q ? q - s.p : -1;
}

static inline ptrdiff_t cfs_slice_rfind(struct cfs_slice s, uint8_t c)
{
	const uint8_t *q = s.n ? memrchr(s.p, c, s.n) : NULL;

	return q ? q - s.p : -1;
}

/* A file's name without its folders: what is behind the last slash. */
static inline struct cfs_slice cfs_slice_last_part(struct cfs_slice path)
{
	return cfs_slice_from(path, (size_t)(cfs_slice_rfind(path, '/') + 1));
}

/* Index of the first byte from `at` on that is in set, whose characters are
 * below '@'; s.n if there is none. */
static inline size_t cfs_slice_find_any(struct cfs_slice s, size_t at,
					const char *set)
{
	uint64_t wanted = 0;

	while (*set != '\0')
		wanted |= UINT64_C(1) << *set++;
	while (at < s.n && (s.p[at] >= 64 || (wanted >> s.p[at] & 1) == 0))
		at++;
	return at;
}

/* The length of what s begins with whose bytes are all `is_in`. */
static inline size_t cfs_slice_run(struct cfs_slice s, bool (*is_in)(uint8_t))
{
	size_t n = 0;

	while (n < s.n && is_in(s.p[n]))
		n++;
	return n;
}

/* Takes n bytes off the front of *s, or all if it has fewer. */
static inline struct cfs_slice cfs_slice_take(struct cfs_slice *s, size_t n)
{
	struct cfs_slice taken = cfs_slice_sub(*s, 0, n);

	*s = cfs_slice_from(*s, n);
	return taken;
}

/* Index of the first occurrence of needle, or -1. */
ptrdiff_t cfs_slice_search(struct cfs_slice s, struct cfs_slice needle);
ptrdiff_t cfs_slice_search_nocase(struct cfs_slice s, struct cfs_slice needle);

/* s without blanks, tabs, CR and LF at both ends. */
struct cfs_slice cfs_slice_trim(struct cfs_slice s);

/* Returns the bytes before the first `end` in *rest, and advances *rest past
 * that byte; without one, returns all of *rest. */
struct cfs_slice cfs_slice_split(struct cfs_slice *rest, uint8_t end);

/* Takes the next of the words that white space and control characters divide.
 * False: there is none. */
bool cfs_slice_next_word(struct cfs_slice *rest, struct cfs_slice *word);

/* The Levenshtein distance in bytes, with ASCII letters compared without case
 * if `nocase`.  UINT_MAX if a or b is longer than CFS_DISTANCE_MAX bytes. */
#define CFS_DISTANCE_MAX 64u
unsigned cfs_slice_distance(struct cfs_slice a, struct cfs_slice b,
			    bool nocase);

/* True if s is one of the words, which are separated by blanks; ASCII letters
 * are compared without case. */
bool cfs_slice_in_words(struct cfs_slice s, const char *words);

/* Parses a decimal number, digits only, at most `max`.
 * Returns 0; CFS_EFORMAT for anything but digits; CFS_ELIMIT past max. */
int cfs_slice_parse_u64(struct cfs_slice s, uint64_t max, uint64_t *out);

/* Decodes `rest` from front to back.  A read past the end sets `bad`, consumes
 * nothing and returns 0 or nothing, as does every later read: decode all the
 * fields, then test `bad` once. */
struct cfs_cursor {
	struct cfs_slice rest;
	bool bad;
};

struct cfs_slice cfs_cursor_take(struct cfs_cursor *c, size_t n);
uint8_t cfs_cursor_u8(struct cfs_cursor *c);
uint16_t cfs_cursor_le16(struct cfs_cursor *c);
uint32_t cfs_cursor_le32(struct cfs_cursor *c);
uint64_t cfs_cursor_le64(struct cfs_cursor *c);
uint32_t cfs_cursor_be32(struct cfs_cursor *c);
/* Reads an LEB128 number of at most 10 bytes; an overlong or overflowing one
 * sets `bad`. */
uint64_t cfs_cursor_varint(struct cfs_cursor *c);
/* Takes a text behind its length, a varint. */
static inline struct cfs_slice cfs_cursor_text(struct cfs_cursor *c)
{
	return cfs_cursor_take(c, cfs_cursor_varint(c));
}

/* Integers from and to bytes, little-endian on any host. */
static inline uint16_t cfs_le16_get(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t cfs_le32_get(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

static inline uint64_t cfs_le64_get(const uint8_t *p)
{
	return (uint64_t)cfs_le32_get(p) | (uint64_t)cfs_le32_get(p + 4) << 32;
}

/* The same, big-endian. */
static inline uint32_t cfs_be32_get(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static inline uint64_t cfs_be64_get(const uint8_t *p)
{
	return (uint64_t)cfs_be32_get(p) << 32 | cfs_be32_get(p + 4);
}

void cfs_be32_put(uint8_t *p, uint32_t v);
void cfs_be64_put(uint8_t *p, uint64_t v);
void cfs_le16_put(uint8_t *p, uint16_t v);
void cfs_le32_put(uint8_t *p, uint32_t v);
void cfs_le64_put(uint8_t *p, uint64_t v);
/* Writes v as LEB128 and returns its length, 1 to CFS_VARINT_MAX. */
#define CFS_VARINT_MAX 10
size_t cfs_varint_put(uint8_t *p, uint64_t v);

#endif

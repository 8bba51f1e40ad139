/* buf.h - a growable byte buffer with an upper limit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_BUF_H
#define CFS_BASE_BUF_H

#include <stdarg.h>
#include <string.h>

#include "error.h"
#include "slice.h"

/* Owns its bytes.  After a failed append `failed` holds the code and further
 * appends do nothing: append everything, then test once with cfs_buf_ok. */
struct cfs_buf {
	uint8_t *p;
	size_t n;	/* bytes in use */
	size_t cap;	/* bytes allocated */
	size_t max;	/* limit of n and cap */
	int failed;	/* CFS_OK, CFS_ELIMIT, CFS_ENOMEM; CFS_EIO if
			 * spilled */
	struct cfs_spill *spill;	/* not NULL: the bytes are in a file
					 * (spill.h) */
};

/* Declares a buffer that is released at the end of the block it is declared
 * in, however that is left. */
#define CFS_BUF(name, max_bytes) \
	__attribute__((cleanup(cfs_buf_release))) \
	struct cfs_buf name = { .max = (max_bytes) }

void cfs_buf_init(struct cfs_buf *b, size_t max_bytes);
void cfs_buf_release(struct cfs_buf *b);	/* b may be reused after */
void cfs_buf_reset(struct cfs_buf *b);		/* n = 0, memory kept */
void cfs_buf_empty(struct cfs_buf *b);		/* likewise, but CFS_ENOMEM
						 * stays */

/* Makes room for n more bytes.  0, CFS_ELIMIT or CFS_ENOMEM. */
int cfs_buf_reserve(struct cfs_buf *b, size_t n);
/* Makes room for n bytes, or for as many as the limit allows, at least one.
 * Returns as cfs_buf_reserve. */
int cfs_buf_reserve_some(struct cfs_buf *b, size_t n);
/* The slow path of cfs_buf_append: makes room first. */
int cfs_buf_append_more(struct cfs_buf *b, const void *p, size_t n);

/* Inline, because views are made of millions of short texts. */
static inline int cfs_buf_append(struct cfs_buf *b, const void *p, size_t n)
{
	if (b->failed != CFS_OK || n > b->cap - b->n)
		return cfs_buf_append_more(b, p, n);
	if (n > 0)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	return CFS_OK;
}

static inline int cfs_buf_add(struct cfs_buf *b, struct cfs_slice s)
{
	return cfs_buf_append(b, s.p, s.n);
}

static inline int cfs_buf_addc(struct cfs_buf *b, uint8_t c)
{
	return cfs_buf_append(b, &c, 1);
}

static inline int cfs_buf_adds(struct cfs_buf *b, const char *s)
{
	return cfs_buf_append(b, s, strlen(s));
}

/* Appends s with its ASCII letters in lower case. */
int cfs_buf_add_lower(struct cfs_buf *b, struct cfs_slice s);
int cfs_buf_addf(struct cfs_buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int cfs_buf_varint(struct cfs_buf *b, uint64_t v);
/* Appends the length of s as a varint, and s. */
int cfs_buf_text(struct cfs_buf *b, struct cfs_slice s);
int cfs_buf_le16(struct cfs_buf *b, uint16_t v);
int cfs_buf_le32(struct cfs_buf *b, uint32_t v);
int cfs_buf_le64(struct cfs_buf *b, uint64_t v);

/* The bytes, borrowed until the next change of b. */
struct cfs_slice cfs_buf_slice(const struct cfs_buf *b);

/* NUL-terminates (the NUL is not counted in n) and lends the string; ""
 * when that fails. */
const char *cfs_buf_str(struct cfs_buf *b);

#endif

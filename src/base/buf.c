/* buf.c - growable byte buffers with an upper limit (see buf.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "error.h"
#include "spill.h"

void cfs_buf_init(struct cfs_buf *b, size_t max_bytes)
{
	*b = (struct cfs_buf){ .max = max_bytes };
}

void cfs_buf_release(struct cfs_buf *b)
{
	size_t max = b->max;

	if (b->spill != NULL)
		cfs_spill_end(b);
	else
		free(b->p);
	cfs_buf_init(b, max);
}

void cfs_buf_reset(struct cfs_buf *b)
{
	b->n = 0;
	b->failed = CFS_OK;
}

void cfs_buf_empty(struct cfs_buf *b)
{
	b->n = 0;
	if (b->failed != CFS_ENOMEM)
		b->failed = CFS_OK;
}

/* The next capacity: doubling it keeps the cost of appending linear. */
static size_t grown(size_t cap)
{
	if (cap < 32)
		return 64;
	return cap > SIZE_MAX / 2 ? SIZE_MAX : cap * 2;
}

int cfs_buf_reserve(struct cfs_buf *b, size_t n)
{
	size_t need, cap;
	uint8_t *p;

	if (b->failed != CFS_OK)
		return b->failed;
	if (n > b->max || b->n > b->max - n)
		return b->failed = CFS_ELIMIT;
	need = b->n + n;
	if (need <= b->cap)
		return CFS_OK;
	cap = grown(b->cap);
	if (cap < need)		/* no more than asked for: it may be large */
		cap = need;
	if (cap > b->max)
		cap = b->max;
	if (b->spill != NULL)
		return b->failed = cfs_spill_resize(b, cap);
	p = realloc(b->p, cap);
	if (p == NULL)
		return b->failed = CFS_ENOMEM;
	b->p = p;
	b->cap = cap;
	return CFS_OK;
}

int cfs_buf_reserve_some(struct cfs_buf *b, size_t n)
{
	size_t left = b->max - b->n;

	return cfs_buf_reserve(b, n > left && left > 0 ? left : n);
}

int cfs_buf_append_more(struct cfs_buf *b, const void *p, size_t n)
{
	int rc = cfs_buf_reserve(b, n);

	if (rc != CFS_OK)
		return rc;
	if (n > 0)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	return CFS_OK;
}

int cfs_buf_add_lower(struct cfs_buf *b, struct cfs_slice s)
{
	int rc = cfs_buf_reserve(b, s.n);

	if (rc != CFS_OK)
		return rc;
	for (size_t i = 0; i < s.n; i++)
		b->p[b->n + i] = cfs_ascii_lower(s.p[i]);
	b->n += s.n;
	return CFS_OK;
}

int cfs_buf_addf(struct cfs_buf *b, const char *fmt, ...)
{
	char small[256];
	va_list ap;
	int n, rc;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n < 0)
		return b->failed = CFS_ENOMEM;
	if ((size_t)n < sizeof(small))
		return cfs_buf_append(b, small, (size_t)n);
	rc = cfs_buf_reserve(b, (size_t)n + 1);
	if (rc != CFS_OK)
		return rc;
	va_start(ap, fmt);
	vsnprintf((char *)b->p + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
	return CFS_OK;
}

int cfs_buf_varint(struct cfs_buf *b, uint64_t v)
{
	uint8_t t[CFS_VARINT_MAX];

	return cfs_buf_append(b, t, cfs_varint_put(t, v));
}

int cfs_buf_text(struct cfs_buf *b, struct cfs_slice s)
{
	cfs_buf_varint(b, s.n);
	return cfs_buf_add(b, s);
}

int cfs_buf_le16(struct cfs_buf *b, uint16_t v)
{
	uint8_t t[2];

	cfs_le16_put(t, v);
	return cfs_buf_append(b, t, sizeof(t));
}

int cfs_buf_le32(struct cfs_buf *b, uint32_t v)
{
	uint8_t t[4];

	cfs_le32_put(t, v);
	return cfs_buf_append(b, t, sizeof(t));
}

int cfs_buf_le64(struct cfs_buf *b, uint64_t v)
{
	uint8_t t[8];

	cfs_le64_put(t, v);
	return cfs_buf_append(b, t, sizeof(t));
}

struct cfs_slice cfs_buf_slice(const struct cfs_buf *b)
{
	return cfs_slice_of(b->p, b->n);
}

const char *cfs_buf_str(struct cfs_buf *b)
{
	if (cfs_buf_reserve(b, 1) != CFS_OK)
		return "";
	b->p[b->n] = '\0';
	return (const char *)b->p;
}

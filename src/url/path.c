/* path.c - components out of keys, and runs of keys.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "path.h"

#include <assert.h>

int cfs_path_add_pieces(struct cfs_path *path, struct cfs_slice s, uint8_t sep)
{
	for (;;) {
		const uint8_t *end = memchr(s.p, sep, s.n);
		size_t n = end != NULL ? (size_t)(end - s.p) : s.n;

		if (path->n == CFS_DEPTH_MAX)
			return CFS_ENOTFOUND;
		path->comp[path->n++] = (struct cfs_slice){ s.p, n };
		if (end == NULL)
			return CFS_OK;
		s.p += n + 1;
		s.n -= n + 1;
	}
}

void cfs_path_reverse_labels(struct cfs_buf *out, struct cfs_slice host,
			     uint8_t from, uint8_t to)
{
	ptrdiff_t i;

	while ((i = cfs_slice_rfind(host, from)) >= 0) {
		cfs_buf_add(out, cfs_slice_from(host, (size_t)i + 1));
		cfs_buf_addc(out, to);
		host.n = (size_t)i;
	}
	cfs_buf_add(out, host);
}

void cfs_ranges_init(struct cfs_ranges *r)
{
	r->n = 0;
	r->cancel = NULL;
	r->err = NULL;
	cfs_buf_init(&r->bytes, CFS_RANGES_MAX * 2 * ((size_t)CFS_KEY_MAX + 8));
}

void cfs_ranges_release(struct cfs_ranges *r)
{
	r->n = 0;
	cfs_buf_release(&r->bytes);
}

void cfs_ranges_add_all(struct cfs_ranges *r)
{
	assert(r->n < CFS_RANGES_MAX);
	r->v[r->n++] = (struct cfs_range){ CFS_SLICE_EMPTY, CFS_SLICE_EMPTY,
					   true };
}

void cfs_ranges_add(struct cfs_ranges *r, size_t at, struct cfs_slice lo,
		    struct cfs_slice hi)
{
	struct cfs_buf *b = &r->bytes;
	size_t n = b->n - at;

	assert(r->n < CFS_RANGES_MAX);
	cfs_buf_add(b, lo);
	cfs_buf_append(b, b->p + at, n);	/* which does not move */
	cfs_buf_add(b, hi);
	if (b->failed != CFS_OK)
		return;
	r->v[r->n++] = (struct cfs_range){
		.lo = { b->p + at, n + lo.n },
		.hi = { b->p + at + n + lo.n, n + hi.n },
	};
}

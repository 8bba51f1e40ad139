/* path.c - makes tree components from keys, and ranges of keys (see path.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "path.h"

#include <assert.h>

/* Adds what sep separates in s as components. */
static int add_components(struct cfs_path *path, struct cfs_slice s,
			  uint8_t sep)
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

int cfs_path_make(struct cfs_path *out, struct cfs_slice host, uint8_t sep,
		  struct cfs_slice segments)
{
	int rc;

	out->n = out->host_n = 0;
	rc = add_components(out, host, sep);
	if (rc != CFS_OK || out->n == CFS_DEPTH_MAX)
		return CFS_ENOTFOUND;
	out->host_n = out->n;
	out->comp[out->n++] = CFS_SLICE_LIT("_");
	return add_components(out, segments, '/');
}

bool cfs_path_is_possible(const struct cfs_path *path,
			  const char *not_in_labels)
{
	if (path->n > CFS_DEPTH_MAX || path->host_n > path->n ||
	    (path->host_n == 0 && path->n > 0))
		return false;
	for (unsigned i = 0; i < path->n; i++) {
		struct cfs_slice s = path->comp[i];
		const char *set = i < path->host_n ? not_in_labels : "/";

		if (i != path->host_n &&
		    (cfs_slice_find(s, '\0') >= 0 || cfs_path_is_dots(s) ||
		     cfs_slice_find_any(s, 0, set) < s.n))
			return false;
	}
	return true;
}

size_t cfs_path_bytes(const struct cfs_path *path)
{
	size_t n = 0;

	for (unsigned i = 0; i < path->n; i++)
		n += path->comp[i].n + 1;
	return n;
}

int cfs_path_add_host(struct cfs_buf *out, const struct cfs_path *path,
		      uint8_t sep)
{
	for (unsigned i = 0; i < path->host_n; i++) {
		if (i > 0)
			cfs_buf_addc(out, sep);
		cfs_buf_add(out, path->comp[i]);
	}
	return out->failed;
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
	r->ctx.cancel = NULL;
	r->ctx.err = NULL;
	cfs_buf_init(&r->bytes, CFS_RANGES_MAX * 2 * ((size_t)CFS_KEY_MAX + 8));
}

void cfs_ranges_release(struct cfs_ranges *r)
{
	r->n = 0;
	cfs_buf_release(&r->bytes);
}

int cfs_ranges_begin(struct cfs_ranges *r, const struct cfs_path *path,
		     enum cfs_below below)
{
	r->n = 0;
	cfs_buf_reset(&r->bytes);
	if (below == CFS_BELOW_PAGE && path->n < path->host_n + 2)
		return CFS_ENOTFOUND;
	if (path->n == 0)
		r->v[r->n++] = (struct cfs_range){ CFS_SLICE_EMPTY,
						   CFS_SLICE_EMPTY, true };
	return CFS_OK;
}

void cfs_ranges_add(struct cfs_ranges *r, size_t at, struct cfs_slice lo,
		    struct cfs_slice hi)
{
	struct cfs_buf *b = &r->bytes;
	size_t n = b->n - at;

	assert(r->n < CFS_RANGES_MAX);
	cfs_buf_add(b, lo);
	cfs_buf_append(b, b->p + at, n);	/* reserved: does not move */
	cfs_buf_add(b, hi);
	if (b->failed != CFS_OK)
		return;
	r->v[r->n++] = (struct cfs_range){
		.lo = { b->p + at, n + lo.n },
		.hi = { b->p + at + n + lo.n, n + hi.n },
	};
}

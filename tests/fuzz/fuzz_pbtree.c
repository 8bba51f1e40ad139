/* fuzz_pbtree.c - any bytes as a PB-tree, as a key and as a URL.
 *
 * Beyond crashes it checks that a walk ends, that a found key is not below
 * its target, that what split() takes apart lies in the runs of its path, and
 * that a URL made from a key leads back to that key.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "format/pbtree/pbtree.h"
#include "format/pbtree/pbtree_format.h"
#include "url/pbtree_key.h"

#define CACHE (1u << 20)
#define SEEKS 32u

static void must(bool yes)
{
	if (!yes)
		abort();
}

static bool in_runs(const struct cfs_ranges *r, struct cfs_slice key)
{
	for (unsigned i = 0; i < r->n; i++)
		if (cfs_slice_cmp(r->v[i].lo, key) <= 0 &&
		    (r->v[i].hi_open || cfs_slice_cmp(key, r->v[i].hi) < 0))
			return true;
	return false;
}

static void try_key(struct cfs_slice key)
{
	static struct cfs_path path;
	static struct cfs_ranges r;
	enum cfs_below below = CFS_BELOW_PAGE;

	if (cfs_pbtree_split(key, &path) != CFS_OK)
		return;
	must(path.n <= CFS_DEPTH_MAX && path.n >= path.host_n + 2 &&
	     path.host_n > 0);
	cfs_ranges_init(&r);
	for (;;) {
		must(cfs_pbtree_ranges(&path, below, &r) == CFS_OK);
		must(in_runs(&r, key));
		below = CFS_BELOW_DIR;
		if (path.n == 0)
			break;
		path.n--;
		if (path.host_n > path.n)
			path.host_n = path.n;
	}
	cfs_ranges_release(&r);
}

static void try_url(struct cfs_slice url)
{
	struct cfs_buf key, back, again;

	cfs_buf_init(&key, 2 * CFS_KEY_MAX);
	cfs_buf_init(&back, 2 * CFS_KEY_MAX);
	cfs_buf_init(&again, 2 * CFS_KEY_MAX);
	if (cfs_pbtree_url_key(url, &key) == CFS_OK &&
	    cfs_pbtree_key_url(cfs_buf_slice(&key), &back) == CFS_OK &&
	    back.n <= CFS_URL_MAX) {
		must(cfs_pbtree_url_key(cfs_buf_slice(&back), &again) ==
		     CFS_OK);
		must(cfs_slice_eq(cfs_buf_slice(&key), cfs_buf_slice(&again)));
	}
	cfs_buf_release(&key);
	cfs_buf_release(&back);
	cfs_buf_release(&again);
}

static void try_seeks(struct cfs_index *ix, struct cfs_slice all,
		      struct cfs_iter *it)
{
	for (size_t i = 0; i < SEEKS && i < all.n; i++) {
		struct cfs_slice key = cfs_slice_sub(all, i * all.n / SEEKS,
						     i % 9);

		if (cfs_index_seek(ix, key, it, CFS_CTX(NULL, NULL)) != CFS_OK)
			continue;
		must(cfs_slice_cmp(it->key, key) >= 0);
		must(cfs_index_at(ix, it->pos, it,
				  CFS_CTX(NULL, NULL)) == CFS_OK);
	}
}

static void try_tree(struct cfs_slice all, uint32_t value_bytes)
{
	struct cfs_source *src;
	struct cfs_capture cap;
	struct cfs_index *ix;
	struct cfs_iter it;
	size_t steps = 0;
	int rc;

	if (cfs_source_open_memory(&src, all, "fuzz", NULL) != CFS_OK)
		return;
	rc = cfs_pbtree_open(&ix, src, CACHE, value_bytes, NULL);
	if (rc != CFS_OK)
		return;
	cfs_iter_init(&it);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL))) {
		must(steps++ < all.n);
		cfs_index_capture(&it, &cap, NULL);
		try_key(it.key);
	}
	must(it.pos == CFS_POS_NONE && it.block_ref == NULL);
	try_seeks(ix, all, &it);
	cfs_iter_release(&it);
	cfs_index_close(ix);
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice all = cfs_slice_of(data, size);

	try_key(all);
	try_url(all);
	try_tree(all, CFS_PBTREE_VALUE_BYTES);
	try_tree(all, 2);
	return 0;
}

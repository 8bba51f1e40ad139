/* index.c - the calls that go to whichever backend reads an index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "index.h"

void cfs_index_close(struct cfs_index *ix)
{
	if (ix != NULL)
		ix->ops->close(ix);
}

void cfs_iter_init(struct cfs_iter *it)
{
	it->ix = NULL;
	it->pos = CFS_POS_NONE;
	it->key = it->value = CFS_SLICE_EMPTY;
	it->block_ref = NULL;
	it->block_off = 0;
	it->key_n = it->url_n = 0;
}

void cfs_iter_release(struct cfs_iter *it)
{
	cfs_lru_put(it->block_ref);
	cfs_iter_init(it);
}

/* An iterator that stood in another index lets its block go. */
static void adopt(struct cfs_iter *it, struct cfs_index *ix)
{
	if (it->ix != ix)
		cfs_iter_release(it);
	it->ix = ix;
}

/* Past the end and after a failure an iterator stands nowhere. */
static int settle(struct cfs_iter *it, int rc)
{
	if (rc != CFS_OK)
		cfs_iter_release(it);
	return rc;
}

int cfs_index_seek(struct cfs_index *ix, struct cfs_slice key,
		   struct cfs_iter *it, const struct cfs_cancel *cancel,
		   struct cfs_error *err)
{
	adopt(it, ix);
	return settle(it, ix->ops->seek(ix, key, it, cancel, err));
}

int cfs_index_at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		 const struct cfs_cancel *cancel, struct cfs_error *err)
{
	adopt(it, ix);
	return settle(it, ix->ops->at(ix, pos, it, cancel, err));
}

int cfs_index_next(struct cfs_iter *it, const struct cfs_cancel *cancel,
		   struct cfs_error *err)
{
	if (it->ix == NULL || it->pos == CFS_POS_NONE)
		return CFS_END;
	return settle(it, it->ix->ops->next(it, cancel, err));
}

int cfs_index_find_ref(struct cfs_index *ix, struct cfs_slice ref,
		       cfs_pos *out, size_t max, size_t *n,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	*n = 0;
	if (ix->ops->find_ref == NULL)
		return CFS_OK;
	return ix->ops->find_ref(ix, ref, out, max, n, cancel, err);
}

bool cfs_index_sizes_are_exact(const struct cfs_index *ix, unsigned sizes,
			       uint32_t view_code)
{
	if (!ix->unsized.is_known ||
	    ((sizes & ~(unsigned)CFS_INDEX_SIZE_BODY) != 0 &&
	     ix->view_code != view_code))
		return false;
	for (unsigned i = 0; i < CFS_INDEX_SIZES; i++)
		if ((sizes >> i & 1) != 0 && ix->unsized.captures[i] > 0)
			return false;
	return true;
}

void cfs_index_get_stats(struct cfs_index *ix, struct cfs_index_stats *out)
{
	*out = (struct cfs_index_stats){
		.captures = ix->captures,
		.blocks = ix->blocks,
		.skipped = atomic_load(&ix->skipped),
		.block_reads = atomic_load(&ix->block_reads),
	};
}

/* index.c - passes calls to the backend of an index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "index.h"

#include <stdlib.h>

#include "base/hash.h"

void cfs_index_close(struct cfs_index *ix)
{
	if (ix != NULL)
		ix->ops->close(ix);
}

void cfs_index_charge_to(struct cfs_index *ix, struct cfs_budget *budget)
{
	for (unsigned i = 0; i < CFS_INDEX_CACHES; i++)
		if (ix->caches[i] != NULL)
			cfs_lru_charge_to(ix->caches[i], budget, CFS_MEM_INDEX,
					  false);
}

void cfs_iter_init(struct cfs_iter *it)
{
	it->ix = NULL;
	it->pos = it->hole = CFS_POS_NONE;
	it->key = it->value = CFS_SLICE_EMPTY;
	it->hit = 0;
	it->state = NULL;
	it->block_ref = NULL;
	it->block_off = 0;
	it->key_n = it->url_n = 0;
}

void cfs_iter_release(struct cfs_iter *it)
{
	cfs_lru_put(it->block_ref);
	if (it->state != NULL)
		it->state->put(it->state);
	cfs_iter_init(it);
}

/* Assigns an iterator to ix.  It releases its block if it stood in another
 * index; a part and its whole share blocks. */
static void adopt(struct cfs_iter *it, struct cfs_index *ix)
{
	if (it->ix != ix && (it->ix == NULL ||
			     cfs_index_whole(it->ix) != cfs_index_whole(ix)))
		cfs_iter_release(it);
	it->ix = ix;
	it->hole = CFS_POS_NONE;
}

/* Past the end or after a failure, an iterator stands nowhere.  At a hole it
 * keeps what is needed to step over that. */
static int index_settle(struct cfs_iter *it, int rc)
{
	if (cfs_index_is_at_hole(it, rc)) {
		cfs_lru_put(it->block_ref);
		it->block_ref = NULL;
		it->pos = CFS_POS_NONE;
		it->key = it->value = CFS_SLICE_EMPTY;
	} else if (rc != CFS_OK) {
		cfs_iter_release(it);
	}
	return rc;
}

int cfs_index_seek(struct cfs_index *ix, struct cfs_slice key,
		   struct cfs_iter *it, struct cfs_ctx ctx)
{
	adopt(it, ix);
	return index_settle(it, ix->ops->seek(ix, key, it, ctx));
}

int cfs_index_at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		 struct cfs_ctx ctx)
{
	adopt(it, ix);
	return index_settle(it, ix->ops->at(ix, pos, it, ctx));
}

int cfs_index_next(struct cfs_iter *it, struct cfs_ctx ctx)
{
	if (it->ix == NULL || it->pos == CFS_POS_NONE)
		return CFS_END;
	return index_settle(it, it->ix->ops->next(it, ctx));
}

int cfs_index_skip(struct cfs_iter *it, struct cfs_ctx ctx)
{
	cfs_pos hole = it->hole;

	if (it->ix == NULL || hole == CFS_POS_NONE)
		return CFS_END;
	it->hole = CFS_POS_NONE;
	return index_settle(it, it->ix->ops->skip(it, hole, ctx));
}

/* Beyond that, reading hidden entries costs as much as read-ahead saves. */
#define LEFT_OUT_MAX 64u

int cfs_index_next_shown(struct cfs_iter *it, struct cfs_ctx ctx)
{
	int rc = cfs_index_next(it, ctx);

	for (unsigned i = 0; i < LEFT_OUT_MAX && rc == CFS_OK &&
			     !cfs_index_shows(it); i++)
		rc = cfs_index_next(it, ctx);
	return rc;
}

int cfs_index_find_ref(struct cfs_index *ix, struct cfs_slice ref, cfs_pos *out,
		       size_t max, size_t *n, struct cfs_ctx ctx)
{
	*n = 0;
	if (ix->ops->find_ref == NULL)
		return CFS_OK;
	return ix->ops->find_ref(ix, ref, out, max, n, ctx);
}

/* Counts the entries of the block in which `it` stands. */
static int count_slots(struct cfs_index *ix, struct cfs_iter *it, uint32_t *out,
		       struct cfs_ctx ctx)
{
	uint32_t block = cfs_pos_block(it->pos), hi = CFS_SLOTS_MAX;
	int rc = CFS_OK;

	*out = 1;
	while (rc == CFS_OK && hi > *out) {
		uint32_t slot = *out + (hi - *out) / 2;

		rc = cfs_index_at(ix, cfs_pos_make(block, slot), it, ctx);
		if (rc == CFS_OK)
			*out = slot + 1;
		else if (rc == CFS_ENOTFOUND)
			hi = slot;
		rc = rc == CFS_ENOTFOUND ? CFS_OK : rc;
	}
	return rc;
}

/* Moves to the entry that k/n of the block's entries precede; if the block is
 * empty or cannot be read, to the first entry behind it. */
static int at_part_of_block(struct cfs_index *ix, uint64_t block, uint64_t k,
			    uint64_t n, struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = CFS_ENOTFOUND;
	uint32_t slots;

	for (uint64_t b = block; b < ix->blocks &&
	     (rc == CFS_ENOTFOUND || cfs_index_is_at_hole(it, rc)); b++) {
		cfs_error_clear(&e);
		rc = cfs_index_at(ix, cfs_pos_make((uint32_t)b, 0), it,
				  CFS_CTX(ctx.cancel, &e));
	}
	if (rc == CFS_ENOTFOUND || cfs_index_is_at_hole(it, rc))
		return CFS_END;
	if (rc != CFS_OK)
		return cfs_error_pass(ctx.err, &e, rc);
	if (cfs_pos_block(it->pos) > block)
		return CFS_OK;
	rc = count_slots(ix, it, &slots, ctx);
	return rc != CFS_OK ? rc :
	       cfs_index_at(ix, cfs_pos_make((uint32_t)block,
					     (uint32_t)(slots * k / n)),
			    it, ctx);
}

int cfs_index_cut(struct cfs_index *ix, uint64_t k, uint64_t n,
		  struct cfs_buf *key, struct cfs_ctx ctx)
{
	uint64_t last = ix->last_fill > 0 ? ix->last_fill : CFS_FILL_ALL;
	struct cfs_iter *it;
	uint64_t at, fill;
	int rc;

	if (ix->blocks == 0)
		return ix->ops->cut == NULL ? CFS_END :
		       ix->ops->cut(ix, k, n, key, ctx);
	at = ((ix->blocks - 1) * CFS_FILL_ALL + last) * k / n;
	fill = at / CFS_FILL_ALL == ix->blocks - 1 ? last : CFS_FILL_ALL;
	it = malloc(sizeof(*it));
	if (it == NULL)
		return cfs_error_nomem(ctx.err);
	cfs_iter_init(it);
	rc = at_part_of_block(ix, at / CFS_FILL_ALL, at % CFS_FILL_ALL, fill,
			      it, ctx);
	if (rc == CFS_OK)
		cfs_buf_add(key, it->key);
	cfs_iter_release(it);
	free(it);
	return rc == CFS_OK ? key->failed : rc;
}

uint64_t cfs_index_unsized(const struct cfs_index *ix, unsigned sizes,
			   uint32_t view_version)
{
	uint64_t most = 0;

	if (!ix->unsized.is_known ||
	    ((sizes & ~CFS_INDEX_SIZE_BODY) != 0 &&
	     ix->view_version != view_version))
		return UINT64_MAX;
	for (unsigned i = 0; i < CFS_INDEX_SIZES; i++)
		if ((sizes >> i & 1) != 0 && ix->unsized.captures[i] > most)
			most = ix->unsized.captures[i];
	return most;
}

void cfs_damage_sum_add(void *arg, const struct cfs_index_damage *d)
{
	struct cfs_damage_sum *sum = arg;
	uint64_t archive = cfs_hash64(d->archive, 0) | 1;

	sum->places += d->count;
	sum->archives += archive != sum->last;
	sum->last = archive;
}

void cfs_index_get_stats(struct cfs_index *ix, struct cfs_index_stats *out)
{
	struct cfs_index *all = cfs_index_unpicked(ix);

	*out = (struct cfs_index_stats){
		.captures = ix->captures,
		.blocks = ix->blocks,
		.skipped = atomic_load(&all->skipped),
		.block_reads = atomic_load(&all->block_reads),
	};
	if (all->ops->stats != NULL)
		all->ops->stats(all, out);
}

void cfs_index_get_extent(struct cfs_index *ix, struct cfs_index_extent *out)
{
	ix = cfs_index_unpicked(ix);
	if (ix->ops->extent != NULL) {
		ix->ops->extent(ix, out);
		return;
	}
	*out = (struct cfs_index_extent){
		.blocks = ix->blocks, .bytes = ix->src->size,
		.is_remote = !ix->src->is_local };
	if (out->blocks == 0) {
		out->blocks = atomic_load(&ix->about_blocks);
		out->bytes = atomic_load(&ix->about_bytes);
	}
}

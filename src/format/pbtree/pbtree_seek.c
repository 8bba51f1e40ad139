/* pbtree_seek.c - searches a PB-tree (pbtree.c).
 *
 * A descent gives a guess and the separators before and behind the key.  The
 * guess is checked against the keys of its block, and corrected by galloping
 * from there, since pointers in the published file may be wrong.
 *
 * Two blocks that changed places would hide what lies in them.  So a block
 * whose first key is not between the separators is only believed if it is in
 * order with its neighbours: then a pointer is wrong, else the block.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pbtree_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"

/* Bytes in which a first key is sought before the whole block is read. */
#define PROBE_BYTES 1024u
/* Requests that a lookup may cost when only the root is in memory. */
#define READS_MAX 3u

/* Pointer i of an index block, 0 <= i <= n. */
static uint32_t block_pointer(const struct pb_block *b, uint32_t i)
{
	return cfs_le32_get(b->bytes + b->off[i] - CFS_PBTREE_POINTER_BYTES);
}

/* The first of slots lo .. hi-1 whose key is >= key; hi if none is. */
static uint32_t lower_bound(const struct pb_block *b, uint32_t lo,
				   uint32_t hi, struct cfs_slice key)
{
	CFS_LOWER_BOUND(lo, hi, i, cfs_slice_cmp(pb_key(b, i), key) < 0);
	return lo;
}

void cfs_pbtree_report(struct pbtree *t, uint32_t number,
		       const struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;

	if (atomic_exchange(&t->index_reported, true))
		return;
	if (err->code == CFS_OK) {
		cfs_error_at(&e, CFS_EFORMAT, t->base.src->name,
			     pb_offset(t, number), "PB-tree index block %"
			     PRIu32 " has a bad pointer: searching without it",
			     number);
		err = &e;
	}
	cfs_log_error(CFS_LOG_WARNING, err);
}

/* The separators between which a key lies: lo < key <= hi; in the unused
 * buffers of the iterator.  A separator is the first key of its block, cut
 * after the byte in which it differs from the key before.  next: that behind
 * hi. */
struct fence {
	struct cfs_slice lo, hi, next;	/* n 0: none, or not known */
};

static struct cfs_slice keep(uint8_t *buf, size_t room, struct cfs_slice s)
{
	s = cfs_slice_sub(s, 0, room);
	memcpy(buf, s.p, s.n);
	return cfs_slice_of(buf, s.n);
}

static void note_separators(const struct pb_block *b, uint32_t slot,
			    struct cfs_iter *it, struct fence *f)
{
	const size_t half = sizeof(it->key_buf) / 2;

	if (slot > 0)
		f->lo = keep(it->key_buf, half, pb_key(b, slot - 1));
	f->next = slot + 1 >= b->n ? CFS_SLICE_EMPTY :
		  keep(it->key_buf + half, half, pb_key(b, slot + 1));
	if (slot < b->n)
		f->hi = keep(it->url_buf, sizeof(it->url_buf),
			     pb_key(b, slot));
}

/*
 * Follows the index to the data block where `key` should be.  *guess is that
 * block, or t->data_blocks if the index does not help.  Fails only if reading
 * on would fail too (CFS_EIO, CFS_ENOMEM, CFS_EINTR, ...).
 */
static int descend(struct pbtree *t, struct cfs_slice key, uint32_t *guess,
		   struct cfs_iter *it, struct fence *fence, struct cfs_ctx ctx)
{
	struct cfs_error why = CFS_ERROR_INIT;
	const struct pb_block *b = t->root;
	struct cfs_lru_ref *ref = NULL;
	uint32_t number = 0, child;
	int rc = CFS_OK;

	*guess = t->data_blocks;
	for (unsigned level = 0; b != NULL && level < CFS_PBTREE_LEVELS_MAX;
	     level++) {
		uint32_t slot = lower_bound(b, 0, b->n, key);
		struct pb_block *next;

		child = block_pointer(b, slot);
		note_separators(b, slot, it, fence);
		cfs_lru_put(ref);
		ref = NULL;
		if (child >= t->index_blocks) {
			child -= t->index_blocks;
			*guess = child < t->data_blocks ? child
							: t->data_blocks - 1;
			return CFS_OK;
		}
		if (child <= number) {		/* a loop */
			cfs_pbtree_report(t, number, &why);
			return CFS_OK;
		}
		number = child;
		rc = cfs_pbtree_block(t, number, &ref, &next,
			       CFS_CTX(ctx.cancel, &why));
		if (rc == CFS_EFORMAT) {
			cfs_pbtree_report(t, number, &why);
			return CFS_OK;
		}
		if (rc != CFS_OK)
			return cfs_error_pass(ctx.err, &why, rc);
		b = next;
	}
	cfs_lru_put(ref);
	return CFS_OK;
}

/* Compares the first key of a data block with a key, by a small read. */
static int first_cmp(struct pbtree *t, uint32_t i, struct cfs_slice key, int *c,
		     struct cfs_ctx ctx)
{
	uint8_t probe[PROBE_BYTES];
	uint32_t number = t->index_blocks + i;
	size_t n = t->block_bytes < PROBE_BYTES ? t->block_bytes : PROBE_BYTES;
	struct cfs_lru_ref *ref;
	const uint8_t *nul;
	struct pb_block *b;
	int rc;

	ref = cfs_lru_peek(t->lru, CFS_LRU_KEY(number, 0));
	if (ref == NULL) {
		atomic_fetch_add_explicit(&t->base.block_reads, 1,
					  memory_order_relaxed);
		rc = cfs_source_read(t->base.src, probe, n,
				     pb_offset(t, number), ctx);
		if (rc != CFS_OK)
			return rc;
		nul = memchr(probe, '\0', n);
		if (nul != NULL && nul > probe) {
			*c = cfs_slice_cmp(cfs_slice_of(probe, (size_t)(nul -
								probe)), key);
			return CFS_OK;
		}
		rc = cfs_pbtree_block(t, number, &ref, &b, ctx);
		if (rc != CFS_OK)
			return rc;
	}
	b = cfs_lru_obj(ref);
	*c = cfs_slice_cmp(pb_key(b, 0), key);
	cfs_lru_put(ref);
	return CFS_OK;
}

/*
 * Finds the last data block whose first key is < key (0 if there is none) in
 * [lo, hi): lo is 0 or such a block, hi is behind all such blocks.  With
 * `gallop` it first gallops from lo upwards or from hi downwards, because a
 * wrong guess is seldom far off.
 */
static int bisect(struct pbtree *t, struct cfs_slice key, uint32_t lo,
		  uint32_t hi, bool from_hi, bool gallop, uint32_t *out,
		  struct cfs_ctx ctx)
{
	uint64_t step = 1;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		int rc, c = 0;

		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		if (gallop && step < (hi - lo) / 2)
			mid = from_hi ? hi - (uint32_t)step
				      : lo + (uint32_t)step;
		else
			gallop = false;		/* enclosed: halve from here */
		step *= 2;
		rc = first_cmp(t, mid, key, &c, ctx);
		if (rc != CFS_OK)
			return rc;
		if (c < 0)
			lo = mid;
		else
			hi = mid;
	}
	*out = lo;
	return CFS_OK;
}

/* Where a key lies relative to a data block: before or at its first entry, so
 * that the block before may hold it too; among its entries; after the last. */
enum where { BEFORE, IN, AFTER };

/*
 * Looks for the first entry >= key in data block i, and moves to it if that is
 * the answer (IN).  `first`: all blocks before i are known to be < key, so
 * the block's first entry may be the answer.
 */
static int try_block(struct pbtree *t, uint32_t i, struct cfs_slice key,
		     bool first, struct cfs_iter *it, enum where *where,
		     struct cfs_ctx ctx)
{
	struct cfs_lru_ref *ref;
	struct pb_block *b;
	uint32_t slot;
	int rc = cfs_pbtree_data(t, i, &ref, &b, ctx);

	if (rc != CFS_OK)
		return cfs_pbtree_moved(it, i, rc);
	slot = lower_bound(b, 0, b->n, key);
	if (slot == b->n)
		*where = AFTER;
	else
		*where = slot > 0 || i == 0 || first ? IN : BEFORE;
	if (*where == IN)
		cfs_pbtree_set(it, ref, i, slot);
	else
		cfs_lru_put(ref);
	return CFS_OK;
}

/* Moves to the first entry >= key, which is in data block i or is the first one
 * of the next block. */
static int settle(struct pbtree *t, struct cfs_slice key, uint32_t i,
			 struct cfs_iter *it, struct cfs_ctx ctx)
{
	enum where where;
	int rc = try_block(t, i, key, true, it, &where, ctx);

	if (rc != CFS_OK || where == IN)
		return rc;
	if (i + 1 == t->data_blocks)
		return CFS_END;
	rc = try_block(t, i + 1, key, true, it, &where, ctx);
	if (rc != CFS_OK || where == IN)
		return rc;
	return cfs_pbtree_moved(it, i + 1,
				cfs_pbtree_bad(t, t->index_blocks + i + 1, 0,
					       ctx.err, "the keys of the blocks "
					       "do not ascend"));
}

int cfs_pbtree_order(struct pbtree *t, uint32_t i, struct cfs_slice key, int *c,
		     struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = first_cmp(t, i, key, c, CFS_CTX(ctx.cancel, &e));

	return rc == CFS_EFORMAT || rc == CFS_ELIMIT ? CFS_OK :
	       cfs_error_pass(ctx.err, &e, rc);
}

/* Is data block i in order with its neighbours? */
static int check_order(struct pbtree *t, uint32_t i, struct cfs_iter *it,
		       struct cfs_ctx ctx)
{
	struct cfs_lru_ref *ref;
	struct pb_block *b;
	int before = 0, after = 0, rc = cfs_pbtree_data(t, i, &ref, &b, ctx);

	if (rc != CFS_OK)
		return cfs_pbtree_moved(it, i, rc);
	if (i > 0)
		rc = cfs_pbtree_order(t, i - 1, pb_key(b, 0), &before, ctx);
	if (rc == CFS_OK && i + 1 < t->data_blocks)
		rc = cfs_pbtree_order(t, i + 1, pb_key(b, b->n - 1), &after,
				      ctx);
	cfs_lru_put(ref);
	if (rc == CFS_OK && (before > 0 || after < 0))
		rc = cfs_pbtree_bad(t, t->index_blocks + i, 0, ctx.err,
				    "the keys of the blocks do not ascend");
	return cfs_pbtree_moved(it, i, rc);
}

/* Checks the block of a guess: its first key is behind fence->lo, and not
 * behind fence->hi. */
static int check_guess(struct pbtree *t, uint32_t i, const struct fence *f,
		       struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct cfs_lru_ref *ref;
	struct pb_block *b;
	int rc = cfs_pbtree_data(t, i, &ref, &b, ctx);
	bool is_right;

	if (rc != CFS_OK)
		return cfs_pbtree_moved(it, i, rc);
	is_right = (f->lo.n > 0 || f->hi.n > 0) &&
		   cfs_slice_cmp(pb_key(b, 0), f->lo) >= 0 &&
		   (f->hi.n == 0 || cfs_slice_cmp(pb_key(b, 0), f->hi) < 0);
	cfs_lru_put(ref);
	return is_right ? CFS_OK : check_order(t, i, it, ctx);
}

/* Checks the block that a search ended in: the guess, or the block behind it,
 * which begins with fence->hi; or behind all blocks.  rc: the search's. */
static int check_found(struct pbtree *t, uint32_t guess, const struct fence *f,
		       struct cfs_iter *it, int rc, struct cfs_ctx ctx)
{
	uint32_t found = rc == CFS_END ? t->data_blocks :
					 cfs_pos_block(it->pos);
	bool is_next = rc == CFS_OK && found == guess + 1 &&
		       f->next.n > 0 && cfs_slice_cmp(it->key, f->hi) >= 0 &&
		       cfs_slice_cmp(it->key, f->next) < 0;
	int checked = CFS_OK;

	if (found == guess || is_next ||
	    (rc == CFS_END && found == guess + 1))
		return rc;
	if (found > 0 && found != guess + 1)
		checked = check_order(t, found - 1, it, ctx);
	if (checked == CFS_OK && rc == CFS_OK)
		checked = check_order(t, found, it, ctx);
	return checked == CFS_OK ? rc : checked;
}

/*
 * Searches from a guess.  It is usually right: then the keys of its block show
 * that, and no other block is read.  If the key falls between two blocks, one
 * neighbour is read besides.
 */
static int seek_near(struct pbtree *t, struct cfs_slice key, uint32_t guess,
		     struct cfs_iter *it, struct cfs_ctx ctx)
{
	uint32_t lo = 0, hi = t->data_blocks;
	enum where where;
	int rc = try_block(t, guess, key, false, it, &where, ctx);

	if (rc != CFS_OK || where == IN)
		return rc;
	if (where == AFTER) {
		lo = guess + 1;
		if (lo == hi)
			return CFS_END;
		rc = try_block(t, lo, key, true, it, &where, ctx);
		if (rc != CFS_OK || where == IN)
			return rc;
		rc = bisect(t, key, lo, hi, false, true, &lo, ctx);
	} else {
		hi = guess - 1;
		rc = try_block(t, hi, key, false, it, &where, ctx);
		if (rc != CFS_OK || where == IN)
			return rc;
		if (where == AFTER)
			lo = hi;
		else
			rc = bisect(t, key, 0, hi, true, true, &lo, ctx);
	}
	return rc == CFS_OK ? settle(t, key, lo, it, ctx) : rc;
}

/* Searches the block that the iterator holds: true if the answer is in it. */
static bool seek_here(struct cfs_slice key, struct cfs_iter *it)
{
	const struct pb_block *b;
	uint32_t slot, number;

	if (it->block_ref == NULL)
		return false;
	b = cfs_lru_obj(it->block_ref);
	number = cfs_pos_block(it->pos);
	slot = cfs_pos_slot(it->pos);
	if (cfs_slice_cmp(it->key, key) < 0) {
		uint32_t step = 1;

		/* gallop: the next wanted entry is seldom far */
		while (slot + step < b->n &&
		       cfs_slice_cmp(pb_key(b, slot + step), key) < 0) {
			slot += step;
			step *= 2;
		}
		if (slot + step >= b->n) {
			if (cfs_slice_cmp(pb_key(b, b->n - 1), key) < 0)
				return false;
			step = b->n - 1 - slot;
		}
		slot = lower_bound(b, slot + 1, slot + step, key);
	} else {
		slot = lower_bound(b, 0, slot, key);
		if (slot == 0 && number > 0)
			return false;	/* it may begin in the block before */
	}
	cfs_pbtree_set_slot(it, b, number, slot);
	return true;
}

/*
 * Called before a data block is read, after `reads` other reads.  The block
 * before (after) may have the first entry >= key, by the separators, and if the
 * separator behind that is not known, the one after it is compared, too.  If
 * there would be more than three reads, all are fetched in one request.
 */
static void neighbours_ahead(struct pbtree *t, uint32_t guess, uint64_t reads,
			     struct cfs_slice key, const struct fence *f)
{
	uint32_t from = guess, end = guess + 1;

	if (t->base.src->is_local || guess == t->data_blocks)
		return;
	if (f->lo.n > 0 && from > 0 && cfs_slice_starts(key, f->lo))
		from--;
	if (f->hi.n > 0 && end < t->data_blocks &&
	    cfs_slice_starts(key, cfs_slice_sub(f->hi, 0, f->hi.n - 1)))
		end++;
	if (end > guess + 1 && end < t->data_blocks && f->next.n == 0) {
		end++;
		reads++;
	}
	if (end - from > 1 && reads + 1 >= READS_MAX)
		cfs_source_prefetch(t->base.src,
				    pb_offset(t, t->index_blocks + from),
				    (size_t)(end - from) * t->block_bytes);
}

int cfs_pbtree_seek(struct cfs_index *ix, struct cfs_slice key,
		    struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct pbtree *t = (struct pbtree *)ix;
	uint64_t before = atomic_load(&ix->block_reads);
	struct fence fence = { CFS_SLICE_EMPTY, CFS_SLICE_EMPTY,
			       CFS_SLICE_EMPTY };
	uint32_t guess = 0;
	int rc = CFS_OK;

	if (t->data_blocks == 0)
		return CFS_END;
	if (seek_here(key, it))
		return CFS_OK;
	if (key.n > 0)
		rc = descend(t, key, &guess, it, &fence, ctx);
	if (rc != CFS_OK)
		return rc;
	neighbours_ahead(t, guess, atomic_load(&ix->block_reads) - before, key,
			 &fence);
	if (guess < t->data_blocks) {
		rc = check_guess(t, guess, &fence, it, ctx);
		if (rc == CFS_OK)
			rc = seek_near(t, key, guess, it, ctx);
	} else {
		rc = bisect(t, key, 0, t->data_blocks, false, false, &guess,
			    ctx);
		if (rc == CFS_OK)
			rc = settle(t, key, guess, it, ctx);
		guess = t->data_blocks;
	}
	return rc == CFS_OK || rc == CFS_END ?
	       check_found(t, guess, &fence, it, rc, ctx) : rc;
}

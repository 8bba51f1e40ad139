/* pbtree.c - reads trivio's prefix B-tree of URLs (2012).
 *
 * Spec: doc/formats.md, "PB-tree".  All integers little-endian and unsigned.
 *
 *     off  size  meaning
 *     0    4     block size B, here 8 to CFS_PBTREE_BLOCK_MAX
 *     4    4     number of index blocks N, at least 1
 *     8    N*B   index blocks; block 0 is the root
 *     ..   M*B   data blocks, the file's remainder
 *
 *     index block = pointer *(prefix NUL pointer) *NUL
 *     data block  = *(key NUL value) *NUL       no item crosses a block
 *     pointer     = u32 block number: an index block if < N
 *     value       = 32 bytes, see pbtree_format.h
 *
 * A list ends with the block or with an empty prefix or key.  Keys ascend
 * bytewise, equal ones repeat.  A lookup goes left of the first prefix that is
 * >= the target.  Pointers in the published file may be wrong, so the result of
 * a descent is a guess: it is checked against the keys of the data block it
 * reaches, and corrected by galloping from there.  A damaged index block costs
 * speed, never entries; a damaged data block is an error.
 *
 * Positions: block 0 is the first data block.
 * Limits: CFS_PBTREE_LEVELS_MAX levels; CFS_SLOTS_MAX items in a block.
 * Elsewhere: keys (pbtree_key.c), writing (pbtree_write.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pbtree.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "index/ahead.h"
#include "pbtree_format.h"
#include "url/pbtree_key.h"

/* Bytes in which a first key is sought before the whole block is read. */
#define PROBE_BYTES 1024u
/* Requests that a lookup may cost when only the root is in memory. */
#define READS_MAX 3u
/* Read at open: the header, and a root of the published size. */
#define HEAD_BYTES (CFS_PBTREE_HEADER_BYTES + 65536u)

/* A loaded block.  Key (or prefix) i begins at off[i] and is followed by NUL
 * and `value` bytes; off[n] is where the list ends. */
struct pb_block {
	uint32_t n, value;
	uint32_t *off;
	uint8_t bytes[];
};

struct pbtree {
	struct cfs_index base;
	uint32_t block_bytes, value_bytes;
	uint32_t index_blocks, data_blocks;
	struct pb_block *root;		/* NULL if damaged */
	struct cfs_lru *lru;		/* by block number, index and data */
	struct cfs_ahead ahead;
	atomic_bool index_reported;	/* damage in it was reported */
};

static uint64_t block_offset(const struct pbtree *t, uint32_t number)
{
	return CFS_PBTREE_HEADER_BYTES + (uint64_t)number * t->block_bytes;
}

static struct cfs_slice block_key(const struct pb_block *b, uint32_t i)
{
	return (struct cfs_slice){ b->bytes + b->off[i],
				   b->off[i + 1] - b->off[i] - 1 - b->value };
}

static struct cfs_slice block_value(const struct pb_block *b, uint32_t i)
{
	return (struct cfs_slice){ b->bytes + b->off[i + 1] - b->value,
				   b->value };
}

/* Pointer i of an index block, 0 <= i <= n. */
static uint32_t block_pointer(const struct pb_block *b, uint32_t i)
{
	return cfs_le32_get(b->bytes + b->off[i] - CFS_PBTREE_POINTER_BYTES);
}

/* The first of slots lo .. hi-1 whose key is >= key; hi if none is. */
static uint32_t pbtree_lower_bound(const struct pb_block *b, uint32_t lo,
				   uint32_t hi, struct cfs_slice key)
{
	CFS_LOWER_BOUND(lo, hi, i, cfs_slice_cmp(block_key(b, i), key) < 0);
	return lo;
}

/* --- loading ---------------------------------------------------------- */

static void pbtree_block_free(void *obj)
{
	struct pb_block *b = obj;

	if (b != NULL)
		free(b->off);
	free(b);
}

static int block_bad(const struct pbtree *t, uint32_t number, uint32_t at,
		     struct cfs_error *err, const char *what)
{
	return cfs_error_at(err, CFS_EFORMAT, t->base.src->name,
			    block_offset(t, number) + at,
			    "PB-tree block %" PRIu32 " is damaged: %s",
			    number, what);
}

/* The length of the list item at `at`; 0 at the end of the list. */
static int item_length(const struct pbtree *t, const struct pb_block *b,
		       uint32_t number, uint32_t at, uint32_t *n,
		       struct cfs_error *err)
{
	uint32_t left = t->block_bytes - at;
	const uint8_t *nul;

	*n = 0;
	if (left == 0 || b->bytes[at] == '\0')
		return CFS_OK;
	nul = memchr(b->bytes + at, '\0', left);
	if (nul == NULL)
		return block_bad(t, number, at, err, "a key has no end");
	*n = (uint32_t)(nul - (b->bytes + at)) + 1;
	if (left - *n < b->value)
		return block_bad(t, number, at, err, "an item has no value");
	*n += b->value;
	return CFS_OK;
}

/* Fills off[] from the list that begins at byte `at`.  It is allocated for as
 * many items as could fit, and shrunk once their number is known. */
static int find_items(const struct pbtree *t, struct pb_block *b,
		      uint32_t number, uint32_t at, uint32_t max, size_t *bytes,
		      struct cfs_error *err)
{
	size_t room = (t->block_bytes - at) / (2 + (size_t)b->value);
	uint32_t *off, n;

	if (room > max)
		room = max;
	b->off = off = malloc((room + 1) * sizeof(*off));
	if (off == NULL)
		return cfs_error_nomem(err);
	for (off[0] = at;; off[++b->n] = at) {
		int rc = item_length(t, b, number, at, &n, err);

		if (rc != CFS_OK)
			return rc;
		if (n == 0)
			break;
		if (b->n == room)
			return cfs_error_at(err, CFS_ELIMIT, t->base.src->name,
					    block_offset(t, number) + at,
					    "PB-tree block %" PRIu32 " has more"
					    " than %zu items", number, room);
		at += n;
	}
	*bytes += (b->n + (size_t)1) * sizeof(*off);
	off = realloc(off, (b->n + (size_t)1) * sizeof(*off));
	if (off != NULL)
		b->off = off;
	return CFS_OK;
}

/* Checks what searches rely on: a data block has items whose keys ascend. */
static int check_data(const struct pbtree *t, const struct pb_block *b,
		      uint32_t number, struct cfs_error *err)
{
	if (b->n == 0)
		return block_bad(t, number, 0, err, "it has no items");
	for (uint32_t i = 1; i < b->n; i++) {
		if (cfs_slice_cmp(block_key(b, i - 1), block_key(b, i)) > 0)
			return block_bad(t, number, b->off[i], err,
					 "its keys do not ascend");
	}
	return CFS_OK;
}

/* Makes a block from the bytes in `have`, or reads them if that is NULL. */
static int block_make(struct pbtree *t, uint32_t number, const uint8_t *have,
		      struct pb_block **out, size_t *obj_bytes,
		      struct cfs_ctx ctx)
{
	bool is_index = number < t->index_blocks;
	size_t bytes = sizeof(struct pb_block) + t->block_bytes;
	struct pb_block *b = malloc(bytes);
	int rc = CFS_OK;

	if (b == NULL)
		return cfs_error_nomem(ctx.err);
	*b = (struct pb_block){ .value = is_index ? CFS_PBTREE_POINTER_BYTES
					       : t->value_bytes };
	atomic_fetch_add_explicit(&t->base.block_reads, 1,
				  memory_order_relaxed);
	if (have != NULL)
		memcpy(b->bytes, have, t->block_bytes);
	else
		rc = cfs_source_read(t->base.src, b->bytes, t->block_bytes,
				     block_offset(t, number), ctx);
	if (rc != CFS_OK)
		goto out;
	if (is_index)
		rc = find_items(t, b, number, CFS_PBTREE_POINTER_BYTES,
				UINT32_MAX, &bytes, ctx.err);
	else
		rc = find_items(t, b, number, 0, CFS_SLOTS_MAX, &bytes,
				ctx.err);
	if (rc == CFS_OK && !is_index)
		rc = check_data(t, b, number, ctx.err);
	if (rc != CFS_OK)
		goto out;
	*out = b;
	*obj_bytes = bytes;
	b = NULL;			/* now the caller's */
out:
	pbtree_block_free(b);
	return rc;
}

/* Read-ahead: a listing reads data block after data block. */
static void block_ahead(struct pbtree *t, uint32_t number)
{
	uint32_t all = t->index_blocks + t->data_blocks;
	unsigned n = number < t->index_blocks || t->base.src->is_local ? 0 :
		     cfs_ahead_blocks(&t->ahead, number, number + 1);

	for (uint32_t i = 1; i <= n && i < all - number; i++)
		cfs_source_prefetch(t->base.src, block_offset(t, number + i),
				    t->block_bytes);
}

static int pbtree_block_load(void *arg, struct cfs_lru_key key, void **obj,
			     size_t *obj_bytes, struct cfs_ctx ctx)
{
	struct pb_block *b = NULL;
	int rc;

	block_ahead(arg, (uint32_t)key.a);
	rc = block_make(arg, (uint32_t)key.a, NULL, &b, obj_bytes, ctx);
	*obj = b;
	return rc;
}

/* Pins a block; the caller puts *ref. */
static int block_get(struct pbtree *t, uint32_t number,
		     struct cfs_lru_ref **ref, struct pb_block **b,
		     struct cfs_ctx ctx)
{
	int rc = cfs_lru_get(t->lru, CFS_LRU_KEY(number, 0), pbtree_block_load,
			     t, ref, ctx);

	*b = rc == CFS_OK ? cfs_lru_obj(*ref) : NULL;
	return rc;
}

static int data_get(struct pbtree *t, uint32_t i, struct cfs_lru_ref **ref,
		    struct pb_block **b, struct cfs_ctx ctx)
{
	return block_get(t, t->index_blocks + i, ref, b, ctx);
}

/* --- the iterator's position ------------------------------------------ */

/* Moves the iterator to a slot of the block it holds. */
static void pbtree_it_slot(struct cfs_iter *it, const struct pb_block *b,
			   uint32_t number, uint32_t slot)
{
	it->pos = cfs_pos_make(number, slot);
	it->key = block_key(b, slot);
	it->value = block_value(b, slot);
}

/* Moves it to a slot of data block `number`; takes over the pin. */
static void pbtree_it_set(struct cfs_iter *it, struct cfs_lru_ref *ref,
			  uint32_t number, uint32_t slot)
{
	cfs_lru_put(it->block_ref);
	it->block_ref = ref;
	pbtree_it_slot(it, cfs_lru_obj(ref), number, slot);
}

/* Takes the result of a move to a data block: a damaged one is the hole. */
static int pbtree_moved(struct cfs_iter *it, uint32_t number, int rc)
{
	if (rc == CFS_EFORMAT || rc == CFS_ELIMIT)
		it->hole = cfs_pos_make(number, 0);
	return rc;
}

/* --- seeking ---------------------------------------------------------- */

/* Logs once that the index part cannot be used. */
static void report_index(struct pbtree *t, uint32_t number,
			 const struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;

	if (atomic_exchange(&t->index_reported, true))
		return;
	if (err->code == CFS_OK) {
		cfs_error_at(&e, CFS_EFORMAT, t->base.src->name,
			     block_offset(t, number), "PB-tree index block %"
			     PRIu32 " has a bad pointer: searching without it",
			     number);
		err = &e;
	}
	cfs_log_error(CFS_LOG_WARNING, err);
}

/* The block before (after) may hold the first entry >= key, by the separators
 * on both sides of the key.  A separator is the first key of its block, cut
 * after the byte in which it differs from the key before. */
struct near_key {
	bool before, after;
};

static void note_separators(const struct pb_block *b, uint32_t slot,
			    struct cfs_slice key, struct near_key *near)
{
	if (slot > 0)
		near->before = cfs_slice_starts(key, block_key(b, slot - 1));
	if (slot < b->n) {
		struct cfs_slice s = block_key(b, slot);

		near->after = cfs_slice_starts(key,
					       cfs_slice_sub(s, 0, s.n - 1));
	}
}

/*
 * Follows the index to the data block where `key` should be.  *guess is that
 * block, or t->data_blocks if the index does not help.  Fails only if reading
 * on would fail too (CFS_EIO, CFS_ENOMEM, CFS_EINTR, ...).
 */
static int pbtree_descend(struct pbtree *t, struct cfs_slice key,
			  uint32_t *guess, struct near_key *near,
			  struct cfs_ctx ctx)
{
	struct cfs_error why = CFS_ERROR_INIT;
	const struct pb_block *b = t->root;
	struct cfs_lru_ref *ref = NULL;
	uint32_t number = 0, child;
	int rc = CFS_OK;

	*guess = t->data_blocks;
	for (unsigned level = 0; b != NULL && level < CFS_PBTREE_LEVELS_MAX;
	     level++) {
		uint32_t slot = pbtree_lower_bound(b, 0, b->n, key);
		struct pb_block *next;

		child = block_pointer(b, slot);
		note_separators(b, slot, key, near);
		cfs_lru_put(ref);
		ref = NULL;
		if (child >= t->index_blocks) {
			child -= t->index_blocks;
			*guess = child < t->data_blocks ? child
							: t->data_blocks - 1;
			return CFS_OK;
		}
		if (child <= number) {		/* a loop */
			report_index(t, number, &why);
			return CFS_OK;
		}
		number = child;
		rc = block_get(t, number, &ref, &next,
			       CFS_CTX(ctx.cancel, &why));
		if (rc == CFS_EFORMAT) {
			report_index(t, number, &why);
			return CFS_OK;
		}
		if (rc != CFS_OK)
			return cfs_error_pass(ctx.err, &why, rc);
		b = next;
	}
	cfs_lru_put(ref);
	return CFS_OK;
}

/* Tells by a small read if the first key of a data block is < key. */
static int first_is_less(struct pbtree *t, uint32_t i, struct cfs_slice key,
			 bool *less, struct cfs_ctx ctx)
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
				     block_offset(t, number), ctx);
		if (rc != CFS_OK)
			return rc;
		nul = memchr(probe, '\0', n);
		if (nul != NULL && nul > probe) {
			*less = cfs_slice_cmp((struct cfs_slice){ probe,
					      (size_t)(nul - probe) }, key) < 0;
			return CFS_OK;
		}
		rc = block_get(t, number, &ref, &b, ctx);
		if (rc != CFS_OK)
			return rc;
	}
	b = cfs_lru_obj(ref);
	*less = cfs_slice_cmp(block_key(b, 0), key) < 0;
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
		bool less;
		int rc;

		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		if (gallop && step < (hi - lo) / 2)
			mid = from_hi ? hi - (uint32_t)step
				      : lo + (uint32_t)step;
		else
			gallop = false;		/* enclosed: halve from here */
		step *= 2;
		rc = first_is_less(t, mid, key, &less, ctx);
		if (rc != CFS_OK)
			return rc;
		if (less)
			lo = mid;
		else
			hi = mid;
	}
	*out = lo;
	return CFS_OK;
}

/* Where a key lies relative to a data block: before or at its first entry, so
 * that the block before may hold it too; among its entries; after the last. */
enum side { SIDE_BEFORE, SIDE_IN, SIDE_AFTER };

/*
 * Looks for the first entry >= key in data block i, and moves to it if that is
 * the answer (SIDE_IN).  `first`: all blocks before i are known to be < key, so
 * the block's first entry may be the answer.
 */
static int try_block(struct pbtree *t, uint32_t i, struct cfs_slice key,
		     bool first, struct cfs_iter *it, enum side *side,
		     struct cfs_ctx ctx)
{
	struct cfs_lru_ref *ref;
	struct pb_block *b;
	uint32_t slot;
	int rc = data_get(t, i, &ref, &b, ctx);

	if (rc != CFS_OK)
		return pbtree_moved(it, i, rc);
	slot = pbtree_lower_bound(b, 0, b->n, key);
	if (slot == b->n)
		*side = SIDE_AFTER;
	else
		*side = slot > 0 || i == 0 || first ? SIDE_IN : SIDE_BEFORE;
	if (*side == SIDE_IN)
		pbtree_it_set(it, ref, i, slot);
	else
		cfs_lru_put(ref);
	return CFS_OK;
}

/* Moves to the first entry >= key, which is in data block i or is the first one
 * of the next block. */
static int pbtree_settle(struct pbtree *t, struct cfs_slice key, uint32_t i,
			 struct cfs_iter *it, struct cfs_ctx ctx)
{
	enum side side;
	int rc = try_block(t, i, key, true, it, &side, ctx);

	if (rc != CFS_OK || side == SIDE_IN)
		return rc;
	if (i + 1 == t->data_blocks)
		return CFS_END;
	rc = try_block(t, i + 1, key, true, it, &side, ctx);
	if (rc != CFS_OK || side == SIDE_IN)
		return rc;
	return pbtree_moved(it, i + 1,
			    block_bad(t, t->index_blocks + i + 1, 0, ctx.err,
				      "the keys of the blocks do not ascend"));
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
	enum side side;
	int rc = try_block(t, guess, key, false, it, &side, ctx);

	if (rc != CFS_OK || side == SIDE_IN)
		return rc;
	if (side == SIDE_AFTER) {
		lo = guess + 1;
		if (lo == hi)
			return CFS_END;
		rc = try_block(t, lo, key, true, it, &side, ctx);
		if (rc != CFS_OK || side == SIDE_IN)
			return rc;
		rc = bisect(t, key, lo, hi, false, true, &lo, ctx);
	} else {
		hi = guess - 1;
		rc = try_block(t, hi, key, false, it, &side, ctx);
		if (rc != CFS_OK || side == SIDE_IN)
			return rc;
		if (side == SIDE_AFTER)
			lo = hi;
		else
			rc = bisect(t, key, 0, hi, true, true, &lo, ctx);
	}
	return rc == CFS_OK ? pbtree_settle(t, key, lo, it, ctx) : rc;
}

/* Searches the block that the iterator holds: true if the answer is in it. */
static bool pbtree_seek_here(struct cfs_slice key, struct cfs_iter *it)
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
		       cfs_slice_cmp(block_key(b, slot + step), key) < 0) {
			slot += step;
			step *= 2;
		}
		if (slot + step >= b->n) {
			if (cfs_slice_cmp(block_key(b, b->n - 1), key) < 0)
				return false;
			step = b->n - 1 - slot;
		}
		slot = pbtree_lower_bound(b, slot + 1, slot + step, key);
	} else {
		slot = pbtree_lower_bound(b, 0, slot, key);
		if (slot == 0 && number > 0)
			return false;	/* it may begin in the block before */
	}
	pbtree_it_slot(it, b, number, slot);
	return true;
}

/*
 * Called before a data block is read, after `reads` other reads.  If it is the
 * third, and a neighbour may be wanted too, both are fetched in one request.
 */
static void neighbours_ahead(struct pbtree *t, uint32_t guess, uint64_t reads,
			     const struct near_key *near)
{
	uint32_t from = guess, end = guess + 1;

	if (t->base.src->is_local || guess == t->data_blocks ||
	    reads + 1 < READS_MAX)
		return;
	if (near->before && from > 0)
		from--;
	if (near->after && end < t->data_blocks)
		end++;
	if (end - from > 1)
		cfs_source_prefetch(t->base.src,
				    block_offset(t, t->index_blocks + from),
				    (size_t)(end - from) * t->block_bytes);
}

static int pbtree_seek(struct cfs_index *ix, struct cfs_slice key,
		       struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct pbtree *t = (struct pbtree *)ix;
	uint64_t before = atomic_load(&ix->block_reads);
	struct near_key near = { false, false };
	uint32_t guess = 0;
	int rc = CFS_OK;

	if (t->data_blocks == 0)
		return CFS_END;
	if (pbtree_seek_here(key, it))
		return CFS_OK;
	if (key.n > 0)
		rc = pbtree_descend(t, key, &guess, &near, ctx);
	if (rc != CFS_OK)
		return rc;
	neighbours_ahead(t, guess, atomic_load(&ix->block_reads) - before,
			 &near);
	if (guess < t->data_blocks)
		return seek_near(t, key, guess, it, ctx);
	rc = bisect(t, key, 0, t->data_blocks, false, false, &guess, ctx);
	return rc == CFS_OK ? pbtree_settle(t, key, guess, it, ctx) : rc;
}

static int pbtree_at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		     struct cfs_ctx ctx)
{
	struct pbtree *t = (struct pbtree *)ix;
	uint32_t number = cfs_pos_block(pos), slot = cfs_pos_slot(pos);
	struct cfs_lru_ref *ref;
	struct pb_block *b;
	int rc;

	if (pos >> 48 != 0 || number >= t->data_blocks)
		return CFS_ENOTFOUND;
	if (it->block_ref == NULL || cfs_pos_block(it->pos) != number) {
		rc = data_get(t, number, &ref, &b, ctx);
		if (rc != CFS_OK)
			return pbtree_moved(it, number, rc);
		pbtree_it_set(it, ref, number, 0);
	}
	b = cfs_lru_obj(it->block_ref);
	if (slot >= b->n)
		return CFS_ENOTFOUND;
	pbtree_it_slot(it, b, number, slot);
	return CFS_OK;
}

/* Moves to the first entry of a block; it stands before, at a lesser key, or
 * nowhere. */
static int pbtree_next_block(struct pbtree *t, uint32_t number,
			     struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct cfs_lru_ref *ref = NULL;
	struct pb_block *b;
	int rc;

	if (number >= t->data_blocks)
		return CFS_END;
	rc = data_get(t, number, &ref, &b, ctx);
	if (rc == CFS_OK && cfs_slice_cmp(it->key, block_key(b, 0)) > 0) {
		cfs_lru_put(ref);
		rc = block_bad(t, t->index_blocks + number, 0, ctx.err,
			       "the keys of the blocks do not ascend");
	}
	if (rc != CFS_OK)
		return pbtree_moved(it, number, rc);
	pbtree_it_set(it, ref, number, 0);
	if (number + 1 < t->data_blocks)
		cfs_source_prefetch(t->base.src, block_offset(t,
				    t->index_blocks + number + 1),
				    t->block_bytes);
	return CFS_OK;
}

static int pbtree_next(struct cfs_iter *it, struct cfs_ctx ctx)
{
	const struct pb_block *b = cfs_lru_obj(it->block_ref);
	uint32_t slot = cfs_pos_slot(it->pos) + 1;

	if (slot == b->n)
		return pbtree_next_block((struct pbtree *)it->ix,
					 cfs_pos_block(it->pos) + 1, it, ctx);
	pbtree_it_slot(it, b, cfs_pos_block(it->pos), slot);
	return CFS_OK;
}

static int pbtree_skip(struct cfs_iter *it, cfs_pos hole, struct cfs_ctx ctx)
{
	return pbtree_next_block((struct pbtree *)it->ix,
				 cfs_pos_block(hole) + 1, it, ctx);
}

/* --- entries ---------------------------------------------------------- */

static int pbtree_capture(struct cfs_iter *it, struct cfs_capture *out,
			  struct cfs_error *err)
{
	struct cfs_pbtree_value v;

	if (it->value.n != CFS_PBTREE_VALUE_BYTES)
		return cfs_error_set(err, CFS_EFORMAT,
				     "a value of %zu bytes is not a location",
				     it->value.n);
	cfs_pbtree_value_decode(it->value.p, &v);
	*out = (struct cfs_capture){
		.kind = CFS_KIND_ARC,
		.time = (int64_t)(v.date_ms / 1000),
		.mime = CFS_SLICE_EMPTY,
		.languages = CFS_SLICE_EMPTY,
		.url = CFS_SLICE_EMPTY,
		.scheme = cfs_pbtree_key_scheme(it->key),
		.loc = {
			.file = { v.segment, v.date_ms, v.partition },
			.offset = v.offset,
			.length = v.length,
		},
	};
	return CFS_OK;
}

static int pbtree_archive_name(struct cfs_index *ix, const struct cfs_span *loc,
			       struct cfs_buf *out, struct cfs_error *err)
{
	int rc = cfs_buf_addf(out, "segment/%" PRIu64 "/%" PRIu64 "_%" PRIu64
			      ".arc.gz", loc->file[0], loc->file[1],
			      loc->file[2]);

	(void)ix;
	if (rc != CFS_OK)
		cfs_error_set(err, rc, "no room for an archive's name");
	return rc;
}

static int pbtree_split(struct cfs_index *ix, struct cfs_slice key,
			struct cfs_path *out)
{
	int rc = cfs_pbtree_split(key, out);

	if (rc != CFS_OK)
		atomic_fetch_add_explicit(&ix->skipped, 1,
					  memory_order_relaxed);
	return rc;
}

static int pbtree_ranges(struct cfs_index *ix, const struct cfs_path *path,
			 enum cfs_below below, struct cfs_ranges *out)
{
	(void)ix;
	return cfs_pbtree_ranges(path, below, out);
}

static int pbtree_key_url(struct cfs_slice key, enum cfs_scheme scheme,
			  struct cfs_buf *out)
{
	(void)scheme;
	return cfs_pbtree_key_url(key, out);
}

static void pbtree_close(struct cfs_index *ix)
{
	struct pbtree *t = (struct pbtree *)ix;

	cfs_lru_free(t->lru);
	pbtree_block_free(t->root);
	cfs_source_close(t->base.src);
	free(t);
}

static const struct cfs_index_ops pbtree_ops = {
	.seek = pbtree_seek,
	.at = pbtree_at,
	.next = pbtree_next,
	.skip = pbtree_skip,
	.capture = pbtree_capture,
	.archive_name = pbtree_archive_name,
	.split = pbtree_split,
	.ranges = pbtree_ranges,
	.url_key = cfs_pbtree_url_key,
	.key_url = pbtree_key_url,
	.find_ref = NULL,		/* the 2012 crawl has no revisits */
	.close = pbtree_close,
};

/* --- opening ---------------------------------------------------------- */

bool cfs_pbtree_is_header(struct cfs_slice head, uint64_t file_bytes)
{
	uint32_t block, n;

	if (head.n < CFS_PBTREE_HEADER_BYTES)
		return false;
	if (head.p[0] == 0x1f && head.p[1] == 0x8b)
		return false;			/* gzip */
	block = cfs_le32_get(head.p);
	n = cfs_le32_get(head.p + 4);
	/* A truncated file counts as one too: open reports what is wrong. */
	return block >= CFS_PBTREE_BLOCK_MIN && block <= CFS_PBTREE_BLOCK_MAX &&
	       n >= 1 && file_bytes >= CFS_PBTREE_HEADER_BYTES &&
	       n <= (file_bytes - CFS_PBTREE_HEADER_BYTES) / block;
}

static int check_header(struct pbtree *t, struct cfs_slice head,
			struct cfs_error *err)
{
	struct cfs_source *src = t->base.src;
	uint64_t blocks, end;

	if (!cfs_pbtree_is_header(head, src->size))
		return cfs_error_at(err, CFS_EFORMAT, src->name, 0,
				    "this is not the header of a PB-tree");
	t->block_bytes = cfs_le32_get(head.p);
	t->index_blocks = cfs_le32_get(head.p + 4);
	blocks = (src->size - CFS_PBTREE_HEADER_BYTES) / t->block_bytes;
	end = CFS_PBTREE_HEADER_BYTES + blocks * t->block_bytes;
	if (end != src->size)
		return cfs_error_at(err, CFS_EFORMAT, src->name, end,
				    "the file is cut short: it ends inside"
				    " PB-tree block %" PRIu64, blocks);
	if (blocks > UINT32_MAX)
		return cfs_error_at(err, CFS_ELIMIT, src->name, 0,
				    "PB-tree of %" PRIu64 " blocks", blocks);
	t->base.blocks = blocks - t->index_blocks;
	t->data_blocks = (uint32_t)t->base.blocks;
	return CFS_OK;
}

/* Makes the root, which every search needs; `have` as for block_make. */
static int make_root(struct pbtree *t, const uint8_t *have,
		     struct cfs_error *err)
{
	struct cfs_error why = CFS_ERROR_INIT;
	size_t bytes;
	int rc = block_make(t, 0, have, &t->root, &bytes, CFS_CTX(NULL, &why));

	if (rc == CFS_EFORMAT) {
		report_index(t, 0, &why);
		return CFS_OK;
	}
	return cfs_error_pass(err, &why, rc);
}

/* Reads header and root, which adjoin: one read for blocks of usual size. */
static int pbtree_read_head(struct pbtree *t, struct cfs_error *err)
{
	uint8_t *head = malloc(HEAD_BYTES);
	size_t got = 0;
	int rc;

	if (head == NULL)
		return cfs_error_nomem(err);
	rc = cfs_source_find_size(t->base.src, CFS_CTX(NULL, err));
	if (rc == CFS_OK)
		rc = cfs_source_read_some(t->base.src, head, HEAD_BYTES, 0,
					  &got, CFS_CTX(NULL, err));
	if (rc == CFS_OK)
		rc = check_header(t, cfs_slice_of(head, got), err);
	if (rc == CFS_OK)
		rc = make_root(t, got - CFS_PBTREE_HEADER_BYTES >=
			       t->block_bytes ? head + CFS_PBTREE_HEADER_BYTES
					      : NULL, err);
	free(head);
	return rc;
}

int cfs_pbtree_open(struct cfs_index **out, struct cfs_source *src,
		    size_t block_cache_bytes, uint32_t value_bytes,
		    struct cfs_error *err)
{
	struct pbtree *t = calloc(1, sizeof(*t));
	int rc;

	assert(value_bytes > 0);
	*out = NULL;
	if (t == NULL) {
		cfs_source_close(src);
		return cfs_error_nomem(err);
	}
	t->base.ops = &pbtree_ops;
	t->base.src = src;
	t->base.format = "PB-tree";
	t->base.keeps_host_case = true;
	t->base.has_all_refs = true;	/* there are no revisits */
	t->value_bytes = value_bytes;
	t->lru = cfs_lru_new(block_cache_bytes, pbtree_block_free);
	t->base.caches[0] = t->lru;
	rc = t->lru != NULL ? pbtree_read_head(t, err) : cfs_error_nomem(err);
	if (rc == CFS_OK)
		*out = &t->base;
	else
		pbtree_close(&t->base);
	return rc;
}

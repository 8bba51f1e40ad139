/* picked.c - hides the captures of an index that are not picked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "picked.h"

#include <stdlib.h>

#include "base/array.h"
#include "filter.h"

/* The positions of one block are consecutive slots. */
struct hidden_block {
	uint32_t first;			/* the number of its first slot */
	uint64_t block;			/* the position without the slot */
};

struct cfs_hidden {
	struct hidden_block *blocks;	/* ascending */
	uint16_t *slots;
	size_t n_blocks, room_blocks, n, room;
};

struct picked {
	struct cfs_index base;
	struct cfs_index_ops ops;
	struct cfs_conditions conditions;
	struct cfs_hidden hidden;
	bool uses_traits;		/* conditions may be checked before an
					 * entry is decoded */
};

/* ---- hidden positions --------------------------------------------------- */

int cfs_hidden_add(struct cfs_hidden *h, cfs_pos pos)
{
	uint64_t block = pos >> 16;
	int rc = cfs_array_reserve((void **)&h->slots, &h->room, h->n + 1,
				   sizeof(*h->slots), CFS_HIDDEN_MAX);

	if (rc == CFS_OK &&
	    (h->n_blocks == 0 || h->blocks[h->n_blocks - 1].block != block)) {
		rc = cfs_array_reserve((void **)&h->blocks, &h->room_blocks,
				       h->n_blocks + 1, sizeof(*h->blocks),
				       CFS_HIDDEN_MAX);
		if (rc == CFS_OK)
			h->blocks[h->n_blocks++] = (struct hidden_block){
				(uint32_t)h->n, block };
	}
	if (rc == CFS_OK)
		h->slots[h->n++] = (uint16_t)cfs_pos_slot(pos);
	return rc;
}

static bool hidden_has(const struct cfs_hidden *h, cfs_pos pos)
{
	uint32_t slot = cfs_pos_slot(pos);
	size_t at = 0, lo, hi;

	CFS_LOWER_BOUND(at, h->n_blocks, i, h->blocks[i].block < pos >> 16);
	if (at == h->n_blocks || h->blocks[at].block != pos >> 16)
		return false;
	lo = h->blocks[at].first;
	hi = at + 1 < h->n_blocks ? h->blocks[at + 1].first : h->n;
	CFS_LOWER_BOUND(lo, hi, i, h->slots[i] < slot);
	return lo < h->n && h->slots[lo] == slot;
}

/* ---- the wrapper -------------------------------------------------------- */

/* True if the traits alone, which are quickly read, show that the entry is
 * hidden. */
static bool is_surely_hidden(struct picked *p, struct cfs_iter *it)
{
	struct cfs_traits t;
	int rc;

	if (!p->uses_traits)
		return false;
	it->ix = p->base.unpicked;
	rc = it->ix->ops->traits(it, &t);
	it->ix = &p->base;
	return rc == CFS_OK && cfs_conditions_failed(&p->conditions, &t) != 0;
}

static bool picked_meets(const struct picked *p, const struct cfs_iter *it,
		      const struct cfs_capture *cap)
{
	struct cfs_traits t = cfs_traits_of(cap);

	return cfs_conditions_failed(&p->conditions, &t) == 0 &&
	       !hidden_has(&p->hidden, it->pos);
}

static int picked_capture(struct cfs_iter *it, struct cfs_capture *out,
			  struct cfs_error *err)
{
	struct picked *p = (struct picked *)it->ix;
	int rc;

	if (is_surely_hidden(p, it))
		return CFS_ENOTFOUND;
	rc = cfs_filter_capture(it, out, err);
	return rc == CFS_OK && !picked_meets(p, it, out) ? CFS_ENOTFOUND : rc;
}

static bool picked_shows(struct cfs_iter *it)
{
	struct cfs_capture cap;

	return picked_capture(it, &cap, NULL) != CFS_ENOTFOUND;
}

static void picked_close(struct cfs_index *ix)
{
	struct picked *p = (struct picked *)ix;

	cfs_filter_close(ix);
	cfs_conditions_release(&p->conditions);
	free(p->hidden.blocks);
	free(p->hidden.slots);
	free(p);
}

/* Refuses conditions on what the index does not have. */
static int picked_check(const struct cfs_index *ix, unsigned given,
			struct cfs_error *err)
{
	if ((given & (CFS_CONDITION_STATUS | CFS_CONDITION_MIME)) != 0 &&
	    !ix->has_status)
		return cfs_error_at(err, CFS_EUNSUPPORTED, ix->src->name, 0,
				    "has no statuses and types to pick by: "
				    "index its archives with 'crawlfs index'");
	if ((given & CFS_CONDITION_LANGUAGE) != 0 && !ix->has_languages)
		return cfs_error_at(err, CFS_EUNSUPPORTED, ix->src->name, 0,
				    "has no languages to pick by: 'crawlfs "
				    "index --languages' finds them");
	return CFS_OK;
}

int cfs_picked_wrap(struct cfs_index **ix, const struct cfs_conditions *c,
		    struct cfs_hidden **hidden, struct cfs_error *err)
{
	static const struct cfs_conditions none;
	struct cfs_index *all = *ix;
	unsigned given = cfs_conditions_given(c != NULL ? c : &none);
	struct picked *p;
	int rc;

	if (given == 0 && hidden == NULL)
		return CFS_OK;
	rc = picked_check(all, given, err);
	if (rc != CFS_OK)
		return rc;
	p = malloc(sizeof(*p));
	if (p == NULL)
		return cfs_error_nomem(err);
	/* base shares the source of `all`, which closes it.  If `all` has all
	 * sizes, so have the captures that remain. */
	*p = (struct picked){ .base = *all, .ops = cfs_filter_ops(all->ops) };
	if (cfs_conditions_copy(&p->conditions, c != NULL ? c : &none) !=
	    CFS_OK) {
		cfs_conditions_release(&p->conditions);
		free(p);
		return cfs_error_nomem(err);
	}
	p->ops.capture = picked_capture;
	p->ops.shows = picked_shows;
	p->ops.close = picked_close;
	p->base.ops = &p->ops;
	/* they have no time */
	p->uses_traits = all->ops->traits != NULL && given != 0 &&
			 (given & CFS_CONDITION_TIME) == 0;
	p->base.unpicked = all;
	if (hidden != NULL)
		*hidden = &p->hidden;
	*ix = &p->base;
	return CFS_OK;
}

const struct cfs_conditions *cfs_picked_conditions(struct cfs_index *ix)
{
	ix = cfs_index_whole(ix);
	return ix->unpicked != NULL ? &((struct picked *)ix)->conditions : NULL;
}

/* index_walk.c - steps through the entries of an index, and over its holes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "index_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/log.h"

/* Places that are remembered; others are neither told nor counted. */
#define HOLES_MAX (UINT64_C(1) << 20)
#define ENTRIES_PER_QUESTION 64u	/* whether to stop */

/* ---- holes --------------------------------------------------------------- */

void cfs_holes_init(struct cfs_holes *g)
{
	*g = (struct cfs_holes){ .found = NULL };
	pthread_mutex_init(&g->lock, NULL);
}

void cfs_holes_release(struct cfs_holes *g)
{
	free(g->v);
	pthread_mutex_destroy(&g->lock);
}

/* True if the place was not there; *rc is a failure to add it. */
static bool hole_is_new(struct cfs_holes *g, uint64_t place, int *rc)
{
	bool is_new = false;
	size_t at = 0;

	pthread_mutex_lock(&g->lock);
	CFS_LOWER_BOUND(at, g->n, i, g->v[i] < place);
	if (at == g->n || g->v[at] != place) {
		*rc = cfs_array_reserve((void **)&g->v, &g->room, g->n + 1,
					sizeof(*g->v), HOLES_MAX);
		is_new = *rc == CFS_OK;
	}
	if (is_new) {
		memmove(g->v + at + 1, g->v + at,
			(g->n - at) * sizeof(*g->v));
		g->v[at] = place;
		g->n++;
	}
	pthread_mutex_unlock(&g->lock);
	return is_new;
}

/* `what` is "the captures in it are" or the like. */
static int hole_add(struct cfs_holes *g, uint64_t place, cfs_pos pos,
		    const struct cfs_error *why, const char *what)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = CFS_OK;

	if (!hole_is_new(g, place, &rc))
		return rc == CFS_ENOMEM ? rc : CFS_OK;
	if (g->all != NULL)
		return hole_add(g->all, place, pos, why, what);
	if (g->found != NULL)
		return g->found(g->arg, pos, why);
	cfs_error_at(&e, why->code, why->where, why->offset,
		     "%.180s; %s missing", why->text, what);
	if (cfs_log_has_room(&g->lines, why->where, "more is damaged"))
		cfs_log_error(CFS_LOG_WARNING, &e);
	return CFS_OK;
}

static uint64_t place_of(const struct cfs_error *why)
{
	return cfs_hash64(cfs_slice_str(why->where), why->offset);
}

int cfs_holes_add(struct cfs_holes *g, cfs_pos pos,
		  const struct cfs_error *why)
{
	return hole_add(g, place_of(why), pos, why, "the captures in it are");
}

/* A line is known by its number, too, which the text has. */
static int add_line(struct cfs_holes *g, cfs_pos pos,
		    const struct cfs_error *why)
{
	return hole_add(g, cfs_hash64(cfs_slice_str(why->text), place_of(why)),
			pos, why, "the capture of this line is");
}

size_t cfs_holes_count(struct cfs_holes *g)
{
	size_t n;

	pthread_mutex_lock(&g->lock);
	n = g->n;
	pthread_mutex_unlock(&g->lock);
	return n;
}

int cfs_holes_fail(const struct cfs_index *ix, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EFORMAT, ix->src->name, 0,
			    "a block of the index is damaged: what lies in it "
			    "is missing here");
}

/* ---- walks --------------------------------------------------------------- */

int cfs_index_walk_new(struct cfs_index_walk **out, struct cfs_index *ix,
		       struct cfs_holes *holes, struct cfs_ctx ctx)
{
	struct cfs_index_walk *w = malloc(sizeof(*w));

	*out = w;
	if (w == NULL)
		return cfs_error_nomem(ctx.err);
	w->ix = ix;
	w->holes = holes;
	w->ctx = ctx;
	w->range = (struct cfs_range){ .lo = CFS_SLICE_EMPTY,
				       .hi = CFS_SLICE_EMPTY, .hi_open = true };
	w->from = w->to = 0;
	w->has_begun = w->is_early = false;
	w->turn = 0;
	w->error = CFS_ERROR_INIT;
	cfs_iter_init(&w->it);
	return CFS_OK;
}

void cfs_index_walk_free(struct cfs_index_walk *w)
{
	if (w == NULL)
		return;
	cfs_iter_release(&w->it);
	free(w);
}

void cfs_index_walk_in(struct cfs_index_walk *w, const struct cfs_range *range)
{
	w->range = *range;
	w->has_begun = w->is_early = false;
}

/* Moves to the first entry of the blocks from w->from on; some may be empty. */
static int begin_blocks(struct cfs_index_walk *w, struct cfs_ctx ctx)
{
	int rc = CFS_ENOTFOUND;

	for (uint64_t b = w->from; rc == CFS_ENOTFOUND && b < w->to; b++)
		rc = cfs_index_at(w->ix, cfs_pos_make((uint32_t)b, 0), &w->it,
				  ctx);
	return rc == CFS_ENOTFOUND ? CFS_END : rc;
}

static int index_walk_move(struct cfs_index_walk *w, struct cfs_ctx ctx)
{
	if (w->has_begun)
		return cfs_index_next(&w->it, ctx);
	w->has_begun = true;
	return w->to > 0 ? begin_blocks(w, ctx) :
			   cfs_index_seek(w->ix, w->range.lo, &w->it, ctx);
}

/* Passes over the holes that a move met.  rc: the result of the move. */
static int pass_holes(struct cfs_index_walk *w, int rc, struct cfs_ctx ctx)
{
	while (w->holes != NULL && cfs_index_is_at_hole(&w->it, rc)) {
		if (w->to > 0 && w->it.hole >> 16 >= w->to)
			return CFS_END;
		rc = cfs_holes_add(w->holes, w->it.hole, &w->error);
		if (rc != CFS_OK)
			return rc;
		cfs_error_clear(&w->error);
		/* a search may have ended in a block before the range */
		w->is_early = w->to == 0;
		rc = cfs_index_skip(&w->it, ctx);
	}
	return rc;
}

static bool is_behind(const struct cfs_index_walk *w)
{
	if (w->to > 0)
		return w->it.pos >> 16 >= w->to;
	return !w->range.hi_open &&
	       cfs_slice_cmp(w->it.key, w->range.hi) >= 0;
}

int cfs_index_walk_next(struct cfs_index_walk *w)
{
	struct cfs_ctx ctx = CFS_CTX(w->ctx.cancel, &w->error);
	int rc;

	do {
		if (w->turn++ % ENTRIES_PER_QUESTION == 0 &&
		    cfs_cancelled(ctx.cancel))
			return cfs_error_set(w->ctx.err, CFS_EINTR,
					     "interrupted");
		rc = pass_holes(w, index_walk_move(w, ctx), ctx);
		if (rc != CFS_OK)
			return cfs_error_pass(w->ctx.err, &w->error, rc);
	} while (w->is_early && cfs_slice_cmp(w->it.key, w->range.lo) < 0);
	w->is_early = false;
	return is_behind(w) ? CFS_END : CFS_OK;
}

/* True if what is lost beside an entry is told. */
static bool tells_lost(const struct cfs_index_walk *w, bool is_taken)
{
	return w->holes != NULL && w->holes->tells_lines &&
	       !(w->holes->asks_entries && is_taken);
}

static int tell_lost(struct cfs_index_walk *w)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = CFS_OK;

	for (unsigned i = 0; rc == CFS_OK && cfs_index_lost(&w->it, i, &e) &&
	     (i == 0 || !w->holes->asks_entries); i++) {
		rc = add_line(w->holes, w->it.pos, &e);
		cfs_error_clear(&e);
	}
	return rc == CFS_ENOMEM ? cfs_error_nomem(w->ctx.err) : rc;
}

static int walk_take(struct cfs_index_walk *w)
{
	int rc = cfs_index_capture(&w->it, &w->cap, &w->error);

	if (rc == CFS_OK)
		return CFS_OK;
	if (rc == CFS_EFORMAT && w->holes != NULL) {
		rc = cfs_holes_add(w->holes, w->it.pos, &w->error);
		rc = rc == CFS_OK ? CFS_ENOTFOUND : rc;
	}
	if (rc != CFS_ENOTFOUND)
		return cfs_error_pass(w->ctx.err, &w->error, rc);
	if (w->error.code != CFS_OK)
		cfs_error_clear(&w->error);
	return rc;
}

int cfs_index_walk_take(struct cfs_index_walk *w)
{
	int taken = walk_take(w), rc = CFS_OK;

	if ((taken == CFS_OK || taken == CFS_ENOTFOUND) &&
	    tells_lost(w, taken == CFS_OK))
		rc = tell_lost(w);
	return rc != CFS_OK ? rc : taken;
}

int cfs_index_walk_capture(struct cfs_index_walk *w)
{
	int rc = CFS_ENOTFOUND;

	while (rc == CFS_ENOTFOUND) {
		rc = cfs_index_walk_next(w);
		if (rc == CFS_OK)
			rc = cfs_index_walk_take(w);
	}
	return rc;
}

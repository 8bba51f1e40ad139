/* textdiff.c - compares sequences in linear space, and texts by items of
 * theirs.
 *
 * A path from (0, 0) to (n, m) goes right for an item of a that b lacks, down
 * for one of b that a lacks, and diagonally for items that are equal.  From
 * both ends at once, the furthest points that paths of 1, 2, 3, ... differences
 * reach are computed for each diagonal x - y, until they meet: there the box is
 * cut in two.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "textdiff.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define STEPS_PER_QUESTION ((uint64_t)1 << 16)

/* A part of both sequences: items from x to x_end of a, y to y_end of b. */
struct diff_box {
	ptrdiff_t x, x_end, y, y_end;
};

struct diff_run {
	const struct cfs_diff_items *a, *b;
	uint64_t *work;
	uint64_t asked_at;		/* work when it was last asked whether
					 * to stop */
	struct cfs_ctx ctx;
	ptrdiff_t *forth, *back;	/* furthest x by diagonal; the middle
					 * of arrays */
	struct diff_box *boxes;		/* a stack */
	size_t n, room;
};

static bool is_equal_at(const struct diff_run *r, ptrdiff_t x, ptrdiff_t y)
{
	return r->a->v[x] == r->b->v[y];
}

/* Leaves out what is equal at both ends. */
static void trim_box(const struct diff_run *r, struct diff_box *q)
{
	while (q->x < q->x_end && q->y < q->y_end &&
	       is_equal_at(r, q->x, q->y)) {
		q->x++;
		q->y++;
	}
	while (q->x < q->x_end && q->y < q->y_end &&
	       is_equal_at(r, q->x_end - 1, q->y_end - 1)) {
		q->x_end--;
		q->y_end--;
	}
}

/* Counts steps.  False: there are none left, or the caller wants to stop. */
static bool may_go_on(struct diff_run *r, uint64_t steps)
{
	if (*r->work <= steps) {
		*r->work = 0;
		return false;
	}
	*r->work -= steps;
	if (r->asked_at - *r->work < STEPS_PER_QUESTION)
		return true;
	r->asked_at = *r->work;
	return !cfs_cancelled(r->ctx.cancel);
}

/* The diagonals that have been reached, of every other of which a furthest
 * point is known. */
struct diff_front {
	ptrdiff_t min, max;
};

/* Widens a front by one difference, but not beyond the box.  nowhere: a value
 * that is never the better one. */
static void widen_front(struct diff_front *f, ptrdiff_t *v,
			const struct diff_box *q, ptrdiff_t nowhere)
{
	if (f->min > q->x - q->y_end)
		v[--f->min - 1] = nowhere;
	else
		f->min++;
	if (f->max < q->x_end - q->y)
		v[++f->max + 1] = nowhere;
	else
		f->max--;
}

static bool is_in_box(const struct diff_box *q, ptrdiff_t x, ptrdiff_t y)
{
	return x >= q->x && x <= q->x_end && y >= q->y && y <= q->y_end;
}

/* One difference more from the beginning.  True: both fronts met, at *x and
 * *y. */
static bool step_forth(struct diff_run *r, const struct diff_box *q,
		       struct diff_front *f, const struct diff_front *other,
		       ptrdiff_t *at_x, ptrdiff_t *at_y)
{
	bool is_odd = ((q->x_end - q->x + q->y_end - q->y) & 1) != 0;
	ptrdiff_t *v = r->forth;

	widen_front(f, v, q, -1);
	for (ptrdiff_t k = f->max; k >= f->min; k -= 2) {
		ptrdiff_t x = v[k - 1] >= v[k + 1] ? v[k - 1] + 1 : v[k + 1];
		ptrdiff_t y = x - k;

		while (x < q->x_end && y < q->y_end && is_equal_at(r, x, y)) {
			x++;
			y++;
		}
		*r->work -= *r->work > 0;
		v[k] = x;
		*at_x = x;
		*at_y = y;
		if (is_odd && k >= other->min && k <= other->max &&
		    r->back[k] <= x && is_in_box(q, x, y))
			return true;
	}
	return false;
}

/* The same from the end. */
static bool step_back(struct diff_run *r, const struct diff_box *q,
		      struct diff_front *f, const struct diff_front *other,
		      ptrdiff_t *at_x, ptrdiff_t *at_y)
{
	bool is_odd = ((q->x_end - q->x + q->y_end - q->y) & 1) != 0;
	ptrdiff_t *v = r->back;

	widen_front(f, v, q, PTRDIFF_MAX);
	for (ptrdiff_t k = f->max; k >= f->min; k -= 2) {
		ptrdiff_t x = v[k - 1] < v[k + 1] ? v[k - 1] : v[k + 1] - 1;
		ptrdiff_t y = x - k;

		while (x > q->x && y > q->y && is_equal_at(r, x - 1, y - 1)) {
			x--;
			y--;
		}
		*r->work -= *r->work > 0;
		v[k] = x;
		*at_x = x;
		*at_y = y;
		if (!is_odd && k >= other->min && k <= other->max &&
		    x <= r->forth[k] && is_in_box(q, x, y))
			return true;
	}
	return false;
}

/* Finds the point where a shortest path can be cut.  False: there was too much
 * work. */
static bool diff_find_cut(struct diff_run *r, const struct diff_box *q,
		     ptrdiff_t *x, ptrdiff_t *y)
{
	struct diff_front forth = { q->x - q->y, q->x - q->y };
	struct diff_front back = { q->x_end - q->y_end, q->x_end - q->y_end };

	r->forth[forth.min] = q->x;
	r->back[back.min] = q->x_end;
	for (;;) {
		if (!may_go_on(r, (uint64_t)(forth.max - forth.min) + 2))
			return false;
		if (step_forth(r, q, &forth, &back, x, y) ||
		    step_back(r, q, &back, &forth, x, y))
			return true;
	}
}

static void mark_box(const struct diff_run *r, const struct diff_box *q)
{
	for (ptrdiff_t x = q->x; x < q->x_end; x++)
		r->a->differs[x] = true;
	for (ptrdiff_t y = q->y; y < q->y_end; y++)
		r->b->differs[y] = true;
}

static int push_box(struct diff_run *r, struct diff_box q)
{
	if (cfs_array_reserve((void **)&r->boxes, &r->room, r->n + 1,
			      sizeof(*r->boxes), 2 * CFS_DIFF_MAX) != CFS_OK)
		return cfs_error_nomem(r->ctx.err);
	r->boxes[r->n++] = q;
	return CFS_OK;
}

static int compare_boxes(struct diff_run *r)
{
	int rc = CFS_OK;

	while (rc == CFS_OK && r->n > 0) {
		struct diff_box q = r->boxes[--r->n];
		ptrdiff_t x, y;

		trim_box(r, &q);
		if (q.x == q.x_end || q.y == q.y_end ||
		    !diff_find_cut(r, &q, &x, &y)) {
			mark_box(r, &q);
		} else {
			rc = push_box(r, (struct diff_box){ x, q.x_end, y,
							    q.y_end });
			if (rc == CFS_OK)
				rc = push_box(r, (struct diff_box){
					q.x, x, q.y, y });
		}
		if (rc == CFS_OK && cfs_cancelled(r->ctx.cancel))
			rc = cfs_error_set(r->ctx.err, CFS_EINTR,
					   "interrupted");
	}
	return rc;
}

int cfs_diff(const struct cfs_diff_items *a, const struct cfs_diff_items *b,
	     uint64_t *work, struct cfs_ctx ctx)
{
	struct diff_run r = { .a = a, .b = b, .work = work,
			      .asked_at = *work, .ctx = ctx };
	size_t diagonals = a->n + b->n + 3;
	ptrdiff_t *memory;
	int rc;

	if (a->n > CFS_DIFF_MAX || b->n > CFS_DIFF_MAX - a->n)
		return cfs_error_set(ctx.err, CFS_ELIMIT, "there are more than "
				     "%zu items to compare", CFS_DIFF_MAX);
	memory = calloc(2 * diagonals, sizeof(*memory));
	if (memory == NULL)
		return cfs_error_nomem(ctx.err);
	/* diagonals from -m - 1 to n + 1 */
	r.forth = memory + b->n + 1;
	r.back = r.forth + diagonals;
	rc = push_box(&r, (struct diff_box){ 0, (ptrdiff_t)a->n, 0,
					     (ptrdiff_t)b->n });
	if (rc == CFS_OK)
		rc = compare_boxes(&r);
	free(r.boxes);
	free(memory);
	return rc;
}

/* ---- texts --------------------------------------------------------------- */

void cfs_diff_text_release(struct cfs_diff_text *t)
{
	free(t->v);
	free(t->ids);
	free(t->differs);
	*t = (struct cfs_diff_text){ .n = 0 };
}

int cfs_diff_text_add(struct cfs_diff_text *t, struct cfs_slice s)
{
	if (cfs_array_reserve((void **)&t->v, &t->room, t->n + 1,
			      sizeof(*t->v), CFS_DIFF_MAX) != CFS_OK)
		return CFS_ENOMEM;
	t->v[t->n++] = s;
	return CFS_OK;
}

int cfs_diff_text_number(struct cfs_diff_text *t, struct cfs_strtab *table)
{
	int rc = CFS_OK;

	t->ids = calloc(t->n + 1, sizeof(*t->ids));
	t->differs = calloc(t->n + 1, sizeof(*t->differs));
	if (t->ids == NULL || t->differs == NULL)
		return CFS_ENOMEM;
	for (size_t i = 0; rc == CFS_OK && i < t->n; i++)
		rc = cfs_strtab_add(table, t->v[i], &t->ids[i]);
	return rc;
}

int cfs_diff_text_lines(struct cfs_slice *text, size_t lines_max,
			struct cfs_diff_text *out, struct cfs_strtab *table)
{
	struct cfs_slice rest = *text;
	int rc = CFS_OK;

	while (rc == CFS_OK && rest.n > 0 && out->n < lines_max)
		rc = cfs_diff_text_add(out, cfs_slice_split(&rest, '\n'));
	text->n -= rest.n;
	return rc == CFS_OK ? cfs_diff_text_number(out, table) : rc;
}

int cfs_diff_texts(struct cfs_diff_text *a, struct cfs_diff_text *b,
		   uint64_t *work, struct cfs_ctx ctx)
{
	const struct cfs_diff_items x = { a->ids, a->n, a->differs };
	const struct cfs_diff_items y = { b->ids, b->n, b->differs };

	return cfs_diff(&x, &y, work, ctx);
}

/* tally.c - a hash table of counts with a bounded number of rows (see
 * counts.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

#define SLOTS ((size_t)2 * CFS_TALLY_MAX)	/* a power of two */

static struct cfs_slice tally_text(const struct cfs_tally_row *row)
{
	return cfs_slice_of(row->text, row->n);
}

void cfs_tally_release(struct cfs_tally *t)
{
	free(t->v);
	free(t->slots);
	*t = (struct cfs_tally){ .n = 0 };
}

/* The slot that has the text, or the free one where it belongs: at least half
 * of them are free. */
static uint32_t *tally_slot(const struct cfs_tally *t, struct cfs_slice text)
{
	size_t i = cfs_hash_fast(text, 0) % SLOTS;

	while (t->slots[i] != 0 &&
	       !cfs_slice_eq(tally_text(&t->v[t->slots[i] - 1]), text))
		i = (i + 1) % SLOTS;
	return &t->slots[i];
}

static void fill_slots(struct cfs_tally *t)
{
	memset(t->slots, 0, SLOTS * sizeof(*t->slots));
	for (size_t i = 0; i < t->n; i++)
		*tally_slot(t, tally_text(&t->v[i])) = (uint32_t)(i + 1);
}

static uint64_t may_have(const struct cfs_tally_row *row)
{
	return cfs_sum(row->captures, row->lacks);
}

static int tally_by_most(const void *a, const void *b)
{
	uint64_t x = may_have(a), y = may_have(b);

	return (x < y) - (x > y);
}

/* Drops the rarer half of the rows. */
static void drop_half(struct cfs_tally *t)
{
	qsort(t->v, t->n, sizeof(*t->v), tally_by_most);
	t->n /= 2;
	if (may_have(&t->v[t->n]) > t->dropped)
		t->dropped = may_have(&t->v[t->n]);
	t->last = 0;
	fill_slots(t);
}

static int tally_new_row(struct cfs_tally *t, struct cfs_slice text)
{
	struct cfs_tally_row *row;

	if (t->n == CFS_TALLY_MAX)
		drop_half(t);
	if (cfs_array_reserve((void **)&t->v, &t->room, t->n + 1,
			      sizeof(*t->v), CFS_TALLY_MAX) != CFS_OK)
		return CFS_ENOMEM;
	row = &t->v[t->n++];
	*row = (struct cfs_tally_row){ .lacks = t->dropped,
				       .n = (uint8_t)text.n };
	memcpy(row->text, text.p, text.n);
	*tally_slot(t, text) = (uint32_t)t->n;
	return CFS_OK;
}

/* Sets *out to the row of a text, which is made if there is none. */
static int tally_row(struct cfs_tally *t, struct cfs_slice text,
		     struct cfs_tally_row **out)
{
	uint32_t number;

	text = cfs_slice_sub(text, 0, CFS_TALLY_TEXT_MAX);
	if (t->last < t->n && cfs_slice_eq(tally_text(&t->v[t->last]), text)) {
		*out = &t->v[t->last];
		return CFS_OK;
	}
	if (t->slots == NULL) {
		t->slots = calloc(SLOTS, sizeof(*t->slots));
		if (t->slots == NULL)
			return CFS_ENOMEM;
	}
	number = *tally_slot(t, text);
	if (number == 0) {
		if (tally_new_row(t, text) != CFS_OK)
			return CFS_ENOMEM;
		number = (uint32_t)t->n;
	}
	t->last = number - 1;
	*out = &t->v[t->last];
	return CFS_OK;
}

int cfs_tally_add(struct cfs_tally *t, struct cfs_slice text,
		  uint64_t captures, uint64_t bytes)
{
	struct cfs_tally_row *row;
	int rc = tally_row(t, text, &row);

	if (rc == CFS_OK) {
		row->captures = cfs_sum(row->captures, captures);
		row->bytes = cfs_sum(row->bytes, bytes);
	}
	return rc;
}

int cfs_tally_merge(struct cfs_tally *t, const struct cfs_tally *from)
{
	int rc = CFS_OK;

	/* A row that `from` lacks may have been dropped there.  What rows have
	 * in common is corrected below. */
	for (size_t i = 0; i < t->n; i++)
		t->v[i].lacks = cfs_sum(t->v[i].lacks, from->dropped);
	t->dropped = cfs_sum(t->dropped, from->dropped);
	for (size_t i = 0; rc == CFS_OK && i < from->n; i++) {
		const struct cfs_tally_row *f = &from->v[i];
		struct cfs_tally_row *row;

		rc = tally_row(t, tally_text(f), &row);
		if (rc != CFS_OK)
			break;
		row->captures = cfs_sum(row->captures, f->captures);
		row->bytes = cfs_sum(row->bytes, f->bytes);
		row->lacks = cfs_sum(row->lacks - from->dropped, f->lacks);
	}
	return rc;
}

static int tally_by_captures(const void *a, const void *b)
{
	const struct cfs_tally_row *x = a, *y = b;

	if (x->captures != y->captures)
		return x->captures < y->captures ? 1 : -1;
	return cfs_slice_cmp(tally_text(x), tally_text(y));
}

void cfs_tally_sort(struct cfs_tally *t)
{
	if (t->n > 0)
		qsort(t->v, t->n, sizeof(*t->v), tally_by_captures);
	free(t->slots);
	t->slots = NULL;
	t->last = t->n;
}

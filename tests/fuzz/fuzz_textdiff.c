/* fuzz_textdiff.c - two sequences of small numbers, and how much work comparing
 * them may take: what was marked turns the first into the second, and with
 * work enough no fewer marks could do that.
 *
 * Bytes 0 and 1 are the work, 0: as much as it takes; byte 2 has how many bits of
 * each item count.  An item with the highest bit belongs to the second
 * sequence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "base/textdiff.h"

#define ITEMS_MAX 600u
#define ENOUGH (UINT64_C(1) << 40)

static void must(bool is_so)
{
	if (!is_so)
		abort();
}

/* A sequence, and what differs of it: an array that is only as long as it has
 * to be. */
struct items {
	uint32_t v[ITEMS_MAX];
	size_t n;
	bool *differs;
};

/* Takes the marked items out of a, and puts those of b in: that must give b. */
static void apply(const struct items *a, const struct items *b)
{
	size_t i = 0;

	for (size_t j = 0; j < b->n; j++) {
		if (b->differs[j])
			continue;
		while (i < a->n && a->differs[i])
			i++;
		must(i < a->n && a->v[i] == b->v[j]);
		i++;
	}
	while (i < a->n && a->differs[i])
		i++;
	must(i == a->n);
}

/* The length of the longest common subsequence, by the table that every textbook
 * has. */
static size_t common(const struct items *a, const struct items *b)
{
	static uint16_t rows[2][ITEMS_MAX + 1];

	memset(rows, 0, sizeof(rows));
	for (size_t i = 0; i < a->n; i++) {
		const uint16_t *above = rows[i & 1];
		uint16_t *row = rows[~i & 1];

		for (size_t j = 0; j < b->n; j++) {
			row[j + 1] = above[j + 1] > row[j] ? above[j + 1] :
							     row[j];
			if (a->v[i] == b->v[j])
				row[j + 1] = (uint16_t)(above[j] + 1);
		}
	}
	return rows[a->n & 1][b->n];
}

static size_t unmarked(const struct items *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += !t->differs[i];
	return n;
}

static void compare(const struct items *a, const struct items *b,
		    uint64_t work)
{
	const struct cfs_diff_items x = { a->v, a->n, a->differs };
	const struct cfs_diff_items y = { b->v, b->n, b->differs };
	uint64_t left = work;

	must(cfs_diff(&x, &y, &left, CFS_CTX(NULL, NULL)) == CFS_OK);
	must(left <= work);
	apply(a, b);
	if (work == ENOUGH) {
		must(left > 0);
		must(unmarked(a) == common(a, b));
	}
}

FUZZ_TARGET(data, size)
{
	static struct items a, b;
	uint64_t work;
	uint8_t bits;

	if (size < 3)
		return 0;
	work = (uint64_t)(data[0] | data[1] << 8);
	bits = (uint8_t)((1u << (1u + data[2] % 7u)) - 1u);
	a.n = b.n = 0;
	for (size_t i = 3; i < size; i++) {
		struct items *t = (data[i] & 0x80) != 0 ? &b : &a;

		if (t->n < ITEMS_MAX)
			t->v[t->n++] = data[i] & bits & 0x7fu;
	}
	a.differs = calloc(a.n > 0 ? a.n : 1, sizeof(*a.differs));
	b.differs = calloc(b.n > 0 ? b.n : 1, sizeof(*b.differs));
	must(a.differs != NULL && b.differs != NULL);
	compare(&a, &b, work != 0 ? work : ENOUGH);
	free(a.differs);
	free(b.differs);
	return 0;
}

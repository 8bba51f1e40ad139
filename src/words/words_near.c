/* words_near.c - finds the words of a list that are nearest to a word.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "words_internal.h"

/* Words are near if at most one byte in so many is another. */
#define BYTES_PER_FAULT 4u

struct near {
	unsigned distance;
	uint32_t docs;
	size_t n;
	uint8_t word[CFS_WORD_MAX];
};

/* Puts a word into its place among the nearest n so far. */
static void add_near(struct near *all, size_t *n, size_t max,
		     const struct near *one)
{
	size_t at = *n;

	while (at > 0 && (one->distance < all[at - 1].distance ||
			  (one->distance == all[at - 1].distance &&
			   one->docs > all[at - 1].docs)))
		at--;
	if (at == max)
		return;
	if (*n < max)
		(*n)++;
	memmove(all + at + 1, all + at, (*n - 1 - at) * sizeof(*all));
	all[at] = *one;
}

static int find_near(struct cfs_words *w, struct cfs_slice word,
		     struct near *all, size_t *n, size_t max,
		     struct cfs_ctx ctx)
{
	unsigned limit = (unsigned)(word.n / BYTES_PER_FAULT) + 1;
	struct cfs_words_walk *walk;
	struct cfs_slice other;
	struct near one;
	int rc = cfs_words_walk_begin(&walk, w, CFS_SLICE_EMPTY, ctx.err);

	while (rc == CFS_OK || rc == CFS_EFORMAT) {
		rc = cfs_words_next(walk, &other, &one.docs, ctx);
		if (rc != CFS_OK && rc != CFS_EFORMAT)
			break;
		if (rc == CFS_EFORMAT || other.n > word.n + limit ||
		    other.n + limit < word.n || cfs_slice_eq(other, word))
			continue;
		one.distance = cfs_slice_distance(word, other, false);
		if (one.distance > limit)
			continue;
		one.n = other.n;
		memcpy(one.word, other.p, other.n);
		add_near(all, n, max, &one);
	}
	cfs_words_walk_end(walk);
	return rc == CFS_END ? CFS_OK : rc;
}

int cfs_words_near(struct cfs_words *w, struct cfs_slice word, size_t max,
		   struct cfs_buf *out, struct cfs_ctx ctx)
{
	struct near *all = calloc(max + 1, sizeof(*all));
	size_t n = 0;
	int rc;

	if (all == NULL)
		return cfs_error_nomem(ctx.err);
	rc = find_near(w, word, all, &n, max, ctx);
	for (size_t i = 0; rc == CFS_OK && i < n; i++) {
		cfs_buf_append(out, all[i].word, all[i].n);
		cfs_buf_addc(out, 0);
	}
	free(all);
	if (rc == CFS_OK && out->failed != CFS_OK)
		rc = cfs_error_set(ctx.err, out->failed, "no memory for words");
	return rc;
}

/* words_rank.c - ranks documents by BM25 (Robertson and others, 1994).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lru.h"
#include "word_query_internal.h"
#include "words_internal.h"

#define K1 1.2
#define B 0.75

/* The usual form of the weight of a word that so many of n documents have: it
 * is never negative. */
static double weight_of(uint64_t n, uint64_t docs)
{
	return log(1 + ((double)(n - docs) + 0.5) / ((double)docs + 0.5));
}

/* A hit: its score so far, and how its length weighs. */
struct scored {
	double score, norm;
};

/* Sets the norms by the lengths, reading them for stretches of documents in
 * which hits are. */
static int read_norms(struct cfs_words *w, const struct cfs_hits *hits,
		      struct scored *of, struct cfs_ctx ctx)
{
	double mean = w->head.docs == 0 ? 1 :
		      (double)w->head.length_sum / (double)w->head.docs;
	uint8_t *codes = malloc(CFS_WORDS_PART_BYTES);
	size_t i = 0;
	int rc = CFS_OK;

	if (codes == NULL)
		return cfs_error_nomem(ctx.err);
	if (mean < 1)
		mean = 1;
	while (rc == CFS_OK && i < hits->n) {
		uint32_t first = hits->v[i] - hits->v[i] % CFS_WORDS_PART_BYTES;
		uint32_t n = CFS_WORDS_PART_BYTES;

		if (n > w->head.docs - first)
			n = (uint32_t)w->head.docs - first;
		rc = cfs_words_lengths(w, first, n, codes, ctx);
		if (rc != CFS_OK)
			memset(codes, 0, n);
		if (rc == CFS_EFORMAT) {
			cfs_words_damaged(w, ctx.err);
			cfs_error_clear(ctx.err);
			rc = CFS_OK;
		}
		for (; i < hits->n && hits->v[i] - first < n; i++) {
			uint64_t words =
				cfs_words_length(codes[hits->v[i] - first]);

			of[i].norm = K1 * (1 - B + B * (double)words / mean);
		}
	}
	free(codes);
	return rc;
}

/* Adds what a word says of the hits. */
static int add_scores(struct cfs_words *w, struct cfs_slice word,
		      const struct cfs_hits *hits, struct scored *of,
		      struct cfs_ctx ctx)
{
	struct cfs_hits docs = { 0 }, frequencies = { 0 };
	struct cfs_words_window in = { 0 };
	struct cfs_words_entry e;
	struct cfs_lru_ref *ref;
	int rc = cfs_words_entry_find(w, word, &e, &ref, ctx);

	if (rc == CFS_OK)
		rc = cfs_words_entry_list(w, &e, &in, &docs, &frequencies, ctx);
	cfs_lru_put(ref);
	for (size_t i = 0, k = 0; rc == CFS_OK && i < hits->n && k < docs.n;) {
		double f = frequencies.v[k];

		if (hits->v[i] == docs.v[k])
			of[i].score += weight_of(w->head.docs, docs.n) * f *
				       (K1 + 1) / (f + of[i].norm);
		if (hits->v[i] <= docs.v[k])
			i++;
		else
			k++;
	}
	cfs_words_window_release(&in);
	cfs_hits_release(&docs);
	cfs_hits_release(&frequencies);
	return rc == CFS_ENOTFOUND ? CFS_OK : rc;
}

/* True if a comes before b. */
static bool is_better(const struct cfs_ranked *a, const struct cfs_ranked *b)
{
	if (a->score > b->score || a->score < b->score)
		return a->score > b->score;
	return a->doc < b->doc;
}

static int by_rank(const void *pa, const void *pb)
{
	return is_better(pa, pb) ? -1 : 1;
}

/* Puts an item into a heap of n, whose worst is the first, at place i. */
static void sift(struct cfs_ranked *heap, size_t n, size_t i,
		 struct cfs_ranked item)
{
	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < n && is_better(&heap[child], &heap[child + 1]))
			child++;
		if (child >= n || !is_better(&item, &heap[child]))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = item;
}

/* The best hits, at most max. */
static size_t best_of(const struct cfs_hits *hits, const struct scored *of,
		      struct cfs_ranked *out, size_t max)
{
	size_t n = hits->n < max ? hits->n : max;

	for (size_t i = 0; i < hits->n; i++) {
		struct cfs_ranked item = { of[i].score, hits->v[i] };

		if (i < n)
			out[i] = item;
		if (i + 1 == n)
			for (size_t k = n; k-- > 0;)
				sift(out, n, k, out[k]);
		if (i >= n && n > 0 && is_better(&item, &out[0]))
			sift(out, n, 0, item);
	}
	qsort(out, n, sizeof(*out), by_rank);
	return n;
}

int cfs_words_rank(struct cfs_words *w, const struct cfs_word_query *q,
		   const struct cfs_hits *hits, size_t max,
		   struct cfs_ranked *out, size_t *n, struct cfs_ctx ctx)
{
	struct scored *of = calloc(hits->n + 1, sizeof(*of));
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_ctx inner = CFS_CTX(ctx.cancel, &e);
	int rc;

	*n = 0;
	if (of == NULL)
		return cfs_error_nomem(ctx.err);
	rc = read_norms(w, hits, of, inner);
	for (size_t i = 0; rc == CFS_OK && i < q->n_tokens; i++) {
		rc = add_scores(w, q->tokens[i].word, hits, of, inner);
		if (rc != CFS_EFORMAT)
			continue;
		cfs_words_damaged(w, &e);
		cfs_error_clear(&e);
		rc = CFS_OK;
	}
	if (rc == CFS_OK)
		*n = best_of(hits, of, out, max);
	free(of);
	return cfs_error_pass(ctx.err, &e, rc);
}

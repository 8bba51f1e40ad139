/* words_rank.c - scores documents by BM25 (Robertson and others, 1994).
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

/* How hits weigh by their lengths: their codes, and what a code stands for. */
struct norms {
	uint8_t *codes;			/* one a hit */
	double of[UINT8_MAX + 1];
};

static void fill_norms(const struct cfs_words *w, struct norms *norms)
{
	double mean = w->head.docs == 0 ? 1 :
		      (double)w->head.length_sum / (double)w->head.docs;

	if (mean < 1)
		mean = 1;
	for (unsigned i = 0; i <= UINT8_MAX; i++)
		norms->of[i] = K1 * (1 - B + B *
				     (double)cfs_words_length((uint8_t)i) /
				     mean);
}

/* Reads the codes of hits, in stretches of documents in which some are. */
static int read_codes(struct cfs_words *w, const struct cfs_hits *hits,
		      uint8_t *out, struct cfs_ctx ctx)
{
	uint8_t *codes = malloc(CFS_WORDS_PART_BYTES);
	size_t i = 0;
	int rc = CFS_OK;

	if (codes == NULL)
		return cfs_error_nomem(ctx.err);
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
		for (; i < hits->n && hits->v[i] - first < n; i++)
			out[i] = codes[hits->v[i] - first];
	}
	free(codes);
	return rc;
}

/* Adds what a word says of the hits. */
static int add_scores(struct cfs_words *w, struct cfs_slice word,
		      const struct cfs_hits *hits, const struct norms *norms,
		      double *out, struct cfs_ctx ctx)
{
	struct cfs_hits docs = { 0 }, frequencies = { 0 };
	struct cfs_words_window in = { 0 };
	struct cfs_words_entry e;
	struct cfs_lru_ref *ref;
	double weight;
	int rc = cfs_words_entry_find(w, word, &e, &ref, ctx);

	if (rc == CFS_OK)
		rc = cfs_words_entry_list(w, &e, &in, &docs, &frequencies, ctx);
	cfs_lru_put(ref);
	weight = weight_of(w->head.docs, docs.n) * (K1 + 1);
	for (size_t i = 0, k = 0; rc == CFS_OK && i < hits->n && k < docs.n;) {
		double f = frequencies.v[k];

		if (hits->v[i] == docs.v[k])
			out[i] += weight * f /
				  (f + norms->of[norms->codes[i]]);
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

int cfs_words_score(struct cfs_words *w, const struct cfs_word_query *q,
		    const struct cfs_hits *hits, double *out,
		    struct cfs_ctx ctx)
{
	struct norms norms = { .codes = calloc(hits->n + 1, 1) };
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_ctx inner = CFS_CTX(ctx.cancel, &e);
	int rc;

	if (norms.codes == NULL)
		return cfs_error_nomem(ctx.err);
	for (size_t i = 0; i < hits->n; i++)
		out[i] = 0;
	fill_norms(w, &norms);
	rc = read_codes(w, hits, norms.codes, inner);
	for (size_t i = 0; rc == CFS_OK && i < q->n_tokens; i++) {
		rc = add_scores(w, q->tokens[i].word, hits, &norms, out, inner);
		if (rc != CFS_EFORMAT)
			continue;
		cfs_words_damaged(w, &e);
		cfs_error_clear(&e);
		rc = CFS_OK;
	}
	free(norms.codes);
	return cfs_error_pass(ctx.err, &e, rc);
}

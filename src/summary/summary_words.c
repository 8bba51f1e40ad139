/* summary_words.c - the words of a list that are in most texts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "summary.h"

#include <stdlib.h>

struct frequent_word {
	uint32_t docs;
	uint8_t n;
	uint8_t word[CFS_WORD_MAX];
};

/* Puts a word among the most frequent ones, n of them, unless it is rarer than
 * all.  Words come in order, and equal ones stay in it. */
static size_t put_frequent(struct frequent_word *v, size_t n, size_t top,
			   struct cfs_slice word, uint32_t docs)
{
	size_t at = n;

	if (n == top && (n == 0 || docs <= v[n - 1].docs))
		return n;
	n += n < top;
	for (at = n - 1; at > 0 && v[at - 1].docs < docs; at--)
		v[at] = v[at - 1];
	v[at].docs = docs;
	v[at].n = (uint8_t)word.n;
	memcpy(v[at].word, word.p, word.n);
	return n;
}

static int find_frequent(struct cfs_words *list, struct frequent_word *v,
			 size_t *n, size_t top, struct cfs_ctx ctx)
{
	struct cfs_words_walk *walk;
	struct cfs_slice word;
	uint32_t docs;
	int rc = cfs_words_walk_begin(&walk, list, CFS_SLICE_EMPTY, ctx.err);

	while (rc == CFS_OK) {
		rc = cfs_words_next(walk, &word, &docs, ctx);
		if (rc == CFS_OK)
			*n = put_frequent(v, *n, top, word, docs);
	}
	cfs_words_walk_end(walk);
	return rc == CFS_END ? CFS_OK : rc;
}

/* Makes rows of the words, whose bytes they then lend from s->words_text. */
static int make_rows(struct cfs_summary *s, const struct frequent_word *v,
		     size_t n)
{
	struct cfs_summary_group *g = &s->words;
	size_t at = 0;

	g->v = calloc(n + 1, sizeof(*g->v));
	cfs_buf_init(&s->words_text, SIZE_MAX);
	for (size_t i = 0; i < n; i++)
		cfs_buf_append(&s->words_text, v[i].word, v[i].n);
	if (g->v == NULL || s->words_text.failed != CFS_OK)
		return CFS_ENOMEM;
	for (; g->n < n; g->n++) {
		g->v[g->n] = (struct cfs_summary_row){
			.key = cfs_slice_of(s->words_text.p + at, v[g->n].n),
			.captures = v[g->n].docs };
		at += v[g->n].n;
	}
	return CFS_OK;
}

int cfs_summary_words(struct cfs_summary *s, struct cfs_words *list, size_t top,
		      struct cfs_ctx ctx)
{
	struct frequent_word *v = calloc(top + 1, sizeof(*v));
	size_t n = 0;
	int rc = v == NULL ? cfs_error_nomem(ctx.err) :
		 find_frequent(list, v, &n, top, ctx);

	s->words.keys = cfs_words_info(list)->words;
	if (rc == CFS_OK && make_rows(s, v, n) != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	free(v);
	return rc;
}

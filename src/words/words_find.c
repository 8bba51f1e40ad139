/* words_find.c - finds the documents of queries and of parts of words.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "base/lru.h"
#include "base/utf8.h"
#include "word_query_internal.h"
#include "words_internal.h"

/* The lists of words that contain a part are read up to so many postings for
 * each document; beyond that, all documents might have it. */
#define POSTINGS_PER_DOC 4u

/* Reports damage, and makes `out` all documents. */
static int all_documents(struct cfs_words *w, const struct cfs_error *why,
			 struct cfs_hits *out, struct cfs_ctx ctx)
{
	if (why != NULL)
		cfs_words_damaged(w, why);
	if (cfs_hits_all(out, (uint32_t)w->head.docs) != CFS_OK)
		return cfs_error_nomem(ctx.err);
	return CFS_OK;
}

/* The documents that have a word. */
static int find_word(struct cfs_words *w, struct cfs_slice word,
		     struct cfs_hits *out, struct cfs_ctx ctx)
{
	struct cfs_words_window in = { 0 };
	struct cfs_words_entry entry;
	struct cfs_lru_ref *ref;
	int rc = cfs_words_entry_find(w, word, &entry, &ref, ctx);

	out->n = 0;
	if (rc == CFS_OK)
		rc = cfs_words_entry_list(w, &entry, &in, out, NULL, ctx);
	cfs_words_window_release(&in);
	cfs_lru_put(ref);
	return rc == CFS_ENOTFOUND ? CFS_OK : rc;
}

/* ---- words that are like another ---- */

/* A set of documents as bits. */
struct union_of {
	uint64_t *bits;
	uint64_t postings;		/* that were added */
};

static int add_list(struct cfs_words_walk *walk, struct union_of *u,
		    struct cfs_hits *list, struct cfs_ctx ctx)
{
	int rc = cfs_words_postings(walk, list, NULL, ctx);

	for (size_t i = 0; rc == CFS_OK && i < list->n; i++)
		u->bits[list->v[i] / 64] |= UINT64_C(1) << list->v[i] % 64;
	return rc;
}

/* Where `sought` ends in a word of which the first `shared` bytes are those of
 * the word before, in which it ended at `was`; 0: it is not there. */
static size_t end_in(const struct cfs_words_entry *e, struct cfs_slice sought,
		     size_t was)
{
	size_t at = 0;

	if (was > 0 && was <= e->shared)
		return was;
	if (e->shared >= sought.n)
		at = e->shared - sought.n + 1;
	for (; at + sought.n <= e->n; at++)
		if (e->word[at] == sought.p[0] &&
		    memcmp(e->word + at, sought.p, sought.n) == 0)
			return at + sought.n;
	return 0;
}

/* Adds the lists of all words like `sought`.  CFS_ELIMIT: too many; CFS_EFORMAT
 * for damage. */
static int add_words(struct cfs_words *w, struct cfs_slice sought,
		     enum cfs_word_like like, struct union_of *u,
		     struct cfs_hits *list, struct cfs_ctx ctx)
{
	bool by_order = like == CFS_WORD_BEGINS;
	struct cfs_words_walk *walk;
	struct cfs_slice word;
	size_t end = 0;
	uint32_t docs;
	int rc = cfs_words_walk_begin(&walk, w, by_order ? sought :
							   CFS_SLICE_EMPTY,
				      ctx.err);

	while (rc == CFS_OK) {
		rc = cfs_words_next(walk, &word, &docs, ctx);
		if (rc != CFS_OK)
			break;
		if (like == CFS_WORD_CONTAINS) {
			end = end_in(cfs_words_walk_entry(walk), sought, end);
			if (end == 0)
				continue;
		} else if (!cfs_word_is_like(word, sought, like)) {
			if (by_order)
				break;
			continue;
		}
		u->postings += docs;
		if (u->postings > POSTINGS_PER_DOC * w->head.docs)
			rc = CFS_ELIMIT;
		else
			rc = add_list(walk, u, list, ctx);
	}
	cfs_words_walk_end(walk);
	return rc == CFS_END ? CFS_OK : rc;
}

static int hits_of_bits(struct cfs_words *w, const struct union_of *u,
			struct cfs_hits *out, struct cfs_error *err)
{
	size_t words = w->head.docs / 64 + 1, n = 0;

	for (size_t i = 0; i < words; i++)
		n += (size_t)__builtin_popcountll(u->bits[i]);
	if (cfs_hits_reserve(out, n) != CFS_OK)
		return cfs_error_nomem(err);
	out->n = 0;
	for (size_t i = 0; i < words; i++)
		for (uint64_t b = u->bits[i]; b != 0; b &= b - 1)
			out->v[out->n++] = (uint32_t)(64 * i) +
					   (uint32_t)__builtin_ctzll(b);
	return CFS_OK;
}

/* The documents that have one of several words, those like `sought`. */
static int find_words(struct cfs_words *w, struct cfs_slice sought,
		      enum cfs_word_like like, struct cfs_hits *out,
		      struct cfs_ctx ctx)
{
	struct union_of u = { calloc(w->head.docs / 64 + 1, 8), 0 };
	struct cfs_hits list = { 0 };
	int rc = u.bits == NULL ? cfs_error_nomem(ctx.err) : CFS_OK;

	if (rc == CFS_OK)
		rc = add_words(w, sought, like, &u, &list, ctx);
	if (rc == CFS_OK)
		rc = hits_of_bits(w, &u, out, ctx.err);
	free(u.bits);
	cfs_hits_release(&list);
	return rc;
}

/* The documents that have a word like `sought`; *surely is set to false if all
 * might. */
static int find_like(struct cfs_words *w, struct cfs_slice sought,
		     enum cfs_word_like like, struct cfs_hits *out,
		     bool *surely, struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_ctx inner = CFS_CTX(ctx.cancel, &e);
	int rc;

	if (like == CFS_WORD_EQUALS)
		rc = find_word(w, sought, out, inner);
	else
		rc = find_words(w, sought, like, out, inner);
	if (rc != CFS_EFORMAT && rc != CFS_ELIMIT)
		return cfs_error_pass(ctx.err, &e, rc);
	*surely = false;
	return all_documents(w, rc == CFS_EFORMAT ? &e : NULL, out, ctx);
}

/* Keeps in *all what is in `these` too; *all is not a set yet if `is_first`. */
static int narrow(struct cfs_hits *all, struct cfs_hits *these, bool is_first)
{
	struct cfs_hits was = *all;

	if (!is_first)
		return cfs_hits_and(all, these);
	*all = *these;
	*these = was;
	return CFS_OK;
}

/* ---- queries ---- */

int cfs_words_find(struct cfs_words *w, const struct cfs_word_query *q,
		   struct cfs_hits *out, bool *surely, struct cfs_ctx ctx)
{
	struct cfs_hits these = { 0 };
	int rc = CFS_OK;

	*surely = true;
	for (size_t i = 0; rc == CFS_OK && i < q->n_tokens; i++) {
		const struct cfs_word_token *t = &q->tokens[i];

		/* Words that follow one another, and those that may be the
		 * beginning of a longer one, have to be read. */
		if (t->first < t->last ||
		    t->word.n > CFS_WORD_MAX - CFS_WORD_FOLD_MAX)
			*surely = false;
		rc = find_like(w, t->word, t->like, &these, surely, ctx);
		if (rc == CFS_OK)
			rc = narrow(out, &these, i == 0);
		if (rc == CFS_OK && out->n == 0)
			break;
	}
	cfs_hits_release(&these);
	return rc;
}

/* ---- literals ---- */

/* How the word of a literal that is its run from `from` to `to` is inside of
 * those of a text. */
static enum cfs_word_like like_of(struct cfs_slice literal,
				  const struct cfs_word *word, bool is_valid)
{
	bool ends = is_valid && word->to < literal.n;

	if (is_valid && word->from > 0)
		return ends ? CFS_WORD_EQUALS : CFS_WORD_BEGINS;
	return ends ? CFS_WORD_ENDS : CFS_WORD_CONTAINS;
}

int cfs_words_part(struct cfs_words *w, struct cfs_slice literal,
		   struct cfs_hits *out, struct cfs_ctx ctx)
{
	bool is_valid = cfs_utf8_is_valid(literal), is_first = true;
	bool surely = true, may_be_cut = false;
	struct cfs_hits these = { 0 };
	struct cfs_word_split s;
	struct cfs_word word;
	int rc = CFS_OK;

	cfs_word_split_init(&s, literal);
	while (rc == CFS_OK && cfs_word_split_next(&s, &word)) {
		enum cfs_word_like like = CFS_WORD_EQUALS;

		if (!word.is_pair)
			like = like_of(literal, &word, is_valid);
		may_be_cut = may_be_cut || word.is_cut ||
			     (like != CFS_WORD_EQUALS && !word.is_single);
		these.n = 0;
		if (!word.is_cut)
			rc = find_like(w, word.word, like, &these, &surely,
				       ctx);
		if (rc == CFS_OK)
			rc = narrow(out, &these, is_first);
		is_first = false;
	}
	if (rc == CFS_OK && is_first)
		rc = all_documents(w, NULL, out, ctx);
	/* The list has the beginning only of a run that was cut. */
	if (rc == CFS_OK && may_be_cut && w->head.longs > 0) {
		rc = cfs_words_docs_of(w, CFS_WORDS_LONG, &these, ctx.err);
		if (rc == CFS_OK && cfs_hits_or(out, &these) != CFS_OK)
			rc = cfs_error_nomem(ctx.err);
	}
	cfs_hits_release(&these);
	return rc;
}

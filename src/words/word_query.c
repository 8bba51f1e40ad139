/* word_query.c - reads queries, and finds them in texts (word_query.h).
 *
 * A term is a sequence of words.  A text is divided into words once; for each
 * of them, a bit for each word of the query says whether the words up to there
 * are those of its term up to there.  So a text takes time linear in its bytes,
 * times the words of a query, which are few.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "word_query_internal.h"

/* The folded words take three times the bytes at most, with blanks and their
 * pairs; a limit only. */
#define WORDS_MAX (64u * CFS_WORD_QUERY_MAX)

bool cfs_word_is_like(struct cfs_slice word, struct cfs_slice sought,
		      enum cfs_word_like like)
{
	if (word.n < sought.n)
		return false;
	if (like == CFS_WORD_EQUALS)
		return cfs_slice_eq(word, sought);
	if (like == CFS_WORD_BEGINS)
		return cfs_slice_starts(word, sought);
	if (like == CFS_WORD_ENDS)
		return cfs_slice_eq(cfs_slice_from(word, word.n - sought.n),
				    sought);
	return cfs_slice_search(word, sought) >= 0;
}

/* ---- parsing ---- */

/* A query that is being read: words as offsets, since their memory moves. */
struct parse {
	struct cfs_word_query *q;
	struct cfs_buf words;
	size_t token_at[CFS_WORD_TOKENS_MAX];
	size_t term_at[CFS_WORD_TERMS_MAX];
	struct cfs_error *err;
};

static bool is_between(uint8_t c)
{
	return c == '+' || c <= ' ';
}

/* Takes the next term of what was typed, without its '"'.  False: none. */
static bool next_term(struct cfs_slice *rest, struct cfs_slice *term)
{
	size_t from = 0, to;

	while (from < rest->n && is_between(rest->p[from]))
		from++;
	if (from == rest->n)
		return false;
	if (rest->p[from] == '"') {
		for (to = ++from; to < rest->n && rest->p[to] != '"';)
			to++;
	} else {
		for (to = from; to < rest->n && rest->p[to] != '"' &&
		     !is_between(rest->p[to]);)
			to++;
	}
	*term = cfs_slice_sub(*rest, from, to - from);
	*rest = cfs_slice_from(*rest, to + (to < rest->n &&
					    rest->p[to] == '"' &&
					    from > 0 &&
					    rest->p[from - 1] == '"'));
	return true;
}

static int add_token(struct parse *p, const struct cfs_word *word,
		     bool is_first)
{
	struct cfs_word_query *q = p->q;
	struct cfs_word_token *t = &q->tokens[q->n_tokens];

	if (word->is_cut)
		return cfs_error_set(p->err, CFS_EUSAGE, "a word that is "
				     "sought has more than %u bytes",
				     CFS_WORD_MAX);
	*t = (struct cfs_word_token){ .is_joined = word->is_joined,
				      .is_first = is_first,
				      .term = (uint32_t)q->n_terms };
	if (!is_first)
		cfs_buf_addc(&p->words, ' ');
	p->token_at[q->n_tokens++] = p->words.n;
	t->word.n = word->word.n;
	cfs_buf_add(&p->words, word->word);
	return p->words.failed == CFS_OK ? CFS_OK : cfs_error_nomem(p->err);
}

static int add_term(struct parse *p, struct cfs_slice text)
{
	struct cfs_word_query *q = p->q;
	size_t first = q->n_tokens, last;
	struct cfs_word_split s;
	struct cfs_word word;
	bool is_single_first = false, is_single_last = false;
	int rc = CFS_OK;

	cfs_word_split_init(&s, text);
	while (rc == CFS_OK && cfs_word_split_next(&s, &word)) {
		is_single_last = word.is_single;
		if (q->n_tokens == first)
			is_single_first = is_single_last;
		if (q->n_tokens == first && q->n_terms == CFS_WORD_TERMS_MAX)
			return cfs_error_set(p->err, CFS_EUSAGE, "more than %u "
					     "words or phrases are sought",
					     CFS_WORD_TERMS_MAX);
		if (q->n_tokens == first)
			p->term_at[q->n_terms] = p->words.n;
		rc = add_token(p, &word, q->n_tokens == first);
	}
	if (rc != CFS_OK || q->n_tokens == first)
		return rc;
	last = q->n_tokens - 1;
	q->tokens[last].is_last = true;
	q->terms[q->n_terms].n = p->words.n - p->term_at[q->n_terms];
	q->n_terms++;
	if (first == last && is_single_first)
		q->tokens[first].like = CFS_WORD_CONTAINS;
	else if (is_single_first)
		q->tokens[first].like = CFS_WORD_ENDS;
	if (first < last && is_single_last)
		q->tokens[last].like = CFS_WORD_BEGINS;
	return CFS_OK;
}

static int parse_all(struct parse *p, struct cfs_slice typed)
{
	struct cfs_word_query *q = p->q;
	struct cfs_slice term;
	int rc = CFS_OK;

	if (typed.n > CFS_WORD_QUERY_MAX)
		return cfs_error_set(p->err, CFS_EUSAGE, "what is sought has "
				     "more than %u bytes", CFS_WORD_QUERY_MAX);
	while (rc == CFS_OK && next_term(&typed, &term))
		rc = add_term(p, term);
	if (rc == CFS_OK && q->n_terms == 0)
		rc = cfs_error_set(p->err, CFS_EUSAGE,
				   "what is sought has no word");
	if (rc != CFS_OK)
		return rc;
	q->words = p->words.p;
	p->words.p = NULL;
	p->words.cap = p->words.n = 0;
	for (size_t i = 0; i < q->n_tokens; i++)
		q->tokens[i].word.p = q->words + p->token_at[i];
	for (size_t i = 0; i < q->n_terms; i++)
		q->terms[i].p = q->words + p->term_at[i];
	return CFS_OK;
}

int cfs_word_query_parse(struct cfs_word_query **out, struct cfs_slice typed,
			 struct cfs_error *err)
{
	struct parse p = { .q = calloc(1, sizeof(*p.q)), .err = err };
	int rc = CFS_OK;

	*out = NULL;
	cfs_buf_init(&p.words, WORDS_MAX);
	if (p.q != NULL)
		p.q->tokens = calloc(CFS_WORD_TOKENS_MAX,
				     sizeof(*p.q->tokens));
	if (p.q == NULL || p.q->tokens == NULL)
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK)
		rc = parse_all(&p, typed);
	if (rc == CFS_OK) {
		*out = p.q;
		p.q = NULL;
	}
	cfs_word_query_free(p.q);
	cfs_buf_release(&p.words);
	return rc;
}

void cfs_word_query_free(struct cfs_word_query *q)
{
	if (q == NULL)
		return;
	free(q->tokens);
	free(q->words);
	free(q);
}

size_t cfs_word_query_terms(const struct cfs_word_query *q)
{
	return q->n_terms;
}

struct cfs_slice cfs_word_query_term(const struct cfs_word_query *q, size_t i)
{
	return q->terms[i];
}

/* ---- matching ---- */

/* Which words of the query the words of the text up to here end with, as the
 * number of bytes where their term begins in the text, plus 1; 0: not. */
struct progress {
	const struct cfs_word_query *q;
	bool begins_with[256];		/* some word that is sought, or may
					 * have the byte inside of it */
	size_t from[CFS_WORD_TOKENS_MAX];
};

static void progress_init(struct progress *p, const struct cfs_word_query *q)
{
	p->q = q;
	memset(p->begins_with, 0, sizeof(p->begins_with));
	memset(p->from, 0, q->n_tokens * sizeof(p->from[0]));
	for (size_t i = 0; i < q->n_tokens; i++) {
		p->begins_with[q->tokens[i].word.p[0]] = true;
		if (q->tokens[i].like != CFS_WORD_EQUALS)
			memset(p->begins_with + 0x80, true, 0x80);
	}
}

static bool is_this(const struct cfs_word_token *t, const struct cfs_word *word)
{
	return !word->is_cut &&
	       (t->is_first || t->is_joined == word->is_joined) &&
	       cfs_word_is_like(word->word, t->word, t->like);
}

/* Goes on by a word of the text.  True if some token was reached. */
static bool progress_step(struct progress *p, const struct cfs_word *word)
{
	const struct cfs_word_query *q = p->q;
	bool may = p->begins_with[word->word.p[0]], any = false;

	for (size_t i = q->n_tokens; i-- > 0;) {
		const struct cfs_word_token *t = &q->tokens[i];
		size_t from = word->from + 1;

		if (!t->is_first)
			from = p->from[i - 1];
		p->from[i] = may && from > 0 && is_this(t, word) ? from : 0;
		any = any || p->from[i] > 0;
	}
	return any;
}

bool cfs_word_query_matches(const struct cfs_word_query *q,
			    struct cfs_slice text)
{
	bool has[CFS_WORD_TERMS_MAX] = { false };
	size_t left = q->n_terms;
	struct cfs_word_split s;
	struct cfs_word word;
	struct progress p;

	progress_init(&p, q);
	cfs_word_split_init(&s, text);
	while (left > 0 && cfs_word_split_next(&s, &word)) {
		if (!progress_step(&p, &word))
			continue;
		for (size_t i = 0; i < q->n_tokens; i++) {
			const struct cfs_word_token *t = &q->tokens[i];

			if (p.from[i] == 0 || !t->is_last || has[t->term])
				continue;
			has[t->term] = true;
			left--;
		}
	}
	return left == 0;
}

size_t cfs_word_query_places(const struct cfs_word_query *q,
			     struct cfs_slice text, struct cfs_word_place *out,
			     size_t max)
{
	struct cfs_word_split s;
	struct cfs_word word;
	struct progress p;
	size_t n = 0;

	progress_init(&p, q);
	cfs_word_split_init(&s, text);
	while (n < max && cfs_word_split_next(&s, &word)) {
		if (!progress_step(&p, &word))
			continue;
		for (size_t i = 0; i < q->n_tokens && n < max; i++)
			if (p.from[i] > 0 && q->tokens[i].is_last)
				out[n++] = (struct cfs_word_place){
					q->tokens[i].term, p.from[i] - 1,
					word.to };
	}
	return n;
}

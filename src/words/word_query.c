/* word_query.c - reads queries, and finds them in texts (word_query.h).
 *
 * A term is a sequence of words.  A text is divided into words once; for each
 * of them, a bit for each word of the query says whether the words up to there
 * are those of its term up to there (Shift-And: Baeza-Yates and Gonnet 1992).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "word_query_internal.h"

/* The folded words, with blanks between them, take three times the bytes that
 * were typed at most; a limit only, for their memory must not move. */
#define WORDS_PER_BYTE 8u

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

static int add_token(struct cfs_word_query *q, const struct cfs_word *word,
		     bool is_first, struct cfs_error *err)
{
	struct cfs_word_token *t = &q->tokens[q->n_tokens];

	if (word->is_cut)
		return cfs_error_set(err, CFS_EUSAGE, "a word that is "
				     "sought has more than %u bytes",
				     CFS_WORD_MAX);
	if (q->n_tokens == CFS_WORD_TOKENS_MAX)
		return cfs_error_set(err, CFS_EUSAGE, "more than %u words "
				     "are sought", CFS_WORD_TOKENS_MAX);
	*t = (struct cfs_word_token){ .is_joined = word->is_joined,
				      .first = is_first ? q->n_tokens :
							  t[-1].first,
				      .term = (uint32_t)q->n_terms };
	if (!is_first)
		cfs_buf_addc(&q->words, ' ');
	t->word = cfs_slice_of(q->words.p + q->words.n, word->word.n);
	cfs_buf_add(&q->words, word->word);
	q->n_tokens++;
	return q->words.failed == CFS_OK ? CFS_OK : cfs_error_nomem(err);
}

static int add_term(struct cfs_word_query *q, struct cfs_slice text,
		    struct cfs_error *err)
{
	size_t first = q->n_tokens, last, at = q->words.n;
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
			return cfs_error_set(err, CFS_EUSAGE, "more than %u "
					     "words or phrases are sought",
					     CFS_WORD_TERMS_MAX);
		rc = add_token(q, &word, q->n_tokens == first, err);
	}
	if (rc != CFS_OK || q->n_tokens == first)
		return rc;
	last = q->n_tokens - 1;
	for (size_t i = first; i <= last; i++)
		q->tokens[i].last = last;
	q->terms[q->n_terms++] = cfs_slice_from(cfs_buf_slice(&q->words), at);
	if (first == last && is_single_first)
		q->tokens[first].like = CFS_WORD_CONTAINS;
	else if (is_single_first)
		q->tokens[first].like = CFS_WORD_ENDS;
	if (first < last && is_single_last)
		q->tokens[last].like = CFS_WORD_BEGINS;
	return CFS_OK;
}

static void set_add(struct cfs_word_set *s, size_t i)
{
	s->bits[i / 64] |= UINT64_C(1) << i % 64;
}

/* Puts a word with those equal to it, or behind the others that begin with the
 * same byte. */
static void index_word(struct cfs_word_query *q, size_t i)
{
	size_t *at = &q->by_byte[q->tokens[i].word.p[0]];

	while (*at != 0 && !cfs_slice_eq(q->tokens[*at - 1].word,
					 q->tokens[i].word))
		at = &q->tokens[*at - 1].next;
	if (*at == 0)
		*at = i + 1;
	set_add(&q->tokens[*at - 1].same, i);
}

static void make_sets(struct cfs_word_query *q)
{
	for (size_t i = 0; i < q->n_tokens; i++) {
		const struct cfs_word_token *t = &q->tokens[i];

		if (t->first == i)
			set_add(&q->firsts, i);
		if (t->last == i)
			set_add(&q->lasts, i);
		if (t->is_joined)
			set_add(&q->joined, i);
		if (t->like == CFS_WORD_EQUALS)
			set_add(&q->equal, i);
		index_word(q, i);
	}
}

static int parse_all(struct cfs_word_query *q, struct cfs_slice typed,
		     struct cfs_error *err)
{
	struct cfs_slice term;
	int rc = CFS_OK;

	if (typed.n > CFS_WORD_QUERY_MAX)
		return cfs_error_set(err, CFS_EUSAGE, "what is sought has "
				     "more than %u bytes", CFS_WORD_QUERY_MAX);
	cfs_buf_init(&q->words, WORDS_PER_BYTE * typed.n);
	if (cfs_buf_reserve(&q->words, WORDS_PER_BYTE * typed.n) != CFS_OK)
		return cfs_error_nomem(err);
	while (rc == CFS_OK && next_term(&typed, &term))
		rc = add_term(q, term, err);
	if (rc == CFS_OK && q->n_terms == 0)
		rc = cfs_error_set(err, CFS_EUSAGE,
				   "what is sought has no word");
	if (rc == CFS_OK)
		make_sets(q);
	return rc;
}

int cfs_word_query_parse(struct cfs_word_query **out, struct cfs_slice typed,
			 struct cfs_error *err)
{
	struct cfs_word_query *q = calloc(1, sizeof(*q));
	int rc = q == NULL ? cfs_error_nomem(err) : parse_all(q, typed, err);

	if (rc != CFS_OK) {
		cfs_word_query_free(q);
		q = NULL;
	}
	*out = q;
	return rc;
}

void cfs_word_query_free(struct cfs_word_query *q)
{
	if (q == NULL)
		return;
	cfs_buf_release(&q->words);
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

/* Words have no control characters. */
int cfs_word_query_key(const struct cfs_word_query *q, struct cfs_buf *out)
{
	for (size_t i = 0; i < q->n_tokens; i++) {
		const struct cfs_word_token *t = &q->tokens[i];

		cfs_buf_addc(out, (uint8_t)(1 + t->like + 4 * t->is_joined +
					    8 * (t->first == i)));
		cfs_buf_add(out, t->word);
	}
	return out->failed;
}

/* ---- matching ---- */

/* The words of the query that the words of a text up to here end with, each
 * with those before it in its term. */
struct progress {
	const struct cfs_word_query *q;
	struct cfs_word_set at;
	uint64_t n;			/* words of the text so far */
	size_t from[CFS_WORD_TOKENS_MAX];	/* where the last ones begin */
};

static void progress_init(struct progress *p, const struct cfs_word_query *q)
{
	p->q = q;
	p->at = (struct cfs_word_set){ { 0 } };
	p->n = 0;
}

/* The words of the query that a word of the text is like. */
static struct cfs_word_set alike(const struct cfs_word_query *q,
				 const struct cfs_word *word)
{
	struct cfs_word_set s = { { 0 } };
	size_t at = q->by_byte[word->word.p[0]];

	if (word->is_cut)
		return s;
	while (at != 0 && !cfs_slice_eq(q->tokens[at - 1].word, word->word))
		at = q->tokens[at - 1].next;
	for (size_t i = 0; at != 0 && i < CFS_WORD_TOKENS_MAX / 64; i++)
		s.bits[i] = q->tokens[at - 1].same.bits[i] & q->equal.bits[i];
	if (!word->is_pair && !word->is_single)
		return s;
	/* These are the first or the last ones of their terms. */
	for (size_t i = 0; i < q->n_tokens; i = q->tokens[i].last + 1) {
		const struct cfs_word_token *t = &q->tokens[i];
		size_t last = t->last;

		if (t->like != CFS_WORD_EQUALS &&
		    cfs_word_is_like(word->word, t->word, t->like))
			set_add(&s, i);
		t = &q->tokens[last];
		if (t->like != CFS_WORD_EQUALS &&
		    cfs_word_is_like(word->word, t->word, t->like))
			set_add(&s, last);
	}
	return s;
}

/* Goes on by a word of the text.  True if a term ends with it. */
static bool progress_step(struct progress *p, const struct cfs_word *word)
{
	const struct cfs_word_query *q = p->q;
	struct cfs_word_set like = alike(q, word);
	uint64_t carry = 0, ended = 0;

	p->from[p->n++ % CFS_WORD_TOKENS_MAX] = word->from;
	for (size_t i = 0; i < CFS_WORD_TOKENS_MAX / 64; i++) {
		uint64_t joined = word->is_joined ? q->joined.bits[i] :
						    ~q->joined.bits[i];
		uint64_t next = p->at.bits[i] << 1 | carry;

		carry = p->at.bits[i] >> 63;
		p->at.bits[i] = ((next & joined) | q->firsts.bits[i]) &
				like.bits[i];
		ended |= p->at.bits[i] & q->lasts.bits[i];
	}
	return ended != 0;
}

/* The first word from `i` on that is the last one of a term which ends here;
 * n_tokens if there is none. */
static size_t next_ended(const struct progress *p, size_t i)
{
	const struct cfs_word_query *q = p->q;

	for (; i < q->n_tokens; i++) {
		uint64_t ended = p->at.bits[i / 64] & q->lasts.bits[i / 64];

		if ((ended >> i % 64 & 1) != 0)
			break;
	}
	return i;
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
		for (size_t i = next_ended(&p, 0); i < q->n_tokens;
		     i = next_ended(&p, i + 1)) {
			left -= !has[q->tokens[i].term];
			has[q->tokens[i].term] = true;
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
		for (size_t i = next_ended(&p, 0); i < q->n_tokens && n < max;
		     i = next_ended(&p, i + 1)) {
			const struct cfs_word_token *t = &q->tokens[i];
			uint64_t first = p.n - 1 - (i - t->first);

			out[n++] = (struct cfs_word_place){
				t->term, p.from[first % CFS_WORD_TOKENS_MAX],
				word.to };
		}
	}
	return n;
}

/* snippets.c - chooses the parts of a text that show best where the terms of a
 * query are (see results.h).
 *
 * A candidate begins a little before a place of a term and has the places
 * behind it, up to the end of the line or CFS_SNIPPET_BYTES.  That with most
 * terms that are not shown yet is taken; of equal ones a sentence before a
 * short line, which is likely a menu's, then that with most places, then the
 * first one.  A part without a further term is taken only if it is a sentence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "results.h"

/* Places that are looked at: a text with more shows the terms among these. */
#define PLACES_MAX ((size_t)4096)
/* Bytes of the line that are shown before the first place. */
#define BYTES_BEFORE ((size_t)80)
/* A line of so many bytes is likely a sentence. */
#define SENTENCE_BYTES ((size_t)60)
/* A word is not cut if a blank is as near as this. */
#define WORD_BYTES ((size_t)24)

_Static_assert(CFS_WORD_TERMS_MAX <= 32, "terms are bits");

struct snippets {
	struct cfs_slice text;
	struct cfs_word_place *places;	/* by their beginnings */
	size_t n;
	uint32_t shown;			/* terms, as bits */
	struct cfs_snippet *out;
	unsigned n_out;
};

static int places_by_begin(const void *a, const void *b)
{
	const struct cfs_word_place *x = a, *y = b;

	if (x->from != y->from)
		return x->from > y->from ? 1 : -1;
	return (x->to > y->to) - (x->to < y->to);
}

/* ---- one candidate ------------------------------------------------------- */

static bool is_inside_char(struct cfs_slice text, size_t at)
{
	return at < text.n && (text.p[at] & 0xc0) == 0x80;
}

/* Moves the beginning of a part forward, behind the next blank, or else to that
 * of a character. */
static size_t begin_at_word(struct cfs_slice text, size_t at, size_t max)
{
	size_t end = at + WORD_BYTES < max ? at + WORD_BYTES : max;
	ptrdiff_t n = cfs_slice_find(cfs_slice_sub(text, at, end - at), ' ');

	if (n >= 0)
		return at + (size_t)n + 1;
	while (at < max && is_inside_char(text, at))
		at++;
	return at;
}

/* Moves the end of a part back likewise. */
static size_t end_at_word(struct cfs_slice text, size_t at, size_t min)
{
	size_t begin = at > min + WORD_BYTES ? at - WORD_BYTES : min;
	ptrdiff_t n = cfs_slice_rfind(cfs_slice_sub(text, begin, at - begin),
				      ' ');

	if (n > 0)
		return begin + (size_t)n;
	while (at > min && is_inside_char(text, at))
		at--;
	return at;
}

/* Makes *out the part that begins before place i.  It looks no farther than the
 * part may reach: the line may be the whole text. */
static void make_part(const struct snippets *s, size_t i,
		      struct cfs_snippet *out)
{
	size_t at = s->places[i].from, from = 0, to;
	struct cfs_slice rest;
	ptrdiff_t n;

	*out = (struct cfs_snippet){ .n_marks = 0 };
	if (at > BYTES_BEFORE)
		from = at - BYTES_BEFORE;
	n = cfs_slice_rfind(cfs_slice_sub(s->text, from, at - from), '\n');
	if (n >= 0)
		from += (size_t)n + 1;
	else if (from > 0)
		out->is_cut_before = true;
	if (out->is_cut_before)
		from = begin_at_word(s->text, from, at);
	rest = cfs_slice_sub(s->text, from, CFS_SNIPPET_BYTES);
	n = cfs_slice_find(rest, '\n');
	to = from + (n >= 0 ? (size_t)n : rest.n);
	out->is_cut_behind = n < 0 && to < s->text.n;
	if (out->is_cut_behind)
		to = end_at_word(s->text, to, at + 1);
	out->from = from;
	out->text = cfs_slice_sub(s->text, from, to - from);
}

/* The terms that places from i on have in the part, and their number in
 * *n. */
static uint32_t terms_of(const struct snippets *s, size_t i,
			 const struct cfs_snippet *part, unsigned *n)
{
	uint32_t terms = 0;

	for (*n = 0; i < s->n &&
		     s->places[i].from < part->from + part->text.n; i++) {
		terms |= UINT32_C(1) << s->places[i].term;
		++*n;
	}
	return terms;
}

/* True if a part is shown already, there or elsewhere. */
static bool is_shown(const struct snippets *s, const struct cfs_snippet *part)
{
	for (unsigned i = 0; i < s->n_out; i++) {
		const struct cfs_snippet *o = &s->out[i];

		if ((part->from < o->from + o->text.n &&
		     o->from < part->from + part->text.n) ||
		    cfs_slice_eq(o->text, part->text))
			return true;
	}
	return false;
}

/* ---- the best ones ------------------------------------------------------- */

/* The score of a part with n places, and with terms that are not shown yet; 0:
 * it is not worth showing. */
static unsigned score_of(const struct snippets *s,
			 const struct cfs_snippet *part, uint32_t new_terms,
			 unsigned n)
{
	unsigned terms = (unsigned)__builtin_popcount(new_terms);
	bool is_sentence = part->text.n >= SENTENCE_BYTES;

	if (terms == 0 && !is_sentence && s->n_out > 0)
		return 0;
	return terms << 16 | (unsigned)is_sentence << 12 |
	       (n < 0xfff ? n : 0xfff);
}

/* Takes the best part that is not shown yet.  False: there is none. */
static bool take_best(struct snippets *s)
{
	struct cfs_snippet part, best = { .from = 0 };
	unsigned n, best_score = 0, score;
	uint32_t terms, best_terms = 0;
	size_t skip_to = 0;

	for (size_t i = 0; i < s->n; i++) {
		/* a line that is shown whole from its begin has one part */
		if (s->places[i].from < skip_to)
			continue;
		make_part(s, i, &part);
		if (!part.is_cut_before && !part.is_cut_behind)
			skip_to = part.from + part.text.n;
		terms = terms_of(s, i, &part, &n);
		score = score_of(s, &part, terms & ~s->shown, n);
		if (score <= best_score || is_shown(s, &part))
			continue;
		best = part;
		best_score = score;
		best_terms = terms;
	}
	if (best_score == 0)
		return false;
	s->shown |= best_terms;
	s->out[s->n_out++] = best;
	return true;
}

/* Makes marks of the places that the bytes [from, to) have, those that overlap
 * as one.  Returns their number. */
static size_t make_marks(const struct cfs_word_place *places, size_t n,
			 size_t from, size_t to, struct cfs_mark *out,
			 size_t max)
{
	size_t made = 0;

	for (size_t i = 0; i < n && places[i].from < to; i++) {
		struct cfs_word_place at = places[i];

		if (at.to <= from)
			continue;
		at.from = at.from > from ? at.from - from : 0;
		at.to = (at.to < to ? at.to : to) - from;
		if (made > 0 && at.from < out[made - 1].to) {
			if (out[made - 1].to < at.to)
				out[made - 1].to = at.to;
		} else if (made < max) {
			out[made++] = (struct cfs_mark){ at.from, at.to };
		}
	}
	return made;
}

/* Puts the parts in the order of the text, and numbers their lines. */
static void order_parts(struct snippets *s)
{
	uint64_t line = 1;
	size_t at = 0;

	for (unsigned i = 1; i < s->n_out; i++) {
		struct cfs_snippet part = s->out[i];
		unsigned j = i;

		for (; j > 0 && s->out[j - 1].from > part.from; j--)
			s->out[j] = s->out[j - 1];
		s->out[j] = part;
	}
	for (unsigned i = 0; i < s->n_out; i++) {
		for (; at < s->out[i].from; at++)
			line += s->text.p[at] == '\n';
		s->out[i].line = line;
		s->out[i].n_marks = make_marks(s->places, s->n, at,
			at + s->out[i].text.n, s->out[i].marks,
			CFS_SNIPPET_MARKS_MAX);
	}
}

/* Finds the places of a query, by their beginnings; free them.  0 or
 * CFS_ENOMEM. */
static int find_places(const struct cfs_word_query *q, struct cfs_slice text,
		       struct cfs_word_place **out, size_t *n,
		       struct cfs_error *err)
{
	struct cfs_word_place *v = malloc(PLACES_MAX * sizeof(*v));

	*out = v;
	*n = 0;
	if (v == NULL)
		return cfs_error_nomem(err);
	*n = cfs_word_query_places(q, text, v, PLACES_MAX);
	if (*n > 0)
		qsort(v, *n, sizeof(*v), places_by_begin);
	return CFS_OK;
}

int cfs_marks_find(const struct cfs_word_query *q, struct cfs_slice text,
		   struct cfs_mark *out, size_t max, size_t *n,
		   struct cfs_error *err)
{
	struct cfs_word_place *places;
	size_t n_places;
	int rc = find_places(q, text, &places, &n_places, err);

	*n = make_marks(places, n_places, 0, text.n, out, max);
	free(places);
	return rc;
}

int cfs_snippets_find(const struct cfs_word_query *q, struct cfs_slice text,
		      struct cfs_snippet out[CFS_SNIPPETS_MAX], unsigned *n,
		      struct cfs_error *err)
{
	struct snippets s = { .text = text, .out = out };
	int rc = find_places(q, text, &s.places, &s.n, err);

	while (s.n_out < CFS_SNIPPETS_MAX && take_best(&s))
		;
	order_parts(&s);
	*n = s.n_out;
	free(s.places);
	return rc;
}

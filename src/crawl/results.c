/* results.c - pages that match a query, ranked and counted (see results.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "results.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/clamp.h"
#include "base/lru.h"
#include "base/mime.h"
#include "base/strtab.h"
#include "base/timestamp.h"

/* Bytes of the values of facets, all together. */
#define TEXTS_MAX ((size_t)16 << 20)
/* Bytes of words that are near those of a query. */
#define NEAR_BYTES ((size_t)64 << 10)

/* Texts that are asked at first; then half as many as before, or so. */
#define TEXTS_AT_FIRST 512u

/* Captures of one crawl on their way into the results. */
struct adding {
	struct cfs_results *r;
	struct cfs_crawl *c;
	unsigned source;
	struct cfs_lru_ref *ref;	/* NULL: the crawl has no list */
	struct cfs_search_answer *answer;
	size_t n;			/* captures of it that are looked at */
	size_t *which;			/* those of them that are wanted */
	size_t n_which;
	struct cfs_iter it;
	/* The page seen last, its host as keys and as people have it: */
	struct cfs_buf key, labels, host;
	bool has_page;
	bool is_on_host;		/* it is on the host that is wanted */
	bool is_kept;			/* it is the last of the results */
	struct cfs_path path;		/* scratch */
	struct cfs_buf text;		/* likewise */
	uint32_t last[CFS_FACETS];	/* the value counted last */
	bool has_last[CFS_FACETS];
};

/* A page whose texts have to be asked. */
struct asked_page {
	double score;			/* the greatest that it may have, or
					 * has: settle_page */
	unsigned source;
	size_t from, n;			/* captures, in `which` */
};

void cfs_results_release(struct cfs_results *r)
{
	cfs_budget_sub(r->budget, CFS_MEM_VIEWS, r->accounted);
	free(r->v);
	free(r->values);
	cfs_strtab_free(r->texts);
}

/* ---- facets -------------------------------------------------------------- */

/* Counts the page seen last for a value.  Values beyond the limits are not
 * counted. */
static int count_value(struct adding *a, enum cfs_facet facet,
		       struct cfs_slice text)
{
	struct cfs_results *r = a->r;
	struct cfs_facet_value *value;
	uint32_t i = a->last[facet];
	int rc = CFS_OK;

	if (text.n == 0)
		return CFS_OK;
	if (!a->has_last[facet] || !cfs_slice_eq(r->values[i].text, text)) {
		cfs_buf_reset(&a->text);
		cfs_buf_addc(&a->text, (uint8_t)facet);
		cfs_buf_add(&a->text, text);
		rc = cfs_strtab_add_up_to(r->texts, cfs_buf_slice(&a->text),
					  CFS_RESULTS_VALUES_MAX, &i);
	}
	if (rc == CFS_OK && i >= r->n_values)
		rc = cfs_array_reserve((void **)&r->values, &r->values_room,
				       (size_t)i + 1, sizeof(*r->values),
				       CFS_RESULTS_VALUES_MAX);
	if (rc != CFS_OK)
		return rc == CFS_ELIMIT ? CFS_OK : rc;
	value = &r->values[i];
	if (i >= r->n_values) {
		*value = (struct cfs_facet_value){ .facet = facet, .text =
			cfs_slice_from(cfs_strtab_get(r->texts, i), 1) };
		r->n_values = (size_t)i + 1;
	}
	a->last[facet] = i;
	a->has_last[facet] = true;
	if (value->last != r->n) {
		value->last = r->n;
		value->pages++;
	}
	return CFS_OK;
}

/* Counts a capture that is kept, of the page seen last. */
static int count_capture(struct adding *a, const struct cfs_capture *cap)
{
	struct cfs_slice mime = cfs_mime_type(cap->mime);
	struct cfs_slice languages = cap->languages;
	uint8_t lower[CFS_MIME_MAX];
	char time[CFS_TIME_14_BYTES];
	int rc;

	mime = cfs_slice_sub(mime, 0, sizeof(lower));
	for (size_t i = 0; i < mime.n; i++)
		lower[i] = cfs_ascii_lower(mime.p[i]);
	rc = count_value(a, CFS_FACET_TYPE, cfs_slice_of(lower, mime.n));
	cfs_time_format_14(cap->time, time);
	if (rc == CFS_OK && cap->time != 0)
		rc = count_value(a, CFS_FACET_YEAR, cfs_slice_of(time, 4));
	if (rc == CFS_OK)
		rc = count_value(a, CFS_FACET_LANGUAGE,
				 cfs_slice_split(&languages, ','));
	return rc;
}

/* ---- captures ------------------------------------------------------------ */

/* True if a host is the one that is wanted ("*.example.com": or below it). */
static bool is_wanted_host(struct cfs_slice wanted, struct cfs_slice host)
{
	struct cfs_slice base;

	if (!cfs_slice_starts(wanted, CFS_SLICE_LIT("*.")))
		return wanted.n == 0 || cfs_slice_eq_nocase(wanted, host);
	base = cfs_slice_from(wanted, 2);
	if (host.n > base.n && host.p[host.n - base.n - 1] != '.')
		return false;
	return host.n >= base.n &&
	       cfs_slice_eq_nocase(cfs_slice_from(host, host.n - base.n), base);
}

/* Notes the page of the entry that the iterator is at, and whether it is on the
 * host that is wanted.  0; CFS_ENOTFOUND: it is none of the tree's. */
static int see_page(struct adding *a)
{
	int rc;

	if (a->has_page &&
	    cfs_slice_eq(a->it.key, cfs_buf_slice(&a->key)))
		return CFS_OK;
	a->has_page = false;
	a->is_kept = false;
	rc = cfs_index_split(a->it.ix, a->it.key, &a->path);
	if (rc != CFS_OK)
		return rc;
	cfs_buf_reset(&a->key);
	cfs_buf_reset(&a->labels);
	cfs_buf_reset(&a->host);
	cfs_buf_add(&a->key, a->it.key);
	cfs_path_add_host(&a->labels, &a->path, '.');
	cfs_path_reverse_labels(&a->host, cfs_buf_slice(&a->labels), '.', '.');
	a->is_on_host = is_wanted_host(a->r->host, cfs_buf_slice(&a->host));
	a->has_page = true;
	return a->host.failed;
}

/* Adds a capture to the results, as a further one of the page seen last or as
 * the first one of a new result. */
static int keep_capture(struct adding *a, const struct cfs_capture *cap,
			cfs_pos pos, double score)
{
	struct cfs_results *r = a->r;
	int rc = CFS_OK;

	if (!a->is_kept) {
		rc = cfs_array_reserve((void **)&r->v, &r->room, r->n + 1,
				       sizeof(*r->v), CFS_RESULTS_CAPTURES_MAX);
		if (rc != CFS_OK)
			return rc;
		r->v[r->n] = (struct cfs_result){ .source = a->source,
			.pos = pos, .score = score,
			.number = (uint32_t)r->n };
		r->n++;
		a->is_kept = true;
		rc = count_value(a, CFS_FACET_HOST, cfs_buf_slice(&a->host));
	}
	r->v[r->n - 1].captures++;
	r->captures++;
	if (score > r->v[r->n - 1].score) {
		r->v[r->n - 1].score = score;
		r->v[r->n - 1].pos = pos;
	}
	return rc == CFS_OK ? count_capture(a, cap) : rc;
}

/* Reads the capture at a position.  0; CFS_ENOTFOUND: it is not wanted, or
 * damage hides it. */
static int see_capture(struct adding *a, cfs_pos pos, struct cfs_capture *cap,
		       struct cfs_ctx ctx)
{
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_traits traits;
	int rc = cfs_index_at(a->c->index, pos, &a->it,
			      CFS_CTX(ctx.cancel, &own));

	if (rc == CFS_OK)
		rc = cfs_index_capture(&a->it, cap, &own);
	if (rc == CFS_OK)
		rc = see_page(a);
	if (rc == CFS_OK) {
		traits = cfs_traits_of(cap);
		if (!a->is_on_host ||
		    cfs_conditions_failed(a->r->conditions, &traits) != 0)
			rc = CFS_ENOTFOUND;
		return rc;
	}
	if (rc == CFS_EFORMAT && a->r->hole.code == CFS_OK)
		a->r->hole = own;
	if (rc == CFS_EFORMAT || rc == CFS_ENOTFOUND)
		return CFS_ENOTFOUND;
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(ctx.err);
	return cfs_error_pass(ctx.err, &own, rc);
}

/* Adds capture i of the answer, if it is wanted and its text matches. */
static int add_capture(struct adding *a, size_t i, struct cfs_ctx ctx)
{
	const struct cfs_search_answer *w = a->answer;
	struct cfs_capture cap;
	int rc;

	if (w->texts[i] != CFS_TEXT_MATCHES)
		return CFS_OK;
	rc = see_capture(a, w->found.v[i], &cap, ctx);
	if (rc == CFS_OK)
		rc = keep_capture(a, &cap, w->found.v[i], w->scores[i]);
	return rc == CFS_ENOTFOUND ? CFS_OK : rc;
}

static int add_all_captures(struct adding *a, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	for (size_t i = 0; rc == CFS_OK && i < a->n; i++) {
		if (i % 1024 == 0 && cfs_cancelled(ctx.cancel))
			rc = CFS_EINTR;
		else
			rc = add_capture(a, i, ctx);
	}
	return rc;
}

/* Gets the answer of a crawl, and accounts for what becomes of it until the
 * results are released. */
static int begin_crawl(struct adding *a, struct cfs_ctx ctx)
{
	struct cfs_results *r = a->r;
	uint64_t left = CFS_RESULTS_CAPTURES_MAX - r->looked_at, bytes;
	int rc = cfs_crawl_answer(a->c, r->query, &a->ref, ctx);

	cfs_iter_init(&a->it);
	cfs_buf_init(&a->key, CFS_KEY_MAX);
	cfs_buf_init(&a->labels, CFS_KEY_MAX);
	cfs_buf_init(&a->host, CFS_KEY_MAX);
	cfs_buf_init(&a->text, CFS_KEY_MAX + 1);
	if (rc != CFS_OK)
		return rc;
	a->answer = cfs_lru_obj(a->ref);
	r->unread += a->answer->found.unread;
	r->has_more = r->has_more || a->answer->found.n > left;
	a->n = (size_t)cfs_clamp_u64(a->answer->found.n, 0, left);
	r->looked_at += a->n;
	bytes = a->n * (sizeof(*r->v) + sizeof(struct asked_page) +
			sizeof(*a->which));
	r->budget = a->c->budget;
	r->accounted += bytes;
	cfs_budget_add(r->budget, CFS_MEM_VIEWS, bytes);
	cfs_budget_relieve(r->budget);
	return CFS_OK;
}

static void end_crawl(struct adding *a)
{
	cfs_iter_release(&a->it);
	cfs_buf_release(&a->key);
	cfs_buf_release(&a->labels);
	cfs_buf_release(&a->host);
	cfs_buf_release(&a->text);
	free(a->which);
	cfs_lru_put(a->ref);
}

/* ---- pages whose texts have to be asked ---------------------------------- */

/* Pages of all crawls are asked best first, by the greatest score that they may
 * have.  Those that come before the next one, by what their texts say, are the
 * first results, whatever the others say. */
struct asked_pages {
	struct cfs_results *r;
	struct adding *crawls;
	struct asked_page *v;
	size_t n, room;
	size_t asked;			/* the first ones */
};

static int by_place(const void *va, const void *vb)
{
	const struct asked_page *a = va, *b = vb;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

static int best_page_first(const void *va, const void *vb)
{
	const struct asked_page *a = va, *b = vb;

	if (a->score != b->score)
		return a->score < b->score ? 1 : -1;
	return by_place(va, vb);
}

/* Lists the pages of a crawl with the captures that are wanted. */
static int list_pages(struct asked_pages *k, struct adding *a,
		      struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	a->which = malloc((a->n + 1) * sizeof(*a->which));
	if (a->which == NULL)
		return cfs_error_nomem(ctx.err);
	for (size_t i = 0; rc == CFS_OK && i < a->n; i++) {
		double score = a->answer->scores[i];
		struct cfs_capture cap;

		if (i % 1024 == 0 && cfs_cancelled(ctx.cancel))
			return CFS_EINTR;
		rc = see_capture(a, a->answer->found.v[i], &cap, ctx);
		if (rc == CFS_OK && !a->is_kept) {
			rc = cfs_array_reserve((void **)&k->v, &k->room,
					       k->n + 1, sizeof(*k->v),
					       CFS_RESULTS_CAPTURES_MAX);
			if (rc != CFS_OK)
				return cfs_error_nomem(ctx.err);
			k->v[k->n++] = (struct asked_page){ .score = score,
				.source = a->source, .from = a->n_which };
			a->is_kept = true;
		}
		if (rc == CFS_OK) {
			struct asked_page *p = &k->v[k->n - 1];

			if (score > p->score)
				p->score = score;
			p->n++;
			a->which[a->n_which++] = i;
		}
		rc = rc == CFS_ENOTFOUND ? CFS_OK : rc;
	}
	a->has_page = false;		/* they are added from the first on */
	return rc;
}

/* Makes the score of a page that of the captures that match; NO_MATCH: none
 * does. */
#define NO_MATCH (-1.0)
static void settle_page(const struct adding *a, struct asked_page *p)
{
	p->score = NO_MATCH;
	for (size_t i = p->from; i < p->from + p->n; i++) {
		size_t at = a->which[i];

		if (a->answer->texts[at] == CFS_TEXT_MATCHES &&
		    a->answer->scores[at] > p->score)
			p->score = a->answer->scores[at];
	}
}

/* Asks the texts of pages that are in the order of their places. */
static int ask_pages(struct asked_pages *k, struct asked_page *v, size_t n,
		     struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	for (size_t i = 0, to; rc == CFS_OK && i < n; i = to) {
		struct adding *a = &k->crawls[v[i].source];
		size_t *which, n_which = 0;

		for (to = i; to < n && v[to].source == v[i].source; to++)
			n_which += v[to].n;
		which = malloc(n_which * sizeof(*which));
		if (which == NULL)
			return cfs_error_nomem(ctx.err);
		n_which = 0;
		for (size_t p = i; p < to; p++)
			for (size_t w = 0; w < v[p].n; w++)
				which[n_which++] = a->which[v[p].from + w];
		rc = cfs_crawl_ask_texts(a->c, k->r->query, a->answer, which,
					 n_which, &k->r->unread, ctx);
		free(which);
		for (size_t p = i; rc == CFS_OK && p < to; p++)
			settle_page(a, &v[p]);
	}
	return rc;
}

/* True if a page that was asked is a result, and comes before all that were
 * not. */
static bool is_sure(const struct asked_pages *k, const struct asked_page *p)
{
	return p->score > NO_MATCH && (k->asked == k->n ||
		best_page_first(p, &k->v[k->asked]) < 0);
}

/* Asks further pages, until as many results are sure as are wanted. */
static int ask_enough(struct asked_pages *k, struct cfs_ctx ctx)
{
	size_t wanted = k->r->wanted, sure = 0;
	uint64_t texts = TEXTS_AT_FIRST;
	int rc = CFS_OK;

	qsort(k->v, k->n, sizeof(*k->v), best_page_first);
	while (rc == CFS_OK && k->asked < k->n &&
	       (wanted == 0 || sure < wanted)) {
		size_t from = k->asked;
		uint64_t n = 0;

		while (k->asked < k->n && (wanted == 0 || n < texts))
			n += k->v[k->asked++].n;
		qsort(k->v + from, k->asked - from, sizeof(*k->v), by_place);
		rc = ask_pages(k, k->v + from, k->asked - from, ctx);
		sure = 0;
		for (size_t i = 0; i < k->asked; i++)
			sure += is_sure(k, &k->v[i]);
		texts += texts / 2;
	}
	return rc;
}

/* Adds the pages that are sure, in the order of their places. */
static int add_pages(struct asked_pages *k, struct cfs_ctx ctx)
{
	struct cfs_results *r = k->r;
	size_t n = 0;
	int rc = CFS_OK;

	for (size_t i = k->asked; i < k->n; i++)
		r->texts_left += k->v[i].n;
	for (size_t i = 0; i < k->asked; i++)
		if (is_sure(k, &k->v[i]))
			k->v[n++] = k->v[i];
	r->has_more = r->has_more || k->asked < k->n;
	qsort(k->v, n, sizeof(*k->v), by_place);
	for (size_t i = 0; rc == CFS_OK && i < n; i++) {
		struct adding *a = &k->crawls[k->v[i].source];
		size_t to = k->v[i].from + k->v[i].n;

		for (size_t w = k->v[i].from; rc == CFS_OK && w < to; w++)
			rc = add_capture(a, a->which[w], ctx);
	}
	return rc;
}

/* Adds the pages of crawls whose texts have to be asked. */
static int add_asked(struct cfs_results *r, struct adding *all, unsigned n,
		     struct cfs_ctx ctx)
{
	struct asked_pages k = { .r = r, .crawls = all };
	int rc = CFS_OK;

	for (unsigned i = 0; rc == CFS_OK && i < n; i++)
		if (all[i].ref != NULL)
			rc = list_pages(&k, &all[i], ctx);
	if (rc == CFS_OK && k.n > 0)
		rc = ask_enough(&k, ctx);
	if (rc == CFS_OK && k.n > 0)
		rc = add_pages(&k, ctx);
	free(k.v);
	return rc;
}

/* Begins with all crawls.  CFS_ENOWORDS if none has a list. */
static int begin_all(struct adding *all, unsigned n, bool *is_sure,
		     struct cfs_error *no_words, struct cfs_ctx ctx)
{
	bool any = false;
	int rc = CFS_OK;

	for (unsigned i = 0; rc == CFS_OK && i < n; i++) {
		struct cfs_error own = CFS_ERROR_INIT;

		rc = begin_crawl(&all[i], CFS_CTX(ctx.cancel, &own));
		any = any || rc == CFS_OK;
		if (rc == CFS_OK && !all[i].answer->is_sure)
			*is_sure = false;
		if (rc == CFS_ENOWORDS) {
			cfs_error_pass(no_words, &own, rc);
			rc = CFS_OK;
		}
		cfs_error_pass(ctx.err, &own, rc);
	}
	if (rc != CFS_OK || any)
		return rc;
	return cfs_error_pass(ctx.err, no_words, CFS_ENOWORDS);
}

int cfs_results_add_all(struct cfs_results *r, struct cfs_crawl *const *crawls,
			unsigned n, struct cfs_error *no_words,
			struct cfs_ctx ctx)
{
	struct adding *all = calloc(n + 1, sizeof(*all));
	bool is_sure = true;
	int rc = CFS_OK;

	if (r->texts == NULL)
		r->texts = cfs_strtab_new(TEXTS_MAX);
	if (r->texts == NULL || all == NULL) {
		free(all);
		return cfs_error_nomem(ctx.err);
	}
	for (unsigned i = 0; i < n; i++)
		all[i] = (struct adding){ .r = r, .c = crawls[i], .source = i };
	rc = begin_all(all, n, &is_sure, no_words, ctx);
	for (unsigned i = 0; rc == CFS_OK && is_sure && i < n; i++)
		if (all[i].ref != NULL)
			rc = add_all_captures(&all[i], ctx);
	if (rc == CFS_OK && !is_sure)
		rc = add_asked(r, all, n, ctx);
	for (unsigned i = 0; i < n; i++)
		end_crawl(&all[i]);
	free(all);
	return rc;
}

/* ---- near words ---------------------------------------------------------- */

/* True if a list has a word. */
static bool has_word(struct cfs_words *list, struct cfs_slice word,
		     struct cfs_ctx ctx)
{
	struct cfs_words_walk *walk;
	struct cfs_slice found;
	uint32_t docs;
	bool has = cfs_words_walk_begin(&walk, list, word, NULL) == CFS_OK &&
		   cfs_words_next(walk, &found, &docs, ctx) == CFS_OK &&
		   cfs_slice_eq(found, word);

	cfs_words_walk_end(walk);
	return has;
}

/* Appends words of the lists that are near a term; nothing if there are none,
 * or if a list has the term. */
static int words_near(struct cfs_crawl *const *crawls, unsigned n_crawls,
		      struct cfs_slice term, size_t max, struct cfs_buf *out,
		      struct cfs_ctx ctx)
{
	const struct cfs_word_lists *lists;
	int rc = CFS_OK;

	/* a phrase has blanks, and pairs of a script without blanks too */
	if (cfs_slice_find(term, ' ') >= 0)
		return CFS_OK;
	for (unsigned i = 0; rc == CFS_OK && i < n_crawls; i++) {
		if (cfs_crawl_words(crawls[i], &lists,
				    CFS_CTX(ctx.cancel, NULL)) != CFS_OK)
			continue;
		for (unsigned m = 0; rc == CFS_OK && m < lists->n; m++) {
			if (has_word(lists->v[m], term,
				     CFS_CTX(ctx.cancel, NULL))) {
				cfs_buf_reset(out);
				return CFS_OK;
			}
			if (out->n == 0)
				rc = cfs_words_near(lists->v[m], term, max,
						    out, ctx);
		}
	}
	return rc;
}

int cfs_results_near(const struct cfs_results *r,
		     struct cfs_crawl *const *crawls, unsigned n_crawls,
		     size_t max, struct cfs_buf *out, struct cfs_ctx ctx)
{
	const struct cfs_word_query *q = r->query;
	size_t n = cfs_word_query_terms(q);
	CFS_BUF(all, NEAR_BYTES);
	CFS_BUF(words, NEAR_BYTES);
	bool is_other = false;
	int rc = CFS_OK;

	if (n == 1)
		return words_near(crawls, n_crawls, cfs_word_query_term(q, 0),
				  max, out, ctx);
	for (size_t i = 0; rc == CFS_OK && i < n; i++) {
		struct cfs_slice term = cfs_word_query_term(q, i), word;

		cfs_buf_reset(&words);
		rc = words_near(crawls, n_crawls, term, 1, &words, ctx);
		word = cfs_slice_sub(cfs_buf_slice(&words), 0,
				     words.n > 0 ? words.n - 1 : 0);
		if (word.n == 0)
			word = term;
		is_other = is_other || !cfs_slice_eq(word, term);
		cfs_buf_adds(&all, i > 0 ? " " : "");
		cfs_buf_adds(&all, cfs_slice_find(word, ' ') < 0 ? "" : "\"");
		cfs_buf_add(&all, word);
		cfs_buf_adds(&all, cfs_slice_find(word, ' ') < 0 ? "" : "\"");
	}
	if (is_other) {
		cfs_buf_add(out, cfs_buf_slice(&all));
		cfs_buf_addc(out, '\0');
	}
	return rc;
}

/* ---- the order ----------------------------------------------------------- */

static int best_first(const void *a, const void *b)
{
	const struct cfs_result *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

static int most_first(const void *a, const void *b)
{
	const struct cfs_facet_value *x = a, *y = b;

	if (x->facet != y->facet)
		return x->facet > y->facet ? 1 : -1;
	if (x->pages != y->pages)
		return x->pages < y->pages ? 1 : -1;
	return cfs_slice_cmp(x->text, y->text);
}

/* Puts a result into a heap of n, whose worst is the first, at place i. */
static void sift(struct cfs_result *heap, size_t n, size_t i)
{
	struct cfs_result item = heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < n &&
		    best_first(&heap[child + 1], &heap[child]) > 0)
			child++;
		if (child >= n || best_first(&heap[child], &item) < 0)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = item;
}

void cfs_results_sort(struct cfs_results *r, uint64_t first)
{
	size_t n = first < r->n ? (size_t)first : r->n;

	for (size_t i = n; i-- > 0 && n < r->n;)
		sift(r->v, n, i);
	for (size_t i = n; i < r->n && n > 0; i++) {
		struct cfs_result worst = r->v[0];

		if (best_first(&r->v[i], &worst) > 0)
			continue;
		r->v[0] = r->v[i];
		r->v[i] = worst;
		sift(r->v, n, 0);
	}
	if (n > 0)
		qsort(r->v, n, sizeof(*r->v), best_first);
	if (r->n_values > 0)
		qsort(r->values, r->n_values, sizeof(*r->values), most_first);
}

const struct cfs_facet_value *cfs_results_values(const struct cfs_results *r,
						 enum cfs_facet facet,
						 size_t *n)
{
	size_t from = 0, to;

	CFS_LOWER_BOUND(from, r->n_values, i, r->values[i].facet < facet);
	to = from;
	CFS_LOWER_BOUND(to, r->n_values, i, r->values[i].facet <= facet);
	*n = to - from;
	return r->values + from;
}

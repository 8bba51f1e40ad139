/* results.c - pages that match a query, ranked and counted (see results.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "results.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/mime.h"
#include "base/strtab.h"
#include "base/timestamp.h"

/* Bytes of the values of facets, all together. */
#define TEXTS_MAX ((size_t)16 << 20)
/* Bytes of words that are near those of a query. */
#define NEAR_BYTES ((size_t)64 << 10)

/* Captures of one crawl on their way into the results. */
struct adding {
	struct cfs_results *r;
	struct cfs_crawl *c;
	unsigned source;
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

/* Adds the capture at a position, if it is wanted. */
static int add_capture(struct adding *a, cfs_pos pos, double score,
		       struct cfs_ctx ctx)
{
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_capture cap;
	struct cfs_traits traits;
	int rc = cfs_index_at(a->c->index, pos, &a->it,
			      CFS_CTX(ctx.cancel, &own));

	if (rc == CFS_OK)
		rc = cfs_index_capture(&a->it, &cap, &own);
	if (rc == CFS_OK)
		rc = see_page(a);
	if (rc == CFS_OK && a->is_on_host) {
		traits = cfs_traits_of(&cap);
		if (cfs_conditions_failed(a->r->conditions, &traits) == 0)
			rc = keep_capture(a, &cap, pos, score);
	}
	if (rc == CFS_EFORMAT && a->r->hole.code == CFS_OK)
		a->r->hole = own;
	if (rc == CFS_EFORMAT || rc == CFS_ENOTFOUND)
		return CFS_OK;
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(ctx.err);
	return rc == CFS_OK ? rc : cfs_error_pass(ctx.err, &own, rc);
}

static int add_found(struct adding *a, const struct cfs_found *found,
		     const double *scores, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	cfs_iter_init(&a->it);
	cfs_buf_init(&a->key, CFS_KEY_MAX);
	cfs_buf_init(&a->labels, CFS_KEY_MAX);
	cfs_buf_init(&a->host, CFS_KEY_MAX);
	cfs_buf_init(&a->text, CFS_KEY_MAX + 1);
	for (size_t i = 0; rc == CFS_OK && i < found->n; i++) {
		if (i % 1024 == 0 && cfs_cancelled(ctx.cancel))
			rc = CFS_EINTR;
		else
			rc = add_capture(a, found->v[i], scores[i], ctx);
	}
	cfs_iter_release(&a->it);
	cfs_buf_release(&a->key);
	cfs_buf_release(&a->labels);
	cfs_buf_release(&a->host);
	cfs_buf_release(&a->text);
	return rc;
}

/* Accounts for what was found, until the results are released. */
static void account(struct cfs_results *r, struct cfs_crawl *c, size_t n)
{
	uint64_t bytes = n * (sizeof(cfs_pos) + sizeof(double) +
			      sizeof(struct cfs_ranked_capture) +
			      sizeof(*r->v));

	r->budget = c->budget;
	r->accounted += bytes;
	cfs_budget_add(c->budget, CFS_MEM_VIEWS, bytes);
	cfs_budget_relieve(c->budget);
}

/* Ranks what was found: scores[i] becomes that of capture i. */
static int rank_found(struct cfs_results *r, struct cfs_crawl *c,
		      const struct cfs_found *found, double *scores,
		      struct cfs_ctx ctx)
{
	struct cfs_ranked_capture *ranked = calloc(found->n + 1,
						   sizeof(*ranked));
	size_t n = 0;
	int rc = ranked != NULL ? CFS_OK : cfs_error_nomem(ctx.err);

	if (rc == CFS_OK)
		rc = cfs_crawl_rank(c, r->query, found, found->n, ranked, &n,
				    ctx);
	for (size_t i = 0; rc == CFS_OK && i < n; i++)
		scores[ranked[i].at] = ranked[i].score;
	free(ranked);
	return rc;
}

/* Adds the pages of a crawl that match, and counts their values. */
static int add_crawl(struct cfs_results *r, struct cfs_crawl *c,
		     unsigned source, struct cfs_ctx ctx)
{
	struct adding a = { .r = r, .c = c, .source = source };
	size_t left = CFS_RESULTS_CAPTURES_MAX - r->looked_at;
	struct cfs_found found = { .n = 0 };
	double *scores = NULL;
	int rc;

	if (r->texts == NULL)
		r->texts = cfs_strtab_new(TEXTS_MAX);
	if (r->texts == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_crawl_find(c, r->query, &found, ctx);
	if (rc == CFS_OK) {
		r->unread += found.unread;
		r->has_more = r->has_more || found.n > left;
		if (found.n > left)
			found.n = left;
		r->looked_at += found.n;
		account(r, c, found.n);
		scores = calloc(found.n + 1, sizeof(*scores));
		if (scores == NULL)
			rc = cfs_error_nomem(ctx.err);
	}
	if (rc == CFS_OK)
		rc = rank_found(r, c, &found, scores, ctx);
	if (rc == CFS_OK)
		rc = add_found(&a, &found, scores, ctx);
	free(scores);
	cfs_found_release(&found);
	return rc;
}

int cfs_results_add_all(struct cfs_results *r, struct cfs_crawl *const *crawls,
			unsigned n, struct cfs_error *no_words,
			struct cfs_ctx ctx)
{
	bool any = false;
	int rc = CFS_OK;

	for (unsigned i = 0; rc == CFS_OK && i < n; i++) {
		struct cfs_error own = CFS_ERROR_INIT;

		rc = add_crawl(r, crawls[i], i, CFS_CTX(ctx.cancel, &own));
		any = any || rc == CFS_OK;
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

/* ---- near words ---------------------------------------------------------- */

/* True if a list has a word. */
static bool has_word(struct cfs_words *list, struct cfs_slice word,
		     struct cfs_ctx ctx)
{
	struct cfs_words_walk *walk;
	struct cfs_slice found;
	uint32_t docs;
	bool has = cfs_words_walk_begin(&walk, list, word) == CFS_OK &&
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

void cfs_results_sort(struct cfs_results *r)
{
	if (r->n > 0)
		qsort(r->v, r->n, sizeof(*r->v), best_first);
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

/* page_words.c - finds what a person types in the texts of the crawls, by their
 * lists of words.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "page_frame.h"

/* Words that are named where nothing was found. */
#define NEAR_SHOWN 5u
/* The longest search; others that compute for long wait for it. */
#define SEARCH_MS 20000u
#define NEAR_BYTES ((size_t)64 << 10)

const char *const cfs_filter_names[CFS_FILTERS] = { "host", "type", "year",
						    "language", "status" };

void cfs_page_search_init(struct cfs_page_search *f)
{
	*f = (struct cfs_page_search){ .page = 1 };
	f->typed = f->names = CFS_SLICE_EMPTY;
	f->results.conditions = &f->conditions;
	f->results.host = CFS_SLICE_EMPTY;
	cfs_conditions_init(&f->conditions);
	cfs_buf_init(&f->near, NEAR_BYTES);
	for (unsigned i = 0; i < CFS_FILTERS; i++) {
		cfs_buf_init(&f->values[i], CFS_REPLY_HEAD_MAX);
		f->filters[i] = CFS_SLICE_EMPTY;
	}
}

void cfs_page_search_release(struct cfs_page_search *f)
{
	cfs_results_release(&f->results);
	cfs_conditions_release(&f->conditions);
	cfs_buf_release(&f->near);
	for (unsigned i = 0; i < CFS_FILTERS; i++)
		cfs_buf_release(&f->values[i]);
}

int cfs_page_search_can_find(struct cfs_page_search *f, bool *yes,
			struct cfs_ctx ctx)
{
	const struct cfs_word_lists *lists;
	int rc = CFS_OK;

	*yes = false;
	for (unsigned i = 0; i < f->site->n_crawls; i++) {
		struct cfs_error own = CFS_ERROR_INIT;

		rc = cfs_crawl_words(f->site->crawls[i], &lists,
				     CFS_CTX(ctx.cancel, &own));
		*yes = *yes || rc == CFS_OK;
		if (rc == CFS_ENOWORDS)
			cfs_error_pass(&f->no_words, &own, rc);
		else if (rc != CFS_OK)
			return cfs_error_pass(ctx.err, &own, rc);
	}
	return CFS_OK;
}

/* ---- the time of a search ------------------------------------------------ */

/* Searches for as long as one may: a phrase of frequent words is sought in all
 * texts that have the words, and what is near a word in the whole list. */
static int find_in_time(struct cfs_page_search *f, struct cfs_ctx ctx)
{
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_timed_cancel t;
	int rc;

	cfs_timed_cancel_begin(&t, ctx.cancel, SEARCH_MS);
	rc = cfs_results_add_all(&f->results, f->site->crawls,
				 f->site->n_crawls, &f->no_words,
				 CFS_CTX(&t.cancel, &own));
	if (rc == CFS_OK && f->results.n == 0 && !cfs_page_search_filters(f)) {
		rc = cfs_results_near(&f->results, f->site->crawls,
				      f->site->n_crawls, NEAR_SHOWN, &f->near,
				      CFS_CTX(&t.cancel, &own));
		if (rc == CFS_EINTR && t.is_late) {
			cfs_buf_reset(&f->near);
			rc = CFS_OK;
		}
	}
	if (rc == CFS_EINTR && t.is_late)
		return cfs_error_set(ctx.err, CFS_EINTR, "the search takes "
				     "more than %u seconds: rarer words, or "
				     "words without the quotes of a phrase, "
				     "are found sooner", SEARCH_MS / 1000);
	return cfs_error_pass(ctx.err, &own, rc);
}

/* Reads the filters of a query into conditions. */
static int read_filters(struct cfs_page_search *f, struct cfs_slice query,
			struct cfs_error *err)
{
	struct cfs_conditions *c = &f->conditions;
	struct cfs_buf *v = f->values;
	const char *year;
	int rc = CFS_OK;

	for (unsigned i = 0; i < CFS_FILTERS; i++) {
		cfs_query_get(query, cfs_filter_names[i], &v[i]);
		f->filters[i] = cfs_slice_trim(cfs_buf_slice(&v[i]));
		if (v[i].failed != CFS_OK ||
		    cfs_slice_find(f->filters[i], '\0') >= 0)
			return cfs_error_set(err, CFS_EUSAGE, "%s: not such a "
					     "value", cfs_filter_names[i]);
	}
	f->results.host = f->filters[CFS_FACET_HOST];
	if (f->filters[CFS_FACET_TYPE].n > 0)
		rc = cfs_conditions_add_mime(c, cfs_buf_str(&v[CFS_FACET_TYPE]),
					     err);
	if (rc == CFS_OK && f->filters[CFS_FACET_LANGUAGE].n > 0)
		rc = cfs_conditions_add_languages(
			c, cfs_buf_str(&v[CFS_FACET_LANGUAGE]), err);
	if (rc == CFS_OK && f->filters[CFS_FILTER_STATUS].n > 0)
		rc = cfs_conditions_add_status(
			c, cfs_buf_str(&v[CFS_FILTER_STATUS]), err);
	if (rc != CFS_OK || f->filters[CFS_FACET_YEAR].n == 0)
		return rc;
	year = cfs_buf_str(&v[CFS_FACET_YEAR]);
	if (cfs_dates_since(&c->dates, year) != CFS_OK ||
	    cfs_dates_until(&c->dates, year) != CFS_OK)
		rc = cfs_error_set(err, CFS_EUSAGE, "year: " CFS_DATES_REFUSAL);
	return rc;
}

int cfs_page_search_read(struct cfs_page_search *f, struct cfs_slice query,
			 struct cfs_error *err)
{
	CFS_BUF(all, CFS_REPLY_HEAD_MAX);
	int rc = read_filters(f, query, err);

	if (rc == CFS_OK)
		f->wants_all = cfs_query_get(query, "all", &all);
	return rc == CFS_OK ?
		       cfs_page_number(query, "page", 0, &f->page, err) : rc;
}

int cfs_page_search_find(struct cfs_page_search *f, struct cfs_ctx ctx)
{
	uint64_t shown = f->page * CFS_RESULTS_SHOWN;
	int rc;

	if (!f->wants_all)
		f->results.wanted = shown + 1;
	rc = find_in_time(f, ctx);
	if (rc != CFS_OK)
		return rc;
	cfs_results_sort(&f->results, shown);
	if (f->page > 1 && f->page > cfs_page_search_pages(f))
		rc = cfs_error_set(ctx.err, CFS_ENOTFOUND,
				   "the search has no such page");
	return rc;
}

/* results.h - the answer to a search: pages of crawls, best first, what they
 * have in common, and the lines of their texts that have the words.
 *
 * A result is a page, whose captures that match are counted; that which ranks
 * best stands for it.  Ranks are those of BM25, so captures of several crawls
 * have one order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_RESULTS_H
#define CFS_CRAWL_RESULTS_H

#include "index/conditions.h"
#include "search.h"

/* ---- results (results.c) ------------------------------------------------- */

/* Captures that are looked at: a second's work, and 48 bytes each. */
#define CFS_RESULTS_CAPTURES_MAX ((size_t)1 << 20)
/* Values of facets that are counted. */
#define CFS_RESULTS_VALUES_MAX 100000u

struct cfs_result {
	unsigned source;		/* the caller's number of the crawl */
	cfs_pos pos;			/* of the best capture */
	double score;
	uint32_t captures;		/* of the page, that match */
	uint32_t number;		/* in the order they came */
};

/* Results are counted by these. */
enum cfs_facet {
	CFS_FACET_HOST,			/* "www.example.com" */
	CFS_FACET_TYPE,			/* "text/html", in lower case */
	CFS_FACET_YEAR,			/* "2019" */
	CFS_FACET_LANGUAGE,		/* "eng": that of most of the text */
	CFS_FACETS
};

struct cfs_facet_value {
	struct cfs_slice text;		/* lives as long as the results */
	enum cfs_facet facet;
	uint64_t pages;			/* with a capture of that value */
	uint64_t last;			/* the page counted last; scratch */
};

/* Zeroed but for `query`, `conditions`, `host` and `wanted`: empty.  One thread
 * uses it. */
struct cfs_results {
	const struct cfs_word_query *query;	/* borrowed */
	const struct cfs_conditions *conditions;	/* captures must meet
							 * them */
	struct cfs_slice host;		/* the only host, "*.HOST": with those
					 * below it; empty: any */

	/* Where texts have to be read: stop when so many results, the first
	 * ones in their order, are known.  0: read all. */
	uint64_t wanted;

	struct cfs_result *v;
	size_t n, room;
	uint64_t captures;		/* that match, of all results */
	uint64_t looked_at;
	bool has_more;			/* further results than these may be
					 * there */
	uint64_t texts_left;		/* captures that may match, and were
					 * not asked since enough is known */
	uint64_t unread;		/* captures that may match, but whose
					 * text cannot be read */
	struct cfs_error hole;		/* damage hides captures, or values of
					 * them; else empty */
	struct cfs_facet_value *values;
	size_t n_values, values_room;
	struct cfs_strtab *texts;
	struct cfs_budget *budget;	/* accounts for v, with that many */
	uint64_t accounted;		/* bytes */
};
void cfs_results_release(struct cfs_results *r);

/*
 * Adds the pages of crawls that match, and counts their values.  The number of
 * a crawl becomes the source of its results.
 *
 * no_words  why the texts of a crawl are not searched, if it has no list of
 *           words; else as it was
 *
 * 0; CFS_ENOWORDS if none has a list; codes of cfs_crawl_find.
 */
int cfs_results_add_all(struct cfs_results *r, struct cfs_crawl *const *crawls,
			unsigned n, struct cfs_error *no_words,
			struct cfs_ctx ctx);

/* The last step: sorts results, so that the `first` best ones come first, in
 * order, and values by their facets, that of most pages first. */
void cfs_results_sort(struct cfs_results *r, uint64_t first);

/* The values of a facet; lent. */
const struct cfs_facet_value *cfs_results_values(const struct cfs_results *r,
						 enum cfs_facet facet,
						 size_t *n);

/* Appends queries that would find more than one that has found nothing, at most
 * max, a NUL behind each: for one word those near it, for several the query
 * with each replaced by the nearest one.  0, or a failure of reading. */
int cfs_results_near(const struct cfs_results *r,
		     struct cfs_crawl *const *crawls, unsigned n_crawls,
		     size_t max, struct cfs_buf *out, struct cfs_ctx ctx);

/* ---- lines with the words (snippets.c) ----------------------------------- */

/* Where a text has terms of a query: bytes [from, to).  Marks ascend, and do
 * not overlap. */
struct cfs_mark {
	size_t from, to;
};

/* Finds the marks of a text, at most max.  0 or CFS_ENOMEM. */
int cfs_marks_find(const struct cfs_word_query *q, struct cfs_slice text,
		   struct cfs_mark *out, size_t max, size_t *n,
		   struct cfs_error *err);

#define CFS_SNIPPETS_MAX 3u
#define CFS_SNIPPET_BYTES ((size_t)240)
#define CFS_SNIPPET_MARKS_MAX 16u

struct cfs_snippet {
	struct cfs_slice text;		/* a line, or a part of one that begins
					 * and ends with whole characters;
					 * borrowed from the whole text */
	size_t from;			/* where it begins in that */
	uint64_t line;			/* the number of the line, from 1 */
	bool is_cut_before, is_cut_behind;
	struct cfs_mark marks[CFS_SNIPPET_MARKS_MAX];
	size_t n_marks;
};

/* Chooses the parts of a text that show best where the terms of a query are, in
 * the order of the text; none if it has no term.  Time is linear in the text.
 * 0 or CFS_ENOMEM. */
int cfs_snippets_find(const struct cfs_word_query *q, struct cfs_slice text,
		      struct cfs_snippet out[CFS_SNIPPETS_MAX], unsigned *n,
		      struct cfs_error *err);

#endif

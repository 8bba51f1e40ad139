/* cdx_server_internal.h - parts of the CDX server: expressions, the query, a
 * row of the answer, and the forms that rows have.
 *
 * The interface is that of the CDX servers of pywb and of the Wayback Machine:
 * crawlfs-serve(1), "CDX SERVER".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_CDX_SERVER_INTERNAL_H
#define CFS_SERVE_CDX_SERVER_INTERNAL_H

#include <time.h>

#include "crawl/cdx_row.h"
#include "exchange.h"
#include "index/dates.h"
#include "index/index_walk.h"

/* ---- expressions (pattern.c) ---- */

/* The longest expression. */
#define CFS_PATTERN_MAX 1024u
/* The time that the expressions of one query may take, for all its rows.  A
 * query that uses it up is to be answered in 5 s, also by a machine that does
 * other things meanwhile, and if compiling took long. */
#define CFS_PATTERN_QUERY_NS INT64_C(1000000000)

struct cfs_pattern;		/* used by one thread at a time */

/* The time left of it, in nanoseconds, and its clock: clock_ns returns the
 * nanoseconds of a clock of clock_gettime(2); NULL: the system's. */
struct cfs_pattern_time {
	int64_t left_ns;
	int64_t (*clock_ns)(clockid_t clock);
};

/*
 * Compiles a regular expression, in ICU's syntax.  The time of the processor
 * that this takes is subtracted from what is left.
 *
 * Returns 0; CFS_EUSAGE with what is wrong, also if no time was left before;
 * CFS_ENOMEM.
 */
int cfs_pattern_new(struct cfs_pattern **out, struct cfs_slice text,
		    struct cfs_pattern_time *time, struct cfs_error *err);
void cfs_pattern_free(struct cfs_pattern *p);	/* accepts NULL */

/*
 * Sets *is to whether the beginning of a text matches, or with `whole` all of
 * it.  The time that this takes is subtracted from what is left.
 *
 * Returns 0; CFS_EUSAGE if the time or the memory for one match was used up;
 * CFS_EINTR; CFS_ENOMEM.
 */
int cfs_pattern_matches(struct cfs_pattern *p, struct cfs_slice text,
			bool whole, struct cfs_pattern_time *time, bool *is,
			struct cfs_ctx ctx);

/* ---- the query (cdx_query.c) ---- */

enum cfs_cdx_match {
	CFS_MATCH_EXACT, CFS_MATCH_PREFIX, CFS_MATCH_HOST, CFS_MATCH_DOMAIN
};

enum cfs_cdx_output {
	CFS_OUTPUT_CDXJ,		/* key, time and an object, on a line */
	CFS_OUTPUT_TABLE,		/* an array of arrays */
	CFS_OUTPUT_LINES,		/* an object on a line */
	CFS_OUTPUT_TEXT,		/* fields with blanks between them */
};

enum cfs_cdx_sort {
	CFS_SORT_NONE,			/* the order of the index */
	CFS_SORT_REVERSE,
	CFS_SORT_CLOSEST,
	CFS_SORT_LAST,			/* the last ones, in the usual order */
};

/* Conditions; and rows that are sorted, which take 64 bytes of memory each. */
#define CFS_CDX_FILTERS_MAX 16u
#define CFS_CDX_SORTED_MAX ((size_t)32768)
/* A page has so many blocks, of so many captures each, as of a ZipNum index. */
#define CFS_CDX_PAGE_BLOCKS 5u
#define CFS_CDX_PAGE_BLOCKS_MAX 1000u
#define CFS_CDX_BLOCK 3000u

struct cfs_cdx_filter {
	enum cfs_cdx_key key;
	bool is_not;
	enum { CFS_FILTER_HAS, CFS_FILTER_IS, CFS_FILTER_BEGINS,
	       CFS_FILTER_WHOLE } how;	/* the last two: `pattern` */
	struct cfs_buf text;
	struct cfs_pattern *pattern;
};

struct cfs_cdx_query {
	struct cfs_buf url;		/* with its scheme, without a `*` */
	enum cfs_cdx_match match;
	bool has_match;			/* matchType was given */
	struct cfs_dates dates;
	enum cfs_cdx_sort sort;
	int64_t closest;
	uint64_t limit;			/* 0: none */
	uint64_t page, page_blocks;
	bool has_page, wants_pages;	/* wants_pages: only their number */
	enum cfs_cdx_output output;
	struct cfs_cdx_filter filters[CFS_CDX_FILTERS_MAX];
	unsigned n_filters;
	bool may_take_long;		/* expressions are compiled */
	struct cfs_pattern_time time;	/* for its expressions */
	enum cfs_cdx_key fields[CFS_CDX_KEYS];
	const char *names[CFS_CDX_KEYS];	/* as the client calls them */
	unsigned n_fields;		/* 0: the usual ones */
};

/* Reads a query.  0; CFS_ROUTE_TAKES_LONG if it has an expression, unless it
 * may take long; CFS_EUSAGE with a sentence; CFS_ENOMEM.  Release *out in any
 * case. */
int cfs_cdx_query_read(struct cfs_cdx_query *out, struct cfs_slice query,
		       bool may_take_long, struct cfs_error *err);
void cfs_cdx_query_release(struct cfs_cdx_query *q);

/* ---- rows (cdx_forms.c) ---- */

/* Sets *passes to whether a row meets all filters.  0, or a failure of
 * cfs_pattern_matches. */
int cfs_cdx_row_passes(const struct cfs_cdx_row *r, struct cfs_cdx_query *q,
		       bool *passes, struct cfs_ctx ctx);

/* Append one row to an answer (is_first: there was none before it), and its
 * end. */
void cfs_cdx_row_write(const struct cfs_cdx_row *r,
		       const struct cfs_cdx_query *q, bool is_first,
		       struct cfs_buf *out);
void cfs_cdx_row_end(const struct cfs_cdx_query *q, bool is_empty,
		     struct cfs_buf *out);

/* ---- captures in order (cdx_streams.c) ---- */

/* A capture, and its row once that was needed. */
struct cfs_cdx_head {
	unsigned crawl;
	struct cfs_index_walk *w;	/* stands on it, and has taken it */
	struct cfs_cdx_row row;
	bool has_row;
};

/* holes: as of index/index_walk.h.  0 or CFS_ENOMEM; release it in any case. */
int cfs_cdx_head_init(struct cfs_cdx_head *h, const struct cfs_site *site,
		      unsigned crawl, struct cfs_holes *holes,
		      struct cfs_error *err);
void cfs_cdx_head_release(struct cfs_cdx_head *h);
/* Fills the row, unless it is.  0 or a failure. */
int cfs_cdx_head_fill(struct cfs_cdx_head *h, const struct cfs_site *site,
		      struct cfs_error *err);

/* The captures that a query covers.  Used by one thread at a time. */
struct cfs_cdx_streams;

/* Both are borrowed.  0 or CFS_ENOMEM; free *out in any case. */
int cfs_cdx_streams_new(struct cfs_cdx_streams **out, struct cfs_site *site,
			const struct cfs_cdx_query *q, struct cfs_error *err);
void cfs_cdx_streams_free(struct cfs_cdx_streams *x);	/* accepts NULL */

/* The index in which a damaged block was stepped over; NULL: none was. */
const struct cfs_index *cfs_cdx_streams_hole(struct cfs_cdx_streams *x);

/* Moves on a little.  Sets *out to the next capture in order, which is lent
 * until the next call; to NULL if it is to be called again.  0; CFS_END; or a
 * failure, after which only cfs_cdx_streams_free may be called. */
int cfs_cdx_streams_step(struct cfs_cdx_streams *x, struct cfs_cdx_head **out,
			 struct cfs_ctx ctx);

#endif

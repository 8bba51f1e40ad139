/* cdx_answer.c - the CDX server: which captures of a URL there are.
 *
 * Captures are read in steps of limited time, and rows are sent as they are
 * found (cdx_streams.c).  Rows that are sorted are kept first, by their
 * positions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "cdx_server_internal.h"
#include "crawl/content.h"
#include "routes.h"

/* For one URL, digests that the index lacks are read from the records: from so
 * many at most, none of them longer than this, as stored and as its body is.
 * What a record says of its body may be wrong, so the time of the processor is
 * bounded, too. */
#define DIGESTS_MAX 100u
#define DIGEST_RECORD_MAX ((uint64_t)1 << 20)
#define DIGEST_BODY_MAX ((uint64_t)16 << 20)
#define DIGEST_RECORD_NS INT64_C(200000000)
#define DIGESTS_NS INT64_C(1000000000)

struct kept_row {
	uint64_t rank, number;
	cfs_pos pos;
	unsigned crawl;
};

struct cdx_scan {
	struct cfs_steps steps;	/* the first member */
	struct cfs_site *site;
	struct cfs_cdx_query q;
	struct cfs_cdx_streams *streams;
	/* The result: captures that the query covers, and rows. */
	uint64_t covered, rows;
	unsigned digests;		/* records that were read, */
	int64_t digests_ns;		/* and the time that they took */
	bool is_scanned;
	const struct cfs_index *hole;	/* NULL: nothing is missing */
	struct kept_row *kept;
	size_t n_kept, room, at_kept;
};

/* ---- digests ---------------------------------------------------------- */

static bool shows_digest(const struct cfs_cdx_query *q)
{
	for (unsigned i = 0; i < q->n_fields; i++)
		if (q->fields[i] == CFS_CDX_DIGEST)
			return true;
	return q->n_fields == 0;
}

static bool filters_digest(const struct cfs_cdx_query *q)
{
	for (unsigned i = 0; i < q->n_filters; i++)
		if (q->filters[i].key == CFS_CDX_DIGEST)
			return true;
	return false;
}

/* A token that ends a load when it has taken too long. */
struct digest_time {
	struct cfs_cancel cancel;
	const struct cfs_cancel *outer;
	int64_t until_ns;
};

static int64_t thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static bool digest_is_late(void *arg)
{
	const struct digest_time *t = arg;

	return cfs_cancelled(t->outer) || thread_ns() > t->until_ns;
}

/* True if the body of a record is short enough. */
static bool is_cheap(struct cfs_crawl *c, const struct cfs_cdx_head *h,
		     struct cfs_ctx ctx)
{
	uint64_t bytes = h->w->cap.body_bytes;
	bool is_exact = h->w->cap.body_is_exact, is_local;
	CFS_BUF(name, CFS_URL_MAX);

	if (is_exact || h->w->cap.loc.length > DIGEST_RECORD_MAX)
		return bytes <= DIGEST_BODY_MAX &&
		       h->w->cap.loc.length <= DIGEST_RECORD_MAX;
	if (cfs_index_archive_name(c->index, &h->w->cap.loc, &name, NULL) !=
		    CFS_OK ||
	    cfs_store_body_known(c->store, cfs_buf_slice(&name), &h->w->cap.loc,
				 &bytes, &is_exact, &is_local,
				 CFS_CTX(ctx.cancel, NULL)) != CFS_OK)
		is_exact = false;
	return !is_exact || bytes <= DIGEST_BODY_MAX;
}

/* Loads a record, unless that takes too long. */
static int load_for_digest(struct cdx_scan *s, struct cfs_crawl *c,
			   const struct cfs_node *node,
			   struct cfs_stored **stored, struct cfs_ctx ctx)
{
	int64_t begun = thread_ns(), left = DIGESTS_NS - s->digests_ns;
	struct digest_time t = {
		.outer = ctx.cancel,
		.until_ns = begun + (left < DIGEST_RECORD_NS ?
				     left : DIGEST_RECORD_NS),
	};
	int rc;

	if (ctx.cancel != NULL)
		t.cancel = *ctx.cancel;
	t.cancel.asked = digest_is_late;
	t.cancel.arg = &t;
	rc = cfs_content_record(c, node, stored, CFS_CTX(&t.cancel, NULL));
	s->digests_ns += thread_ns() - begun;
	/* one that takes too long stays unknown */
	return rc == CFS_EINTR && !cfs_cancelled(ctx.cancel) ? CFS_ELIMIT : rc;
}

/* Adds the digest of the record to a row that has none, where that is cheap:
 * the client asks for one URL, and probably for its record next. */
static int read_digest(struct cdx_scan *s, struct cfs_cdx_head *h,
		       struct cfs_ctx ctx)
{
	struct cfs_crawl *c = s->site->crawls[h->crawl];
	struct cfs_node node = { .type = CFS_NODE_FILE, .source = h->crawl,
				 .pos = h->w->it.pos, .view = CFS_VIEW_RAW };
	struct cfs_stored *stored;
	int rc;

	if (h->row.v[CFS_CDX_DIGEST].n > 0 || s->q.match != CFS_MATCH_EXACT ||
	    s->digests == DIGESTS_MAX || s->digests_ns >= DIGESTS_NS ||
	    c->cache != NULL || !is_cheap(c, h, ctx))
		return CFS_OK;
	s->digests++;
	rc = load_for_digest(s, c, &node, &stored, ctx);
	if (rc != CFS_OK)		/* then it stays unknown */
		return rc == CFS_EINTR ? rc : CFS_OK;
	cfs_buf_reset(&h->row.digest);
	cfs_record_add_digest(cfs_stored_record(stored), CFS_PAGES_STAY,
			      &h->row.digest);
	cfs_cdx_row_set_digest(&h->row);
	cfs_stored_put(stored);
	return CFS_OK;
}

static int write_row(struct cdx_scan *s, struct cfs_cdx_head *h,
		     struct cfs_buf *out, struct cfs_ctx ctx)
{
	int rc = shows_digest(&s->q) ? read_digest(s, h, ctx) : CFS_OK;

	if (rc == CFS_OK)
		cfs_cdx_row_write(&h->row, &s->q, s->rows++ == 0, out);
	return rc;
}

/* ---- rows that are sorted --------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
	const struct kept_row *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int by_row_number(const void *a, const void *b)
{
	const struct kept_row *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* Sorts what is kept, and leaves the best ones. */
static void cut_kept(struct cdx_scan *s)
{
	if (s->n_kept > 1)
		qsort(s->kept, s->n_kept, sizeof(*s->kept), by_rank);
	if (s->q.limit > 0 && s->n_kept > s->q.limit)
		s->n_kept = (size_t)s->q.limit;
}

static int keep_row(struct cdx_scan *s, const struct cfs_cdx_head *h,
		    struct cfs_error *err)
{
	bool has_limit = s->q.limit > 0 && s->q.limit <= CFS_CDX_SORTED_MAX;
	size_t most = has_limit ? 2 * (size_t)s->q.limit : CFS_CDX_SORTED_MAX;
	struct kept_row *k;

	if (s->n_kept == most && !has_limit)
		return cfs_error_set(err, CFS_EUSAGE, "more than %zu captures "
				     "would have to be sorted: narrow them by "
				     "'from' and 'to', or give a 'limit' of at "
				     "most that", CFS_CDX_SORTED_MAX);
	if (s->n_kept == most)
		cut_kept(s);
	if (cfs_array_reserve((void **)&s->kept, &s->room, s->n_kept + 1,
			      sizeof(*s->kept), 2 * CFS_CDX_SORTED_MAX) !=
	    CFS_OK)
		return cfs_error_nomem(err);
	s->steps.held = s->room * sizeof(*s->kept);
	k = &s->kept[s->n_kept++];
	*k = (struct kept_row){ UINT64_MAX - s->covered, s->covered,
				h->w->it.pos, h->crawl };
	if (s->q.sort == CFS_SORT_CLOSEST)
		k->rank = cfs_dates_distance(h->w->cap.time, s->q.closest);
	return CFS_OK;
}

static int write_kept(struct cdx_scan *s, struct cfs_buf *out,
		      struct cfs_ctx ctx)
{
	const struct kept_row *k = &s->kept[s->at_kept++];
	struct cfs_cdx_head h;
	int rc;

	rc = cfs_cdx_head_init(&h, s->site, k->crawl, NULL, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_index_at(h.w->ix, k->pos, &h.w->it, ctx);
	if (rc == CFS_OK)
		rc = cfs_index_walk_take(h.w);
	if (rc == CFS_OK)
		rc = cfs_cdx_head_fill(&h, s->site, ctx.err);
	if (rc == CFS_OK)
		rc = write_row(s, &h, out, ctx);
	cfs_cdx_head_release(&h);
	return rc;
}

/* ---- pages ------------------------------------------------------------ */

static uint64_t page_captures(const struct cfs_cdx_query *q)
{
	return q->page_blocks * CFS_CDX_BLOCK;
}

static uint64_t number_of_pages(const struct cdx_scan *s)
{
	uint64_t n = page_captures(&s->q);

	return (s->covered + n - 1) / n;
}

static void write_pages(const struct cdx_scan *s, struct cfs_buf *out)
{
	cfs_buf_addf(out, "{\"pages\": %" PRIu64 ", \"pageSize\": %" PRIu64
		     ", \"blocks\": %" PRIu64 "}\n", number_of_pages(s),
		     s->q.page_blocks,
		     (s->covered + CFS_CDX_BLOCK - 1) / CFS_CDX_BLOCK);
}

/* ---- steps ----------------------------------------------------------- */

/* Handles a capture that is covered.  CFS_END: no more are wanted. */
static int use_capture(struct cdx_scan *s, struct cfs_cdx_head *h,
		       struct cfs_buf *out, struct cfs_ctx ctx)
{
	uint64_t number = s->covered++, page = page_captures(&s->q);
	bool passes = false;
	int rc;

	if (s->q.wants_pages || (s->q.has_page && number / page < s->q.page))
		return CFS_OK;
	if (s->q.has_page && number / page > s->q.page)
		return CFS_END;
	rc = cfs_cdx_head_fill(h, s->site, ctx.err);
	if (rc == CFS_OK && filters_digest(&s->q))
		rc = read_digest(s, h, ctx);
	if (rc == CFS_OK)
		rc = cfs_cdx_row_passes(&h->row, &s->q, &passes, ctx);
	if (rc != CFS_OK || !passes)
		return rc;
	if (s->q.sort != CFS_SORT_NONE)
		return keep_row(s, h, ctx.err);
	rc = write_row(s, h, out, ctx);
	return rc == CFS_OK && s->rows == s->q.limit ? CFS_END : rc;
}

static int end_scan(struct cdx_scan *s, struct cfs_error *err)
{
	s->is_scanned = true;
	s->hole = cfs_cdx_streams_hole(s->streams);
	/* blocks of the indexes are not kept while a client reads */
	cfs_cdx_streams_free(s->streams);
	s->streams = NULL;
	if (s->q.has_page && s->q.page > 0 && !s->q.wants_pages &&
	    s->hole == NULL && s->q.page >= number_of_pages(s))
		return cfs_error_set(err, CFS_EUSAGE, "'page': there is no "
				     "page %" PRIu64 " among %" PRIu64
				     ", of which the first is 0", s->q.page,
				     number_of_pages(s));
	cut_kept(s);
	if (s->q.sort == CFS_SORT_LAST && s->n_kept > 1)
		qsort(s->kept, s->n_kept, sizeof(*s->kept), by_row_number);
	return CFS_OK;
}

static bool has_time_left(const struct cdx_scan *s, const struct cfs_buf *out,
			  int64_t begun)
{
	return out->n < CFS_STEP_BYTES && out->failed == CFS_OK &&
	       cfs_monotonic_ms() - begun < s->steps.ms;
}

static int more_rows(struct cfs_steps *p, struct cfs_buf *out,
		     struct cfs_ctx ctx)
{
	struct cdx_scan *s = (struct cdx_scan *)p;
	int64_t begun = cfs_monotonic_ms();
	int rc = CFS_OK;

	while (rc == CFS_OK && !s->is_scanned && has_time_left(s, out, begun)) {
		struct cfs_cdx_head *h;

		rc = cfs_cdx_streams_step(s->streams, &h, ctx);
		if (rc == CFS_OK && h != NULL)
			rc = use_capture(s, h, out, ctx);
		if (rc == CFS_OK && cfs_cancelled(ctx.cancel))
			rc = CFS_EINTR;
		if (rc == CFS_END)
			rc = end_scan(s, ctx.err);
	}
	while (rc == CFS_OK && s->is_scanned && s->at_kept < s->n_kept &&
	       has_time_left(s, out, begun))
		rc = write_kept(s, out, ctx);
	if (rc != CFS_OK || out->failed != CFS_OK || !s->is_scanned ||
	    s->at_kept < s->n_kept)
		return rc != CFS_OK ? rc : out->failed;
	/* the rows that are there are sent before the answer breaks off */
	if (s->hole != NULL)
		return out->n > 0 ? CFS_OK : cfs_holes_fail(s->hole, ctx.err);
	if (s->q.wants_pages)
		write_pages(s, out);
	else
		cfs_cdx_row_end(&s->q, s->rows == 0, out);
	return CFS_END;
}

static void scan_free(struct cfs_steps *p)
{
	struct cdx_scan *s = (struct cdx_scan *)p;

	cfs_cdx_streams_free(s->streams);
	cfs_cdx_query_release(&s->q);
	free(s->kept);
	free(s);
}

/* ---- the answer ------------------------------------------------------- */

static const char *cdx_type_of(const struct cfs_cdx_query *q)
{
	if (q->wants_pages || q->output == CFS_OUTPUT_TABLE)
		return "application/json";
	if (q->output == CFS_OUTPUT_LINES)
		return "application/x-ndjson";
	return q->output == CFS_OUTPUT_TEXT ? "text/plain; charset=utf-8" :
					      "text/x-cdxj; charset=utf-8";
}

int cfs_answer_cdx(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	struct cdx_scan *s = calloc(1, sizeof(*s));
	int rc;

	x->wants_json = true;
	if (s == NULL)
		return cfs_error_nomem(ctx.err);
	s->steps.more = more_rows;
	s->steps.free = scan_free;
	s->steps.takes_long = x->may_take_long;	/* for expressions */
	s->steps.heeds_ms = true;
	s->site = x->site;
	rc = cfs_cdx_query_read(&s->q, x->query, x->may_take_long, ctx.err);
	if (rc == CFS_ROUTE_TAKES_LONG)
		x->has_expressions = true;
	if (rc == CFS_OK)
		rc = cfs_cdx_streams_new(&s->streams, s->site, &s->q, ctx.err);
	if (rc == CFS_OK)
		return cfs_reply_steps(x, 200, cdx_type_of(&s->q), &s->steps);
	scan_free(&s->steps);
	return rc;
}

/* cdx_streams.c - the captures that a query of the CDX server covers, of all
 * crawls, in one order.
 *
 * In each crawl a query is a target, whose spellings (url/same_url.h) cover
 * some ranges of keys each.  A stream reads a range, or all of a spelling's
 * where they are many.  Streams are merged by the SURT key and the time of
 * their next captures.  So the captures of one URL come in the order of time,
 * whatever their crawl.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "base/array.h"
#include "cdx_server_internal.h"
#include "crawl/target.h"
#include "url/same_url.h"
#include "url/url.h"

/* A spelling with more ranges than this has one stream.  One URL has fewer. */
#define RANGES_APART 8u

struct cdx_crawl {
	struct cfs_buf text;
	struct cfs_target target;
	bool has_target;
	/* Its spellings, which have no capture in common, and their ranges. */
	struct cfs_target of[CFS_URL_SPELLINGS];
	struct cfs_key_runs runs[CFS_URL_SPELLINGS];
	unsigned n_of;
	struct cfs_holes holes;
};

struct cdx_stream {
	struct cfs_cdx_head head;
	unsigned spelling;		/* of the crawl's target */
	size_t run, end;		/* of the spelling's */
	bool in_run, has_head, is_over;
};

struct cfs_cdx_streams {
	struct cfs_site *site;
	const struct cfs_cdx_query *q;
	struct cdx_crawl *crawls;
	unsigned n_open;		/* of them */
	struct cdx_stream *v;
	size_t n, room;
	struct cdx_stream *taken;	/* its head was taken last */
	struct cfs_path entry;		/* scratch */
};

/* ---- the keys of one crawl -------------------------------------------- */

/* Writes the text of a target (crawl/target.h) for the query's URL. */
static void write_target(const struct cfs_cdx_query *q,
			 const struct cfs_url *url, struct cfs_buf *out)
{
	struct cfs_slice host = cfs_url_trim_host(url->host);

	if (q->match == CFS_MATCH_DOMAIN) {
		/* with and without it are one host, whose domain is larger */
		if (cfs_slice_starts_nocase(host, CFS_SLICE_LIT("www.")) &&
		    cfs_slice_find(cfs_slice_from(host, 4), '.') >= 0)
			host = cfs_slice_from(host, 4);
		cfs_url_reverse_host(host, out);
		return;
	}
	cfs_buf_addf(out, "%s://", cfs_scheme_name(url->scheme));
	cfs_buf_add(out, host);
	if (url->port.n > 0) {
		cfs_buf_addc(out, ':');
		cfs_buf_add(out, url->port);
	}
	if (url->path.n == 0 || url->path.p[0] != '/' ||
	    q->match == CFS_MATCH_HOST)
		cfs_buf_addc(out, '/');
	if (q->match != CFS_MATCH_HOST)
		cfs_buf_add(out, url->path);
	if (q->match != CFS_MATCH_EXACT)
		cfs_buf_addc(out, '*');
}

static int find_query_runs(struct cdx_crawl *d, struct cfs_crawl *c,
			   const struct cfs_cdx_query *q, struct cfs_ctx ctx)
{
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_url url;
	int rc;

	if (cfs_url_parse(cfs_buf_slice(&q->url), &url) != CFS_OK ||
	    cfs_slice_find(cfs_buf_slice(&q->url), '\0') >= 0)
		return cfs_error_set(ctx.err, CFS_EUSAGE, "'url': it is not a "
				     "URL of http, https or ftp");
	write_target(q, &url, &d->text);
	if (d->text.failed != CFS_OK)
		return d->text.failed;
	d->has_target = true;
	rc = cfs_target_init_typed(&d->target, c, cfs_buf_str(&d->text),
				   CFS_CTX(ctx.cancel, &own));
	for (; rc == CFS_OK && d->n_of < CFS_URL_SPELLINGS &&
	       cfs_target_spelling(&d->target, d->n_of, &d->of[d->n_of]);
	     d->n_of++) {
		rc = cfs_target_runs(&d->of[d->n_of], &d->runs[d->n_of],
				     CFS_CTX(ctx.cancel, &own));
		cfs_key_runs_settle(&d->runs[d->n_of]);
	}
	if (rc == CFS_ENOTFOUND)	/* such a URL has no place in it */
		return CFS_OK;
	return cfs_error_pass(ctx.err, &own, rc);
}

static int add_stream(struct cfs_cdx_streams *x, unsigned crawl,
		      unsigned spelling, size_t run, size_t end,
		      struct cfs_error *err)
{
	struct cdx_stream *s;

	if (cfs_array_reserve((void **)&x->v, &x->room, x->n + 1,
			      sizeof(*x->v),
			      (size_t)CFS_SOURCES_MAX * CFS_URL_SPELLINGS *
			      RANGES_APART) != CFS_OK)
		return cfs_error_nomem(err);
	s = &x->v[x->n++];
	*s = (struct cdx_stream){ .head.crawl = crawl, .spelling = spelling,
				  .run = run, .end = end };
	return cfs_cdx_head_init(&s->head, x->site, crawl,
				 &x->crawls[crawl].holes, err);
}

static int add_spelling_streams(struct cfs_cdx_streams *x, unsigned crawl,
				unsigned spelling, struct cfs_error *err)
{
	size_t n = x->crawls[crawl].runs[spelling].n;
	int rc = CFS_OK;

	if (n > RANGES_APART)
		return add_stream(x, crawl, spelling, 0, n, err);
	for (size_t k = 0; rc == CFS_OK && k < n; k++)
		rc = add_stream(x, crawl, spelling, k, k + 1, err);
	return rc;
}

/* Opens the next crawl, and its streams. */
static int open_crawl(struct cfs_cdx_streams *x, struct cfs_ctx ctx)
{
	unsigned i = x->n_open++;
	struct cdx_crawl *d = &x->crawls[i];
	int rc;

	cfs_buf_init(&d->text, 4 * CFS_KEY_MAX);
	cfs_holes_init(&d->holes);
	d->holes.all = &x->site->crawls[i]->holes;
	for (unsigned k = 0; k < CFS_URL_SPELLINGS; k++)
		cfs_key_runs_init(&d->runs[k]);
	rc = find_query_runs(d, x->site->crawls[i], x->q, ctx);
	for (unsigned k = 0; rc == CFS_OK && k < d->n_of; k++)
		rc = add_spelling_streams(x, i, k, ctx.err);
	return rc;
}

/* ---- one stream ------------------------------------------------------- */

int cfs_cdx_head_init(struct cfs_cdx_head *h, const struct cfs_site *site,
		      unsigned crawl, struct cfs_holes *holes,
		      struct cfs_error *err)
{
	h->crawl = crawl;
	h->has_row = false;
	cfs_cdx_row_init(&h->row);
	return cfs_index_walk_new(&h->w, site->crawls[crawl]->index, holes,
				  CFS_CTX(NULL, err));
}

void cfs_cdx_head_release(struct cfs_cdx_head *h)
{
	cfs_index_walk_free(h->w);
	cfs_cdx_row_release(&h->row);
}

int cfs_cdx_head_fill(struct cfs_cdx_head *h, const struct cfs_site *site,
		      struct cfs_error *err)
{
	int rc = CFS_OK;

	if (!h->has_row)
		rc = cfs_cdx_row_fill(&h->row, site->crawls[h->crawl],
				      site->names[h->crawl], &h->w->it,
				      &h->w->cap, err);
	h->has_row = rc == CFS_OK;
	return rc;
}

static bool is_covered(struct cfs_cdx_streams *x, const struct cdx_stream *s)
{
	const struct cfs_iter *it = &s->head.w->it;

	return cfs_index_split(it->ix, it->key, &x->entry) == CFS_OK &&
	       cfs_target_covers(&x->crawls[s->head.crawl].of[s->spelling],
				 &x->entry, it->pos);
}

/* Moves by one entry, which becomes the head if the query covers it. */
static int move_stream(struct cfs_cdx_streams *x, struct cdx_stream *s,
		       struct cfs_ctx ctx)
{
	struct cfs_cdx_head *h = &s->head;
	int rc;

	h->w->ctx = ctx;
	if (!s->in_run)
		cfs_index_walk_in(h->w, &x->crawls[h->crawl]
					 .runs[s->spelling].v[s->run]);
	s->in_run = true;
	h->has_row = false;
	rc = cfs_index_walk_next(h->w);
	if (rc == CFS_END) {
		s->in_run = false;
		s->is_over = ++s->run == s->end;
		return CFS_OK;
	}
	if (rc != CFS_OK || !is_covered(x, s))
		return rc;
	rc = cfs_index_walk_take(h->w);
	s->has_head = rc == CFS_OK &&
		      cfs_dates_have(&x->q->dates, h->w->cap.time);
	if (s->has_head && x->n > 1)	/* to be compared */
		rc = cfs_cdx_head_fill(h, x->site, ctx.err);
	return rc == CFS_ENOTFOUND ? CFS_OK : rc;
}

/* ---- all of them ------------------------------------------------------ */

int cfs_cdx_streams_new(struct cfs_cdx_streams **out, struct cfs_site *site,
			const struct cfs_cdx_query *q, struct cfs_error *err)
{
	struct cfs_cdx_streams *x = calloc(1, sizeof(*x));

	*out = x;
	if (x == NULL)
		return cfs_error_nomem(err);
	x->site = site;
	x->q = q;
	x->crawls = calloc(site->n_crawls, sizeof(*x->crawls));
	return x->crawls != NULL ? CFS_OK : cfs_error_nomem(err);
}

void cfs_cdx_streams_free(struct cfs_cdx_streams *x)
{
	if (x == NULL)
		return;
	for (size_t i = 0; i < x->n; i++)
		cfs_cdx_head_release(&x->v[i].head);
	for (unsigned i = 0; i < x->n_open; i++) {
		struct cdx_crawl *d = &x->crawls[i];

		if (d->has_target)
			cfs_target_release(&d->target);
		cfs_buf_release(&d->text);
		cfs_holes_release(&d->holes);
		for (unsigned k = 0; k < CFS_URL_SPELLINGS; k++)
			cfs_key_runs_release(&d->runs[k]);
	}
	free(x->crawls);
	free(x->v);
	free(x);
}

const struct cfs_index *cfs_cdx_streams_hole(struct cfs_cdx_streams *x)
{
	for (unsigned i = 0; i < x->n_open; i++)
		if (cfs_holes_count(&x->crawls[i].holes) > 0)
			return x->site->crawls[i]->index;
	return NULL;
}

/* A stream that has to move before its next capture is known; NULL: none. */
static struct cdx_stream *find_unknown_stream(const struct cfs_cdx_streams *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (!x->v[i].has_head && !x->v[i].is_over)
			return &x->v[i];
	return NULL;
}

static bool head_is_before(const struct cfs_cdx_head *a,
			   const struct cfs_cdx_head *b)
{
	int order = cfs_slice_cmp(a->row.v[CFS_CDX_URLKEY],
				  b->row.v[CFS_CDX_URLKEY]);

	return order != 0 ? order < 0 : a->w->cap.time < b->w->cap.time;
}

static struct cdx_stream *find_first_stream(const struct cfs_cdx_streams *x)
{
	struct cdx_stream *first = NULL;

	for (size_t i = 0; i < x->n; i++)
		if (x->v[i].has_head &&
		    (first == NULL ||
		     head_is_before(&x->v[i].head, &first->head)))
			first = &x->v[i];
	return first;
}

int cfs_cdx_streams_step(struct cfs_cdx_streams *x, struct cfs_cdx_head **out,
			 struct cfs_ctx ctx)
{
	struct cdx_stream *s;
	int rc;

	*out = NULL;
	if (x->n_open < x->site->n_crawls)
		return open_crawl(x, ctx);
	if (x->taken != NULL)
		x->taken->has_head = false;
	x->taken = NULL;
	s = find_unknown_stream(x);
	if (s != NULL) {
		rc = move_stream(x, s, ctx);
		if (rc != CFS_OK || find_unknown_stream(x) != NULL)
			return rc;
	}
	x->taken = find_first_stream(x);
	if (x->taken == NULL)
		return CFS_END;
	*out = &x->taken->head;
	return CFS_OK;
}

/* summary_rows.c - makes the rows of a summary of what was counted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "base/fileio.h"
#include "counts.h"
#include "net/location.h"
#include "record/archives.h"

/* While texts are added, the slices of rows are offsets in them: .p counts from
 * NULL. */
static struct cfs_slice text_since(const struct cfs_summary *s, size_t at)
{
	return (struct cfs_slice){ (const uint8_t *)(uintptr_t)at,
				   s->text.n - at };
}

static void point_slice(const struct cfs_summary *s, struct cfs_slice *at)
{
	*at = at->n == 0 ? CFS_SLICE_EMPTY :
	      cfs_slice_of(s->text.p + (uintptr_t)at->p, at->n);
}

/* The byte that separates the labels of a host in keys. */
static uint8_t label_end(const struct cfs_index *ix)
{
	if (ix->strips_www)
		return ',';		/* a SURT */
	return ix->keeps_host_case ? '.' : 0;
}

/* Adds the name of a host as people write it, of the beginning of a key. */
static struct cfs_slice add_host(struct cfs_summary *s, uint8_t end,
				 struct cfs_slice labels)
{
	size_t at = s->text.n;
	ptrdiff_t first = cfs_slice_find(labels, end);

	if (first > 0 && labels.p[first - 1] == ':') {
		cfs_buf_add(&s->text, cfs_slice_sub(labels, 0, (size_t)first));
		cfs_buf_adds(&s->text, "//");
		labels = cfs_slice_from(labels, (size_t)first + 1);
	}
	while (labels.n > 0) {
		ptrdiff_t last = cfs_slice_rfind(labels, end);
		struct cfs_slice label = cfs_slice_from(labels,
							(size_t)(last + 1));

		/* keys of crawlfs have another '_' in front of one */
		if (end == 0 && label.n > 1 && label.p[0] == '_')
			label = cfs_slice_from(label, 1);
		cfs_buf_add(&s->text, label);
		if (last <= 0)
			break;
		cfs_buf_addc(&s->text, '.');
		labels.n = (size_t)last;
	}
	if (s->text.n == at)
		cfs_buf_add(&s->text, CFS_SUMMARY_UNKNOWN);
	return text_since(s, at);
}

static struct cfs_slice add_text(struct cfs_summary *s, struct cfs_slice text)
{
	size_t at = s->text.n;

	cfs_buf_add(&s->text, text);
	return text_since(s, at);
}

static int new_rows(struct cfs_summary_group *g, size_t n)
{
	g->v = calloc(n + 1, sizeof(*g->v));
	return g->v != NULL ? CFS_OK : CFS_ENOMEM;
}

static int take_places(struct cfs_summary *s, const struct cfs_index *ix,
		       enum cfs_summary_by by, struct cfs_top *top,
		       uint64_t keys)
{
	struct cfs_summary_group *g = &s->by[by];

	if (new_rows(g, top->n) != CFS_OK)
		return CFS_ENOMEM;
	g->keys = keys;
	for (; g->n < top->n; g->n++) {
		const struct cfs_top_item *t = &top->v[g->n];

		g->v[g->n] = (struct cfs_summary_row){
			.key = add_host(s, label_end(ix), t->text),
			.captures = t->value, .bytes = t->bytes,
			.pages = t->pages };
	}
	return CFS_OK;
}

static int take_tally(struct cfs_summary *s, enum cfs_summary_by by,
		      struct cfs_tally *tally)
{
	struct cfs_summary_group *g = &s->by[by];

	cfs_tally_sort(tally);
	if (new_rows(g, tally->n) != CFS_OK)
		return CFS_ENOMEM;
	g->keys = tally->n;
	g->lacks = tally->dropped;
	for (; g->n < tally->n; g->n++) {
		const struct cfs_tally_row *t = &tally->v[g->n];

		g->v[g->n] = (struct cfs_summary_row){
			.key = add_text(s, cfs_slice_of(t->text, t->n)),
			.captures = t->captures, .bytes = t->bytes,
			.lacks = t->lacks };
	}
	return CFS_OK;
}

/* While the keys are those of take_numbers, whose offsets ascend. */
static int rows_by_captures(const void *a, const void *b)
{
	const struct cfs_summary_row *x = a, *y = b;

	if (x->captures != y->captures)
		return x->captures < y->captures ? 1 : -1;
	return x->key.p < y->key.p ? -1 : 1;
}

/* Takes the counts of numbers from 0, which is what is not known, to n - 1. */
static int take_numbers(struct cfs_summary *s, enum cfs_summary_by by,
			const struct cfs_count *v, unsigned n)
{
	struct cfs_summary_group *g = &s->by[by];

	if (new_rows(g, n) != CFS_OK)
		return CFS_ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		size_t at = s->text.n;

		if (v[i].captures == 0)
			continue;
		if (i == 0)
			cfs_buf_add(&s->text, CFS_SUMMARY_UNKNOWN);
		else
			cfs_buf_addf(&s->text, "%u", i);
		g->v[g->n++] = (struct cfs_summary_row){
			.key = text_since(s, at), .captures = v[i].captures,
			.bytes = v[i].bytes };
	}
	g->keys = g->n;
	return CFS_OK;
}

/* Takes the months, if they are few and all captures with a time are in
 * them. */
static int take_months(struct cfs_summary *s, const struct cfs_counts *c)
{
	struct cfs_summary_group *g = &s->months;
	unsigned first = CFS_COUNTS_MONTHS, last = 0;
	uint64_t counted = c->by_year[0].captures;

	for (unsigned i = 0; i < CFS_COUNTS_MONTHS; i++) {
		if (c->by_month[i].captures == 0)
			continue;
		counted = cfs_sum(counted, c->by_month[i].captures);
		first = i < first ? i : first;
		last = i;
	}
	if (new_rows(g, CFS_SUMMARY_MONTHS_MAX) != CFS_OK)
		return CFS_ENOMEM;
	if (counted != s->captures || last - first >= CFS_SUMMARY_MONTHS_MAX)
		return CFS_OK;
	for (unsigned i = first; i <= last; i++) {
		size_t at = s->text.n;

		cfs_buf_addf(&s->text, "%04u-%02u", 1990 + i / 12, i % 12 + 1);
		g->v[g->n++] = (struct cfs_summary_row){
			.key = text_since(s, at),
			.captures = c->by_month[i].captures,
			.bytes = c->by_month[i].bytes };
	}
	g->keys = g->n;
	return CFS_OK;
}

static int summary_take_groups(struct cfs_summary *s,
			       const struct cfs_index *ix,
			       struct cfs_counts *c)
{
	int rc = take_places(s, ix, CFS_SUMMARY_DOMAIN, &c->top_domains,
			     c->domains);

	if (rc == CFS_OK)
		rc = take_places(s, ix, CFS_SUMMARY_HOST, &c->top_hosts,
				 c->hosts);
	if (rc == CFS_OK)
		rc = take_tally(s, CFS_SUMMARY_TYPE, &c->types);
	if (rc == CFS_OK)
		rc = take_numbers(s, CFS_SUMMARY_STATUS, c->by_status,
				  CFS_COUNTS_STATUSES);
	if (rc == CFS_OK)
		rc = take_tally(s, CFS_SUMMARY_LANGUAGE, &c->languages);
	if (rc == CFS_OK)
		rc = take_numbers(s, CFS_SUMMARY_YEAR, c->by_year,
				  CFS_COUNTS_YEARS);
	return rc == CFS_OK ? take_months(s, c) : rc;
}

/* ---- the largest records ------------------------------------------------- */

/* Adds the name of an archive in the form that may be shown. */
static int summary_add_archive(struct cfs_summary *s, struct cfs_index *ix,
		       const struct cfs_span *loc, struct cfs_slice *out,
		       struct cfs_error *err)
{
	size_t at = s->text.n;
	CFS_BUF(name, CFS_NAME_BYTES_MAX + 1);
	int rc = cfs_index_archive_name(ix, loc, &name, err);

	if (rc == CFS_OK)
		cfs_location_show(&s->text,
				  cfs_archive_plain(cfs_buf_slice(&name)));
	*out = text_since(s, at);
	return rc;
}

static int take_record(struct cfs_summary *s, struct cfs_index *ix,
		       cfs_pos pos, struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct cfs_summary_record *r = &s->largest[s->n_largest];
	struct cfs_capture cap;
	size_t at;
	int rc = cfs_index_at(ix, pos, it, ctx);

	if (rc == CFS_OK)
		rc = cfs_index_capture(it, &cap, ctx.err);
	if (rc != CFS_OK)
		return rc;
	*r = (struct cfs_summary_record){ .bytes = cap.loc.length,
		.time = cap.time, .status = cap.status,
		.offset = cap.loc.offset };
	at = s->text.n;
	if (cfs_index_key_url(ix, it->key, &cap, &s->text) == CFS_OK)
		r->url = text_since(s, at);
	r->mime = add_text(s, cap.mime);
	s->n_largest++;
	return summary_add_archive(s, ix, &cap.loc, &r->archive, ctx.err);
}

static int take_largest(struct cfs_summary *s, struct cfs_index *ix,
			struct cfs_top *top, struct cfs_ctx ctx)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	int rc = CFS_OK;

	s->largest = calloc(top->n + 1, sizeof(*s->largest));
	if (it == NULL || s->largest == NULL) {
		free(it);
		return cfs_error_nomem(ctx.err);
	}
	cfs_iter_init(it);
	for (size_t i = 0; rc == CFS_OK && i < top->n; i++)
		rc = take_record(s, ix, top->v[i].rank, it, ctx);
	cfs_iter_release(it);
	free(it);
	return rc;
}

static void point_all(struct cfs_summary *s)
{
	for (unsigned by = 0; by < CFS_SUMMARY_BYS; by++)
		for (size_t i = 0; i < s->by[by].n; i++)
			point_slice(s, &s->by[by].v[i].key);
	for (size_t i = 0; i < s->months.n; i++)
		point_slice(s, &s->months.v[i].key);
	for (size_t i = 0; i < s->n_largest; i++) {
		point_slice(s, &s->largest[i].url);
		point_slice(s, &s->largest[i].mime);
		point_slice(s, &s->largest[i].archive);
	}
}

int cfs_counts_take(struct cfs_counts *c, struct cfs_index *ix,
		    struct cfs_summary *s, struct cfs_ctx ctx)
{
	struct cfs_summary_group *statuses = &s->by[CFS_SUMMARY_STATUS];
	int rc;

	s->captures = c->all.captures;
	s->pages = c->all.pages;
	s->bytes = c->all.bytes;
	s->hosts = c->hosts;
	s->domains = c->domains;
	s->without_bytes = c->without_bytes;
	s->body_bytes = c->body_bytes;
	s->bodies = c->bodies;
	s->first = c->first;
	s->last = c->last;
	if (summary_take_groups(s, cfs_index_whole(ix), c) != CFS_OK)
		return cfs_error_nomem(ctx.err);
	if (statuses->n > 0)
		qsort(statuses->v, statuses->n, sizeof(*statuses->v),
		      rows_by_captures);
	rc = take_largest(s, ix, &c->largest, ctx);
	if (rc == CFS_OK && s->text.failed != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	point_all(s);
	return rc;
}

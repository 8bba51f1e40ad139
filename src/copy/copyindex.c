/* copyindex.c - builds an index while its archive is written, so that records
 * need not be inflated again.
 *
 * A stretch by itself gives the same result as the whole file because a scan
 * looks past a record's end only for the header of the next one, or if the
 * declared length leads nowhere, which it reports.  So if nothing is reported,
 * and a record begins every item, no item depends on another.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "copy_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "indexing/indexer_record.h"

/* ---- bytes in memory as a source -------------------------------------- */

struct lent {
	struct cfs_source base;
	struct cfs_slice bytes;
};

static int lent_read_at(struct cfs_source *src, void *buf, size_t n,
			uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	struct cfs_slice s = ((struct lent *)src)->bytes;
	size_t left = off < s.n ? s.n - (size_t)off : 0;

	(void)ctx;
	*got = n < left ? n : left;
	if (*got > 0)
		memcpy(buf, s.p + off, *got);
	return CFS_OK;
}

static void lent_close(struct cfs_source *src)
{
	(void)src;		/* it is on a stack */
}

/* ---- finding captures ------------------------------------------------- */

struct stretch_look {
	const struct cfs_copy_reader *r;
	struct cfs_copy_stretch *s;
	enum cfs_archive_format format;
	size_t items;		/* how many have a record so far */
	struct cfs_buf url;	/* scratch */
	bool wants_payloads;
	struct cfs_error *err;
};

/* Fields of an ARC line: five are version 1, ten version 2. */
static bool is_arc2_line(struct cfs_slice s)
{
	ptrdiff_t end = cfs_slice_find(s, '\n');
	size_t n = end < 0 ? 0 : (size_t)end, blanks = 0;

	for (size_t i = 0; i < n; i++)
		blanks += s.p[i] == ' ';
	return blanks >= 9;
}

/* The index gets this of a record. */
struct copyindex_item {
	bool is_annex;
	union {
		struct cfs_builder_capture capture;
		struct cfs_builder_annex annex;
	};
};

/* Lists the strings of it, in the order in which they are kept: each borrows
 * from a record that is released before the index takes it.  Returns their
 * number. */
#define STRINGS 11u
static size_t list_strings(struct copyindex_item *k,
			   struct cfs_slice *v[STRINGS])
{
	struct cfs_builder_capture *c = &k->capture;

	if (k->is_annex) {
		v[0] = &k->annex.url;
		v[1] = &k->annex.refers_to;
		v[2] = &k->annex.record_id;
		return 3;
	}
	v[0] = &c->url;
	v[1] = &c->mime;
	v[2] = &c->record_id;
	v[3] = &c->digest;
	v[4] = &c->refers_to;
	v[5] = &c->concurrent_to;
	v[6] = &c->notes;
	v[7] = &c->mime_detected;
	v[8] = &c->truncated;
	v[9] = &c->redirect;
	v[10] = &c->line;
	return STRINGS;
}

/* Stores the struct followed by its strings. */
static int keep(struct cfs_buf *captures, struct copyindex_item *k)
{
	struct cfs_slice *v[STRINGS];
	size_t n = list_strings(k, v);

	cfs_buf_append(captures, k, sizeof(*k));
	for (size_t i = 0; i < n; i++)
		cfs_buf_add(captures, *v[i]);
	return captures->failed;
}

/* Finds what the index gets of a record, as the indexer does.  False: nothing.
 * url: for the URL of a WAT record. */
static bool find_kept(const struct cfs_scan_item *item, struct cfs_buf *url,
		      struct copyindex_item *k)
{
	k->is_annex = true;
	if (cfs_companion_of_wat(item->record, url, &k->annex) &&
	    cfs_url_has_place(k->annex.url)) {
		k->annex.span = item->span;
		return true;
	}
	if (cfs_companion_of_page(item, &k->annex))
		return true;
	k->is_annex = false;
	return cfs_indexer_capture(item, &k->capture);
}

/* True if the record begins the next item, or lies in the last one begun. */
static bool is_in_place(struct stretch_look *l,
			const struct cfs_scan_item *item)
{
	size_t from = l->items > 0 ? l->s->ends[l->items - 1] : 0;

	if (l->items < l->s->n_ends && item->span.offset == from &&
	    item->span.inner_offset == 0) {
		from = l->s->ends[l->items++];
		return item->span.length <= from - item->span.offset;
	}
	return l->items > 0 && item->span.offset < from &&
	       item->span.length <= from - item->span.offset;
}

/* A record is replaced only if it is all that was copied there. */
static int note_payload(struct stretch_look *l,
			const struct cfs_scan_item *item)
{
	size_t entry = l->items - 1;
	size_t from = entry > 0 ? l->s->ends[entry - 1] : 0;
	bool is_all = item->span.offset == from &&
		      item->span.length == l->s->ends[entry] - from;

	return cfs_copy_payload_note(&l->s->payloads, item, entry,
				     l->s->of[entry] == NULL ||
				     l->s->of[entry]->role !=
					     CFS_COPY_CAPTURE || !is_all,
				     l->err);
}

/* Checks that the record that an item begins with is what it wants. */
static int check_wanted(struct stretch_look *l,
			const struct cfs_scan_item *item, size_t before)
{
	const struct cfs_copy_item *of = l->s->of[l->items - 1];

	return of == NULL || l->items == before ? CFS_OK :
	       cfs_copy_check(l->r, l->s, of, item->record, l->err);
}

static int on_record(void *arg, const struct cfs_scan_item *item)
{
	struct stretch_look *l = arg;
	size_t before = l->items;
	struct copyindex_item k;
	int rc = CFS_OK;

	if (!is_in_place(l, item))
		return cfs_error_set(l->err, CFS_EFORMAT,
				     "no record begins where one should");
	if (item->record->format != l->format)
		return cfs_error_set(l->err, CFS_EFORMAT,
				     "is a record of the other archive format");
	rc = check_wanted(l, item, before);
	if (rc != CFS_OK)
		return rc;
	if (item->span.offset == 0)
		l->s->is_arc2 = l->format == CFS_ARCHIVE_ARC &&
				is_arc2_line(item->record->all);
	if (l->wants_payloads)
		rc = note_payload(l, item);
	if (rc != CFS_OK)
		return rc;
	memset(&k, 0, sizeof(k));	/* gaps between fields, too */
	return !find_kept(item, &l->url, &k) ||
	       keep(&l->s->captures, &k) == CFS_OK ? CFS_OK :
	       cfs_error_nomem(l->err);
}

int cfs_copyindex_look(const struct cfs_copy_reader *r,
		       struct cfs_copy_stretch *s, struct cfs_error *err)
{
	static const struct cfs_source_ops ops = {
		.read_at = lent_read_at, .close = lent_close };
	struct lent src = { .bytes = cfs_buf_slice(&s->out) };
	struct stretch_look l = { .r = r, .s = s,
				  .format = r->opts->format,
				  .err = err };
	struct cfs_scan_opts so = { .cancel = r->cancel, .arg = &l,
		.dict = r->dict,
		.max_record_bytes = r->opts->max_record_bytes };
	struct cfs_scan_counts counts = { .records = 0 };
	int rc;

	cfs_buf_reset(&s->captures);
	cfs_buf_reset(&s->payloads);
	l.wants_payloads = r->opts->dedup_revisit;
	cfs_buf_init(&l.url, CFS_URL_MAX);
	s->is_odd = s->is_arc2 = false;
	s->misnamed = 0;
	rc = cfs_source_init(&src.base, &ops, s->out.n, r->opts->output, err);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_scan_archive(&src.base, &so, on_record, &counts, err);
	if (rc == CFS_OK && (counts.damaged > counts.short_records ||
			     l.items < s->n_ends))
		rc = cfs_error_set(err, CFS_EFORMAT, "is damaged");
	if (rc != CFS_OK)
		cfs_buf_reset(&s->captures);
	cfs_source_close(&src.base);
	cfs_buf_release(&l.url);
	return rc;
}

/* ---- the index -------------------------------------------------------- */

struct cfs_copyindex {
	struct cfs_builder *builder;
	struct cfs_builder_archive archive;	/* borrowed by the builder */
	const char *path;			/* path of the archive */
	uint64_t captures;		/* and what else may become a page */
};

int cfs_copyindex_new(struct cfs_copyindex **out,
		      const struct cfs_copy_opts *opts, const char *path,
		      void (*merged)(void *arg, uint64_t done, uint64_t total),
		      void *arg, struct cfs_error *err)
{
	const char *slash = strrchr(opts->output, '/');
	struct cfs_copyindex *x = calloc(1, sizeof(*x));
	struct cfs_builder_opts bo = {
		.path = path, .format = CFS_INDEX_CFX, .threads = 1,
		.n_archives = 1, .is_late = true, .cancel = opts->cancel,
		.merged = merged, .arg = arg };
	int rc;

	*out = NULL;
	if (x == NULL)
		return cfs_error_nomem(err);
	x->path = opts->output;
	x->archive.name = slash != NULL ? slash + 1 : opts->output;
	bo.archives = &x->archive;
	rc = cfs_builder_new(&x->builder, &bo, err);
	if (rc != CFS_OK) {
		cfs_copyindex_free(x);
		return rc;
	}
	*out = x;
	return CFS_OK;
}

static int add_kept(struct cfs_copyindex *x, struct copyindex_item *k,
		    uint64_t at, struct cfs_error *err)
{
	if (k->is_annex) {
		k->annex.span.offset += at;
		x->captures += !k->annex.is_related ||
			       cfs_related_may_be_page(k->annex.related.what);
		return cfs_builder_add_annex(x->builder, 0, &k->annex, err);
	}
	k->capture.span.offset += at;
	x->captures++;
	return cfs_builder_add(x->builder, 0, &k->capture, err);
}

int cfs_copyindex_add(struct cfs_copyindex *x, const struct cfs_copy_stretch *s,
		      uint64_t at, struct cfs_error *err)
{
	struct cfs_slice rest = cfs_buf_slice(&s->captures);
	int rc = CFS_OK;

	while (rc == CFS_OK && rest.n > 0) {
		struct cfs_slice *v[STRINGS];
		struct copyindex_item k;
		size_t n;

		assert(rest.n >= sizeof(k));
		memcpy(&k, rest.p, sizeof(k));
		rest = cfs_slice_from(rest, sizeof(k));
		n = list_strings(&k, v);
		for (size_t i = 0; i < n; i++) {
			*v[i] = cfs_slice_sub(rest, 0, v[i]->n);
			rest = cfs_slice_from(rest, v[i]->n);
		}
		rc = add_kept(x, &k, at, err);
	}
	return rc;
}

int cfs_copyindex_finish(struct cfs_copyindex *x, uint64_t *archive_bytes,
			 struct cfs_error *err)
{
	struct cfs_builder_counts counts;
	struct cfs_source *src;
	int rc;

	if (x->captures == 0)
		return cfs_error_set(err, CFS_ENOTFOUND, "no page to index");
	rc = cfs_source_open_file(&src, x->path, err);
	if (rc != CFS_OK)
		return rc;
	*archive_bytes = src->size;
	cfs_builder_know_archive(x->builder, 0, src->size, src->mtime);
	cfs_source_close(src);
	return cfs_builder_finish(x->builder, &counts, err);
}

void cfs_copyindex_free(struct cfs_copyindex *x)
{
	if (x == NULL)
		return;
	cfs_builder_free(x->builder);
	free(x);
}

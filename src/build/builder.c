/* builder.c - captures in any order to a sorted index file.
 *
 * Captures go through an external sort (extsort.h) under the key of the index:
 * for a crawlfs index with the value of builder_value.c, for a PB-tree with
 * the tree's own 32 bytes, for lines of CDXJ those of builder_lines.c.  On the way samples of the keys are taken
 * (builder_sample.h) and the references of revisits noted (builder_revisits.h).
 *
 * Where other records are to be joined to captures, the sorted entries of
 * a key are held together (join.h); of a key with more than GROUP_MAX that many
 * at a time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "builder_lines.h"
#include "builder_revisits.h"
#include "builder_sample.h"
#include "builder_value.h"
#include "index/cfx_format.h"
#include "index/pbtree_format.h"
#include "pbtree_write.h"
#include "share_file.h"
#include "url/pbtree_key.h"
#include "url/urlkey.h"

#define MEMORY_DEFAULT ((size_t)256 << 20)
/* Entries between two calls of `merged`. */
#define MERGED_EVERY 16384u
#define PBTREE_BLOCK_BYTES 65536u
/* Entries of one key, and their bytes, that are joined at a time. */
#define GROUP_MAX 65536u
#define GROUP_BYTES ((size_t)32 << 20)

struct feeder {
	struct cfs_buf key, value, scratch;
	struct cfs_builder_counts counts;
	uint64_t offset_max;
};

/* Of an archive's captures. */
struct times {
	_Atomic int64_t first, last;
};

struct cfs_builder {
	struct cfs_builder_opts opts;
	char *path, *dir;
	struct cfs_replacement file;
	struct feeder *feeders;
	struct cfs_builder_sample *samples;	/* by feeder */
	struct cfs_extsort *sort;
	struct cfs_builder_refs refs;
	struct times *times;			/* by archive */
	struct cfs_line_names *names;		/* of archives, for lines */
	atomic_bool joins;		/* some entries are to be joined */
	/* The merge: */
	struct cfs_cfx_writer *writer;
	struct cfs_builder_counts counts;
	uint64_t done, total;		/* entries */
	struct cfs_buf last_key;	/* drops_repeats: the last one's */
	struct cfs_span last_loc;
};

/* ---- adding ---- */

/* Widens the span of an archive's times. */
static void widen(struct times *s, int64_t t)
{
	int64_t old = atomic_load_explicit(&s->first, memory_order_relaxed);

	while (t < old && !atomic_compare_exchange_weak_explicit(
			&s->first, &old, t, memory_order_relaxed,
			memory_order_relaxed))
		;
	old = atomic_load_explicit(&s->last, memory_order_relaxed);
	while (t > old && !atomic_compare_exchange_weak_explicit(
			&s->last, &old, t, memory_order_relaxed,
			memory_order_relaxed))
		;
}

static void count_skipped(struct feeder *f, struct cfs_slice url)
{
	struct cfs_url u;

	switch (cfs_url_parse(url, &u)) {
	case CFS_ENOTFOUND:
		f->counts.skipped_scheme++;
		break;
	case CFS_EFORMAT:
		f->counts.skipped_nul++;
		break;
	case CFS_ELIMIT:
		f->counts.skipped_long++;
		break;
	default:
		f->counts.skipped_deep++;
	}
}

/* Key and value of a PB-tree entry.  CFS_ENOTFOUND: it has no place. */
static int prepare_pbtree(struct feeder *f,
			  const struct cfs_builder_capture *c)
{
	struct cfs_pbtree_value v = {
		.segment = c->pb_segment, .date_ms = c->pb_date_ms,
		.partition = c->pb_partition, .offset = c->span.offset,
		.length = c->span.length > UINT32_MAX ? UINT32_MAX :
			  (uint32_t)c->span.length,
	};
	uint8_t bytes[CFS_PBTREE_VALUE_BYTES];
	int rc = cfs_pbtree_url_key(c->url, &f->key);

	if (rc != CFS_OK)
		return rc;
	cfs_pbtree_value_encode(&v, bytes);
	return cfs_buf_append(&f->value, bytes, sizeof(bytes));
}

/* The key of a URL; its scheme, and the URL if the key does not make it byte
 * for byte. */
static int prepare_key(struct feeder *f, struct cfs_slice url, uint8_t *scheme,
		       struct cfs_slice *to_keep)
{
	struct cfs_url u;
	int rc = cfs_urlkey_encode(url, &f->key);

	if (rc != CFS_OK)
		return rc;
	cfs_url_parse(url, &u);
	*scheme = (uint8_t)u.scheme;
	cfs_buf_reset(&f->scratch);
	rc = cfs_urlkey_url(cfs_buf_slice(&f->key), *scheme, &f->scratch);
	*to_keep = rc == CFS_OK && cfs_slice_eq(cfs_buf_slice(&f->scratch), url) ?
		   CFS_SLICE_EMPTY : url;
	return CFS_OK;
}

static void note_place(struct cfs_builder *b, struct feeder *f,
		       uint32_t archive, int64_t time, uint64_t offset)
{
	widen(&b->times[archive], time);
	if (offset > f->offset_max)
		f->offset_max = offset;
}

static int prepare_cfx(struct cfs_builder *b, struct feeder *f,
		       const struct cfs_builder_capture *c)
{
	struct cfs_slice url;
	uint64_t ref[2];
	uint8_t scheme;
	int rc = prepare_key(f, c->url, &scheme, &url);

	if (rc != CFS_OK)
		return rc;
	cfs_builder_value_capture(&f->value, c, scheme, url, &f->scratch,
				  ref);
	if (c->kind == CFS_KIND_REVISIT)
		cfs_builder_refs_ask(&b->refs, ref);
	if (cfs_builder_is_wet(c))
		atomic_store_explicit(&b->joins, true, memory_order_relaxed);
	note_place(b, f, c->archive, c->time, c->span.offset);
	return f->value.failed;
}

static int prepare_side(struct cfs_builder *b, struct feeder *f,
			const struct cfs_builder_side *s)
{
	struct cfs_slice url;
	uint8_t scheme;
	int rc = prepare_key(f, s->url, &scheme, &url);

	if (rc != CFS_OK)
		return rc;
	cfs_builder_value_side(&f->value, s, scheme, url, &f->scratch);
	atomic_store_explicit(&b->joins, true, memory_order_relaxed);
	/* a request or metadata is never an entry */
	if (!s->is_related || s->related.what > CFS_RELATED_METADATA)
		note_place(b, f, s->archive, s->time, s->span.offset);
	return CFS_OK;
}

static int sort(struct cfs_builder *b, unsigned feeder, struct cfs_slice key,
		struct cfs_slice value, struct cfs_error *err)
{
	if (b->opts.format == CFS_INDEX_CFX)
		cfs_builder_sample_take(&b->samples[feeder], key);
	return cfs_extsort_add(b->sort, feeder, key, value, err);
}

/* Into the sort, once it is prepared; rc and url: how that went for what. */
static int add_prepared(struct cfs_builder *b, unsigned feeder, int rc,
			struct cfs_slice url, struct cfs_error *err)
{
	struct feeder *f = &b->feeders[feeder];

	if (f->key.failed == CFS_ENOMEM || f->value.failed != CFS_OK)
		return cfs_error_nomem(err);
	if (rc != CFS_OK) {
		count_skipped(f, url);
		return CFS_OK;
	}
	return sort(b, feeder, cfs_buf_slice(&f->key), cfs_buf_slice(&f->value),
		    err);
}

int cfs_builder_add(struct cfs_builder *b, unsigned feeder,
		    const struct cfs_builder_capture *cap,
		    struct cfs_error *err)
{
	struct feeder *f = &b->feeders[feeder];
	int rc;

	assert(feeder < b->opts.threads);
	assert(cap->archive < b->opts.n_archives ||
	       b->opts.format == CFS_INDEX_PBTREE);
	cfs_buf_reset(&f->key);
	cfs_buf_reset(&f->value);
	rc = b->opts.format == CFS_INDEX_PBTREE ? prepare_pbtree(f, cap) :
	     cfs_is_lines(b->opts.format) ?
		cfs_builder_line(&f->key, &f->value, cap, b->names,
				 &f->scratch) : prepare_cfx(b, f, cap);
	return add_prepared(b, feeder, rc, cap->url, err);
}

int cfs_builder_add_side(struct cfs_builder *b, unsigned feeder,
			 const struct cfs_builder_side *side,
			 struct cfs_error *err)
{
	struct feeder *f = &b->feeders[feeder];

	assert(feeder < b->opts.threads && side->archive < b->opts.n_archives);
	assert(b->opts.format == CFS_INDEX_CFX);
	cfs_buf_reset(&f->key);
	cfs_buf_reset(&f->value);
	return add_prepared(b, feeder, prepare_side(b, f, side), side->url, err);
}

/* A value that cfs_builder_value_decode has made sense of. */
static bool is_possible(const struct cfs_builder *b,
			const struct cfs_join_item *item)
{
	return item->e.loc.file[0] < b->opts.n_archives &&
	       item->e.kind <= CFS_KIND_SIDE &&
	       item->e.scheme <= CFS_SCHEME_FTP &&
	       item->container <= CFS_SIDE_WARC &&
	       item->notes.n <= CFS_NOTES_MAX;
}

int cfs_builder_add_pair(struct cfs_builder *b, unsigned feeder,
			 struct cfs_slice key, struct cfs_slice value,
			 struct cfs_error *err)
{
	struct cfs_join_item item = { .is_dropped = false };
	const struct cfs_capture *e = &item.e;

	if (key.n > CFS_KEY_MAX || !cfs_builder_value_decode(value, &item) ||
	    !is_possible(b, &item))
		return cfs_error_set(err, CFS_EFORMAT, "pairs are damaged");
	if (e->kind == CFS_KIND_REVISIT)
		cfs_builder_refs_ask(&b->refs, item.ref);
	if (item.what != CFS_JOIN_PAGE)
		atomic_store_explicit(&b->joins, true, memory_order_relaxed);
	if (item.what != CFS_JOIN_RELATED ||
	    item.related.what > CFS_RELATED_METADATA)
		note_place(b, &b->feeders[feeder], (uint32_t)e->loc.file[0],
			   e->time, e->loc.offset);
	return sort(b, feeder, key, value, err);
}

static void add_skipped(struct cfs_builder_counts *to,
			const struct cfs_builder_counts *c)
{
	to->skipped_scheme += c->skipped_scheme;
	to->skipped_long += c->skipped_long;
	to->skipped_deep += c->skipped_deep;
	to->skipped_nul += c->skipped_nul;
}

void cfs_builder_add_skipped(struct cfs_builder *b, unsigned feeder,
			     const struct cfs_builder_counts *counts)
{
	add_skipped(&b->feeders[feeder].counts, counts);
}

static void count_merged(struct cfs_builder *b)
{
	if (++b->done % MERGED_EVERY == 0 || b->done == b->total)
		if (b->opts.merged != NULL)
			b->opts.merged(b->opts.arg, b->done, b->total);
}

static int damaged(const struct cfs_builder *b, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EIO, b->opts.tmp_dir, 0,
			    "temporary file is damaged");
}

/* Is this the record that was written last, once more? */
static bool is_repeated(struct cfs_builder *b, struct cfs_slice key,
			const struct cfs_capture *e)
{
	const struct cfs_span *last = &b->last_loc;
	bool same;

	if (!b->opts.drops_repeats)
		return false;
	same = e->loc.file[0] == last->file[0] &&
	       e->loc.offset == last->offset &&
	       e->loc.inner_offset == last->inner_offset &&
	       cfs_slice_eq(key, cfs_buf_slice(&b->last_key));
	b->last_loc = e->loc;
	cfs_buf_reset(&b->last_key);
	cfs_buf_add(&b->last_key, key);
	b->counts.repeated += same;
	return same;
}

static int write_entry(struct cfs_builder *b, struct cfs_slice key,
		       struct cfs_join_item *item, struct cfs_error *err)
{
	struct cfs_capture *e = &item->e;
	cfs_pos pos;
	int rc;

	if (is_repeated(b, key, e))
		return b->last_key.failed;
	/* the crawl's own are shown instead of views that would be made */
	if (e->text.kind != CFS_SIDE_NONE && e->meta.kind != CFS_SIDE_NONE)
		e->has_view_bytes = false;
	rc = cfs_cfx_writer_add(b->writer, key, e, item->notes, &pos, err);
	if (rc == CFS_OK && cfs_builder_refs_any(&b->refs))
		rc = cfs_builder_refs_add(&b->refs, e->kind == CFS_KIND_REVISIT,
					  item->ref, pos, err);
	return rc;
}

/* ---- entries of one key ---- */

struct group {
	struct cfs_buf key, values, spans;	/* spans: le32 lengths */
	struct cfs_buf lists;		/* of related records */
	size_t n;
};

static void group_init(struct group *g)
{
	*g = (struct group){ .n = 0 };
	cfs_buf_init(&g->key, CFS_KEY_MAX);
	cfs_buf_init(&g->values, GROUP_BYTES);
	cfs_buf_init(&g->spans, 4 * GROUP_MAX);
	cfs_buf_init(&g->lists, CFS_RELATED_LIST_MAX * GROUP_MAX);
}

static void group_release(struct group *g)
{
	cfs_buf_release(&g->key);
	cfs_buf_release(&g->values);
	cfs_buf_release(&g->spans);
	cfs_buf_release(&g->lists);
}

static bool group_takes(const struct group *g, struct cfs_slice key,
			struct cfs_slice value)
{
	return g->n == 0 || (g->n < GROUP_MAX &&
			     value.n <= GROUP_BYTES - g->values.n &&
			     cfs_slice_eq(key, cfs_buf_slice(&g->key)));
}

static int group_add(struct group *g, struct cfs_slice key,
		     struct cfs_slice value)
{
	if (g->n++ == 0) {
		cfs_buf_reset(&g->key);
		cfs_buf_add(&g->key, key);
	}
	cfs_buf_add(&g->values, value);
	cfs_buf_le32(&g->spans, (uint32_t)value.n);
	return g->key.failed != CFS_OK ? g->key.failed :
	       g->values.failed != CFS_OK ? g->values.failed : g->spans.failed;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int in_index_order(const void *a, const void *b)
{
	const struct cfs_capture *x = &((const struct cfs_join_item *)a)->e;
	const struct cfs_capture *y = &((const struct cfs_join_item *)b)->e;
	int c = (x->time > y->time) - (x->time < y->time);

	if (c == 0)
		c = compare(x->loc.file[0], y->loc.file[0]);
	if (c == 0)
		c = compare(x->loc.offset, y->loc.offset);
	if (c == 0)
		c = compare(x->loc.inner_offset, y->loc.inner_offset);
	return c != 0 ? c : compare(x->text.loc.inner_offset,
				    y->text.loc.inner_offset);
}

static int join_group(struct cfs_builder *b, struct group *g,
		      struct cfs_join_item *items, struct cfs_error *err)
{
	struct cfs_cursor v = { cfs_buf_slice(&g->values), false };
	struct cfs_cursor n = { cfs_buf_slice(&g->spans), false };
	bool joins = false;

	for (size_t i = 0; i < g->n; i++) {
		if (!cfs_builder_value_decode(
				cfs_cursor_take(&v, cfs_cursor_le32(&n)),
				&items[i]))
			return damaged(b, err);
		joins |= items[i].what != CFS_JOIN_PAGE;
	}
	if (!joins)
		return CFS_OK;
	if (cfs_join(items, g->n, b->opts.origins, &g->lists, &b->counts) !=
	    CFS_OK)
		return cfs_error_nomem(err);
	if (g->n > 1)
		qsort(items, g->n, sizeof(*items), in_index_order);
	return CFS_OK;
}

/* A text or metadata record that has become a page, where that is not wanted:
 * counts it as left out. */
static bool is_left_out(struct cfs_builder *b, const struct cfs_join_item *item)
{
	if (!b->opts.no_lone_sides || item->what < CFS_JOIN_TEXT)
		return false;
	--*(item->what == CFS_JOIN_RELATED ? &b->counts.related_pages :
	    item->e.text.kind != CFS_SIDE_NONE ? &b->counts.text_pages :
						 &b->counts.meta_pages);
	b->counts.lone_sides++;
	return true;
}

static int write_group(struct cfs_builder *b, struct group *g,
		       struct cfs_error *err)
{
	struct cfs_join_item one = { .is_dropped = false }, *items = &one;
	int rc;

	if (g->n == 0)
		return CFS_OK;
	if (g->n > 1)
		items = calloc(g->n, sizeof(*items));
	if (items == NULL)
		return cfs_error_nomem(err);
	rc = join_group(b, g, items, err);
	for (size_t i = 0; i < g->n && rc == CFS_OK; i++) {
		if (!items[i].is_dropped && !is_left_out(b, &items[i]))
			rc = write_entry(b, cfs_buf_slice(&g->key),
					 &items[i], err);
		count_merged(b);
	}
	if (items != &one)
		free(items);
	g->n = 0;
	cfs_buf_reset(&g->values);
	cfs_buf_reset(&g->spans);
	return rc;
}

/* ---- sorted entries into a crawlfs index ---- */

static int next_pair(struct cfs_builder *b, struct cfs_slice *key,
		     struct cfs_slice *value, struct cfs_error *err)
{
	int rc = cfs_extsort_next(b->sort, key, value, err);

	if (rc == CFS_OK && b->opts.share != NULL)
		rc = cfs_share_writer_add(b->opts.share, *key, *value, err);
	return rc;
}

static int merge_joining(struct cfs_builder *b, struct cfs_error *err)
{
	struct cfs_slice key, value;
	struct group g;
	int rc;

	group_init(&g);
	while ((rc = next_pair(b, &key, &value, err)) == CFS_OK) {
		if (!group_takes(&g, key, value))
			rc = write_group(b, &g, err);
		if (rc == CFS_OK && group_add(&g, key, value) != CFS_OK)
			rc = cfs_error_nomem(err);
		if (rc != CFS_OK)
			break;
	}
	if (rc == CFS_END)
		rc = write_group(b, &g, err);
	group_release(&g);
	return rc;
}

static int merge_plain(struct cfs_builder *b, struct cfs_error *err)
{
	struct cfs_slice key, value;
	int rc = CFS_OK;

	while (rc == CFS_OK) {
		struct cfs_join_item item = { .is_dropped = false };

		rc = next_pair(b, &key, &value, err);
		if (rc != CFS_OK)
			break;
		if (!cfs_builder_value_decode(value, &item))
			return damaged(b, err);
		rc = write_entry(b, key, &item, err);
		count_merged(b);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

static int merge_cfx(struct cfs_builder *b, const struct cfs_cfx_params *params,
		     struct cfs_error *err)
{
	int rc = cfs_cfx_writer_new(&b->writer, params, err);

	if (rc == CFS_OK)
		rc = atomic_load(&b->joins) ? merge_joining(b, err) :
					      merge_plain(b, err);
	if (rc == CFS_OK && cfs_builder_refs_any(&b->refs))
		rc = cfs_builder_refs_write(&b->refs, b->writer, err);
	if (rc == CFS_OK)
		rc = cfs_cfx_writer_finish(b->writer, &b->counts, err);
	cfs_cfx_writer_free(b->writer);
	b->writer = NULL;
	return rc;
}

/* ---- and into a PB-tree ---- */

static int merge_pbtree(struct cfs_builder *b, struct cfs_error *err)
{
	struct cfs_pbtree_writer *w;
	struct cfs_slice key, value;
	int rc = cfs_pbtree_writer_new(&w, b->file.fd, PBTREE_BLOCK_BYTES,
				       CFS_PBTREE_VALUE_BYTES,
				       b->opts.tmp_dir, err);

	while (rc == CFS_OK) {
		rc = cfs_extsort_next(b->sort, &key, &value, err);
		if (rc != CFS_OK)
			break;
		rc = cfs_pbtree_writer_add(w, key, value, err);
		b->counts.captures++;
		count_merged(b);
	}
	if (rc == CFS_END)
		rc = cfs_pbtree_writer_finish(w, &b->counts.file_bytes, err);
	cfs_pbtree_writer_free(w);
	return rc;
}

/* ---- and into lines ---- */

static int merge_lines(struct cfs_builder *b, struct cfs_error *err)
{
	const struct cfs_lines_opts o = {
		.format = b->opts.format, .names = b->names, .fd = b->file.fd,
		.path = b->path, .lines = b->total, .shards = b->opts.shards,
		.threads = b->opts.threads, .cancel = b->opts.cancel };
	struct cfs_lines_writer *w;
	struct cfs_slice key, value;
	int rc = cfs_lines_writer_new(&w, &o, err);

	while (rc == CFS_OK) {
		rc = cfs_extsort_next(b->sort, &key, &value, err);
		if (rc == CFS_OK)
			rc = cfs_lines_writer_add(w, key, value, err);
		if (rc == CFS_OK)
			count_merged(b);
	}
	if (rc == CFS_END)
		rc = cfs_lines_writer_finish(w, &b->counts, err);
	cfs_lines_writer_free(w);
	return rc;
}

/* ---- finishing ---- */

/* The files of a cluster are its writer's. */
static int open_file(struct cfs_builder *b, struct cfs_error *err)
{
	return b->opts.format == CFS_INDEX_ZIPNUM ? CFS_OK :
	       cfs_replacement_open(&b->file, b->path, 0666, err);
}

/* First times for the writer, and the longest span between first and last. */
static int settle_times(const struct cfs_builder *b, int64_t **first_times,
			uint64_t *longest, struct cfs_error *err)
{
	*longest = 0;
	*first_times = calloc(b->opts.n_archives + 1u, sizeof(**first_times));
	if (*first_times == NULL)
		return cfs_error_nomem(err);
	for (uint32_t i = 0; i < b->opts.n_archives; i++) {
		int64_t first = b->times[i].first, last = b->times[i].last;
		uint64_t n = (uint64_t)last - (uint64_t)first;

		if (first > last)
			continue;	/* no capture: stays 0 */
		(*first_times)[i] = first;
		if (n > *longest)
			*longest = n;
	}
	return CFS_OK;
}

static int finish_cfx(struct cfs_builder *b, struct cfs_error *err)
{
	struct cfs_symbols symbols;
	struct cfs_cfx_params p = {
		.fd = b->file.fd, .name = b->path, .symbols = &symbols,
		.archives = b->opts.archives, .n_archives = b->opts.n_archives,
		.view_code = b->opts.view_code,
		.tmp_dir = b->opts.tmp_dir, .home = b->opts.home,
	};
	int64_t *first_times = NULL;
	int rc = cfs_builder_sample_train(b->samples, b->opts.threads, &symbols);

	if (rc != CFS_OK)
		return cfs_error_nomem(err);
	for (unsigned i = 0; i < b->opts.threads; i++)
		if (b->feeders[i].offset_max > p.offset_max)
			p.offset_max = b->feeders[i].offset_max;
	rc = settle_times(b, &first_times, &p.time_max, err);
	p.first_times = first_times;
	if (rc == CFS_OK)
		rc = merge_cfx(b, &p, err);
	if (rc == CFS_OK && b->opts.sizer != NULL &&
	    cfs_builder_refs_any(&b->refs))
		rc = cfs_builder_revisits_write(&b->opts, &b->file, &p,
						&b->counts, err);
	free(first_times);
	return rc;
}

int cfs_builder_finish(struct cfs_builder *b, struct cfs_builder_counts *out,
		       struct cfs_error *err)
{
	int rc;

	for (unsigned i = 0; i < b->opts.threads; i++)
		add_skipped(&b->counts, &b->feeders[i].counts);
	b->total = cfs_extsort_count(b->sort);
	rc = cfs_extsort_merge(b->sort, err);
	if (rc == CFS_OK && b->opts.is_late)
		rc = open_file(b, err);
	if (rc == CFS_OK)
		rc = b->opts.format == CFS_INDEX_PBTREE ? merge_pbtree(b, err) :
		     cfs_is_lines(b->opts.format) ? merge_lines(b, err) :
						    finish_cfx(b, err);
	if (rc == CFS_OK && b->opts.share != NULL)
		rc = cfs_share_writer_finish(b->opts.share, b->file.fd,
					     &b->counts.file_bytes, err);
	if (rc == CFS_OK && b->opts.format != CFS_INDEX_ZIPNUM)
		rc = cfs_replacement_commit(&b->file, err);
	if (rc != CFS_OK) {
		cfs_replacement_drop(&b->file);
		cfs_error_where(err, b->path, 0);
	}
	*out = b->counts;
	return rc;
}

/* ---- new and free ---- */

/* Names go into a file that others open: they must stay below its folder. */
static int check_names(const struct cfs_builder_opts *o, struct cfs_error *err)
{
	for (uint32_t i = 0; i < o->n_archives; i++) {
		const char *name = o->archives[i].name;

		if (!cfs_name_stays_below(cfs_slice_str(name)))
			return cfs_error_set(err, CFS_EUSAGE, "archive name '%s'"
					     " does not lie below the index",
					     name);
	}
	return CFS_OK;
}

static int new_feeders(struct cfs_builder *b, struct cfs_error *err)
{
	b->feeders = calloc(b->opts.threads, sizeof(*b->feeders));
	b->samples = calloc(b->opts.threads, sizeof(*b->samples));
	if (b->feeders == NULL || b->samples == NULL)
		return cfs_error_nomem(err);
	for (unsigned i = 0; i < b->opts.threads; i++) {
		struct feeder *f = &b->feeders[i];

		cfs_buf_init(&f->key, CFS_KEY_MAX + 64);
		cfs_buf_init(&f->value, CFS_EXTSORT_ITEM_MAX);
		cfs_buf_init(&f->scratch, SIZE_MAX);
		cfs_builder_sample_init(&b->samples[i]);
	}
	return CFS_OK;
}

static int new_cfx(struct cfs_builder *b, size_t memory, struct cfs_error *err)
{
	struct cfs_extsort_opts refs = {
		.memory_bytes = memory / 8, .feeders = 1,
		.tmp_dir = b->opts.tmp_dir, .cancel = b->opts.cancel,
	};
	int rc = check_names(&b->opts, err);

	if (rc != CFS_OK)
		return rc;
	b->times = calloc(b->opts.n_archives + 1u, sizeof(*b->times));
	if (b->times == NULL)
		return cfs_error_nomem(err);
	for (uint32_t i = 0; i < b->opts.n_archives; i++) {
		atomic_init(&b->times[i].first, INT64_MAX);
		atomic_init(&b->times[i].last, INT64_MIN);
	}
	return cfs_builder_refs_init(&b->refs, &refs, err);
}

int cfs_builder_new(struct cfs_builder **out,
		    const struct cfs_builder_opts *opts, struct cfs_error *err)
{
	struct cfs_builder *b = calloc(1, sizeof(*b));
	size_t memory = opts->memory_bytes ? opts->memory_bytes : MEMORY_DEFAULT;
	struct cfs_extsort_opts so;
	int rc;

	*out = NULL;
	if (b == NULL)
		return cfs_error_nomem(err);
	b->opts = *opts;
	b->file.fd = -1;
	cfs_buf_init(&b->last_key, CFS_KEY_MAX);
	if (b->opts.threads == 0)
		b->opts.threads = 1;
	b->path = strdup(opts->path);
	b->dir = cfs_folder_of(opts->path);
	rc = b->path == NULL || b->dir == NULL ?
		cfs_error_nomem(err) : CFS_OK;
	if (b->opts.tmp_dir == NULL)
		b->opts.tmp_dir = b->dir;
	so = (struct cfs_extsort_opts){
		.memory_bytes = memory - memory / 8,
		.feeders = b->opts.threads, .tmp_dir = b->opts.tmp_dir,
		.cancel = b->opts.cancel,
	};
	if (rc == CFS_OK)
		rc = new_feeders(b, err);
	if (rc == CFS_OK && opts->format == CFS_INDEX_CFX)
		rc = new_cfx(b, memory, err);
	if (rc == CFS_OK && cfs_is_lines(opts->format) &&
	    cfs_line_names_new(&b->names, opts->archives, opts->n_archives) !=
	    CFS_OK)
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK)
		rc = cfs_extsort_new(&b->sort, &so, err);
	if (rc == CFS_OK && !opts->is_late)
		rc = open_file(b, err);
	if (rc != CFS_OK) {
		cfs_builder_free(b);
		return rc;
	}
	*out = b;
	return CFS_OK;
}

void cfs_builder_free(struct cfs_builder *b)
{
	if (b == NULL)
		return;
	cfs_replacement_drop(&b->file);
	cfs_buf_release(&b->last_key);
	for (unsigned i = 0; b->feeders != NULL && i < b->opts.threads; i++) {
		cfs_buf_release(&b->feeders[i].key);
		cfs_buf_release(&b->feeders[i].value);
		cfs_buf_release(&b->feeders[i].scratch);
	}
	for (unsigned i = 0; b->samples != NULL && i < b->opts.threads; i++)
		cfs_builder_sample_release(&b->samples[i]);
	free(b->feeders);
	free(b->samples);
	cfs_extsort_free(b->sort);
	cfs_builder_refs_release(&b->refs);
	cfs_line_names_free(b->names);
	free(b->times);
	free(b->path);
	free(b->dir);
	free(b);
}

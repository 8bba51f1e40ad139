/* builder.c - captures in any order to a sorted index file.
 *
 * Captures go through an external sort (extsort.h) under the key of the index:
 * for a crawlfs index with the value of builder_value.c, for a PB-tree with
 * the tree's own 32 bytes.  On the way samples of the keys are taken
 * (builder_sample.h) and the references of revisits noted (builder_refs.h);
 * builder_merge.h makes the index of what comes out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "builder_merge.h"
#include "builder_sample.h"
#include "builder_value.h"
#include "index/cfx_format.h"
#include "index/pbtree_format.h"
#include "url/pbtree_key.h"
#include "url/urlkey.h"

#define MEMORY_DEFAULT ((size_t)256 << 20)

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
	atomic_bool joins;		/* some entries are to be joined */
	atomic_bool has_revisits;
};

/* ---- adding ---- */

/* The URL if the key does not make it byte for byte. */
static struct cfs_slice url_to_keep(struct feeder *f, struct cfs_slice url,
				    uint8_t scheme)
{
	cfs_buf_reset(&f->scratch);
	if (cfs_urlkey_url(cfs_buf_slice(&f->key), scheme, &f->scratch) ==
	    CFS_OK && cfs_slice_eq(cfs_buf_slice(&f->scratch), url))
		return CFS_SLICE_EMPTY;
	return url;
}

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
	struct cfs_builder_hashes hashes;
	struct cfs_url u;
	uint8_t scheme;
	int rc = cfs_urlkey_encode(c->url, &f->key);

	if (rc != CFS_OK)
		return rc;
	cfs_url_parse(c->url, &u);
	scheme = (uint8_t)u.scheme;
	cfs_builder_value_capture(&f->value, c, scheme,
				  url_to_keep(f, c->url, scheme), &f->scratch,
				  &hashes);
	if (c->kind == CFS_KIND_REVISIT) {
		cfs_builder_refs_ask(&b->refs, hashes.id);
		cfs_builder_refs_ask(&b->refs, hashes.digest);
		atomic_store_explicit(&b->has_revisits, true,
				      memory_order_relaxed);
	}
	if (cfs_builder_is_wet(c))
		atomic_store_explicit(&b->joins, true, memory_order_relaxed);
	note_place(b, f, c->archive, c->time, c->span.offset);
	return f->value.failed;
}

static int prepare_side(struct cfs_builder *b, struct feeder *f,
			const struct cfs_builder_side *s)
{
	struct cfs_url u;
	uint8_t scheme;
	int rc = cfs_urlkey_encode(s->url, &f->key);

	if (rc != CFS_OK)
		return rc;
	cfs_url_parse(s->url, &u);
	scheme = (uint8_t)u.scheme;
	cfs_builder_value_side(&f->value, s, scheme,
			       url_to_keep(f, s->url, scheme), &f->scratch);
	atomic_store_explicit(&b->joins, true, memory_order_relaxed);
	note_place(b, f, s->archive, s->time, s->span.offset);
	return CFS_OK;
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
	return cfs_extsort_add(b->sort, feeder, cfs_buf_slice(&f->key),
			       cfs_buf_slice(&f->value), err);
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
						  prepare_cfx(b, f, cap);
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

/* ---- finishing ---- */

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

static int open_file(struct cfs_builder *b, struct cfs_error *err)
{
	return cfs_replacement_open(&b->file, b->path, 0666, err);
}

/* Writes the index again, with the sizes of its revisits. */
static int add_revisit_sizes(struct cfs_builder *b,
			     const struct cfs_cfx_params *params,
			     struct cfs_builder_counts *counts,
			     struct cfs_error *err)
{
	struct cfs_replacement without = b->file;
	struct cfs_builder_revisits r = {
		.sizer = b->opts.sizer, .base = b->opts.base,
		.n_archives = b->opts.n_at_hand, .threads = b->opts.threads,
		.cancel = b->opts.cancel,
	};
	struct cfs_cfx_params p = *params;
	struct cfs_source *src;
	int rc = cfs_source_open_file(&src, without.tmp_path, err);

	if (rc != CFS_OK)
		return rc;
	rc = open_file(b, err);
	p.fd = b->file.fd;
	if (rc == CFS_OK)
		rc = cfs_builder_revisits_write(&r, src, &p, counts, err);
	else
		cfs_source_close(src);
	cfs_replacement_drop(&without);
	return rc;
}

static int finish_cfx(struct cfs_builder *b, struct cfs_builder_merge *m,
		      struct cfs_builder_counts *counts, struct cfs_error *err)
{
	struct cfs_symbols symbols;
	struct cfs_cfx_params p = {
		.fd = b->file.fd, .name = b->path, .symbols = &symbols,
		.archives = b->opts.archives, .n_archives = b->opts.n_archives,
		.view_code = b->opts.view_code,
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
		rc = cfs_builder_merge_cfx(m, &p, counts, err);
	if (rc == CFS_OK && b->opts.sizer != NULL &&
	    atomic_load(&b->has_revisits))
		rc = add_revisit_sizes(b, &p, counts, err);
	free(first_times);
	return rc;
}

int cfs_builder_finish(struct cfs_builder *b, struct cfs_builder_counts *out,
		       struct cfs_error *err)
{
	struct cfs_builder_merge m = {
		.sort = b->sort, .refs = &b->refs,
		.joins = atomic_load(&b->joins), .origins = b->opts.origins,
		.tmp_dir = b->opts.tmp_dir, .merged = b->opts.merged,
		.arg = b->opts.arg, .total = cfs_extsort_count(b->sort),
	};
	int rc;

	*out = (struct cfs_builder_counts){ 0 };
	for (unsigned i = 0; i < b->opts.threads; i++) {
		const struct cfs_builder_counts *c = &b->feeders[i].counts;

		out->skipped_scheme += c->skipped_scheme;
		out->skipped_long += c->skipped_long;
		out->skipped_deep += c->skipped_deep;
		out->skipped_nul += c->skipped_nul;
	}
	rc = cfs_extsort_merge(b->sort, err);
	if (rc == CFS_OK && b->opts.is_late)
		rc = open_file(b, err);
	if (rc == CFS_OK)
		rc = b->opts.format == CFS_INDEX_PBTREE ?
			cfs_builder_merge_pbtree(&m, b->file.fd, out, err) :
			finish_cfx(b, &m, out, err);
	if (rc == CFS_OK)
		rc = cfs_replacement_commit(&b->file, err);
	if (rc != CFS_OK) {
		cfs_replacement_drop(&b->file);
		cfs_error_where(err, b->path, 0);
	}
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

static void take_sample(void *arg, unsigned feeder,
			const struct cfs_pairs *pairs)
{
	struct cfs_builder *b = arg;

	cfs_builder_sample_take(&b->samples[feeder], pairs);
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
		.cancel = b->opts.cancel, .arg = b,
		.sorted = opts->format == CFS_INDEX_CFX ? take_sample : NULL,
	};
	if (rc == CFS_OK)
		rc = new_feeders(b, err);
	if (rc == CFS_OK && opts->format == CFS_INDEX_CFX)
		rc = new_cfx(b, memory, err);
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
	free(b->times);
	free(b->path);
	free(b->dir);
	free(b);
}

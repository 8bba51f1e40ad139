/* builder.c - sorts captures that come in any order into an index file.
 *
 * Captures go through an external sort (extsort.h) under the key of the index;
 * the values are those of sort_value.c for a crawlfs index, of builder_pbtree.c
 * for a PB-tree, and of builder_lines.c for lines of CDXJ.  As
 * captures are added, keys are sampled (builder_sample.c) and the references of
 * revisits noted (builder_revisits.c).
 *
 * Indexes among the inputs are sorted already; they are merged with the output
 * of the sort (merge.h).  The merged pairs become entries (entries.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/log.h"
#include "base/text.h"
#include "builder_archives.h"
#include "builder_internal.h"
#include "builder_lines.h"
#include "format/cfx/cfx_damage.h"
#include "format/cfx/cfx_format.h"
#include "join/entries.h"
#include "merge.h"
#include "parts.h"
#include "url/urlkey.h"

/* Entries between two calls of `merged`. */
#define MERGED_EVERY 16384u

struct pair_feeder {
	struct cfs_buf key, value, scratch;
	uint64_t offset_max;
};

struct cfs_builder {
	struct cfs_builder_opts opts;
	char *path, *dir;
	struct cfs_replacement file;
	struct pair_feeder *feeders;
	struct cfs_builder_sample *samples;	/* by feeder */
	struct cfs_extsort *sort;
	struct cfs_builder_refs refs;
	struct cfs_extsort_opts refs_opts;	/* options for sorts of
						 * references */
	struct cfs_builder_archives archives;
	struct cfs_damages *damages;		/* NULL: not recorded */
	struct cfs_line_names *names;		/* of archives, for lines */
	struct cfs_pb_places *places;		/* of archives, for a PB-tree */
	/* Used while merging: */
	struct cfs_cfx_writer *writer;
	struct cfs_builder_counts counts;
	uint64_t done, total;		/* entries */
	struct cfs_extsort *again;	/* positions of revisits to measure */
	struct cfs_builder_words *words;	/* NULL: no list of words */
};

void cfs_builder_warn_no_home(enum cfs_index_format format, const char *home)
{
	if (home != NULL && cfs_is_lines(format))
		cfs_log(CFS_LOG_WARNING, "archives are below '%s', which lines "
			"do not say: mount them with -o data=%s", home, home);
	else if (home != NULL && format == CFS_INDEX_PBTREE)
		cfs_log(CFS_LOG_WARNING, "archives are below '%s', which a "
			"PB-tree does not say: mount it with -o data=%s", home,
			home);
}

/* ---- adding ---- */

const char *cfs_skipped_reason(enum cfs_skipped_kind kind)
{
	static const char *const reasons[CFS_SKIPPED_KINDS] = {
		[CFS_SKIPPED_SCHEME] = "the URL has no host",
		[CFS_SKIPPED_LONG] = "the URL is too long",
		[CFS_SKIPPED_DEEP] = "the path is too deep",
		[CFS_SKIPPED_NUL] = "a NUL byte is in the URL" };

	return reasons[kind];
}

/* Counts a URL without a place; returns the reason. */
static const char *count_skipped(struct cfs_builder *b, uint32_t archive,
				 struct cfs_slice url)
{
	enum cfs_skipped_kind kind;
	struct cfs_url u;

	switch (cfs_url_parse_any(url, &u)) {
	case CFS_ENOTFOUND:
		kind = CFS_SKIPPED_SCHEME;
		break;
	case CFS_EFORMAT:
		kind = CFS_SKIPPED_NUL;
		break;
	case CFS_ELIMIT:
		kind = CFS_SKIPPED_LONG;
		break;
	default:
		kind = CFS_SKIPPED_DEEP;
	}
	cfs_builder_archives_skip(&b->archives, archive, kind);
	return cfs_skipped_reason(kind);
}

/* Makes the key of a URL; sets its scheme, and *to_keep to the URL if the key
 * does not encode it byte for byte. */
static int make_key(struct pair_feeder *f, struct cfs_slice url,
		       uint8_t *scheme, struct cfs_slice *to_keep)
{
	struct cfs_url u;
	int rc = cfs_urlkey_encode(url, &f->key);

	if (rc != CFS_OK)
		return rc;
	cfs_url_parse_any(url, &u);
	*scheme = (uint8_t)u.scheme;
	cfs_buf_reset(&f->scratch);
	rc = cfs_urlkey_url(cfs_buf_slice(&f->key), *scheme, &f->scratch);
	*to_keep = url;
	if (rc == CFS_OK && cfs_slice_eq(cfs_buf_slice(&f->scratch), url))
		*to_keep = CFS_SLICE_EMPTY;
	return CFS_OK;
}

/*
 * May a record become an entry?  The layout of an index (its symbols, the
 * widths of its fields) is made for such records alone, because an index that
 * is merged into another one does not have all others: a request in the archive
 * of its capture, a text that was not asked for.
 *
 * related: enum cfs_related, if what is CFS_JOIN_RELATED
 */
static bool may_be_entry(const struct cfs_builder *b, enum cfs_join_what what,
			 unsigned related)
{
	if (what < CFS_JOIN_TEXT)
		return true;
	return !b->opts.no_lone_annexes && (what != CFS_JOIN_RELATED ||
					  cfs_related_may_be_page(related));
}

/* Takes note of a record that may become an entry. */
static void note_entry(struct cfs_builder *b, unsigned feeder,
		       struct cfs_slice key, uint32_t archive, int64_t time,
		       uint64_t offset)
{
	struct pair_feeder *f = &b->feeders[feeder];

	cfs_builder_archives_widen(&b->archives, archive, offset, time);
	if (offset > f->offset_max)
		f->offset_max = offset;
	cfs_builder_sample_take(&b->samples[feeder], key);
}

static int make_cfx(struct cfs_builder *b, unsigned feeder,
		       const struct cfs_builder_capture *c)
{
	struct pair_feeder *f = &b->feeders[feeder];
	struct cfs_slice url;
	uint64_t ref[2];
	uint8_t scheme;
	int rc = make_key(f, c->url, &scheme, &url);

	if (rc != CFS_OK)
		return rc;
	cfs_builder_value_capture(&f->value, c, scheme, url, &f->scratch, ref);
	if (c->kind == CFS_KIND_REVISIT)
		cfs_builder_refs_ask(&b->refs, ref);
	note_entry(b, feeder, cfs_buf_slice(&f->key), c->archive, c->time,
		   c->span.offset);
	return f->value.failed;
}

static int make_annex(struct cfs_builder *b, unsigned feeder,
			const struct cfs_builder_annex *s)
{
	struct pair_feeder *f = &b->feeders[feeder];
	struct cfs_slice url;
	uint8_t scheme;
	int rc = make_key(f, s->url, &scheme, &url);

	if (rc != CFS_OK)
		return rc;
	cfs_builder_value_annex(&f->value, s, scheme, url, &f->scratch);
	if (may_be_entry(b, s->is_related ? CFS_JOIN_RELATED : CFS_JOIN_TEXT,
			 s->related.what))
		note_entry(b, feeder, cfs_buf_slice(&f->key), s->archive,
			   s->time, s->span.offset);
	return CFS_OK;
}

/* Adds the pair that was made to the sort; counts the URL as skipped if rc is a
 * failure of making it.  left_out: as of a capture. */
static int add_pair(struct cfs_builder *b, unsigned feeder, int rc,
		    uint32_t archive, struct cfs_slice url,
		    const char **left_out, struct cfs_error *err)
{
	struct pair_feeder *f = &b->feeders[feeder];
	const char *why;

	if (f->key.failed == CFS_ENOMEM || f->value.failed != CFS_OK)
		return cfs_error_nomem(err);
	if (rc != CFS_OK) {
		why = count_skipped(b, archive, url);
		if (left_out != NULL)
			*left_out = why;
		return CFS_OK;
	}
	return cfs_extsort_add(b->sort, feeder, cfs_buf_slice(&f->key),
			       cfs_buf_slice(&f->value), err);
}

int cfs_builder_add(struct cfs_builder *b, unsigned feeder,
		    const struct cfs_builder_capture *cap,
		    struct cfs_error *err)
{
	struct pair_feeder *f = &b->feeders[feeder];
	struct cfs_builder_capture c = *cap;
	int rc;

	assert(feeder < b->opts.threads);
	assert(cap->archive < b->opts.n_archives);
	cfs_buf_reset(&f->key);
	cfs_buf_reset(&f->value);
	c.archive = b->archives.ranks[c.archive];
	if (b->opts.format == CFS_INDEX_PBTREE)
		rc = cfs_pb_pair(b->places, cap, &f->key, &f->value);
	else if (cfs_is_lines(b->opts.format))
		rc = cfs_builder_line(&f->key, &f->value, cap, b->names,
				      &f->scratch);
	else
		rc = make_cfx(b, feeder, &c);
	return add_pair(b, feeder, rc, c.archive, c.url, c.left_out, err);
}

bool cfs_builder_names_archive(const struct cfs_builder *b, uint32_t n)
{
	return b->places == NULL || cfs_pb_places_have(b->places, n);
}

int cfs_builder_add_annex(struct cfs_builder *b, unsigned feeder,
			 const struct cfs_builder_annex *annex,
			 struct cfs_error *err)
{
	struct pair_feeder *f = &b->feeders[feeder];
	struct cfs_builder_annex s = *annex;
	int rc;

	assert(feeder < b->opts.threads && annex->archive < b->opts.n_archives);
	assert(b->opts.format == CFS_INDEX_CFX);
	cfs_buf_reset(&f->key);
	cfs_buf_reset(&f->value);
	s.archive = b->archives.ranks[s.archive];
	rc = make_annex(b, feeder, &s);
	return add_pair(b, feeder, rc, s.archive, s.url, NULL, err);
}

bool cfs_builder_wants_texts(const struct cfs_builder *b)
{
	return b->words != NULL;
}

int cfs_builder_add_text(struct cfs_builder *b, unsigned feeder, uint32_t n,
			 const struct cfs_span *loc, struct cfs_slice text,
			 struct cfs_error *err)
{
	return cfs_builder_words_add(b->words, feeder, b->archives.ranks[n],
				     loc, text, err);
}

static void count_merged(void *arg)
{
	struct cfs_builder *b = arg;

	if (++b->done % MERGED_EVERY == 0 || b->done == b->total)
		if (b->opts.merged != NULL)
			b->opts.merged(b->opts.arg, b->done, b->total);
}

/* ---- writing a crawlfs index ---- */

static int builder_write_all(struct cfs_builder *b, struct cfs_merge *m,
			     struct cfs_entries *entries, struct cfs_error *err)
{
	unsigned input, sorted = (unsigned)b->opts.n_inputs;
	struct cfs_slice key, value;
	int rc;

	while ((rc = cfs_merge_next(m, &key, &value, &input, err)) == CFS_OK) {
		rc = cfs_entries_add(entries, key, value, input, err);
		if (rc != CFS_OK)
			return rc;
		if (input == sorted)
			count_merged(b);
	}
	return rc == CFS_END ? cfs_entries_finish(entries, err) : rc;
}

/* Adds what a part says of itself to the archives' list. */
static int note_part(struct cfs_builder *b, struct cfs_error *err)
{
	struct cfs_part_about *a = b->opts.part;
	CFS_BUF(item, CFS_CFX_JOINDATA_BLOCK_BYTES);

	a->counts = (struct cfs_part_counts){
		b->total, b->counts.repeated, b->counts.related_kept_out,
		b->counts.unrelated_kept_out };
	cfs_part_about_put(&item, a);
	return item.failed != CFS_OK ? cfs_error_nomem(err) :
	       cfs_cfx_writer_joindata(b->writer, CFS_CFX_JOINDATA_ARCHIVES,
				       cfs_buf_slice(&item), err);
}

/* Writes the row of each archive to the archives' list. */
static int note_archives(struct cfs_builder *b, struct cfs_error *err)
{
	CFS_BUF(item, 5 * CFS_VARINT_MAX);
	int rc = CFS_OK;

	if (!b->opts.keeps_joins)
		return CFS_OK;
	for (uint32_t i = 0; i < b->archives.n && rc == CFS_OK; i++) {
		const struct cfs_builder_archive *a = &b->archives.v[i];

		cfs_buf_reset(&item);
		cfs_buf_varint(&item, a->mtime_nsec);
		for (unsigned k = 0; k < CFS_SKIPPED_KINDS; k++)
			cfs_buf_varint(&item, a->skipped[k]);
		rc = cfs_cfx_writer_joindata(b->writer,
					     CFS_CFX_JOINDATA_ARCHIVES,
					     cfs_buf_slice(&item), err);
	}
	return rc == CFS_OK && b->opts.part != NULL ? note_part(b, err) : rc;
}

static struct cfs_entries_opts entries_opts(struct cfs_builder *b)
{
	const struct cfs_builder_opts *o = &b->opts;
	bool is_cut = o->pick != NULL || o->are_parts;

	for (size_t i = 0; i < o->n_inputs; i++)
		is_cut |= o->inputs[i].is_cut;
	return (struct cfs_entries_opts){
		.writer = b->writer, .refs = &b->refs, .again = b->again,
		.origins = b->archives.origins, .counts = &b->counts,
		.scanned = (unsigned)o->n_inputs,
		.is_one = o->n_inputs == 1 && !is_cut &&
			  cfs_extsort_count(b->sort) == 0,
		.revisits_are_new = is_cut, .drops_repeats = o->drops_repeats,
		.no_lone_annexes = o->no_lone_annexes,
		.keeps_joins = o->keeps_joins, .is_part = o->is_part };
}

static int merge_cfx(struct cfs_builder *b, const struct cfs_cfx_params *params,
		     const struct cfs_merge_opts *merge, struct cfs_error *err)
{
	struct cfs_entries_opts eo;
	struct cfs_entries entries;
	struct cfs_merge *m = NULL;
	int rc = cfs_cfx_writer_new(&b->writer, params, err);

	eo = entries_opts(b);
	cfs_entries_init(&entries, &eo);
	if (rc == CFS_OK)
		rc = cfs_merge_open(&m, merge, err);
	if (rc == CFS_OK)
		rc = builder_write_all(b, m, &entries, err);
	if (rc == CFS_OK) {
		b->counts.not_picked = cfs_merge_not_picked(m);
		rc = cfs_builder_refs_write(&b->refs, b->writer, b->again, err);
	}
	if (rc == CFS_OK)
		rc = note_archives(b, err);
	if (rc == CFS_OK)
		rc = cfs_cfx_writer_finish(b->writer, b->counts.skipped,
					   &b->counts.captures,
					   &b->counts.file_bytes, err);
	if (rc == CFS_OK)
		cfs_cfx_writer_bodies(b->writer, &b->counts.absent,
				      &b->counts.cut);
	cfs_merge_close(m);
	cfs_entries_release(&entries);
	cfs_cfx_writer_free(b->writer);
	b->writer = NULL;
	return rc;
}

static mode_t mode_of(const struct cfs_builder *b)
{
	return cfs_builder_archives_mode(b->archives.v, b->archives.n,
					 b->opts.home);
}

/* ---- writing lines ---- */

static int merge_lines(struct cfs_builder *b, struct cfs_error *err)
{
	const struct cfs_lines_opts o = {
		.format = b->opts.format, .names = b->names, .fd = b->file.fd,
		.path = b->path, .lines = b->total, .shards = b->opts.shards,
		.threads = b->opts.threads, .mode = mode_of(b),
		.cancel = b->opts.cancel };
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

/* Files of a cluster are opened by its writer. */
static int builder_open_file(struct cfs_builder *b, struct cfs_error *err)
{
	return b->opts.format == CFS_INDEX_ZIPNUM || b->opts.memory != NULL ?
		       CFS_OK :
		       cfs_replacement_open(&b->file, b->path, mode_of(b), err);
}

/* Takes note of one page or annex of an index that is merged into this one. */
static int builder_look_at(void *arg, struct cfs_slice key,
			   const struct cfs_join_item *t, struct cfs_error *err)
{
	struct cfs_builder *b = arg;

	(void)err;
	if (t->e.kind == CFS_KIND_REVISIT)
		cfs_builder_refs_ask(&b->refs, t->ref);
	if (t->n_asked > 0)
		cfs_builder_refs_ask(&b->refs, (const uint64_t[]){ t->asked[0],
				     t->n_asked > 1 ? t->asked[1] : 0 });
	if (may_be_entry(b, t->what, t->related.what))
		note_entry(b, 0, key, (uint32_t)t->e.loc.file[0], t->e.time,
			   t->e.loc.offset);
	return CFS_OK;
}

/* Reads the input indexes once, for what must be known before writing. */
static int builder_look_through(struct cfs_builder *b,
				const struct cfs_merge_opts *merge,
				struct cfs_error *err)
{
	for (size_t i = 0; i < b->opts.n_inputs; i++) {
		const struct cfs_merge_input *in = &b->opts.inputs[i];

		b->total += 2 * in->ix->captures;
		for (uint32_t k = 0; k < in->ix->archives; k++)
			if (in->numbers[k] != CFS_MERGE_NONE)
				in->numbers[k] =
					b->archives.ranks[in->numbers[k]];
	}
	if (b->opts.n_inputs == 0)
		return CFS_OK;
	return cfs_merge_look(merge, builder_look_at, b, err);
}

static int write_cfx(struct cfs_builder *b, const struct cfs_merge_opts *merge,
		     struct cfs_error *err)
{
	struct cfs_symbols symbols;
	struct cfs_cfx_params p = {
		.fd = b->file.fd,
		.memory = b->opts.memory,
		.name = b->path,
		.symbols = &symbols,
		.archives = b->archives.v,
		.n_archives = b->archives.n,
		.view_version = b->opts.view_version,
		.has_languages = b->opts.keeps_languages,
		.keeps_joins = b->opts.keeps_joins,
		.tmp_dir = b->opts.tmp_dir,
		.home = b->opts.home,
	};
	char indexes[CFS_TEXT_COUNT_BYTES];
	struct cfs_cfx_clock *clocks = NULL;
	CFS_BUF(damage, CFS_CFX_DAMAGE_TABLE_MAX);
	int rc =
		cfs_builder_sample_train(b->samples, b->opts.threads, &symbols);

	if (rc != CFS_OK)
		return cfs_error_nomem(err);
	for (unsigned i = 0; i < b->opts.threads; i++)
		if (b->feeders[i].offset_max > p.offset_max)
			p.offset_max = b->feeders[i].offset_max;
	if (cfs_builder_archives_clocks(&b->archives, &clocks) != CFS_OK)
		return cfs_error_nomem(err);
	p.clocks = clocks;
	if (cfs_damages_table(b->damages, &b->archives, b->opts.is_part,
			      &damage) != CFS_OK)
		rc = cfs_error_nomem(err);
	p.damage = cfs_buf_slice(&damage);
	if (b->opts.part != NULL) {
		p.part = b->opts.part->part;
		p.part_seal = b->opts.part->seal;
	}
	if (rc == CFS_OK)
		rc = merge_cfx(b, &p, merge, err);
	/* measuring revisits needs its memory */
	cfs_extsort_free(b->sort);
	b->sort = NULL;
	if (rc == CFS_OK && b->counts.captures == 0 && b->opts.n_inputs > 0 &&
	    !b->opts.are_parts && !b->opts.may_be_empty)
		rc = cfs_error_set(err, CFS_ENOTFOUND, "no page to index in %s",
				   cfs_text_count(b->opts.n_inputs, "index",
						  indexes));
	if (rc == CFS_OK && b->again != NULL)
		rc = cfs_builder_revisits_write(&b->opts, &b->file, b->again,
						b->words, &p, &b->counts, err);
	free(clocks);
	return rc;
}

static int finish_cfx(struct cfs_builder *b, struct cfs_error *err)
{
	struct cfs_merge_opts merge = {
		.inputs = b->opts.inputs, .n_inputs = b->opts.n_inputs,
		.sorted = b->sort, .pick = b->opts.pick,
		.view_version = b->opts.view_version, .refs = b->refs_opts,
		.cancel = b->opts.cancel, .advanced = count_merged, .arg = b };
	int rc = builder_look_through(b, &merge, err);

	if (rc == CFS_OK && b->opts.sizer != NULL)
		rc = cfs_extsort_new(&b->again, &b->refs_opts, err);
	return rc == CFS_OK ? write_cfx(b, &merge, err) : rc;
}

int cfs_builder_damaged(struct cfs_builder *b, uint32_t n, uint64_t offset,
			const char *what)
{
	return b->damages == NULL || b->archives.n == 0 ? CFS_OK :
	       cfs_damages_add(b->damages, b->archives.ranks[n], offset, what);
}

void cfs_builder_damaged_more(struct cfs_builder *b, uint32_t n, uint64_t more)
{
	if (b->damages != NULL && b->archives.n > 0)
		cfs_damages_add_more(b->damages, b->archives.ranks[n], more);
}

void cfs_builder_know_archive(struct cfs_builder *b, uint32_t n, uint64_t size,
			      int64_t mtime)
{
	struct cfs_builder_archive *a = &b->archives.v[b->archives.ranks[n]];

	a->size = size;
	a->mtime = mtime;
}

static int merge(struct cfs_builder *b, struct cfs_error *err)
{
	if (b->opts.format == CFS_INDEX_PBTREE)
		return cfs_pb_write(b->sort, b->file.fd, &b->opts, count_merged,
				    b, &b->counts, err);
	if (cfs_is_lines(b->opts.format))
		return merge_lines(b, err);
	return finish_cfx(b, err);
}

int cfs_builder_redirect(struct cfs_builder *b, const char *path,
			 struct cfs_error *err)
{
	bool is_open = b->file.path != NULL;
	char *name = strdup(path), *file = is_open ? strdup(path) : NULL;

	if (name == NULL || (is_open && file == NULL)) {
		free(name);
		free(file);
		return cfs_error_nomem(err);
	}
	free(b->path);
	free(b->file.path);
	b->path = name;
	b->file.path = file;
	return CFS_OK;
}

bool cfs_builder_is_empty(struct cfs_builder *b, struct cfs_buf *why)
{
	struct cfs_builder_counts counts = { 0 };
	char captures[CFS_TEXT_COUNT_BYTES];

	cfs_builder_archives_count(&b->archives, &counts);
	for (unsigned k = 0; k < CFS_SKIPPED_KINDS; k++)
		if (counts.skipped[k] > 0)
			cfs_buf_addf(why, "%s%s left out: %s",
				     why->n > 0 ? ", " : ": ",
				     cfs_text_count(counts.skipped[k],
						    "capture", captures),
				     cfs_skipped_reason(k));
	return cfs_extsort_count(b->sort) == 0;
}

int cfs_builder_finish(struct cfs_builder *b, struct cfs_builder_counts *out,
		       struct cfs_error *err)
{
	int rc;

	cfs_builder_archives_count(&b->archives, &b->counts);
	b->total = cfs_extsort_count(b->sort);
	rc = cfs_extsort_merge(b->sort, err);
	if (rc == CFS_OK && b->opts.is_late)
		rc = builder_open_file(b, err);
	if (rc == CFS_OK)
		rc = merge(b, err);
	if (rc == CFS_OK && b->words != NULL)
		rc = cfs_builder_words_write(b->words, b->file.tmp_path,
					     mode_of(b), &b->counts, err);
	if (rc == CFS_OK && b->words != NULL)
		rc = cfs_replacement_close(&b->file, err);
	if (rc == CFS_OK && b->words != NULL)
		rc = cfs_builder_words_commit(b->words, err);
	if (rc == CFS_OK && b->opts.format != CFS_INDEX_ZIPNUM &&
	    b->opts.memory == NULL)
		rc = cfs_replacement_commit(&b->file, err);
	if (rc != CFS_OK) {
		cfs_replacement_drop(&b->file);
		cfs_error_where(err, b->path, 0);
	}
	*out = b->counts;
	return rc;
}

/* ---- new and free ---- */

static int new_feeders(struct cfs_builder *b, struct cfs_error *err)
{
	b->feeders = calloc(b->opts.threads, sizeof(*b->feeders));
	b->samples = calloc(b->opts.threads, sizeof(*b->samples));
	if (b->feeders == NULL || b->samples == NULL)
		return cfs_error_nomem(err);
	for (unsigned i = 0; i < b->opts.threads; i++) {
		struct pair_feeder *f = &b->feeders[i];

		cfs_buf_init(&f->key, CFS_KEY_MAX + 64);
		cfs_buf_init(&f->value, CFS_EXTSORT_ITEM_MAX);
		cfs_buf_init(&f->scratch, SIZE_MAX);
		cfs_builder_sample_init(&b->samples[i]);
	}
	return CFS_OK;
}

static int new_cfx(struct cfs_builder *b, size_t memory, struct cfs_error *err)
{
	b->opts.at_hand = b->archives.at_hand;
	b->refs_opts = (struct cfs_extsort_opts){
		.memory_bytes = memory / 8 / (b->opts.n_inputs + 1),
		.feeders = 1, .tmp_dir = b->opts.tmp_dir,
		.cancel = b->opts.cancel };
	return cfs_builder_refs_init(&b->refs, &b->refs_opts, err);
}

/* Finds out whether there is a list of words; half of the memory is for it.  A
 * text in a part may need another part. */
static void choose_words(struct cfs_builder_opts *o, size_t *memory)
{
	o->with_words &= o->format == CFS_INDEX_CFX && o->memory == NULL;
	if (o->with_words)
		*memory /= 2;
	if (o->is_part)
		o->reader = NULL;
}

/* Takes over what indexes that are read know of damaged lists. */
static int learn_damage(struct cfs_builder *b)
{
	int rc = CFS_OK;

	for (uint32_t i = 0; rc == CFS_OK && i < b->opts.n_archives; i++) {
		const struct cfs_builder_archive *a = &b->opts.archives[i];

		if (a->damage.n > 0 && !a->is_elsewhere)
			rc = cfs_damages_learn(b->damages,
					       b->archives.ranks[i], a->damage);
	}
	return rc;
}

int cfs_builder_new(struct cfs_builder **out,
		    const struct cfs_builder_opts *opts, struct cfs_error *err)
{
	struct cfs_builder *b = calloc(1, sizeof(*b));
	size_t memory = opts->memory_bytes ? opts->memory_bytes :
					     CFS_BUILDER_MEMORY_DEFAULT;
	struct cfs_extsort_opts so;
	int rc;

	*out = NULL;
	if (b == NULL)
		return cfs_error_nomem(err);
	b->opts = *opts;
	choose_words(&b->opts, &memory);
	b->opts.memory_bytes = memory;
	for (size_t i = 0; i < opts->n_inputs; i++)
		b->opts.keeps_languages |= opts->inputs[i].ix->has_languages;
	b->file.fd = -1;
	if (b->opts.threads == 0)
		b->opts.threads = 1;
	b->path = strdup(opts->path);
	b->dir = cfs_folder_of(opts->path);
	rc = b->path == NULL || b->dir == NULL ? cfs_error_nomem(err) : CFS_OK;
	if (b->opts.tmp_dir == NULL)
		b->opts.tmp_dir = b->dir;
	so = (struct cfs_extsort_opts){
		.memory_bytes = memory - memory / 8,
		.feeders = b->opts.threads, .tmp_dir = b->opts.tmp_dir,
		.cancel = b->opts.cancel,
	};
	if (rc == CFS_OK)
		rc = new_feeders(b, err);
	if (rc == CFS_OK)
		rc = cfs_builder_archives_init(&b->archives, &b->opts, err);
	if (rc == CFS_OK && opts->format == CFS_INDEX_CFX)
		rc = new_cfx(b, memory, err);
	if (rc == CFS_OK && b->opts.with_words)
		rc = cfs_builder_words_new(&b->words, &b->opts, err);
	if (rc == CFS_OK && opts->format == CFS_INDEX_CFX &&
	    ((b->damages = cfs_damages_new(b->archives.n)) == NULL ||
	     learn_damage(b) != CFS_OK))
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK && cfs_is_lines(opts->format) &&
	    cfs_line_names_new(&b->names, opts->archives, opts->n_archives) !=
	    CFS_OK)
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK && opts->format == CFS_INDEX_PBTREE &&
	    cfs_pb_places_new(&b->places, &b->opts) != CFS_OK)
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK)
		rc = cfs_extsort_new(&b->sort, &so, err);
	if (rc == CFS_OK && !opts->is_late)
		rc = builder_open_file(b, err);
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
	cfs_line_names_free(b->names);
	cfs_pb_places_free(b->places);
	cfs_damages_free(b->damages);
	cfs_builder_archives_release(&b->archives);
	cfs_extsort_free(b->again);
	cfs_builder_words_free(b->words);
	free(b->path);
	free(b->dir);
	free(b);
}

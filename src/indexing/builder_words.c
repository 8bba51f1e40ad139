/* builder_words.c - makes the list of words beside an index that is built.
 *
 * Texts are added while archives are read; once the index is complete, but
 * before it is in place, the list is made of them.  Both are then put in place,
 * the list first: where a part of an index is, its list is.  A list beside
 * another index than its own is known to be of another.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder_internal.h"

#include <stdlib.h>

#include "format/cfx/cfx.h"
#include "merge_input.h"
#include "words/words_build.h"

/* Bytes of blocks in memory while the index is walked. */
#define BLOCK_CACHE_BYTES ((size_t)4 << 20)

struct cfs_builder_words {
	const struct cfs_builder_opts *opts;	/* borrowed */
	struct cfs_words_build *build;
	struct cfs_replacement file;
	char *path;
	void *sizer;
};

int cfs_builder_words_new(struct cfs_builder_words **out,
			  const struct cfs_builder_opts *opts,
			  struct cfs_error *err)
{
	const struct cfs_words_build_opts wo = {
		.memory_bytes = opts->memory_bytes, .feeders = opts->threads,
		.tmp_dir = opts->tmp_dir, .cancel = opts->cancel };
	struct cfs_builder_words *w = calloc(1, sizeof(*w));

	*out = w;
	if (w == NULL)
		return cfs_error_nomem(err);
	w->opts = opts;
	w->file.fd = -1;
	w->path = cfs_words_path(opts->path);
	if (w->path == NULL)
		return cfs_error_nomem(err);
	cfs_replacement_sweep(w->path);
	return cfs_words_build_new(&w->build, &wo, err);
}

void cfs_builder_words_free(struct cfs_builder_words *w)
{
	if (w == NULL)
		return;
	cfs_replacement_drop(&w->file);
	cfs_words_build_free(w->build);
	free(w->path);
	free(w);
}

int cfs_builder_words_add(struct cfs_builder_words *w, unsigned feeder,
			  uint32_t archive, const struct cfs_span *loc,
			  struct cfs_slice text, struct cfs_error *err)
{
	return cfs_words_build_add(w->build, feeder, archive, loc, text, err);
}

/* ---- the list ---- */

static int read_entry(void *arg, cfs_pos pos,
		      const struct cfs_text_taker *taker, struct cfs_ctx ctx)
{
	struct cfs_builder_words *w = arg;

	return w->opts->reader->read(w->sizer, pos, taker, ctx);
}

static int each_entry(void *arg, size_t n, cfs_pool_one *one, void *one_arg,
		      struct cfs_ctx ctx)
{
	struct cfs_builder_words *w = arg;

	return cfs_builder_each(w->opts, n, one, one_arg, ctx.err);
}

static void on_read(void *arg, uint64_t done, uint64_t total)
{
	struct cfs_builder_words *w = arg;

	if (w->opts->merged != NULL)
		w->opts->merged(w->opts->arg, done, total);
}

/* Opens the index that was written: as a crawl, if texts are to be read. */
static int open_written(struct cfs_builder_words *w, const char *written,
			struct cfs_index **ix, struct cfs_error *err)
{
	const struct cfs_builder_opts *o = w->opts;
	const struct cfs_builder_sizer_opts so = {
		.base = o->home != NULL ? o->home : o->base,
		.temp_dir = o->tmp_dir, .memory_bytes = o->memory_bytes };
	struct cfs_source *src;
	int rc = cfs_source_open_file(&src, written, err);

	if (rc != CFS_OK)
		return rc;
	return o->reader != NULL ?
		       o->reader->open(&w->sizer, ix, src, &so, err) :
		       cfs_cfx_open(ix, src, BLOCK_CACHE_BYTES, err);
}

/* The lists of the indexes that are merged. */
static struct cfs_words_old *old_lists(const struct cfs_builder_opts *o)
{
	struct cfs_words_old *old = calloc(o->n_inputs + 1, sizeof(*old));

	for (size_t i = 0; i < o->n_inputs && old != NULL; i++)
		old[i] = (struct cfs_words_old){ o->inputs[i].words,
						 o->inputs[i].ix,
						 o->inputs[i].numbers };
	return old;
}

int cfs_builder_words_write(struct cfs_builder_words *w, const char *written,
			    mode_t mode, struct cfs_builder_counts *counts,
			    struct cfs_error *err)
{
	const struct cfs_builder_opts *o = w->opts;
	struct cfs_words_build_end end = { .name = w->path,
		.view_version = o->text_version,
		.n_old = o->n_inputs, .each = each_entry, .advanced = on_read,
		.arg = w };
	struct cfs_words_old *old = old_lists(o);
	int rc = old == NULL ? cfs_error_nomem(err) :
		 cfs_replacement_open(&w->file, w->path, mode, err);

	if (rc == CFS_OK)
		rc = open_written(w, written, &end.ix, err);
	end.old = old;
	end.fd = w->file.fd;
	if (o->reader != NULL)
		end.read = read_entry;
	if (rc == CFS_OK)
		rc = cfs_words_build_finish(w->build, &end, err);
	if (o->reader != NULL)
		o->reader->close(w->sizer);
	else
		cfs_index_close(end.ix);
	w->sizer = NULL;
	counts->words = end.words;
	counts->words_bytes = end.file_bytes;
	counts->texts_unread = end.unread;
	free(old);
	if (rc == CFS_OK)
		rc = cfs_replacement_close(&w->file, err);
	if (rc != CFS_OK)
		cfs_error_where(err, w->path, 0);
	return rc;
}

int cfs_builder_words_commit(struct cfs_builder_words *w,
			     struct cfs_error *err)
{
	int rc = cfs_replacement_commit(&w->file, err);

	if (rc != CFS_OK)
		cfs_error_where(err, w->path, 0);
	return rc;
}

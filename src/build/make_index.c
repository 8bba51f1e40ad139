/* make_index.c - sorts inputs into those that are read and sorted, and indexes,
 * which are sorted already.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "make_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fileio.h"
#include "base/pool.h"
#include "builder_lines.h"
#include "index/cfx.h"
#include "indexer_files.h"
#include "merge.h"
#include "net/location.h"
#include "net/open.h"
#include "share_merge.h"

struct make {
	const struct cfs_indexer_opts *opts;
	const char **others;		/* inputs that are no index; borrowed */
	size_t n_others;
	struct cfs_merge_input *indexes;	/* their folders are owned */
	size_t n_indexes;
	char *base;	/* that archives are named relative to: absolute, or a
			 * URL; without a '/' at its end */
	char *part;	/* path of the index of the others; NULL: none */
	struct cfs_indexer_report *report;
};

/* What cannot be opened is an input like others: they say what is wrong. */
static bool is_index(const char *input, const struct cfs_cancel *cancel)
{
	uint8_t head[CFS_CFX_MAGIC_BYTES];
	struct cfs_source *src;
	size_t got = 0;
	bool yes;

	if (cfs_location_open(&src, input, NULL) != CFS_OK)
		return false;
	yes = cfs_source_read_some(src, head, sizeof(head), 0, &got, cancel,
				   NULL) == CFS_OK &&
	      got == sizeof(head) && cfs_cfx_is_magic(cfs_slice_of(head, got));
	cfs_source_close(src);
	return yes;
}

/* A URL is asked only if its name is an index's: the others are asked when
 * their turn comes. */
static bool may_be_index(const char *input)
{
	return !cfs_location_is_url(input) ||
	       cfs_slice_ends(cfs_slice_str(input), CFS_SLICE_LIT(".cfx"));
}

static int split_inputs(struct make *m, struct cfs_error *err)
{
	size_t n = m->opts->n_inputs;

	m->others = calloc(n + 1, sizeof(*m->others));
	m->indexes = calloc(n + 1, sizeof(*m->indexes));
	if (m->others == NULL || m->indexes == NULL)
		return cfs_error_nomem(err);
	for (size_t i = 0; i < n; i++) {
		const char *input = m->opts->inputs[i];

		if (may_be_index(input) && is_index(input, m->opts->cancel))
			m->indexes[m->n_indexes++].location = input;
		else
			m->others[m->n_others++] = input;
	}
	return CFS_OK;
}

/* ---- folders ---- */

/* The folder of an index as names in the new one begin: "" or "sub/". */
static int find_folder(const struct make *m, struct cfs_merge_input *input,
		       struct cfs_error *err)
{
	bool is_url = cfs_location_is_url(input->location);
	struct cfs_slice url = cfs_location_folder(input->location);
	char *folder = is_url ? strndup((const char *)url.p, url.n) :
		       cfs_folder_of(input->location);
	char *dir = folder != NULL ? cfs_absolute_folder(folder) : NULL;
	size_t n = strlen(m->base);
	int rc = CFS_OK;

	free(folder);
	if (dir == NULL)
		return cfs_error_nomem(err);
	if (strncmp(dir, m->base, n) != 0 || (dir[n] != '/' && dir[n] != '\0'))
		rc = cfs_error_set(err, CFS_EUSAGE, "'%s' is not below '%s/': "
				   "give a --base=FOLDER that both it and the "
				   "archives are below", input->location,
				   m->base);
	else if (asprintf((char **)(uintptr_t)&input->folder, "%s%s",
			  dir[n] == '/' ? dir + n + 1 : "",
			  dir[n] == '/' ? "/" : "") < 0) {
		input->folder = NULL;
		rc = cfs_error_nomem(err);
	}
	free(dir);
	return rc;
}

/* Archives of an index with a home are below that, wherever the index is. */
static int find_folders(struct make *m, struct cfs_error *err)
{
	int rc = cfs_indexer_base(&m->base, m->opts, err);

	for (size_t i = 0; rc == CFS_OK && i < m->n_indexes; i++) {
		struct cfs_merge_input *input = &m->indexes[i];
		struct cfs_index *ix = NULL;
		struct cfs_source *src;
		bool has_home;

		rc = cfs_location_open(&src, input->location, err);
		if (rc == CFS_OK)
			rc = cfs_cfx_open(&ix, src, 1, err);
		if (rc != CFS_OK)
			break;
		has_home = ix->home != NULL;
		cfs_index_close(ix);
		if (!has_home)
			rc = find_folder(m, input, err);
		else if ((input->folder = strdup("")) == NULL)
			rc = cfs_error_nomem(err);
	}
	return rc;
}

/* ---- the two parts ---- */

static int index_others(struct make *m, struct cfs_error *err)
{
	struct cfs_indexer_opts o = *m->opts;
	char *folder = cfs_folder_of(m->opts->output);
	int rc;

	if (folder == NULL ||
	    asprintf(&m->part, "%s/.crawlfs-index-%ld", folder,
		     (long)getpid()) < 0)
		m->part = NULL;
	free(folder);
	if (m->part == NULL)
		return cfs_error_nomem(err);
	o.inputs = m->others;
	o.n_inputs = m->n_others;
	o.output = m->part;
	rc = cfs_indexer_run(&o, m->report, err);
	if (rc == CFS_OK && m->report->is_other_base)
		rc = cfs_error_set(err, CFS_EUSAGE, "some archives are not "
				   "below '%s/': give a --base=FOLDER that all "
				   "of them and the indexes are below", m->base);
	if (rc == CFS_OK)
		m->indexes[m->n_indexes++] = (struct cfs_merge_input){
			m->part, strdup("") };
	return rc;
}

static void on_merged(void *arg, uint64_t done, uint64_t total)
{
	const struct make *m = arg;
	struct cfs_indexer_progress p = { .merged = done, .merge_total = total };

	if (m->opts->progress != NULL)
		m->opts->progress(m->opts->arg, &p);
}

static int merge(struct make *m, struct cfs_error *err)
{
	char *tmp_dir = cfs_folder_of(m->opts->output);
	struct cfs_merge_opts o = {
		.inputs = m->indexes, .n_inputs = m->n_indexes,
		.path = m->opts->output, .tmp_dir = tmp_dir,
		.sizer = m->opts->revisits, .base = m->base,
		.threads = m->opts->threads > 0 ? m->opts->threads :
			   cfs_processors(),
		.memory_bytes = m->opts->memory_bytes, .pick = m->opts->pick,
		.cancel = m->opts->cancel, .merged = on_merged, .arg = m };
	struct cfs_indexer_report *r = m->report;
	struct cfs_merge_counts counts;
	int rc;

	for (size_t i = 0; i < m->n_indexes; i++)
		if (m->indexes[i].folder == NULL)
			tmp_dir = NULL;
	rc = tmp_dir == NULL ? cfs_error_nomem(err) :
	     cfs_merge_indexes(&o, &counts, err);
	free(tmp_dir);
	if (rc != CFS_OK)
		return rc;
	r->built.captures = counts.built.captures;
	r->built.file_bytes = counts.built.file_bytes;
	r->not_picked += counts.not_picked;
	r->repeated += counts.repeated;
	r->input_bytes += counts.bytes;
	return CFS_OK;
}

/* Parts are all inputs, and more than archives: nothing can be added to them or
 * left out. */
static int make_of_parts(const struct cfs_indexer_opts *opts,
			 const char *folder,
			 struct cfs_indexer_report *report,
			 struct cfs_error *err)
{
	*report = (struct cfs_indexer_report){ 0 };
	if (opts->n_inputs > 1 || opts->sql != NULL || opts->pick != NULL ||
	    opts->share.n > 0 || opts->format != CFS_INDEX_CFX)
		return cfs_error_set(err, CFS_EUSAGE, "'%s' has the parts of an "
				     "index: put them together first, with 'crawlfs "
				     "index -o FILE %s' and nothing else", folder,
				     folder);
	return cfs_merge_shares(opts, folder, report, err);
}

int cfs_make_index(const struct cfs_indexer_opts *opts,
		   struct cfs_indexer_report *report, struct cfs_error *err)
{
	int64_t from_ms = cfs_monotonic_ms();
	struct make m = { .opts = opts, .report = report };
	int rc;

	for (size_t i = 0; i < opts->n_inputs; i++)
		if (cfs_share_is_folder(opts->inputs[i]))
			return make_of_parts(opts, opts->inputs[i], report, err);
	if (opts->share.n > 0)
		return cfs_indexer_run(opts, report, err);
	rc = split_inputs(&m, err);
	*report = (struct cfs_indexer_report){ 0 };
	if (rc == CFS_OK && (m.n_indexes == 0 || cfs_is_lines(opts->format))) {
		rc = cfs_indexer_run(opts, report, err);
	} else if (rc == CFS_OK && opts->format != CFS_INDEX_CFX) {
		rc = cfs_error_set(err, CFS_EUSAGE, "a PB-tree can be made of "
				   "archives only, not of '%s'",
				   m.indexes[0].location);
	} else if (rc == CFS_OK) {
		size_t n = m.n_indexes;

		rc = find_folders(&m, err);
		if (rc == CFS_OK && (m.n_others > 0 || opts->sql != NULL))
			rc = index_others(&m, err);
		if (rc == CFS_OK)
			rc = merge(&m, err);
		report->files += n;
		report->seconds = (double)(cfs_monotonic_ms() - from_ms) / 1e3;
	}
	if (rc == CFS_OK)
		cfs_pick_log_readings(opts->pick);
	if (m.part != NULL)
		unlink(m.part);
	for (size_t i = 0; i < m.n_indexes; i++)
		free((char *)(uintptr_t)m.indexes[i].folder);
	free(m.indexes);
	free(m.others);
	free(m.base);
	free(m.part);
	return rc;
}

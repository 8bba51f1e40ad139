/* make_index.c - separates crawlfs indexes, which are merged, from the inputs
 * to be read and sorted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "make_index.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/log.h"
#include "format/open_index.h"
#include "indexer_index.h"
#include "merge.h"
#include "net/location.h"
#include "net/open_location.h"
#include "parts.h"

struct make {
	const struct cfs_indexer_opts *opts;
	const char **others;		/* inputs that are not indexes;
					 * borrowed */
	size_t n_others;
	const char **indexes;		/* inputs that are; borrowed */
	size_t n_indexes;
	struct cfs_merge_input *inputs;	/* opened; owned */
	size_t n_inputs;
	struct cfs_holes *holes;	/* of each input; owned */
	char *base;	/* the folder that archives are named relative to:
			 * absolute, or a URL; without a '/' at its end */
};

static bool has_index_name(const char *input)
{
	return cfs_slice_ends(cfs_slice_str(input), CFS_SLICE_LIT(".cfx"));
}

/* True for a crawlfs index.  A URL is requested only if its name is that of
 * one; others are requested later.  False for inputs that cannot be opened: the
 * indexer reports the error. */
static bool is_cfx(const char *input, const struct cfs_cancel *cancel)
{
	enum cfs_index_format format;
	struct cfs_source *src;

	if ((cfs_location_is_url(input) && !has_index_name(input)) ||
	    cfs_location_open(&src, input, NULL) != CFS_OK)
		return false;
	(void)cfs_index_look_at(src, &format, CFS_CTX(cancel, NULL));
	cfs_source_close(src);
	return format == CFS_INDEX_CFX;
}

/* True for the file to be replaced, and for one named as an index: were it not
 * merged, the new index would silently lack its contents. */
static bool must_be_index(const struct make *m, const char *input)
{
	struct stat in, out;

	if (has_index_name(input) || strcmp(input, m->opts->output) == 0)
		return true;
	return stat(input, &in) == 0 && stat(m->opts->output, &out) == 0 &&
	       in.st_dev == out.st_dev && in.st_ino == out.st_ino;
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

		if (must_be_index(m, input) || is_cfx(input, m->opts->cancel))
			m->indexes[m->n_indexes++] = input;
		else
			m->others[m->n_others++] = input;
	}
	if (m->n_indexes > CFS_MERGE_MAX)
		return cfs_error_set(err, CFS_EUSAGE, "at most %u indexes can "
				     "be merged at once", CFS_MERGE_MAX);
	return CFS_OK;
}

/* ---- folders ---- */

/* Finds the folder of an index as a prefix of names in the new one: "" or
 * "sub/". */
static int make_index_find_folder(const struct make *m, const char *location,
				  char **out, struct cfs_error *err)
{
	bool is_url = cfs_location_is_url(location);
	struct cfs_slice url = cfs_location_folder(location);
	char *folder = is_url ? strndup((const char *)url.p, url.n) :
		       cfs_folder_of(location);
	char *dir = folder != NULL ? cfs_absolute_folder(folder) : NULL;
	int rc;

	*out = NULL;
	free(folder);
	if (dir == NULL)
		return cfs_error_nomem(err);
	rc = cfs_grow_prefix(out, m->base, dir, err);
	if (rc == CFS_ENOTFOUND)
		rc = cfs_error_at(
			err, CFS_EUSAGE, location, 0,
			"is not below "
			"'%s/': give a --base=FOLDER that both it and "
			"the archives are below",
			m->base);
	free(dir);
	return rc;
}

/* Opens its list of words, if the new index may have one. */
static int open_words(struct cfs_merge_input *in,
		      const struct cfs_indexer_opts *o, struct cfs_error *err)
{
	return o->view_bytes == NULL ? CFS_OK :
	       cfs_merge_input_words(in, in->location, o->view_version,
				     CFS_CTX(o->cancel, err));
}

/* An index of indexes that all have lists of words has one, too. */
static void carry_words(struct cfs_indexer_opts *o)
{
	bool all = o->view_bytes != NULL;

	for (size_t i = 0; i < o->n_indexes; i++)
		all &= o->indexes[i].words != NULL;
	o->with_words |= all;
}

/* Opens an index.  If it has a home its archives are below that, wherever the
 * index is. */
static int make_index_open_index(struct cfs_merge_input *in,
				 const struct make *m, const char *location,
				 struct cfs_error *err)
{
	char *folder = NULL;
	int rc = cfs_merge_input_open(in, location, err);

	if (rc == CFS_OK && in->ix->home == NULL)
		rc = make_index_find_folder(m, location, &folder, err);
	if (rc == CFS_OK)
		rc = cfs_merge_input_archives(in, folder != NULL ? folder : "",
					      CFS_CTX(m->opts->cancel, err));
	free(folder);
	return rc == CFS_OK ? open_words(in, m->opts, err) : rc;
}

/* ---- merging ---- */

static int make_index_make(struct make *m, struct cfs_indexer_report *report,
			   struct cfs_error *err)
{
	struct cfs_indexer_opts o = *m->opts;
	uint64_t bytes = 0;
	int rc = cfs_indexer_base(&m->base, m->opts, err);

	m->inputs = calloc(m->n_indexes, sizeof(*m->inputs));
	m->holes = calloc(m->n_indexes, sizeof(*m->holes));
	if (rc == CFS_OK && (m->inputs == NULL || m->holes == NULL))
		rc = cfs_error_nomem(err);
	for (size_t i = 0; i < m->n_indexes && rc == CFS_OK; i++) {
		cfs_holes_init(&m->holes[i]);
		rc = make_index_open_index(&m->inputs[m->n_inputs++], m,
					   m->indexes[i], err);
		m->inputs[i].holes = &m->holes[i];
	}
	if (rc != CFS_OK)
		return rc;
	for (size_t i = 0; i < m->n_inputs; i++)
		bytes += m->inputs[i].ix->src->size;
	o.inputs = m->others;
	o.n_inputs = m->n_others;
	o.indexes = m->inputs;
	o.n_indexes = m->n_inputs;
	carry_words(&o);
	rc = cfs_indexer_run(&o, report, err);
	report->files += m->n_inputs;
	for (size_t i = 0; i < m->n_inputs; i++) {
		size_t n = cfs_holes_count(&m->holes[i]);

		report->missing += n;
		report->damages += n;
		report->files_damaged += n > 0;
	}
	report->not_picked += report->built.not_picked;
	report->repeated += report->built.repeated;
	report->built.repeated = 0;
	report->input_bytes += bytes;
	return rc;
}

/* ---- updating ---- */

/* Can the existing index be updated?  CFS_EUNSUPPORTED: no. */
static int check_old(const struct cfs_indexer_opts *o,
		     const struct cfs_merge_input *old, struct cfs_error *err)
{
	const char *why = NULL;

	if (!cfs_cfx_has_joins(old->ix))
		why = "it does not have what later archives are joined by";
	else if (old->ix->view_version !=
		 (o->view_bytes != NULL ? o->view_version : 0))
		why = "its sizes of views were made otherwise";
	else if (old->ix->has_languages && !cfs_indexer_finds_languages(o))
		why = "it has languages";
	else if (!old->ix->has_languages && cfs_indexer_finds_languages(o))
		why = "it has no languages";
	else if (cfs_index_has_simhash(old->ix) !=
		 (o->view_slots >> CFS_SLOT_SIMHASH & 1))
		why = "hashes of the main content are asked for, or no longer";
	else if (old->ix->has_digests != o->keeps_digests)
		why = old->ix->has_digests ? "it has digests" :
					     "it has no digests";
	else if (old->ix->home != NULL)
		why = "it is of a selection";
	return why == NULL ? CFS_OK :
	       cfs_error_at(err, CFS_EUNSUPPORTED, old->location, 0, "%s", why);
}

static int update_from(const struct cfs_indexer_opts *opts,
		       struct cfs_indexer_report *report, struct cfs_error *err)
{
	struct cfs_indexer_opts o = *opts;
	struct cfs_merge_input old = { .location = NULL };
	int rc = cfs_merge_input_open(&old, opts->update_of, err);

	if (rc == CFS_OK)
		rc = cfs_merge_input_archives(&old, "",
					      CFS_CTX(opts->cancel, err));
	if (rc == CFS_OK)
		rc = check_old(opts, &old, err);
	if (rc == CFS_OK)
		rc = open_words(&old, opts, err);
	o.indexes = &old;
	o.n_indexes = 1;
	o.is_update = true;
	carry_words(&o);
	if (rc == CFS_OK)
		rc = cfs_indexer_run(&o, report, err);
	cfs_merge_input_close(&old);
	return rc;
}

/* Updates an index, or reads everything if the old one cannot be used. */
static int update(const struct cfs_indexer_opts *opts,
		  struct cfs_indexer_report *report, struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	for (size_t i = 0; i < opts->n_inputs; i++)
		if (is_cfx(opts->inputs[i], opts->cancel))
			return cfs_error_at(
				err, CFS_EUSAGE, opts->inputs[i], 0,
				"is an index, and --update takes archives and "
				"folders: without --update, it is merged");
	if (access(opts->update_of, F_OK) != 0)
		return cfs_indexer_run(opts, report, err);
	rc = update_from(opts, report, &e);
	if (rc != CFS_EFORMAT && rc != CFS_EUNSUPPORTED)
		return cfs_error_pass(err, &e, rc);
	cfs_log(CFS_LOG_WARNING, "%s: all archives are read again: %s",
		opts->update_of, e.text);
	return cfs_indexer_run(opts, report, err);
}

/* Does an earlier run of the same command wait to be resumed?  Where indexes
 * are merged there is no such run. */
static bool may_resume(const struct cfs_indexer_opts *o)
{
	if (o->unfinished == NULL || o->is_again ||
	    access(o->unfinished, F_OK) != 0)
		return false;
	for (size_t i = 0; i < o->n_inputs; i++)
		if (is_cfx(o->inputs[i], o->cancel))
			return false;
	return true;
}

static int resume(const struct cfs_indexer_opts *opts,
		  struct cfs_indexer_report *report, struct cfs_error *err)
{
	struct cfs_indexer_opts o = *opts;
	int rc;

	o.update_of = opts->unfinished;
	rc = update(&o, report, err);
	if (rc == CFS_OK && report->files_away == 0)
		unlink(opts->unfinished);
	return rc;
}

/* Parts contain all inputs, and more than archives: nothing can be added or
 * left out. */
static int make_of_parts(const struct cfs_indexer_opts *opts,
			 const char *folder, struct cfs_indexer_report *report,
			 struct cfs_error *err)
{
	*report = (struct cfs_indexer_report){ 0 };
	if (opts->n_inputs > 1 || opts->sql != NULL || opts->pick != NULL ||
	    opts->part.n > 0 || opts->format != CFS_INDEX_CFX)
		return cfs_error_set(
			err, CFS_EUSAGE,
			"'%s' has the parts of an "
			"index: put them together first, with 'crawlfs "
			"index -o FILE %s' and nothing else",
			folder, folder);
	return cfs_parts_merge(opts, folder, report, err);
}

/* ---- folders of indexes ---- */

static bool holds_index(const char *folder, const struct cfs_cancel *cancel)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	bool yes = false;
	char *path;

	while (dir != NULL && !yes && (e = readdir(dir)) != NULL) {
		if (!has_index_name(e->d_name) ||
		    asprintf(&path, "%s/%s", folder, e->d_name) < 0)
			continue;
		yes = is_cfx(path, cancel);
		free(path);
	}
	if (dir != NULL)
		closedir(dir);
	return yes;
}

/* After no archive was found: suggests merging if a folder contains indexes. */
static void suggest_merge(const struct cfs_indexer_opts *opts,
			  struct cfs_error *err)
{
	for (size_t i = 0; i < opts->n_inputs; i++) {
		const char *in = opts->inputs[i];
		size_t n = strlen(in);

		if (cfs_location_is_url(in) || !holds_index(in, opts->cancel))
			continue;
		while (n > 1 && in[n - 1] == '/')
			n--;
		cfs_error_clear(err);
		cfs_error_set(err, CFS_ENOTFOUND, "no archive to index, but "
			      "indexes in '%.*s', which are merged by their "
			      "names: crawlfs index -o %.60s %.*s/*.cfx",
			      (int)(n < 60 ? n : 60), in, opts->output,
			      (int)(n < 60 ? n : 60), in);
		return;
	}
}

int cfs_make_index(const struct cfs_indexer_opts *opts,
		   struct cfs_indexer_report *report, struct cfs_error *err)
{
	struct make m = { .opts = opts };
	int rc;

	for (size_t i = 0; i < opts->n_inputs; i++)
		if (cfs_parts_is_folder(opts->inputs[i]))
			return make_of_parts(opts, opts->inputs[i], report,
					     err);
	if (opts->part.n > 0)
		return cfs_indexer_run(opts, report, err);
	if (opts->update_of != NULL)
		return update(opts, report, err);
	if (may_resume(opts))
		return resume(opts, report, err);
	rc = split_inputs(&m, err);
	*report = (struct cfs_indexer_report){ 0 };
	if (rc == CFS_OK &&
	    (m.n_indexes == 0 || opts->format != CFS_INDEX_CFX)) {
		rc = cfs_indexer_run(opts, report, err);
		if (rc == CFS_ENOTFOUND)
			suggest_merge(opts, err);
	} else if (rc == CFS_OK) {
		rc = make_index_make(&m, report, err);
	}
	if (rc == CFS_OK)
		cfs_pick_log_readings(opts->pick);
	for (size_t i = 0; i < m.n_inputs; i++) {
		cfs_merge_input_close(&m.inputs[i]);
		cfs_holes_release(&m.holes[i]);
	}
	free(m.inputs);
	free(m.holes);
	free(m.indexes);
	free(m.others);
	free(m.base);
	return rc;
}

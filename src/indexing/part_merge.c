/* part_merge.c - merges the parts that tasks made into one index.
 *
 * A part is an index with all that joins need, so parts are merged as indexes
 * are (indexer_grow.c), and the result is that of one task that reads all
 * inputs.
 *
 * More than AT_ONCE parts are merged in two steps: some of them at a time into
 * temporary indexes, and then these.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/tempdir.h"
#include "base/text.h"
#include "indexer.h"
#include "indexer_index.h"
#include "words/words_build.h"

#define MISSING_SHOWN 8u	/* missing parts named in a message */
/* Beginning of the names of parts' temporary files (base/fileio.c). */
#define LEFT_OVER ".crawlfs-part-"
/* Parts merged at a time: each has an open file and some 400 kB in memory.  As
 * many temporary indexes again are more than all parts can make. */
#define AT_ONCE 320u
#define TEMPORARY ".crawlfs-merge"

struct merging {
	struct cfs_indexer_opts o;	/* of each merge */
	const char *folder;
	char **paths;			/* of the parts; NULL: missing */
	uint32_t n;
	struct cfs_part_about first;	/* part 1 says this of itself; of
					 * repeats, any part */
	char *below;			/* its folder of names; owned */
	char *prefix;			/* of all names of archives; NULL:
					 * none */
	bool has_home;			/* a part has one */
	bool has_views;			/* the parts have sizes of views */
	struct cfs_indexer_report *report;
	struct cfs_part_counts counts;		/* of all parts, and of what is
						 * merged of them meanwhile */
	uint64_t bytes;
};

/* ---- finding parts ---- */

bool cfs_parts_is_folder(const char *path)
{
	struct cfs_part part;
	struct dirent *e;
	bool yes = false;
	DIR *dir = opendir(path);

	while (dir != NULL && !yes && (e = readdir(dir)) != NULL)
		yes = cfs_parts_of_name(e->d_name, &part);
	if (dir != NULL)
		closedir(dir);
	return yes;
}

static int note_part(struct merging *m, struct cfs_part part,
		     struct cfs_error *err)
{
	if (m->n == 0) {
		m->paths = calloc(part.n, sizeof(*m->paths));
		m->n = m->paths == NULL ? 0 : part.n;
	}
	if (m->paths == NULL)
		return cfs_error_nomem(err);
	if (part.n != m->n)
		return cfs_error_set(err, CFS_EUSAGE, "'%s' has parts of %u "
				     "and of %u: remove those that are too "
				     "many", m->folder, m->n, part.n);
	m->paths[part.k - 1] = cfs_parts_path(m->folder, part);
	return m->paths[part.k - 1] != NULL ? CFS_OK : cfs_error_nomem(err);
}

static int list_parts(struct merging *m, struct cfs_error *err)
{
	struct cfs_part part;
	struct dirent *e;
	DIR *dir = opendir(m->folder);
	int rc = CFS_OK;

	if (dir == NULL)
		return cfs_error_set(err, CFS_EIO, "'%s' cannot be read: %s",
				     m->folder, strerror(errno));
	while (rc == CFS_OK && (e = readdir(dir)) != NULL)
		if (cfs_parts_of_name(e->d_name, &part))
			rc = note_part(m, part, err);
	closedir(dir);
	return rc;
}

/* Fails with the missing parts' numbers. */
static int check_complete(const struct merging *m, struct cfs_error *err)
{
	uint32_t missing = 0;
	CFS_BUF(b, SIZE_MAX);

	for (uint32_t i = 0; i < m->n; i++)
		if (m->paths[i] == NULL && ++missing <= MISSING_SHOWN)
			cfs_buf_addf(&b, "%s%u", missing > 1 ? ", " : "",
				     i + 1);
	if (missing > MISSING_SHOWN)
		cfs_buf_adds(&b, ", ...");
	if (missing > 0)
		cfs_error_set(err, CFS_EUSAGE, "'%s': %u of %u parts missing: "
			      "%s (make each with --part=K/%u)", m->folder,
			      missing, m->n, cfs_buf_str(&b), m->n);
	return missing == 0 ? CFS_OK : CFS_EUSAGE;
}

/* ---- opening parts ---- */

/* Fails for an unusable part, with a message on how to make it again. */
static int unusable(const struct merging *m, uint32_t i, int rc,
		    const struct cfs_error *why, struct cfs_error *err)
{
	if (rc == CFS_ENOMEM || rc == CFS_EINTR || rc == CFS_EIO)
		return cfs_error_pass(err, why, rc);
	return cfs_error_set(err, CFS_EUSAGE, "part %u of %u %s: make it again "
			     "with --part=%u/%u --force", i + 1, m->n,
			     why->text, i + 1, m->n);
}

/* Opens part i, and checks that it belongs to the others. */
static int open_part(const struct merging *m, uint32_t i,
		     struct cfs_merge_input *in, struct cfs_part_about *a,
		     struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = cfs_parts_open(in, m->paths[i],
			       m->prefix != NULL ? m->prefix : "", a,
			       CFS_CTX(m->o.cancel, &e));

	if (rc != CFS_OK)
		return unusable(m, i, rc, &e, err);
	if (a->part.k == i + 1 && a->part.n == m->n &&
	    (m->below == NULL || (a->seal == m->first.seal &&
				  strcmp(a->below, m->below) == 0)))
		return CFS_OK;
	return cfs_error_set(err, CFS_EUSAGE, "'%s' and part 1 were made of "
			     "different inputs, or with different options",
			     m->paths[i]);
}

/* Takes note of what a part says of itself. */
static int take_about(struct merging *m, const struct cfs_merge_input *in,
		      const struct cfs_part_about *a, struct cfs_error *err)
{
	m->bytes += in->ix->src->size;
	m->counts.sorted += a->counts.sorted;
	m->counts.repeated += a->counts.repeated;
	m->counts.related += a->counts.related;
	m->counts.unrelated += a->counts.unrelated;
	m->has_home |= in->ix->home != NULL;
	m->has_views |= in->ix->view_version != 0;
	if (m->below == NULL) {
		m->first = *a;
		m->first.below = m->below = strdup(a->below);
	}
	m->first.drops_repeats |= a->drops_repeats;
	return m->below != NULL ? CFS_OK : cfs_error_nomem(err);
}

/* Reads what all parts say of themselves. */
static int read_all(struct merging *m, struct cfs_error *err)
{
	int rc = CFS_OK;

	for (uint32_t i = 0; rc == CFS_OK && i < m->n; i++) {
		struct cfs_merge_input in = { .location = NULL };
		struct cfs_part_about a;

		rc = open_part(m, i, &in, &a, err);
		if (rc == CFS_OK)
			rc = take_about(m, &in, &a, err);
		cfs_merge_input_close(&in);
	}
	return rc;
}

/* ---- names of archives ---- */

/* Names are relative to the folder that the parts have. */
static int keep_names(struct merging *m)
{
	const struct cfs_indexer_files f = {
		.base = m->below, .is_other_base = m->first.is_other_base };

	cfs_indexer_warn_of_base(&f, m->o.output);
	m->report->is_other_base = f.is_other_base;
	m->o.base = m->below[0] != '\0' ? m->below : "/";
	return CFS_OK;
}

/* Finds the folder that archives are named relative to. */
static int name_archives(struct merging *m, struct cfs_error *err)
{
	char *base;
	int rc;

	if (m->o.base == NULL && m->first.has_base)
		return keep_names(m);
	rc = cfs_indexer_base(&base, &m->o, err);
	if (rc == CFS_OK && !m->has_home)
		rc = cfs_grow_prefix(&m->prefix, base, m->below, err);
	/* Metadata, whose sizes are stored, contains the archive's name. */
	if (rc == CFS_OK && m->has_views && m->prefix != NULL &&
	    m->prefix[0] != '\0')
		rc = CFS_ENOTFOUND;
	if (rc == CFS_ENOTFOUND && m->first.is_other_base && m->prefix == NULL)
		rc = keep_names(m);
	else if (rc == CFS_ENOTFOUND)
		rc = cfs_error_set(err, CFS_EUSAGE, "the parts name archives "
				   "below '%s/', '%s' would below '%s/': write "
				   "it there, or give all of them one --base",
				   m->below, m->o.output, base);
	free(base);
	return rc;
}

/* ---- merging ---- */

/* Opens the list of words of a part or of a temporary index. */
static int open_words(const struct merging *m, struct cfs_merge_input *in,
		      struct cfs_error *err)
{
	return !m->o.with_words ? CFS_OK :
	       cfs_merge_input_words(in, in->location, m->o.view_version,
				     CFS_CTX(m->o.cancel, err));
}

/* A reader names the part that is damaged; the message says how to make it
 * again. */
static int name_damaged(const struct merging *m, int rc,
			const struct cfs_error *why, struct cfs_error *err)
{
	for (uint32_t i = 0; i < m->n && rc == CFS_EFORMAT; i++)
		if (strcmp(why->where, m->paths[i]) == 0)
			return unusable(m, i, rc, why, err);
	return cfs_error_pass(err, why, rc);
}

/* Merges inputs, which are closed, into the index at `path`: the one that is
 * asked for, or a temporary one.  rc: a failure to open them, which is
 * returned. */
static int merge_inputs(struct merging *m, int rc,
			struct cfs_merge_input *inputs, size_t n,
			const char *path, bool is_step, struct cfs_error *err)
{
	struct cfs_indexer_report *r = m->report;
	struct cfs_error e = CFS_ERROR_INIT;

	m->o.output = path;
	m->o.is_step = is_step;
	m->o.indexes = inputs;
	m->o.n_indexes = n;
	if (rc == CFS_OK)
		rc = name_damaged(m, cfs_indexer_run(&m->o, r, &e), &e, err);
	for (size_t i = 0; inputs != NULL && i < n; i++)
		cfs_merge_input_close(&inputs[i]);
	free(inputs);
	return rc;
}

/* Merges parts from .. to - 1. */
static int merge_parts(struct merging *m, uint32_t from, uint32_t to,
		       const char *path, bool is_step, struct cfs_error *err)
{
	struct cfs_merge_input *inputs = calloc(to - from, sizeof(*inputs));
	struct cfs_part_about a;
	int rc = inputs == NULL ? cfs_error_nomem(err) : CFS_OK;

	for (uint32_t i = from; rc == CFS_OK && i < to; i++) {
		rc = open_part(m, i, &inputs[i - from], &a, err);
		if (rc == CFS_OK)
			rc = open_words(m, &inputs[i - from], err);
	}
	return merge_inputs(m, rc, inputs, to - from, path, is_step, err);
}

/* ---- two steps ---- */

/* Makes temporary index number i, at `path`, of AT_ONCE parts, or of the last
 * ones; opens it. */
static int merge_some(struct merging *m, uint32_t i, const char *path,
		      struct cfs_merge_input *in, struct cfs_error *err)
{
	uint32_t from = i * AT_ONCE;
	uint32_t to = m->n - from < AT_ONCE ? m->n : from + AT_ONCE;
	const struct cfs_builder_counts *b = &m->report->built;
	int rc = path == NULL ? cfs_error_nomem(err) :
		 merge_parts(m, from, to, path, true, err);

	m->counts.repeated += b->repeated;
	m->counts.related += b->related_kept_out;
	m->counts.unrelated += b->unrelated_kept_out;
	if (rc == CFS_OK)
		rc = cfs_merge_input_open(in, path, err);
	if (rc == CFS_OK)
		rc = cfs_merge_input_archives(in, "",
					      CFS_CTX(m->o.cancel, err));
	return rc == CFS_OK ? open_words(m, in, err) : rc;
}

static int merge_in_two_steps(struct merging *m, const char *output,
			      struct cfs_error *err)
{
	uint32_t n = (m->n + AT_ONCE - 1) / AT_ONCE;
	struct cfs_merge_input *inputs = calloc(n, sizeof(*inputs));
	char **paths = calloc(n, sizeof(*paths));
	char *folder = cfs_folder_of(output);
	struct cfs_tempdir dir = { .path = NULL, .fd = -1 };
	int rc = CFS_OK;

	if (inputs == NULL || paths == NULL || folder == NULL) {
		free(inputs);
		free(paths);
		free(folder);
		return cfs_error_nomem(err);
	}
	if (cfs_tempdir_make(&dir, folder, TEMPORARY) != 0)
		rc = cfs_error_set(err, CFS_EIO, "cannot make a temporary "
				   "folder in '%s': %s", folder,
				   strerror(errno));
	for (uint32_t i = 0; rc == CFS_OK && i < n; i++) {
		if (asprintf(&paths[i], "%s/%u", dir.path, i) < 0)
			paths[i] = NULL;
		rc = merge_some(m, i, paths[i], &inputs[i], err);
	}
	rc = merge_inputs(m, rc, inputs, n, output, false, err);
	cfs_tempdir_remove(&dir);
	for (uint32_t i = 0; i < n; i++)
		free(paths[i]);
	free(paths);
	free(folder);
	return rc;
}

/* Merges all parts. */
static int merge_all(struct merging *m, struct cfs_error *err)
{
	const char *output = m->o.output;
	bool is_other_base = m->report->is_other_base;
	struct cfs_builder_counts *b = &m->report->built;
	int rc;

	m->o.parts = &m->first;
	m->o.view_slots = m->first.view_slots;
	rc = m->n > AT_ONCE ? merge_in_two_steps(m, output, err) :
			      merge_parts(m, 0, m->n, output, false, err);
	b->repeated += m->counts.repeated;
	b->related += m->counts.related;
	b->unrelated += m->counts.unrelated;
	m->report->is_other_base = is_other_base;
	return rc;
}

/* ---- all parts ---- */

/* Creates CFS_PARTS_DONE, and removes the temporary files of attempts that
 * were killed: all parts are there, so none is needed. */
static int finish_folder(const struct merging *m, struct cfs_error *err)
{
	CFS_BUF(path, SIZE_MAX);
	struct dirent *e;
	DIR *dir = opendir(m->folder);
	int rc, fd;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		struct cfs_slice name = cfs_slice_str(e->d_name);

		if (!cfs_slice_starts(name, CFS_SLICE_LIT(LEFT_OVER)) ||
		    !cfs_slice_ends(name, CFS_SLICE_LIT(".tmp")))
			continue;
		unlinkat(dirfd(dir), e->d_name, 0);
	}
	if (dir != NULL)
		closedir(dir);
	cfs_buf_addf(&path, "%s/%s", m->folder, CFS_PARTS_DONE);
	/* It is empty, so it needs no temporary file, which one more attempt
	 * at this merge could leave behind. */
	rc = path.failed != CFS_OK ? cfs_error_nomem(err) :
	     cfs_file_take(&fd, cfs_buf_str(&path), NULL, 0666, err);
	if (rc == CFS_OK) {
		close(fd);
		cfs_sync_folder_of(cfs_buf_str(&path));
	}
	return rc;
}

/* Do all parts have lists of words?  Then the index has one. */
static bool all_have_words(const struct merging *m)
{
	bool all = m->o.view_bytes != NULL;

	for (uint32_t i = 0; i < m->n && all; i++) {
		char *path = cfs_words_path(m->paths[i]);

		all = path != NULL && access(path, F_OK) == 0;
		free(path);
	}
	return all;
}

static int merge_run(struct merging *m, struct cfs_error *err)
{
	char parts[CFS_TEXT_COUNT_BYTES];
	int rc = list_parts(m, err);

	if (rc == CFS_OK)
		rc = check_complete(m, err);
	if (rc == CFS_OK)
		rc = read_all(m, err);
	if (rc == CFS_OK)
		rc = name_archives(m, err);
	if (rc == CFS_OK && m->counts.sorted == 0)
		rc = cfs_error_set(err, CFS_ENOTFOUND, "no page to index in %s",
				   cfs_text_count(m->n, "part", parts));
	if (rc != CFS_OK)
		return rc;
	m->o.with_words |= all_have_words(m);
	rc = merge_all(m, err);
	return rc == CFS_OK ? finish_folder(m, err) : rc;
}

int cfs_parts_merge(const struct cfs_indexer_opts *opts, const char *folder,
		     struct cfs_indexer_report *report, struct cfs_error *err)
{
	int64_t from_ms = cfs_monotonic_ms();
	struct merging m = { .o = *opts, .folder = folder, .report = report };
	int rc;

	*report = (struct cfs_indexer_report){ .files = 0 };
	m.o.n_inputs = 0;
	rc = merge_run(&m, err);
	report->files = m.n;
	report->are_parts = true;
	report->input_bytes = m.bytes;
	report->seconds = (double)(cfs_monotonic_ms() - from_ms) / 1e3;
	for (uint32_t i = 0; i < m.n; i++)
		free(m.paths[i]);
	free(m.paths);
	free(m.below);
	free(m.prefix);
	return rc;
}

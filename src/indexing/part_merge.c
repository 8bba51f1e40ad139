/* part_merge.c - merges the parts that tasks made into one index.
 *
 * A part is an index with all that joins need, so parts are merged as indexes
 * are (merge.h), and the result is that of one task that reads all inputs.
 * Files have the same numbers in every part.  Archives that are named in CDX
 * files and selections come after them, with numbers that differ in each part
 * and are mapped to common ones.
 *
 * More than AT_ONCE parts are merged in two steps: some of them at a time into
 * temporary indexes, which are parts too, and then these.
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
#include "base/pool.h"
#include "base/tempdir.h"
#include "base/text.h"
#include "builder.h"
#include "format/cfx/cfx.h"
#include "format/cfx/cfx_damage.h"
#include "format/cfx/cfx_format.h"
#include "indexer.h"
#include "words/words_build.h"

#define NAMES_MAX ((size_t)256 << 20)
#define MISSING_SHOWN 8u	/* missing parts named in a message */
/* Beginning of the names of parts' temporary files (base/fileio.c). */
#define LEFT_OVER ".crawlfs-part-"
/* Parts merged at a time: each has an open file and some 400 kB in memory.  As
 * many temporary indexes again are more than all parts can make. */
#define AT_ONCE 320u
#define BLOCK_CACHE_BYTES ((size_t)2 * CFS_CFX_BLOCK_BYTES)
#define TEMPORARY ".crawlfs-merge"
#define LABEL_BYTES 40u

struct one_part {
	char *path;		/* NULL: missing */
	char label[LABEL_BYTES];	/* for messages: "part 3 of 4" */
	struct cfs_partfile_head head;
	uint32_t *names;	/* maps numbers of its names to common ones */
	uint32_t n_names;
	struct cfs_part_tables tables;	/* their names: only while they are
					 * read */
};

struct merging {
	const struct cfs_indexer_opts *opts;
	const char *folder;
	struct one_part *v;
	uint32_t n;
	struct cfs_indexer_files files;
	struct cfs_strtab *names;	/* of archives, numbered after the
					 * files */
	bool no_lone_annexes, drops_repeats;
	const char *home;		/* borrowed from a part's tables */
	struct cfs_builder_archive *archives;
	struct cfs_builder_origin *origins;
	struct cfs_indexer_report *report;
	struct cfs_part_counts counts;		/* of all parts, and of what is
						 * merged of them meanwhile */
	uint64_t bytes;
	unsigned threads;
	bool with_words;
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
		m->v = calloc(part.n, sizeof(*m->v));
		m->n = m->v == NULL ? 0 : part.n;
	}
	if (m->v == NULL)
		return cfs_error_nomem(err);
	if (part.n != m->n)
		return cfs_error_set(err, CFS_EUSAGE, "'%s' has parts of %u "
				     "and of %u: remove those that are too "
				     "many", m->folder, m->n, part.n);
	snprintf(m->v[part.k - 1].label, LABEL_BYTES, "part %u of %u", part.k,
		 part.n);
	m->v[part.k - 1].path = cfs_parts_path(m->folder, part);
	return m->v[part.k - 1].path != NULL ? CFS_OK : cfs_error_nomem(err);
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
		if (m->v[i].path == NULL && ++missing <= MISSING_SHOWN)
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

/* ---- reading tables ---- */

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

static int open_part(struct merging *m, uint32_t i,
				 struct cfs_source **src, struct cfs_error *err)
{
	struct one_part *p = &m->v[i];
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = cfs_partfile_open(src, p->path, &p->head, &e);

	if (rc != CFS_OK)
		return unusable(m, i, rc, &e, err);
	if (p->head.part.k == i + 1 && p->head.part.n == m->n &&
	    p->head.seal == m->v[0].head.seal &&
	    p->head.view_version == m->v[0].head.view_version)
		return CFS_OK;
	cfs_source_close(*src);
	return cfs_error_set(err, CFS_EUSAGE, "'%s' and part 1 were made of "
			     "different inputs, or with different options",
			     p->path);
}

/* Maps the names of a part's own archives to common numbers. */
static int take_names(struct merging *m, struct one_part *p,
		      struct cfs_error *err)
{
	struct cfs_strtab *names = p->tables.names;
	uint32_t n = cfs_strtab_count(names);
	int rc = CFS_OK;

	if (n == 0)
		return CFS_OK;
	p->names = calloc(n, sizeof(*p->names));
	if (p->names == NULL)
		return cfs_error_nomem(err);
	for (; rc == CFS_OK && p->n_names < n; p->n_names++)
		rc = cfs_strtab_add(m->names, cfs_strtab_get(names, p->n_names),
				    &p->names[p->n_names]);
	return rc == CFS_OK ? rc : cfs_error_set(err, rc, "too many names of "
						 "archives");
}

/* All parts with selections must have the same home. */
static int take_home(struct merging *m, const struct cfs_part_tables *t,
		     struct cfs_error *err)
{
	if (t->drops_repeats && m->drops_repeats &&
	    ((t->home == NULL) != (m->home == NULL) ||
	     (t->home != NULL && strcmp(t->home, m->home) != 0)))
		return cfs_error_set(err, CFS_EUSAGE, "the archives of the "
				     "parts in '%s' are in different places",
				     m->folder);
	if (t->drops_repeats && !m->drops_repeats)
		m->home = t->home;
	m->drops_repeats |= t->drops_repeats;
	return CFS_OK;
}

static int read_tables(struct merging *m, uint32_t i, struct cfs_error *err)
{
	struct one_part *p = &m->v[i];
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src = NULL;
	CFS_BUF(b, SIZE_MAX / 2);
	int rc = open_part(m, i, &src, err);

	if (rc != CFS_OK)
		return rc;
	rc = cfs_partfile_tables(src, &p->head, &b, &e);
	if (rc == CFS_OK)
		rc = cfs_part_tables_take(cfs_buf_slice(&b), &p->tables,
					  &m->files, &e);
	if (rc != CFS_OK)
		rc = unusable(m, i, rc, &e, err);
	if (rc == CFS_OK)
		rc = take_names(m, p, err);
	if (rc == CFS_OK)
		rc = take_home(m, &p->tables, err);
	cfs_strtab_free(p->tables.names);
	p->tables.names = NULL;
	m->no_lone_annexes |= p->tables.no_lone_annexes;
	m->bytes += src->size;
	m->counts.sorted += p->tables.counts.sorted;
	m->counts.repeated += p->tables.counts.repeated;
	m->counts.related += p->tables.counts.related;
	m->counts.unrelated += p->tables.counts.unrelated;
	cfs_source_close(src);
	return rc;
}

static int read_all_tables(struct merging *m, struct cfs_error *err)
{
	int rc = CFS_OK;

	m->names = cfs_strtab_new(NAMES_MAX);
	if (m->names == NULL)
		return cfs_error_nomem(err);
	for (uint32_t i = 0; rc == CFS_OK && i < m->n; i++)
		rc = cfs_cancelled(m->opts->cancel) ?
		     cfs_error_set(err, CFS_EINTR, "interrupted") :
		     read_tables(m, i, err);
	return rc;
}

/* ---- the build ---- */

/* Adds up the captures that tasks skipped in each archive. */
static void add_skipped(struct merging *m)
{
	for (uint32_t i = 0; i < m->n; i++) {
		const struct one_part *p = &m->v[i];
		const struct cfs_part_tables *t = &p->tables;

		for (size_t j = 0; j < t->n_skipped; j++) {
			size_t to = j < m->files.n ? j :
				    m->files.n + p->names[j - m->files.n];

			for (unsigned k = 0; k < CFS_SKIPPED_KINDS; k++)
				m->archives[to].skipped[k] += t->skipped[j][k];
		}
	}
}

/* Adds the damage that tasks found. */
static int add_damage(struct merging *m, struct cfs_error *err)
{
	for (uint32_t i = 0; i < m->n; i++) {
		const struct one_part *p = &m->v[i];
		const struct cfs_part_tables *t = &p->tables;
		struct cfs_cursor c = { cfs_buf_slice(&t->damage), false };
		struct cfs_slice report;
		uint32_t j;

		while (cfs_cfx_damage_next(&c, (uint32_t)t->n_skipped, &j,
					   &report))
			m->archives[j < m->files.n ? j : m->files.n +
				    p->names[j - m->files.n]].damage = report;
		if (c.bad)
			return cfs_error_at(err, CFS_EFORMAT, p->path, 0,
					    "table of damage is damaged");
	}
	return CFS_OK;
}

static int name_archives(struct merging *m, struct cfs_error *err)
{
	struct cfs_indexer_files *f = &m->files;
	struct cfs_indexer_opts o = *m->opts;
	const char *base = m->v[0].tables.base, *below = m->v[0].tables.below;
	size_t n = f->n;
	int rc;

	/* The root's base is "": cfs_absolute_folder cuts its '/'. */
	if (o.base == NULL)
		o.base = base != NULL && base[0] == '\0' ? "/" : base;
	rc = cfs_indexer_name_files(f, &o, err);
	if (rc == CFS_OK && f->n != n)
		rc = cfs_error_set(err, CFS_EUSAGE,
				   "archives of the parts have "
				   "names that are not possible below '%s'",
				   f->base);
	/* Metadata, whose sizes are stored, contains the archive's name. */
	if (rc == CFS_OK && n > 0 && m->v[0].head.view_version != 0 &&
	    (below == NULL || strcmp(below, f->base) != 0))
		rc = cfs_error_set(err, CFS_EUSAGE, "the parts name archives "
				   "below '%s/', '%s' would below '%s/': write "
				   "it there, or give all of them one --base",
				   below != NULL ? below : "",
				   m->opts->output, f->base);
	if (rc == CFS_OK)
		rc = cfs_parts_archives(f, m->names, &m->archives,
					  &m->origins, err);
	if (rc == CFS_OK) {
		add_skipped(m);
		rc = add_damage(m, err);
		cfs_indexer_warn_of_base(f, m->opts->output);
		m->report->is_other_base = f->is_other_base || f->is_web_base;
	}
	return rc;
}

static void on_merged(void *arg, uint64_t done, uint64_t total)
{
	struct merging *m = arg;
	struct cfs_progress p = {
		.bytes_done = m->bytes, .bytes_total = m->bytes,
		.merged = done, .merge_total = total };

	if (m->opts->progress != NULL)
		m->opts->progress(m->opts->arg, &p);
}

/* Merges inputs into the index at `path`: the one that is asked for, or a
 * temporary one, which is merged again. */
static int build(struct merging *m,
			     const struct cfs_merge_input *inputs, size_t n,
			     const char *path, bool is_part,
			     struct cfs_builder_counts *counts,
			     struct cfs_error *err)
{
	const struct cfs_indexer_opts *io = m->opts;
	uint32_t view_version = m->v[0].head.view_version;
	struct cfs_builder *builder = NULL;
	struct cfs_builder_opts o = { .path = path,
				      .format = CFS_INDEX_CFX,
				      .memory_bytes = io->memory_bytes,
				      .threads = m->threads,
				      .archives = m->archives,
				      .origins = m->origins,
				      .n_archives = (uint32_t)m->files.n +
						    cfs_strtab_count(m->names),
				      .view_version = view_version,
				      .home = m->home,
				      .no_lone_annexes = m->no_lone_annexes,
				      .drops_repeats = m->drops_repeats,
				      .inputs = inputs,
				      .n_inputs = n,
				      .are_parts = true,
				      .is_part = is_part,
				      .keeps_joins = is_part || !io->no_joins,
				      .base = m->files.base,
				      .n_at_hand = (uint32_t)m->files.n,
				      .with_words = m->with_words,
				      .text_version = io->view_version,
				      .reader = io->revisits,
				      .view_slots = io->view_slots,
				      .cancel = io->cancel,
				      .merged = on_merged,
				      .arg = m };
	int rc;

	if (!is_part && view_version != 0 && view_version == io->view_version)
		o.sizer = io->revisits;
	for (size_t i = 0; i < m->files.n; i++)
		if (m->files.v[i].is_remote)
			o.sizer = NULL;
	rc = cfs_builder_new(&builder, &o, err);
	if (rc == CFS_OK)
		rc = cfs_builder_finish(builder, counts, err);
	cfs_builder_free(builder);
	return rc;
}

/* ---- opening parts as indexes ---- */

/* Opens an index, src being taken over.  p: the part that it is; NULL: a
 * temporary index, whose archives have their final numbers. */
static int open_part_index(struct merging *m, struct cfs_merge_input *in,
				  const struct one_part *p,
				  struct cfs_source *src, struct cfs_error *err)
{
	uint32_t n_files = (uint32_t)m->files.n;
	uint32_t n = n_files + (p != NULL ? p->n_names :
					    cfs_strtab_count(m->names));
	int rc;

	*in = (struct cfs_merge_input){ .location = src->name };
	rc = cfs_cfx_open(&in->ix, src, BLOCK_CACHE_BYTES, err);
	if (rc != CFS_OK)
		return rc;
	if (in->ix->archives != n || !cfs_cfx_has_joins(in->ix))
		return cfs_error_set(err, CFS_EFORMAT, "has other archives than "
				     "its tables say, or no joindata");
	in->folder = strdup("");
	in->numbers = calloc((size_t)n + 1, sizeof(*in->numbers));
	if (in->folder == NULL || in->numbers == NULL)
		return cfs_error_nomem(err);
	for (uint32_t k = 0; k < n; k++)
		in->numbers[k] = k < n_files || p == NULL ? k :
				 n_files + p->names[k - n_files];
	return CFS_OK;
}

/* Opens the list of words of a part or of a temporary index. */
static int open_part_words(const struct merging *m, struct cfs_merge_input *in,
			   const char *path, struct cfs_error *err)
{
	return !m->with_words ? CFS_OK :
	       cfs_merge_input_words(in, path, m->opts->view_version,
				     CFS_CTX(m->opts->cancel, err));
}

static int open_input(struct merging *m, uint32_t i, struct cfs_merge_input *in,
		      struct cfs_error *err)
{
	struct one_part *p = &m->v[i];
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src = NULL;
	char *label = NULL;
	int rc = open_part(m, i, &src, err);

	if (rc != CFS_OK)
		return rc;
	if (asprintf(&label, "%s", p->label) < 0) {
		cfs_source_close(src);
		return cfs_error_nomem(err);
	}
	free(src->name);
	src->name = label;
	rc = open_part_index(m, in, p, src, &e);
	if (rc == CFS_OK)
		rc = open_part_words(m, in, p->path, &e);
	return rc == CFS_OK ? rc : unusable(m, i, rc, &e, err);
}

static void close_inputs(struct cfs_merge_input *inputs, size_t n)
{
	for (size_t i = 0; inputs != NULL && i < n; i++)
		cfs_merge_input_close(&inputs[i]);
	free(inputs);
}

/* A reader names the part that is damaged; the message says how to make it
 * again. */
static int name_damaged(const struct merging *m, int rc,
			const struct cfs_error *why, struct cfs_error *err)
{
	for (uint32_t i = 0; i < m->n && rc == CFS_EFORMAT; i++)
		if (strcmp(why->where, m->v[i].label) == 0)
			return unusable(m, i, rc, why, err);
	return cfs_error_pass(err, why, rc);
}

/* Merges parts from .. to - 1. */
static int merge_parts(struct merging *m, uint32_t from, uint32_t to,
		       const char *path, bool is_part,
		       struct cfs_builder_counts *counts, struct cfs_error *err)
{
	struct cfs_merge_input *inputs = calloc(to - from, sizeof(*inputs));
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = inputs == NULL ? cfs_error_nomem(err) : CFS_OK;

	for (uint32_t i = from; rc == CFS_OK && i < to; i++)
		rc = open_input(m, i, &inputs[i - from], err);
	if (rc == CFS_OK) {
		rc = build(m, inputs, to - from, path, is_part,
				       counts, &e);
		rc = name_damaged(m, rc, &e, err);
	}
	close_inputs(inputs, to - from);
	return rc;
}

/* ---- two steps ---- */

static char *temporary_path(const char *folder, uint32_t i)
{
	char *path;

	return asprintf(&path, "%s/%u", folder, i) < 0 ? NULL : path;
}

/* Makes temporary index number i of AT_ONCE parts, or of the last ones. */
static int merge_some(struct merging *m, const char *folder,
				  uint32_t i, struct cfs_error *err)
{
	struct cfs_builder_counts counts = { 0 };
	uint32_t from = i * AT_ONCE;
	char *path = temporary_path(folder, i);
	int rc = path == NULL ? cfs_error_nomem(err) :
		 merge_parts(m, from, m->n - from < AT_ONCE ? m->n :
			     from + AT_ONCE, path, true, &counts, err);

	m->counts.repeated += counts.repeated;
	m->counts.related += counts.related_kept_out;
	m->counts.unrelated += counts.unrelated_kept_out;
	free(path);
	return rc;
}

static int open_temporary(struct merging *m, const char *folder,
				      uint32_t i, struct cfs_merge_input *in,
				      struct cfs_error *err)
{
	char *path = temporary_path(folder, i);
	struct cfs_source *src = NULL;
	int rc = path == NULL ? cfs_error_nomem(err) :
		 cfs_source_open_file(&src, path, err);

	if (rc == CFS_OK)
		rc = open_part_index(m, in, NULL, src, err);
	if (rc == CFS_OK)
		rc = open_part_words(m, in, path, err);
	free(path);
	return rc;
}

static int merge_in_two_steps(struct merging *m,
			      struct cfs_builder_counts *counts,
			      struct cfs_error *err)
{
	uint32_t n = (m->n + AT_ONCE - 1) / AT_ONCE;
	struct cfs_merge_input *inputs = calloc(n, sizeof(*inputs));
	char *folder = cfs_folder_of(m->opts->output);
	struct cfs_tempdir dir = { .path = NULL, .fd = -1 };
	int rc = CFS_OK;

	if (inputs == NULL || folder == NULL)
		rc = cfs_error_nomem(err);
	else if (cfs_tempdir_make(&dir, folder, TEMPORARY) != 0)
		rc = cfs_error_set(err, CFS_EIO, "cannot make a temporary "
				   "folder in '%s': %s", folder,
				   strerror(errno));
	for (uint32_t i = 0; rc == CFS_OK && i < n; i++)
		rc = merge_some(m, dir.path, i, err);
	for (uint32_t i = 0; rc == CFS_OK && i < n; i++)
		rc = open_temporary(m, dir.path, i, &inputs[i],
						err);
	if (rc == CFS_OK)
		rc = build(m, inputs, n, m->opts->output, false,
				       counts, err);
	close_inputs(inputs, n);
	cfs_tempdir_remove(&dir);
	free(folder);
	return rc;
}

/* Merges all parts. */
static int merge_all(struct merging *m, struct cfs_error *err)
{
	struct cfs_builder_counts *b = &m->report->built;
	int rc = m->n > AT_ONCE ? merge_in_two_steps(m, b, err) :
		 merge_parts(m, 0, m->n, m->opts->output, false, b, err);

	b->repeated += m->counts.repeated;
	b->related += m->counts.related;
	b->unrelated += m->counts.unrelated;
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
	bool all = m->opts->view_bytes != NULL;

	for (uint32_t i = 0; i < m->n && all; i++) {
		char *path = cfs_words_path(m->v[i].path);

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
		m->with_words = m->opts->with_words || all_have_words(m);
	if (rc == CFS_OK)
		rc = read_all_tables(m, err);
	if (rc == CFS_OK)
		rc = name_archives(m, err);
	if (rc == CFS_OK && m->counts.sorted == 0)
		rc = cfs_error_set(err, CFS_ENOTFOUND, "no page to index in %s",
				   cfs_text_count(m->n, "part", parts));
	if (rc == CFS_OK)
		rc = merge_all(m, err);
	if (rc == CFS_OK)
		rc = finish_folder(m, err);
	return rc;
}

int cfs_parts_merge(const struct cfs_indexer_opts *opts, const char *folder,
		     struct cfs_indexer_report *report, struct cfs_error *err)
{
	int64_t from_ms = cfs_monotonic_ms();
	struct merging m = {
		.opts = opts, .folder = folder, .report = report,
		.threads = opts->threads > 0 ? opts->threads :
					       cfs_processors() };
	int rc;

	*report = (struct cfs_indexer_report){ .files = 0 };
	if (m.threads > CFS_POOL_MAX)
		m.threads = CFS_POOL_MAX;
	rc = merge_run(&m, err);
	report->files = m.n;
	report->are_parts = true;
	report->input_bytes = m.bytes;
	report->seconds = (double)(cfs_monotonic_ms() - from_ms) / 1e3;
	for (uint32_t i = 0; i < m.n; i++) {
		free(m.v[i].path);
		free(m.v[i].names);
		cfs_part_tables_release(&m.v[i].tables);
	}
	free(m.v);
	cfs_strtab_free(m.names);
	cfs_indexer_files_release(&m.files);
	free(m.archives);
	free(m.origins);
	return rc;
}

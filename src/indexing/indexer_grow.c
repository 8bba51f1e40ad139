/* indexer_grow.c - merges existing indexes into a new one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builder_lines.h"
#include "index/related.h"
#include "merge.h"

/* ---- comparing ---- */

static int by_name(const void *a, const void *b)
{
	const struct cfs_indexer_file *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static int is_named(const void *name, const void *file)
{
	const struct cfs_indexer_file *const *f = file;

	return strcmp(name, (*f)->name);
}

static bool is_same(const struct cfs_builder_archive *a,
		    const struct cfs_indexer_file *f)
{
	return a->size == f->size && a->mtime == f->mtime &&
	       a->mtime_nsec == f->mtime_nsec;
}

/* Is archive k of an index unchanged?  If so, an update marks its file as
 * indexed; if not, nothing is taken of it. */
static bool compare(struct cfs_merge_input *in, uint32_t k,
		    struct cfs_indexer_file **order, size_t n, bool is_update)
{
	const struct cfs_builder_archive *a = &in->archives[k];
	struct cfs_indexer_file **f = bsearch(a->name, order, n, sizeof(*order),
					      is_named);
	bool same = f != NULL && is_same(a, *f);

	if (same && is_update)
		(*f)->is_indexed = true;
	if (same || (f == NULL && !is_update))
		return same;
	in->numbers[k] = CFS_MERGE_NONE;
	in->is_cut = true;
	return false;
}

/* Drops the files that an index has from the list. */
static void forget_indexed(struct cfs_indexer_files *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].is_indexed)
			cfs_indexer_file_release(&f->v[i]);
		else
			f->v[n++] = f->v[i];
	f->n_indexed = f->n - n;
	f->n = n;
}

int cfs_grow_compare(const struct cfs_indexer_opts *o,
		     struct cfs_indexer_files *files, bool *is_current,
		     struct cfs_error *err)
{
	struct cfs_indexer_file **order = calloc(files->n + 1, sizeof(*order));

	if (order == NULL)
		return cfs_error_nomem(err);
	*is_current = o->is_update;
	for (size_t i = 0; i < files->n; i++)
		order[i] = &files->v[i];
	if (files->n > 1)
		qsort(order, files->n, sizeof(*order), by_name);
	for (size_t i = 0; i < o->n_indexes; i++)
		for (uint32_t k = 0; k < o->indexes[i].ix->archives; k++)
			if (!compare(&o->indexes[i], k, order, files->n,
				     o->is_update))
				*is_current = false;
	free(order);
	if (o->is_update)
		forget_indexed(files);
	*is_current &= files->n == 0;
	return CFS_OK;
}

bool cfs_grow_can_update(const struct cfs_indexer_opts *o,
			 const struct cfs_indexer_files *files)
{
	bool can = files->n_selections == 0 && o->sql == NULL;

	/* CDX files and indexes list other archives; metadata of 2012 names its
	 * archive. */
	for (size_t i = 0; i < files->n; i++)
		can &= files->v[i].role != CFS_FILE_CDX &&
		       files->v[i].role != CFS_FILE_INDEX &&
		       files->v[i].role != CFS_FILE_META;
	return can;
}

bool cfs_grow_is_cheap(const struct cfs_indexer_opts *o,
		       const struct cfs_indexer_files *files)
{
	bool is_cheap = cfs_grow_can_update(o, files);

	for (size_t i = 0; i < files->n; i++)
		is_cheap &= !files->v[i].is_remote || o->web != NULL;
	return is_cheap;
}

/* ---- what is picked ---- */

struct marking {
	const struct cfs_merge_input *inputs;
	bool **used;			/* by input, then archive */
};

static void mark(const struct marking *m, unsigned input,
		 const struct cfs_span *loc)
{
	if (loc->file[0] < m->inputs[input].ix->archives)
		m->used[input][loc->file[0]] = true;
}

static int mark_item(void *arg, struct cfs_slice key,
		     const struct cfs_join_item *t, struct cfs_error *err)
{
	struct marking *m = arg;
	struct cfs_companion annex;

	(void)key;
	(void)err;
	mark(m, t->input, &t->e.loc);
	if (t->e.text.kind != CFS_COMPANION_NONE)
		mark(m, t->input, &t->e.text.loc);
	if (t->e.meta.kind != CFS_COMPANION_NONE)
		mark(m, t->input, &t->e.meta.loc);
	for (unsigned what = 0; what < CFS_RELATED_COUNT; what++)
		if (cfs_related_listed(&t->e, what, &annex))
			mark(m, t->input, &annex.loc);
	return CFS_OK;
}

static int mark_all(const struct cfs_indexer_opts *opts, const char *tmp_dir,
		    struct marking *m, struct cfs_error *err)
{
	const struct cfs_merge_opts o = {
		.inputs = opts->indexes, .n_inputs = opts->n_indexes,
		.pick = opts->pick, .cancel = opts->cancel,
		.refs = { .feeders = 1, .tmp_dir = tmp_dir } };

	for (size_t i = 0; i < o.n_inputs; i++) {
		uint32_t n = o.inputs[i].ix->archives;

		m->used[i] = calloc((size_t)n + 1, sizeof(bool));
		if (m->used[i] == NULL)
			return cfs_error_nomem(err);
		for (uint32_t k = 0; k < n; k++)
			if (o.inputs[i].numbers[k] != CFS_MERGE_NONE)
				o.inputs[i].numbers[k] = k;
	}
	return cfs_merge_look(&o, mark_item, m, err);
}

int cfs_grow_leave_out_unused(const struct cfs_indexer_opts *o,
			      const char *tmp_dir, struct cfs_error *err)
{
	struct marking m = { o->indexes, NULL };
	int rc;

	if (o->pick == NULL || o->n_indexes == 0 || cfs_is_lines(o->format))
		return CFS_OK;
	m.used = calloc(o->n_indexes, sizeof(*m.used));
	rc = m.used == NULL ? cfs_error_nomem(err) :
			      mark_all(o, tmp_dir, &m, err);
	for (size_t i = 0; i < o->n_indexes && m.used != NULL; i++) {
		for (uint32_t k = 0; rc == CFS_OK &&
		     k < o->indexes[i].ix->archives; k++)
			if (!m.used[i][k])
				o->indexes[i].numbers[k] = CFS_MERGE_NONE;
		free(m.used[i]);
	}
	free(m.used);
	return rc;
}

/* ---- archives ---- */

static void grow_add(struct cfs_grow_archives *out, const char *base,
		     const struct cfs_builder_archive *a)
{
	cfs_indexer_origin(base, a->name, &out->origins[out->n]);
	out->v[out->n++] = *a;
}

static void add_file(struct cfs_grow_archives *out,
		     const struct cfs_indexer_file *f, bool is_elsewhere)
{
	out->origins[out->n] = cfs_indexer_file_origin(f);
	out->v[out->n++] = (struct cfs_builder_archive){
		.name = f->name, .size = f->size, .mtime = f->mtime,
		.mtime_nsec = f->mtime_nsec, .is_elsewhere = is_elsewhere };
}

static void add_index(struct cfs_grow_archives *out, const char *base,
		      struct cfs_merge_input *in)
{
	for (uint32_t k = 0; k < in->ix->archives; k++) {
		if (in->numbers[k] == CFS_MERGE_NONE)
			continue;
		in->numbers[k] = (uint32_t)out->n;
		in->archives[k].is_indexed = in->archives[k].size > 0;
		grow_add(out, base, &in->archives[k]);
	}
}

int cfs_grow_archives(const struct cfs_indexer_opts *o,
		      const struct cfs_indexer_files *files,
		      const struct cfs_parts_cut *cut, struct cfs_strtab *names,
		      struct cfs_grow_archives *out, struct cfs_error *err)
{
	uint32_t n_names = cfs_strtab_count(names);
	size_t n = files->n + n_names + 1;

	for (size_t i = 0; i < o->n_indexes; i++)
		n += o->indexes[i].ix->archives;
	if (n > UINT32_MAX / 2)
		return cfs_error_set(err, CFS_ELIMIT, "too many archives");
	out->v = calloc(n, sizeof(*out->v));
	out->origins = calloc(n, sizeof(*out->origins));
	if (out->v == NULL || out->origins == NULL)
		return cfs_error_nomem(err);
	for (size_t i = 0; i < files->n; i++)
		add_file(out, &files->v[i], i < cut->from || i >= cut->to);
	for (uint32_t i = 0; i < n_names; i++)
		grow_add(out, files->base, &(struct cfs_builder_archive){
			 .name = (const char *)cfs_strtab_get(names, i).p });
	for (size_t i = 0; i < o->n_indexes; i++)
		add_index(out, files->base, &o->indexes[i]);
	return CFS_OK;
}

/* ---- names, home and view version ---- */

int cfs_grow_prefix(char **out, const char *base, const char *folder,
		    struct cfs_error *err)
{
	size_t n = strlen(base);

	*out = NULL;
	if (strncmp(folder, base, n) != 0 ||
	    (folder[n] != '/' && folder[n] != '\0'))
		return CFS_ENOTFOUND;
	if (asprintf(out, "%s%s", folder[n] == '/' ? folder + n + 1 : "",
		     folder[n] == '/' ? "/" : "") < 0)
		*out = NULL;
	return *out != NULL ? CFS_OK : cfs_error_nomem(err);
}

int cfs_grow_choose_home(const struct cfs_indexer_opts *opts, bool is_scanned,
			 struct cfs_builder_opts *o, struct cfs_error *err)
{
	bool any = is_scanned && o->view_version != 0;
	const char *first;

	if (opts->n_indexes == 0)
		return CFS_OK;
	first = is_scanned && opts->n_inputs > 0 ? opts->inputs[0] :
						   opts->indexes[0].location;
	for (size_t i = 0; i < opts->n_indexes; i++) {
		const struct cfs_index *ix = opts->indexes[i].ix;

		any |= ix->view_version == o->view_version;
		if (ix->archives == 0)	/* a part without inputs */
			continue;
		if (!is_scanned)
			o->home = ix->home;
		is_scanned = true;
		if ((ix->home == NULL) != (o->home == NULL) ||
		    (ix->home != NULL && strcmp(ix->home, o->home) != 0))
			return cfs_error_set(err, CFS_EUSAGE,
				"'%s' and '%s' have archives in different "
				"places, which one index cannot name",
				first, opts->indexes[i].location);
	}
	/* Sizes made by other view code are of use only to that version of the
	 * program. */
	if (!any)
		o->view_version = opts->indexes[0].ix->view_version;
	return CFS_OK;
}

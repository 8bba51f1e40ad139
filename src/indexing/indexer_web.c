/* indexer_web.c - web folders among the inputs of an index.
 *
 * The state of an archive (web_folder.h) is stored as the nanoseconds of its
 * time, which servers do not report.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/pool.h"
#include "indexer_wacz.h"
#include "input/web_folder.h"
#include "net/location.h"
#include "record/sniff.h"

/* A batch has at least this fraction of the bytes already in the index. */
#define BATCH_SHARE 4u

struct web_adding {
	struct cfs_indexer_files *f;
	struct cfs_web_folder *web;
	/* The archives of the index to update, by name; and for each file of
	 * the folder the archive that it is, if unchanged. */
	const struct cfs_builder_archive **old;
	size_t n_old;
	const struct cfs_builder_archive **same;
	char *base;			/* the folder of the archives' names */
	struct cfs_ctx ctx;
};

/* ---- unchanged archives ------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	const struct cfs_builder_archive *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static int is_named(const void *name, const void *archive)
{
	const struct cfs_builder_archive *const *a = archive;

	return strcmp(name, (*a)->name);
}

/* A file's path for the list of files, malloced. */
static char *path_of(const struct web_adding *a,
		     const struct cfs_web_file *file)
{
	size_t n = strlen(a->web->url);
	char *path;

	while (n > 0 && a->web->url[n - 1] == '/')
		n--;
	return asprintf(&path, "%.*s/%s", (int)n, a->web->url, file->name) < 0 ?
	       NULL : path;
}

static const struct cfs_builder_archive *
find_old(const struct web_adding *a, const struct cfs_web_file *file)
{
	const struct cfs_builder_archive **found = NULL;
	size_t n = strlen(a->base);
	char *path = path_of(a, file);

	if (path != NULL && strncmp(path, a->base, n) == 0 && path[n] == '/')
		found = bsearch(path + n + 1, a->old, a->n_old, sizeof(*a->old),
				is_named);
	free(path);
	return found != NULL && (*found)->size > 0 &&
	       (*found)->mtime_nsec == file->state &&
	       (file->bytes == UINT64_MAX || file->bytes == (*found)->size) ?
	       *found : NULL;
}

/* Finds the files that have not changed. */
static int compare(struct web_adding *a, const struct cfs_indexer_opts *opts)
{
	const struct cfs_merge_input *in = opts->indexes;
	int rc;

	a->same = calloc(a->web->n + 1, sizeof(*a->same));
	if (a->same == NULL)
		return cfs_error_nomem(a->ctx.err);
	if (!opts->is_update)
		return CFS_OK;
	rc = cfs_indexer_base(&a->base, opts, a->ctx.err);
	a->old = calloc((size_t)in->ix->archives + 1, sizeof(*a->old));
	if (rc != CFS_OK || a->old == NULL)
		return rc != CFS_OK ? rc : cfs_error_nomem(a->ctx.err);
	for (uint32_t i = 0; i < in->ix->archives; i++)
		a->old[a->n_old++] = &in->archives[i];
	if (a->n_old > 1)
		qsort(a->old, a->n_old, sizeof(*a->old), by_name);
	for (size_t i = 0; i < a->web->n; i++)
		a->same[i] = find_old(a, &a->web->v[i]);
	return CFS_OK;
}

/* ---- files ------------------------------------------------------------- */

/* Takes path over. */
static int add(struct web_adding *a, char *path, uint64_t bytes, int64_t mtime,
	       uint32_t state)
{
	const struct cfs_source told = { .size = bytes, .mtime = mtime,
					 .mtime_nsec = state };

	return cfs_indexer_add_file(a->f, path, false, CFS_FILE_ARCHIVE,
				    &told) == CFS_OK ? CFS_OK :
	       cfs_error_nomem(a->ctx.err);
}

static int add_old(struct web_adding *a, const struct cfs_builder_archive *old)
{
	char *path;

	if (asprintf(&path, "%s/%s", a->base, old->name) < 0)
		return cfs_error_nomem(a->ctx.err);
	return add(a, path, old->size, old->mtime, old->mtime_nsec);
}

/* Compares an archive's name with those of the archives in a WACZ: 0 for one of
 * them, else negative before and positive behind them. */
static int compare_inside(const struct cfs_builder_archive *old,
			  const struct cfs_builder_archive *wacz)
{
	size_t n = strlen(wacz->name);
	int c = strncmp(old->name, wacz->name, n);

	return c != 0 ? c : strncmp(old->name + n, CFS_WACZ_MARK,
				    strlen(CFS_WACZ_MARK));
}

/* Adds a file as the index has it; for a WACZ also the archives in it that are
 * files of their own. */
static int add_same(struct web_adding *a,
		    const struct cfs_builder_archive *same)
{
	int rc = add_old(a, same);
	size_t at = 0;

	CFS_LOWER_BOUND(at, a->n_old, i, compare_inside(a->old[i], same) < 0);
	for (; rc == CFS_OK && at < a->n_old &&
	       compare_inside(a->old[at], same) == 0; at++)
		rc = add_old(a, a->old[at]);
	return rc;
}

/* Adds a WACZ; if it fails, only this one is skipped. */
static int add_wacz(struct web_adding *a, char *path,
		    const struct cfs_web_file *file)
{
	struct cfs_indexer_files *f = a->f;
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src = NULL;
	CFS_BUF(url, 4 * CFS_LOCATION_MAX);
	size_t first = f->n;
	int rc;

	cfs_location_join(&url, a->web->url, cfs_slice_str(file->name));
	rc = f->opener.open(f->opener.arg, cfs_buf_str(&url), &src,
			    CFS_CTX(a->ctx.cancel, &e));
	if (rc == CFS_OK)
		rc = cfs_source_find_size(src, CFS_CTX(a->ctx.cancel, &e));
	if (rc == CFS_OK)
		rc = cfs_indexer_add_wacz(f, path, false, src,
					  CFS_CTX(a->ctx.cancel, &e));
	else
		free(path);
	cfs_source_close(src);
	for (size_t i = first; i < f->n; i++)
		f->v[i].mtime_nsec = file->state;
	if (rc == CFS_EFORMAT || rc == CFS_ENOTFOUND || rc == CFS_ELIMIT ||
	    rc == CFS_EACCESS) {
		cfs_log_error(CFS_LOG_WARNING, &e);
		f->skipped++;
		f->unread += cfs_indexer_may_pass(rc);
		f->away += cfs_indexer_may_pass(rc);
		f->gone += rc == CFS_ENOTFOUND;
		return CFS_OK;
	}
	return cfs_error_pass(a->ctx.err, &e, rc);
}

static int add_file(struct web_adding *a, size_t i)
{
	const struct cfs_web_file *file = &a->web->v[i];
	char *path;

	if (a->same[i] != NULL)
		return add_same(a, a->same[i]);
	if (file->bytes == 0)		/* no longer there */
		return CFS_OK;
	path = path_of(a, file);
	if (path == NULL)
		return cfs_error_nomem(a->ctx.err);
	return cfs_sniff_is_archive_name(cfs_slice_str(file->name)) ?
	       add(a, path, file->bytes, 0, file->state) :
	       add_wacz(a, path, file);
}

/* Requests the sizes of the files to be read. */
static int ask(struct web_adding *a)
{
	for (size_t i = 0; i < a->web->n; i++)
		a->web->v[i].is_asked = a->same[i] == NULL &&
					!a->web->v[i].is_index &&
					a->web->v[i].bytes == UINT64_MAX;
	return cfs_web_folder_ask(a->web, a->ctx);
}

static void leave(struct cfs_web_folder *web, struct cfs_web_file *file)
{
	file->is_left = true;
	web->n_left++;
	web->left_bytes += file->bytes;
}

/* Archives that an earlier run could not read are tried again with the last
 * batch. */
static void leave_tried(struct web_adding *a)
{
	bool is_last = a->web->n_left == 0;

	for (size_t i = 0; i < a->web->n; i++) {
		struct cfs_web_file *file = &a->web->v[i];

		if (a->same[i] != NULL || file->is_index)
			continue;
		if (file->is_tried && !is_last)
			leave(a->web, file);
		file->is_tried = !file->is_left;
	}
}

/* Leaves what exceeds a batch for another run.  A batch has at least two files
 * per thread, and grows with the index, which each run writes again. */
static void leave_some(struct web_adding *a,
		       const struct cfs_indexer_opts *opts)
{
	unsigned threads = opts->threads > 0 ? opts->threads : cfs_processors();
	uint64_t done = 0, bytes = 0, most = opts->web_batch_bytes;
	size_t files = 0;

	a->web->n_left = 0;
	a->web->left_bytes = 0;
	for (size_t i = 0; i < a->web->n; i++)
		if (a->same[i] != NULL)
			done += a->same[i]->size;
	if (most < done / BATCH_SHARE)
		most = done / BATCH_SHARE;
	for (size_t i = 0; i < a->web->n; i++) {
		struct cfs_web_file *file = &a->web->v[i];

		file->is_left = false;
		if (a->same[i] != NULL || file->is_index || file->is_tried)
			continue;
		if (opts->web_batch_bytes > 0 &&
		    files >= 2 * (size_t)threads && bytes >= most) {
			leave(a->web, file);
		} else {
			bytes += file->bytes;
			files++;
		}
	}
	leave_tried(a);
}

static int add_all(struct web_adding *a, const struct cfs_indexer_opts *opts)
{
	int rc = compare(a, opts);

	if (rc == CFS_OK)
		rc = ask(a);
	if (rc == CFS_OK)
		leave_some(a, opts);
	for (size_t i = 0; i < a->web->n && rc == CFS_OK; i++) {
		if (a->web->v[i].is_index)	/* its archives are in the
						 * folder, too */
			a->f->skipped++;
		else if (!a->web->v[i].is_left)
			rc = add_file(a, i);
	}
	a->f->skipped += a->web->n_others;
	free(a->same);
	free(a->old);
	free(a->base);
	return rc;
}

int cfs_indexer_add_web(struct cfs_indexer_files *f, const char *url,
			const struct cfs_indexer_opts *opts,
			struct cfs_error *err)
{
	struct web_adding a = {
		.f = f, .web = opts->web, .ctx = { opts->cancel, err }
	};
	int rc = CFS_OK;

	if (a.web == NULL)
		rc = cfs_web_folder_read(&a.web, url,
					 CFS_CTX(opts->cancel, err));
	if (rc == CFS_OK)
		rc = add_all(&a, opts);
	if (opts->web == NULL)
		cfs_web_folder_free(a.web);
	return rc;
}

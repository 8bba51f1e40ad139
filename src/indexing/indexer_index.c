/* indexer_index.c - reads the entries of an index, or of the key ranges that
 * are picked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer_index.h"

#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "format/open_index.h"
#include "index/index_walk.h"
#include "net/location.h"
#include "net/open_location.h"
#include "pick.h"

#define BLOCK_CACHE_BYTES ((size_t)16 << 20)

struct index_feed {
	const struct cfs_indexer_cdx *job;
	struct cfs_index *ix;
	struct cfs_index_walk *w;
	struct cfs_slice folder;	/* the archives', as a prefix of
					 * names */
	struct cfs_buf name, url, notes;	/* scratch */
	uint32_t *numbers;		/* numbers plus 1, by archive of a
					 * crawlfs index; 0: not known yet */
	uint64_t file[3];		/* loc.file of the last archive, */
	uint32_t archive;		/* and its number */
	bool has_archive;
};

static int add_name(struct index_feed *f, const struct cfs_span *loc,
		    struct cfs_error *err)
{
	int rc;

	cfs_buf_reset(&f->name);
	cfs_buf_add(&f->name, f->folder);
	rc = cfs_index_archive_name(f->ix, loc, &f->name, err);
	cfs_buf_addc(&f->name, '\0');
	if (rc == CFS_OK)
		rc = f->name.failed;
	return rc != CFS_OK ? rc :
	       cfs_strtab_add(f->job->names, cfs_buf_slice(&f->name),
			      &f->archive);
}

static int number_of(struct index_feed *f, const struct cfs_span *loc,
		     uint32_t *out, struct cfs_error *err)
{
	uint32_t *number =
		f->numbers != NULL && loc->file[0] < f->ix->archives ?
			&f->numbers[loc->file[0]] :
			NULL;
	int rc = CFS_OK;

	if (number != NULL && *number != 0) {
		f->archive = *number - 1;
	} else if (!f->has_archive ||
		   memcmp(f->file, loc->file, sizeof(f->file)) != 0) {
		rc = add_name(f, loc, err);
		memcpy(f->file, loc->file, sizeof(f->file));
		f->has_archive = rc == CFS_OK;
	}
	if (rc == CFS_OK && number != NULL)
		*number = f->archive + 1;
	*out = f->archive;
	return rc;
}

/* Collects the names of all archives of a crawlfs index, which lists them. */
static int all_names(struct index_feed *f, struct cfs_error *err)
{
	struct cfs_span loc = { .offset = 0 };
	uint32_t number;
	int rc = CFS_OK;

	for (uint32_t i = 0; rc == CFS_OK && i < f->ix->archives; i++) {
		loc.file[0] = i;
		rc = number_of(f, &loc, &number, err);
	}
	return rc;
}

/* Reads the notes of the entry, which goes without them if they are damaged. */
static int take_notes(struct index_feed *f, struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	cfs_buf_reset(&f->notes);
	rc = cfs_index_notes(f->ix, &f->w->cap, &f->notes,
			     CFS_CTX(f->job->cancel, &e));
	if (rc != CFS_EFORMAT)
		return cfs_error_pass(err, &e, rc);
	cfs_indexer_cdx_missing(f->job, &e);
	cfs_buf_reset(&f->notes);
	return CFS_OK;
}

/* Takes the entry under the walk. */
static int one_entry(struct index_feed *f, struct cfs_error *err)
{
	struct cfs_builder_capture c = { .archive = 0 };
	const struct cfs_capture *cap = &f->w->cap;
	int rc;

	if (cap->kind == CFS_KIND_ANNEX)
		return CFS_OK;		/* the page has no record */
	rc = number_of(f, &cap->loc, &c.archive, err);
	if (rc != CFS_OK || f->job->capture == NULL)
		return rc;
	cfs_buf_reset(&f->url);
	rc = cfs_index_key_url(f->ix, f->w->it.key, cap, &f->url);
	if (f->job->keeps_keys &&
	    f->job->file->format == CFS_INDEX_PBTREE) {
		c.pb_key = f->w->it.key;
		c.pb_order = f->w->it.pos + 1;
		if (rc == CFS_ENOTFOUND) {
			cfs_buf_reset(&f->url);
			rc = CFS_OK;
		}
	}
	if (rc == CFS_ENOTFOUND)	/* damaged: no URL has this key */
		return CFS_OK;
	if (rc == CFS_OK)
		rc = take_notes(f, err);
	c.kind = cap->kind;
	c.url = cfs_buf_slice(&f->url);
	c.time = cap->time;
	c.status = cap->status;
	c.mime = cap->mime;
	c.languages = cap->languages;
	c.digest = cap->digest;
	c.span = cap->loc;
	c.notes = cfs_buf_slice(&f->notes);
	return rc == CFS_OK ? f->job->capture(f->job->arg, &c) : rc;
}

static int index_on_hole(void *arg, cfs_pos pos, const struct cfs_error *what)
{
	struct index_feed *f = arg;

	(void)pos;
	cfs_indexer_cdx_missing(f->job, what);
	return CFS_OK;
}

static int all_runs(struct index_feed *f, struct cfs_error *err)
{
	const struct cfs_ctx ctx = CFS_CTX(f->job->cancel, err);
	struct cfs_holes holes;
	struct cfs_key_runs runs;
	int rc = cfs_pick_ranges_find(&runs, f->job->pick, f->ix, ctx);

	cfs_holes_init(&holes);
	holes.found = index_on_hole;
	holes.arg = f;
	if (rc == CFS_OK)
		rc = cfs_index_walk_new(&f->w, f->ix, &holes, ctx);
	for (size_t i = 0; rc == CFS_OK && i < runs.n; i++) {
		cfs_index_walk_in(f->w, &runs.v[i]);
		while ((rc = cfs_index_walk_capture(f->w)) == CFS_OK &&
		       (rc = one_entry(f, err)) == CFS_OK)
			;
		rc = rc == CFS_END ? CFS_OK : rc;
	}
	cfs_index_walk_free(f->w);
	cfs_holes_release(&holes);
	cfs_key_runs_release(&runs);
	return rc;
}

int cfs_indexer_index_run(const struct cfs_indexer_cdx *job,
			   struct cfs_error *err)
{
	struct index_feed f = { .job = job };
	struct cfs_slice name = cfs_slice_str(job->file->name);
	struct cfs_source *src;
	CFS_BUF(location, 4 * CFS_LOCATION_MAX);
	int rc;

	f.folder = cfs_slice_sub(name, 0,
				 (size_t)(cfs_slice_rfind(name, '/') + 1));
	cfs_buf_init(&f.name, 2 * CFS_KEY_MAX);
	cfs_buf_init(&f.url, 2 * CFS_URL_MAX);
	cfs_buf_init(&f.notes, CFS_NOTES_MAX);
	cfs_indexer_location(job->files, job->file, &location);
	rc = location.failed != CFS_OK ? cfs_error_nomem(err) :
	     cfs_location_open(&src, cfs_buf_str(&location), err);
	if (rc == CFS_OK)
		rc = cfs_index_open(&f.ix, src, BLOCK_CACHE_BYTES, err);
	if (rc == CFS_OK && f.ix->home != NULL) {
		f.folder = CFS_SLICE_EMPTY;
		if (job->capture == NULL)
			cfs_builder_warn_no_home(job->files->format,
						 f.ix->home);
	}
	if (rc == CFS_OK && f.ix->archives > 0 &&
	    (f.numbers = calloc(f.ix->archives, sizeof(*f.numbers))) == NULL)
		rc = CFS_ENOMEM;
	if (rc == CFS_OK)
		rc = job->capture == NULL && f.numbers != NULL ?
		     all_names(&f, err) : all_runs(&f, err);
	if (rc == CFS_ENOMEM)
		cfs_error_nomem(err);
	if (rc == CFS_OK && job->capture != NULL)
		job->advanced(job->arg, job->file->size);
	cfs_index_close(f.ix);
	cfs_buf_release(&f.url);
	cfs_buf_release(&f.name);
	cfs_buf_release(&f.notes);
	free(f.numbers);
	return rc;
}

/* originals.c - finds the captures that revisits refer to, on several threads.
 *
 * Revisits are sorted by position, and taken in jobs of a few (base/ordered.h):
 * a thread reads their records and follows them (revisit.h), and the captures
 * that it finds are reported in order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "revisit.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/ordered.h"
#include "sort/extsort.h"

#define JOB_REVISITS 16u
/* A revisit leads to a few captures; more than this in a job are a fault. */
#define JOB_FOUND_MAX ((size_t)JOB_REVISITS * 64)
#define SORT_BYTES ((size_t)16 << 20)
#define POS_BYTES 8u

struct cfs_originals {
	struct cfs_originals_opts opts;
	struct cfs_crawl all;		/* the crawl with all its captures */
	struct cfs_extsort *sort;
	struct cfs_entry *entry;	/* of `settle` */
	struct cfs_originals_counts counts;
	struct cfs_ordered run;
};

/* Some revisits, and where they lead. */
struct job {
	struct cfs_ordered_job job;	/* the first member */
	cfs_pos revisits[JOB_REVISITS];
	unsigned n;
	cfs_pos *found;
	size_t n_found, room;
	struct cfs_originals_counts counts;
	int rc;
	struct cfs_error error;
};

int cfs_originals_new(struct cfs_originals **out,
		      const struct cfs_originals_opts *opts,
		      struct cfs_error *err)
{
	struct cfs_extsort_opts so = { .memory_bytes = SORT_BYTES,
		.feeders = 1, .tmp_dir = opts->tmp_dir,
		.cancel = opts->cancel };
	struct cfs_originals *o = calloc(1, sizeof(*o));
	int rc;

	*out = o;
	if (o == NULL)
		return cfs_error_nomem(err);
	o->opts = *opts;
	o->all = *opts->crawl;
	o->all.index = cfs_index_unpicked(opts->crawl->index);
	rc = cfs_extsort_new(&o->sort, &so, err);
	if (rc == CFS_OK)
		return rc;
	cfs_originals_free(o);
	*out = NULL;
	return rc;
}

void cfs_originals_free(struct cfs_originals *o)
{
	if (o == NULL)
		return;
	cfs_extsort_free(o->sort);
	free(o);
}

int cfs_originals_add(struct cfs_originals *o, cfs_pos pos,
		      struct cfs_error *err)
{
	uint8_t key[POS_BYTES];

	cfs_be64_put(key, pos);
	return cfs_extsort_add(o->sort, 0, cfs_slice_of(key, sizeof(key)),
			       CFS_SLICE_EMPTY, err);
}

static int plan(void *arg, struct cfs_ordered_job **out, struct cfs_error *err)
{
	struct cfs_originals *o = arg;
	struct job *j = calloc(1, sizeof(*j));
	struct cfs_slice key, value;
	int rc = j != NULL ? CFS_OK : cfs_error_nomem(err);

	*out = NULL;
	while (rc == CFS_OK && j->n < JOB_REVISITS) {
		rc = cfs_extsort_next(o->sort, &key, &value, err);
		if (rc == CFS_OK)
			j->revisits[j->n++] = cfs_be64_get(key.p);
	}
	if ((rc == CFS_OK || rc == CFS_END) && j->n > 0) {
		*out = &j->job;
		return CFS_OK;
	}
	free(j);
	return rc == CFS_END ? CFS_OK : rc;
}

static int on_link(void *arg, const struct cfs_entry *e)
{
	struct job *j = arg;

	if (cfs_array_reserve((void **)&j->found, &j->room, j->n_found + 1,
			      sizeof(*j->found), JOB_FOUND_MAX) != CFS_OK)
		return CFS_ENOMEM;
	j->found[j->n_found++] = e->it.pos;
	return CFS_OK;
}

/* True for a failure that would be the same another time. */
static bool is_lasting(const struct cfs_originals *o, int rc)
{
	switch (rc) {
	case CFS_EFORMAT:
	case CFS_ELIMIT:
	case CFS_ENOTFOUND:
	case CFS_EUNSUPPORTED:
		return true;
	case CFS_ENOMEM:
	case CFS_EINTR:
		return false;
	default:
		return o->opts.keep_going;
	}
}

/* Follows a loaded revisit; *is_read: its own record could be read. */
static int follow(struct cfs_originals *o, struct job *j,
		  const struct cfs_entry *e, bool *is_read,
		  struct cfs_ctx ctx)
{
	struct cfs_stored *revisit, *body = NULL;
	const struct cfs_record *rec;
	int rc = cfs_entry_own_record(&o->all, e, &revisit, ctx);

	*is_read = rc == CFS_OK;
	if (rc != CFS_OK)
		return rc;
	rec = cfs_stored_record(revisit);
	if (rec->body_is_elsewhere)
		rc = cfs_revisit_follow(&o->all, e, rec, on_link, j, &body,
					ctx);
	j->counts.absent += rc == CFS_OK && rec->body_is_elsewhere &&
			    body == NULL;
	cfs_stored_put(body);
	cfs_stored_put(revisit);
	return rc;
}

/* A revisit that cannot be read is reported when it is copied. */
static void work(void *arg, struct cfs_ordered_job *job, void *worker)
{
	struct cfs_originals *o = arg;
	struct job *j = (struct job *)job;
	struct cfs_entry *e = worker;

	for (unsigned i = 0; i < j->n; i++) {
		struct cfs_ctx ctx = CFS_CTX(&o->run.cancel, &j->error);
		bool is_read = false;
		int rc;

		cfs_error_clear(&j->error);
		rc = cfs_entry_load(&o->all, j->revisits[i], e, ctx);
		if (rc == CFS_OK)
			rc = follow(o, j, e, &is_read, ctx);
		j->counts.revisits += is_read;
		j->counts.damaged += is_read && rc != CFS_OK;
		if (rc != CFS_OK && !is_lasting(o, rc)) {
			j->rc = rc;
			return;
		}
	}
}

static int settle(void *arg, struct cfs_ordered_job *job, void *worker,
		  struct cfs_error *err)
{
	struct cfs_originals *o = arg;
	const struct job *j = (const struct job *)job;
	struct cfs_ctx ctx = CFS_CTX(o->opts.cancel, err);
	int rc = j->rc;

	(void)worker;
	if (rc != CFS_OK)
		return cfs_error_pass(err, &j->error, rc);
	o->counts.revisits += j->counts.revisits;
	o->counts.absent += j->counts.absent;
	o->counts.damaged += j->counts.damaged;
	for (size_t i = 0; i < j->n_found && rc == CFS_OK; i++) {
		rc = cfs_entry_read(&o->all, j->found[i], o->entry, ctx);
		if (rc == CFS_OK)
			rc = o->opts.found(o->opts.arg, &o->entry->it,
					   &o->entry->cap);
	}
	return rc;
}

static void free_job(void *arg, struct cfs_ordered_job *job)
{
	struct job *j = (struct job *)job;

	(void)arg;
	free(j->found);
	free(j);
}

static void *worker_new(void *arg)
{
	(void)arg;
	return cfs_entry_new(NULL);
}

static void worker_free(void *worker)
{
	cfs_entry_free(worker);
}

static const struct cfs_ordered_ops ops = {
	.plan = plan, .work = work, .settle = settle, .free_job = free_job,
	.worker_new = worker_new, .worker_free = worker_free };

int cfs_originals_find(struct cfs_originals *o,
		       struct cfs_originals_counts *counts,
		       struct cfs_error *err)
{
	int rc = CFS_OK;

	if (cfs_extsort_count(o->sort) > 0) {
		o->entry = cfs_entry_new(err);
		rc = o->entry != NULL ? cfs_extsort_merge(o->sort, err) :
					CFS_ENOMEM;
	}
	if (rc == CFS_OK && o->entry != NULL) {
		o->run = (struct cfs_ordered){ .ops = &ops, .arg = o,
			.threads = o->opts.threads, .outer = o->opts.cancel };
		cfs_ordered_init(&o->run);
		rc = cfs_ordered_run(&o->run, err);
		cfs_ordered_release(&o->run);
	}
	cfs_entry_free(o->entry);
	o->entry = NULL;
	*counts = o->counts;
	return rc;
}

/* export_internal.h - what the files of src/export share: drives, batches, and
 * the threads that fill them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_EXPORT_INTERNAL_H
#define CFS_EXPORT_EXPORT_INTERNAL_H

#include "base/ordered.h"
#include "export.h"

struct cfs_export;			/* export.c */

/* Rows that are made together, by one thread, and written in order.  A drive
 * has it as the first member of a larger structure. */
struct cfs_export_batch {
	struct cfs_ordered_job job;	/* the first member */
	/* Rows that wait to be packed or written: those from `from` on.  In a
	 * file if they are long (base/spill.h). */
	struct cfs_buf rows;
	size_t from;
	unsigned unpacked;		/* rows since the last member */
	struct cfs_buf packed;		/* members that wait to be written, if
					 * they are compressed */
	/* For a folder, the bytes of what may not be divided, in order, as
	 * uint64_t: rows, or members if they are compressed. */
	struct cfs_buf units;
	uint64_t number;		/* in the order of planning, from 0 */
	/* A later run cannot resume behind it, but only behind a later batch
	 * without this mark. */
	bool is_no_mark;
	uint64_t made, errors;		/* rows so far, and with an error */
	uint64_t held;			/* bytes counted as waiting */
	int rc;				/* why it is incomplete, and `error` */
	struct cfs_error error;
};

/* The state of one thread. */
struct cfs_export_worker {
	struct cfs_export *run;
	const struct cfs_export_opts *opts;
	const struct cfs_cancel *cancel;	/* cancels the threads */
	struct cfs_export_row row;
	struct cfs_buf record;		/* a row that becomes a member */
};

struct cfs_export_drive_ops {
	/* Gets the next batch, which the caller owns; *out is NULL behind the
	 * last.  One thread at a time calls it.  The batches of the same work
	 * are always the same. */
	int (*next)(struct cfs_export_drive *d, struct cfs_export_batch **out,
		    struct cfs_ctx ctx);
	/* Makes the rows of a batch, and gives each to cfs_export_put.  On any
	 * thread.  0, or a failure that ends the run. */
	int (*fill)(struct cfs_export_drive *d, struct cfs_export_batch *b,
		    struct cfs_export_worker *w, struct cfs_error *err);
	/* Called for a batch that was filled, once all before it are written.
	 * NULL: nothing is to be done. */
	void (*settle)(struct cfs_export_batch *b);
	void (*free_batch)(struct cfs_export_batch *b);
	/* Called once all rows of a run that was not resumed are written: says
	 * why there is none, or none below a prefix. */
	void (*explain)(struct cfs_export_drive *d, uint64_t rows,
			const struct cfs_cancel *cancel);
	void (*progress)(struct cfs_export_drive *d,
			 struct cfs_progress *out);
	void (*free)(struct cfs_export_drive *d);
};

struct cfs_export_drive {
	const struct cfs_export_drive_ops *ops;
};

/* Initialises a batch that is zeroed, and releases it. */
void cfs_export_batch_init(struct cfs_export_batch *b);
void cfs_export_batch_release(struct cfs_export_batch *b);

/* True if a batch that fails with rc, as a server does that may work again
 * later, has a row that says so: its reader sees the end otherwise too late, or
 * never.  A file is resumed, and has no such row. */
bool cfs_export_ends_with_row(const struct cfs_export_worker *w, int rc);

/* Appends the row of the worker to a batch.  While much is waiting, waits for
 * the batches before it.  0; CFS_END if the batch is not needed any more; a
 * failure that ends the run. */
int cfs_export_put(struct cfs_export_worker *w, struct cfs_export_batch *b,
		   struct cfs_error *err);

/* Discards the batches of b's group that are behind it: they are filled no
 * further, and never written. */
void cfs_export_make_void(struct cfs_export_worker *w,
			  const struct cfs_export_batch *b);

#endif

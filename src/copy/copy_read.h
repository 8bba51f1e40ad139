/* copy_read.h - reads the records of a stretch, and checks them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_COPY_COPY_READ_H
#define CFS_COPY_COPY_READ_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "copy_plan.h"
#include "record/store.h"

struct cfs_copy_read_opts {
	struct cfs_store *store;	/* borrowed, as all here */
	const char *output;		/* for messages */
	enum cfs_archive_format format;
	uint64_t max_record_bytes;	/* 0: default */
	bool keep_going;		/* take failed reads for damage */
	/* The file that the copy replaces: not to be read; NULL: none. */
	const struct stat *replaced;
	const struct cfs_cancel *cancel;
};

struct cfs_copy_reader {		/* shared by threads */
	struct cfs_copy_read_opts opts;
	atomic_uint reported;		/* losses of records */
	pthread_mutex_t lock;
	struct cfs_buf missing;		/* the archive that was last found
					 * missing; guarded by lock */
};

void cfs_copy_reader_init(struct cfs_copy_reader *r);	/* opts are set later */
void cfs_copy_reader_release(struct cfs_copy_reader *r);

/* Scratch memory for one thread, to be released by the caller. */
void cfs_copy_scratch_init(const struct cfs_copy_reader *r,
			   struct cfs_buf *scratch);

/* Fills in the result of a stretch.  Records that are damaged are logged and
 * left out; s->rc is a failure that ends the copy. */
void cfs_copy_read(struct cfs_copy_reader *r, struct cfs_copy_stretch *s,
		   struct cfs_buf *scratch);

#endif

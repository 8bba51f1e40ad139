/* handles.h - open files by inode number, and sizes learnt by opening.
 *
 * Not an inode table: it holds what is open now, and a lossy memo of fixed
 * size.  Two opens of one file share one content.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_HANDLES_H
#define CFS_FUSE_HANDLES_H

#include <pthread.h>
#include <stdatomic.h>

#include "crawl/file_bytes.h"
#include "crawl/learnt.h"

struct cfs_handles;		/* threads share it */

struct cfs_handle {
	uint64_t ino;
	unsigned refs;			/* guarded by the table's lock */
	struct cfs_handle *chain;	/* guarded by the table's lock */
	pthread_mutex_t lock;
	_Atomic int64_t until_ms;	/* of the one that holds lock; cancel.h */
	bool is_loaded;			/* guarded by lock */
	struct cfs_file_bytes content;	/* guarded by lock until loaded */
	/* What open has reported to the kernel, else CFS_SIZE_UNKNOWN. */
	_Atomic uint64_t size;
	/* An opener uses the size that the kernel knows: it must not be
	 * corrected any more.  Set before that open returns. */
	_Atomic bool size_is_settled;
};

struct cfs_handles *cfs_handles_new(void);
void cfs_handles_free(struct cfs_handles *t);	/* accepts NULL */

/* One more opener of ino; NULL when out of memory. */
struct cfs_handle *cfs_handles_open(struct cfs_handles *t, uint64_t ino);
/* One more opener of a handle that is open. */
void cfs_handles_hold(struct cfs_handles *t, struct cfs_handle *h);
void cfs_handles_close(struct cfs_handles *t, struct cfs_handle *h);

/* Takes h->lock, asking now and then whether to give up: 0, or CFS_EINTR or
 * CFS_ETIMEOUT. */
int cfs_handle_lock(struct cfs_handle *h, const struct cfs_cancel *cancel);

/* Sizes of this source's files are kept between mounts, with the crawl (see
 * crawl/learnt.h), which must outlive the table. */
void cfs_handles_keep_sizes(struct cfs_handles *t, unsigned source,
			    const struct cfs_crawl *c);

/* The size of a file that this mount has loaded once, if it is still known; of
 * an open and loaded file it always is. */
bool cfs_handles_loaded_size(struct cfs_handles *t, uint64_t ino,
			     uint64_t *size);
/* That, or the size that an earlier mount has kept: what stat shows.  A file
 * must be loaded for all that before a program relies on the size: an archive
 * may have been replaced while its index was not. */
bool cfs_handles_size(struct cfs_handles *t, uint64_t ino, uint64_t *size);
void cfs_handles_note_size(struct cfs_handles *t, uint64_t ino, uint64_t size);

#endif

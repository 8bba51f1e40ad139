/* handles.h - files in use by inode number, and sizes learnt by loading.
 *
 * Not an inode table: it holds what is open or being read, what was read a
 * moment ago (bounded in bytes and time), and a lossy memo of fixed size.  All
 * users of one file share one content.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_HANDLES_H
#define CFS_FUSE_HANDLES_H

#include <pthread.h>
#include <stdatomic.h>

#include "crawl/file_info.h"

struct cfs_handles;		/* threads share it */

struct cfs_handle {
	uint64_t ino;
	unsigned refs;			/* guarded by the table's lock */
	struct cfs_handle *chain;	/* guarded by the table's lock */
	struct cfs_handle *older, *newer;	/* of those without a user */
	int64_t idle_since_ms;
	pthread_mutex_t lock;
	_Atomic int64_t until_ms;	/* of the one that holds lock;
					 * cancel.h */
	_Atomic bool is_loaded;		/* set with lock held */
	struct cfs_file_bytes content;	/* guarded by lock until loaded */
	/* The bytes are there, ahead of a request that wants them (preload.h).
	 * Set and taken back with lock held. */
	_Atomic bool is_ready;
	_Atomic bool takes_long;	/* to load: see loads.h */
	/* Requests that use its bytes, or are about to: these stay then. */
	atomic_uint uses;
	bool can_reload;		/* guarded by lock: else they stay
					 * always */
	bool is_computed_now;		/* guarded by the lock of loads.c */
	_Atomic uint64_t estimate;	/* that stat gave; or unknown */
	/* What open has reported to the kernel, else CFS_SIZE_UNKNOWN. */
	_Atomic uint64_t size;
	/* An opener uses the size that the kernel knows: it must not be
	 * corrected any more.  Set before that open returns. */
	_Atomic bool size_is_settled;
};

/* Of h, while its bytes are used: from before is_loaded is asked for. */
static inline void cfs_handle_use(struct cfs_handle *h)
{
	atomic_fetch_add(&h->uses, 1);
}
static inline void cfs_handle_end_use(struct cfs_handle *h)
{
	atomic_fetch_sub(&h->uses, 1);
}

/* budget: may be NULL; when memory is scarce, files without a user are
 * forgotten and open ones let their bytes go until they are read again.
 * crawls: the source of each number, or NULL, borrowed.  A crawl that keeps
 * sizes between mounts (crawl/file_info.h) is given those of its files. */
struct cfs_handles *cfs_handles_new(struct cfs_crawl *const *crawls,
				    struct cfs_budget *budget);
void cfs_handles_free(struct cfs_handles *t);	/* accepts NULL */

/* One more user of ino; NULL when out of memory. */
struct cfs_handle *cfs_handles_open(struct cfs_handles *t, uint64_t ino);
/* The same if ino has a user and its bytes are ready, else NULL. */
struct cfs_handle *cfs_handles_open_ready(struct cfs_handles *t, uint64_t ino);
/* One more user of a handle that has one. */
void cfs_handles_hold(struct cfs_handles *t, struct cfs_handle *h);
/* The bytes are kept for a while after the last user: the next READ of a file
 * that nothing opens finds them. */
void cfs_handles_close(struct cfs_handles *t, struct cfs_handle *h);

/* Takes h->lock, asking now and then whether to give up: 0, or CFS_EINTR or
 * CFS_ETIMEOUT. */
int cfs_handle_lock(struct cfs_handle *h, const struct cfs_cancel *cancel);

/* The size of a file that this mount has loaded once, if it is still known (of
 * an open and loaded file it always is), or with kept_too that which an earlier
 * mount has kept.  The latter is what stat shows, but the file must be loaded
 * for all that before a program relies on it: an archive may have been replaced
 * while its index was not. */
bool cfs_handles_size(struct cfs_handles *t, uint64_t ino, bool kept_too,
		      uint64_t *size);
void cfs_handles_note_size(struct cfs_handles *t, uint64_t ino, uint64_t size);

#endif

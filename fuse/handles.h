/* handles.h - files in use by inode number, and sizes found by loading them.
 *
 * This is not an inode table: it holds files that are open or being read, those
 * read a moment ago (bounded in bytes and time), and a lossy memo of sizes.
 * All users of a file share one content.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_HANDLES_H
#define CFS_FUSE_HANDLES_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "crawl/file_info.h"

struct cfs_handles;		/* threads share it */

struct cfs_handle {
	uint64_t ino;
	unsigned refs;			/* guarded by the table's lock */
	struct cfs_handle *chain;	/* guarded by the table's lock */
	struct cfs_handle *older, *newer;	/* in the list of handles
						 * without a user */
	int64_t idle_since_ms;
	pthread_mutex_t lock;
	_Atomic int64_t until_ms;	/* deadline of the thread that holds
					 * lock (cancel.h) */
	_Atomic bool is_loaded;		/* set with lock held */
	struct cfs_file_bytes content;	/* guarded by lock until loaded */
	/* The bytes were loaded ahead of any request for them (preload.h).  Set
	 * and cleared with lock held. */
	_Atomic bool is_ready;
	_Atomic pid_t reader;		/* the process of the latest request */
	_Atomic bool takes_long;	/* loading takes long, see loads.h */
	/* Requests that use the bytes, or are about to; while there are any,
	 * the bytes stay in memory. */
	atomic_uint uses;
	bool can_reload;		/* guarded by lock; false: the bytes
					 * always stay in memory */
	bool is_computed_now;		/* guarded by the lock of loads.c */
	_Atomic uint64_t estimate;	/* estimated size, as stat gave it;
					 * or unknown */
	/* The size that open has given the kernel, else CFS_SIZE_UNKNOWN. */
	_Atomic uint64_t size;
	/* An opener relies on the size that the kernel has: it must not be
	 * corrected any more.  Set before that open returns. */
	_Atomic bool size_is_settled;
};

/* Marks the bytes of h as used.  Begin a use before testing is_loaded. */
static inline void cfs_handle_use(struct cfs_handle *h)
{
	atomic_fetch_add(&h->uses, 1);
}
static inline void cfs_handle_end_use(struct cfs_handle *h)
{
	atomic_fetch_sub(&h->uses, 1);
}

/* budget may be NULL; when memory is scarce, files without a user are
 * forgotten, and open ones drop their bytes until they are read again.  crawls:
 * the crawl of each source, or NULL; borrowed.  A crawl that keeps sizes
 * between mounts (crawl/file_info.h) is given those of its files. */
struct cfs_handles *cfs_handles_new(struct cfs_crawl *const *crawls,
				    struct cfs_budget *budget);
void cfs_handles_free(struct cfs_handles *t);	/* accepts NULL */

/* One more user of ino; NULL when out of memory. */
struct cfs_handle *cfs_handles_open(struct cfs_handles *t, uint64_t ino);
/* The same, but NULL unless ino has a user already and its bytes are ready. */
struct cfs_handle *cfs_handles_open_ready(struct cfs_handles *t, uint64_t ino);
/* Adds a user to a handle that has one. */
void cfs_handles_hold(struct cfs_handles *t, struct cfs_handle *h);
/* The bytes are kept for a while after the last user: if the kernel does
 * without OPEN, the next READ of the file finds them. */
void cfs_handles_close(struct cfs_handles *t, struct cfs_handle *h);

/* Notes that the bytes of h were loaded: others may have to make room on the
 * disk.  The caller holds h->lock, and h has a user. */
void cfs_handles_loaded(struct cfs_handles *t, const struct cfs_handle *h);

/* Takes h->lock, checking now and then whether to give up: 0, CFS_EINTR
 * or CFS_ETIMEOUT. */
int cfs_handle_lock(struct cfs_handle *h, const struct cfs_cancel *cancel);

/* The size of a file that this mount has loaded, if it is still remembered (it
 * always is while the file is open and loaded), or with kept_too a size kept
 * by an earlier mount. stat shows a kept size, but the file must be loaded
 * before a program relies on it: an archive may have been replaced while its
 * index was not. */
bool cfs_handles_size(struct cfs_handles *t, uint64_t ino, bool kept_too,
		      uint64_t *size);
void cfs_handles_note_size(struct cfs_handles *t, uint64_t ino, uint64_t size);

#endif

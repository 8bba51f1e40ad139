/* handles.h - files in use, whose bytes are made once for all their readers,
 * and sizes found by loading them.
 *
 * Files are known by numbers (ino.h).  There are those that are open or being
 * read, those read a moment ago, and those that were loaded ahead of their
 * reader (readahead.h), both bounded in bytes; and a lossy memo of sizes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_HANDLES_H
#define CFS_CRAWL_HANDLES_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "file_info.h"

struct cfs_handles;		/* threads share it */

struct cfs_handle {
	uint64_t ino;
	struct cfs_handles *all;
	unsigned refs;			/* guarded by the table's lock, as all
					 * up to the own lock */
	struct cfs_handle *chain;
	struct cfs_idle *idle;		/* the list of those without a user that
					 * it is in, or NULL */
	struct cfs_handle *older, *newer;	/* in that list */
	int64_t idle_since_ms;
	pthread_mutex_t lock;
	_Atomic int64_t until_ms;	/* deadline of the thread that holds
					 * lock (cancel.h) */
	_Atomic bool is_loaded;		/* set with lock held */
	struct cfs_file_bytes content;	/* guarded by lock until loaded */
	/* The bytes were loaded ahead of any request for them.  Set and cleared
	 * with lock held. */
	_Atomic bool is_ready;
	_Atomic unsigned *in_vain;	/* is counted up if that was for
					 * nothing */
	_Atomic pid_t reader;		/* the process of the latest request */
	_Atomic bool takes_long;	/* loading takes long */
	/* Requests that use the bytes, or are about to; while there are any,
	 * the bytes stay in memory. */
	atomic_uint uses;
	bool can_reload;		/* guarded by lock; false: the bytes
					 * always stay in memory */
	bool is_computed_now;		/* guarded by a lock of the caller's */
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
/* Opens a file of a source that is ready, and has no user: the one that was
 * closed first, among those of entries behind `from` up to `to`.  NULL: there
 * is none. */
struct cfs_handle *cfs_handles_open_ready(struct cfs_handles *t,
					  unsigned source, cfs_pos from,
					  cfs_pos to);
/* Adds a user to a handle that has one. */
void cfs_handles_hold(struct cfs_handles *t, struct cfs_handle *h);
/* The bytes are kept for a while after the last user: if the kernel does
 * without OPEN, the next READ of the file finds them. */
void cfs_handles_close(struct cfs_handles *t, struct cfs_handle *h);

/* Loads the bytes of h, whose lock is held, into h->content, and clears
 * h->is_ready if they are those.  Sets h->can_reload if the bytes would be the
 * same the next time.  0, CFS_CONTENT_TAKES_LONG, or a failure. */
typedef int cfs_handle_loader(void *arg, struct cfs_handle *h,
			      struct cfs_ctx ctx);

/* Loads the bytes of h, unless they are loaded.  h must have a user.  After
 * CFS_OK the bytes stay until cfs_handle_end_use.  CFS_EINTR or CFS_ETIMEOUT
 * while waiting for another thread that loads them; quickly: the same as then,
 * if that one has found that it takes long.  Else the result of `load`. */
int cfs_handle_load(struct cfs_handle *h, bool quickly, cfs_handle_loader *load,
		    void *arg, struct cfs_ctx ctx);
/* The same with bytes that are ready, if nobody uses h. */
void cfs_handle_take_ready(struct cfs_handle *h, cfs_handle_loader *load,
			   void *arg);

/* Lends the bytes of a loaded file; cfs_file_bytes_release ends the caller's
 * use and closes h. */
void cfs_handle_share(struct cfs_handle *h, struct cfs_file_bytes *out);

/* The size of a file that this mount has loaded, if it is still remembered (it
 * always is while the file is open and loaded), or with kept_too a size kept
 * by an earlier mount. stat shows a kept size, but the file must be loaded
 * before a program relies on it: an archive may have been replaced while its
 * index was not. */
bool cfs_handles_size(struct cfs_handles *t, uint64_t ino, bool kept_too,
		      uint64_t *size);
void cfs_handles_note_size(struct cfs_handles *t, uint64_t ino, uint64_t size);

#endif

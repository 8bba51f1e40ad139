/* loads.h - the bytes of files, loaded for requests, or stored before them.
 *
 * The thread that has received a request loads what it needs, unless a view of
 * a long record is to be computed.  That is left to threads that do nothing
 * else, as many as there are processors: a page that takes seconds keeps none
 * of the threads that receive requests, and neither do those that wait for it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_LOADS_H
#define CFS_FUSE_LOADS_H

#include "handles.h"
#include "reply.h"

struct cfs_loads;		/* threads share it */

/* A request that needs the bytes of a file.  All that is not said to belong to
 * loads.c is the caller's, and reply's. */
struct cfs_load {
	fuse_req_t req;
	struct cfs_handle *h;		/* one use of it, which ends after
					 * reply */
	/* Answers req: h is loaded if rc is CFS_OK.  Called on any thread; not
	 * at all when the request was interrupted meanwhile. */
	void (*reply)(struct cfs_load *l, int rc, const struct cfs_error *err);
	size_t size;			/* READ */
	off_t off;
	struct fuse_file_info fi;	/* OPEN, READ */
	struct fuse_entry_param entry;	/* LOOKUP, GETATTR */
	bool is_lookup;			/* else GETATTR */

	struct cfs_load *next;		/* loads.c */
	struct cfs_fs *fs;
	_Atomic bool is_interrupted;
	bool is_parked, is_answered;	/* guarded by the lock of loads.c */
};

/* For fs, which outlives it; starts no thread before it is needed.  NULL: out
 * of memory. */
struct cfs_loads *cfs_loads_new(struct cfs_fs *fs);
/* Ends its threads, and requests that are still parked.  Before fs->session
 * is destroyed; accepts NULL. */
void cfs_loads_free(struct cfs_loads *q);

/*
 * Loads the bytes of l->h, calls l->reply, and gives h back.  l is copied if
 * that happens later.
 *
 * cancel  of the request
 */
void cfs_loads_run(struct cfs_loads *q, const struct cfs_load *l,
		   const struct cfs_cancel *cancel);

/*
 * Puts those of n files whose bytes are ready (preload.h), and are few, into
 * the kernel's page cache: a program that reads them sends no READ.  The kernel
 * has nodes of them by now.  For fs->sizes_are_exact; else, and where nothing
 * has been read lately, it does nothing.
 */
void cfs_loads_store_ready(struct cfs_loads *q, const uint64_t *ino,
			   unsigned n);

#endif

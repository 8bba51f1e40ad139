/* loads.h - loads the bytes of files for requests, and stores in the kernel
 * those that a reader will ask for next.
 *
 * The thread that receives a request loads what it needs, unless a view of a
 * long record must be computed.  That is left to threads that do nothing else,
 * one for each processor: a page that takes seconds then occupies none of the
 * threads that receive requests, and nor do the requests that wait for it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_LOADS_H
#define CFS_FUSE_LOADS_H

#include "crawl/handles.h"
#include "reply.h"

struct cfs_loads;		/* threads share it */

/* A request that needs the bytes of a file.  Fields not marked as loads.c's are
 * for the caller and `reply`. */
struct cfs_load {
	fuse_req_t req;
	struct cfs_handle *h;		/* one use of it, which ends
					 * after `reply` */
	/* Answers req; h is loaded if rc is CFS_OK.  Runs on any thread, and
	 * not at all if the request was interrupted before. */
	void (*reply)(struct cfs_load *l, int rc, const struct cfs_error *err);
	size_t size;			/* READ */
	off_t off;
	struct fuse_file_info fi;	/* OPEN, READ */
	struct fuse_entry_param entry;	/* LOOKUP, GETATTR */
	bool is_lookup;			/* else GETATTR */

	struct cfs_load *next;		/* for loads.c */
	struct cfs_fs *fs;
	_Atomic bool is_interrupted;
	bool is_parked, is_answered;	/* guarded by the lock of loads.c */
};

/* The loads of fs, which outlives them; starts no thread before one is needed.
 * NULL: out of memory. */
struct cfs_loads *cfs_loads_new(struct cfs_fs *fs);
/* Ends the threads, and the requests that are still parked.  Call it before
 * fs->session is destroyed; accepts NULL. */
void cfs_loads_free(struct cfs_loads *q);

/*
 * Loads the bytes of l->h, calls l->reply, and closes the handle.  Copies l if
 * this happens later.
 *
 * cancel  that of the request
 */
void cfs_loads_run(struct cfs_loads *q, const struct cfs_load *l,
		   const struct cfs_cancel *cancel);

/*
 * Puts into the kernel's page cache the next files of a program that reads in
 * order, if they are ready (readahead.h): it then sends no READ for them.  Does
 * nothing unless fs->sizes_are_exact, nor for files that the kernel has no
 * nodes of.
 *
 * ino     the file that the program waits for, or a folder that was listed
 * reader  its process; 0: any, of which only small files are stored
 */
void cfs_loads_store_next(struct cfs_loads *q, uint64_t ino, pid_t reader);

#endif

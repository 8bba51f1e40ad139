/* preload.h - makes ready what a program that reads pages in order opens next.
 *
 * What readahead.h does for crawls on servers, this does for local ones: while
 * the program reads one page, spare processors inflate and render the next.
 * They are files in use like any other (handles.h), for as long as they are
 * among the latest, and the request that wants one finds its bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_PRELOAD_H
#define CFS_FUSE_PRELOAD_H

#include "handles.h"
#include "streams.h"

struct cfs_fs;
struct cfs_preload;		/* threads share it */

struct cfs_preload_stats {
	uint64_t files;		/* made ready */
	uint64_t used;		/* and then wanted */
};

/* For one source of fs, which outlives it.  NULL: out of memory, or there is
 * no processor to spare.  Starts no thread before it is needed. */
struct cfs_preload *cfs_preload_new(struct cfs_fs *fs, unsigned source);
void cfs_preload_free(struct cfs_preload *p);	/* accepts NULL */

/* This view of this entry is wanted now; it was ready or not.  Never waits. */
void cfs_preload_note(struct cfs_preload *p, cfs_pos pos, enum cfs_view view,
		      bool was_ready);

void cfs_preload_get_stats(struct cfs_preload *p,
			   struct cfs_preload_stats *out);

#endif

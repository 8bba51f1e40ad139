/* preload.h - loads the files that a program reading pages in order opens next.
 *
 * While the program reads one page, spare processors inflate and render the
 * next.  Of crawls on servers they do so with what readahead.h has fetched, and
 * request nothing.
 * The files loaded are in use like any other (handles.h) as long as they are
 * among the latest, and a request for one finds its bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_PRELOAD_H
#define CFS_FUSE_PRELOAD_H

#include "crawl/readahead.h"
#include "handles.h"

struct cfs_fs;
struct cfs_preload;		/* threads share it */

struct cfs_preload_stats {
	uint64_t files;		/* loaded ahead */
	uint64_t used;		/* and then read */
};

/* For one source of fs, which outlives it, as does fs->ahead of the source.
 * NULL: out of memory, or no processor to spare.  Starts no thread before one
 * is needed. */
struct cfs_preload *cfs_preload_new(struct cfs_fs *fs, unsigned source);
void cfs_preload_free(struct cfs_preload *p);	/* accepts NULL */

/* Notes that a file of this view is read now, whether it was ready, and what
 * there is to do (of cfs_readahead_note).  Never waits. */
void cfs_preload_note(struct cfs_preload *p, enum cfs_view view, bool was_ready,
		      unsigned to_do);

/* The files that are ready for a process, in the order in which it will read
 * them: at most max inode numbers.  None if it passes over pages, or another
 * process reads as well.  reader 0: for any process, in the folder that was
 * listed last. */
unsigned cfs_preload_next(struct cfs_preload *p, pid_t reader, uint64_t *ino,
			  unsigned max);

void cfs_preload_get_stats(struct cfs_preload *p,
			   struct cfs_preload_stats *out);

#endif

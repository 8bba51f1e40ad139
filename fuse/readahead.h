/* readahead.h - fetches what a program that reads pages in order reads next.
 *
 * grep -r, tar, cat * and find -exec open the pages of a tree in its order,
 * each perhaps as several files (.meta, .txt) and some left out.  Once a few
 * neighbours have been read one after the other, the records that follow in
 * the index are asked for, in parallel, twice as many each time while the
 * reader continues; a read elsewhere asks for nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_READAHEAD_H
#define CFS_FUSE_READAHEAD_H

#include "index/index.h"
#include "record/store.h"
#include "view/view.h"

struct cfs_readahead;		/* threads share it */

#define CFS_READAHEAD_DEFAULT 64u

struct cfs_readahead_stats {
	uint64_t streams;	/* times a reader was recognised */
	uint64_t records;	/* asked for */
	uint64_t requests;	/* these joined to so many ranges, at most */
	uint64_t passed;	/* entries not asked for: of no sort that is
				 * read */
};

/* For one index and its archives, which outlive it; at most `window` records
 * ahead of each reader.  Starts no thread before it is needed. */
int cfs_readahead_new(struct cfs_readahead **out, struct cfs_index *index,
		      struct cfs_store *store, unsigned window,
		      struct cfs_error *err);
void cfs_readahead_free(struct cfs_readahead *ra);	/* accepts NULL */

/* This view of this entry is about to be read.  Never waits. */
void cfs_readahead_note(struct cfs_readahead *ra, cfs_pos pos,
			enum cfs_view view);

void cfs_readahead_get_stats(struct cfs_readahead *ra,
			     struct cfs_readahead_stats *out);

#endif

/* readahead.h - fetches from servers what a program that reads pages in order
 * reads next.
 *
 * grep -r, tar, cat * and find -exec open the pages of a tree in its order,
 * perhaps several files of each (.meta, .txt), and leave some out.  Once a few
 * neighbours have been read one after the other, or the first page of a folder
 * by who has listed it (streams.h), the records that follow in the
 * index are requested in parallel, twice as many each time while the reader
 * continues; a read elsewhere requests nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_READAHEAD_H
#define CFS_CRAWL_READAHEAD_H

#include "index/index.h"
#include "record/store.h"
#include "view/view.h"

struct cfs_readahead;		/* threads share it */

/* Records: twice as many as are on their way at a time to one host
 * (http_settings.h), so that those that have arrived leave no gap. */
#define CFS_READAHEAD_DEFAULT 128u

struct cfs_readahead_stats {
	uint64_t streams;	/* times a reader in order was recognised */
	uint64_t records;	/* records asked for */
	uint64_t requests;	/* ranges they were joined into: at most one
				 * request each */
	uint64_t passed;	/* entries not asked for, as the reader leaves
				 * such pages out */
};

/* Makes the read-ahead of one index and its archives, which outlive it, with
 * at most `window` records ahead of each reader.  Starts no thread before one
 * is needed. */
int cfs_readahead_new(struct cfs_readahead **out, struct cfs_index *index,
		      struct cfs_store *store, unsigned window,
		      struct cfs_error *err);
void cfs_readahead_free(struct cfs_readahead *ra);	/* accepts NULL */

/* Notes that who reads this entry next has listed the folder whose first page
 * it is.  Never waits. */
void cfs_readahead_expect(struct cfs_readahead *ra, cfs_pos pos);

/* Notes that this view of this entry is about to be read.  Never waits. */
void cfs_readahead_note(struct cfs_readahead *ra, cfs_pos pos,
			enum cfs_view view);

void cfs_readahead_get_stats(struct cfs_readahead *ra,
			     struct cfs_readahead_stats *out);

#endif

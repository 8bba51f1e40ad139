/* readahead.h - finds what a program that reads pages in order reads next, and
 * fetches it from servers.
 *
 * grep -r, tar, cat * and find -exec open the pages of a tree in its order,
 * perhaps several files of each (.meta, .txt), and leave some out.  Once a few
 * neighbours have been read one after the other, or the first page of a folder
 * by who has listed it (streams.h), the records that follow in the index are
 * requested in parallel, twice as many each time while the reader continues; a
 * read elsewhere requests nothing.
 *
 * The caller's threads may load files that are ahead (fuse/preload.h); those of
 * a crawl that is here also walk its index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_READAHEAD_H
#define CFS_CRAWL_READAHEAD_H

#include "index/index.h"
#include "record/store.h"
#include "streams.h"

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

/*
 * Makes the read-ahead of one index and its archives, which outlive it.  Starts
 * no thread before one is needed.
 *
 * store   NULL: the archives are here, and nothing is fetched
 * window  the most records ahead of each reader; 0: default
 */
int cfs_readahead_new(struct cfs_readahead **out, struct cfs_index *index,
		      struct cfs_store *store, unsigned window,
		      struct cfs_error *err);
void cfs_readahead_free(struct cfs_readahead *ra);	/* accepts NULL */

/* The result of a note: what there is to do (bits). */
#define CFS_READAHEAD_NEW 1u	/* a reader in order was recognised */
#define CFS_READAHEAD_LOAD 2u	/* files may be loaded, or first be found */

/* The functions of streams.h by the same names.  None waits, and of a note the
 * result is bits as above. */
void cfs_readahead_listed(struct cfs_readahead *ra, pid_t reader, cfs_pos pos,
			  cfs_pos to);
unsigned cfs_readahead_note(struct cfs_readahead *ra, pid_t reader, cfs_pos pos,
			    enum cfs_view view);
struct cfs_stream_run cfs_readahead_run(struct cfs_readahead *ra, pid_t reader);
bool cfs_readahead_load(struct cfs_readahead *ra, bool views_only,
			struct cfs_stream_file *out);
void cfs_readahead_load_later(struct cfs_readahead *ra,
			      const struct cfs_stream_file *file);

/* Without a store: gets the entries to be walked next, if there are any, and
 * walks them, which reads the index. */
bool cfs_readahead_take(struct cfs_readahead *ra, struct cfs_stream_want *out);
void cfs_readahead_walk(struct cfs_readahead *ra,
			const struct cfs_stream_want *want);

void cfs_readahead_get_stats(struct cfs_readahead *ra,
			     struct cfs_readahead_stats *out);

#endif

/* merge.h - merges crawlfs indexes and the sorted pairs of other inputs into
 * one sequence of sorted pairs.
 *
 * The indexes are sorted already.  They are read once to find out what the new
 * index will need, and once more to write it, as streams, so memory does not
 * grow with them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_MERGE_H
#define CFS_INDEXING_MERGE_H

#include "merge_input.h"

/* Each index has an open file, and a block in memory. */
#define CFS_MERGE_MAX 512u

struct cfs_merge;

struct cfs_merge_opts {
	const struct cfs_merge_input *inputs;	/* borrowed, like all pointers
						 * here */
	size_t n_inputs;		/* at most CFS_MERGE_MAX */
	struct cfs_extsort *sorted;	/* input number n_inputs; after
					 * cfs_extsort_merge */
	const struct cfs_pick *pick;	/* for the indexes' entries; or NULL */
	uint32_t view_version;		/* as in cfs_merge_reader_open */
	struct cfs_extsort_opts refs;	/* likewise */
	const struct cfs_cancel *cancel;
	/* Called after each entry read from an index, whether it is taken or
	 * not.  May be NULL. */
	void (*advanced)(void *arg);
	void *arg;
};

/* opts are copied.  0, CFS_ENOMEM, or what reading returns. */
int cfs_merge_open(struct cfs_merge **out, const struct cfs_merge_opts *opts,
		   struct cfs_error *err);
void cfs_merge_close(struct cfs_merge *m);	/* accepts NULL */

/* Returns the next pair in order, lent until the next call, and its input.  0,
 * CFS_END, or a failure. */
int cfs_merge_next(struct cfs_merge *m, struct cfs_slice *key,
		   struct cfs_slice *value, unsigned *input,
		   struct cfs_error *err);

/* Entries not picked so far. */
uint64_t cfs_merge_not_picked(const struct cfs_merge *m);

/* Reads all pages and annexes of the indexes, in no particular order: fn gets
 * each with its key.  0, what fn returned, or a failure. */
int cfs_merge_look(const struct cfs_merge_opts *opts,
		   int (*fn)(void *arg, struct cfs_slice key,
			     const struct cfs_join_item *item,
			     struct cfs_error *err),
		   void *arg, struct cfs_error *err);

#endif

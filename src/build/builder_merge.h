/* builder_merge.h - the end of a build: sorted entries become an index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_BUILDER_MERGE_H
#define CFS_BUILD_BUILDER_MERGE_H

#include "builder_refs.h"

/* All of it borrowed. */
struct cfs_builder_merge {
	struct cfs_extsort *sort;	/* merged, nothing read yet */
	struct cfs_builder_refs *refs;
	bool joins;			/* some entries are to be joined */
	const struct cfs_builder_origin *origins;	/* for join.h */
	const char *tmp_dir;
	/* Entries so far; called now and then.  May be NULL. */
	void (*merged)(void *arg, uint64_t done, uint64_t total);
	void *arg;
	uint64_t done, total;
};

/* Writes a crawlfs index.  0, CFS_ENOMEM, CFS_EIO, CFS_EINTR, CFS_ELIMIT. */
int cfs_builder_merge_cfx(struct cfs_builder_merge *m,
			  const struct cfs_cfx_params *params,
			  struct cfs_builder_counts *counts,
			  struct cfs_error *err);

/* The same for a PB-tree in fd. */
int cfs_builder_merge_pbtree(struct cfs_builder_merge *m, int fd,
			     struct cfs_builder_counts *counts,
			     struct cfs_error *err);

#endif

/* merge.h - several crawlfs indexes into one.
 *
 * They are sorted already, so their entries are read once to find out what
 * the index will need (the archives in use, a sample of the keys), and once
 * more to write it: as a stream, in memory that does not grow with them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_MERGE_H
#define CFS_BUILD_MERGE_H

#include "merge_input.h"
#include "pick.h"

/* Each has a file open, and a block in memory. */
#define CFS_MERGE_MAX 512u

struct cfs_merge_opts {
	const struct cfs_merge_input *inputs;
	size_t n_inputs;
	const char *path;	/* of the index to write */
	const char *tmp_dir;
	size_t memory_bytes;	/* for references; 0: a default */
	struct cfs_pick *pick;		/* or NULL */
	/* Finds the sizes of revisits once more, with so many threads: together
	 * with others, or without some, they show something else.  base: of
	 * struct cfs_builder_opts.  NULL: they have none. */
	const struct cfs_builder_sizer *sizer;
	const char *base;
	unsigned threads;
	const struct cfs_cancel *cancel;
	/* Entries gone through, of all that there are twice.  May be NULL. */
	void (*merged)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

struct cfs_merge_counts {
	struct cfs_builder_counts built;
	uint64_t not_picked, repeated, bytes;	/* bytes: of the inputs */
};

/*
 * Writes the index.  An entry that several inputs have is written once; view
 * sizes are kept if all inputs that have them have those of one version of the
 * code.  What a revisit refers to is found if it was in the revisit's own
 * input.
 *
 * 0; CFS_EUSAGE for indexes whose archives are on different servers;
 * CFS_ENOTFOUND if no entry is left; failures of reading and writing, after
 * which `path` is as it was.
 */
int cfs_merge_indexes(const struct cfs_merge_opts *opts,
		      struct cfs_merge_counts *out, struct cfs_error *err);

#endif

/* share_tables.h - what the numbers in a part's pairs mean: all files that the
 * parts are made of, and the archives that its own lists name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_SHARE_TABLES_H
#define CFS_BUILD_SHARE_TABLES_H

#include "shares.h"

struct cfs_share_tables {
	struct cfs_share_cut cut;	/* but for the seal */
	bool no_lone_sides, drops_repeats;	/* of struct cfs_builder_opts */
	/* The home of all archives, the folder that the user wants names below,
	 * and the one that they are below; NULL: none.  Taken: owned. */
	char *home, *base, *below;
	/* Names of archives that are numbered behind the files. */
	struct cfs_strtab *names;	/* borrowed; taken: owned */
	/* What was skipped of each file and each name (enum cfs_skipped_kind);
	 * taken only: owned. */
	uint64_t (*skipped)[CFS_SKIPPED_KINDS];
	size_t n_skipped;
	struct cfs_buf damage;	/* of the same, as index/cfx_damage.h has it;
				 * taken only: owned */
};

/* All but what was skipped, which the builder puts behind it. */
void cfs_share_tables_put(struct cfs_buf *out, const struct cfs_share_tables *t,
			  const struct cfs_indexer_files *files);

/*
 * Reads them.  The first part's files are added to `files`, which has none
 * then; of another one's, those that the part was made of replace what is known
 * of them.  0; CFS_EFORMAT; CFS_ENOMEM.  t is released in any case.
 */
int cfs_share_tables_take(struct cfs_slice in, struct cfs_share_tables *t,
			  struct cfs_indexer_files *files,
			  struct cfs_error *err);
void cfs_share_tables_release(struct cfs_share_tables *t);

#endif

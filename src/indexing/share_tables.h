/* share_tables.h - encodes what the numbers of archives in a part mean: the
 * files of all parts, and the archives that its CDX files and selections name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_SHARE_TABLES_H
#define CFS_INDEXING_SHARE_TABLES_H

#include "shares.h"

/* Counts of a part that are not counted again where parts are merged:
 * everything that was sorted, and captures and related records that need not
 * be joined again. */
struct cfs_share_counts {
	uint64_t sorted, repeated, related, unrelated;
};

struct cfs_share_tables {
	struct cfs_share_cut cut;	/* without the seal */
	bool no_lone_sides, drops_repeats;	/* as in struct
						 * cfs_builder_opts */
	/* The home of all archives, the folder that the user wants names to be
	 * relative to, and the one that they are relative to; NULL: none.
	 * Owned once taken. */
	char *home, *base, *below;
	/* Names of archives, numbered after the files. */
	struct cfs_strtab *names;	/* borrowed; owned once taken */
	struct cfs_share_counts counts;	/* only when taken */
	/* Skipped captures of each file and each name, by enum
	 * cfs_skipped_kind; only when taken: owned. */
	uint64_t (*skipped)[CFS_SKIPPED_KINDS];
	size_t n_skipped;
	struct cfs_buf damage;	/* damage of the same (format/cfx/cfx_damage.h);
				 * only when taken: owned */
};

/* Appends all tables except counts, skipped captures and damage, which the
 * builder appends. */
void cfs_share_tables_put(struct cfs_buf *out, const struct cfs_share_tables *t,
			  const struct cfs_indexer_files *files);

void cfs_share_counts_put(struct cfs_buf *out,
			  const struct cfs_share_counts *c);

/*
 * Parses the tables.  Those of the first part add its files to `files`, which
 * is empty then; those of another part update the files that it was made of.
 * 0; CFS_EFORMAT; CFS_ENOMEM.  Release t in any case.
 */
int cfs_share_tables_take(struct cfs_slice in, struct cfs_share_tables *t,
			  struct cfs_indexer_files *files,
			  struct cfs_error *err);
void cfs_share_tables_release(struct cfs_share_tables *t);

#endif

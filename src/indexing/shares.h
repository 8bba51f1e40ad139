/* shares.h - divides the inputs of an index among N tasks, each of which makes
 * a part of it.
 *
 * Every task lists all inputs and finds the same shares, which depend on names
 * and sizes only: the inputs are in the order in which an index numbers them,
 * and a share is a run of them, with about as many bytes as the others.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_SHARES_H
#define CFS_INDEXING_SHARES_H

#include "base/strtab.h"
#include "indexer_files.h"

/* A share: a run of the files and selections, numbered together, files first.
 * The seal is the same for all shares of the same inputs, made with the same
 * options by the same version of the indexer. */
struct cfs_share_cut {
	size_t from, to;	/* to: after the last */
	uint64_t seal;
};

/* Finds the share opts->share of the inputs listed by cfs_indexer_list.  A file
 * of unknown size counts as much as the others on average. */
void cfs_share_find(const struct cfs_indexer_files *f,
		    const struct cfs_indexer_opts *opts,
		    struct cfs_share_cut *out);

/* FOLDER/part-KKKKK-of-NNNNN.cfx, malloced; NULL without memory. */
char *cfs_share_path(const char *folder, struct cfs_part share);

/* Parses the name of a part's file; false if it is not one. */
bool cfs_share_of_name(const char *name, struct cfs_part *out);

/* Makes the arrays of all archives as the builder numbers them, and of their
 * origins: the files, then the names, each of which ends with a NUL.  The
 * caller frees both arrays, also after CFS_ENOMEM; names are borrowed. */
int cfs_share_archives(const struct cfs_indexer_files *f,
		       struct cfs_strtab *names,
		       struct cfs_builder_archive **archives,
		       struct cfs_builder_origin **origins,
		       struct cfs_error *err);

#endif

/* shares.h - the inputs of an index, shared out to N tasks that each make a
 * part of it.
 *
 * Every task lists all inputs and comes to the same shares, which follow from
 * names and sizes alone: the inputs stand in the order that an index numbers
 * them in, and a share is a run of them, of about as many bytes as each other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_SHARES_H
#define CFS_BUILD_SHARES_H

#include "base/strtab.h"
#include "indexer_files.h"

/* What a share is made of: files and selections, counted in one, the files
 * first.  The seal is the same for all shares of the same inputs, made with the
 * same options by the same version of the indexer. */
struct cfs_share_cut {
	size_t from, to;	/* to: behind the last */
	uint64_t seal;
};

/* Cuts the share opts->share out of what cfs_indexer_list has found.  A file
 * whose size is not known counts as much as the others do on average. */
void cfs_share_find(const struct cfs_indexer_files *f,
		    const struct cfs_indexer_opts *opts,
		    struct cfs_share_cut *out);

/* FOLDER/part-KKKKK-of-NNNNN.cfx, malloced; NULL without memory. */
char *cfs_share_path(const char *folder, struct cfs_part share);

/* Is `name` that of a part's file?  Then *out is which. */
bool cfs_share_of_name(const char *name, struct cfs_part *out);

/* All archives as the builder numbers them, and their origins: the files, then
 * the names, each of which ends with a NUL.  Both arrays are the caller's to
 * free, also after CFS_ENOMEM; names borrow. */
int cfs_share_archives(const struct cfs_indexer_files *f,
		       struct cfs_strtab *names,
		       struct cfs_builder_archive **archives,
		       struct cfs_builder_origin **origins,
		       struct cfs_error *err);

#endif

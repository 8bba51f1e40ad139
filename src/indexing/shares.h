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

struct cfs_indexer_report;

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

/* ---- merging the parts (share_merge.c) ---- */

/* The file in a folder of parts that says that all were merged into an
 * index. */
#define CFS_SHARES_DONE "_SUCCESS"

/* True for a folder that contains a part's file. */
bool cfs_share_is_folder(const char *path);

/*
 * Merges all parts in a folder into the index that one machine would make of
 * all inputs, byte for byte; then creates the file CFS_SHARES_DONE.  A key with
 * more records than are joined at a time (join/entries.c) may have more of them
 * joined than there.
 *
 * opts    output, base, threads, memory, revisits, cancel and progress are
 *         used
 * report  as of cfs_indexer_run
 *
 * 0; CFS_EUSAGE for parts that are missing, damaged or do not belong together,
 * which err names; CFS_ENOTFOUND if they have no page; failures of reading and
 * writing, after which the output is as it was.
 */
int cfs_merge_shares(const struct cfs_indexer_opts *opts, const char *folder,
		     struct cfs_indexer_report *report, struct cfs_error *err);

#endif

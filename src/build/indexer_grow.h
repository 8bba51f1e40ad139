/* indexer_grow.h - indexes that go into a new index: which archives are taken
 * of them, and which files need not be read again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_INDEXER_GROW_H
#define CFS_BUILD_INDEXER_GROW_H

#include "indexer_files.h"

/*
 * Compares the files with the archives of opts->indexes.  What an index has of
 * an archive whose size or time is another one now is left out.  In an update
 * files that have not changed are taken off the list, and what is gone is left
 * out; *is_current: nothing has changed.  0 or CFS_ENOMEM.
 */
int cfs_grow_compare(const struct cfs_indexer_opts *opts,
		     struct cfs_indexer_files *files, bool *is_current,
		     struct cfs_error *err);

/* With opts->pick: leaves out archives that nothing is picked of.  tmp_dir: for
 * temporary files.  0, or failures as of cfs_merge_look. */
int cfs_grow_leave_out_unused(const struct cfs_indexer_opts *opts,
			      const char *tmp_dir, struct cfs_error *err);

/* Puts the archives of opts->indexes behind the n that are listed already, and
 * numbers them; *n is how many there are then.  0, CFS_ENOMEM, CFS_ELIMIT. */
int cfs_grow_archives(const struct cfs_indexer_opts *opts, const char *base,
		      struct cfs_builder_archive **archives,
		      struct cfs_builder_origin **origins, size_t *n,
		      struct cfs_error *err);

/* Sets home and view_version of *o.  is_scanned: there are other inputs.
 * CFS_EUSAGE for archives in different places. */
int cfs_grow_choose_home(const struct cfs_indexer_opts *opts, bool is_scanned,
			 struct cfs_builder_opts *o, struct cfs_error *err);

#endif

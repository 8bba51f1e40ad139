/* indexer_index.h - indexes among the inputs: they are merged, or the captures
 * of a PB-tree or a crawlfs index are read for an index of another format.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_INDEXER_INDEX_H
#define CFS_INDEXING_INDEXER_INDEX_H

#include "indexer_cdx.h"
#include "parts.h"

/* Does the same as cfs_indexer_cdx_run for the entries of an index.  Captures
 * of a PB-tree have neither status nor type; none have a digest. */
int cfs_indexer_index_run(const struct cfs_indexer_cdx *job,
			   struct cfs_error *err);

/* ---- merging them (indexer_grow.c): which of their archives to take, and
 * which files need not be read again ---- */

/* True if an update can tell what has changed; cheap: and need request no
 * remote files for it, except in a web folder. */
bool cfs_grow_can_update(const struct cfs_indexer_opts *opts,
			 const struct cfs_indexer_files *files);
bool cfs_grow_is_cheap(const struct cfs_indexer_opts *opts,
		       const struct cfs_indexer_files *files);

/*
 * Compares the files with the archives of opts->indexes.  Archives whose size
 * or time has changed are not taken from the indexes.  In an update, files that
 * have not changed are dropped from the list, and archives that are gone are
 * not taken; *is_current is set if nothing has changed.  0 or CFS_ENOMEM.
 */
int cfs_grow_compare(const struct cfs_indexer_opts *opts,
		     struct cfs_indexer_files *files, bool *is_current,
		     struct cfs_error *err);

/* With opts->pick, leaves out archives without anything picked.  tmp_dir: for
 * temporary files.  0, or failures as of cfs_merge_look. */
int cfs_grow_leave_out_unused(const struct cfs_indexer_opts *opts,
			      const char *tmp_dir, struct cfs_error *err);

/* All archives as the builder numbers them, and their origins. */
struct cfs_grow_archives {
	struct cfs_builder_archive *v;		/* malloced */
	struct cfs_builder_origin *origins;	/* likewise */
	size_t n;
};

/* Lists the files, of which those of `cut` are not elsewhere, the names, each
 * of which ends with a NUL, and the archives of opts->indexes, which are
 * numbered.  Free the arrays in any case; names are borrowed.  0, CFS_ENOMEM,
 * CFS_ELIMIT. */
int cfs_grow_archives(const struct cfs_indexer_opts *opts,
		      const struct cfs_indexer_files *files,
		      const struct cfs_parts_cut *cut, struct cfs_strtab *names,
		      struct cfs_grow_archives *out, struct cfs_error *err);

/* Finds the prefix by which names below `folder` are names below `base`: "" or
 * "sub/", malloced.  CFS_ENOTFOUND if it is not below it, which err does not
 * say; CFS_ENOMEM. */
int cfs_grow_prefix(char **out, const char *base, const char *folder,
		    struct cfs_error *err);

/* Sets home and view_version of *o.  is_scanned: there are other inputs.
 * CFS_EUSAGE if the archives' homes differ. */
int cfs_grow_choose_home(const struct cfs_indexer_opts *opts, bool is_scanned,
			 struct cfs_builder_opts *o, struct cfs_error *err);

#endif

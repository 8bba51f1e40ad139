/* indexer_cdx.h - captures of CDX files into an index.
 *
 * A CDX names archives that need not be there: their names are those of the
 * lines, below the CDX file's own folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_INDEXER_CDX_H
#define CFS_BUILD_INDEXER_CDX_H

#include "base/strtab.h"
#include "indexer_files.h"

struct cfs_indexer_cdx {
	const struct cfs_indexer_files *files;
	const struct cfs_indexer_file *file;	/* one of them */
	/* Of a WACZ: this member is the CDX file, and archives have their
	 * numbers among the files.  Else NULL. */
	const struct cfs_wacz_member *member;
	/* The lines of a file that can be cut which are in stretches of these
	 * bytes, multiples of CFS_STRETCH_BYTES (index/stretch.h); to 0: to the
	 * end. */
	uint64_t from, to;
	struct cfs_strtab *names;	/* of archives, relative to the base, a
					 * NUL behind each */
	/* Of a member: gives captures the number of the archive that a line
	 * names, instead of that among the files; line_off as damage has it.
	 *  NULL: those. */
	void (*find)(void *arg, struct cfs_slice name, uint64_t line_off,
		     uint32_t *number);
	bool is_quiet;		/* damage is not logged */
	bool keeps_lines;	/* captures have the objects of CDXJ lines */
	const struct cfs_pick *pick;	/* what of a sorted file is read: at
					 * least this; NULL: all */
	const struct cfs_cancel *cancel;
	/* Called for each capture; its archive is a number of `names`.  Any
	 * result but CFS_OK ends the work.  NULL: only names are collected, and
	 * damage is not reported.  A remote file that is read whole must
	 * have a spool, and is fetched by the first of these two runs; its
	 * bytes count as advanced then alone, those of others in both. */
	int (*capture)(void *arg, struct cfs_builder_capture *c);
	void (*damaged)(void *arg, const struct cfs_error *what);
	void (*advanced)(void *arg, uint64_t bytes);
	void *arg;
};

/* Can some of the file's lines be gone through without the others?  It is
 * plain, on this machine, and nothing of it is passed over. */
bool cfs_indexer_cdx_can_cut(const struct cfs_indexer_cdx *job);

/* Goes through a file's lines.  0, what `capture` returned, or a failure. */
int cfs_indexer_cdx_run(const struct cfs_indexer_cdx *job,
			struct cfs_error *err);

#endif

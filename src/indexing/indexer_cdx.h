/* indexer_cdx.h - reads the captures of CDX files for an index.
 *
 * A CDX file names archives that need not be there; the names in its lines are
 * relative to the folder of the CDX file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_INDEXER_CDX_H
#define CFS_INDEXING_INDEXER_CDX_H

#include <stdatomic.h>

#include "base/strtab.h"
#include "indexer_files.h"

struct cfs_indexer_cdx {
	const struct cfs_indexer_files *files;
	const struct cfs_indexer_file *file;	/* one of files */
	/* Not NULL for a WACZ: this member is the CDX file, and its archives
	 * have numbers among the files. */
	const struct cfs_wacz_member *member;
	/* For a file that can be cut: reads only the lines in the stretches
	 * from `from` to `to`, multiples of CFS_STRETCH_BYTES
	 * (format/cdx/stretch.h); to 0: the end. */
	uint64_t from, to;
	struct cfs_strtab *names;	/* of archives, relative to the base,
					 * each ending with a NUL */
	/* For a member, unless NULL: finds the number of the archive that a
	 * line names, in place of its number among the files.  line_off is the
	 * line's offset, as in reports of damage. */
	void (*find)(void *arg, struct cfs_slice name, uint64_t line_off,
		     uint32_t *number);
	atomic_uint *logged;	/* damages of the file, for cfs_log_has_room;
				 * NULL: do not log them */
	bool keeps_lines;	/* set the captures' `line` */
	bool keeps_keys;	/* set their `pb_key` and `pb_order` */
	const struct cfs_pick *pick;	/* read only those runs of a sorted
					 * file's keys that may be picked; NULL:
					 * all */
	const struct cfs_cancel *cancel;
	/* Called for each capture, whose archive is a number of `names`.  Any
	 * result but CFS_OK ends the work.  NULL: the run only collects names,
	 * and damage is not reported.  A remote file that is read whole must
	 * have a spool; the first of these two runs fetches it, and only that
	 * run reports its bytes as advanced.  Other files' bytes are reported
	 * by both. */
	int (*capture)(void *arg, struct cfs_builder_capture *c);
	void (*damaged)(void *arg, const struct cfs_error *what);
	/* Called for a block of an index or CDX file that cannot be read: it is
	 * not known what was in it. */
	void (*missing)(void *arg, const struct cfs_error *what);
	void (*advanced)(void *arg, uint64_t bytes);
	void *arg;
};

/* Can stretches of the file be read by themselves?  True for a plain local file
 * of which no block is skipped. */
bool cfs_indexer_cdx_can_cut(const struct cfs_indexer_cdx *job);

/* Is a CDX file or cluster.idx of this format in order, so that ranges of its
 * keys can be read? */
bool cfs_indexer_cdx_is_sorted(enum cfs_index_format format);

/* Reports a block that cannot be read, and is left out. */
void cfs_indexer_cdx_missing(const struct cfs_indexer_cdx *job,
			     const struct cfs_error *what);

/* Reads a file's lines.  0, what `capture` returned, or a failure. */
int cfs_indexer_cdx_run(const struct cfs_indexer_cdx *job,
			struct cfs_error *err);

#endif

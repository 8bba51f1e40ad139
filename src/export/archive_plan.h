/* archive_plan.h - the archives that rows are made of, and the stretches that
 * they are cut into.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_ARCHIVE_PLAN_H
#define CFS_EXPORT_ARCHIVE_PLAN_H

#include "base/ordered.h"
#include "drives.h"
#include "indexing/indexer_wacz.h"
#include "record/stretches.h"

/* The files of one input. */
struct cfs_archive_input {
	struct cfs_indexer_files files;
	bool is_stdin;
	struct cfs_spool *spool;	/* it is read while it still comes, from
					 * here; borrowed.  NULL: it is not */
	char *base;			/* owned */
};

/* An archive: a file, or a member of a WACZ. */
struct cfs_archive_unit {
	const struct cfs_archive_input *input;
	const struct cfs_indexer_file *file;
	const struct cfs_wacz_member *member;	/* NULL: the file itself */
	const char *name;			/* in rows */
	atomic_uint logged;	/* damages */
	uint64_t before;	/* the bytes of all archives before it, or
				 * their number */
	struct cfs_ordered_group group;	/* its stretches */
};

/* The bytes of an archive; 0 or CFS_SIZE_UNKNOWN if they are not known. */
uint64_t cfs_archive_unit_bytes(const struct cfs_archive_unit *u);

/* Opens an archive to be read from front to back.  Failures of opening. */
int cfs_archive_unit_open(const struct cfs_archive_unit *u,
			  struct cfs_source **out, struct cfs_ctx ctx);

/* ---- the plan (archive_plan.c) ------------------------------------------- */

/* The archives in their order, and how far they are planned. */
struct cfs_archive_plan {
	struct cfs_archive_unit *units;	/* owned */
	size_t n_units;
	bool sizes_known;
	uint64_t part_from, part_to;	/* of the bytes, or archives */
	bool is_part;
	/* Private: */
	size_t unit;
	bool is_begun;			/* the unit, of which these are: */
	struct cfs_stretches stretches;
};

/* Limits a plan, whose units are complete, to a part. */
void cfs_archive_plan_cut(struct cfs_archive_plan *p,
			  const struct cfs_part *part, uint64_t total);

/* Finds the next stretch, waiting for standard input to come.  Returns its
 * archive; NULL behind the last one. */
struct cfs_archive_unit *cfs_archive_plan_next(struct cfs_archive_plan *p,
					       struct cfs_scan_stretch *out,
					       struct cfs_ctx ctx);

void cfs_archive_plan_release(struct cfs_archive_plan *p);

#endif

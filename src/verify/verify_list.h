/* verify_list.h - the lists of captures in WACZ files: CDXJ, CDX.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VERIFY_VERIFY_LIST_H
#define CFS_VERIFY_VERIFY_LIST_H

#include "build/indexer_files.h"
#include "verify_internal.h"

/* A list, and the units of the archives in its WACZ. */
struct cfs_verify_list {
	const struct cfs_indexer_files *files;
	const struct cfs_indexer_file *file;	/* the WACZ */
	const struct cfs_wacz_member *member;	/* the list */
	const uint32_t *units;		/* of the members of the WACZ */
	uint32_t unit;			/* of the list */
};

/*
 * Adds the lines to rows, those of an archive that is there by its unit.  Those
 * of others, and lines that are none, go to the list's own unit, by their
 * offset in the list: cfs_verify_read reports them.  damage: why the list
 * cannot be read, or no further; code CFS_OK: it can.
 *
 * 0, or a failure that ends the run.
 */
int cfs_verify_list_read(const struct cfs_verify_list *l,
			 struct cfs_verify_rows *rows,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *damage, struct cfs_error *err);

/* Reports what was found when it was read. */
int cfs_verify_list_report(struct cfs_verify_reader *r,
			   struct cfs_verify_part *p, struct cfs_error *err);

#endif

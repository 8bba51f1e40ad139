/* verify_list.h - reads the lists of captures (CDXJ, CDX) in WACZ files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VERIFY_VERIFY_LIST_H
#define CFS_VERIFY_VERIFY_LIST_H

#include "indexing/indexer_files.h"
#include "verify_internal.h"

/* A list, and the units of the archives in its WACZ. */
struct cfs_verify_list {
	const struct cfs_indexer_files *files;
	const struct cfs_indexer_file *file;	/* the WACZ */
	const struct cfs_wacz_member *member;	/* the list */
	const uint32_t *units;		/* units of the WACZ's members */
	uint32_t unit;			/* the list's own unit */
};

/*
 * Adds the lines to rows, each under the unit of its archive.  Lines of missing
 * archives, and malformed lines, go to the list's own unit by their offset in
 * the list: cfs_verify_read reports them.  damage: why the list cannot be read,
 * or not to its end; code CFS_OK: it can.
 *
 * Returns 0, or a failure that ends the run.
 */
int cfs_verify_list_read(const struct cfs_verify_list *l,
			 struct cfs_verify_rows *rows,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *damage, struct cfs_error *err);

/* Reports the bad lines found while the list was read. */
int cfs_verify_list_report(struct cfs_verify_reader *r,
			   struct cfs_verify_part *p);

#endif

/* entry_row.h - the row of an entry of an index, with its record if needed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_ENTRY_ROW_H
#define CFS_EXPORT_ENTRY_ROW_H

#include "crawl/entry.h"
#include "row.h"

/* The memory that the row of an entry borrows from.  Zeroed: nothing. */
struct cfs_entry_row {
	struct cfs_view_input in;
	struct cfs_stored *record, *body;	/* pinned */
	struct cfs_file_bytes text, meta, request;
	struct cfs_buf notes;
	int failed;		/* the code of the row's error, if it has one */
};

/*
 * Fills a row, which was reset, for the entry that e->it stands on, and whose
 * capture is decoded as e->cap.  A record that cannot be read becomes the error
 * of the row.
 *
 * held   what the row borrows from: to be released after its use, in any case
 *
 * 0; CFS_EINTR, CFS_ENOMEM; CFS_EIO, CFS_ETIMEOUT, CFS_ECHANGED for a server
 * that may work again later: then, too, it is the error of the row.
 */
int cfs_entry_row_fill(struct cfs_export_row *row, cfs_export_set set,
		       struct cfs_crawl *c, struct cfs_entry *e,
		       struct cfs_entry_row *held, struct cfs_ctx ctx);
void cfs_entry_row_release(struct cfs_entry_row *held);

#endif

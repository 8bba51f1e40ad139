/* indexer_record.h - which records get into an index, and what it keeps of
 * them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_INDEXER_RECORD_H
#define CFS_BUILD_INDEXER_RECORD_H

#include "builder_input.h"
#include "record/scan.h"

/* Finds the sizes of the views of a record, on any thread.  0; CFS_ELIMIT: it
 * has none; a failure that ends the build. */
typedef int cfs_indexer_measure(const struct cfs_scan_item *item,
				const char *archive, uint64_t *meta_bytes,
				uint64_t *text_bytes,
				const struct cfs_cancel *cancel,
				struct cfs_error *err);

/* True for a URL with a place in the tree, by its scheme. */
bool cfs_indexer_is_web(struct cfs_slice url);

/* What an index keeps of a record; slices are those of the record.  The
 * archive is 0; the fields of a PB-tree and the sizes of views are not set.
 * False: the record has no place in the tree. */
bool cfs_indexer_capture(const struct cfs_scan_item *item,
			 struct cfs_builder_capture *c);

#endif

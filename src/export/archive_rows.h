/* archive_rows.h - the rows of archives, in the order of the archives: each is
 * read once, from front to back, and needs no index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_ARCHIVE_ROWS_H
#define CFS_EXPORT_ARCHIVE_ROWS_H

#include "export.h"

struct cfs_archive_rows_opts {
	/* Archives, folders of them, lists and URLs, as crawlfs index takes
	 * them; borrowed during the call. */
	const char *const *inputs;
	size_t n_inputs;
	const struct cfs_opener *opener;	/* copied; NULL:
						 * cfs_location_open */
	const char *cache_dir;		/* as for cfs_zipped_open, or NULL */
	const char *list_base;		/* folder that names in lists are below;
					 * NULL: Common Crawl's */
	uint64_t max_record_bytes;	/* 0: default */
	const struct cfs_cancel *cancel;
};

/* Lists the archives.  0; CFS_ENOTFOUND if there are none; failures as of
 * cfs_indexer_list. */
int cfs_archive_rows_new(struct cfs_export_drive **out,
			 const struct cfs_archive_rows_opts *opts,
			 struct cfs_error *err);

/* True if an input was left out because it could not be read; that was
 * logged. */
bool cfs_archive_rows_lack(const struct cfs_export_drive *d);

#endif

/* indexer_web.h - web folders among the inputs of an index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_INDEXER_WEB_H
#define CFS_INDEXING_INDEXER_WEB_H

#include "indexer_files.h"

/*
 * Adds the archives of a web folder to the files.  In an update, those that
 * have not changed according to the folder are added as the index has them,
 * without requests.  0; failures as of cfs_web_folder_read, CFS_ENOMEM.
 */
int cfs_indexer_add_web(struct cfs_indexer_files *f, const char *url,
			const struct cfs_indexer_opts *opts,
			struct cfs_error *err);

#endif

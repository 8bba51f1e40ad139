/* cdx_file.h - a CDX or CDXJ file as an index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_CDX_FILE_H
#define CFS_INDEX_CDX_FILE_H

#include "index.h"

/* Opens a plain file, or a small compressed one.  Takes src over, also on
 * failure.  CFS_EUNSUPPORTED for one that crawlfs index must convert. */
int cfs_cdx_open(struct cfs_index **out, struct cfs_source *src,
		 const struct cfs_index_opts *opts, struct cfs_error *err);

/* The same of lines in any order: only for reading their blocks one after the
 * other. */
int cfs_cdx_open_any(struct cfs_index **out, struct cfs_source *src,
		     const struct cfs_index_opts *opts, struct cfs_error *err);

#endif

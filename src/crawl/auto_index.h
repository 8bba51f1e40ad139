/* auto_index.h - indexes built on first use, and kept in the cache folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_AUTO_INDEX_H
#define CFS_CRAWL_AUTO_INDEX_H

#include "bases.h"
#include "crawl.h"

/*
 * Opens the index of an archive, a folder, a list of archives or a CDX file,
 * which is built if none is kept that is usable.
 *
 * input  what is indexed: a path without links, or a URL
 * state  another number when its archives have changed
 * base   the folder or URL that the index names its archives from
 * bases  where they are
 */
int cfs_crawl_open_kept(struct cfs_crawl *c, const char *input, uint64_t state,
			const char *base, const struct cfs_bases *bases,
			struct cfs_error *err);

/* Opens the last index that is kept of an input, whatever its state is now.
 * CFS_ENOTFOUND: there is none that is usable. */
int cfs_crawl_open_last_kept(struct cfs_crawl *c, const char *input,
			     const struct cfs_bases *bases);

/* Makes a build of an index measure the views of every page (view_sizes.c). */
void cfs_view_sizes_ask(struct cfs_indexer_opts *opts);

/* The state of a file or of all files below a folder: their names, sizes and
 * times of modification. */
uint64_t cfs_crawl_fingerprint(const char *path);

#endif

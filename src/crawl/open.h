/* open.h - finds out what a SOURCE is, and opens it as a crawl.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_OPEN_H
#define CFS_CRAWL_OPEN_H

#include "crawl.h"

/*
 * Opens `source`, which is recognised by its bytes, not its name: a crawlfs
 * index, a PB-tree, CDX files, an archive or a folder of archives (indexed on
 * first use, the index kept in the cache folder and reused while size and
 * mtime of every archive hold), a list of archives, a URL of any of these, or
 * the name of a crawl of Common Crawl's.  CFS_ENOTFOUND, CFS_EFORMAT, ... with
 * a sentence.
 */
int cfs_crawl_open(struct cfs_crawl **out, const char *source,
		   const struct cfs_crawl_opts *opts, struct cfs_error *err);

#endif

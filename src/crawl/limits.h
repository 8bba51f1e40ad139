/* limits.h - limits an opened crawl to the captures that are picked, to
 * prefixes and to a part.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_LIMITS_H
#define CFS_CRAWL_LIMITS_H

#include "crawl.h"

/* Prefixes in one limit. */
#define CFS_LIMIT_PREFIXES_MAX 1024u

/*
 * Wraps the index of a crawl that is open with all its captures, as the options
 * say: conditions, prefixes, dedup, part.  Names, inodes and positions stay
 * those of the whole.  0; CFS_EUNSUPPORTED if the index does not have what is
 * asked about; CFS_ENOTFOUND for a prefix that can name nothing; CFS_ENOMEM,
 * CFS_EINTR, failures of reading.
 */
int cfs_crawl_limit(struct cfs_crawl *c, const struct cfs_crawl_opts *opts,
		    struct cfs_error *err);

#endif

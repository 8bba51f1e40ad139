/* crawl_copy.h - copies the captures below prefixes of a crawl, and the
 * originals of its revisits, into an archive (copy/copy.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_CRAWL_COPY_H
#define CFS_CRAWL_CRAWL_COPY_H

#include "copy/copy.h"
#include "prefixes.h"
#include "revisit.h"

/* The result: what was copied, and what became of the originals of revisits. */
struct cfs_crawl_copied {
	struct cfs_copy_report report;
	struct cfs_originals_counts originals;
	size_t holes;			/* damaged places of the index, in which
					 * captures may be missing */
};

/*
 * Copies what the prefixes cover.
 *
 * p      at least one prefix of the crawl
 * opts   index, store and is_remote are set here, and time and parallel where
 *        they are 0
 * out    also set when it fails
 *
 * Returns what cfs_copy_run returns, or a failure to find the captures.
 */
int cfs_crawl_copy(const struct cfs_prefixes *p, struct cfs_copy_opts *opts,
		   struct cfs_crawl_copied *out, struct cfs_error *err);

#endif

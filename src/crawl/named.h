/* named.h - what is said of crawls that a user names and that are not there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_NAMED_H
#define CFS_CRAWL_NAMED_H

#include "crawl.h"

/* Appends which crawls may have been meant, by the list that crawlfs
 * collections keeps. */
void cfs_named_suggest(const char *name, const struct cfs_crawl_opts *opts,
		       struct cfs_buf *out);

/* Reports failure e to open `index`, where a crawl given by name is, with what
 * to do about it.  Returns rc. */
int cfs_named_explain(const char *name, const char *index, int rc,
		      const struct cfs_crawl_opts *opts,
		      const struct cfs_error *e, struct cfs_error *err);

#endif

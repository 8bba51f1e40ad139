/* learnt.h - sizes of files that the index does not have and that reading them
 * has shown, kept in the cache folder for the next mount (cache/sizes.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_LEARNT_H
#define CFS_CRAWL_LEARNT_H

#include "crawl.h"
#include "node.h"

/* Opens what is kept for c; opts are those it was opened with.  None is kept
 * without a cache folder, and of an index that could change without notice.
 * 0 or CFS_ENOMEM. */
int cfs_learnt_open(struct cfs_crawl *c, const struct cfs_crawl_opts *opts,
		    struct cfs_error *err);

/* The size of a file, rendered as c->view says, as a mount has seen it.  False:
 * not known. */
bool cfs_learnt_size(const struct cfs_crawl *c, const struct cfs_node *file,
		     uint64_t *size);

/* Keeps the size of a file that was read. */
void cfs_learnt_note(const struct cfs_crawl *c, const struct cfs_node *file,
		     uint64_t size);

#endif

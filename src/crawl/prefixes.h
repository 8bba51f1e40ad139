/* prefixes.h - the PREFIX arguments of check and copy, each a prefix or a
 * comma-separated list, and the entries that they cover together.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_PREFIXES_H
#define CFS_CRAWL_PREFIXES_H

#include "target.h"

#define CFS_PREFIXES_MAX 1024u

struct cfs_prefixes {
	struct cfs_crawl *crawl;
	struct cfs_target **v;
	size_t n, room;
};

/* Parses the arguments up to a NULL; their text is modified and borrowed.
 * Release p in any case. */
int cfs_prefixes_init(struct cfs_prefixes *p, struct cfs_crawl *crawl,
		      char **texts, struct cfs_ctx ctx);
void cfs_prefixes_release(struct cfs_prefixes *p);

/* Adds the prefix that `text` means as a whole; it is borrowed.  A capture
 * becomes its page.  0, or a failure of cfs_target_init. */
int cfs_prefixes_add_page(struct cfs_prefixes *p, const char *text,
			  struct cfs_ctx ctx);

/* Calls fn once for every entry that any prefix covers, prefix by prefix in
 * index order.  Damage is told to holes, as by cfs_target_each.  A prefix that
 * covers nothing is logged (base/log.h).  0, fn's code, or a failure. */
int cfs_prefixes_each(const struct cfs_prefixes *p, struct cfs_holes *holes,
		      cfs_target_fn *fn, void *arg, struct cfs_ctx ctx);

#endif

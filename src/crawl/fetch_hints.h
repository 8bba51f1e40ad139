/* fetch_hints.h - tells a store which records will be read, so that those that
 * lie near one another come by one request.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_FETCH_HINTS_H
#define CFS_CRAWL_FETCH_HINTS_H

#include "entry.h"
#include "record/store.h"
#include "source/near.h"

struct cfs_fetch_hint;

struct cfs_fetch_hints {		/* zeroed: empty */
	struct cfs_fetch_hint *v;	/* in the order of reading */
	size_t n, room;
	struct cfs_buf names;		/* of archives */
};

void cfs_fetch_hints_init(struct cfs_fetch_hints *h);
void cfs_fetch_hints_release(struct cfs_fetch_hints *h);

/* Adds a record of an archive.  Without memory it is left out: nothing is lost
 * but time. */
void cfs_fetch_hints_add(struct cfs_fetch_hints *h, struct cfs_slice archive,
			 const struct cfs_span *loc);
/* The same for the record of a capture, if it has one. */
void cfs_fetch_hints_add_entry(struct cfs_fetch_hints *h,
			       const struct cfs_entry *e);

/*
 * Gives the store what was added, what is read first before the rest, because a
 * server may be given only few requests at a time.
 *
 * from         records before this number, from 0 on, have been read
 * should_stop  asked between requests; NULL: never
 *
 * Returns the number of ranges, each at most one request.
 */
unsigned cfs_fetch_hints_give(struct cfs_fetch_hints *h,
			      struct cfs_store *store,
			      const struct cfs_near_rule *how, size_t from,
			      const _Atomic bool *should_stop);
/* Forgets what was added. */
void cfs_fetch_hints_reset(struct cfs_fetch_hints *h);

#endif

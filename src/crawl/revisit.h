/* revisit.h - finds the capture whose body a revisit refers to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_REVISIT_H
#define CFS_CRAWL_REVISIT_H

#include "entry.h"

/* The field in which a revisit names the file that has its body. */
#define CFS_REVISIT_CONTAINER "WARC-Refers-To-Container"

/* Why a record is without a body: NULL if it has one.  body: what
 * cfs_revisit_find found. */
const char *cfs_revisit_no_body(const struct cfs_record *rec,
				const struct cfs_stored *body);

/*
 * Finds that capture in the same source or, where the revisit names another
 * file, in the crawls mounted together with it (crawl.h), and pins its record.
 *
 * e        the entry of the revisit
 * revisit  its record
 * out      NULL if there is no such capture
 *
 * Returns 0, or a failure that may be temporary: a record that could not be
 * read may be the one.
 */
int cfs_revisit_find(struct cfs_crawl *c, const struct cfs_entry *e,
		     const struct cfs_record *revisit, struct cfs_stored **out,
		     struct cfs_ctx ctx);

#endif

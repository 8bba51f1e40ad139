/* revisit.h - finds the capture whose body a revisit refers to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_REVISIT_H
#define CFS_CRAWL_REVISIT_H

#include "entry.h"
#include "target.h"

/* The field in which a revisit names the file that has its body. */
#define CFS_REVISIT_CONTAINER "WARC-Refers-To-Container"

/* Why a record is without a body: NULL if it has one.  body: what
 * cfs_revisit_find found. */
const char *cfs_revisit_no_body(const struct cfs_record *rec,
				const struct cfs_stored *body);

/* Makes the table c->needed, for the call below.  NULL: out of memory. */
struct cfs_memo *cfs_revisit_needed_new(void);

/* Appends the name of the first WACZ that the WACZ of a capture requires, if
 * there is one and it can be read.  e: loaded. */
void cfs_revisit_needs(struct cfs_crawl *c, const struct cfs_entry *e,
		       struct cfs_buf *out, const struct cfs_cancel *cancel);

/*
 * Finds that capture in the same source or, where the revisit names another
 * file or is in a WACZ, in the crawls mounted together with it (crawl.h), and
 * pins its record.
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

/* Receives the entry of a capture that a revisit leads to, lent.  0, or what
 * ends the search. */
typedef int cfs_revisit_link(void *arg, const struct cfs_entry *e);

/* Does the same, and reports each capture of the same source on the way: the
 * last one has the body, those before it are revisits themselves. */
int cfs_revisit_follow(struct cfs_crawl *c, const struct cfs_entry *e,
		       const struct cfs_record *revisit, cfs_revisit_link *link,
		       void *arg, struct cfs_stored **out, struct cfs_ctx ctx);

/* ---- those of many revisits, found on several threads (originals.c) ------ */

struct cfs_originals_opts {
	struct cfs_crawl *crawl;	/* borrowed; searched with all its
					 * captures, whatever is picked */
	const char *tmp_dir;		/* for the sort; borrowed */
	unsigned threads;		/* 1 to CFS_POOL_MAX */
	bool keep_going;		/* count failures of reading that may
					 * pass, instead of ending */
	/* Called for each capture that a revisit leads to, one at a time, and
	 * again for another revisit.  The result is as of cfs_target_fn. */
	cfs_target_fn *found;
	void *arg;
	const struct cfs_cancel *cancel;
};

struct cfs_originals_counts {
	uint64_t revisits;	/* that were added, and could be read */
	uint64_t absent;	/* of them: the original is not in the crawl */
	uint64_t damaged;	/* of them: what may be it cannot be read */
};

struct cfs_originals;		/* used by one thread */

/* opts are copied.  0 or CFS_ENOMEM. */
int cfs_originals_new(struct cfs_originals **out,
		      const struct cfs_originals_opts *opts,
		      struct cfs_error *err);

/* Adds the revisit at a position of the crawl's index.  Fails like
 * cfs_extsort_add. */
int cfs_originals_add(struct cfs_originals *o, cfs_pos pos,
		      struct cfs_error *err);

/* Follows all that were added, in the order of their positions: a revisit may
 * lead to another one, which is reported too.  0; what `found` returned;
 * CFS_ENOMEM, CFS_EINTR, and failures of reading that may pass. */
int cfs_originals_find(struct cfs_originals *o,
		       struct cfs_originals_counts *counts,
		       struct cfs_error *err);

void cfs_originals_free(struct cfs_originals *o);	/* accepts NULL */

#endif

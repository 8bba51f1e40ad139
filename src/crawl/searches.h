/* searches.h - the searches of a mount or a server: queries by the names of
 * their folders, and what each has found in each crawl.
 *
 * A query has a number while it is used; what it has found may be dropped at
 * any time, and is then found again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_SEARCHES_H
#define CFS_CRAWL_SEARCHES_H

#include "search.h"

/* Beyond so many queries, the oldest ones that nobody uses are dropped when a
 * new one comes.  Numbers are less than CFS_SEARCH_NUMBERS, so that no more can
 * be in use at a time. */
#define CFS_SEARCHES_MAX 1024u
#define CFS_SEARCH_NUMBERS (1u << 15)
/* The longest that finding may take. */
#define CFS_SEARCH_MS 120000

struct cfs_searches;			/* threads share it */

/* crawls: borrowed, as is the budget, which may be NULL.  NULL: out of
 * memory. */
struct cfs_searches *cfs_searches_new(struct cfs_crawl *const *crawls,
				      unsigned n, struct cfs_budget *budget);
void cfs_searches_free(struct cfs_searches *s);		/* accepts NULL */

/*
 * Finds or makes the query of a name, which counts as used once more, until
 * cfs_searches_end.  Each spelling has a query of its own.
 *
 * number  receives its number
 * is_new  receives whether the names that are listed have changed
 *
 * 0; CFS_ENOTFOUND for a name that begins with a dot: programs look for such
 * files everywhere; CFS_EUSAGE for one that is no query, with the reason;
 * CFS_ENOWORDS if a crawl has no list of words; CFS_ELIMIT if too many queries
 * are in use; failures of cfs_crawl_words.
 */
int cfs_searches_enter(struct cfs_searches *s, struct cfs_slice name,
		       unsigned *number, bool *is_new, struct cfs_ctx ctx);
/* Count n uses more, and n uses less, of a number that is in use. */
void cfs_searches_use(struct cfs_searches *s, unsigned number);
void cfs_searches_end(struct cfs_searches *s, unsigned number, uint64_t n);

/* Appends the name of the first query whose number is at least *number, and
 * sets that.  CFS_END if there is none. */
int cfs_searches_next(struct cfs_searches *s, unsigned *number,
		      struct cfs_buf *name);

/* The hits of a query in a crawl, pinned. */
struct cfs_search_hits {
	struct cfs_index *ix;		/* index/hits.h */
	size_t n;
	uint64_t unread;		/* as in struct cfs_found; 0 unless the
					 * query was asked now */
	struct cfs_lru_ref *ref;	/* ends the pin: cfs_lru_put */
};

/*
 * Gets what a query that is in use has found in crawl i.
 *
 * 0; CFS_ETIMEOUT after CFS_SEARCH_MS; CFS_ELIMIT if it has found too much for
 * the memory there is; CFS_ENOTFOUND if the number is not in use; failures of
 * cfs_crawl_find.
 */
int cfs_searches_get(struct cfs_searches *s, unsigned number, unsigned i,
		     struct cfs_search_hits *out, struct cfs_ctx ctx);
/* The same without finding anything.  False: it is not in memory. */
bool cfs_searches_peek(struct cfs_searches *s, unsigned number, unsigned i,
		       struct cfs_search_hits *out);

/* The text of .crawlfs/README.md of a mount: what the tree is, and how to
 * search it, for a reader who has seen nothing else (readme.c). */
extern const char cfs_tree_readme[];

#endif

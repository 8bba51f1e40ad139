/* page_memo.h - what a page is, remembered for pages of many captures, so that
 * a listing resumed inside one does not count again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_PAGE_MEMO_H
#define CFS_CRAWL_PAGE_MEMO_H

#include "base/memo.h"
#include "index/index.h"

/* A page: its captures, and which of them has the plain name. */
struct cfs_page {
	cfs_pos first, preferred;
	uint64_t captures;
	uint64_t rank;		/* captures before `upto` that are not preferred */
};

/* Pages of more captures than this are worth a memo. */
#define CFS_PAGE_MEMO_MIN 64u

/* By the capture that a listing stopped at.  NULL without memory. */
static inline struct cfs_memo *cfs_page_memo_new(void)
{
	return cfs_memo_new(8, sizeof(struct cfs_page));
}

#endif

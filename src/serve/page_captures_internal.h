/* page_captures_internal.h - what the parts of the page about a page share: the
 * capture that is shown, and all captures by time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_PAGE_CAPTURES_INTERNAL_H
#define CFS_SERVE_PAGE_CAPTURES_INTERNAL_H

#include "crawl/captures.h"
#include "crawl/page.h"
#include "page_frame.h"

/* Rows of the list of captures in one page, besides those that are chosen to be
 * compared. */
#define CFS_HISTORY_ROWS 50u
#define CFS_HISTORY_CHOSEN 2u

/* A capture as the list has it. */
struct cfs_history_row {
	uint64_t at;			/* by time, from 0 */
	uint64_t number;		/* in names; 0: the preferred one */
	int64_t time;
	uint16_t status;
	uint64_t bytes;
	bool is_revisit, is_same;	/* is_same: it has the digest of the
					 * one before it */
	struct cfs_buf mime;
};

/* The captures of a page by time, and the list of those of a period.  Where a
 * page has more than CFS_CAPTURES_MAX, times are those of a sample. */
struct cfs_history {
	const struct cfs_captures *all;	/* owned by the walk */
	const uint32_t *order;		/* numbers by time; NULL: numbers are by
					 * time */
	uint32_t few[CFS_CAPTURES_FEW];
	uint64_t shown;			/* the one that is shown, by time */
	int year, month;		/* of the period; 0: all, all of it */
	uint64_t from, to;		/* those of the period */
	uint64_t page;			/* of the list, from 1 */
	struct cfs_history_row *v;
	size_t n_v;
};

struct cfs_captures_page {
	struct cfs_exchange *x;
	struct cfs_site_place place;
	struct cfs_ctx ctx;
	struct cfs_walk *walk;
	struct cfs_entry *entry;	/* of the capture that is shown */
	struct cfs_page_names names;
	struct cfs_buf dir;		/* the path of the folder, with the
					 * crawl's name in front and a slash at
					 * its end */
	struct cfs_buf path;		/* scratch */
	struct cfs_history history;
	const char *route;		/* "page/", or "open/": the page itself
					 * is shown in a frame */
};

/* The path of the body of a capture, by its number in names; valid until the
 * next call. */
struct cfs_slice cfs_captures_page_path(struct cfs_captures_page *p,
					uint64_t number);

/* Fills p->history but for its rows, as the query of the request wants it;
 * `all` is of p->walk.  Release it in any case.  0; CFS_EUSAGE; failures of
 * reading. */
int cfs_history_load(struct cfs_captures_page *p,
		     const struct cfs_captures *all);
void cfs_history_release(struct cfs_history *h);

/* The number in names of the capture that is `at` by time. */
uint64_t cfs_history_number(const struct cfs_history *h, uint64_t at);

/* Appends the section about all captures: years, months, the list, whose rows
 * are read for it.  0 or a failure of reading. */
int cfs_history_html(struct cfs_buf *out, struct cfs_captures_page *p);

#endif

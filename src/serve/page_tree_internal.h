/* page_tree_internal.h - a folder of the tree on its way to a page: its rows
 * are read and sorted by page_tree.c, and written by page_tree_rows.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_PAGE_TREE_INTERNAL_H
#define CFS_SERVE_PAGE_TREE_INTERNAL_H

#include "page_frame.h"

/* The longest path with the names of a host. */
#define PATH_MAX_BYTES ((size_t)1 << 20)

enum tree_sort { SORT_NAME, SORT_SIZE, SORT_DATE };
struct tree_row {
	size_t name_at, name_n;		/* in the names */
	struct cfs_node node;
	uint64_t captures;		/* of a page; 0: a folder */
	uint64_t number;		/* in the order of the tree */
	size_t mime_at, mime_n;		/* in the names */
	uint16_t status;		/* 0: not known */
	bool has_info, is_guess;
	uint64_t size;
	int64_t time;
};

struct tree_page {
	struct cfs_exchange *x;
	struct cfs_site_place place;
	struct cfs_ctx ctx;
	enum tree_sort sort;
	bool descends;
	uint64_t page;			/* from 1 */
	struct cfs_buf path;		/* decoded, without a slash behind */
	size_t above_n;			/* its bytes before the tree's: those of
					 * the folder of a search, with a
					 * slash */
	struct cfs_buf host;		/* that the path begins with */
	struct cfs_slice rest;		/* of the path behind it, in `path` */
	struct cfs_buf filter;		/* names have it; n 0: all do */
	struct cfs_buf shown;		/* a name as it is shown */
	bool by_host;			/* rows are hosts */
	bool has_pages;			/* rows that are kept are pages */
	uint64_t totals_left;		/* captures that may be counted */
	unsigned chains_left;
	unsigned titles_left;		/* that may be read, and bytes of their
					 * pages */
	uint64_t titled_bytes_left;
	/* Rows: those of the page, or all if they are sorted. */
	struct tree_row *v;
	size_t n, room;
	struct cfs_buf names;
	uint64_t seen;			/* rows so far */
	uint64_t read;			/* those, and what the filter leaves
					 * out */
	uint64_t from, to;		/* numbers of the rows that are kept */
	bool is_last_kept;		/* the last row that was seen is */
	bool is_last_page;		/* it is a page, with this name */
	struct cfs_buf last;
	bool has_more;			/* there are rows that were not read */
	bool too_many;			/* to be sorted */
	struct cfs_error hole;		/* damage may hide further rows */
};

/* The values of the parameter sort, and what is said of another one. */
extern const char *const cfs_page_tree_sorts[];

/* Makes t->shown a name of this folder as people read it: of a host with its
 * labels from front to back, else with letters for the escapes. */
void cfs_page_tree_show(struct tree_page *t, struct cfs_slice name);

/* True if all rows are held, for an order that is not the tree's. */
static inline bool cfs_page_tree_is_whole(const struct tree_page *t)
{
	return t->sort != SORT_NAME || t->descends;
}

/* Finds size, time and type of a row's page; a record that cannot be read has
 * none.  0; CFS_EINTR, CFS_ENOMEM, CFS_ETIMEOUT. */
int cfs_page_tree_info(struct tree_page *t, struct tree_row *row);

/* The query of this list, without sort and order, with an '&' at its end. */
struct cfs_html_part cfs_page_tree_query(const struct tree_page *t);

/* Appends the name of the folder as people read it. */
void cfs_page_tree_name(struct cfs_buf *out, const struct tree_page *t);

/* Appends what stands above the rows: the path, the heading, fields to search
 * and to filter by, the number of rows. */
void cfs_page_tree_heading(struct cfs_buf *out, const struct tree_page *t,
			   struct cfs_slice name);

/* Appends the table.  0; CFS_EINTR, CFS_ENOMEM, CFS_ETIMEOUT. */
int cfs_page_tree_table(struct cfs_buf *out, struct tree_page *t);

#endif

/* routes.h - the table of the server's paths, and what answers each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_ROUTES_H
#define CFS_SERVE_ROUTES_H

#include "exchange.h"

/* Answers a request.  0; CFS_ROUTE_TAKES_LONG (exchange.h); or a failure. */
typedef int cfs_route_fn(struct cfs_exchange *x, struct cfs_ctx ctx);

struct cfs_route {
	const char *path;	/* "/cdx", or with '/' at its end all paths that
				 * begin so */
	unsigned methods;	/* bits of enum cfs_method; HEAD counts as
				 * GET */
	cfs_route_fn *answer;
	bool is_for_people;	/* so are its failures: pages, not texts */
	bool is_of_tree;	/* behind it is a path of the tree */
	bool heeds_at_once;	/* it may be called at once (exchange.h) */
};
/* One without a path ends them. */
extern const struct cfs_route cfs_route_table[];

/* Finds the route of a path, and what follows it.  NULL: there is none. */
const struct cfs_route *cfs_route_find(struct cfs_slice path,
				       struct cfs_slice *rest);

/* The answers, by the files that they are in. */
cfs_route_fn cfs_answer_dav;			/* dav.c */
cfs_route_fn cfs_answer_cdx;			/* cdx_answer.c */
cfs_route_fn cfs_answer_web;			/* memento_web.c */
cfs_route_fn cfs_answer_records;		/* record_answer.c */
cfs_route_fn cfs_answer_metrics;		/* metrics.c */
cfs_route_fn cfs_answer_mcp;			/* mcp_route.c */
cfs_route_fn cfs_answer_style;			/* page_frame.c */
cfs_route_fn cfs_answer_overview;		/* page_overview.c */
cfs_route_fn cfs_answer_tree;			/* page_tree.c */
cfs_route_fn cfs_answer_page;			/* page_captures.c */
cfs_route_fn cfs_answer_open;			/* page_captures.c */
cfs_route_fn cfs_answer_shown;			/* page_shown.c */
cfs_route_fn cfs_answer_compare;		/* page_compare.c */
cfs_route_fn cfs_answer_download;		/* download.c */
cfs_route_fn cfs_answer_search;			/* page_search.c */
cfs_route_fn cfs_answer_opensearch;		/* page_search.c */

#endif

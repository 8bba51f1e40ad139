/* routes.c - the table of the server's paths.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "routes.h"

#define READ (CFS_METHOD_GET | CFS_METHOD_OPTIONS)

const struct cfs_route cfs_route_table[] = {
	{ "/dav/", READ | CFS_METHOD_PROPFIND, cfs_answer_dav, false, true },
	{ "/view/", READ, cfs_answer_dav, false, true },
	{ "/cdx", READ, cfs_answer_cdx, false, true },
	{ "/records/", READ, cfs_answer_records, false, false },
	{ "/metrics", READ, cfs_answer_metrics, false, false },
	{ "/", READ, cfs_answer_overview, true, false },
	{ "/tree/", READ, cfs_answer_tree, true, false },
	{ "/page/", READ, cfs_answer_page, true, false },
	{ "/compare", READ, cfs_answer_compare, true, false },
	{ "/search", READ, cfs_answer_search, true, false },
	{ "/opensearch.xml", READ, cfs_answer_opensearch, false, true },
	{ "/mcp", CFS_METHOD_POST | CFS_METHOD_OPTIONS, cfs_answer_mcp, false,
	  false },
	{ "/style.css", READ, cfs_answer_style, false, true },
	{ .path = NULL }
};

const struct cfs_route *cfs_route_find(struct cfs_slice path,
				       struct cfs_slice *rest)
{
	for (const struct cfs_route *r = cfs_route_table; r->path != NULL;
	     r++) {
		struct cfs_slice own = cfs_slice_str(r->path);
		bool is_folder = own.n > 1 && own.p[own.n - 1] == '/';

		*rest = cfs_slice_from(path, own.n);
		if (is_folder ? cfs_slice_starts(path, own) :
				cfs_slice_eq(path, own))
			return r;
		/* the folder itself, without its slash */
		own.n--;
		if (is_folder && cfs_slice_eq(path, own))
			return r;
	}
	return NULL;
}

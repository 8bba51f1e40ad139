/* routes.c - the table of the server's paths.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "routes.h"

#define READ (CFS_METHOD_GET | CFS_METHOD_OPTIONS)

const struct cfs_route cfs_route_table[] = {
	{ "/dav/", READ | CFS_METHOD_PROPFIND, cfs_answer_dav, false, true, true },
	{ "/view/", READ, cfs_answer_dav, false, true, true },
	{ "/cdx", READ, cfs_answer_cdx, false, false, true },
	{ "/web/", READ, cfs_answer_web, false, false, true },
	{ "/records/", READ, cfs_answer_records, false, false, false },
	{ "/metrics", READ, cfs_answer_metrics, false, false, false },
	{ "/", READ, cfs_answer_overview, true, false, false },
	{ "/tree/", READ, cfs_answer_tree, true, true, false },
	{ "/page/", READ, cfs_answer_page, true, true, false },
	{ "/open/", READ, cfs_answer_open, true, true, false },
	{ "/shown/", READ, cfs_answer_shown, true, true, false },
	{ "/compare", READ, cfs_answer_compare, true, false, false },
	{ "/download/", READ, cfs_answer_download, true, true, false },
	{ "/search", READ, cfs_answer_search, true, false, false },
	{ "/opensearch.xml", READ, cfs_answer_opensearch, false, false, true },
	{ "/mcp", CFS_METHOD_POST | CFS_METHOD_OPTIONS, cfs_answer_mcp, false,
	  false, false },
	{ "/style.css", READ, cfs_answer_style, false, false, true },
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

/* named.c - failures to open crawls by name, with suggestions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "named.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/collections.h"
#include "net/location.h"

void cfs_named_suggest(const char *name, const struct cfs_crawl_opts *opts,
		    struct cfs_buf *out)
{
	char cache[PATH_MAX], path[PATH_MAX + sizeof(CFS_COLLINFO_NAME) + 1];
	const char *dir = opts->cache_dir;
	struct cfs_collection *v;
	size_t n;

	if (dir == NULL && cfs_crawl_cache_dir(cache, sizeof(cache)))
		dir = cache;
	if (dir != NULL)
		snprintf(path, sizeof(path), "%s/" CFS_COLLINFO_NAME, dir);
	if (cfs_collections_kept(dir != NULL ? path : NULL, &v, &n, NULL) !=
	    CFS_OK)
		return;
	cfs_collections_suggest(v, n, name, out);
	free(v);
}

int cfs_named_explain(const char *name, const char *index, int rc,
		      const struct cfs_crawl_opts *opts,
		      const struct cfs_error *e, struct cfs_error *err)
{
	const char *base = opts->base ? opts->base : CFS_COMMON_CRAWL_URL;
	bool is_index = strncmp(e->where, index, sizeof(e->where) - 1) == 0;
	struct cfs_buf more;

	cfs_buf_init(&more, sizeof(err->text));
	if (opts->base == NULL && (rc == CFS_EIO || rc == CFS_ETIMEOUT))
		cfs_buf_adds(&more, "; a crawl by its name is read over the "
			     "network, or with --base=FOLDER from a copy");
	cfs_named_suggest(name, opts, &more);
	if (!is_index)
		cfs_error_copy(err, e);
	else if (rc == CFS_ENOTFOUND)
		cfs_error_at(err, rc, name, 0, "not there, below %.100s%s",
			     base, cfs_buf_str(&more));
	else
		cfs_error_at(err, rc, e->where, e->offset, "%.100s%s", e->text,
			     cfs_buf_str(&more));
	cfs_buf_release(&more);
	return rc;
}

/* served.c - opens the crawls that a program serves side by side.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "served.h"

#include <stdlib.h>

#include "archive_probe.h"
#include "choices.h"
#include "file_info.h"
#include "readahead.h"

/* One part in so many of mem= is left for memory that is not accounted for:
 * what the heap keeps between blocks, tables of fixed size, connections,
 * replies that are being made, and ranges of remote files that arrive while
 * loads take all the rest. */
#define HEAP_PART 5u

struct cfs_budget *cfs_served_budget(uint64_t mem_bytes)
{
	if (mem_bytes == 0)
		mem_bytes = CFS_CRAWL_MEM_DEFAULT;
	return cfs_budget_new(mem_bytes - mem_bytes / HEAP_PART);
}

static int open_one(const struct cfs_served_opts *opts,
		    const struct cfs_crawl_opts *co, unsigned i,
		    struct cfs_crawl **crawls, struct cfs_readahead **ahead,
		    struct cfs_error *err)
{
	unsigned n = cfs_served_count(opts);
	int rc = cfs_crawl_open_all(&crawls[i], opts->sources + i,
				    opts->n_sources / n, co, err);
	struct cfs_crawl *c = crawls[i];

	if (rc == CFS_OK && !opts->missing_ok)
		rc = cfs_archive_probe_check(c, opts->is_mount ? "-o " : "--",
					     CFS_CTX(co->cancel, err));
	if (rc != CFS_OK)
		return rc;
	cfs_choices_log_all(c, co->cancel);
	if (!opts->no_readahead && (opts->is_mount || c->cache != NULL))
		rc = cfs_readahead_new(&ahead[i], c->index,
				       c->cache != NULL ? c->store : NULL,
				       opts->http.parallel, err);
	if (rc != CFS_OK)
		return rc;
	c->view = opts->view;
	c->absent_is_empty = opts->absent_is_empty;
	if (n > 1)
		cfs_crawl_mount_together(c, crawls, opts->sources, n);
	return cfs_kept_sizes_open(c, co, err);
}

int cfs_served_open(const struct cfs_served_opts *opts,
		    struct cfs_crawl **crawls, char **names,
		    struct cfs_readahead **ahead, unsigned *timeout_ms,
		    struct cfs_error *err)
{
	struct cfs_crawl_opts co = opts->crawl;
	unsigned n = cfs_served_count(opts);
	int rc = CFS_OK;

	if (n > CFS_SOURCES_MAX)
		return cfs_error_set(err, CFS_EUSAGE, "at most %u sources can "
				     "be %s at once: give the folder of the "
				     "archives", CFS_SOURCES_MAX,
				     opts->is_mount ? "mounted" : "served");
	co.mem_bytes = cfs_budget_max(co.budget) / n;
	co.beside = opts->sources;
	co.n_beside = opts->n_sources;
	for (unsigned i = 0; i < n && rc == CFS_OK; i++) {
		rc = open_one(opts, &co, i, crawls, ahead, err);
		if (rc == CFS_OK && crawls[i]->cache != NULL)
			*timeout_ms = opts->http.timeout_ms ?
				opts->http.timeout_ms :
				CFS_HTTP_TIMEOUT_DEFAULT_MS;
	}
	if (rc == CFS_OK && n > 1)
		rc = cfs_source_names(names, n, opts->sources, err);
	return rc;
}

void cfs_served_close(struct cfs_crawl **crawls, char **names,
		      struct cfs_readahead **ahead)
{
	for (unsigned i = 0; i < CFS_SOURCES_MAX; i++) {
		cfs_readahead_free(ahead[i]);
		cfs_crawl_close(crawls[i]);
		free(names[i]);
	}
}

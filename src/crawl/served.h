/* served.h - opens the crawls that a program serves side by side.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_SERVED_H
#define CFS_CRAWL_SERVED_H

#include "crawl.h"
#include "ino.h"
#include "net/http_settings.h"

struct cfs_readahead;

struct cfs_served_opts {
	const char *const *sources;
	unsigned n_sources;
	bool merge;			/* all sources become one tree */
	bool is_mount;			/* by the kernel: also what is here is
					 * read ahead */
	bool missing_ok;		/* do not check that archives exist */
	bool no_readahead;
	bool absent_is_empty;		/* as in struct cfs_crawl */
	struct cfs_crawl_opts crawl;	/* with the budget of all crawls */
	struct cfs_http_config http;
	struct cfs_view_opts view;
	struct cfs_handles *handles;	/* where files are loaded ahead; NULL:
					 * none are */
	struct cfs_searches *searches;	/* of which is read ahead, or NULL */
};

/* Makes the account for all memory of crawls that are served, also of several
 * after each other, with the limit that the user gave; 0: the default.  NULL:
 * no memory. */
struct cfs_budget *cfs_served_budget(uint64_t mem_bytes);

/* How many crawls the sources become. */
static inline unsigned cfs_served_count(const struct cfs_served_opts *opts)
{
	return opts->merge ? 1 : opts->n_sources;
}

/*
 * Opens the crawls, once cfs_http_configure was called.
 *
 * crawls      these three have room for CFS_SOURCES_MAX, and are NULL at
 *             first; close them in any case.  Call cfs_served_rest before what
 *             reading ahead uses is freed
 * names       of the folders of the crawls, if there are several
 * ahead       of each crawl, if it is read ahead
 * timeout_ms  for one request; unchanged if no crawl is on a server
 *
 * 0 or a failure.
 */
int cfs_served_open(const struct cfs_served_opts *opts,
		    struct cfs_crawl **crawls, char **names,
		    struct cfs_readahead **ahead, unsigned *timeout_ms,
		    struct cfs_error *err);
void cfs_served_rest(struct cfs_readahead **ahead);
void cfs_served_close(struct cfs_crawl **crawls, char **names,
		      struct cfs_readahead **ahead);

#endif

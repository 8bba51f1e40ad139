/* site.h - what the server serves: its crawls, their names, and the options and
 * counters that all requests share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_SITE_H
#define CFS_SERVE_SITE_H

#include <stdatomic.h>

#include "base/budget.h"
#include "crawl/handles.h"
#include "crawl/node.h"
#include "crawl/searches.h"
#include "crawl/served.h"
#include "mcp/mcp.h"
#include "ranges.h"

/* The numbers counted for /metrics. */
enum cfs_site_count {
	CFS_SITE_CONNECTIONS,		/* open now */
	CFS_SITE_RUNNING,		/* requests under way now */
	CFS_SITE_BYTES,			/* of bodies, sent */
	CFS_SITE_FAILURES,		/* replies of 5xx, and bodies that
					 * broke off */
	CFS_SITE_COUNTS
};
#define CFS_STATUS_CLASSES 6u		/* 1xx to 5xx; 0 is not used */

/* The counters of a server, whichever site it has. */
struct cfs_site_counters {
	_Atomic int64_t counts[CFS_SITE_COUNTS];
	/* By the first digit of the status. */
	_Atomic uint64_t replies[CFS_STATUS_CLASSES];
};

/* The title of a page, or its beginning. */
struct cfs_known_title {
	size_t n;			/* 0: it has none */
	uint8_t text[400];
};

struct cfs_site {
	/* Read-only once the server runs: */
	struct cfs_crawl *crawls[CFS_SOURCES_MAX];
	char *names[CFS_SOURCES_MAX];	/* NULL for a single crawl */
	struct cfs_readahead *ahead[CFS_SOURCES_MAX];	/* NULL: the source is
							 * local, or nothing is
							 * to be read ahead */
	struct cfs_handles *handles;	/* the files that are being sent, or
					 * were a moment ago */
	unsigned n_crawls;
	cfs_view_set views;		/* those that folders list */
	struct cfs_budget *budget;	/* for all memory of the crawls */
	unsigned timeout_ms;		/* for one request; 0: none, as no crawl
					 * is on a server */
	const char *base_url;		/* where clients reach it; NULL: where
					 * it listens */
	const char *replay_url;		/* of a replay, before TIME/URL; NULL:
					 * there is none */
	uint64_t download_bytes;	/* the most of a copy that is
					 * downloaded; 0: there are none */
	uint64_t max_record_bytes;	/* 0: default */
	char *temp_dir;			/* for such copies; NULL: no folder can
					 * be written to */
	char *prefix;			/* the path of that URL, which links
					 * begin with, without a slash at its
					 * end; "" */
	int64_t started_at;
	struct cfs_overview *overview;	/* page_overview.c */
	struct cfs_searches *searches;
	struct cfs_memo *places;	/* site.c: where paths lead */
	struct cfs_memo *titles;	/* of pages in folders: cfs_known_title
					 * by source and position */

	_Atomic int downloads;		/* copies that are made or sent */
	_Atomic uint64_t reply_bytes;	/* server.c: charged to the budget */
	struct cfs_site_counters *counters;	/* the server's, which sets
						 * it */
	uint64_t users;			/* requests that use it:
					 * generations.c */
};

/* The crawls as the Model Context Protocol shows them. */
static inline struct cfs_mcp cfs_site_mcp(const struct cfs_site *s)
{
	return (struct cfs_mcp){ s->crawls, s->names, s->n_crawls };
}

static inline void cfs_site_count(struct cfs_site_counters *c,
				  enum cfs_site_count what, int64_t n)
{
	atomic_fetch_add_explicit(&c->counts[what], n, memory_order_relaxed);
}

/* The folders that are no crawl's, by the names in them. */
enum cfs_site_top {
	CFS_TOP_CRAWLS,			/* several crawls */
	CFS_TOP_QUERIES,		/* .crawlfs/search */
	CFS_TOP_FOUND,			/* a query's: the crawls of several in
					 * which something was found */
};

/* Where a path of the tree leads. */
struct cfs_site_place {
	bool is_top;			/* no crawl's folder; then crawl and
					 * node are not set */
	enum cfs_site_top top;
	struct cfs_crawl *crawl;
	struct cfs_node node;
	bool has_slash;			/* the path ends in '/', or is empty */
	bool is_search;			/* of a search: the place uses the query
					 * and pins what it has found */
	unsigned search;
	struct cfs_search_hits pin;
};

struct cfs_site_opts {
	struct cfs_served_opts served;	/* with a budget that outlives the
					 * site */
	cfs_view_set views;
	const char *base_url, *replay_url;
	uint64_t download_bytes;
};

/* The most bytes of a copy that is downloaded, if the user does not say. */
#define CFS_DOWNLOAD_DEFAULT ((uint64_t)1 << 30)

/* Appends the name of a crawl that the paths of the tree begin with, if there
 * are several, and a slash.  Returns out->failed. */
int cfs_site_add_crawl(const struct cfs_site *s, unsigned crawl,
		       struct cfs_buf *out);

/* Opens the crawls, once cfs_http_configure was called.  opts->crawl.budget is
 * of cfs_site_budget, and outlives the site.  0 or a failure. */
int cfs_site_open(struct cfs_site **out, const struct cfs_site_opts *opts,
		  struct cfs_error *err);
void cfs_site_close(struct cfs_site *s);	/* accepts NULL */

/*
 * Follows a path of the tree as a client sends it: names with percent escapes,
 * and slashes between them; with several crawls the first name is a crawl's.
 * An escape that stands for a slash or a NUL, and "." and "..", name nothing.
 *
 * 0; CFS_ENOTFOUND; failures of reading.
 */
int cfs_site_walk(struct cfs_site *s, struct cfs_slice path,
		  struct cfs_site_place *out, struct cfs_ctx ctx);

/*
 * The same, and .crawlfs/search/QUERY/..., where the tree is that of the pages
 * that a query has found.  Release *out in any case.
 *
 * 0; CFS_ENOTFOUND; failures of cfs_searches_get.
 */
int cfs_site_walk_search(struct cfs_site *s, struct cfs_slice path,
			 struct cfs_site_place *out, struct cfs_ctx ctx);
/* True if such a path is of a search, which may take long to find. */
bool cfs_site_is_search(struct cfs_slice path);
/* Makes *to the same place, which is to be released, too. */
void cfs_site_place_copy(struct cfs_site *s, struct cfs_site_place *to,
			 const struct cfs_site_place *from);
void cfs_site_place_release(struct cfs_site *s, struct cfs_site_place *p);

/* ---- summaries of the crawls, each counted once (page_overview.c) -------- */

/* Sets site->overview; nothing is counted yet.  0 or CFS_ENOMEM. */
int cfs_overview_begin(struct cfs_site *site, struct cfs_error *err);
/* Ends counts under way, before the crawls of the site are closed.  Accepts a
 * site without an overview. */
void cfs_overview_end(struct cfs_site *site);

/* ---- what files and archives are known by (file_tag.c) ---- */

/* Finds what a file is known by.  The entry must have been loaded;
 * b: the bytes of the file, or NULL: then the tag is empty where it cannot be
 * told without them. */
void cfs_file_validators(struct cfs_crawl *c, const struct cfs_node *file,
			 const struct cfs_entry *e,
			 const struct cfs_file_bytes *b,
			 struct cfs_validators *out, struct cfs_ctx ctx);

/* Adds the name and the state of an archive to a hash.  False: the state is not
 * known, at least not before something was read. */
bool cfs_archive_hash(struct cfs_crawl *c, struct cfs_slice archive,
		      uint64_t *hash);

/* Makes the tag of a hash of all that bytes are made of. */
void cfs_tag_write(struct cfs_validators *v, uint64_t hash);

#endif

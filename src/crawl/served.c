/* served.c - opens the crawls that a program serves side by side.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "served.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive_probe.h"
#include "choices.h"
#include "file_info.h"
#include "names.h"
#include "net/location.h"
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

/* The last component of a source, without trailing slashes or suffixes. */
static struct cfs_slice source_base_name(const char *source)
{
	static const char *const suffixes[] = {
		".gz", ".zst", ".warc", ".arc", ".wat", ".wet", ".cfx", ".warc",
		".wacz",
	};
	struct cfs_slice s = cfs_slice_str(source);
	ptrdiff_t slash;

	if (cfs_location_has_query(s))
		s = cfs_slice_sub(s, 0, (size_t)cfs_slice_find(s, '?'));
	while (s.n > 1 && s.p[s.n - 1] == '/')
		s.n--;
	slash = cfs_slice_rfind(s, '/');
	if (slash >= 0 && s.n > 1)
		s = cfs_slice_from(s, (size_t)slash + 1);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		struct cfs_slice x = cfs_slice_str(suffixes[i]);

		if (s.n > x.n && cfs_slice_ends(s, x))
			s.n -= x.n;
	}
	if (s.n == 0 || cfs_slice_eq(s, CFS_SLICE_LIT("/")) ||
	    cfs_slice_eq(s, CFS_SLICE_LIT(".")) ||
	    cfs_slice_eq(s, CFS_SLICE_LIT("..")) ||
	    cfs_slice_eq(s, CFS_SLICE_LIT(".crawlfs")))
		s = CFS_SLICE_LIT("crawl");
	return s.n > 200 ? cfs_slice_sub(s, 0, 200) : s;
}

static bool source_name_is_used(char *const *names, unsigned n,
				const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Names the folders of n sources: base names without suffixes, with ~2 and so
 * on for repeats. */
static int name_sources(char **names, unsigned n, const char *const *sources,
			struct cfs_error *err)
{
	for (unsigned i = 0; i < n; i++) {
		struct cfs_slice base = source_base_name(sources[i]);
		char name[CFS_NAME_MAX];

		snprintf(name, sizeof(name), "%.*s", (int)base.n,
			 (const char *)base.p);
		for (unsigned k = 2; source_name_is_used(names, i, name); k++)
			snprintf(name, sizeof(name), "%.*s~%u", (int)base.n,
				 (const char *)base.p, k);
		names[i] = strdup(name);
		if (names[i] == NULL)
			return cfs_error_nomem(err);
	}
	return CFS_OK;
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
	if (ahead[i] != NULL && opts->handles != NULL)
		cfs_readahead_load_for(ahead[i], opts->handles,
				       opts->searches, c, i);
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
	if (rc == CFS_OK)
		rc = cfs_crawl_need_page(crawls, n, err);
	if (rc == CFS_OK && n > 1)
		rc = name_sources(names, n, opts->sources, err);
	return rc;
}

void cfs_served_rest(struct cfs_readahead **ahead)
{
	for (unsigned i = 0; i < CFS_SOURCES_MAX; i++) {
		cfs_readahead_free(ahead[i]);
		ahead[i] = NULL;
	}
}

void cfs_served_close(struct cfs_crawl **crawls, char **names,
		      struct cfs_readahead **ahead)
{
	cfs_served_rest(ahead);
	for (unsigned i = 0; i < CFS_SOURCES_MAX; i++) {
		cfs_crawl_close(crawls[i]);
		free(names[i]);
	}
}

/* crawl_copy.c - copies the captures below prefixes of a crawl, and the
 * originals of its revisits, into an archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "crawl_copy.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clamp.h"
#include "base/hash.h"
#include "base/pool.h"
#include "bases.h"
#include "net/hosts.h"
#include "net/http_settings.h"

/* Stretches read at a time, at least: while some wait for the disk, others
 * inflate. */
#define PARALLEL_MIN 8u

/* Receives what is found in the index. */
struct collected {
	struct cfs_copy *copy;
	struct cfs_originals *originals;	/* NULL: not wanted */
	struct cfs_error *err;
};

static int on_capture(void *arg, const struct cfs_iter *it,
		      const struct cfs_capture *cap)
{
	struct collected *c = arg;
	int rc = cfs_copy_add(c->copy, it->key, cap, CFS_COPY_CAPTURE, c->err);

	return rc == CFS_OK && c->originals != NULL &&
	       cap->kind == CFS_KIND_REVISIT ?
	       cfs_originals_add(c->originals, it->pos, c->err) : rc;
}

static int on_original(void *arg, const struct cfs_iter *it,
		       const struct cfs_capture *cap)
{
	struct collected *c = arg;

	return cfs_copy_add(c->copy, it->key, cap, CFS_COPY_ORIGINAL, c->err);
}

/* Stretches read at a time: from servers, the lowest limit on requests at a
 * time of those used so far; from files, one for each processor. */
static unsigned parallel_default(const struct cfs_crawl *crawl)
{
	struct cfs_host_stats host[4];
	unsigned most = CFS_HTTP_PARALLEL_DEFAULT;
	size_t hosts = cfs_host_stats_all(host, 4);

	for (size_t i = 0; i < hosts && i < 4; i++)
		if (host[i].parallel < most)
			most = host[i].parallel;
	if (crawl->cache != NULL)
		return most;
	return (unsigned)cfs_clamp_u64(cfs_processors(), PARALLEL_MIN,
				       CFS_COPY_PARALLEL_MAX);
}

/* The time stated in the copy; SOURCE_DATE_EPOCH makes copies reproducible. */
static int64_t copy_time(void)
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	uint64_t t;

	if (fixed != NULL &&
	    cfs_slice_parse_u64(cfs_slice_str(fixed), UINT32_MAX, &t) == CFS_OK)
		return (int64_t)t;
	return (int64_t)time(NULL);
}

static uint64_t add_bases(uint64_t place, const struct cfs_bases *b)
{
	for (size_t i = 0; b != NULL && i < b->n; i++)
		place = cfs_hash64(cfs_slice_str(b->text[i]), place);
	return place;
}

/* A hash of the folders in which the archives are looked for. */
static uint64_t place_of_archives(const struct cfs_crawl *c)
{
	uint64_t place = add_bases(0, c->bases);

	for (size_t i = 0; i < c->n_members; i++)
		place = add_bases(place + 1, c->members[i]->bases);
	return place;
}

static int originals_new(const struct cfs_copy_opts *copy,
			 struct cfs_crawl *crawl, struct collected *c)
{
	char path[PATH_MAX];
	struct cfs_originals_opts o = { .crawl = crawl,
		.keep_going = copy->keep_going,
		.threads = (unsigned)cfs_clamp_u64(copy->parallel, 1,
						   CFS_POOL_MAX),
		.found = on_original, .arg = c, .cancel = copy->cancel };

	snprintf(path, sizeof(path), "%s", copy->output);
	o.tmp_dir = dirname(path);
	return copy->captures_only || copy->format != CFS_ARCHIVE_WARC ?
	       CFS_OK : cfs_originals_new(&c->originals, &o, c->err);
}

/* Finds all that is to be copied. */
static int collect(struct collected *c, const struct cfs_prefixes *p,
		   const struct cfs_copy_opts *copy, struct cfs_holes *holes,
		   struct cfs_originals_counts *counts)
{
	int rc = cfs_copy_new(&c->copy, copy, c->err);

	if (rc == CFS_OK)
		rc = originals_new(copy, p->crawl, c);
	if (rc == CFS_OK)
		rc = cfs_prefixes_each(p, holes, on_capture, c,
				       CFS_CTX(copy->cancel, c->err));
	if (rc == CFS_OK && c->originals != NULL)
		rc = cfs_originals_find(c->originals, counts, c->err);
	cfs_originals_free(c->originals);
	return rc;
}

int cfs_crawl_copy(const struct cfs_prefixes *p, struct cfs_copy_opts *opts,
		   struct cfs_crawl_copied *out, struct cfs_error *err)
{
	struct collected c = { .err = err };
	struct cfs_holes holes;
	int rc;

	*out = (struct cfs_crawl_copied){ .report = { .records = 0 } };
	opts->is_remote = p->crawl->cache != NULL;
	opts->place = place_of_archives(p->crawl);
	opts->index = p->crawl->index;
	opts->store = p->crawl->store;
	if (opts->parallel == 0)
		opts->parallel = parallel_default(p->crawl);
	if (opts->time == 0)
		opts->time = copy_time();
	cfs_holes_init(&holes);
	holes.all = &p->crawl->holes;
	holes.tells_lines = true;
	rc = collect(&c, p, opts, &holes, &out->originals);
	out->holes = cfs_holes_count(&holes);
	cfs_holes_release(&holes);
	if (rc == CFS_OK)
		rc = cfs_copy_run(c.copy, &out->report, err);
	if (out->originals.revisits > 0)	/* they were looked for */
		out->report.absent = out->originals.absent;
	cfs_copy_free(c.copy);
	return rc;
}

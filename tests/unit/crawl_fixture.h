/* crawl_fixture.h - a crawl of a few URLs: an index, and archives that are not
 * read but asked for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_CRAWL_FIXTURE_H
#define CFS_TESTS_CRAWL_FIXTURE_H

#include "unit.h"

#include <unistd.h>

#include "crawl/captures.h"
#include "crawl/cuts.h"
#include "crawl/page.h"
#include "crawl/tree.h"
#include "format/open_index.h"
#include "index/index.h"
#include "indexing/builder.h"

#define FIX_RECORD_BYTES 1000u

/* Capture i of the URLs lies at 1,000 times i of its archive: every
 * `per_archive` of them in one more. */
static inline void crawl_write(const char *path, const char *const *urls,
			       size_t n, size_t per_archive)
{
	static char names[64][32];
	struct cfs_builder_archive archives[64];
	struct cfs_builder_opts o = { .path = path, .format = CFS_INDEX_CFX,
				      .memory_bytes = 1 << 20, .threads = 1,
				      .archives = archives };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;

	for (; o.n_archives * per_archive < n; o.n_archives++) {
		assert_true(o.n_archives < COUNT(archives));
		snprintf(names[o.n_archives], sizeof(names[0]), "%zu.warc.gz",
			 (size_t)o.n_archives);
		archives[o.n_archives] = (struct cfs_builder_archive){
			.name = names[o.n_archives], .size = 1, .mtime = 1 };
	}
	assert_int_equal(cfs_builder_new(&b, &o, NULL), CFS_OK);
	for (size_t i = 0; i < n; i++) {
		struct cfs_builder_capture cap = {
			.url = cfs_slice_str(urls[i]), .kind = CFS_KIND_RESPONSE,
			.time = 1000, .status = 200,
			.mime = CFS_SLICE_LIT("text/html"),
			.archive = (uint32_t)(i / per_archive),
			.span.offset = FIX_RECORD_BYTES * (i % per_archive),
			.span.length = FIX_RECORD_BYTES,
			.record_id = CFS_SLICE_EMPTY, .digest = CFS_SLICE_EMPTY,
			.refers_to = CFS_SLICE_EMPTY,
		};

		assert_int_equal(cfs_builder_add(b, 0, &cap, NULL), CFS_OK);
	}
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), CFS_OK);
	cfs_builder_free(b);
}

/* The crawl of these URLs; crawl_close() ends it. */
static inline void crawl_open(struct cfs_crawl *c, const char *const *urls,
			      size_t n, size_t per_archive)
{
	char path[] = "/tmp/crawlfs-crawl-XXXXXX";
	struct cfs_source *src;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	crawl_write(path, urls, n, per_archive);
	*c = (struct cfs_crawl){ .n_members = 0 };
	assert_int_equal(cfs_source_open_file(&src, path, NULL), CFS_OK);
	assert_int_equal(cfs_index_open(&c->index, src, 1 << 20, NULL), CFS_OK);
	unlink(path);
	c->pages = cfs_captures_cache_new(1 << 24);
	c->cuts = cfs_cuts_cache_new(1 << 24);
	assert_true(c->pages != NULL && c->cuts != NULL);
}

static inline void crawl_close(struct cfs_crawl *c)
{
	cfs_store_free(c->store);
	cfs_index_close(c->index);
	cfs_lru_free(c->pages);
	cfs_lru_free(c->cuts);
}

#endif

/* count_work.h - crawls of made indexes, which count the entries that are
 * looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef COUNT_WORK_H
#define COUNT_WORK_H

#include <stdlib.h>
#include <unistd.h>

#include "crawl/captures.h"
#include "crawl/cuts.h"
#include "format/open_index.h"
#include "index/union.h"
#include "indexing/builder.h"
#include "unit.h"

#define CACHE ((size_t)8 << 20)

/* Entries that were looked at, below unions and filters. */
static uint64_t work;
static struct cfs_index_ops counted[2];
static const struct cfs_index_ops *own[2];

#define COUNTED(k) \
	static int seek_##k(struct cfs_index *ix, struct cfs_slice key, \
			    struct cfs_iter *it, \
			    struct cfs_ctx ctx) \
	{ \
		work++; \
		return own[k]->seek(ix, key, it, ctx); \
	} \
	static int at_##k(struct cfs_index *ix, cfs_pos pos, \
			  struct cfs_iter *it, \
			  struct cfs_ctx ctx) \
	{ \
		work++; \
		return own[k]->at(ix, pos, it, ctx); \
	} \
	static int next_##k(struct cfs_iter *it, \
			    struct cfs_ctx ctx) \
	{ \
		work++; \
		return own[k]->next(it, ctx); \
	} \
	static int capture_##k(struct cfs_iter *it, struct cfs_capture *out, \
			       struct cfs_error *err) \
	{ \
		work++; \
		return own[k]->capture(it, out, err); \
	}
COUNTED(0)
COUNTED(1)

static inline void count_work(struct cfs_index *ix, unsigned k)
{
	own[k] = ix->ops;
	counted[k] = *ix->ops;
	counted[k].seek = k == 0 ? seek_0 : seek_1;
	counted[k].at = k == 0 ? at_0 : at_1;
	counted[k].next = k == 0 ? next_0 : next_1;
	counted[k].capture = k == 0 ? capture_0 : capture_1;
	ix->ops = &counted[k];
}

/* ---- crawls ---- */

enum shape { CFX, CDX, CFX_UNION, CDX_UNION, SHAPES };
static const char *const shape_names[] = { "cfx", "cdx", "union of cfx",
					   "union of cdx" };

/* Adds the captures of a member, 0 or 1, to an index. */
typedef void add_captures(struct cfs_builder *b, const void *arg,
			  unsigned member);

static inline struct cfs_index *open_counted_member(enum shape shape,
						    add_captures *add,
						    const void *arg,
						    unsigned member)
{
	static const struct cfs_builder_archive archive = {
		.name = "x.warc.gz", .size = 1, .mtime = 1 };
	char path[] = "/tmp/crawlfs-counted-XXXXXX";
	bool is_cfx = shape == CFX || shape == CFX_UNION;
	struct cfs_builder_opts o = { .path = path,
		.format = is_cfx ? CFS_INDEX_CFX : CFS_INDEX_CDX,
		.memory_bytes = 1 << 20, .threads = 1, .archives = &archive,
		.n_archives = 1 };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	struct cfs_source *src;
	struct cfs_index *ix;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	assert_int_equal(cfs_builder_new(&b, &o, NULL), CFS_OK);
	add(b, arg, member);
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), CFS_OK);
	cfs_builder_free(b);
	assert_int_equal(cfs_source_open_file(&src, path, NULL), CFS_OK);
	assert_int_equal(cfs_index_open(&ix, src, CACHE, NULL), CFS_OK);
	unlink(path);
	count_work(ix, member);
	return ix;
}

static inline void open_counted(struct cfs_crawl *c, enum shape shape,
				add_captures *add, const void *arg,
				size_t mem_bytes)
{
	struct cfs_union_member v[2] = { { .place = "/p" }, { .place = "/q" } };
	bool is_union = shape == CFX_UNION || shape == CDX_UNION;

	*c = (struct cfs_crawl){ .n_members = 0 };
	for (unsigned i = 0; i <= is_union; i++)
		v[i].ix = c->index = open_counted_member(shape, add, arg, i);
	if (is_union)
		assert_int_equal(cfs_union_open(&c->index, v, 2, 0, CACHE,
						NULL), CFS_OK);
	assert_int_equal(c->index->is_ordered, shape == CFX ||
					       shape == CFX_UNION);
	c->pages = cfs_captures_cache_new(mem_bytes);
	c->cuts = cfs_cuts_cache_new(mem_bytes);
	assert_true(c->pages != NULL && c->cuts != NULL);
	work = 0;
}

static inline void close_counted(struct cfs_crawl *c)
{
	cfs_index_close(c->index);
	cfs_lru_free(c->pages);
	cfs_lru_free(c->cuts);
}

#endif

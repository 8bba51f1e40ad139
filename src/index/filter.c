/* filter.c - passes calls to the index below a filter.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "filter.h"

/* A part may lie over an index whose captures are picked, but not the
 * reverse. */
static struct cfs_index *filter_below(const struct cfs_index *ix)
{
	return ix->whole != NULL ? ix->whole : ix->unpicked;
}

int cfs_filter_seek(struct cfs_index *ix, struct cfs_slice key,
		    struct cfs_iter *it, struct cfs_ctx ctx)
{
	int rc;

	it->ix = filter_below(ix);
	rc = it->ix->ops->seek(it->ix, key, it, ctx);
	it->ix = ix;
	return rc;
}

static int at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
	      struct cfs_ctx ctx)
{
	int rc;

	it->ix = filter_below(ix);
	rc = it->ix->ops->at(it->ix, pos, it, ctx);
	it->ix = ix;
	return rc;
}

int cfs_filter_next(struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct cfs_index *ix = it->ix;
	int rc;

	it->ix = filter_below(ix);
	rc = it->ix->ops->next(it, ctx);
	it->ix = ix;
	return rc;
}

int cfs_filter_skip(struct cfs_iter *it, cfs_pos hole, struct cfs_ctx ctx)
{
	struct cfs_index *ix = it->ix;
	int rc;

	it->ix = filter_below(ix);
	rc = it->ix->ops->skip(it, hole, ctx);
	it->ix = ix;
	return rc;
}

int cfs_filter_capture(struct cfs_iter *it, struct cfs_capture *out,
		       struct cfs_error *err)
{
	struct cfs_index *ix = it->ix;
	int rc;

	it->ix = filter_below(ix);
	rc = it->ix->ops->capture(it, out, err);
	it->ix = ix;
	return rc;
}

static bool filter_lost(struct cfs_iter *it, unsigned i, struct cfs_error *out)
{
	struct cfs_index *ix = it->ix;
	bool yes;

	it->ix = filter_below(ix);
	yes = cfs_index_lost(it, i, out);
	it->ix = ix;
	return yes;
}

static bool filter_shows(struct cfs_iter *it)
{
	struct cfs_index *ix = it->ix;
	bool yes;

	it->ix = filter_below(ix);
	yes = cfs_index_shows(it);
	it->ix = ix;
	return yes;
}

static int notes(struct cfs_index *ix, const struct cfs_notes_at *where,
		 struct cfs_buf *out, struct cfs_ctx ctx)
{
	ix = filter_below(ix);
	return ix->ops->notes(ix, where, out, ctx);
}

static int damage(struct cfs_index *ix, cfs_index_damaged *emit, void *arg,
		  struct cfs_ctx ctx)
{
	return cfs_index_damage(filter_below(ix), emit, arg, ctx);
}

static int archive_name(struct cfs_index *ix, const struct cfs_span *loc,
			struct cfs_buf *out, struct cfs_error *err)
{
	return cfs_index_archive_name(filter_below(ix), loc, out, err);
}

static int split(struct cfs_index *ix, struct cfs_slice key,
		 struct cfs_path *out)
{
	return cfs_index_split(filter_below(ix), key, out);
}

static int ranges(struct cfs_index *ix, const struct cfs_path *path,
		  enum cfs_below depth, struct cfs_ranges *out)
{
	return cfs_index_ranges(filter_below(ix), path, depth, out);
}

static int find_ref(struct cfs_index *ix, struct cfs_slice ref, cfs_pos *out,
		    size_t max, size_t *n, struct cfs_ctx ctx)
{
	return cfs_index_find_ref(filter_below(ix), ref, out, max, n, ctx);
}

static int filter_cut(struct cfs_index *ix, uint64_t k, uint64_t n,
		      struct cfs_buf *key, struct cfs_ctx ctx)
{
	return cfs_index_cut(filter_below(ix), k, n, key, ctx);
}

void cfs_filter_close(struct cfs_index *ix)
{
	cfs_index_close(filter_below(ix));
}

struct cfs_index_ops cfs_filter_ops(const struct cfs_index_ops *ops)
{
	struct cfs_index_ops out = {
		.seek = cfs_filter_seek,
		.at = at,
		.next = cfs_filter_next,
		.skip = cfs_filter_skip,
		.capture = cfs_filter_capture,
		.archive_name = archive_name,
		.split = split,
		.ranges = ranges,
		.url_key = ops->url_key,
		.key_url = ops->key_url,
		.cut = filter_cut,
		.close = cfs_filter_close,
	};

	if (ops->lost != NULL)
		out.lost = filter_lost;
	if (ops->shows != NULL)
		out.shows = filter_shows;
	if (ops->notes != NULL)
		out.notes = notes;
	if (ops->damage != NULL)
		out.damage = damage;
	if (ops->find_ref != NULL)
		out.find_ref = find_ref;
	return out;
}

/* dates.c - captures outside some time left out of an index.
 *
 * The filter has no iterator of its own: it lends the caller's to the index
 * below it for the length of a call.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "dates.h"

#include <stdlib.h>

#include "base/timestamp.h"

/* ---- dates ------------------------------------------------------------ */

int cfs_dates_since(struct cfs_dates *d, const char *text)
{
	int64_t first, last;
	int rc = cfs_time_parse_span(cfs_slice_str(text), &first, &last);

	if (rc == CFS_OK && (!d->has_from || first > d->from)) {
		d->has_from = true;
		d->from = first;
	}
	return rc;
}

int cfs_dates_until(struct cfs_dates *d, const char *text)
{
	int64_t first, last;
	int rc = cfs_time_parse_span(cfs_slice_str(text), &first, &last);

	if (rc == CFS_OK && (!d->has_to || last < d->to)) {
		d->has_to = true;
		d->to = last;
	}
	return rc;
}

bool cfs_dates_have(const struct cfs_dates *d, int64_t time)
{
	if (time == 0)
		return !d->has_from;
	return (!d->has_from || time >= d->from) &&
	       (!d->has_to || time <= d->to);
}

uint64_t cfs_dates_distance(int64_t time, int64_t moment)
{
	uint64_t n = time > moment ? (uint64_t)time - (uint64_t)moment :
				     (uint64_t)moment - (uint64_t)time;

	if (time == 0)
		return UINT64_MAX;
	if (n >= UINT64_MAX / 2)	/* times that an index made up */
		return UINT64_MAX - 1;
	return 2 * n + (time > moment);
}

/* ---- the filter ------------------------------------------------------- */

struct dated {
	struct cfs_index base;
	struct cfs_index_ops ops;
	struct cfs_dates dates;
};

static int seek(struct cfs_index *ix, struct cfs_slice key,
		struct cfs_iter *it, const struct cfs_cancel *cancel,
		struct cfs_error *err)
{
	int rc;

	it->ix = ix->undated;
	rc = it->ix->ops->seek(it->ix, key, it, cancel, err);
	it->ix = ix;
	return rc;
}

static int at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
	      const struct cfs_cancel *cancel, struct cfs_error *err)
{
	int rc;

	it->ix = ix->undated;
	rc = it->ix->ops->at(it->ix, pos, it, cancel, err);
	it->ix = ix;
	return rc;
}

static int next(struct cfs_iter *it, const struct cfs_cancel *cancel,
		struct cfs_error *err)
{
	struct cfs_index *ix = it->ix;
	int rc;

	it->ix = ix->undated;
	rc = it->ix->ops->next(it, cancel, err);
	it->ix = ix;
	return rc;
}

static int capture(struct cfs_iter *it, struct cfs_capture *out,
		   struct cfs_error *err)
{
	const struct dated *d = (const struct dated *)it->ix;
	struct cfs_index *ix = it->ix;
	int rc;

	it->ix = ix->undated;
	rc = it->ix->ops->capture(it, out, err);
	it->ix = ix;
	if (rc == CFS_OK && !cfs_dates_have(&d->dates, out->time))
		rc = CFS_ENOTFOUND;
	return rc;
}

static int notes(struct cfs_index *ix, const struct cfs_notes_at *where,
		 struct cfs_buf *out, const struct cfs_cancel *cancel,
		 struct cfs_error *err)
{
	return ix->undated->ops->notes(ix->undated, where, out, cancel, err);
}

static int archive_name(struct cfs_index *ix, const struct cfs_span *loc,
			struct cfs_buf *out, struct cfs_error *err)
{
	return cfs_index_archive_name(ix->undated, loc, out, err);
}

static int split(struct cfs_index *ix, struct cfs_slice key,
		 struct cfs_path *out)
{
	return cfs_index_split(ix->undated, key, out);
}

static int ranges(struct cfs_index *ix, const struct cfs_path *path,
		  enum cfs_below below, struct cfs_ranges *out)
{
	return cfs_index_ranges(ix->undated, path, below, out);
}

static int find_ref(struct cfs_index *ix, struct cfs_slice ref, cfs_pos *out,
		    size_t max, size_t *n, const struct cfs_cancel *cancel,
		    struct cfs_error *err)
{
	return cfs_index_find_ref(ix->undated, ref, out, max, n, cancel, err);
}

static int cut(struct cfs_index *ix, uint64_t k, uint64_t n,
	       struct cfs_buf *key, const struct cfs_cancel *cancel,
	       struct cfs_error *err)
{
	return cfs_index_cut(ix->undated, k, n, key, cancel, err);
}

static void close_dated(struct cfs_index *ix)
{
	cfs_index_close(ix->undated);
	free(ix);
}

/* What the index below has no call for, this one has none for either. */
static struct cfs_index_ops ops_for(const struct cfs_index_ops *all)
{
	return (struct cfs_index_ops){
		.seek = seek,
		.at = at,
		.next = next,
		.capture = capture,
		.notes = all->notes != NULL ? notes : NULL,
		.archive_name = archive_name,
		.split = split,
		.ranges = ranges,
		.url_key = all->url_key,
		.key_url = all->key_url,
		.find_ref = all->find_ref != NULL ? find_ref : NULL,
		.cut = cut,
		.close = close_dated,
	};
}

int cfs_dates_wrap(struct cfs_index **ix, const struct cfs_dates *dates,
		   struct cfs_error *err)
{
	struct cfs_index *all = *ix;
	struct dated *d;

	if (!dates->has_from && !dates->has_to)
		return CFS_OK;
	d = malloc(sizeof(*d));
	if (d == NULL)
		return cfs_error_nomem(err);
	/* its source is that of `all`, which closes it; sizes that are all
	 * known are known of fewer captures too */
	*d = (struct dated){ .base = *all, .ops = ops_for(all->ops),
			     .dates = *dates };
	d->base.ops = &d->ops;
	d->base.undated = all;
	*ix = &d->base;
	return CFS_OK;
}

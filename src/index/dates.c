/* dates.c - a filter that hides captures outside some time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "dates.h"

#include <stdlib.h>

#include "base/timestamp.h"
#include "filter.h"

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
	if (n >= UINT64_MAX / 2)	/* times that a bad index made up */
		return UINT64_MAX - 1;
	return 2 * n + (time > moment);
}

/* ---- the filter ------------------------------------------------------- */

struct dated {
	struct cfs_index base;
	struct cfs_index_ops ops;
	struct cfs_dates dates;
};

static int capture(struct cfs_iter *it, struct cfs_capture *out,
		   struct cfs_error *err)
{
	const struct dated *d = (const struct dated *)it->ix;
	int rc = cfs_filter_capture(it, out, err);

	return rc == CFS_OK && !cfs_dates_have(&d->dates, out->time) ?
	       CFS_ENOTFOUND : rc;
}

static void close_dated(struct cfs_index *ix)
{
	cfs_filter_close(ix);
	free(ix);
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
	/* base shares the source of `all`, which closes it.  If `all` has all
	 * sizes, so have the captures that remain. */
	*d = (struct dated){ .base = *all, .ops = cfs_filter_ops(all->ops),
			     .dates = *dates };
	d->ops.capture = capture;
	d->ops.close = close_dated;
	d->base.ops = &d->ops;
	d->base.undated = all;
	*ix = &d->base;
	return CFS_OK;
}

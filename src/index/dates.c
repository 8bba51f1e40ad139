/* dates.c - limits of time, and distances in time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "dates.h"

#include "base/timestamp.h"

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

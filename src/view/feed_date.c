/* feed_date.c - dates as feeds write them: RFC 822 and ISO 8601.
 *
 * A zone that no one knows is UTC in the first, and spoils the second.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "feed.h"

#include "base/ascii.h"
#include "base/timestamp.h"

int cfs_feed_date(struct cfs_slice s, int64_t *ms)
{
	struct cfs_time_reading date;
	bool is_iso;

	s = cfs_slice_trim(s);
	is_iso = s.n >= 4;
	for (size_t i = 0; i < 4 && is_iso; i++)
		is_iso = cfs_is_digit(s.p[i]);
	if ((is_iso ? cfs_time_read_iso : cfs_time_read)(s, &date) != CFS_OK ||
	    (is_iso ? !date.is_whole : !date.has_day))
		return CFS_EFORMAT;
	*ms = date.time * 1000 + date.ms;
	return CFS_OK;
}

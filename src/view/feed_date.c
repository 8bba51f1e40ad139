/* feed_date.c - parses the dates of feeds: RFC 822 and ISO 8601.
 *
 * An unknown zone means UTC in RFC 822 dates, and makes ISO 8601 dates invalid.
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

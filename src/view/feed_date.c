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
	bool is_iso, is_date;

	s = cfs_slice_trim(s);
	is_iso = s.n >= 4;
	for (size_t i = 0; i < 4 && is_iso; i++)
		is_iso = cfs_is_digit(s.p[i]);
	if (is_iso)
		is_date = cfs_time_read_iso(s, &date) == CFS_OK &&
			  date.is_whole;
	else
		is_date = cfs_time_read(s, &date) == CFS_OK && date.has_day;
	if (!is_date)
		return CFS_EFORMAT;
	*ms = date.time * 1000 + date.ms;
	return CFS_OK;
}

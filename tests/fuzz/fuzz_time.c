/* fuzz_time.c - any bytes as a date, in all the ways that dates are read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "base/error.h"
#include "base/timestamp.h"
#include "view/feed.h"

/* A time that was read is one that can be written and read again. */
static void check(int64_t t)
{
	char text[CFS_TIME_ISO_BYTES];
	int64_t back;

	if (t < cfs_time_from_utc(0, 1, 2, 0, 0, 0) ||
	    t > cfs_time_from_utc(9999, 12, 30, 0, 0, 0))
		return;		/* offsets lead out of what can be written */
	cfs_time_format_iso(t, text);
	if (t >= cfs_time_from_utc(1, 1, 1, 0, 0, 0) &&
	    (cfs_time_parse_iso(cfs_slice_str(text), &back) != CFS_OK ||
	     back != t))
		abort();
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice s = cfs_slice_of(size > 0 ? data : (const uint8_t *)"",
					  size);
	struct cfs_time_reading r, iso;
	int64_t t, last, ms;

	if (cfs_time_read(s, &r) == CFS_OK) {
		check(r.time);
		if (r.ms < 0 || r.ms > 999)
			abort();
	}
	if (cfs_time_read_iso(s, &iso) == CFS_OK) {
		check(iso.time);
		if (iso.is_whole && cfs_time_parse_iso(s, &t) != CFS_OK)
			abort();
	}
	if (cfs_time_parse_14(s, &t) == CFS_OK)
		check(t);
	if (cfs_time_parse_span(s, &t, &last) == CFS_OK && t > last)
		abort();
	cfs_feed_date(s, &ms);
	return 0;
}

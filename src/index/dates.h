/* dates.h - limits of the time of captures, and distances in time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_DATES_H
#define CFS_INDEX_DATES_H

#include "index.h"

/* Zeroed: no limits. */
struct cfs_dates {
	bool has_from, has_to;
	int64_t from, to;	/* first and last second, inclusive; Unix */
};

/* The phrase for messages about a time that cannot be read. */
#define CFS_DATES_REFUSAL \
	"not a time such as 2024, 20240220 or 2024-02-20T09:30:00Z"

/* Narrow d by a time as a user types it: 4 to 14 digits, or ISO 8601.  A time
 * that is cut short stands for its earliest second as a beginning, and for its
 * latest as an end.  0 or CFS_EFORMAT. */
int cfs_dates_since(struct cfs_dates *d, const char *text);
int cfs_dates_until(struct cfs_dates *d, const char *text);

/* True if no time is within the limits: the end precedes the beginning. */
static inline bool cfs_dates_are_none(const struct cfs_dates *d)
{
	return d->has_from && d->has_to && d->from > d->to;
}

/* True if a capture of that time is within the limits.  Time 0 is unknown and
 * counts as older than all others. */
bool cfs_dates_have(const struct cfs_dates *d, int64_t time);

/* Distance of a capture from a moment, for comparing captures: of two equally
 * near ones the earlier has the lower value; unknown time has the highest. */
uint64_t cfs_dates_distance(int64_t time, int64_t moment);

#endif

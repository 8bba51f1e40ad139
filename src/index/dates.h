/* dates.h - an index in which only captures of some time exist.
 *
 * A capture outside it keeps its entry, because directories are told apart by
 * their first entries, and whole subtrees would have to be read to see that
 * nothing in them is left: seek, at and next stand on it, cfs_index_shows is
 * false of it, and decoding it is CFS_ENOTFOUND.  So inode numbers are those
 * of all captures together, and a directory may be empty.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_DATES_H
#define CFS_INDEX_DATES_H

#include "index.h"

/* Zeroed: all times. */
struct cfs_dates {
	bool has_from, has_to;
	int64_t from, to;	/* the first and the last second; Unix */
};

/* What is said of a time that is refused. */
#define CFS_DATES_REFUSAL \
	"not a time such as 2024, 20240220 or 2024-02-20T09:30:00Z"

/* Narrow d by a time as a user types it: 4 to 14 digits, or ISO 8601.  One that
 * is cut short stands for its earliest second as a beginning and its latest as
 * an end.  0 or CFS_EFORMAT. */
int cfs_dates_since(struct cfs_dates *d, const char *text);
int cfs_dates_until(struct cfs_dates *d, const char *text);

/* Can no time be meant, as the end is before the beginning? */
static inline bool cfs_dates_are_none(const struct cfs_dates *d)
{
	return d->has_from && d->has_to && d->from > d->to;
}

/* Does a capture of that time exist?  One that is unknown (0) is older than
 * all others. */
bool cfs_dates_have(const struct cfs_dates *d, int64_t time);

/* How far a capture is from a moment, to be compared: of two that are equally
 * near the earlier has the lower figure, one of unknown time the highest. */
uint64_t cfs_dates_distance(int64_t time, int64_t moment);

/* Puts the filter over *ix, which it then owns; without dates it does nothing.
 * 0; CFS_ENOMEM, and *ix is as it was. */
int cfs_dates_wrap(struct cfs_index **ix, const struct cfs_dates *d,
		   struct cfs_error *err);

#endif

/* ranges.c - reads Range and the conditions of requests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ranges.h"

#include <string.h>

#include "base/error.h"
#include "base/timestamp.h"

enum cfs_range_kind cfs_range_read(struct cfs_slice field, uint64_t size,
				   uint64_t *from, uint64_t *bytes)
{
	static const struct cfs_slice unit = CFS_SLICE_LIT("bytes=");
	struct cfs_slice first, last;
	uint64_t a, b = UINT64_MAX;

	if (!cfs_slice_starts_nocase(field, unit) ||
	    cfs_slice_find(field, ',') >= 0 || cfs_slice_find(field, '-') < 0)
		return CFS_RANGE_NONE;
	last = cfs_slice_trim(cfs_slice_from(field, unit.n));
	first = cfs_slice_split(&last, '-');
	if (first.n == 0) {		/* the last so many bytes */
		if (cfs_slice_parse_u64(last, UINT64_MAX, &b) == CFS_EFORMAT)
			return CFS_RANGE_NONE;
		if (b == 0 || size == 0)
			return CFS_RANGE_OUTSIDE;
		*from = b < size ? size - b : 0;
		*bytes = size - *from;
		return CFS_RANGE_PART;
	}
	if (cfs_slice_parse_u64(first, UINT64_MAX, &a) == CFS_EFORMAT ||
	    (last.n > 0 &&
	     cfs_slice_parse_u64(last, UINT64_MAX, &b) == CFS_EFORMAT))
		return CFS_RANGE_NONE;
	if (cfs_slice_parse_u64(first, UINT64_MAX, &a) == CFS_ELIMIT)
		return CFS_RANGE_OUTSIDE;
	if (last.n > 0 && b < a)
		return CFS_RANGE_NONE;
	if (a >= size)
		return CFS_RANGE_OUTSIDE;
	*from = a;
	*bytes = b < size ? b - a + 1 : size - a;
	return CFS_RANGE_PART;
}

static const char *const days[] = { "Thu", "Fri", "Sat", "Sun", "Mon", "Tue",
				    "Wed" };
static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
				      "Jul", "Aug", "Sep", "Oct", "Nov",
				      "Dec" };

/* Appends n digits and a character.  Each reply has such a date, for which
 * printf(3) takes longer than finding the page. */
static char *put_digits(char *p, unsigned v, unsigned n, char end)
{
	for (unsigned i = n; i-- > 0; v /= 10)
		p[i] = (char)('0' + v % 10);
	p[n] = end;
	return p + n + 1;
}

static char *put_name(char *p, const char name[4], char end)
{
	memcpy(p, name, 3);
	p[3] = end;
	return p + 4;
}

const char *cfs_http_date(int64_t time, char out[CFS_HTTP_DATE_BYTES])
{
	char *p = out;
	int year, month, day;
	int64_t days_since = time / 86400, left = time % 86400;

	if (left < 0) {
		left += 86400;
		days_since--;
	}
	cfs_time_to_date(time, &year, &month, &day);
	if (year < 0 || year > 9999)
		year = 9999;
	p = put_name(p, days[((days_since % 7) + 7) % 7], ',');
	*p++ = ' ';
	p = put_digits(p, (unsigned)day, 2, ' ');
	p = put_name(p, months[(unsigned)(month - 1) % 12], ' ');
	p = put_digits(p, (unsigned)year, 4, ' ');
	p = put_digits(p, (unsigned)left / 3600, 2, ':');
	p = put_digits(p, (unsigned)left / 60 % 60, 2, ':');
	p = put_digits(p, (unsigned)left % 60, 2, ' ');
	put_name(p, "GMT", '\0');
	return out;
}

/* Is a tag in a list of tags?  Weak ones count only with `weakly`. */
static bool has_tag(struct cfs_slice list, const char *tag, bool weakly)
{
	while (list.n > 0) {
		struct cfs_slice one = cfs_slice_trim(cfs_slice_split(&list,
								      ','));

		if (weakly && cfs_slice_starts(one, CFS_SLICE_LIT("W/")))
			one = cfs_slice_from(one, 2);
		if (tag[0] != '\0' && cfs_slice_eq(one, cfs_slice_str(tag)))
			return true;
	}
	return false;
}

static bool is_any(struct cfs_slice list)
{
	return cfs_slice_eq(list, CFS_SLICE_LIT("*"));
}

/* Sets *newer to whether the file is newer than a field says.  False: the field
 * says nothing, or it is not known how old the file is. */
static bool compare_date(const struct cfs_validators *v, struct cfs_slice field,
			 bool *newer)
{
	struct cfs_time_reading then;

	if (field.n == 0 || v->time == 0 ||
	    cfs_time_read(field, &then) != CFS_OK || !then.is_whole)
		return false;
	*newer = v->time > then.time;
	return true;
}

unsigned cfs_condition_status(const struct cfs_validators *v,
			      const struct cfs_preconditions *c)
{
	bool newer;

	if (c->if_match.n > 0) {
		if (!is_any(c->if_match) &&
		    !has_tag(c->if_match, v->tag, false))
			return 412;
	} else if (compare_date(v, c->if_unmodified_since, &newer) && newer) {
		return 412;
	}
	if (c->if_none_match.n > 0) {
		if (!is_any(c->if_none_match) &&
		    !has_tag(c->if_none_match, v->tag, true))
			return 0;
		return c->is_get ? 304 : 412;
	}
	if (c->is_get && compare_date(v, c->if_modified_since, &newer) &&
	    !newer)
		return 304;
	return 0;
}

bool cfs_range_counts(const struct cfs_validators *v, struct cfs_slice if_range)
{
	char date[CFS_HTTP_DATE_BYTES];

	if (if_range.n == 0)
		return true;
	return (v->tag[0] != '\0' &&
		cfs_slice_eq(if_range, cfs_slice_str(v->tag))) ||
	       (v->time != 0 &&
		cfs_slice_eq(if_range,
			     cfs_slice_str(cfs_http_date(v->time, date))));
}

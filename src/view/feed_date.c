/* feed_date.c - dates as feeds write them: RFC 822 and ISO 8601.
 *
 *     RFC 822   [day ","] DD Mon YY[YY] [hh:mm[:ss]] [zone]
 *     ISO 8601  YYYY[-MM[-DD[Thh[:mm[:ss[.fraction]]][zone]]]]
 *     zone      Z, GMT, UT, UTC, EST, ..., +hh[[:]mm], -hh[[:]mm]
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "feed.h"

#include "base/ascii.h"
#include "base/timestamp.h"

#define MINUTE 60

static void skip_blanks(struct cfs_slice *s)
{
	while (s->n > 0 && (s->p[0] <= ' ' || s->p[0] == ','))
		*s = cfs_slice_from(*s, 1);
}

static bool take(struct cfs_slice *s, uint8_t c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	*s = cfs_slice_from(*s, 1);
	return true;
}

/* A number of `least` to `most` digits; false if there is none. */
static bool number(struct cfs_slice *s, size_t least, size_t most, int *out)
{
	size_t n = 0;
	int v = 0;

	while (n < s->n && n < most && cfs_is_digit(s->p[n]))
		v = v * 10 + (s->p[n++] - '0');
	if (n < least)
		return false;
	*s = cfs_slice_from(*s, n);
	*out = v;
	return true;
}

static struct cfs_slice word(struct cfs_slice *s)
{
	size_t n = 0;
	struct cfs_slice w;

	while (n < s->n && cfs_is_alpha(s->p[n]))
		n++;
	w = cfs_slice_sub(*s, 0, n);
	*s = cfs_slice_from(*s, n);
	return w;
}

/* Seconds east of Greenwich; false for what is not a zone. */
static bool zone(struct cfs_slice *s, int *east_s)
{
	static const struct { const char *name; int hours; } zones[] = {
		{ "Z", 0 }, { "GMT", 0 }, { "UT", 0 }, { "UTC", 0 },
		{ "EST", -5 }, { "EDT", -4 }, { "CST", -6 }, { "CDT", -5 },
		{ "MST", -7 }, { "MDT", -6 }, { "PST", -8 }, { "PDT", -7 },
		{ "CET", 1 }, { "CEST", 2 }, { "BST", 1 }, { "JST", 9 },
	};
	struct cfs_slice w;
	int h, m = 0, sign;

	skip_blanks(s);
	*east_s = 0;
	if (s->n == 0)
		return true;
	if (s->p[0] == '+' || s->p[0] == '-') {
		sign = s->p[0] == '-' ? -1 : 1;
		*s = cfs_slice_from(*s, 1);
		if (!number(s, 2, 2, &h))
			return false;
		take(s, ':');
		if (s->n > 0 && !number(s, 2, 2, &m))
			return false;
		*east_s = sign * (h * 60 + m) * MINUTE;
		return h < 24 && m < 60;
	}
	w = word(s);
	for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]); i++)
		if (cfs_slice_eq_nocase(w, cfs_slice_str(zones[i].name))) {
			*east_s = zones[i].hours * 60 * MINUTE;
			return true;
		}
	return false;
}

struct date {
	int year, month, day, h, m, s, ms, east_s;
};

static int join(const struct date *d, int64_t *ms)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30,
				    31, 31, 30, 31, 30, 31 };
	bool leap = (d->year % 4 == 0 && d->year % 100 != 0) ||
		    d->year % 400 == 0;

	if (d->month < 1 || d->month > 12 || d->day < 1 ||
	    d->day > days[d->month - 1] + (d->month == 2 && leap) ||
	    d->h > 24 || d->m > 59 || d->s > 60)
		return CFS_EFORMAT;
	*ms = (cfs_time_from_utc(d->year, d->month, d->day, d->h, d->m, d->s) -
	       d->east_s) * 1000 + d->ms;
	return CFS_OK;
}

/* "hh:mm[:ss[.fraction]]" */
static bool clock_time(struct cfs_slice *s, struct date *d)
{
	int unit = 100;

	if (!number(s, 1, 2, &d->h) || !take(s, ':') || !number(s, 1, 2, &d->m))
		return false;
	if (!take(s, ':'))
		return true;
	if (!number(s, 1, 2, &d->s))
		return false;
	if (s->n == 0 || (s->p[0] != '.' && s->p[0] != ','))
		return true;
	*s = cfs_slice_from(*s, 1);
	for (; s->n > 0 && cfs_is_digit(s->p[0]); unit /= 10) {
		d->ms += unit * (s->p[0] - '0');
		*s = cfs_slice_from(*s, 1);
	}
	return true;
}

static int month_of(struct cfs_slice w)
{
	static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";

	for (int i = 0; i < 12 && w.n >= 3; i++)
		if (cfs_slice_starts_nocase(
			    w, cfs_slice_of(names + (size_t)i * 3, 3)))
			return i + 1;
	return 0;
}

static int rfc822(struct cfs_slice s, int64_t *ms)
{
	struct date d = { 0 };
	size_t digits;

	if (s.n > 0 && cfs_is_alpha(s.p[0])) {	/* the day of the week */
		word(&s);
		take(&s, '.');
		skip_blanks(&s);
	}
	if (!number(&s, 1, 2, &d.day))
		return CFS_EFORMAT;
	take(&s, '-');
	skip_blanks(&s);
	d.month = month_of(word(&s));
	take(&s, '-');
	skip_blanks(&s);
	digits = s.n;
	if (!number(&s, 2, 4, &d.year))
		return CFS_EFORMAT;
	digits -= s.n;
	if (digits == 2)
		d.year += d.year < 50 ? 2000 : 1900;
	else if (digits == 3)
		d.year += 1900;
	skip_blanks(&s);
	if (s.n > 0 && cfs_is_digit(s.p[0]) && !clock_time(&s, &d))
		return CFS_EFORMAT;
	if (!zone(&s, &d.east_s))
		d.east_s = 0;
	return join(&d, ms);
}

static int iso8601(struct cfs_slice s, int64_t *ms)
{
	struct date d = { .month = 1, .day = 1 };

	if (!number(&s, 4, 4, &d.year))
		return CFS_EFORMAT;
	if (take(&s, '-') || (s.n > 0 && cfs_is_digit(s.p[0]))) {
		if (!number(&s, 2, 2, &d.month))
			return CFS_EFORMAT;
		if ((take(&s, '-') || (s.n > 0 && cfs_is_digit(s.p[0]))) &&
		    !number(&s, 2, 2, &d.day))
			return CFS_EFORMAT;
	}
	if (s.n > 0 && ((s.p[0] | 0x20) == 't' || s.p[0] == ' ')) {
		s = cfs_slice_from(s, 1);
		skip_blanks(&s);
		if (!clock_time(&s, &d) || !zone(&s, &d.east_s))
			return CFS_EFORMAT;
	}
	return s.n > 0 ? CFS_EFORMAT : join(&d, ms);
}

int cfs_feed_date(struct cfs_slice s, int64_t *ms)
{
	struct cfs_slice t;
	int year;

	s = cfs_slice_trim(s);
	t = s;
	if (number(&t, 4, 4, &year))
		return iso8601(s, ms);
	return rfc822(s, ms);
}

/* timestamp_read.c - reads times in all forms known from archives (see
 * timestamp.h).
 *
 * Spec: ISO 8601:2004 (calendar and ordinal dates, basic and extended formats,
 * 24:00:00), RFC 3339 (offsets), RFC 9110 section 5.6.7 (the three
 * forms of HTTP-date), RFC 5322.
 *
 *     ISO     date [("T" / blanks) clock [fraction] [zone]]
 *     date    YYYY ["-" MM ["-" DD]], YYYY "-" DDD, and the same without
 *             hyphens; YYYY "-" MM "-" DDD, the day of the year after its
 *             month, as in ClueWeb09
 *     clock   hh [":" mm [":" ss]], hhmm, hhmmss
 *     digits  YYYYMMDDhhmmss, or fewer; digits after the 14th are ignored; 10
 *             or 13 digits whose first four are below 1990 are Unix seconds or
 *             milliseconds
 *     mail    [day ","] DD Mon YY[YY] [clock] [zone]
 *     asctime day Mon DD clock [zone] YYYY
 *     zone    "Z", +hh[[:]mm], a name of the table below
 * Also accepted, but not reported as whole: numbers of one digit, and other
 * separators than hyphens between the parts of a date.
 *
 * The time ends before the first part that is invalid.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "timestamp.h"

#include "ascii.h"
#include "error.h"

#define DAY 86400
#define MINUTE 60

/* The parts of a time: indexes of `part`. */
enum date_part { YEAR, MONTH, MDAY, HOUR, MINUTES, SECOND, PARTS };

struct spelled {
	struct cfs_slice s;	/* the text that is not yet read */
	int part[PARTS];
	size_t n;		/* parts that were read */
	int ms, east_s;		/* fraction; seconds east of UTC */
	bool is_odd;		/* does not fully match a form above */
};

/* ---- fields ---- */

static bool timestamp_read_take(struct cfs_slice *s, uint8_t c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	*s = cfs_slice_from(*s, 1);
	return true;
}

static void skip_blanks(struct cfs_slice *s)
{
	while (s->n > 0 && (cfs_is_blank(s->p[0]) || s->p[0] == ','))
		*s = cfs_slice_from(*s, 1);
}

static size_t count_digits(struct cfs_slice s)
{
	return cfs_slice_run(s, cfs_is_digit);
}

/* Takes a number of n digits, at most four. */
static int timestamp_read_take_number(struct cfs_slice *s, size_t n)
{
	int v = 0;

	for (size_t i = 0; i < n; i++)
		v = v * 10 + (s->p[i] - '0');
	*s = cfs_slice_from(*s, n);
	return v;
}

static struct cfs_slice timestamp_read_take_word(struct cfs_slice *s)
{
	return cfs_slice_take(s, cfs_slice_run(*s, cfs_is_alpha));
}

/* Takes the next part of two digits; one digit is odd.  False, and odd, if
 * there is none. */
static bool timestamp_read_take_part(struct spelled *t)
{
	size_t n = count_digits(t->s);

	if (n == 0 || n > 2 || t->n == PARTS) {
		t->is_odd = true;
		return false;
	}
	t->is_odd |= n == 1;
	t->part[t->n++] = timestamp_read_take_number(&t->s, n);
	return true;
}

/* Takes parts of two digits each from a run of digits; a single digit left over
 * is odd. */
static void take_run(struct spelled *t, size_t digits)
{
	for (; digits >= 2 && t->n < PARTS; digits -= 2)
		t->part[t->n++] = timestamp_read_take_number(&t->s, 2);
	if (t->n == PARTS)
		t->s = cfs_slice_from(t->s, digits);
	else
		t->is_odd |= digits > 0;
}

/* ---- zones ---- */

static bool take_offset(struct cfs_slice *s, int *east_s)
{
	int sign = s->p[0] == '-' ? -1 : 1, h, m = 0;
	struct cfs_slice t = cfs_slice_from(*s, 1);
	size_t n = count_digits(t);

	if (n != 2 && n != 4)
		return false;
	h = timestamp_read_take_number(&t, 2);
	if (n == 4 || (t.n > 2 && t.p[0] == ':' &&
		       count_digits(cfs_slice_from(t, 1)) == 2)) {
		timestamp_read_take(&t, ':');
		m = timestamp_read_take_number(&t, 2);
	}
	if (h > 23 || m > 59)
		return false;
	*east_s = sign * (h * 60 + m) * MINUTE;
	*s = t;
	return true;
}

static bool take_zone_name(struct cfs_slice *s, int *east_s)
{
	static const struct { const char *name; int hours; } zones[] = {
		{ "Z", 0 }, { "GMT", 0 }, { "UT", 0 }, { "UTC", 0 },
		{ "EST", -5 }, { "EDT", -4 }, { "CST", -6 }, { "CDT", -5 },
		{ "MST", -7 }, { "MDT", -6 }, { "PST", -8 }, { "PDT", -7 },
		{ "CET", 1 }, { "CEST", 2 }, { "BST", 1 }, { "JST", 9 },
	};
	struct cfs_slice t = *s, w = timestamp_read_take_word(&t);

	for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]); i++)
		if (cfs_slice_eq_nocase(w, cfs_slice_str(zones[i].name))) {
			*east_s = zones[i].hours * 60 * MINUTE;
			*s = t;
			return true;
		}
	return false;
}

/* Takes the zone, if one is next; without one the time is UTC. */
static void take_zone(struct spelled *t)
{
	skip_blanks(&t->s);
	if (t->s.n == 0)
		return;
	if (t->s.p[0] == '+' || t->s.p[0] == '-' ?
	    !take_offset(&t->s, &t->east_s) :
	    !take_zone_name(&t->s, &t->east_s))
		t->is_odd = true;
}

/* ---- clocks ---- */

static void take_fraction(struct spelled *t)
{
	int unit = 100;

	if (t->n != PARTS || (!timestamp_read_take(&t->s, '.') &&
			      !timestamp_read_take(&t->s, ',')))
		return;
	for (; t->s.n > 0 && cfs_is_digit(t->s.p[0]); unit /= 10) {
		t->ms += unit * (t->s.p[0] - '0');
		t->s = cfs_slice_from(t->s, 1);
	}
}

static void take_clock(struct spelled *t)
{
	size_t n = count_digits(t->s);

	if (n == 4 || n == 6)
		take_run(t, n);
	else if (timestamp_read_take_part(t))
		while (t->n < PARTS && timestamp_read_take(&t->s, ':') &&
		       timestamp_read_take_part(t))
			;
	take_fraction(t);
}

/* ---- ISO dates ---- */

/* Sets the date to `days` after the time `first`. */
static void set_date(struct spelled *t, int64_t first, int days)
{
	cfs_time_to_date(first + (int64_t)days * DAY, &t->part[YEAR],
			 &t->part[MONTH], &t->part[MDAY]);
	t->n = MDAY + 1;
}

/* Sets the date to a day of the year.  It is odd, and not set, if it is outside
 * the year, or outside the month if one was read. */
static void set_day_of_year(struct spelled *t, int day)
{
	int year = t->part[YEAR], month = t->part[MONTH];
	size_t n = t->n;

	if (day >= 1 && day <= 366)
		set_date(t, cfs_time_from_utc(year, 1, 1, 0, 0, 0), day - 1);
	if (t->n > MDAY && t->part[YEAR] == year &&
	    (n == YEAR + 1 || t->part[MONTH] == month))
		return;
	t->part[YEAR] = year;
	t->part[MONTH] = month;
	t->n = n;
	t->is_odd = true;
}

static bool take_separator(struct spelled *t)
{
	uint8_t c = t->s.n > 1 ? t->s.p[0] : 0;

	if ((c != '-' && c != '/' && c != '.') || !cfs_is_digit(t->s.p[1]))
		return false;
	t->is_odd |= c != '-';
	t->s = cfs_slice_from(t->s, 1);
	return true;
}

/* Takes the rest of a date, behind its year. */
static void timestamp_read_take_date(struct spelled *t)
{
	while (t->n <= MDAY && take_separator(t)) {
		if (count_digits(t->s) == 3) {
			set_day_of_year(t, timestamp_read_take_number(&t->s,
								      3));
			return;
		}
		if (!timestamp_read_take_part(t))
			return;
	}
}

static bool take_time_sign(struct spelled *t)
{
	struct cfs_slice s = t->s;

	if (!timestamp_read_take(&s, 'T') && !timestamp_read_take(&s, 't') &&
	    (s.n == 0 || !cfs_is_blank(s.p[0])))
		return false;
	s = cfs_slice_from(s, cfs_slice_run(s, cfs_is_blank));
	if (s.n == 0 || !cfs_is_digit(s.p[0]))
		return false;
	t->s = s;
	return true;
}

/* Takes a time that begins with at least four digits. */
static void take_iso(struct spelled *t)
{
	size_t digits = count_digits(t->s);

	t->part[t->n++] = timestamp_read_take_number(&t->s, 4);
	if (digits == 7) {
		set_day_of_year(t, timestamp_read_take_number(&t->s, 3));
	} else if (digits > 4) {
		take_run(t, digits - 4);
		take_fraction(t);
	} else {
		timestamp_read_take_date(t);
	}
	if (t->n == MDAY + 1 && take_time_sign(t))
		take_clock(t);
	take_zone(t);
}

/* ---- numbers ---- */

#define SECOND_DIGITS 10u
#define MS_DIGITS 13u
/* No web archive is older. */
#define FIRST_YEAR 1990u

/* Reads seconds or milliseconds since 1970, with or without a fraction. */
static bool is_unix(struct cfs_slice s, struct cfs_time_reading *out)
{
	size_t digits = count_digits(s);
	uint64_t year, v;

	if ((digits != SECOND_DIGITS && digits != MS_DIGITS) ||
	    (digits < s.n && (s.p[digits] != '.' ||
			      count_digits(cfs_slice_from(s, digits + 1)) +
			      digits + 1 < s.n)) ||
	    cfs_slice_parse_u64(cfs_slice_sub(s, 0, 4), FIRST_YEAR - 1,
				&year) != CFS_OK ||
	    cfs_slice_parse_u64(cfs_slice_sub(s, 0, digits), INT64_MAX, &v) !=
	    CFS_OK)
		return false;
	*out = (struct cfs_time_reading){ .is_whole = true, .has_day = true };
	out->time = (int64_t)(digits == MS_DIGITS ? v / 1000 : v);
	out->ms = digits == MS_DIGITS ? (int)(v % 1000) : 0;
	return true;
}

/* ---- mail, HTTP ---- */

/* The month that a word names, 1 to 12; 0 if it names none. */
static int month_of(struct cfs_slice w)
{
	static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";

	for (int i = 0; i < 12 && w.n >= 3; i++)
		if (cfs_slice_starts_nocase(
			    w, cfs_slice_of(names + (size_t)i * 3, 3)))
			return i + 1;
	return 0;
}

/* Takes the day of the month, of one digit or two. */
static bool take_mday(struct spelled *t)
{
	size_t n = count_digits(t->s);

	if (n == 0 || n > 2)
		return false;
	t->part[MDAY] = timestamp_read_take_number(&t->s, n);
	timestamp_read_take(&t->s, '-');
	skip_blanks(&t->s);
	return true;
}

/* Takes a year.  Software of around 2000 wrote years as 2 or 3 digits. */
static bool take_year(struct spelled *t)
{
	size_t n = count_digits(t->s);
	int year;

	if (n < 2 || n > 4)
		return false;
	year = timestamp_read_take_number(&t->s, n);
	if (n == 2)
		year += year < 50 ? 2000 : 1900;
	else if (n == 3)
		year += 1900;
	t->part[YEAR] = year;
	return true;
}

/* Takes a clock, if one is next.  Here one digit is not odd. */
static void take_mail_clock(struct spelled *t)
{
	bool was_odd = t->is_odd;

	skip_blanks(&t->s);
	t->n = MDAY + 1;
	if (t->s.n == 0 || !cfs_is_digit(t->s.p[0]))
		return;
	take_clock(t);
	t->is_odd = was_odd || t->n < MINUTES + 1;
}

static bool take_mail(struct spelled *t)
{
	struct cfs_slice word = timestamp_read_take_word(&t->s);

	timestamp_read_take(&t->s, '.');
	skip_blanks(&t->s);
	if (word.n > 0 && t->s.n > 0 && cfs_is_alpha(t->s.p[0])) {
		t->part[MONTH] = month_of(
			timestamp_read_take_word(&t->s)); /* asctime */
		skip_blanks(&t->s);
		if (t->part[MONTH] == 0 || !take_mday(t))
			return false;
		take_mail_clock(t);
		take_zone(t);
		skip_blanks(&t->s);
		t->is_odd = false;
		return t->n > HOUR && take_year(t);
	}
	if (!take_mday(t))
		return false;
	t->part[MONTH] = month_of(timestamp_read_take_word(&t->s));
	timestamp_read_take(&t->s, '-');
	skip_blanks(&t->s);
	if (t->part[MONTH] == 0 || !take_year(t))
		return false;
	take_mail_clock(t);
	take_zone(t);
	return true;
}

/* ---- all forms ---- */

/* The number of valid parts before the first invalid one. */
static size_t valid_parts(const struct spelled *t)
{
	static const int most[] = { 9999, 12, 31, 24, 59, 60 };
	size_t n = 0;

	while (n < t->n && t->part[n] >= (n <= MDAY) && t->part[n] <= most[n] &&
	       (n != MDAY || t->part[n] <= cfs_time_month_days(t->part[YEAR],
							t->part[MONTH])))
		n++;
	if (n > HOUR && t->part[HOUR] == 24 &&	/* only 24:00:00 is valid */
	    ((t->n > MINUTES && t->part[MINUTES] != 0) ||
	     (t->n > SECOND && t->part[SECOND] != 0)))
		n = HOUR;
	return n;
}

static int timestamp_read_settle(const struct spelled *t,
				 struct cfs_time_reading *out)
{
	int f[PARTS] = { 0, 1, 1, 0, 0, 0 };
	size_t n = valid_parts(t);

	*out = (struct cfs_time_reading){ .time = 0 };
	out->is_whole = n == t->n && !t->is_odd && t->s.n == 0 &&
			(n > HOUR || t->east_s == 0);
	out->has_day = n > MDAY;
	/* a year alone may be any number */
	if (n == 0 || (n == YEAR + 1 && !out->is_whole))
		return CFS_EFORMAT;
	for (size_t i = 0; i < n; i++)
		f[i] = t->part[i];
	out->time = cfs_time_from_utc(f[YEAR], f[MONTH], f[MDAY], f[HOUR],
				      f[MINUTES], f[SECOND]);
	if (n > HOUR)
		out->time -= t->east_s;
	if (n == PARTS)
		out->ms = t->ms;
	return CFS_OK;
}

int cfs_time_read_iso(struct cfs_slice s, struct cfs_time_reading *out)
{
	struct spelled t = { .s = cfs_slice_trim(s) };

	if (count_digits(t.s) < 4)
		return CFS_EFORMAT;
	take_iso(&t);
	return timestamp_read_settle(&t, out);
}

int cfs_time_read(struct cfs_slice s, struct cfs_time_reading *out)
{
	struct spelled t = { .s = cfs_slice_trim(s) };

	if (is_unix(t.s, out))
		return CFS_OK;
	if (count_digits(t.s) >= 4)
		return cfs_time_read_iso(s, out);
	return take_mail(&t) ? timestamp_read_settle(&t, out) : CFS_EFORMAT;
}

int cfs_time_parse_iso(struct cfs_slice s, int64_t *out)
{
	struct cfs_time_reading r;

	if (cfs_time_read_iso(s, &r) != CFS_OK || !r.is_whole)
		return CFS_EFORMAT;
	*out = r.time;
	return CFS_OK;
}

/* timestamp.c - converts times of archives to Unix seconds, and back (see
 * timestamp.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "timestamp.h"

#include <string.h>

#include "ascii.h"
#include "clamp.h"
#include "error.h"

#define DAY 86400

/* Days since 1970-01-01; years are counted from March so that the leap day
 * comes last. */
static int64_t days_from_civil(int64_t y, int m, int d)
{
	int64_t era, yoe, doy;

	y -= m <= 2;
	era = (y >= 0 ? y : y - 399) / 400;
	yoe = y - era * 400;
	doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

int64_t cfs_time_from_utc(int year, int month, int day, int h, int m, int s)
{
	return days_from_civil(year, month, day) * DAY + h * 3600 + m * 60 + s;
}

int cfs_time_month_days(int y, int m)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30,
				    31, 31, 30, 31, 30, 31 };
	bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;

	return m == 2 && leap ? 29 : days[m - 1];
}

/* f: year, month, day, hour, minute, second.  60 seconds are allowed for leap
 * seconds, 24:00:00 for the end of the day. */
static int timestamp_join(const int f[6], int64_t *out)
{
	if (f[1] < 1 || f[1] > 12 || f[2] < 1 ||
	    f[2] > cfs_time_month_days(f[0], f[1]) || f[3] > 24 || f[4] > 59 ||
	    f[5] > 60 || (f[3] == 24 && (f[4] | f[5]) != 0))
		return CFS_EFORMAT;
	*out = cfs_time_from_utc(f[0], f[1], f[2], f[3], f[4], f[5]);
	return CFS_OK;
}

static bool take_digits(struct cfs_slice *s, size_t n, int *out)
{
	uint64_t v;

	if (s->n < n ||
	    cfs_slice_parse_u64(cfs_slice_sub(*s, 0, n), 9999, &v) != CFS_OK)
		return false;
	*out = (int)v;
	*s = cfs_slice_from(*s, n);
	return true;
}

int cfs_time_parse_14(struct cfs_slice s, int64_t *out)
{
	int f[6] = { 0, 1, 1, 0, 0, 0 };
	size_t field = 0;

	s = cfs_slice_sub(s, 0, 14);
	s.n = cfs_slice_run(s, cfs_is_digit);
	if (s.n < 4 || s.n % 2 != 0)
		return CFS_EFORMAT;
	if (!take_digits(&s, 4, &f[field++]))
		return CFS_EFORMAT;
	while (s.n > 0)
		if (!take_digits(&s, 2, &f[field++]))
			return CFS_EFORMAT;
	return timestamp_join(f, out);
}

/* The span of an even number of digits.  Hour 24 needs all 14 digits, since it
 * has only one second. */
static int span_of(const uint8_t digits[14], size_t n, int64_t *first,
		   int64_t *last)
{
	static const int seconds[] = { DAY, 3600, 60, 1 };
	int y, m;

	if (cfs_time_parse_14(cfs_slice_of(digits, n), first) != CFS_OK ||
	    (n >= 10 && n < 14 && digits[8] == '2' && digits[9] == '4'))
		return CFS_EFORMAT;
	if (n >= 8) {
		*last = *first + seconds[(n - 8) / 2] - 1;
		return CFS_OK;
	}
	y = (digits[0] - '0') * 1000 + (digits[1] - '0') * 100 +
	    (digits[2] - '0') * 10 + digits[3] - '0';
	m = n == 6 ? (digits[4] - '0') * 10 + digits[5] - '0' : 12;
	/* the second before the next month or year begins */
	if (m == 12)
		*last = cfs_time_from_utc(y + 1, 1, 1, 0, 0, 0) - 1;
	else
		*last = cfs_time_from_utc(y, m + 1, 1, 0, 0, 0) - 1;
	return CFS_OK;
}

int cfs_time_parse_span(struct cfs_slice s, int64_t *first, int64_t *last)
{
	uint8_t digits[14];
	bool any = false;
	int64_t from, to;
	size_t n = 0;

	s = cfs_slice_trim(s);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] >= '0' && s.p[i] <= '9' && n < sizeof(digits))
			digits[n++] = s.p[i];
		else if (n < 4 || memchr("-: TZ", s.p[i], 5) == NULL)
			return CFS_EFORMAT;
	}
	if (n % 2 == 0)
		return span_of(digits, n, first, last);
	if (n < 4 || n < s.n)
		return CFS_EFORMAT;
	for (uint8_t c = '0'; c <= '9'; c++) {	/* the missing digit */
		digits[n] = c;
		if (span_of(digits, n + 1, &from, &to) != CFS_OK)
			continue;
		*first = any ? *first : from;
		*last = to;
		any = true;
	}
	return any ? CFS_OK : CFS_EFORMAT;
}

/* Days since 1970-01-01, rounded down. */
static int64_t days_of(int64_t t)
{
	return t >= 0 ? t / DAY : -((-t + DAY - 1) / DAY);
}

static void civil_from_days(int64_t z, int *y, int *m, int *d)
{
	int64_t era, doe, yoe, doy, mp;

	z += 719468;
	era = (z >= 0 ? z : z - 146096) / 146097;
	doe = z - era * 146097;
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	mp = (5 * doy + 2) / 153;
	*d = (int)(doy - (153 * mp + 2) / 5 + 1);
	*m = (int)(mp < 10 ? mp + 3 : mp - 9);
	*y = (int)(yoe + era * 400 + (*m <= 2));
}

void cfs_time_to_date(int64_t t, int *year, int *month, int *day)
{
	civil_from_days(days_of(t), year, month, day);
}

/* n: 0 to 99. */
static void put_two_digits(char *out, int n)
{
	out[0] = (char)('0' + n / 10);
	out[1] = (char)('0' + n % 10);
}

void cfs_time_format_14(int64_t t, char out[CFS_TIME_14_BYTES])
{
	int64_t lo = cfs_time_from_utc(0, 1, 1, 0, 0, 0);
	int64_t hi = cfs_time_from_utc(9999, 12, 31, 23, 59, 59);
	int64_t days, rest;
	int y, m, d;

	t = cfs_clamp_i64(t, lo, hi);
	days = days_of(t);
	rest = t - days * DAY;
	civil_from_days(days, &y, &m, &d);
	put_two_digits(out, y / 100);
	put_two_digits(out + 2, y % 100);
	put_two_digits(out + 4, m);
	put_two_digits(out + 6, d);
	put_two_digits(out + 8, (int)(rest / 3600));
	put_two_digits(out + 10, (int)(rest / 60 % 60));
	put_two_digits(out + 12, (int)(rest % 60));
	out[14] = '\0';
}

const char *cfs_time_format_cdx(int64_t t, char out[CFS_TIME_14_BYTES])
{
	if (t == 0)
		memcpy(out, "-", 2);
	else
		cfs_time_format_14(t, out);
	return out;
}

const char *cfs_time_format_iso(int64_t t, char out[CFS_TIME_ISO_BYTES])
{
	static const char form[] = "0123-45-67T89:ab:cdZ";
	char digits[CFS_TIME_14_BYTES];
	size_t n = 0;

	cfs_time_format_14(t, digits);
	for (size_t i = 0; i < sizeof(form); i++)
		out[i] = cfs_is_xdigit(form[i]) ? digits[n++] : form[i];
	return out;
}

/* The day of the month of the nth Sunday of month m. */
static int nth_sunday(int y, int m, int n)
{
	/* 1970-01-01 was a Thursday; 0 = Sunday */
	int64_t first = (days_from_civil(y, m, 1) + 4) % 7;

	if (first < 0)
		first += 7;
	return (int)((7 - first) % 7) + 1 + (n - 1) * 7;
}

int64_t cfs_time_pacific_to_utc(int64_t local)
{
	int64_t begin, end;
	int y, m, d;

	civil_from_days(days_of(local), &y, &m, &d);
	begin = cfs_time_from_utc(y, 3, nth_sunday(y, 3, 2), 2, 0, 0);
	end = cfs_time_from_utc(y, 11, nth_sunday(y, 11, 1), 2, 0, 0);
	return local + (local >= begin && local < end ? 7 : 8) * 3600;
}

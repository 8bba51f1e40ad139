/* timestamp.h - the ways archives write time, and Unix seconds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_TIMESTAMP_H
#define CFS_BASE_TIMESTAMP_H

#include "slice.h"

/* Proleptic Gregorian, UTC, seconds since 1970; years 0 to 9999. */
int64_t cfs_time_from_utc(int year, int month, int day, int h, int m, int s);
/* The day, in UTC, of a time. */
void cfs_time_to_date(int64_t t, int *year, int *month, int *day);
/* 28 to 31; month 1 to 12. */
int cfs_time_month_days(int year, int month);

/*
 * A CDX/ARC time stamp YYYYMMDDhhmmss.  The first 14 digits count (ARC files
 * with 16 and 17 digits exist); 4, 6, 8, 10 or 12 digits leave the rest at
 * its lowest value; 240000 is the next day's 000000.  0, or CFS_EFORMAT for no
 * digits, an odd number of digits below 14, or a field out of range.
 */
int cfs_time_parse_14(struct cfs_slice s, int64_t *out);

/* What a text says of a time. */
struct cfs_time_reading {
	int64_t time;		/* Unix seconds, UTC */
	int ms;			/* of a fraction, 0 to 999 */
	bool has_day;		/* not only a year or month */
	/* It was read to its end, and all parts are valid.  If not, the time
	 * is that of the longest valid part, which has a month at least; what
	 * is missing has its lowest value. */
	bool is_whole;
};

/*
 * A time as archives are known to write it (timestamp_read.c has the forms):
 * ISO 8601 with offsets, ordinal and week dates, 14 digits and fewer, Unix
 * seconds and milliseconds, the dates of HTTP and mail.  A time without an
 * offset is UTC.  0, or CFS_EFORMAT if nothing is valid; *out is undefined
 * then.
 */
int cfs_time_read(struct cfs_slice s, struct cfs_time_reading *out);

/* The forms of those that begin with a year of four digits. */
int cfs_time_read_iso(struct cfs_slice s, struct cfs_time_reading *out);

/* The same; 0, or CFS_EFORMAT if it is not read whole. */
int cfs_time_parse_iso(struct cfs_slice s, int64_t *out);

/* A time as people type it: 4 to 14 digits, between which there may be what ISO
 * 8601 has (2024, 202402, 2024-02-20T09:30); an odd number of them only without
 * (20241 is October to December).  One that is cut short stands for all seconds
 * from *first to *last.  0 or CFS_EFORMAT. */
int cfs_time_parse_span(struct cfs_slice s, int64_t *first, int64_t *last);

/* 14 digits and a NUL.  Times outside years 0-9999 are clamped. */
#define CFS_TIME_14_BYTES 15
void cfs_time_format_14(int64_t t, char out[CFS_TIME_14_BYTES]);

/* YYYY-MM-DDThh:mm:ssZ and a NUL, of the same times.  Returns out. */
#define CFS_TIME_ISO_BYTES 21
const char *cfs_time_format_iso(int64_t t, char out[CFS_TIME_ISO_BYTES]);

/* A wall clock reading in US Pacific time (with the daylight saving rules in
 * force from 2007: second Sunday of March to first Sunday of November, 2:00),
 * given as if it were UTC, converted to UTC.  The dates of Common Crawl's ARC
 * files of 2008 to 2010 are of this kind (doc/formats.md, "ARC dates"). */
int64_t cfs_time_pacific_to_utc(int64_t local);

#endif

/* timestamp.h - converts the times that archives contain to Unix seconds, and
 * back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_TIMESTAMP_H
#define CFS_BASE_TIMESTAMP_H

#include "slice.h"

/* Seconds since 1970 of a UTC time, proleptic Gregorian; years 0 to 9999. */
int64_t cfs_time_from_utc(int year, int month, int day, int h, int m, int s);
/* The date, in UTC, of a time. */
void cfs_time_to_date(int64_t t, int *year, int *month, int *day);
/* Days of a month (1 to 12): 28 to 31. */
int cfs_time_month_days(int year, int month);

/*
 * Parses a CDX/ARC time stamp YYYYMMDDhhmmss.  Only the first 14 digits count
 * (ARC files with 16 and 17 digits exist).  With 4, 6, 8, 10 or 12 digits the
 * other fields have their lowest value; 240000 is the next day's 000000.  0, or
 * CFS_EFORMAT for any other number of digits below 14, or a field out of range.
 */
int cfs_time_parse_14(struct cfs_slice s, int64_t *out);

/* The result of reading a time. */
struct cfs_time_reading {
	int64_t time;		/* Unix seconds, UTC */
	int ms;			/* milliseconds, 0 to 999 */
	bool has_day;		/* the text has more than year and month */
	/* The whole text was read, and all parts are valid.  If not, `time` is
	 * that of the longest valid beginning, which has at least a month;
	 * missing fields have their lowest value. */
	bool is_whole;
};

/*
 * Reads a time in any of the forms that archives are known to contain
 * (timestamp_read.c lists them): ISO 8601 with offsets and ordinal dates,
 * 14 digits and fewer, Unix seconds and milliseconds, the dates of HTTP and
 * mail.  A time without an offset is UTC.  0, or CFS_EFORMAT if nothing is
 * valid; *out is then undefined.
 */
int cfs_time_read(struct cfs_slice s, struct cfs_time_reading *out);

/* The same, but only for forms that begin with a year of four digits. */
int cfs_time_read_iso(struct cfs_slice s, struct cfs_time_reading *out);

/* As cfs_time_read_iso, but CFS_EFORMAT unless the time is whole. */
int cfs_time_parse_iso(struct cfs_slice s, int64_t *out);

/* Parses a time as people type it: 4 to 14 digits, with or without the
 * separators of ISO 8601 (2024, 202402, 2024-02-20T09:30); an odd number of
 * digits only without them (20241 is October to December).  A shortened time
 * covers all seconds from *first to *last.  0 or CFS_EFORMAT. */
int cfs_time_parse_span(struct cfs_slice s, int64_t *first, int64_t *last);

/* Writes 14 digits and a NUL.  Times outside years 0-9999 are clamped. */
#define CFS_TIME_14_BYTES 15
void cfs_time_format_14(int64_t t, char out[CFS_TIME_14_BYTES]);
/* The same for the time of a capture as CDX lines have it: "-" if it is 0, not
 * known.  Returns out. */
const char *cfs_time_format_cdx(int64_t t, char out[CFS_TIME_14_BYTES]);

/* Writes YYYY-MM-DDThh:mm:ssZ and a NUL, clamped likewise.  Returns out. */
#define CFS_TIME_ISO_BYTES 21
const char *cfs_time_format_iso(int64_t t, char out[CFS_TIME_ISO_BYTES]);

/* Converts to UTC a time that was read as UTC but is US Pacific time (with the
 * daylight saving rules in force from 2007: second Sunday of March to first
 * Sunday of November, 2:00).  Common Crawl's ARC files of 2008 to 2010 contain
 * such dates (doc/formats.md, "ARC dates"). */
int64_t cfs_time_pacific_to_utc(int64_t local);

#endif

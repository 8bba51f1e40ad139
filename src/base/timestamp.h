/* timestamp.h - the three ways archives write time, and Unix seconds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_TIMESTAMP_H
#define CFS_BASE_TIMESTAMP_H

#include "slice.h"

/* Proleptic Gregorian, UTC, seconds since 1970; years 0 to 9999. */
int64_t cfs_time_from_utc(int year, int month, int day, int h, int m, int s);

/*
 * A CDX/ARC time stamp YYYYMMDDhhmmss.  The first 14 digits count (ARC files
 * with 16 and 17 digits exist); 4, 6, 8, 10 or 12 digits leave the rest at
 * its lowest value.  0, or CFS_EFORMAT for no digits, an odd number of
 * digits below 14, or a field out of range.
 */
int cfs_time_parse_14(struct cfs_slice s, int64_t *out);

/* A WARC-Date (ISO 28500, W3C profile of ISO 8601): `YYYY-MM-DDThh:mm:ssZ`
 * and shorter forms, fraction digits cut off.  0 or CFS_EFORMAT. */
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

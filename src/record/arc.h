/* arc.h - parses ARC records, versions 1 and 2.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_ARC_H
#define CFS_RECORD_ARC_H

#include "record.h"

/* Bytes of a header line: a URL may have 8 KiB, with room for junk. */
#define CFS_ARC_LINE_MAX 65536u

/* The fields of an ARC header line. */
struct cfs_arc_line {
	struct cfs_slice url, ip, date, mime;	/* empty where absent or "-" */
	bool has_length;		/* a number >= 0 */
	uint64_t length;
	/* It is a header line beyond doubt: it has a URL's scheme in front, a
	 * date, and a number (perhaps a negative one) at the end. */
	bool is_header;
};

/* Splits a header line (without its end).  False if it has too few fields. */
bool cfs_arc_line_parse(struct cfs_slice line, struct cfs_arc_line *out);

/* True if a line is the header line of a record beyond doubt. */
bool cfs_arc_is_header_line(struct cfs_slice line);

/* True if the URL is that of the record that an ARC file begins with.  One
 * whose URL is damaged has the type CFS_RECORD_ARC_HEADER by its block. */
bool cfs_arc_is_file_url(struct cfs_slice url);

/* The next header line begins within this many bytes of the declared end of a
 * record: lengths leave out the last line ends, or some of them. */
#define CFS_ARC_SLACK 16u

/*
 * Parses an ARC record into r, which was initialised; s begins with the header
 * line.  *used is the record's length: all of s, unless another record begins
 * right behind the declared length.  is_cc: see CFS_PARSE_COMMON_CRAWL.
 */
int cfs_arc_parse(struct cfs_record *r, struct cfs_slice s, bool is_cc,
		  size_t *used, struct cfs_error *err);

/* The declared length of a body without codings; false if the HTTP head has
 * none, or names a coding. */
bool cfs_arc_identity_length(const struct cfs_fields *http, uint64_t *out);
/* True if the HTTP head has a field that Common Crawl's crawler added. */
bool cfs_arc_has_own_field(const struct cfs_record *r);
/* True if r is the file header of one of Common Crawl's ARC files. */
bool cfs_arc_is_common_crawl(const struct cfs_record *r);
/* True if a file is named as theirs were: <ms>_<partition>.arc[.gz]. */
bool cfs_arc_is_common_crawl_name(struct cfs_slice path);

#endif

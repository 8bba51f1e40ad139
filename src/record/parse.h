/* parse.h - finds where a record begins, and parses it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_PARSE_H
#define CFS_RECORD_PARSE_H

#include "record.h"

struct cfs_record_limits {
	uint64_t max_body_bytes;	/* decoded; more is CFS_ELIMIT */
	const char *spill_dir;		/* `dir` of cfs_body_decode */
};

/*
 * Parses an inflated record.  `bytes` is borrowed for the life of r and may be
 * longer than the record: *used (may be NULL) is its length with the line ends
 * behind it.  The format is recognised from the bytes.
 * 0; CFS_EFORMAT (not a record, err->text says why); CFS_ELIMIT; CFS_ENOMEM.
 */
int cfs_record_parse(struct cfs_record *r, struct cfs_slice bytes,
		     unsigned flags, const struct cfs_record_limits *limits,
		     uint64_t *used, struct cfs_error *err);

/* True if a record may begin with these bytes (looks at one line). */
bool cfs_record_is_start(struct cfs_slice bytes);

/* The extent of a record, found in its header alone. */
struct cfs_record_shape {
	enum cfs_archive_format format;
	size_t skip;			/* line ends before the header */
	size_t head_bytes;		/* ARC: the line; WARC: to the blank
					 * line */
	bool has_declared;		/* it has a usable content length */
	uint64_t declared;		/* the content length */
};

/*
 * Reads the header only.  0; CFS_EFORMAT if no record begins here; CFS_END if
 * the header continues past the end of `bytes`, and more bytes may help;
 * CFS_ELIMIT if it is longer than a header may be; CFS_ENOMEM.
 */
int cfs_record_measure(struct cfs_slice bytes, struct cfs_record_shape *out,
		       struct cfs_error *err);

/*
 * The first place in s where a record's header line begins: at 0 or behind a
 * LF; s.n if there is none.  A line that the end of s cuts off does not count;
 * *from_line (may be NULL) is where it begins.
 */
size_t cfs_record_find_start(struct cfs_slice s, enum cfs_archive_format format,
			     size_t *from_line);

#endif

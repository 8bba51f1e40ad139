/* parse.h - finds where an archive record begins, and parses it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_PARSE_H
#define CFS_RECORD_PARSE_H

#include "record.h"

struct cfs_record_limits {
	uint64_t max_body_bytes;	/* decoded; beyond it CFS_ELIMIT */
	const char *spill_dir;		/* dir of cfs_body_decode */
};

/*
 * Parses an inflated record.  `bytes` is borrowed for the life of r and may
 * be longer than the record: *used (may be NULL) is its length with the line
 * ends after it.  The format is found by looking.
 * 0; CFS_EFORMAT (not a record, err->text says why); CFS_ELIMIT; CFS_ENOMEM.
 */
int cfs_record_parse(struct cfs_record *r, struct cfs_slice bytes,
		     unsigned flags, const struct cfs_record_limits *limits,
		     uint64_t *used, struct cfs_error *err);

/* True if bytes can begin an ARC or WARC record (looks at one line). */
bool cfs_record_is_start(struct cfs_slice bytes);

/* How the bytes of a record are to be cut, found in its header alone. */
struct cfs_record_shape {
	enum cfs_archive_format format;
	size_t skip;			/* line ends before the header */
	size_t head_bytes;		/* ARC: the line; WARC: to the blank
					 * line */
	bool has_declared;		/* a usable content length is there */
	uint64_t declared;
};

/*
 * Reads no more than the header.  0; CFS_EFORMAT when no record begins here;
 * CFS_END when the header continues past the end of `bytes` and more might
 * help; CFS_ELIMIT when it is longer than a header may be; CFS_ENOMEM.
 */
int cfs_record_measure(struct cfs_slice bytes, struct cfs_record_shape *out,
		       struct cfs_error *err);

/*
 * The first place in s where a record's header line begins: at 0 or after a
 * LF.  s.n if there is none.  Lines cut off by the end of s do not count;
 * *from_line (may be NULL) is where the first such line begins.
 */
size_t cfs_record_find_start(struct cfs_slice s, enum cfs_archive_format format,
			     size_t *from_line);

#endif

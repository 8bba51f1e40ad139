/* record.h - one archive record, parsed: ARC or WARC header, HTTP head, body.
 *
 * The rules (which length to trust, when an encoding is undone) are those of
 * doc/formats.md, "ARC records", "WARC records" and "HTTP bodies".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_RECORD_H
#define CFS_RECORD_RECORD_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"

enum cfs_archive_format { CFS_ARCHIVE_ARC = 1, CFS_ARCHIVE_WARC = 2 };

enum cfs_record_type {
	CFS_RECORD_UNKNOWN = 0,
	CFS_RECORD_ARC_HEADER,	/* filedesc: */
	CFS_RECORD_ARC,		/* any other ARC record */
	CFS_RECORD_WARCINFO,
	CFS_RECORD_RESPONSE,
	CFS_RECORD_RESOURCE,
	CFS_RECORD_REQUEST,
	CFS_RECORD_METADATA,
	CFS_RECORD_REVISIT,
	CFS_RECORD_CONVERSION,
	CFS_RECORD_CONTINUATION,
};

/* A named header field; value trimmed, folded lines joined by one blank. */
struct cfs_field {
	struct cfs_slice name, value;
};

/* In order of appearance, repeats kept. */
struct cfs_fields {
	struct cfs_field *v;
	size_t n;
};

/* The value of the first (last) field of that name without case; '_' equals
 * '-'.  Empty slice, *found false where there is none.  found may be NULL. */
struct cfs_slice cfs_fields_get(const struct cfs_fields *f, const char *name,
				bool *found);
struct cfs_slice cfs_fields_get_last(const struct cfs_fields *f,
				     const char *name, bool *found);

/*
 * A parsed record.  All slices borrow from the bytes that were parsed or from
 * memory the record owns; both live as long as the record.
 */
struct cfs_record {
	enum cfs_archive_format format;
	enum cfs_record_type type;
	struct cfs_slice all;		/* header, block, trailing newlines */
	struct cfs_slice head;		/* the ARC line, or the WARC header */
	struct cfs_slice block;		/* the content block: HTTP head + body */
	uint64_t declared_bytes;	/* content length as declared */
	bool is_cut;			/* fewer bytes than declared, or
					 * WARC-Truncated, or the crawl's own mark */

	struct cfs_slice url;		/* brackets stripped; empty if absent */
	bool has_time;
	int64_t time;			/* capture time, Unix seconds, UTC */
	int64_t time_ms;		/* milliseconds where the record has them
					 * (x_commoncrawl_FetchTimestamp, WARC 1.1),
					 * else time * 1000 */
	struct cfs_slice ip;
	struct cfs_slice mime;		/* declared: ARC line, or HTTP
					 * Content-Type (else WARC's); parameters
					 * cut off; lower case not enforced */
	struct cfs_fields warc;		/* WARC header fields; n 0 for ARC */

	bool has_http;
	struct cfs_slice http_head;	/* status line to the blank line, inclusive */
	unsigned status;		/* 0 if there is none */
	struct cfs_slice status_line;	/* without its line end */
	struct cfs_fields http;

	struct cfs_slice stored_body;	/* after the head, as archived */
	struct cfs_slice body;		/* the same with transfer and content
					 * encodings undone where header and
					 * bytes agree (the raw view) */
	bool body_was_decoded;
	/* A declared encoding whose bytes broke off or went wrong: body holds
	 * what could be decoded. */
	bool body_is_damaged;

	void *own;			/* arena of this module */
};

struct cfs_record_limits {
	uint64_t max_body_bytes;	/* decoded; beyond it CFS_ELIMIT */
};
#define CFS_RECORD_MAX_DEFAULT (1024u * 1024 * 1024)

/* Flags of cfs_record_parse. */
#define CFS_PARSE_HEAD_ONLY 1u	/* do not decode the body (body = empty) */
/* The archive is one of Common Crawl's own ARC files, whose declared lengths
 * count the last line end in some years (doc/formats.md, "ARC records").  It is also known
 * by x_commoncrawl_ fields of a record; this is for those that have none. */
#define CFS_PARSE_COMMON_CRAWL 2u

/*
 * Parses an inflated record.  `bytes` is borrowed for the life of r and may
 * be longer than the record: *used (may be NULL) tells its length with the
 * line ends after it.  The format is found by looking.
 * 0; CFS_EFORMAT (not a record, err->text says why); CFS_ELIMIT; CFS_ENOMEM.
 */
int cfs_record_parse(struct cfs_record *r, struct cfs_slice bytes,
		     unsigned flags, const struct cfs_record_limits *limits,
		     uint64_t *used, struct cfs_error *err);
void cfs_record_release(struct cfs_record *r);	/* accepts a zeroed one */

/* Fields of a WARC header; empty where absent.  The two of a record that is
 * referred to are those of a revisit; brackets round the URI are stripped,
 * those of record ids belong to them. */
struct cfs_slice cfs_record_id(const struct cfs_record *r);
struct cfs_slice cfs_record_digest(const struct cfs_record *r); /* of payload */
struct cfs_slice cfs_record_refers_to(const struct cfs_record *r);
struct cfs_slice cfs_record_refers_to_uri(const struct cfs_record *r);
struct cfs_slice cfs_record_refers_to_date(const struct cfs_record *r);

/* True if bytes can begin an ARC or WARC record (looks at one line). */
bool cfs_record_is_start(struct cfs_slice bytes);

#endif

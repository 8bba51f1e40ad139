/* record.h - a parsed record: ARC or WARC header, HTTP head, body.
 *
 * The rules (which length is trusted, when an encoding is undone) are those of
 * doc/formats.md, "ARC records", "WARC records" and "HTTP bodies".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_RECORD_H
#define CFS_RECORD_RECORD_H

#include "base/buf.h"
#include "base/error.h"
#include "base/spill.h"
#include "http_head.h"

enum cfs_archive_format { CFS_ARCHIVE_ARC = 1, CFS_ARCHIVE_WARC = 2 };

enum cfs_record_type {
	CFS_RECORD_UNKNOWN = 0,
	CFS_RECORD_ARC_HEADER,	/* filedesc:, or its block */
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

/*
 * A parsed record.  All slices borrow from the bytes that were parsed or from
 * memory the record owns; both live as long as the record.
 */
struct cfs_record {
	enum cfs_archive_format format;
	enum cfs_record_type type;
	struct cfs_slice all;		/* header, block, trailing newlines */
	struct cfs_slice head;		/* the ARC line, or the WARC header */
	struct cfs_slice block;		/* HTTP head and body */
	uint64_t declared_bytes;	/* content length as declared */
	bool is_cut;			/* fewer bytes than declared, or
					 * WARC-Truncated, or the crawler's own
					 * mark, or a segment of a record */

	/* WARC-Segment-Number: 1 is the first segment, which has the head, of a
	 * divided record (then is_cut is set); 0: not segmented. */
	uint32_t segment;

	/* The file ends inside the record, which is good up to there.  Then
	 * is_cut is set, too. */
	bool is_cut_off;

	struct cfs_slice url;		/* brackets stripped; empty if absent */
	bool has_time;
	bool time_is_odd;		/* the date is partly invalid; the time
					 * is that of its valid part */
	int64_t time;			/* capture time, Unix seconds, UTC */
	int64_t time_ms;		/* in milliseconds if the record has
					 * them (x-commoncrawl-FetchTimestamp,
					 * WARC 1.1), else time * 1000 */
	struct cfs_slice ip;
	struct cfs_slice mime;		/* declared: ARC line, or HTTP
					 * Content-Type (else WARC's);
					 * parameters cut off; lower case not
					 * enforced */
	struct cfs_fields warc;		/* WARC header fields; n 0 for ARC */

	bool has_http;
	struct cfs_slice http_head;	/* status line to the blank line,
					 * inclusive */
	size_t interim_bytes;		/* heads of interim responses before
					 * it */
	unsigned status;		/* 0 if there is none */
	struct cfs_slice status_line;	/* without its line end */
	struct cfs_fields http;

	struct cfs_slice stored_body;	/* behind the head, as archived */
	struct cfs_slice body;		/* with transfer and content encodings
					 * undone if header and bytes agree on
					 * them (the raw view) */
	/* A revisit, of which another record has the body: then this one has
	 * none.  One that holds its whole payload itself, by its digest, is
	 * read like any other record; so is one of an empty payload. */
	bool body_is_elsewhere;
	bool body_was_decoded;
	/* A declared encoding ends early or is corrupt: body holds what could
	 * be decoded. */
	bool body_is_damaged;

	struct cfs_buf decoded;		/* holds body if body_was_decoded */
};

#define CFS_RECORD_MAX_DEFAULT (1024u * 1024 * 1024)

/* The field by which Common Crawl's crawler of 2012 marked what it cut. */
#define CFS_CC_TRUNCATED "x-commoncrawl-ContentTruncated"

/* Flags of cfs_record_parse (parse.h). */
#define CFS_PARSE_HEAD_ONLY 1u	/* do not decode the body (body = empty) */
/* The archive is one of Common Crawl's own ARC files, whose declared lengths
 * count the last line end in some years (doc/formats.md, "ARC records").  A
 * record with x-commoncrawl- fields shows that by itself; the flag is for the
 * others. */
#define CFS_PARSE_COMMON_CRAWL 2u
/* The bytes are a WARC record's header and the blocks of its segments, as many
 * as there are; the declared length is that of the first block. */
#define CFS_PARSE_JOINED 4u
/* With CFS_PARSE_JOINED: no segment is missing. */
#define CFS_PARSE_WHOLE 8u

/* The name of a type as metadata and rows have it ("response", "arc"); "other"
 * for what is no capture. */
const char *cfs_record_type_name(enum cfs_record_type type);

/* False if a record of that type is only about a page, or about an archive. */
bool cfs_record_may_be_page(enum cfs_record_type type);
/* The message for such a record in place of a page. */
#define CFS_NO_PAGE_TEXT "the record there is not that of a page"

void cfs_record_init(struct cfs_record *r);	/* makes an empty one */
void cfs_record_release(struct cfs_record *r);	/* accepts a zeroed one */

/* Appends the payload's digest in its normal form (digest.h): the one that the
 * archive states, else the SHA-1 of the stored body; nothing for a revisit that
 * states none, or a record that is cut.  pages: of the body. */
void cfs_record_add_digest(const struct cfs_record *r, enum cfs_pages pages,
			   struct cfs_buf *out);

/* Splits content, if it begins with an HTTP response, into the head of the
 * final response and *body.  0 or CFS_ENOMEM. */
int cfs_record_split_http(struct cfs_record *r, struct cfs_slice content,
			  struct cfs_slice *body);

/* True if the body ends inside its coding, or that is damaged, and no
 * truncation is declared: then the body was taken as far as it was wanted. */
bool cfs_record_body_is_cut(const struct cfs_record *r);

/* True if the HTTP head declares exactly the length of the stored body, and no
 * coding. */
bool cfs_record_has_all_of_body(const struct cfs_record *r);

/* True if nothing is behind the record's block and part of the body is missing:
 * a record ends so if its file ends inside it. */
bool cfs_record_ends_short(const struct cfs_record *r);

/* True for text whose own Content-Type states another charset than UTF-8 (or
 * ASCII): conversion and resource records. */
bool cfs_record_states_charset(const struct cfs_record *r);

/* True for a revisit by which a server has said that nothing was modified: its
 * digest is not that of the payload (ISO 28500:2017, 6.7.3). */
bool cfs_record_is_not_modified(const struct cfs_record *r);

/* True if it holds its own payload; a revisit need not. */
bool cfs_record_holds_payload(const struct cfs_record *r, enum cfs_pages pages);

/* Fields of a WARC header; empty if absent.  cfs_record_warc_uri strips angle
 * brackets from the value; those of record ids belong to the ids. */
struct cfs_slice cfs_record_warc_field(const struct cfs_record *r,
				       const char *name);
struct cfs_slice cfs_record_warc_uri(const struct cfs_record *r,
				     const char *name);

#endif

/* s3_answer.h - parses the XML that S3 answers to multipart uploads.
 *
 * After the API reference of Amazon S3: CreateMultipartUpload, ListParts,
 * CompleteMultipartUpload, "Error responses".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_ANSWER_H
#define CFS_NET_S3_ANSWER_H

#include "base/error.h"
#include "base/slice.h"

#define CFS_S3_PARTS_MAX 10000u			/* in an upload, S3's own
						 * limit */
#define CFS_S3_PAGE_MAX 1000u			/* parts in one answer, S3's own */
#define CFS_S3_ID_BYTES 1025u			/* with its NUL */
#define CFS_S3_ETAG_BYTES 129u

enum cfs_s3_answer_kind {
	CFS_S3_OTHER,		/* something else; not parsed */
	CFS_S3_ERROR, CFS_S3_INITIATED, CFS_S3_COMPLETED, CFS_S3_PARTS
};

struct cfs_s3_part {
	unsigned number;		/* 1 to CFS_S3_PARTS_MAX */
	uint64_t bytes;
	char etag[CFS_S3_ETAG_BYTES];	/* without quotes; see cfs_s3_etag */
};

struct cfs_s3_answer {
	enum cfs_s3_answer_kind kind;
	char code[64], message[160];	/* an error's; printable ASCII */
	char region[32];		/* the bucket's, from an error; or
					 * empty */
	char upload_id[CFS_S3_ID_BYTES];	/* printable ASCII, no blank */
	char etag[CFS_S3_ETAG_BYTES];	/* a completed upload's */
	bool is_truncated;		/* more parts come after `next` */
	unsigned next;
	struct cfs_s3_part *part;	/* owned */
	size_t n_parts;
};

/* CFS_EFORMAT if it is not XML, or lacks what its kind of answer has;
 * CFS_ELIMIT; CFS_ENOMEM.  Release a after CFS_OK. */
int cfs_s3_answer_parse(struct cfs_s3_answer *a, struct cfs_slice xml,
			struct cfs_error *err);
void cfs_s3_answer_release(struct cfs_s3_answer *a);

/* Parses the error in the body of a refusal, which may be cut off: code,
 * message and region become "" if missing.  Nothing need be released. */
void cfs_s3_answer_error(struct cfs_s3_answer *a, struct cfs_slice body);

/* Takes the quotes off an ETag.  False unless it is letters, digits and
 * "-_+/=.", as all are. */
bool cfs_s3_etag(struct cfs_slice text, char out[CFS_S3_ETAG_BYTES]);

/* Copies the id of an upload.  False unless it is printable ASCII
 * without blanks. */
bool cfs_s3_id(struct cfs_slice text, char out[CFS_S3_ID_BYTES]);

/* ---- what refusals mean (s3_error.c) ----------------------------------- */

/* After the API reference of Amazon S3, "Error responses", and the codes after
 * which the AWS tools repeat requests. */

enum cfs_s3_error_kind {
	CFS_S3_ERROR_OTHER,
	CFS_S3_ERROR_BUSY,	/* asks for fewer requests: try later */
	CFS_S3_ERROR_PASSING,	/* the same request may succeed now */
	CFS_S3_ERROR_KEYS,	/* other credentials may be accepted */
};

struct cfs_s3_error {
	enum cfs_s3_error_kind kind;
	int code;		/* CFS_EACCESS, ...; CFS_OK: see the status */
	const char *help;	/* the remedy, a clause; "": unknown */
};

/* Judges code and message of an error, whatever its status.  `is_anonymous`:
 * the request was not signed. */
struct cfs_s3_error cfs_s3_error_of(const char *code, const char *message,
				    bool is_anonymous);

/* True for a status that says nothing about the object: the request should be
 * sent again (408, 425, 429, most of 5xx). */
bool cfs_status_is_passing(unsigned status);
/* True for those statuses that report a timeout, of the server or behind it. */
bool cfs_status_is_timeout(unsigned status);

#endif

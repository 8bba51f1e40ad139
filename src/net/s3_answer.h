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

#endif

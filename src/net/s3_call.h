/* s3_call.h - one request of S3 other than for a range of an object: signed,
 * with a body, tried again as long as that makes sense.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_CALL_H
#define CFS_NET_S3_CALL_H

#include <curl/curl.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "base/cancel.h"
#include "s3.h"
#include "s3_answer.h"

/* ---- hashes of what is sent, as hex ------------------------------------- */

#define CFS_S3_MD5_BYTES 16u
#define CFS_S3_MD5_HEX 33u	/* with the NUL */
#define CFS_S3_SHA256_HEX 65u

/* The hashes of n bytes of fd from off; either may be NULL.  CFS_EIO,
 * CFS_EINTR. */
int cfs_s3_hash(int fd, uint64_t off, uint64_t n, char md5[CFS_S3_MD5_HEX],
		char sha256[CFS_S3_SHA256_HEX], const struct cfs_cancel *cancel,
		struct cfs_error *err);
/* Those of bytes in memory; either may be NULL. */
void cfs_s3_hash_text(struct cfs_slice text, char md5[CFS_S3_MD5_HEX],
		      char sha256[CFS_S3_SHA256_HEX]);

/* The bytes of an MD5 in hex, which is valid. */
void cfs_s3_md5_decode(const char *hex, uint8_t out[CFS_S3_MD5_BYTES]);

/* ---- requests ----------------------------------------------------------- */

/* To be zeroed but for what is asked; used by one thread, any number of times
 * (the connection is kept); released at the end. */
struct cfs_s3_call {
	/* What is asked.  Queries must be sorted, each name with a '='. */
	const char *method, *url;
	struct cfs_slice bucket;	/* its region is used, where known */
	int fd;				/* the body: n bytes of it from off */
	uint64_t off, n;
	struct cfs_slice text;		/* the body, when n is 0 */
	unsigned wait_ms;		/* for an answer; 0: as for any other */
	const struct cfs_cancel *cancel;
	_Atomic uint64_t *sent;		/* bytes of bodies; may be NULL */
	/* What is answered. */
	unsigned status;		/* 0: no answer came */
	char code[64];			/* of S3's error, or empty */
	char etag[CFS_S3_ETAG_BYTES];	/* of the head, or empty */
	char md5[CFS_S3_MD5_HEX];	/* of the body, as hex */
	struct cfs_s3_answer answer;
	/* Its own. */
	CURL *easy;
	struct cfs_buf body;
	uint64_t at, counted;
	unsigned retry_s;
	int read_rc;
	bool is_signed;
	unsigned generation;	/* of the credentials */
	char region[CFS_S3_REGION_BYTES];	/* signed for */
	char head_region[CFS_S3_REGION_BYTES];	/* of the answer's head */
};

/*
 * When the answer names another region of the bucket, the request is sent there
 * once more, as are all requests for that bucket from then on
 * (cfs_s3_region_note).
 * Timeouts, cut connections and failures that pass (s3_error.h) are tried
 * again, less and less often, until the timeout of the settings
 * (http_settings.h) has passed since the first of them in a row.  0 for 2xx
 * without an error inside; CFS_ENOTFOUND for 404; CFS_EACCESS for 401, 403 and
 * credentials that are not accepted; CFS_EUNSUPPORTED for 405 and 501;
 * CFS_EINTR; CFS_ETIMEOUT; CFS_EFORMAT; CFS_ENOMEM; else CFS_EIO, also when fd
 * cannot be read.
 */
int cfs_s3_call(struct cfs_s3_call *c, struct cfs_error *err);
void cfs_s3_call_release(struct cfs_s3_call *c);

#endif

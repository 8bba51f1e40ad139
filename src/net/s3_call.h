/* s3_call.h - one request whose thread waits for the answer: to S3, other than
 * for a range of an object, or for credentials.  It is sent again as long as
 * that makes sense.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_CALL_H
#define CFS_NET_S3_CALL_H

#include <curl/curl.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "base/cancel.h"
#include "answer.h"
#include "s3.h"
#include "s3_answer.h"

/* ---- hashes of what is sent, as hex ------------------------------------- */

#define CFS_S3_MD5_BYTES 16u
#define CFS_S3_MD5_HEX 33u	/* with the NUL */
#define CFS_S3_SHA256_HEX 65u

/* Hashes n bytes of fd from off on; either result may be NULL.
 * CFS_EIO, CFS_EINTR. */
int cfs_s3_hash(int fd, uint64_t off, uint64_t n, char md5[CFS_S3_MD5_HEX],
		char sha256[CFS_S3_SHA256_HEX], struct cfs_ctx ctx);
/* The same for bytes in memory. */
void cfs_s3_hash_text(struct cfs_slice text, char md5[CFS_S3_MD5_HEX],
		      char sha256[CFS_S3_SHA256_HEX]);

/* Decodes an MD5 in hex, which must be valid. */
void cfs_s3_md5_decode(const char *hex, uint8_t out[CFS_S3_MD5_BYTES]);

/* ---- requests ----------------------------------------------------------- */

/* A request for credentials, which has no others to be signed with. */
struct cfs_s3_for_keys {
	const struct cfs_keys *sign;	/* for the token service of */
	const char *region;		/* this region; NULL: unsigned */
	bool is_near;			/* do not use a proxy */
	unsigned tries_max;
};

/* Zeroed except for the request's fields; used by one thread, any number of
 * times (the connection is kept); released at the end. */
struct cfs_s3_call {
	/* The request.  Queries must be sorted, each name with a '='. */
	const char *method, *url;
	const char *header;		/* one more line; NULL: none */
	struct cfs_slice bucket;	/* to use its region, if known */
	int fd;				/* the body is n bytes of this,
					 * from off */
	uint64_t off, n;
	struct cfs_slice text;		/* the body, when n is 0 */
	unsigned wait_ms;		/* for an answer; 0: as in
					 * the settings */
	const struct cfs_s3_for_keys *for_keys;	/* NULL: as usual.  Else wait_ms
						 * is for all tries */
	_Atomic uint64_t *sent;		/* bytes of bodies; may be NULL */
	/* The answer. */
	unsigned status;		/* 0: there was none */
	char code[64];			/* the S3 error's, or empty */
	char etag[CFS_S3_ETAG_BYTES];	/* from the head, or empty */
	char md5[CFS_S3_MD5_HEX];	/* the sent body's, as hex */
	struct cfs_s3_answer answer;
	struct cfs_buf body;		/* as it came */
	/* Private. */
	const struct cfs_cancel *cancel;	/* during a call */
	CURL *easy;
	uint64_t at, counted;
	struct cfs_answer head;
	int read_rc;
	bool is_signed, has_moved, has_rekeyed;
	bool has_answered;	/* the server, to any request so far */
	bool is_out_of_reach;	/* there is no way to it */
	int64_t until_ms;	/* no try begins later; 0: none failed yet */
	unsigned generation;	/* the generation of the credentials used */
	char region[CFS_S3_REGION_BYTES];	/* that it was signed for */
};

/*
 * Makes the request.  If the answer names another region of the bucket, it is
 * sent there once more, as are all later requests for that bucket
 * (cfs_s3_region_note).
 *
 * Timeouts, cut connections and temporary failures (s3_answer.h) are tried
 * again, less and less often, until the timeout of the settings
 * (http_settings.h) has passed since the first of them in a row; a GET from a
 * server that cannot be reached, and was not before, thrice.  0 for 2xx
 * without an error inside; CFS_ENOTFOUND for 404; CFS_EACCESS for 401, 403 and
 * credentials that are not accepted, and for every refusal to give some;
 * CFS_EUNSUPPORTED for 405 and 501; CFS_EINTR; CFS_ETIMEOUT; CFS_EFORMAT;
 * CFS_ENOMEM; else CFS_EIO, also if fd cannot be read.
 */
int cfs_s3_call(struct cfs_s3_call *c, struct cfs_ctx ctx);
void cfs_s3_call_release(struct cfs_s3_call *c);

#endif

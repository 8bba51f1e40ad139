/* s3_error.h - what refusals mean for a client: S3's error codes, and statuses
 * of temporary failures.
 *
 * After the API reference of Amazon S3, "Error responses", and the codes after
 * which the AWS tools repeat requests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_ERROR_H
#define CFS_NET_S3_ERROR_H

#include <stdbool.h>

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

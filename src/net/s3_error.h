/* s3_error.h - what refusals mean for the one who asked: the codes of S3's
 * errors, and the statuses of failures that pass.
 *
 * After the API reference of Amazon S3, "Error responses", and the codes that
 * the AWS tools repeat requests for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_ERROR_H
#define CFS_NET_S3_ERROR_H

#include <stdbool.h>

enum cfs_s3_error_kind {
	CFS_S3_ERROR_OTHER,
	CFS_S3_ERROR_BUSY,	/* asks for fewer requests: again, later */
	CFS_S3_ERROR_PASSING,	/* the same request may be answered now */
	CFS_S3_ERROR_KEYS,	/* other credentials may be accepted */
};

struct cfs_s3_error {
	enum cfs_s3_error_kind kind;
	int code;		/* CFS_EACCESS, ...; CFS_OK: as the status */
	const char *help;	/* what to do, a clause; "": nothing is known */
};

/* By code and message of an error, whatever its status.  `is_anonymous`: the
 * request was not signed. */
struct cfs_s3_error cfs_s3_error_of(const char *code, const char *message,
				    bool is_anonymous);

/* True for a status that says nothing of the object: the request is sent
 * again (408, 425, 429, most of 5xx). */
bool cfs_status_is_passing(unsigned status);
/* True for those of them that blame time: no answer came to the one who
 * answers. */
bool cfs_status_is_timeout(unsigned status);

#endif

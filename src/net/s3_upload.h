/* s3_upload.h - uploads a local file as an S3 object.
 *
 * A large file is sent in parts, several at a time, and the object appears when
 * all of them have arrived.  Until then a journal records what has been sent,
 * so that the same upload can resume where it stopped.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_UPLOAD_H
#define CFS_NET_S3_UPLOAD_H

#include "base/cancel.h"
#include "base/error.h"

/* Smallest size of a part; parts are larger if 10,000 would not be enough.  A
 * file no larger than this is sent by one request. */
#define CFS_S3_PART_BYTES (UINT64_C(8) << 20)
#define CFS_S3_OBJECT_MAX (UINT64_C(5) << 40)	/* S3's limit */
#define CFS_S3_UPLOAD_PARALLEL_MAX 16u

struct cfs_s3_upload_opts {
	const char *url;		/* s3://bucket/key */
	const char *path;		/* the file; it must not change */
	const char *journal;		/* file that records progress */
	unsigned parallel;		/* parts sent at a time */
	bool force;			/* replace another object */
	const struct cfs_cancel *cancel;
	/* Called now and then, on the caller's thread.  May be NULL. */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

/*
 * Uploads the file.  If the object exists, it is left alone if it is the same,
 * and replaced only with force if it differs (else CFS_EIO).  Parts are sent
 * with their MD5s, which the journal keeps: a later run sends a part again
 * unless the server lists it and the file's bytes still have that MD5.
 * CFS_EACCESS without credentials or permission; CFS_ENOTFOUND if there is no
 * such bucket; else the results of cfs_s3_call: the journal then stays.
 */
int cfs_s3_upload(const struct cfs_s3_upload_opts *opts, struct cfs_error *err);

/* Abandons an upload: removes what the server has of it, and the journal.
 * CFS_ENOTFOUND if there is no journal of such an upload. */
int cfs_s3_upload_abort(const char *url, const char *journal,
			struct cfs_ctx ctx);

/* Asks whether an object exists: CFS_OK or CFS_ENOTFOUND; CFS_EACCESS, also
 * without credentials or an endpoint. */
int cfs_s3_object_find(const char *url, struct cfs_ctx ctx);

#endif

/* s3_upload.h - sends a local file as an object of S3.
 *
 * A large one is sent in parts, several at a time, and the object appears when
 * all of them have arrived; until then a journal records what has been sent, so
 * that the same upload resumes where it stopped.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_UPLOAD_H
#define CFS_NET_S3_UPLOAD_H

#include "base/cancel.h"
#include "base/error.h"

/* Parts are at least this large, larger where 10,000 would not do; a file no
 * larger than one goes by one request. */
#define CFS_S3_PART_BYTES (UINT64_C(8) << 20)
#define CFS_S3_OBJECT_MAX (UINT64_C(5) << 40)	/* S3's own limit */
#define CFS_S3_UPLOAD_PARALLEL_MAX 16u

struct cfs_s3_upload_opts {
	const char *url;		/* s3://bucket/key */
	const char *path;		/* the file; it must not change */
	const char *journal;		/* where its state is kept */
	unsigned parallel;		/* parts sent at a time */
	bool force;			/* replace another object */
	const struct cfs_cancel *cancel;
	/* Now and then, from the caller's thread.  May be NULL. */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

/*
 * Sends it.  An object that is there already and is the same is left as it
 * is; another one is not replaced without force (CFS_EIO).  Each part is named
 * with its MD5, and believed to be there later only if the server still lists
 * it and the file's bytes still have that MD5.  CFS_EACCESS without
 * credentials or permission; CFS_ENOTFOUND when there is no such bucket; and
 * what cfs_s3_call returns: then the journal stays.
 */
int cfs_s3_upload(const struct cfs_s3_upload_opts *opts, struct cfs_error *err);

/* Gives up an upload: removes what the server has of it, and the journal.
 * CFS_ENOTFOUND when there is no journal of such an upload. */
int cfs_s3_upload_abort(const char *url, const char *journal,
			const struct cfs_cancel *cancel, struct cfs_error *err);

/* Asks whether there is an object of that name: CFS_OK or CFS_ENOTFOUND;
 * CFS_EACCESS, also without credentials or an endpoint. */
int cfs_s3_object_find(const char *url, const struct cfs_cancel *cancel,
		struct cfs_error *err);

#endif

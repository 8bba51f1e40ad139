/* s3_out.h - an archive for S3: written to a folder here, then sent.
 *
 * It is written to a folder of its own below the cache or another folder, where
 * a copy that was stopped is found again, and sent when it is complete; then the
 * folder is removed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_S3_OUT_H
#define CFS_CLI_S3_OUT_H

#include <limits.h>

#include "base/cancel.h"
#include "base/error.h"

struct cfs_s3_out {
	const char *url;		/* s3://bucket/key, borrowed */
	char dir[PATH_MAX];		/* FOLDER/upload/<XXH64 of url> */
	char path[PATH_MAX];		/* in it, named as the object is */
	bool force;
	unsigned parallel;
	const struct cfs_cancel *cancel;
};

bool cfs_s3_out_is(const char *output);

/* Chooses the folder, and makes it.  folder: NULL for the usual cache.
 * CFS_EUSAGE; CFS_EIO. */
int cfs_s3_out_init(struct cfs_s3_out *o, const char *url, const char *folder,
		    struct cfs_error *err);

/* Checks before any work that the object may be written.  CFS_EIO if it exists
 * already. */
int cfs_s3_out_check(const struct cfs_s3_out *o, struct cfs_error *err);

/* Sends the archive at o->path and its index beside it (a struct cfs_copy_opts
 * wants it as deliver; arg is the cfs_s3_out). */
int cfs_s3_out_send(void *arg, struct cfs_error *err);

/* Removes what is kept of it on this machine. */
void cfs_s3_out_remove(const struct cfs_s3_out *o);

/* Removes what an unfinished copy has left, here and on the server.
 * CFS_ENOTFOUND if there is nothing. */
int cfs_s3_out_abort(const struct cfs_s3_out *o, struct cfs_error *err);

#endif

/* s3_out.h - an archive that is to become an object of S3.
 *
 * It is made in a folder of its own below the cache, or another, where a copy
 * that was stopped is found again, and sent when it is whole; then the folder
 * goes.
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
	bool force, is_quiet;
	unsigned parallel;
	const struct cfs_cancel *cancel;
};

bool cfs_s3_out_is(const char *output);

/* Says where it is made, and makes that folder.  folder: NULL for the usual
 * cache.  CFS_EUSAGE; CFS_EIO. */
int cfs_s3_out_init(struct cfs_s3_out *o, const char *url, const char *folder,
		    struct cfs_error *err);

/* Before any work: may it be written?  CFS_EIO when it is there already. */
int cfs_s3_out_check(const struct cfs_s3_out *o, struct cfs_error *err);

/* Sends the archive at o->path and its index beside it (a struct cfs_copy_opts
 * wants it as deliver; arg is the cfs_s3_out). */
int cfs_s3_out_send(void *arg, struct cfs_error *err);

/* Removes what is kept of it on this machine. */
void cfs_s3_out_remove(const struct cfs_s3_out *o);

/* Gives up what was begun: here and on the server.  CFS_ENOTFOUND when nothing
 * was. */
int cfs_s3_out_abort(const struct cfs_s3_out *o, struct cfs_error *err);

#endif

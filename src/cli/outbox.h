/* outbox.h - a folder of this machine for an output that goes to S3: it is made
 * there, where a run that was stopped is resumed, and sent when it is complete.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_OUTBOX_H
#define CFS_CLI_OUTBOX_H

#include <limits.h>

#include "options.h"

/* Most bytes of a file's name, which leaves room for suffixes. */
#define CFS_OUTBOX_NAME_MAX 200u

struct cfs_outbox {
	char dir[PATH_MAX];		/* FOLDER/upload/<XXH64 of the URL> */
	const struct cfs_options *options;	/* borrowed, as is: */
	const struct cfs_cancel *cancel;
	bool is_quiet;			/* shows no progress of its own; set by
					 * the caller */
};

/* True if an output is in S3. */
bool cfs_outbox_is_s3(const char *output);

/* Makes the folder for a URL, below --tmp or the cache: nobody else may have
 * put anything into it.  0; CFS_EUSAGE if there is no place; CFS_EIO,
 * CFS_EACCESS. */
int cfs_outbox_open(struct cfs_outbox *b, const char *url,
		    const struct cfs_options *options, struct cfs_ctx ctx);

/* Checks in advance that an object may be written.  journal: if this file is
 * there, an earlier run may have sent it.  0; CFS_EIO if the object exists, and
 * --force is not given; failures of asking. */
int cfs_outbox_check(const struct cfs_outbox *b, const char *url,
		     const char *journal, struct cfs_error *err);

/* Sends a file, with PATH.upload as its journal.  force: replace another
 * object.  Results as of cfs_s3_upload. */
int cfs_outbox_send(const struct cfs_outbox *b, const char *path,
		    const char *url, bool force, struct cfs_error *err);

#endif

/* outbox.h - a folder of this machine for an output that goes to S3: it is made
 * there, where a run that was stopped is resumed, and sent when it is complete.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_OUTBOX_H
#define CFS_CLI_OUTBOX_H

#include <limits.h>

#include "net/s3.h"
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
 * object.  mark: of the object, or NULL.  Results as of cfs_s3_upload. */
int cfs_outbox_send(const struct cfs_outbox *b, const char *path,
		    const char *url, bool force, const char *mark,
		    struct cfs_error *err);

/* ---- rows: an object, or a folder of them (rows_box.c) ----------------- */

struct cfs_export_opts;

struct cfs_rows_box {			/* zeroed: the output is not in S3 */
	struct cfs_outbox box;
	char local[PATH_MAX];		/* where the output is made; "": it is
					 * not in S3 */
	const char *url;		/* borrowed, with a / behind it if it is
					 * a folder */
	bool is_folder, force;
	bool is_begun;			/* by an earlier run */
	struct cfs_part part;		/* of a folder that several write */
	char mark[CFS_S3_MARK_BYTES];	/* of the work, for an object */
};

/* Refuses options that an output in S3 cannot have.  0 or CFS_EUSAGE. */
int cfs_rows_box_check(const struct cfs_options *o, struct cfs_error *err);

/*
 * Decides where an output for S3 is made, if it may be sent; does nothing for
 * another output.
 *
 * x     is_folder if x->file_bytes is not 0; the format
 * part  the part that is written; n 0: the whole
 *
 * 0; CFS_EIO if there are objects that it would mix with; failures of asking
 * and of the local folder.
 */
int cfs_rows_box_open(struct cfs_rows_box *b, const struct cfs_options *o,
		      const struct cfs_export_opts *x, struct cfs_part part,
		      struct cfs_ctx ctx);

/* Gives an object the mark of its work, which is `state`.  0; with
 * --skip-complete CFS_END if it is there with that mark, CFS_EIO with another
 * one and without --force; failures of asking. */
int cfs_rows_box_mark(struct cfs_rows_box *b, uint64_t state,
		      struct cfs_error *err);

/* Sends a file that is complete: the `deliver` of struct cfs_rows_out_opts,
 * whose arg is the box.  Behind the last part of a folder it also sends
 * _SUCCESS. */
int cfs_rows_box_send(void *arg, const char *path, const char *name,
		      struct cfs_error *err);

/* Removes the folder on this machine, unless there is something in it. */
void cfs_rows_box_close(struct cfs_rows_box *b);

#endif

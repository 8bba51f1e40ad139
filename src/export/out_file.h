/* out_file.h - where rows go: standard output, or a file.
 *
 * A file grows under another name, with a journal of the batches that are done
 * (copy/copyfile.h), and gets its own name when it is complete.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_OUT_FILE_H
#define CFS_EXPORT_OUT_FILE_H

#include "base/cancel.h"
#include "base/slice.h"

struct cfs_out_file;		/* one thread at a time uses it */

/* Writes to standard output.  0 or CFS_ENOMEM. */
int cfs_out_file_stdout(struct cfs_out_file **out, struct cfs_error *err);

struct cfs_out_file_opts {
	const char *path;
	uint64_t fingerprint;		/* of the work: a file of other work is
					 * begun again */
	bool force;			/* replace what is at path */
	bool is_converted;		/* the bytes written become the file by
					 * cfs_out_file_convert */
	const struct cfs_cancel *cancel;
};

/* Begins or resumes a file.  Fails like cfs_copyfile_open. */
int cfs_out_file_open(struct cfs_out_file **out,
		      const struct cfs_out_file_opts *opts,
		      struct cfs_error *err);

/* The batches that an earlier run has written; *errors: some of them had rows
 * with an error. */
uint64_t cfs_out_file_done(const struct cfs_out_file *o, bool *errors);
/* True for a file, which the same command resumes; false for standard
 * output. */
bool cfs_out_file_can_resume(const struct cfs_out_file *o);
/* True if an earlier run has written all of it. */
bool cfs_out_file_is_whole(const struct cfs_out_file *o);

/* Writes all of bytes.  0; CFS_END once nobody reads a pipe any more; CFS_EIO;
 * CFS_EINTR, also while the reader of a pipe is slow; CFS_ENOMEM. */
int cfs_out_file_write(struct cfs_out_file *o, struct cfs_slice bytes,
		       struct cfs_ctx ctx);

/* Says that all batches below number `done` are written; errors: as of
 * cfs_out_file_done.  0; CFS_EIO. */
int cfs_out_file_mark(struct cfs_out_file *o, uint64_t done, bool errors,
		      struct cfs_error *err);

/* Gives the file its name. */
int cfs_out_file_finish(struct cfs_out_file *o, struct cfs_error *err);

/* Makes the file of what was written, by `make`, which gets the name of the
 * file that it is in, its bytes there, and the name of a file to overwrite.  0;
 * failures of make; CFS_EIO. */
int cfs_out_file_convert(struct cfs_out_file *o,
			 int (*make)(void *arg, const char *from,
				     uint64_t bytes, const char *to,
				     struct cfs_ctx ctx),
			 void *arg, struct cfs_ctx ctx);

/* Ends the writing of what is not finished.  True if the same command would
 * resume it.  Accepts NULL. */
bool cfs_out_file_leave(struct cfs_out_file *o);

void cfs_out_file_close(struct cfs_out_file *o);	/* accepts NULL */

#endif

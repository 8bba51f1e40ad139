/* out_file.h - where rows go: standard output, or a file.
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

/* Writes all of bytes.  0; CFS_END once nobody reads a pipe any more; CFS_EIO;
 * CFS_EINTR, also while the reader of a pipe is slow. */
int cfs_out_file_write(struct cfs_out_file *o, struct cfs_slice bytes,
		       struct cfs_ctx ctx);

void cfs_out_file_close(struct cfs_out_file *o);	/* accepts NULL */

#endif

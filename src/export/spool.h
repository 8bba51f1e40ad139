/* spool.h - standard input as a file: it is copied into a temporary one as far
 * as it is needed, and read from there while the rest still comes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_SPOOL_H
#define CFS_EXPORT_SPOOL_H

#include "source/source.h"

struct cfs_spool;			/* threads share it */

/* Begins to copy a pipe into a file in `dir` that has no name, because archives
 * are read at offsets; a file that is standard input is not copied.  0;
 * CFS_EIO, also if dir is NULL; CFS_ENOMEM. */
int cfs_spool_stdin(struct cfs_spool **out, const char *dir,
		    struct cfs_error *err);

/* True once all of it was copied. */
bool cfs_spool_is_whole(const struct cfs_spool *s);

/* Waits until so many bytes were copied.  *has false: there are fewer.  From
 * any thread.  0; CFS_EIO, also if the folder is full; CFS_EINTR. */
int cfs_spool_wait(struct cfs_spool *s, uint64_t bytes, bool *has,
		   struct cfs_ctx ctx);

/* Copies all of it.  Fails as cfs_spool_wait. */
int cfs_spool_end(struct cfs_spool *s, struct cfs_ctx ctx);

/* Opens a source over a pipe that is copied as it is read, whose size is known
 * once the last byte was read.  Closed before the spool.  0; CFS_ENOMEM. */
int cfs_spool_source(struct cfs_spool *s, struct cfs_source **out,
		     struct cfs_error *err);

/* A path by which the file can be opened; lent.  NULL for NULL. */
const char *cfs_spool_path(const struct cfs_spool *s);

void cfs_spool_free(struct cfs_spool *s);	/* accepts NULL */

#endif

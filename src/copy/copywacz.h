/* copywacz.h - what a WACZ has besides its archive: a list of pages, an index
 * and the hashes of all.
 *
 * The archive is written first, behind room for its header, by copy.c; all else
 * is made of the finished archive, so that a copy that was stopped while it is
 * made has lost only that.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_COPY_COPYWACZ_H
#define CFS_COPY_COPYWACZ_H

#include "copy.h"

/* The archive's file name in the WACZ. */
#define CFS_COPYWACZ_ARCHIVE "data.warc.gz"

/* Appends the header of the archive, which is completed at the end.  time:
 * stated in the WACZ, Unix seconds. */
void cfs_copywacz_add_lead(struct cfs_buf *out, int64_t time);
size_t cfs_copywacz_lead_bytes(void);

struct cfs_copywacz_part {
	int fd;			/* of the growing file; borrowed */
	const char *path;	/* its path, and */
	const char *tmp_dir;	/* the folder for the sort; borrowed */
	uint64_t end;		/* where the archive ends */
};

/*
 * Completes the file: the member for the archive, which is read for that, and
 * the other members behind it.  *bytes is then the size of the file.  0;
 * CFS_EIO for what cannot be read or written; CFS_EFORMAT if the archive was
 * damaged; CFS_EINTR; CFS_ENOMEM.
 */
int cfs_copywacz_complete(const struct cfs_copy_opts *opts,
			  const struct cfs_copywacz_part *part,
			  void (*progress)(void *arg, uint64_t done,
					   uint64_t total),
			  void *arg, uint64_t *bytes, struct cfs_error *err);

#endif

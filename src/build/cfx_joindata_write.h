/* cfx_joindata_write.h - a tape of a crawlfs index on its way into it (layout:
 * index/cfx_joindata.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_CFX_JOINDATA_WRITE_H
#define CFS_BUILD_CFX_JOINDATA_WRITE_H

#include "index/cfx_joindata.h"

/* Blocks wait in a temporary file until what comes before them is written. */
struct cfs_cfx_joindata_writer {
	const char *tmp_dir;		/* borrowed */
	enum cfs_cfx_joindata_of which;
	int fd;				/* -1: no block yet */
	struct cfs_buf text, block;	/* being filled; packed */
	uint64_t n, bytes;		/* blocks, and their bytes */
};

void cfs_cfx_joindata_writer_init(struct cfs_cfx_joindata_writer *w,
				  enum cfs_cfx_joindata_of which,
				  const char *tmp_dir);
void cfs_cfx_joindata_writer_release(struct cfs_cfx_joindata_writer *w);

/* True if an item of n bytes will begin a block. */
bool cfs_cfx_joindata_begins_block(const struct cfs_cfx_joindata_writer *w,
				   size_t n);

/* Takes an item, at most 65,536 bytes.  0, CFS_ENOMEM, CFS_EIO. */
int cfs_cfx_joindata_put(struct cfs_cfx_joindata_writer *w,
			 struct cfs_slice item, struct cfs_error *err);

/* Calls put with all blocks, one behind the other.  0, what put returned, or
 * as above. */
int cfs_cfx_joindata_finish(struct cfs_cfx_joindata_writer *w,
			    int (*put)(void *arg, const void *p, size_t n,
				       struct cfs_error *err),
			    void *arg, struct cfs_error *err);

#endif

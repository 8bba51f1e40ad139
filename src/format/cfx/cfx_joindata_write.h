/* cfx_joindata_write.h - writes one tape of joindata for a crawlfs index
 * (layout: format/cfx/cfx_joindata.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CFX_CFX_JOINDATA_WRITE_H
#define CFS_CFX_CFX_JOINDATA_WRITE_H

#include "cfx_joindata.h"

/* Blocks wait in a temporary file until everything before them is written. */
struct cfs_cfx_joindata_writer {
	const char *tmp_dir;		/* borrowed */
	enum cfs_cfx_joindata_of which;
	int fd;				/* -1: no block yet */
	struct cfs_buf text, block;	/* text: inflated, being filled; block:
					 * compressed */
	uint64_t n, bytes;		/* blocks written, and their bytes */
};

void cfs_cfx_joindata_writer_init(struct cfs_cfx_joindata_writer *w,
				  enum cfs_cfx_joindata_of which,
				  const char *tmp_dir);
void cfs_cfx_joindata_writer_release(struct cfs_cfx_joindata_writer *w);

/* True if an item of n bytes would begin a new block. */
bool cfs_cfx_joindata_begins_block(const struct cfs_cfx_joindata_writer *w,
				   size_t n);

/* Adds an item of at most 65,536 bytes.  0, CFS_ENOMEM, CFS_EIO, or CFS_EFORMAT
 * for a longer one. */
int cfs_cfx_joindata_put(struct cfs_cfx_joindata_writer *w,
			 struct cfs_slice item, struct cfs_error *err);

/* Passes all blocks to put, in order.  0, what put returned, or as above. */
int cfs_cfx_joindata_finish(struct cfs_cfx_joindata_writer *w,
			    int (*put)(void *arg, const void *p, size_t n,
				       struct cfs_error *err),
			    void *arg, struct cfs_error *err);

#endif

/* cfx_notes_write.h - writes the notes of captures for a crawlfs index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CFX_CFX_NOTES_WRITE_H
#define CFS_CFX_CFX_NOTES_WRITE_H

#include "index/index.h"

/* Blocks wait in a temporary file until everything before them is written. */
struct cfs_cfx_notes_writer {
	const char *tmp_dir;		/* borrowed */
	int fd;				/* -1: no block yet */
	struct cfs_buf text, block;	/* text: inflated, being filled; block:
					 * compressed */
	struct cfs_buf ends;		/* le64 ends of the blocks in the
					 * file */
	uint64_t n, bytes;		/* blocks written, and their bytes */
};

void cfs_cfx_notes_writer_init(struct cfs_cfx_notes_writer *w,
			       const char *tmp_dir);
void cfs_cfx_notes_writer_release(struct cfs_cfx_notes_writer *w);

/* Adds the notes of a capture, 1 to CFS_NOTES_MAX bytes; *at is set to their
 * place.  0, CFS_ENOMEM, CFS_EIO, CFS_ELIMIT. */
int cfs_cfx_notes_put(struct cfs_cfx_notes_writer *w, struct cfs_slice notes,
		      struct cfs_notes_at *at, struct cfs_error *err);

/* Passes all blocks and then their directory to put, which writes them one
 * after the other from `file_off` on; sets *directory to the directory's
 * offset.  Requires that notes were added.  0, what put returned, or as
 * above. */
int cfs_cfx_notes_finish(struct cfs_cfx_notes_writer *w, uint64_t file_off,
			 int (*put)(void *arg, const void *p, size_t n,
				    struct cfs_error *err),
			 void *arg, uint64_t *directory, struct cfs_error *err);

/* Passes the first `bytes` bytes of the temporary file fd to put, in parts. */
int cfs_cfx_copy_blocks(int fd, uint64_t bytes, const char *tmp_dir,
			int (*put)(void *arg, const void *p, size_t n,
				   struct cfs_error *err),
			void *arg, struct cfs_error *err);

#endif

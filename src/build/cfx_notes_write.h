/* cfx_notes_write.h - the notes of captures on their way into a crawlfs index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_CFX_NOTES_WRITE_H
#define CFS_BUILD_CFX_NOTES_WRITE_H

#include "index/index.h"

/* Blocks wait in a temporary file until what comes before them is written. */
struct cfs_cfx_notes_writer {
	const char *tmp_dir;		/* borrowed */
	int fd;				/* -1: no block yet */
	struct cfs_buf text, block;	/* being filled; packed */
	struct cfs_buf ends;		/* le64, where each ends in the file */
	uint64_t n, bytes;		/* blocks, and their bytes */
};

void cfs_cfx_notes_writer_init(struct cfs_cfx_notes_writer *w,
			       const char *tmp_dir);
void cfs_cfx_notes_writer_release(struct cfs_cfx_notes_writer *w);

/* Takes the notes of a capture, 1 to CFS_NOTES_MAX bytes; *at is their place.
 * 0, CFS_ENOMEM, CFS_EIO, CFS_ELIMIT. */
int cfs_cfx_notes_put(struct cfs_cfx_notes_writer *w, struct cfs_slice notes,
		      struct cfs_notes_at *at, struct cfs_error *err);

/* Calls put with all blocks and then their directory, which are to be written
 * one behind the other from `file_off` on; *directory is the offset of the
 * latter.  At least one was taken.  0, what put returned, or as above. */
int cfs_cfx_notes_finish(struct cfs_cfx_notes_writer *w, uint64_t file_off,
			 int (*put)(void *arg, const void *p, size_t n,
				    struct cfs_error *err),
			 void *arg, uint64_t *directory, struct cfs_error *err);

/* Calls put with the first `bytes` bytes of the temporary file fd, in
 * pieces. */
int cfs_cfx_copy_blocks(int fd, uint64_t bytes, const char *tmp_dir,
			int (*put)(void *arg, const void *p, size_t n,
				   struct cfs_error *err),
			void *arg, struct cfs_error *err);

#endif

/* cfx_notes.h - the notes of captures in a crawlfs index, and its home: read.
 *
 * Layout: cfx_format.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_CFX_NOTES_H
#define CFS_INDEX_CFX_NOTES_H

#include "cfx_block.h"

/* A block of notes, inflated. */
struct cfs_cfx_notes {
	uint64_t file_off;
	size_t n;
	uint8_t p[];
};

/* Fills in what the header says of notes and home. */
void cfs_cfx_notes_decode(const uint8_t *header, struct cfs_cfx_header *out);
/* Does the directory lie in the file? */
bool cfs_cfx_notes_fit(const struct cfs_cfx_header *h);

/* Takes the numbers of an extra. */
void cfs_cfx_notes_take(const struct cfs_cfx_header *h, struct cfs_cursor *c,
			struct cfs_notes_at *out);

/* Reads and checks a block, which is then freed with free.  CFS_EFORMAT names
 * file and offset. */
int cfs_cfx_notes_load(struct cfs_cfx *x, uint64_t number, void **out,
		       size_t *bytes, const struct cfs_cancel *cancel,
		       struct cfs_error *err);

/* Appends the notes of a capture, which are in block b. */
int cfs_cfx_notes_add(const struct cfs_cfx *x, const struct cfs_cfx_notes *b,
		      const struct cfs_notes_at *at, struct cfs_buf *out,
		      struct cfs_error *err);

#endif

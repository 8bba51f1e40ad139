/* cfx_notes.h - reads the notes of captures in a crawlfs index, and its home.
 *
 * Layout: cfx_format.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CFX_CFX_NOTES_H
#define CFS_CFX_CFX_NOTES_H

#include "cfx_block.h"

/* A block of notes, inflated. */
struct cfs_cfx_notes {
	uint64_t file_off;
	size_t n;
	uint8_t p[];
};

/* Decodes the header's fields about notes and home. */
void cfs_cfx_notes_decode(const uint8_t *header, struct cfs_cfx_header *out);
/* True if the directory lies in the file. */
bool cfs_cfx_notes_fit(const struct cfs_cfx_header *h);

/* Decodes the place of a capture's notes from its extra. */
void cfs_cfx_notes_take(const struct cfs_cfx_header *h, struct cfs_cursor *c,
			struct cfs_notes_at *out);

/* Reads and checks a block, to be released with free().  CFS_EFORMAT names file
 * and offset. */
int cfs_cfx_notes_load(struct cfs_cfx *x, uint64_t number, void **out,
		       size_t *bytes, struct cfs_ctx ctx);

/* Appends the notes of a capture, which lie in block b. */
int cfs_cfx_notes_add(const struct cfs_cfx *x, const struct cfs_cfx_notes *b,
		      const struct cfs_notes_at *at, struct cfs_buf *out,
		      struct cfs_error *err);

#endif

/* spill.h - buffers too long for memory, kept in a temporary file.
 *
 * The bytes of a spilled buffer (buf.h) are a mapping of a file without a name.
 * It is read and appended to like any other, but its pages stay resident until
 * they are released: code that fills a lot of it must call cfs_spill_settle
 * every CFS_SPILL_STEP bytes, and code that reads a lot must call
 * cfs_pages_passed, so that no more than that stays in memory.
 *
 * Disk space is allocated before it is written to, so that a full disk is an
 * error of the buffer (CFS_EIO) and not a SIGBUS.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_SPILL_H
#define CFS_BASE_SPILL_H

#include "buf.h"

/* The most bytes to handle between two calls of cfs_spill_settle. */
#define CFS_SPILL_STEP ((size_t)1 << 20)

/* How the pages of bytes are treated that are read from front to back.  Handed
 * on along with the bytes. */
enum cfs_pages {
	CFS_PAGES_STAY,		/* not of a spilled buffer, or few */
	CFS_PAGES_RELEASED,	/* of a spilled buffer: behind the reader */
};

struct cfs_spill;

/* Has the empty buffer b keep its bytes in a file in `dir`, until
 * cfs_buf_release.  0, CFS_ENOMEM or CFS_EIO (err names dir). */
int cfs_spill_begin(struct cfs_buf *b, const char *dir, struct cfs_error *err);

/* Names the spilled or mapped bytes that b is made from: until cfs_spill_finish
 * their pages are released along with those of b. */
void cfs_spill_made_of(struct cfs_buf *b, struct cfs_slice bytes);

/* Releases the pages of `bytes`, which belong to a spilled buffer.  They can
 * still be read, and are then mapped again from the file. */
void cfs_spill_out(struct cfs_slice bytes);
/* Releases the pages of a part of b that was read, and those that the kernel
 * mapped around it. */
void cfs_spill_out_around(const struct cfs_buf *b, struct cfs_slice part);
/* Releases the pages that were filled, if they are CFS_SPILL_STEP bytes or
 * more, and those that b is made from.  Does nothing if b is not spilled. */
void cfs_spill_settle_now(struct cfs_buf *b);
static inline void cfs_spill_settle(struct cfs_buf *b)
{
	if (b->spill != NULL)
		cfs_spill_settle_now(b);
}

/* Reports that a reader is done with these bytes.  Code that reads long inputs
 * calls it every CFS_SPILL_STEP bytes, whether they are spilled or not. */
static inline void cfs_pages_passed(enum cfs_pages pages,
				    struct cfs_slice bytes)
{
	if (pages == CFS_PAGES_RELEASED)
		cfs_spill_out(bytes);
}

/* n, limited to CFS_SPILL_STEP if b is spilled: how many to make at a time. */
static inline size_t cfs_spill_part(const struct cfs_buf *b, size_t n)
{
	return b->spill != NULL && n > CFS_SPILL_STEP ? CFS_SPILL_STEP : n;
}

/* How many bytes of the free room of b to fill at a time. */
static inline size_t cfs_spill_room(const struct cfs_buf *b)
{
	return cfs_spill_part(b, b->cap - b->n);
}

/* To be called after the last byte was added: gives unused room back. */
void cfs_spill_finish(struct cfs_buf *b);

/* For buf.c only: change the capacity, and free the mapping and file. */
int cfs_spill_resize(struct cfs_buf *b, size_t cap);
void cfs_spill_end(struct cfs_buf *b);

#endif

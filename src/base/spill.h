/* spill.h - buffers too long for memory: their bytes are in a file.
 *
 * Such a buffer (buf.h) is a mapping of a file without a name.  It is read and
 * appended to like any other, except that its pages stay in memory only until
 * cfs_spill_settle takes them out: who fills or reads much of it calls that now
 * and then, and has no more than that much in memory.
 *
 * Room is taken on the file system before it is written to, so that a full disk
 * is an error of the buffer, CFS_EIO.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_SPILL_H
#define CFS_BASE_SPILL_H

#include "buf.h"

/* Between two calls of cfs_spill_settle. */
#define CFS_SPILL_STEP ((size_t)1 << 20)

struct cfs_spill;

/* Makes b, which is empty, one whose bytes are in a file in `dir`.
 * cfs_buf_release ends that.  0; CFS_ENOMEM, CFS_EIO (err names dir). */
int cfs_spill_begin(struct cfs_buf *b, const char *dir, struct cfs_error *err);

/* While b is filled, bytes that b is made of, which are in a file too, are
 * taken out of memory with its own. */
void cfs_spill_made_of(struct cfs_buf *b, struct cfs_slice bytes);

/* Takes bytes in a file out of memory; they can be read as before.  `bytes` are
 * of a buffer that was spilled, or all of its bytes before they change. */
void cfs_spill_out(struct cfs_slice bytes);
/* The same of a part of b that was read, and of what the kernel has mapped
 * around that. */
void cfs_spill_out_around(const struct cfs_buf *b, struct cfs_slice part);
void cfs_spill_settle_now(struct cfs_buf *b);
static inline void cfs_spill_settle(struct cfs_buf *b)
{
	if (b->spill != NULL)
		cfs_spill_settle_now(b);
}

/* While this thread reads `bytes`, of a spilled buffer, cfs_spill_release_pages
 * takes out of memory what it says is done with, and does nothing to any other
 * bytes.  An empty slice ends that. */
void cfs_spill_reading(struct cfs_slice bytes);
/* Readers of long inputs call it for every CFS_SPILL_STEP, whatever they are.
 * */
void cfs_spill_release_pages(struct cfs_slice piece);

/* Is `what` in s?  Passes what it looks through. */
bool cfs_spill_holds(struct cfs_slice s, struct cfs_slice what);

/* No more of n bytes than are to be made at a time. */
static inline size_t cfs_spill_part(const struct cfs_buf *b, size_t n)
{
	return b->spill != NULL && n > CFS_SPILL_STEP ? CFS_SPILL_STEP : n;
}

/* How many are to be written at a time into the room there is. */
static inline size_t cfs_spill_room(const struct cfs_buf *b)
{
	return cfs_spill_part(b, b->cap - b->n);
}

/* The buffer has got its last byte: gives back what room is left. */
void cfs_spill_finish(struct cfs_buf *b);

/* For buf.c: another size; and the end. */
int cfs_spill_resize(struct cfs_buf *b, size_t cap);
void cfs_spill_end(struct cfs_buf *b);

#endif

/* gunzip.h - gzip members in memory, for indexes that come compressed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CODEC_GUNZIP_H
#define CFS_CODEC_GUNZIP_H

#include "base/cancel.h"
#include "base/error.h"
#include "base/slice.h"
#include "source/source.h"

/* Inflates all members that `in` consists of.  *out is malloced, the
 * caller's.  0; CFS_EFORMAT if one is damaged or cut off; CFS_ELIMIT beyond
 * max bytes; CFS_ENOMEM. */
int cfs_gunzip(struct cfs_slice in, size_t max, uint8_t **out, size_t *n,
	       struct cfs_error *err);

/*
 * Inflates all members of a file, piece by piece.  Each piece is lent to
 * `take`, with the file offset that reading has reached; what it returns but
 * CFS_OK ends the work and is returned.
 * CFS_EFORMAT with file and offset where the data is damaged or cut off.
 */
typedef int cfs_gunzip_take(void *arg, struct cfs_slice piece,
			    uint64_t file_off);
int cfs_gunzip_source(struct cfs_source *src, cfs_gunzip_take *take, void *arg,
		      const struct cfs_cancel *cancel, struct cfs_error *err);

/* Inflates up to n bytes of the first member, as far as it is there and
 * good.  Returns how many came out; 0 for what is no gzip member. */
size_t cfs_gunzip_peek(struct cfs_slice in, void *buf, size_t n);

#endif

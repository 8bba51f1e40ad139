/* gunzip.h - gzip members in memory, for indexes that come compressed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_GUNZIP_H
#define CFS_INDEX_GUNZIP_H

#include "base/error.h"
#include "base/slice.h"

/* Inflates all members that `in` consists of.  *out is malloced, the
 * caller's.  0; CFS_EFORMAT if one is damaged or cut off; CFS_ELIMIT beyond
 * max bytes; CFS_ENOMEM. */
int cfs_gunzip(struct cfs_slice in, size_t max, uint8_t **out, size_t *n,
	       struct cfs_error *err);

/* Inflates up to n bytes of the first member, as far as it is there and
 * good.  Returns how many came out; 0 for what is no gzip member. */
size_t cfs_gunzip_peek(struct cfs_slice in, void *buf, size_t n);

#endif

/* blob.h - the memory tier: requests and the bytes they brought.
 *
 * A blob is one request and what it brought.  While it is in flight its
 * extents make others wait for it; then its bytes serve them from memory, and
 * the writer puts them on disk.  Blobs go, the one used longest ago first,
 * when memory is full, but none that is in flight, being read or being
 * written.
 *
 * The caller holds the lock of the cache, unless said otherwise.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_BLOB_H
#define CFS_CACHE_BLOB_H

#include "state.h"

/* A request for [off, off + n), in flight from now on; pinned for the
 * completion.  NULL: out of memory. */
struct cfs_blob *cfs_blob_new(struct cfs_cached *h, uint64_t off, uint32_t n,
			      bool is_ahead);
void cfs_blob_pin(struct cfs_blob *b);
void cfs_blob_unpin(struct cfs_blob *b);
/* Notes that it was read: it is freed last. */
void cfs_blob_use(struct cfs_blob *b);
/* The request has ended.  The lock is not held.  Runs once for each blob. */
void cfs_blob_complete(struct cfs_blob *b, int code, struct cfs_slice bytes,
		       const struct cfs_error *err);

/* Ends the requests that are in flight, when the cache is closed.  The lock is
 * not held, and no source of the cache is open. */
void cfs_blob_abandon_all(struct cfs_cache *c);

/* Is there room for n more bytes?  Frees what nobody uses for that.  Where
 * there is a budget, else always. */
bool cfs_blob_has_room(struct cfs_cache *c, size_t n);
/* Gives memory back; the lock is not held.  For the budget. */
void cfs_blob_give(void *cache, uint64_t bytes);

/* Frees all of them, when the cache is closed. */
void cfs_blob_free_all(struct cfs_cache *c);

#endif

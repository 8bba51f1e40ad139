/* blob.h - the memory tier of the cache: requests, and the bytes they brought.
 *
 * A blob is one request and its answer.  While it is in flight, its extents
 * make other readers wait for it; then its bytes serve them from memory, and
 * the writer puts them on disk.  When memory is full, blobs are freed, least
 * recently used first, but none that is in flight, being read or being written.
 *
 * The caller holds the lock of the cache, unless stated otherwise.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_BLOB_H
#define CFS_CACHE_BLOB_H

#include "state.h"

/* Makes a blob for a request of [off, off + n), which counts as in flight; it
 * is pinned for cfs_blob_complete.  NULL: out of memory. */
struct cfs_blob *cfs_blob_new(struct cfs_cached *h, uint64_t off, uint32_t n,
			      bool is_ahead);
void cfs_blob_pin(struct cfs_blob *b);
void cfs_blob_unpin(struct cfs_blob *b);
/* Notes that the blob was read, so that it is freed last. */
void cfs_blob_use(struct cfs_blob *b);
/* Ends the request of a blob, exactly once for each.  The lock is not held. */
void cfs_blob_complete(void *blob, int code, struct cfs_slice bytes,
		       const struct cfs_error *err);

/* Ends the requests in flight, when the cache is closed.  The lock is not held,
 * and no source of the cache is open. */
void cfs_blob_abandon_all(struct cfs_cache *c);

/* Is there room for n more bytes, if need be after freeing unused blobs?
 * Always true without a budget. */
bool cfs_blob_has_room(struct cfs_cache *c, size_t n);
/* For the budget: frees memory.  The lock is not held. */
void cfs_blob_give(void *cache, uint64_t bytes);

/* Frees all blobs, when the cache is closed. */
void cfs_blob_free_all(struct cfs_cache *c);

#endif

/* sizes_batch.h - a batch of kept sizes: the data of one record of the block
 * cache, byte by byte (crawlfs-cache(5)).
 *
 * The sizes are of files in a mount: the index does not have them, and they
 * were found by opening the files.  All batches of one state of an index have
 * one id (cfs_cache_id_of_sizes).  All integers are little-endian.
 *
 *     batch = header entry*
 *
 * header, 8 bytes
 *      0  4  code: version of the views (cfs_view_version)
 *      4  4  0
 *
 * entry, 16 bytes, 1 to 4096 of them
 *      0  8  key, below 2^63; bit 62: the size holds for any version
 *      8  8  size in bytes, below 2^63
 *
 * Of two sizes with one key, the one found later holds.  Checksums, places and
 * times of batches are those of their records (format.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_SIZES_BATCH_H
#define CFS_CACHE_SIZES_BATCH_H

#include "segment.h"

#define CFS_SIZES_HEADER_BYTES 8u
#define CFS_SIZES_ENTRY_BYTES 16u
/* Entries.  One that is learnt a second is written by itself; many at once fill
 * half a record. */
#define CFS_SIZES_BATCH_MAX 4096u
#define CFS_SIZES_ANY_CODE (UINT64_C(1) << 62)
#define CFS_SIZES_KEY_MAX (CFS_SIZES_ANY_CODE - 1)
#define CFS_SIZES_SIZE_MAX ((uint64_t)INT64_MAX)

/* Which index sizes belong to. */
struct cfs_sizes_id {
	uint64_t place;		/* hash of the locations of index
				 * and archives */
	uint64_t state;		/* hash of what tells its states apart */
};

struct cfs_sizes_entry {
	uint64_t key;		/* up to CFS_SIZES_KEY_MAX */
	uint64_t size;		/* up to CFS_SIZES_SIZE_MAX */
	bool holds_for_any_code;
};

struct cfs_sizes_batch {
	uint32_t code;
	uint32_t n;		/* entries */
	struct cfs_slice entries;	/* borrowed */
};

/* The id of the records of an index. */
void cfs_cache_id_of_sizes(const struct cfs_sizes_id *of,
			   struct cfs_cache_id *out);

/* Appends a batch of n entries, 1 to CFS_SIZES_BATCH_MAX.  CFS_ENOMEM or
 * CFS_ELIMIT as cfs_buf has them. */
int cfs_sizes_batch_encode(uint32_t code, const struct cfs_sizes_entry *v,
			   uint32_t n, struct cfs_buf *out);

/* The number of entries in a batch of so many bytes. */
static inline uint32_t cfs_sizes_batch_count(uint32_t bytes)
{
	return bytes / CFS_SIZES_ENTRY_BYTES;	/* the header is half a one */
}

/* Decodes a batch; *out borrows from it.  CFS_EFORMAT. */
int cfs_sizes_batch_parse(struct cfs_slice data, struct cfs_sizes_batch *out);

/* Entry i of a batch. */
struct cfs_sizes_entry cfs_sizes_entry_at(const struct cfs_sizes_batch *b,
					  uint32_t i);

#endif

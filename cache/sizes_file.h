/* sizes_file.h - a file of kept sizes, byte by byte (crawlfs-cache(5)).
 *
 * The sizes are of files in a mount: the index does not have them, and they
 * were found by opening the files.  There is one file for each index:
 *
 *     sizes/PPPPPPPPPPPPPPPP-SSSSSSSSSSSSSSSS.sizes    P: place, S: state; hex
 *
 *     file = header batch*
 *
 * All integers are little-endian.
 *
 * header, 40 bytes
 *      0  8  magic "CFSSIZE1"
 *      8  4  version, 1
 *     12  4  bytes of this header, 40
 *     16  8  place: which index, and where its archives are looked for
 *     24  8  state: which contents of that index
 *     32  8  XXH64 of bytes 0 to 31, seed 0
 *
 * batch header, 24 bytes, then n entries of 16 bytes
 *      0  4  magic "cfSz"
 *      4  4  n, 1 to 4096
 *      8  4  code: version of the views (cfs_view_version)
 *     12  4  0
 *     16  8  XXH64 of the entries, seeded with the XXH64 of bytes 0 to 15,
 *            which is seeded with the checksum of the file's header: so a
 *            batch from another file is not sound here
 *
 * entry, 16 bytes; a later one of the same key replaces an earlier one
 *      0  8  key, below 2^63; bit 62: the size holds for any version
 *      8  8  size in bytes, below 2^63
 *
 * Batches are appended below flock(2) and never changed.  A reader stops at
 * the first one that is not whole and sound; the next writer truncates the file
 * there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_SIZES_FILE_H
#define CFS_CACHE_SIZES_FILE_H

#include "base/buf.h"
#include "base/error.h"

#define CFS_SIZES_MAGIC "CFSSIZE1"
#define CFS_SIZES_VERSION 1u
#define CFS_SIZES_HEADER_BYTES 40u
#define CFS_SIZES_BATCH_MAGIC 0x7a536663u	/* "cfSz" */
#define CFS_SIZES_BATCH_BYTES 24u
#define CFS_SIZES_ENTRY_BYTES 16u
#define CFS_SIZES_BATCH_MAX 4096u	/* entries */
#define CFS_SIZES_ANY_CODE (UINT64_C(1) << 62)
#define CFS_SIZES_KEY_MAX (CFS_SIZES_ANY_CODE - 1)
#define CFS_SIZES_SIZE_MAX ((uint64_t)INT64_MAX)
/* Most bytes of a file: half a million sizes.  When it is full, the older half
 * is dropped. */
#define CFS_SIZES_FILE_BYTES_MAX (UINT32_C(8) << 20)

/* Which index a file of sizes belongs to. */
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

/* Writes a header; returns its checksum, which batches are checked with. */
uint64_t cfs_sizes_header_encode(const struct cfs_sizes_id *id,
				 uint8_t out[CFS_SIZES_HEADER_BYTES]);

/* Takes a header off *rest.  CFS_EFORMAT: it is damaged, or of
 * another version. */
int cfs_sizes_header_parse(struct cfs_slice *rest, struct cfs_sizes_id *id,
			   uint64_t *seed);

/* Appends a batch of n entries, 1 to CFS_SIZES_BATCH_MAX.  CFS_ENOMEM or
 * CFS_ELIMIT as cfs_buf has them. */
int cfs_sizes_batch_encode(uint64_t seed, uint32_t code,
			   const struct cfs_sizes_entry *v, uint32_t n,
			   struct cfs_buf *out);

/* Takes a batch off *rest.  CFS_END if nothing is left; CFS_EFORMAT if what
 * follows is not a whole, sound batch: *rest is then unchanged. */
int cfs_sizes_batch_parse(struct cfs_slice *rest, uint64_t seed,
			  struct cfs_sizes_batch *out);

/* Entry i of a batch. */
struct cfs_sizes_entry cfs_sizes_entry_at(const struct cfs_sizes_batch *b,
					  uint32_t i);

#endif

/* format.h - the files of the block cache, byte by byte (crawlfs-cache(5)).
 *
 * The cache is a folder of segment files.  A segment is written front to
 * back by one process, which holds flock(2) on it while it may append; when
 * it is full it is sealed: a sorted index and a footer are added.  Segments
 * are deleted whole, the one used longest ago first.
 *
 *     blocks/lock                      flock(2): held to make or delete
 *                                      segments
 *     blocks/TTTTTTTTTTTTTTTT-RRRRRRRR.seg    T: its creation (Unix
 *                                      nanoseconds), R: random; both hex
 *
 *     segment = header record* [index footer]
 *
 * All integers are little-endian; records begin at multiples of 8, the bytes
 * between them are 0.
 *
 * header, 32 bytes
 *      0  8  magic "CFSCACH1"
 *      8  4  version, 1
 *     12  4  bytes of this header, 32
 *     16  8  0
 *     24  8  XXH64 of bytes 0 to 23, seed 0
 *
 * record header, 56 bytes, then n bytes of data
 *      0  4  magic "cfRc"
 *      4  4  n, 1 to 131072
 *      8 16  id of the object, the URL or the index, see below
 *     24  8  offset of the data in the object; for metadata: when they were
 *            received, for sizes: when they were found, Unix nanoseconds
 *     32  8  XXH3 of the data, 64 bits; seed: XXH64 of bytes 4 to 31, seed 0
 *     40  4  kind: 0 data of an object, 1 metadata, 2 sizes of files
 *            (sizes_batch.h); records of other kinds are left alone
 *     44  4  0
 *     48  8  XXH64 of bytes 0 to 47, seed 0
 * The data are written before their header, so that a reader that finds a
 * header finds the data too.
 *
 * index: one entry of 48 bytes for each record, sorted by id, offset, place
 *      0 16  id
 *     16  8  offset
 *     24  4  n
 *     28  4  place of the record header, bytes from the segment's start
 *     32  8  checksum of the data, as in the record header
 *     40  4  kind, as in the record header
 *     44  4  0
 * then the fan-out: 257 numbers of 4 bytes; entries whose id begins with
 * byte b are numbers fan[b] to fan[b + 1] - 1.
 *
 * footer, the last 40 bytes of a sealed segment
 *      0  8  magic "CFSCEND1"
 *      8  4  number of entries
 *     12  4  place of the index, a multiple of 8
 *     16  8  XXH3 of index and fan-out, 64 bits, seed 0
 *     24  8  0
 *     32  8  XXH64 of bytes 0 to 31, seed 0
 *
 * ids are the first 16 bytes of a SHA-256:
 *     metadata of a URL    of "url" NUL URL
 *     bytes of an object   of "data" NUL URL NUL validator NUL size (decimal)
 *     sizes of files       of "sizes" NUL and two numbers of 8 bytes: hashes of
 *                          the place and of the state of their index
 * An object that changes gets another id: its old bytes are not found again.
 *
 * metadata, the data of such a record (the latest one of a URL holds)
 *      0  8  size of the object
 *      8  8  when it was last changed, Unix seconds, signed; 0: not known
 *     16  2  bytes of the validator (its ETag or date as the source reports it)
 *     18  2  bytes of the URL
 *     20     validator, URL
 *
 * Nothing is ever synced: what a crash damages is found by its checksum.  The
 * checksum of the data is compared with the one in the index and takes in
 * id, offset and n, so that a damaged index cannot give wrong bytes either.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_FORMAT_H
#define CFS_CACHE_FORMAT_H

#include <stdint.h>

#define CFS_SEG_MAGIC "CFSCACH1"
#define CFS_SEG_END_MAGIC "CFSCEND1"
#define CFS_SEG_VERSION 1u
#define CFS_SEG_HEADER_BYTES 32u
#define CFS_SEG_RECORD_MAGIC 0x63526663u	/* "cfRc" */
#define CFS_SEG_RECORD_BYTES 56u
#define CFS_SEG_DATA_MAX 131072u
#define CFS_SEG_ID_BYTES 16u
#define CFS_SEG_ENTRY_BYTES 48u
#define CFS_SEG_FAN 257u
#define CFS_SEG_FAN_BYTES (CFS_SEG_FAN * 4u)
#define CFS_SEG_FOOTER_BYTES 40u
#define CFS_SEG_META_HEAD 20u
#define CFS_SEG_URL_MAX 8192u
#define CFS_SEG_VALIDATOR_MAX 255u
/* Bounds the time to scan a segment that is not sealed, to milliseconds. */
#define CFS_SEG_ENTRIES_MAX 32768u
/* Offsets in a segment have 32 bits; segments stay far smaller. */
#define CFS_SEG_BYTES_MAX (UINT32_C(1) << 30)
#define CFS_SEG_BYTES_MIN (UINT32_C(1) << 18)
#define CFS_SEG_NAME_BYTES 30	/* 16 + 1 + 8 + ".seg" + NUL */

#endif

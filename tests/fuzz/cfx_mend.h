/* cfx_mend.h - makes the magic, sizes and all checksums of any bytes good, so
 * that they pass for a crawlfs index and what lies behind them is reached.
 *
 * Compression would hide the rest: a gzip member whose OS byte is
 * CFX_MEND_PLAIN becomes one that holds its bytes as they are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_CFX_MEND_H
#define CFS_TESTS_CFX_MEND_H

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/hash.h"
#include "format/cfx/cfx.h"
#include "format/cfx/cfx_damage.h"
#include "format/cfx/cfx_format.h"
#include "format/cfx/cfx_joindata.h"

#define CFX_MEND_PLAIN 0x53u
#define CFX_MEND_GZ_HEAD 15u		/* gzip header, header of one block */
#define CFX_MEND_GZ_TAIL 8u
#define CFX_MEND_BLOCKS 64u		/* of each kind */

static inline uint64_t cfx_sum(const uint8_t *p, uint64_t off, uint64_t n,
			       uint64_t seed)
{
	return cfs_hash64(cfs_slice_of(p + off, n), seed);
}

static inline void cfx_mend_gzip(uint8_t *p, size_t n)
{
	static const uint8_t head[11] = { 0x1f, 0x8b, 8, [9] = CFX_MEND_PLAIN,
					  [10] = 1 };
	uint32_t text;

	if (n < CFX_MEND_GZ_HEAD + CFX_MEND_GZ_TAIL || p[9] != CFX_MEND_PLAIN ||
	    n - CFX_MEND_GZ_HEAD - CFX_MEND_GZ_TAIL > UINT16_MAX)
		return;
	text = (uint32_t)(n - CFX_MEND_GZ_HEAD - CFX_MEND_GZ_TAIL);
	memcpy(p, head, sizeof(head));
	cfs_le32_put(p + 11, text | ~text << 16);
	cfs_le32_put(p + n - 8, (uint32_t)crc32(0, p + CFX_MEND_GZ_HEAD, text));
	cfs_le32_put(p + n - 4, text);
}

static inline void cfx_mend_level(uint8_t *p, size_t size, const uint8_t *at,
				  unsigned level)
{
	uint64_t off = cfs_le64_get(at);
	uint32_t n = cfs_le32_get(at + 8), last = cfs_le32_get(at + 12);

	for (uint32_t i = 0; i < n && i < CFX_MEND_BLOCKS &&
	     off >= CFS_CFX_HEADER_BYTES; i++) {
		uint32_t bytes = i + 1 == n ? last : CFS_CFX_BLOCK_BYTES;

		if (off > size || bytes > size - off || bytes < 16)
			break;
		p[off + 8] = (uint8_t)level;
		cfs_le64_put(p + off, cfx_sum(p, off + 8, bytes - 8,
					      cfs_cfx_seed(level, i)));
		off += bytes;
	}
}

static inline void cfx_mend_notes(uint8_t *p, size_t size)
{
	uint64_t at = cfs_le64_get(p + CFS_CFX_OFF_NOTES);
	uint64_t n = cfs_le64_get(p + CFS_CFX_OFF_NOTES + 8);

	for (uint32_t i = 0; i < n && i < CFX_MEND_BLOCKS && at <= size &&
	     size - at >= 16; i++, at += 8) {
		uint64_t off = cfs_le64_get(p + at);
		uint64_t end = cfs_le64_get(p + at + 8);

		if (off < CFS_CFX_HEADER_BYTES || end > size || off > end ||
		    end - off < 8)
			break;
		cfx_mend_gzip(p + off + 8, (size_t)(end - off - 8));
		cfs_le64_put(p + off, cfx_sum(p, off + 8, end - off - 8,
				cfs_cfx_seed(CFS_CFX_LEVEL_NOTES, i)));
	}
}

static inline void cfx_mend_damage(uint8_t *p, size_t size)
{
	uint8_t *at = p + CFS_CFX_OFF_DAMAGE;
	uint64_t off = cfs_le64_get(at), n = cfs_le64_get(at + 8);

	if (off <= size && n <= size - off)
		cfs_le64_put(at + 16, cfx_sum(p, off, n, CFS_CFX_DAMAGE_SEED));
}

/* The blocks of one list of joindata that lies at p, n bytes. */
static inline void cfx_mend_list(uint8_t *p, size_t n, unsigned which)
{
	for (uint32_t i = 0; i < CFX_MEND_BLOCKS && n >= 12; i++) {
		size_t bytes = cfs_le32_get(p);

		if (bytes > n - 12)
			break;
		cfx_mend_gzip(p + 12, bytes);
		cfs_le64_put(p + 4, cfx_sum(p, 12, bytes, cfs_cfx_seed(
				    CFS_CFX_LEVEL_JOINDATA + which, i)));
		p += 12 + bytes;
		n -= 12 + bytes;
	}
}

static inline void cfx_mend_joindata(uint8_t *p, size_t size)
{
	for (unsigned i = 0; i < CFS_CFX_JOINDATA_LISTS; i++) {
		const uint8_t *at = p + CFS_CFX_OFF_JOINS + 8 + 16 * i;
		uint64_t off = cfs_le64_get(at), n = cfs_le64_get(at + 8);

		if (off >= CFS_CFX_HEADER_BYTES && off <= size &&
		    n <= size - off)
			cfx_mend_list(p + off, (size_t)n, i);
	}
}

static inline void cfx_mend_header(uint8_t *p)
{
	cfs_le64_put(p + CFS_CFX_OFF_CHECKSUM,
		     cfx_sum(p, 0, CFS_CFX_OFF_CHECKSUM, 0));
}

/* The checksums of a file whose sizes are as they are meant to be. */
static inline void cfx_mend_sums(uint8_t *p, size_t size)
{
	cfx_mend_damage(p, size);
	for (unsigned i = 0; i < CFS_CFX_LEVELS_MAX; i++)
		cfx_mend_level(p, size, p + CFS_CFX_OFF_LEVELS +
			       i * CFS_CFX_LEVEL_BYTES, i);
	cfx_mend_level(p, size, p + CFS_CFX_OFF_REFS, CFS_CFX_LEVEL_REFS);
	for (unsigned i = 0; i < CFS_CFX_SECTIONS; i++) {
		uint8_t *q = p + CFS_CFX_OFF_SECTIONS +
			     i * CFS_CFX_SECTION_BYTES;
		uint64_t off = cfs_le64_get(q), n = cfs_le64_get(q + 8);

		if (off <= size && n <= size - off)
			cfs_le64_put(q + 16, cfx_sum(p, off, n, i + 1));
	}
	cfx_mend_notes(p, size);
	cfx_mend_joindata(p, size);
	cfx_mend_header(p);
}

/* size: at least CFS_CFX_HEADER_BYTES. */
static inline void cfx_mend(uint8_t *p, size_t size)
{
	memcpy(p, CFS_CFX_MAGIC, CFS_CFX_MAGIC_BYTES);
	cfs_le32_put(p + 8, CFS_CFX_VERSION);
	cfs_le32_put(p + 12, CFS_CFX_HEADER_BYTES);
	cfs_le32_put(p + 16, CFS_CFX_BLOCK_BYTES);
	p[20] = CFS_CFX_KEY_ORDER;
	cfs_le64_put(p + 32, size);
	cfx_mend_sums(p, size);
}

/* Most of a header is zero: inputs have what is not, and what is behind it.
 * Header bytes 0-559, 1,576-1,655 and 4,024-4,087. */
static const struct cfx_piece { uint16_t off, n; } cfx_pieces[] = {
	{ 0, 560 }, { 1576, 80 }, { 4024, 64 } };

/* The whole file, malloced; NULL without memory. */
static inline uint8_t *cfx_expand(const uint8_t *data, size_t size, size_t *n)
{
	uint8_t *p = calloc(1, CFS_CFX_HEADER_BYTES + size);

	*n = 0;
	if (p == NULL)
		return NULL;
	for (size_t i = 0; i < sizeof(cfx_pieces) / sizeof(cfx_pieces[0]);
	     i++) {
		size_t part = size < cfx_pieces[i].n ? size : cfx_pieces[i].n;

		memcpy(p + cfx_pieces[i].off, data, part);
		data += part;
		size -= part;
	}
	memcpy(p + CFS_CFX_HEADER_BYTES, data, size);
	*n = CFS_CFX_HEADER_BYTES + size;
	return p;
}

#endif

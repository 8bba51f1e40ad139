/* cfx_format.h - the crawlfs index file, byte by byte (crawlfs-index(5)).
 *
 * All integers are little-endian; "varint" is LEB128 of at most 10 bytes, in
 * its shortest form.  A file is
 *
 *     header                      4,096 bytes
 *     leaf blocks                 level 0
 *     blocks of levels 1, 2, ...  each one level in one piece
 *     blocks of references
 *     tables: symbols, archives, MIME types, classes
 *     blocks of notes, and where they are (version 2)
 *
 * Every block is 65,536 bytes, but the last of each level (and of the
 * references) is stored as short as its contents; the levels table says so.
 * Level k + 1 holds one entry for every block of level k, in order; the top
 * level is one block.  A file without captures has no levels.
 *
 * Header
 *     off size  meaning
 *       0    8  magic 89 43 46 58 0D 0A 1A 0A
 *       8    4  version: 1; 2 for a file with notes or a home; 3 for one whose
 *               classes say where related records lie
 *      12    4  bytes of this header, 4096
 *      16    4  bytes of a block, 65536
 *      20    1  key order, 1: bytes of the key; then time, archive, offset
 *      21    1  restart interval, 1-255 entries
 *      22    1  bytes of an archive number in a value, 0-4
 *      23    1  bytes of an offset, 0-8
 *      24    1  bytes of a time, 0-8
 *      25    3  zero
 *      28    4  number of levels, 0-16
 *      32    8  bytes of the whole file
 *      40    8  captures
 *      48    8  skipped: scheme or no host
 *      56    8  skipped: URL too long
 *      64    8  skipped: path too deep
 *      72    8  skipped: NUL in the URL
 *      80  128  4 sections of 32 bytes: symbols, archives, MIME types, classes
 *     208   32  references
 *     240  256  16 levels of 16 bytes, those not in use zero
 *     496    4  code of the views whose sizes the extras hold, 0: none
 *     500    4  1: the three counts that follow are there; 0: they are not
 *     504    8  captures without the size of their body
 *     512    8  captures without the size of their text
 *     520    8  captures without the size of their metadata
 *     528    8  notes: file offset of their directory, 0: there are none
 *     536    8  number of their blocks
 *     544    2  n, bytes of the home: the URL that archive names are below
 *               where
 *               nothing else is said, 0: they lie below the index's folder
 *     546    n  the home, at most 1,024 bytes
 *      .     .  zero; in version 1 from 528 on, but for joins
 *    1576    4  joins: 1, or 0: there are none
 *    1580    4  zero
 *    1584   48  three tapes, offset in the file and bytes each: ids, sides,
 *               archives (cfx_joindata.h)
 *    1632   24  damage: offset in the file of its table, its bytes, and their
 *               XXH64, seed 250 << 32 (cfx_damage.h); zero where there is none
 *    4024   64  in a part of an index that several tasks make, what
 *               build/share_file.c says; else zero
 *    4088    8  XXH64 of bytes 0-4087, seed 0
 *
 * Section                          Level (leaf blocks first), References
 *       0    8  file offset              0    8  file offset of its first block
 *       8    8  bytes                    8    4  number of blocks
 *      16    8  XXH64, seed 1-4         12    4  stored bytes of the last one
 *      24    8  number of items         16   16  references: items; zero
 *
 * Block
 *       0    8  XXH64 of the stored bytes from 8 on, seed level << 32 | number
 *       8    1  level, 255 for references
 *       9    1  zero
 *      10    2  entries, 1-65535
 *      12    4  level 1 and above: number of the first child; else zero
 *      16       entries
 *     end - 2 * r   r = ceil(entries / interval) restart offsets of 2 bytes,
 *               from the start of the block to entry 0, interval, ...; not in
 *               a block of references.  Unused bytes before them are zero.
 *
 * Leaf entry
 *     varint    bytes shared with the key before; 0 at a restart
 *     varint    n, bytes of the coded rest of the key
 *     n         the rest of the key, coded with the symbol table (symbols.h)
 *     value
 * Value
 *     varint    class
 *     a,o,t     archive number, offset of the record, time less the archive's
 *               first time in seconds: bytes as the header says
 *     l,b       compressed length and body size: bytes as the class says
 *     varint x2 class flag 1: inner offset and inner length
 *     varint    length of the request, where the class says that it is kept
 *               (enum cfs_adjacency of related.h)
 *     varint, n class flag 2: the URL, coded with the symbol table
 *     varint, n class flag 4: extras, each a varint tag, a varint length and
 *               that many bytes; tags not known are skipped
 *                   1  MIME type      2  HTTP status (varint)
 *                   3  text           4  metadata: the crawl's own, varints
 *                      kind (enum cfs_companion_kind), archive, offset, length,
 *                      inner offset, inner length, bytes of it
 *                   5  bytes of the computed metadata (with the notes) and
 *                      text (varints)
 *                   6  notes: block, offset in it, bytes (varints)
 *                   7  related records: the list of related.h
 *
 * Entry of level 1 and above: varint shared, varint n, n bytes.  Together
 * with those shared they are a separator: greater than every key before the
 * child and not greater than its first (equal only where a key continues
 * from block to block).  The separator of child 0 of a level is empty.
 *
 * Reference: 8 bytes XXH64 (seed 0) of "id:" and the WARC-Record-ID or of
 * "digest:" and the WARC-Payload-Digest in its one form (record/digest.h); 6
 * bytes position, leaf number << 16 | entry.  Sorted by both; only what some
 * revisit in the file refers to.
 *
 * Notes: one JSON object of a capture, whose members its metadata view shows.
 * A block is XXH64 (seed 254 << 32 | number) of what follows, 8 bytes, and a
 * gzip member of the notes of captures in order, at most 65,536 bytes.  The
 * directory has, 8 bytes each, the file offset of every block, and of the end
 * of the last one.
 *
 * Joins: what archives that are added later are joined by, in tapes
 * (cfx_joindata.h), which are read front to back.
 *
 * Symbols: see symbols.h.  Archive: 8 bytes size, 8 bytes modification time,
 * 8 bytes first time of a capture (all signed, Unix seconds, size in bytes),
 * name, NUL.  MIME type: 1 byte length, bytes.  Class, 12 bytes:
 *       0    1  kind (enum cfs_kind)
 *       1    1  scheme (enum cfs_scheme)
 *       2    2  HTTP status, 0 not known
 *       4    4  MIME type number
 *       8    1  bytes of the compressed length, 0-8
 *       9    1  bytes of the body size; 255: the body size is not known
 *      10    1  flags: 1 inner span, 2 URL, 4 extras; bits 3-5: where related
 *               records lie, 0-5 (enum cfs_adjacency)
 *      11    1  zero
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_CFX_FORMAT_H
#define CFS_INDEX_CFX_FORMAT_H

#include "index.h"

#define CFS_CFX_MAGIC "\x89" "CFX\r\n\x1a\n"
#define CFS_CFX_VERSION 1u
#define CFS_CFX_VERSION_NOTES 2u	/* with notes or a home */
#define CFS_CFX_VERSION_RELATED 3u	/* with bits of LIES in classes */
#define CFS_CFX_HEADER_BYTES 4096u
#define CFS_CFX_BLOCK_BYTES 65536u
#define CFS_CFX_KEY_ORDER 1u
#define CFS_CFX_RESTART 16u
#define CFS_CFX_LEVELS_MAX 16u
#define CFS_CFX_BLOCK_HEAD 16u
#define CFS_CFX_LEVEL_REFS 255u
#define CFS_CFX_LEVEL_NOTES 254u
#define CFS_CFX_LEVEL_TAPES 251u	/* and the two behind it */
#define CFS_CFX_JOINS 1u		/* their version */

enum cfs_cfx_section { CFS_CFX_SYMBOLS, CFS_CFX_ARCHIVES, CFS_CFX_MIMES,
		       CFS_CFX_CLASSES, CFS_CFX_SECTIONS };

/* What later archives are joined by (cfx_joindata.h). */
enum cfs_cfx_joindata_of { CFS_CFX_JOINDATA_IDS, CFS_CFX_JOINDATA_SIDES,
		       CFS_CFX_JOINDATA_ARCHIVES, CFS_CFX_TAPES };

/* Offsets in the header. */
#define CFS_CFX_OFF_FILE_BYTES 32u
#define CFS_CFX_OFF_CAPTURES 40u
#define CFS_CFX_OFF_SKIPPED 48u		/* four counts */
#define CFS_CFX_OFF_SECTIONS 80u
#define CFS_CFX_SECTION_BYTES 32u
#define CFS_CFX_OFF_REFS 208u
#define CFS_CFX_OFF_LEVELS 240u
#define CFS_CFX_OFF_VIEW_VERSION 496u
#define CFS_CFX_OFF_UNSIZED 500u
#define CFS_CFX_OFF_NOTES 528u
#define CFS_CFX_OFF_HOME 544u
#define CFS_CFX_LEVEL_BYTES 16u
#define CFS_CFX_OFF_JOINS 1576u
#define CFS_CFX_OFF_DAMAGE 1632u
#define CFS_CFX_OFF_SHARE 4024u
#define CFS_CFX_OFF_CHECKSUM 4088u

#define CFS_CFX_REF_BYTES 14u
#define CFS_CFX_CLASS_BYTES 12u
#define CFS_CFX_NO_BODY 255u

enum { CFS_CFX_FLAG_INNER = 1, CFS_CFX_FLAG_URL = 2, CFS_CFX_FLAG_EXTRAS = 4,
       CFS_CFX_ADJACENT_SHIFT = 3 };
enum { CFS_CFX_EXTRA_MIME = 1, CFS_CFX_EXTRA_STATUS = 2, CFS_CFX_EXTRA_TEXT = 3,
       CFS_CFX_EXTRA_META = 4, CFS_CFX_EXTRA_VIEWS = 5,
       CFS_CFX_EXTRA_NOTES = 6, CFS_CFX_EXTRA_RELATED = 7 };

/* Bounds against junk: a table that is full sends the rest to the extras. */
#define CFS_CFX_MIME_MAX 255u		/* bytes; a length is one byte */
#define CFS_CFX_MIMES_MAX 65536u
#define CFS_CFX_CLASSES_MAX 65536u
/* Without status and MIME type 6 kinds, 4 schemes, 4 flags, 6 places of related
 * records, 9 and 10 widths are all that is left to tell apart. */
#define CFS_CFX_CLASSES_LIMIT (CFS_CFX_CLASSES_MAX + 65536u)
/* Inflated notes of one block.  They are read one by one, so that a block is
 * what one costs. */
#define CFS_CFX_NOTES_BLOCK_BYTES 65536u
#define CFS_CFX_HOME_MAX 1024u
#define CFS_CFX_NAME_MAX 4095u		/* bytes of an archive's name */

struct cfs_cfx_level {
	uint64_t file_off;
	uint32_t n, last_bytes;
};

struct cfs_cfx_section_at {
	uint64_t file_off, bytes, checksum, n;
};

struct cfs_cfx_joindata_at {
	uint64_t file_off, bytes;
};

struct cfs_cfx_damage_at {
	uint64_t file_off, bytes, checksum;
};

struct cfs_cfx_class {
	uint8_t kind, scheme, flags, length_w, body_w;
	uint16_t status;
	uint32_t mime;
};

/* The header's fields in memory. */
struct cfs_cfx_header {
	uint8_t restart, archive_w, offset_w, time_w;
	unsigned n_levels;
	uint64_t file_bytes, captures;
	uint64_t skipped_scheme, skipped_long, skipped_deep, skipped_nul;
	struct cfs_cfx_section_at sections[CFS_CFX_SECTIONS];
	struct cfs_cfx_level refs;
	uint64_t n_refs;
	struct cfs_cfx_level levels[CFS_CFX_LEVELS_MAX];
	uint32_t view_version;
	struct cfs_index_unsized unsized;
	uint64_t notes_off, n_notes;	/* their directory, and blocks */
	char home[CFS_CFX_HOME_MAX + 1];
	bool has_joins;
	struct cfs_cfx_joindata_at tapes[CFS_CFX_TAPES];
	struct cfs_cfx_damage_at damage;
	bool has_adjacent; /* while it is written: some class has */
};

static inline uint64_t cfs_cfx_seed(unsigned level, uint32_t number)
{
	return (uint64_t)level << 32 | number;
}

/* Bytes that hold v: 0 for 0. */
static inline uint8_t cfs_cfx_width(uint64_t v)
{
	uint8_t w = 0;

	while (v != 0) {
		v >>= 8;
		w++;
	}
	return w;
}

/* Stored bytes of a block. */
static inline uint32_t cfs_cfx_stored(const struct cfs_cfx_level *l,
				      uint32_t number)
{
	return number + 1 == l->n ? l->last_bytes : CFS_CFX_BLOCK_BYTES;
}

#endif

/* cfx_format.h - the crawlfs index file, byte by byte (crawlfs-index(5)).
 *
 * All integers are little-endian; "varint" is LEB128 of at most 10 bytes, in
 * its shortest form.  A file is
 *
 *     header                      4,096 bytes
 *     leaf blocks                 level 0
 *     blocks of levels 1, 2, ...  each level contiguous
 *     blocks of references
 *     tables: symbols, archives, MIME types, classes
 *     blocks of notes and their directory
 *
 * Every block has 65,536 bytes, except that the last one of each level (and of
 * the references) is only as long as its contents; the levels table has its
 * length.  Level k + 1 holds one entry for every block of level k, in order;
 * the top level is one block.  A file without captures has no levels.
 *
 * Header
 *     off size  meaning
 *       0    8  magic 89 43 46 58 0D 0A 1A 0A
 *       8    4  version: 4
 *      12    4  bytes of this header, 4096
 *      16    4  bytes of a block, 65536
 *      20    1  key order, 1: bytes of the key; then time, archive, offset
 *      21    1  restart interval, 1-255 entries
 *      22    1  bits of an archive number in a value, 0-32
 *      23    1  bits of an offset, 0-64
 *      24    4  zero
 *      28    4  number of levels, 0-16
 *      32    8  bytes of the whole file
 *      40    8  captures
 *      48    8  captures left out: other scheme, or no host
 *      56    8  captures left out: URL too long
 *      64    8  captures left out: path too deep
 *      72    8  captures left out: NUL in the URL
 *      80  128  4 sections of 32 bytes: symbols, archives, MIME types, classes
 *     208   32  references
 *     240  256  16 levels of 16 bytes, unused ones zero
 *     496    4  version of the views whose sizes the extras hold, 0: none
 *     500    4  1 if the next three counts are present, else 0
 *     504    8  captures whose body size is missing
 *     512    8  captures whose text size is missing
 *     520    8  captures whose metadata size is missing
 *     528    8  notes: file offset of their directory, 0: there are none
 *     536    8  number of blocks of notes
 *     544    2  n, bytes of the home: the URL that archive names are relative
 *               to unless another one is given; 0: they are relative to the
 *               index's folder
 *     546    n  the home, at most 1,024 bytes
 *      .     .  zero, up to:
 *    1576    4  joindata: its version, 3; 0 if there is none
 *    1580    4  1 if captures have the digests of their payloads, else 0
 *    1584   48  joindata: file offset and bytes of each of three lists: ids,
 *               annexes, archives (cfx_joindata.h)
 *    1632   24  table of damage: file offset, bytes, and XXH64 with seed
 *               250 << 32 (cfx_damage.h); zero if there is none
 *    1656    4  n, number of further counts of missing sizes
 *    1660    4  1 if a capture has languages, else 0
 *    1664  8*n  captures whose size is missing, for the views in slots 2, 3
 *               and so on (index/view_bytes.h)
 *    4008    8  revisits whose original is in none of the archives
 *    4016    8  other captures whose body was cut off
 *    4024    4  number of the part, from 1, in a part of an index that several
 *               tasks build (indexing/parts.h); in an index all is zero
 *    4028    4  number of parts
 *    4032    8  seal: the same for parts of the same inputs and options
 *    4040   48  zero; not in parts of earlier versions
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
 *      12    4  level 1 and above: number of the first child block; else zero
 *      16       entries
 *     end - 2 * r   r = ceil(entries / interval) restart offsets of 2 bytes,
 *               from the start of the block to entry 0, interval, ...; not in
 *               a block of references.  Unused bytes before them are zero.
 *
 * Leaf entry
 *     1         s * 32 + n
 *     varint    if s is 7: bytes shared with the previous key, or at a restart
 *               with the key of the restart before it, at most 128; 0 in the
 *               first entry.  If s is 0-6, as many as the entry before shares,
 *               plus s - 3; at a restart, s - 3
 *     varint    if n is 31: what is added to n
 *     n         the rest of the key, coded with the symbol table (symbols.h)
 *     value
 * Value
 *     varint    class
 *     bits      fixed numbers, one after the other, from the lowest bit of the
 *               first byte on; unused bits of the last byte are zero:
 *               archive number, record offset; widths as in the header
 *               time, compressed length, sizes of body, text and metadata,
 *               length of the request (enum cfs_cfx_number); widths as in the
 *               class, 0 for what the class says is not there
 *     varint x2 class flag 1: inner offset and inner length
 *     varint, n class flag 2: the URL: varints, how many bytes at the beginning
 *               and at the end are those of the key's URL (cfs_cfx_key_url);
 *               what is between, coded with the symbol table
 *     varint, n class flag 4: extras, each a varint tag, a varint length and
 *               that many bytes; unknown tags are skipped
 *                   1  MIME type      2  HTTP status (varint)
 *                   3  text           4  metadata: the crawl's own; varints
 *                      kind (enum cfs_companion_kind), archive, offset, length,
 *                      inner offset, inner length, bytes of the companion
 *                   5  not used
 *                   6  notes: block, offset in it, bytes (varints)
 *                   7  related records: the list of related.h
 *                   8  sizes of other computed views: the list of
 *                      index/view_bytes.h
 *                   9  languages: codes of ISO 639-3 with commas between them
 *                  10  digest of the payload: 1 and the 20 bytes of a SHA-1,
 *                      or 0 and any digest as text, with its label
 * The time is what cfs_cfx_clock_at predicts for the archive and the offset,
 * plus a signed number d, stored as 2 * d or, if it is negative, -2 * d - 1.
 * The request's length has 256 * the class's high byte added.
 *
 * Entry of level 1 and above: shared bytes and n as in a leaf, n bytes.  Shared
 * bytes and rest make a separator: greater than every key before the child
 * block, and not greater than its first key (equal only if a key continues from
 * one block to the next).  The separator of child 0 of a level is empty.
 *
 * Reference: the low 4 bytes (cfs_cfx_short_hash) of XXH64 (seed 0) of "id:"
 * and the WARC-Record-ID or of "digest:" and the normalised WARC-Payload-Digest
 * (record/digest.h); position, leaf number << 16 | entry, in as many bytes as
 * that of the last leaf needs.  Sorted by both.  There are references only to
 * what some revisit in the file refers to.
 *
 * Notes of a capture: a JSON object whose members its metadata view shows.  A
 * block is an XXH64 of 8 bytes (of what follows; seed 254 << 32 | number) and a
 * gzip member of the notes of captures in order, at most 65,536 bytes.  The
 * directory has the file offset of every block, and of the end of the last one,
 * in 8 bytes each.
 *
 * Joindata: what is needed to join archives that are added later, in three
 * lists (cfx_joindata.h), which are read front to back.
 *
 * Symbols: see symbols.h.  Archive: 8 bytes size, 8 bytes modification time,
 * 8 bytes start of its clock (all signed, Unix seconds, size in bytes), 4 bytes
 * slope of its clock (struct cfs_cfx_clock), name, NUL.  MIME type: 1 byte
 * length, bytes.
 *
 * Classes: 4 bytes number of heads, the heads, the classes.  Head, 8 bytes:
 *       0    1  kind (enum cfs_kind)
 *       1    1  scheme (enum cfs_scheme)
 *       2    2  HTTP status, 0 if not known
 *       4    2  MIME type number
 *       6    1  flags: 1 inner span, 2 URL, 4 extras, 64 sizes of text and
 *               metadata, 128 size of the body; bits 3-5: adjacency of related
 *               records, 0-5 (enum cfs_adjacency)
 *       7    1  high byte of the request's length
 * Class: varint, the number of its head; 3 bytes with the widths of the last
 * six fixed numbers, the first one in the low four bits of the first byte:
 * 0-14, so many times two bits; 15, 64 bits.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CFX_CFX_FORMAT_H
#define CFS_CFX_CFX_FORMAT_H

#include "index/part.h"

#define CFS_CFX_MAGIC "\x89" "CFX\r\n\x1a\n"
#define CFS_CFX_VERSION 4u
#define CFS_CFX_HEADER_BYTES 4096u
#define CFS_CFX_BLOCK_BYTES 65536u
#define CFS_CFX_KEY_ORDER 1u
#define CFS_CFX_RESTART 16u
#define CFS_CFX_LEVELS_MAX 16u
#define CFS_CFX_BLOCK_HEAD 16u
#define CFS_CFX_LEVEL_REFS 255u
#define CFS_CFX_LEVEL_NOTES 254u
#define CFS_CFX_LEVEL_JOINDATA 251u	/* to 253: one for each list */
#define CFS_CFX_JOINS 3u		/* version of the joindata */
/* Bytes of the hashes of record ids, by which the items of one key are joined,
 * and of those of ids and digests that references are found by.  The first are
 * compared with those of the same key only: two different ids agree by chance
 * once in 2^40 times.  What a reference leads to is compared with the record
 * itself before it is used (crawl/revisit.c), so its hash needs to be good
 * enough to seldom lead to a wrong one. */
#define CFS_CFX_ID_HASH_BYTES 5u
#define CFS_CFX_REF_HASH_BYTES 4u

enum cfs_cfx_section { CFS_CFX_SYMBOLS, CFS_CFX_ARCHIVES, CFS_CFX_MIMES,
		       CFS_CFX_CLASSES, CFS_CFX_SECTIONS };

/* The lists of joindata (cfx_joindata.h). */
enum cfs_cfx_joindata_of { CFS_CFX_JOINDATA_IDS, CFS_CFX_JOINDATA_ANNEXES,
		       CFS_CFX_JOINDATA_ARCHIVES, CFS_CFX_JOINDATA_LISTS };

/* Offsets in the header. */
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
#define CFS_CFX_OFF_DIGESTS 1580u
#define CFS_CFX_OFF_DAMAGE 1632u
#define CFS_CFX_OFF_UNSIZED_MORE 1656u
#define CFS_CFX_OFF_LANGUAGES 1660u
#define CFS_CFX_OFF_ABSENT 4008u
#define CFS_CFX_OFF_CUT 4016u
#define CFS_CFX_OFF_PART 4024u
#define CFS_CFX_PART_BYTES 16u
#define CFS_CFX_OFF_CHECKSUM 4088u

#define CFS_CFX_HEAD_BYTES 8u
/* Bytes of the row of an archive, without its name. */
#define CFS_CFX_ROW_BYTES 28u
/* Most bytes that a restart's key shares with that of the restart before it:
 * this bounds what the keys of a damaged block can grow to. */
#define CFS_CFX_RESTART_SHARED_MAX 128u
/* The byte that an entry begins with: low bits for the length of the rest of
 * its key; the number that stands for as many shared bytes as the entry before
 * has; and the numbers for which varints follow. */
#define CFS_CFX_REST_BITS 5u
#define CFS_CFX_REST_FOLLOWS 31u
#define CFS_CFX_SHARED_SAME 3u
#define CFS_CFX_SHARED_FOLLOWS 7u

/* PAIR and BODY: the sizes of metadata and text, and of the body, are known. */
enum { CFS_CFX_FLAG_INNER = 1, CFS_CFX_FLAG_URL = 2, CFS_CFX_FLAG_EXTRAS = 4,
       CFS_CFX_ADJACENT_SHIFT = 3, CFS_CFX_FLAG_PAIR = 64,
       CFS_CFX_FLAG_BODY = 128 };
/* The numbers that lie in the fixed part of a value, in their order, behind
 * archive and offset. */
enum cfs_cfx_number { CFS_CFX_TIME, CFS_CFX_LENGTH, CFS_CFX_BODY,
		      CFS_CFX_TEXT_BYTES, CFS_CFX_META_BYTES, CFS_CFX_REQUEST,
		      CFS_CFX_NUMBERS };
/* A width of so many units stands for 64 bits. */
#define CFS_CFX_WIDEST 15u
enum { CFS_CFX_EXTRA_MIME = 1, CFS_CFX_EXTRA_STATUS = 2, CFS_CFX_EXTRA_TEXT = 3,
       CFS_CFX_EXTRA_META = 4, CFS_CFX_EXTRA_NOTES = 6,
       CFS_CFX_EXTRA_RELATED = 7, CFS_CFX_EXTRA_LIST = 8,
       CFS_CFX_EXTRA_LANGUAGES = 9, CFS_CFX_EXTRA_DIGEST = 10 };
/* The first byte of a digest. */
enum { CFS_CFX_DIGEST_TEXT = 0, CFS_CFX_DIGEST_SHA1 = 1 };
#define CFS_CFX_SHA1_BYTES 20u

/* Bounds against junk: what a full table has no room for goes to the extras. */
#define CFS_CFX_MIME_MAX 255u		/* bytes; their number is one byte */
#define CFS_CFX_MIMES_MAX 65536u
#define CFS_CFX_HEADS_MAX 65536u
#define CFS_CFX_CLASSES_MAX 65536u
/* Once status and MIME type go to the extras, heads differ only in 6 kinds, 4
 * schemes and 8 flags.  Once all widths are the widest, classes differ only in
 * their heads. */
#define CFS_CFX_HEADS_LIMIT (CFS_CFX_HEADS_MAX + 6u * 4u * 256u)
#define CFS_CFX_CLASSES_LIMIT (CFS_CFX_CLASSES_MAX + CFS_CFX_HEADS_LIMIT)
/* Inflated bytes of a block of notes.  Notes are read one by one, and reading
 * one costs a block. */
#define CFS_CFX_NOTES_BLOCK_BYTES 65536u
#define CFS_CFX_HOME_MAX 1024u

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

/* The header's fields in memory. */
struct cfs_cfx_header {
	uint8_t restart, archive_bits, offset_bits;
	unsigned n_levels;
	uint64_t file_bytes, captures;
	uint64_t skipped[CFS_SKIPPED_KINDS];
	struct cfs_cfx_section_at sections[CFS_CFX_SECTIONS];
	struct cfs_cfx_level refs;
	uint64_t n_refs;
	struct cfs_cfx_level levels[CFS_CFX_LEVELS_MAX];
	uint32_t view_version;
	struct cfs_index_unsized unsized;
	uint64_t absent, cut;
	uint64_t notes_off, n_notes;	/* their directory; number of blocks */
	char home[CFS_CFX_HOME_MAX + 1];
	bool has_joins;
	struct cfs_cfx_joindata_at lists[CFS_CFX_JOINDATA_LISTS];
	struct cfs_cfx_damage_at damage;
	bool has_languages, has_digests;
	struct cfs_part part;
	uint64_t part_seal;
	bool is_old_part;	/* made by an earlier version */
};

/* The low bytes of a hash, never 0, which stands for none; 0 for 0.  Shortened
 * twice, a hash is the same as when it is shortened once to the lesser number
 * of bytes. */
static inline uint64_t cfs_cfx_short_hash(uint64_t hash, unsigned bytes)
{
	uint64_t low = hash & (((uint64_t)1 << 8 * bytes) - 1);

	return hash != 0 && low == 0 ? 1 : low;
}

static inline uint64_t cfs_cfx_seed(unsigned level, uint32_t number)
{
	return (uint64_t)level << 32 | number;
}

static inline unsigned cfs_cfx_adjacency(uint8_t flags)
{
	return flags >> CFS_CFX_ADJACENT_SHIFT & 7;
}

/* Number of bits that hold v; 0 for 0. */
static inline uint8_t cfs_cfx_bits(uint64_t v)
{
	uint8_t n = 0;

	for (; v != 0; v >>= 1)
		n++;
	return n;
}

/* Widths are stored in units of two bits, so that there are fewer classes. */
static inline uint8_t cfs_cfx_bits_of(unsigned units)
{
	return (uint8_t)(units == CFS_CFX_WIDEST ? 64 : 2 * units);
}

static inline uint8_t cfs_cfx_units(uint64_t v)
{
	unsigned units = (cfs_cfx_bits(v) + 1u) / 2;

	return (uint8_t)(units < CFS_CFX_WIDEST ? units : CFS_CFX_WIDEST);
}

/* How time passes in an archive: archives are written from front to back, so
 * the time of a capture is near a line through the first one and the last. */
struct cfs_cfx_clock {
	int64_t start;		/* at offset 0 */
	uint32_t slope;		/* seconds in 2^32 bytes */
};

/* The time at an offset, modulo 2^64: it is only a prediction, with which the
 * difference is stored. */
static inline uint64_t cfs_cfx_clock_at(const struct cfs_cfx_clock *c,
					uint64_t offset)
{
	return (uint64_t)c->start + ((offset >> 8) * c->slope >> 24);
}

/* Number of bytes that hold v; 0 for 0. */
static inline uint8_t cfs_cfx_width(uint64_t v)
{
	uint8_t w = 0;

	while (v != 0) {
		v >>= 8;
		w++;
	}
	return w;
}

/* Counts of missing sizes that every header has room for: of bodies, texts and
 * metadata. */
#define CFS_CFX_UNSIZED_FIXED 3u

/* Offset in the header of count i, as struct cfs_index_unsized has them. */
static inline size_t cfs_cfx_unsized_at(unsigned i)
{
	return i < CFS_CFX_UNSIZED_FIXED ? CFS_CFX_OFF_UNSIZED + 4 + 8 * i :
	       CFS_CFX_OFF_UNSIZED_MORE + 8 + 8 * (i - CFS_CFX_UNSIZED_FIXED);
}

/* Bytes of a reference in a file of so many leaves: a hash, and a position,
 * leaf number << 16 | entry. */
static inline uint8_t cfs_cfx_ref_bytes(uint32_t leaves)
{
	return (uint8_t)(CFS_CFX_REF_HASH_BYTES + 2 +
			 cfs_cfx_width(leaves > 0 ? leaves - 1 : 0));
}

/* Stored bytes of a block. */
static inline uint32_t cfs_cfx_stored(const struct cfs_cfx_level *l,
				      uint32_t number)
{
	return number + 1 == l->n ? l->last_bytes : CFS_CFX_BLOCK_BYTES;
}

/* ---- the header as bytes (cfx_header.c) ---- */

/* Writes all of the header, with its checksum. */
void cfs_cfx_header_encode(const struct cfs_cfx_header *h,
			   uint8_t p[CFS_CFX_HEADER_BYTES]);

/* Reads the fields, and checks nothing. */
void cfs_cfx_header_decode(const uint8_t p[CFS_CFX_HEADER_BYTES],
			   struct cfs_cfx_header *h);

#endif

/* words_format.h - the list of words of an index, byte by byte
 * (crawlfs-words(5)).
 *
 * All integers are little-endian; "varint" is LEB128 of at most 10 bytes, in
 * its shortest form.  A document is an entry of the index, by its number in the
 * index's order, from 0 on.  A file is
 *
 *     header                4,096 bytes
 *     postings              a stream
 *     dictionary            blocks, one behind the other
 *     lengths               a stream
 *     leaves, unread, long, top    sections
 *
 * A stream is cut every 65,528 bytes: each part, of which the last may be
 * shorter, has 8 bytes before it, its XXH64 with the seed section << 32 |
 * number.  The XXH64 of a section is in the header, and that of a block of the
 * dictionary before it, as in a stream.
 *
 * Header
 *     off size  meaning
 *       0    8  magic 89 43 46 57 0D 0A 1A 0A
 *       8    4  version: 1
 *      12    4  rules by which texts are divided: CFS_WORDS_VERSION
 *      16    4  version of the texts (that of their views)
 *      20    4  zero
 *      24    8  bytes of the whole file
 *      32    8  tie: XXH64, seed 0, of the first 4,096 bytes of the index
 *      40    8  documents, at most 2^32 - 1
 *      48    8  words
 *      56    8  postings: pairs of a word and a document
 *      64    8  sum of the lengths of documents, as their codes give them
 *      72    8  documents that are unread
 *      80    8  documents with a run beyond CFS_WORD_MAX
 *      88    8  blocks of the dictionary
 *      96  280  7 sections of 40 bytes, in the order of enum cfs_words_section:
 *               file offset; bytes in the file; bytes without checksums; XXH64
 *               (0: not of a section as a whole); zero
 *    4088    8  XXH64 of bytes 0-4087, seed 0
 *
 * Leaves: 2 bytes for each leaf block of the index, how many entries it has.
 *
 * Lengths: one byte a document, the code of its number of words, each
 * occurrence counted (cfs_words_length_code).
 *
 * Unread, long: the list of those documents, as one of postings, in which all
 * frequencies are 1.
 *
 * Top: for each block of the dictionary, varint n and the n bytes of its first
 * word, varint bytes of the block with its checksum, varint words in it, varint
 * bytes in the postings of the words of the blocks before it that is added to
 * that of the block before (0 for the first one).
 *
 * Dictionary, an entry
 *     1         s * 16 + n
 *     varint    if s is 15: what is added to s, the bytes shared with the word
 *               before; 0 in the first entry of a block
 *     varint    if n is 15: what is added to n
 *     n         the rest of the word
 *     varint    d, documents that have it
 *     varint    b, bytes of its list; up to CFS_WORDS_INLINE they follow here,
 *               else they are the next b of the postings
 *
 * List of d postings, bits from the lowest of each byte on, unused ones zero.
 * For each 128 postings, and for the rest:
 *     5 bits    k
 *     3 bits    f: 7, all frequencies are 1
 *     for each  the document less the one before less 1 (the document, in
 *               the first), Rice coded: v >> k one bits, a zero bit, the low k
 *               bits of v; then, unless f is 7, the frequency less 1, by f
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_WORDS_WORDS_FORMAT_H
#define CFS_WORDS_WORDS_FORMAT_H

#include "base/buf.h"
#include "base/error.h"
#include "base/slice.h"

#define CFS_WORDS_MAGIC "\x89" "CFW\r\n\x1a\n"
#define CFS_WORDS_MAGIC_BYTES 8u
#define CFS_WORDS_FORMAT_VERSION 1u
/* Raised when texts are divided otherwise (word_split.h). */
#define CFS_WORDS_VERSION 1u
#define CFS_WORDS_HEADER_BYTES 4096u
#define CFS_WORDS_OFF_SECTIONS 96u
#define CFS_WORDS_SECTION_BYTES 40u
#define CFS_WORDS_OFF_CHECKSUM 4088u

/* A part of a stream, without its checksum: what damage makes unreadable, and
 * what is read at once at least. */
#define CFS_WORDS_PART_BYTES 65528u
#define CFS_WORDS_SUM_BYTES 8u
/* A block of the dictionary begins again when it has so many bytes. */
#define CFS_WORDS_BLOCK_BYTES 32768u
/* ... and has no more than that: one entry more, whose word, numbers and list
 * are within this. */
#define CFS_WORDS_BLOCK_MAX (CFS_WORDS_BLOCK_BYTES + 512u)
/* Lists of so many bytes are in the dictionary: most words are rare, and a
 * server then needs no second request for them. */
#define CFS_WORDS_INLINE 32u
/* Postings that share their k and f. */
#define CFS_WORDS_RUN 128u
/* Frequencies beyond it count as it does: the rank hardly changes. */
#define CFS_WORDS_FREQUENCY_MAX 65535u

enum cfs_words_section { CFS_WORDS_POSTINGS, CFS_WORDS_DICTIONARY,
			 CFS_WORDS_LENGTHS, CFS_WORDS_LEAVES, CFS_WORDS_UNREAD,
			 CFS_WORDS_LONG, CFS_WORDS_TOP, CFS_WORDS_SECTIONS };

struct cfs_words_section_at {
	uint64_t file_off, file_bytes, bytes, checksum;
};

/* The header's fields in memory. */
struct cfs_words_header {
	uint32_t rules, view_version;
	uint64_t file_bytes, tie, docs, words, postings, length_sum;
	uint64_t unread, longs, blocks;
	struct cfs_words_section_at sections[CFS_WORDS_SECTIONS];
};

static inline uint64_t cfs_words_seed(enum cfs_words_section section,
				      uint64_t number)
{
	return (uint64_t)section << 32 | (number & UINT32_MAX);
}

/* One byte for a number of words, at most an eighth too small: exact below 16,
 * then three bits behind the highest one. */
uint8_t cfs_words_length_code(uint64_t words);
uint64_t cfs_words_length(uint8_t code);

/* Encode and decode the header; magic, versions and checksum are compared by
 * the reader. */
void cfs_words_header_encode(const struct cfs_words_header *h,
			     uint8_t p[CFS_WORDS_HEADER_BYTES]);
void cfs_words_header_decode(const uint8_t p[CFS_WORDS_HEADER_BYTES],
			     struct cfs_words_header *h);

/* ---- the writer (words_write.c) ------------------------------------------
 *
 * Words come in order, each with its documents in order; what is known of
 * documents, at the end.  Memory does not grow with the list: the dictionary is
 * in a temporary file until the end.  The bytes depend on what comes alone. */

struct cfs_words_writer;	/* used by one thread at a time */

/*
 * Begins a list.
 *
 * fd       the file, written with pwrite from byte 0; not synced or closed
 * name     of the file, for messages; borrowed
 * tmp_dir  for the dictionary; borrowed during the call
 *
 * 0, CFS_ENOMEM, CFS_EIO.
 */
int cfs_words_writer_new(struct cfs_words_writer **out, int fd,
			 const char *name, const char *tmp_dir,
			 struct cfs_error *err);
void cfs_words_writer_free(struct cfs_words_writer *w);	/* accepts NULL */

/* Begins a word, of 1 to CFS_WORD_MAX bytes and greater than the one before as
 * bytes.  A word without postings is left out.  0, CFS_ENOMEM, CFS_EIO. */
int cfs_words_writer_word(struct cfs_words_writer *w, struct cfs_slice word,
			  struct cfs_error *err);

/* Adds a document of that word, greater than the one before, with its number of
 * occurrences, at least 1.  Failures as above. */
int cfs_words_writer_posting(struct cfs_words_writer *w, uint32_t doc,
			     uint32_t frequency, struct cfs_error *err);

/* The documents of a list.  All is borrowed. */
struct cfs_words_docs {
	uint64_t tie;			/* cfs_words_tie */
	uint32_t view_version;		/* of the texts */
	const uint8_t *lengths;		/* one a document: the codes of
					 * cfs_words_length_code */
	uint32_t n;			/* documents */
	const uint16_t *leaves;		/* entries of each leaf of the index,
					 * n in all */
	uint32_t n_leaves;
	/* Ascending: documents whose text could not be made, and those with a
	 * word that was cut. */
	const uint32_t *unread, *longs;
	size_t n_unread, n_longs;
};

/* Ends the list.  *file_bytes is its size.  Failures as above. */
int cfs_words_writer_finish(struct cfs_words_writer *w,
			    const struct cfs_words_docs *docs,
			    uint64_t *file_bytes, struct cfs_error *err);

#endif

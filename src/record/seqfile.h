/* seqfile.h - reads Hadoop SequenceFiles, version 6: pairs of key and value.
 *
 * The 2012 crawl keeps its text (textData-NNNNN) and its metadata
 * (metadata-NNNNN) in them.  A "unit" here is what is compressed and checked at
 * once: a block of many pairs, or a single pair if the file has no blocks.
 * A pair's place is its unit's place and its number in the unit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_SEQFILE_H
#define CFS_RECORD_SEQFILE_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"
#include "source/source.h"

#define CFS_SEQ_SYNC_BYTES 16u
/* Most bytes of a unit, stored or inflated.  Hadoop ends a block with the pair
 * that takes it past 1 MB; a page of 2012 has at most 6 MiB. */
#define CFS_SEQ_UNIT_MAX ((size_t)64 << 20)

enum cfs_seq_codec { CFS_SEQ_PLAIN, CFS_SEQ_ZLIB, CFS_SEQ_GZIP };

/* The serialisation of a key or value: Text (also TextBytes and other classes)
 * has a VInt length, BytesWritable a big-endian one of 4 bytes. */
enum cfs_seq_class { CFS_SEQ_TEXT, CFS_SEQ_BYTES };

struct cfs_seq_head {
	bool is_block;
	enum cfs_seq_codec codec;
	enum cfs_seq_class key_class, value_class;
	uint8_t sync[CFS_SEQ_SYNC_BYTES];
	uint64_t first;			/* file offset after the header */
};

/* True if the bytes can begin a SequenceFile of any version. */
bool cfs_seq_is_magic(struct cfs_slice s);

/* Reads the header.  CFS_EFORMAT; CFS_EUNSUPPORTED for another version or
 * codec, which err names; CFS_ELIMIT; failures of reading. */
int cfs_seq_head_read(struct cfs_source *src, struct cfs_seq_head *out,
		      struct cfs_ctx ctx);

/* An inflated unit: init once, parse any number of times, release. */
struct cfs_seq_unit {
	uint32_t n;			/* pairs */
	/* Serialised lengths and bytes, borrowed from `own` or from the bytes
	 * that were parsed. */
	struct cfs_slice key_lengths, keys, value_lengths, values;
	struct cfs_buf own;
};
void cfs_seq_unit_init(struct cfs_seq_unit *u);
void cfs_seq_unit_release(struct cfs_seq_unit *u);

/* A sync marker with the four bytes before it, which cannot be a length. */
#define CFS_SEQ_MARK_BYTES (4u + CFS_SEQ_SYNC_BYTES)
/* Bytes of the two lengths that a record begins with. */
#define CFS_SEQ_RECORD_HEAD 8u

bool cfs_seq_is_mark(const struct cfs_seq_head *h, struct cfs_slice s);
/* Offset of the first mark in s, or -1. */
ptrdiff_t cfs_seq_find_mark(const struct cfs_seq_head *h, struct cfs_slice s);

/*
 * Measures the unit at the start of `in`.  0, with its length in *n; CFS_END,
 * with *n bytes that are needed to know more; CFS_EFORMAT.
 */
int cfs_seq_unit_measure(const struct cfs_seq_head *h, struct cfs_slice in,
			 size_t *n);

/*
 * Parses a unit that consists of `bytes`, which must outlive it.
 * 0; CFS_EFORMAT; CFS_ELIMIT; CFS_ENOMEM.  err gets no place.
 */
int cfs_seq_unit_parse(const struct cfs_seq_head *head, struct cfs_slice bytes,
		       struct cfs_seq_unit *u, struct cfs_error *err);

/* Walks through the pairs of a unit: 0, CFS_END, CFS_EFORMAT.  The slices are
 * serialised and borrow from the unit. */
struct cfs_seq_walk {
	const struct cfs_seq_unit *unit;
	uint32_t next;			/* number of the next pair */
	struct cfs_cursor key_lengths, keys, value_lengths, values;
};
void cfs_seq_walk_start(struct cfs_seq_walk *w, const struct cfs_seq_unit *u);
int cfs_seq_walk_next(struct cfs_seq_walk *w, struct cfs_slice *key,
		      struct cfs_slice *value);

/* Gets the pair of that number: 0, CFS_ENOTFOUND, CFS_EFORMAT. */
int cfs_seq_unit_get(const struct cfs_seq_unit *u, uint32_t number,
		     struct cfs_slice *key, struct cfs_slice *value);

/* The bytes inside a serialised key or value; false if it is not one of that
 * class (its length must lead exactly to its end). */
bool cfs_seq_unwrap(enum cfs_seq_class class, struct cfs_slice serialised,
		    struct cfs_slice *out);

/* For tests: a VInt as Hadoop writes it (doc/formats.md, "SequenceFile
 * integers"). */
int64_t cfs_seq_vint(struct cfs_cursor *c);

#endif

/* seqfile.h - Hadoop SequenceFiles, version 6: pairs of key and value.
 *
 * The 2012 crawl keeps its text (textData-NNNNN) and its metadata
 * (metadata-NNNNN) in them.  What is compressed and checked as one piece is a
 * unit here: a block of many pairs, or one pair where the file has no blocks.
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
/* Stored bytes of one unit, and inflated ones.  Hadoop ends a block with the
 * pair that takes it past 1 MB; a page of 2012 had at most 6 MiB. */
#define CFS_SEQ_UNIT_MAX ((size_t)64 << 20)

enum cfs_seq_codec { CFS_SEQ_PLAIN, CFS_SEQ_ZLIB, CFS_SEQ_GZIP };

/* How a key or value is written: Text (and TextBytes, and whatever else calls
 * itself so) has a VInt length, BytesWritable a big-endian one of 4 bytes. */
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
		      const struct cfs_cancel *cancel, struct cfs_error *err);

/* A unit, inflated.  init once, load as often as wanted, release. */
struct cfs_seq_unit {
	uint32_t n;			/* pairs */
	/* Serialised lengths and bytes, borrowed from `own` or from what the
	 * unit was parsed from. */
	struct cfs_slice key_lengths, keys, value_lengths, values;
	struct cfs_buf own;
};
void cfs_seq_unit_init(struct cfs_seq_unit *u);
void cfs_seq_unit_release(struct cfs_seq_unit *u);

/* A sync marker with the four bytes before it, which no length can be. */
#define CFS_SEQ_MARK_BYTES (4u + CFS_SEQ_SYNC_BYTES)
/* The two lengths a record begins with. */
#define CFS_SEQ_RECORD_HEAD 8u

bool cfs_seq_is_mark(const struct cfs_seq_head *h, struct cfs_slice s);
/* The first mark in s, or -1. */
ptrdiff_t cfs_seq_find_mark(const struct cfs_seq_head *h, struct cfs_slice s);

/*
 * How long is the unit at the start of `in`?  0 with *n; CFS_END with *n bytes
 * that must be there to know more; CFS_EFORMAT.
 */
int cfs_seq_unit_measure(const struct cfs_seq_head *h, struct cfs_slice in,
			 size_t *n);

/*
 * Parses the unit that is exactly `bytes`, which must outlive it.
 * 0; CFS_EFORMAT; CFS_ELIMIT; CFS_ENOMEM.  err has no place.
 */
int cfs_seq_unit_parse(const struct cfs_seq_head *head, struct cfs_slice bytes,
		       struct cfs_seq_unit *u, struct cfs_error *err);

/* Walks through the pairs of a unit: 0, CFS_END, CFS_EFORMAT.  The slices
 * are serialised forms and borrow from the unit. */
struct cfs_seq_walk {
	const struct cfs_seq_unit *unit;
	uint32_t next;			/* number of the pair that comes next */
	struct cfs_cursor key_lengths, keys, value_lengths, values;
};
void cfs_seq_walk_start(struct cfs_seq_walk *w, const struct cfs_seq_unit *u);
int cfs_seq_walk_next(struct cfs_seq_walk *w, struct cfs_slice *key,
		      struct cfs_slice *value);

/* The pair of that number: 0, CFS_ENOTFOUND, CFS_EFORMAT. */
int cfs_seq_unit_get(const struct cfs_seq_unit *u, uint32_t number,
		     struct cfs_slice *key, struct cfs_slice *value);

/* The bytes inside a serialised key or value; false if it is none of its
 * class (its own length must lead exactly to its end). */
bool cfs_seq_unwrap(enum cfs_seq_class class, struct cfs_slice serialised,
		    struct cfs_slice *out);

/* For tests: a VInt as Hadoop writes it (doc/formats.md, "SequenceFile
 * integers"). */
int64_t cfs_seq_vint(struct cfs_cursor *c);

#endif

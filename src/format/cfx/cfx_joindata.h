/* cfx_joindata.h - what a crawlfs index keeps so that archives added later can
 * be joined to its entries: three "lists" that are read front to back, each of
 * blocks of at most 65,536 inflated bytes:
 *
 *       0    4  n, bytes of the gzip member
 *       4    8  XXH64 of the member, seed (251 + list) << 32 | number
 *      12    n  the gzip member, of whole items
 *
 * List 0, ids: about the entries, in their order:
 *     varint    2 * n: nothing is noted about the next n entries; or
 *               2 * bits (enum cfs_cfx_id) + 1: about the next entries, and
 *     varint    their number
 *               for each of them the data of each bit that is set, lowest first
 *
 * List 1, annexes: the companions and related records that took part in joins
 * (join/sort_value.h), sorted by key, then value:
 *     varint x2, bytes   bytes shared with the previous key (0 at the beginning
 *                        of a block), n, and n bytes: the rest of the key
 *     varint, bytes      length and bytes of the value, with the index's own
 *                        numbers of archives
 *
 * List 2, archives: about each, in their order:
 *     varint    nanoseconds of its modification time
 *     varint x4 its captures left out, with the four reasons of the header
 * and behind them, in a part of an index, what it says of itself
 * (indexing/parts.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CFX_CFX_JOINDATA_H
#define CFS_CFX_CFX_JOINDATA_H

#include "cfx_format.h"

#define CFS_CFX_JOINDATA_BLOCK_BYTES 65536u	/* inflated, at most */
/* A run of ids longer than this is ended by the writer: it is an item, which
 * lies in one block. */
#define CFS_CFX_JOINDATA_RUN_BYTES 8192u

enum cfs_cfx_id {		/* stored in crawlfs indexes: fixed values */
	/* Hashes, little-endian: of the record's id (for a revisit, of the id
	 * it refers to), of the digest, of the revisit's own id, of the id of
	 * the record that it is concurrent to.  The digest's has 4 bytes, the
	 * others 5. */
	CFS_CFX_ID_ID = 1, CFS_CFX_ID_DIGEST = 2, CFS_CFX_ID_OWN = 4,
	CFS_CFX_ID_CONCURRENT = 8,
	CFS_CFX_ID_ANNEX = 16,		/* the entry consists of annexes only */
	/* the entry has these from its own record, not from a annex: */
	CFS_CFX_ID_TEXT = 32, CFS_CFX_ID_META = 64, CFS_CFX_ID_RELATED = 128,
	/* sizes of views that annexes replace, as in index/view_bytes.h */
	CFS_CFX_ID_PAIR = 256, CFS_CFX_ID_LIST = 512,
	CFS_CFX_ID_SEGMENTED = 1024,	/* in parts: the first segment of a
					 * record that lacks others */
	CFS_CFX_ID_ALL = 2047,
};

struct cfs_cfx;

/* Decodes the header's fields about the lists. */
void cfs_cfx_joindata_all_decode(const uint8_t *header,
				 struct cfs_cfx_header *out);
/* True if the lists lie in the file. */
bool cfs_cfx_joindata_all_fit(const struct cfs_cfx_header *h);

/* True for a crawlfs index that has joindata. */
bool cfs_cfx_has_joins(const struct cfs_index *ix);

/* A row of the archive table: name (lent by the index), size in bytes, time in
 * Unix seconds. */
struct cfs_cfx_archive {
	const char *name;
	uint64_t size;
	int64_t mtime;
};
/* Gets row i, which is below ix->archives. */
void cfs_cfx_archive(const struct cfs_index *ix, uint32_t i,
		     struct cfs_cfx_archive *out);

/* Bytes of the hash of one bit of enum cfs_cfx_id, CFS_CFX_ID_CONCURRENT or
 * below. */
static inline unsigned cfs_cfx_id_bytes(unsigned bit)
{
	return bit == CFS_CFX_ID_DIGEST ? CFS_CFX_REF_HASH_BYTES :
					  CFS_CFX_ID_HASH_BYTES;
}

/* Gets what the header says of a part of an index: its number, 0 for an index
 * that is no part, and the seal.  False for what earlier versions say. */
bool cfs_cfx_part(const struct cfs_index *ix, struct cfs_part *part,
		  uint64_t *seal);

/* A list being read.  `in` is the unread rest of the current block. */
struct cfs_cfx_joindata {
	struct cfs_index *ix;		/* borrowed */
	enum cfs_cfx_joindata_of which;
	uint64_t at, number;		/* next block: offset in the list, and
					 * number */
	struct cfs_buf text;
	struct cfs_cursor in;
};

/* ix: a crawlfs index that has joindata. */
void cfs_cfx_joindata_init(struct cfs_cfx_joindata *t, struct cfs_index *ix,
			   enum cfs_cfx_joindata_of which);
void cfs_cfx_joindata_release(struct cfs_cfx_joindata *t);

/* Makes sure that `in` is not empty, by reading the next block if it is.
 * *is_new (may be NULL) says whether it did.  0, CFS_END, CFS_EFORMAT, CFS_EIO,
 * CFS_ENOMEM, CFS_EINTR. */
int cfs_cfx_joindata_fill(struct cfs_cfx_joindata *t, bool *is_new,
			  struct cfs_ctx ctx);

/* Reports an item that is damaged; returns CFS_EFORMAT. */
int cfs_cfx_joindata_bad(const struct cfs_cfx_joindata *t,
			 struct cfs_error *err);

/* ---- writing one list (cfx_joindata_write.c) ---- */

/* Blocks wait in a temporary file until everything before them is written. */
struct cfs_cfx_joindata_writer {
	const char *tmp_dir;		/* borrowed */
	enum cfs_cfx_joindata_of which;
	int fd;				/* -1: no block yet */
	struct cfs_buf text, block;	/* text: inflated, being filled; block:
					 * compressed */
	uint64_t n, bytes;		/* blocks written, and their bytes */
};

void cfs_cfx_joindata_writer_init(struct cfs_cfx_joindata_writer *w,
				  enum cfs_cfx_joindata_of which,
				  const char *tmp_dir);
void cfs_cfx_joindata_writer_release(struct cfs_cfx_joindata_writer *w);

/* True if an item of n bytes would begin a new block. */
bool cfs_cfx_joindata_begins_block(const struct cfs_cfx_joindata_writer *w,
				   size_t n);

/* Adds an item of at most 65,536 bytes.  0, CFS_ENOMEM, CFS_EIO, or CFS_EFORMAT
 * for a longer one. */
int cfs_cfx_joindata_put(struct cfs_cfx_joindata_writer *w,
			 struct cfs_slice item, struct cfs_error *err);

/* Passes all blocks to put, in order.  0, what put returned, or as above. */
int cfs_cfx_joindata_finish(struct cfs_cfx_joindata_writer *w,
			    int (*put)(void *arg, const void *p, size_t n,
				       struct cfs_error *err),
			    void *arg, struct cfs_error *err);

#endif

/* cfx_joindata.h - what a crawlfs index keeps for archives that are added to it
 * later: three tapes, read front to back, each of blocks of at most 65,536
 * inflated bytes:
 *
 *       0    4  n, bytes of the member
 *       4    8  XXH64 of the member, seed (251 + tape) << 32 | number
 *      12    n  a gzip member of items, none of which goes on in the next block
 *
 * Tape 0, ids: of the entries, in their order:
 *     varint    2 * n: so many entries of which nothing is noted; or
 *               2 * bits (enum cfs_cfx_id) + 1 of one entry, and of each bit
 *               from the lowest what it stands for
 *
 * Tape 1, sides: the records that went into joins (build/builder_value.h), in
 * the order of their keys, then values:
 *     varint x2, bytes   bytes shared with the key before (0 at the beginning
 *                        of a block), n, and n bytes: the rest of the key
 *     varint, bytes      the value, numbers of archives as in the index
 *
 * Tape 2, archives: of each, in their order:
 *     varint    nanoseconds of its modification time
 *     varint x4 captures left out of it: as the header counts them
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_CFX_JOINDATA_H
#define CFS_INDEX_CFX_JOINDATA_H

#include "cfx_format.h"

#define CFS_CFX_JOINDATA_BLOCK_BYTES 65536u	/* inflated, at most */

enum cfs_cfx_id {		/* stored in crawlfs indexes: fixed values */
	/* le64 hashes: of the record id (of a revisit, of the one it refers
	 * to), of the digest, of the revisit's own id, of the id that it says
	 * it belongs to */
	CFS_CFX_ID_ID = 1, CFS_CFX_ID_DIGEST = 2, CFS_CFX_ID_OWN = 4,
	CFS_CFX_ID_CONCURRENT = 8,
	CFS_CFX_ID_SIDE = 16,		/* the entry is made of sides alone */
	/* what the entry has came without a side: */
	CFS_CFX_ID_TEXT = 32, CFS_CFX_ID_META = 64, CFS_CFX_ID_RELATED = 128,
	CFS_CFX_ID_VIEWS = 256,		/* varints: sizes of metadata and text
					 * that sides stand in for */
	CFS_CFX_ID_ALL = 511,
};

struct cfs_cfx;

/* Fills in what the header says of them. */
void cfs_cfx_joindata_all_decode(const uint8_t *header,
				 struct cfs_cfx_header *out);
/* Do they lie in the file? */
bool cfs_cfx_joindata_all_fit(const struct cfs_cfx_header *h);

/* True for a crawlfs index that has them. */
bool cfs_cfx_has_joins(const struct cfs_index *ix);

/* What an archive's row says: name (lent by the index), size, time in Unix
 * seconds. */
struct cfs_cfx_archive {
	const char *name;
	uint64_t size;
	int64_t mtime;
};
/* i: below ix->archives. */
void cfs_cfx_archive(const struct cfs_index *ix, uint32_t i,
		     struct cfs_cfx_archive *out);

/* A tape being read.  `in` is what is left of the block at hand. */
struct cfs_cfx_joindata {
	struct cfs_index *ix;		/* borrowed */
	enum cfs_cfx_joindata_of which;
	uint64_t at, number;		/* of the next block: bytes, blocks */
	struct cfs_buf text;
	struct cfs_cursor in;
};

/* ix: a crawlfs index that has joins. */
void cfs_cfx_joindata_init(struct cfs_cfx_joindata *t, struct cfs_index *ix,
			   enum cfs_cfx_joindata_of which);
void cfs_cfx_joindata_release(struct cfs_cfx_joindata *t);

/* Makes sure that `in` is not empty: reads the next block if it is.  *is_new,
 * unless NULL, says whether it did.  0, CFS_END, CFS_EFORMAT, CFS_EIO,
 * CFS_ENOMEM, CFS_EINTR. */
int cfs_cfx_joindata_fill(struct cfs_cfx_joindata *t, bool *is_new,
			  const struct cfs_cancel *cancel,
			  struct cfs_error *err);

/* The failure of an item that cannot be. */
int cfs_cfx_joindata_bad(const struct cfs_cfx_joindata *t,
			 struct cfs_error *err);

#endif

/* builder_revisits.h - the captures that revisits refer to, found while an
 * index is built; and the sizes of revisits, found once it can be asked.
 *
 * Hashes that revisits ask for set bits in a Bloom filter while captures are
 * added.  When positions are known, the captures that may be meant go through
 * a second, much smaller sort together with what is asked for; what meets
 * there is written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_BUILDER_REVISITS_H
#define CFS_BUILD_BUILDER_REVISITS_H

#include <stdatomic.h>

#include "base/fileio.h"
#include "cfx_write.h"
#include "extsort.h"

/* Captures kept for one hash: an empty body has one digest all over a crawl. */
#define CFS_REFS_OF_ONE_MAX 256u

struct cfs_builder_refs {
	_Atomic uint64_t *bloom;
	atomic_bool is_asked;
	struct cfs_extsort *sort;
};

/* sort: options of the second sort.  0, CFS_ENOMEM; released in any case. */
int cfs_builder_refs_init(struct cfs_builder_refs *r,
			  const struct cfs_extsort_opts *sort,
			  struct cfs_error *err);
void cfs_builder_refs_release(struct cfs_builder_refs *r);

/* A revisit refers to what has one of these hashes; 0: to nothing.  Any
 * thread. */
void cfs_builder_refs_ask(struct cfs_builder_refs *r, const uint64_t hash[2]);

/* True once anything was asked for: there are revisits. */
bool cfs_builder_refs_any(const struct cfs_builder_refs *r);

/* After the last ask: an entry of the index that has, or if it is a revisit
 * asks for, two hashes (0: none), and the input that it comes from.  A revisit
 * that is known by its hashes alone has no position, CFS_POS_NONE.  Failures as
 * of cfs_extsort_add. */
int cfs_builder_refs_add(struct cfs_builder_refs *r, bool is_revisit,
			 const uint64_t hash[2], cfs_pos pos, unsigned input,
			 struct cfs_error *err);

/* After the last entry: writes the references.  To `again`, unless NULL, the
 * positions of revisits are added (8 bytes, big-endian, as the key) of which
 * another input has what they may refer to.  Failures as of the sorts and of
 * the writer. */
int cfs_builder_refs_write(struct cfs_builder_refs *r,
			   struct cfs_cfx_writer *w, struct cfs_extsort *again,
			   struct cfs_error *err);

/*
 * Writes a crawlfs index again, with the sizes of revisits; not if there are
 * none.
 *
 * opts    of the build: sizer, base, at_hand, threads and cancel
 * file    the index, whole but not committed; the new one comes in its place
 * again   the revisits' positions, as of cfs_builder_refs_write, not merged yet
 * params  of the new one: as they were for the old, fd aside
 * counts  as of cfs_cfx_writer_finish
 *
 * 0, CFS_ENOMEM, CFS_EIO, CFS_EINTR, CFS_ELIMIT.
 */
int cfs_builder_revisits_write(const struct cfs_builder_opts *opts,
			       struct cfs_replacement *file,
			       struct cfs_extsort *again,
			       const struct cfs_cfx_params *params,
			       struct cfs_builder_counts *counts,
			       struct cfs_error *err);

#endif

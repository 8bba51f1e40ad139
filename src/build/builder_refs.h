/* builder_refs.h - finds the captures that revisits refer to, while an index
 * is built.
 *
 * Hashes that revisits ask for set bits in a Bloom filter while captures are
 * added.  When positions are known, the captures that may be meant go through
 * a second, much smaller sort together with what is asked for; what meets
 * there is written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_BUILDER_REFS_H
#define CFS_BUILD_BUILDER_REFS_H

#include <stdatomic.h>

#include "cfx_write.h"
#include "extsort.h"

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

/* A revisit refers to what has this hash; 0: to nothing.  Any thread. */
void cfs_builder_refs_ask(struct cfs_builder_refs *r, uint64_t hash);

/* True once anything was asked for: there are revisits. */
bool cfs_builder_refs_any(const struct cfs_builder_refs *r);

/* After the last ask: an entry of the index that has, or if it is a revisit
 * asks for, two hashes (0: none).  Failures as of cfs_extsort_add. */
int cfs_builder_refs_add(struct cfs_builder_refs *r, bool is_revisit,
			 const uint64_t hash[2], cfs_pos pos,
			 struct cfs_error *err);

/* After the last entry: writes the references.  Failures as of the sort and
 * of the writer. */
int cfs_builder_refs_write(struct cfs_builder_refs *r,
			   struct cfs_cfx_writer *w, struct cfs_error *err);

#endif

/* revisit_refs.h - finds the captures that revisits refer to while an index is
 * built.
 *
 * While captures are added, the hashes that revisits refer to set bits in a
 * Bloom filter.  When positions are known, the captures that pass the filter go
 * through a second, much smaller sort together with the revisits' hashes;
 * matches are written to the index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_JOIN_REVISIT_REFS_H
#define CFS_JOIN_REVISIT_REFS_H

#include <stdatomic.h>

#include "format/cfx/cfx_write.h"
#include "sort/extsort.h"

/* Captures kept per hash: an empty body has the same digest all over a
 * crawl. */
#define CFS_REFS_OF_ONE_MAX 256u

struct cfs_builder_refs {
	_Atomic uint64_t *bloom;
	atomic_bool is_asked;
	struct cfs_extsort *sort;
};

/* sort: options of the second sort.  0, CFS_ENOMEM; release it in any case. */
int cfs_builder_refs_init(struct cfs_builder_refs *r,
			  const struct cfs_extsort_opts *sort,
			  struct cfs_error *err);
void cfs_builder_refs_release(struct cfs_builder_refs *r);

/* Notes that a revisit refers to a capture with one of these hashes; 0 stands
 * for none.  Any thread. */
void cfs_builder_refs_ask(struct cfs_builder_refs *r, const uint64_t hash[2]);

/* True once cfs_builder_refs_ask was called: there are revisits. */
bool cfs_builder_refs_any(const struct cfs_builder_refs *r);

/* Call it after the last ask, for each entry: the two hashes that it has or, if
 * it is a revisit, refers to (0: none), and the input that it comes from.  A
 * revisit known only by its hashes has the position CFS_POS_NONE.  Failures as
 * of cfs_extsort_add. */
int cfs_builder_refs_add(struct cfs_builder_refs *r, bool is_revisit,
			 const uint64_t hash[2], cfs_pos pos, unsigned input,
			 struct cfs_error *err);

/* Writes the references; call it after the last entry.  If a revisit may refer
 * to a capture of another input, its position is added to `again` (8 bytes,
 * big-endian, as the key), unless NULL.  Failures as of the sorts and of the
 * writer. */
int cfs_builder_refs_write(struct cfs_builder_refs *r,
			   struct cfs_cfx_writer *w, struct cfs_extsort *again,
			   struct cfs_error *err);

#endif

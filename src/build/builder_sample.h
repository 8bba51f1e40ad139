/* builder_sample.h - samples of an index's keys, from which the symbols are
 * made that compress them (codec/symbols.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_BUILDER_SAMPLE_H
#define CFS_BUILD_BUILDER_SAMPLE_H

#include "base/buf.h"
#include "codec/symbols.h"
#include "pairs.h"

/* What was taken of one feeder's keys; used by one thread at a time. */
struct cfs_builder_sample {
	struct cfs_buf keys;	/* le16 length and bytes of each, cut as the
				 * writer of the index cuts them */
	uint64_t of;		/* keys seen */
};

void cfs_builder_sample_init(struct cfs_builder_sample *s);
void cfs_builder_sample_release(struct cfs_builder_sample *s);

/* Takes some keys out of sorted pairs, until the sample is full. */
void cfs_builder_sample_take(struct cfs_builder_sample *s,
			     const struct cfs_pairs *pairs);

/* Makes symbols from n samples.  0 or CFS_ENOMEM. */
int cfs_builder_sample_train(const struct cfs_builder_sample *v, unsigned n,
			     struct cfs_symbols *out);

#endif

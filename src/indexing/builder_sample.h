/* builder_sample.h - samples an index's keys to train the symbols that compress
 * them (codec/symbols.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_BUILDER_SAMPLE_H
#define CFS_INDEXING_BUILDER_SAMPLE_H

#include "base/buf.h"
#include "codec/symbols.h"
#include "sort/kv_array.h"

/* The sampled keys of one feeder; used by one thread at a time. */
struct cfs_builder_sample {
	struct cfs_kv_array keys; /* big-endian hash, and the part of the key
				   * that would be written */
	uint64_t hash_max;	/* keys with greater hashes are not in the
				 * sample */
	int failed;		/* 0 or CFS_ENOMEM, which train returns */
};

void cfs_builder_sample_init(struct cfs_builder_sample *s);
void cfs_builder_sample_release(struct cfs_builder_sample *s);

/* Takes a key if it belongs to the sample. */
void cfs_builder_sample_take(struct cfs_builder_sample *s,
			     struct cfs_slice key);

/* Trains symbols from n samples; the result depends only on all their keys
 * together.  Afterwards the samples can only be released.  0 or CFS_ENOMEM. */
int cfs_builder_sample_train(struct cfs_builder_sample *v, unsigned n,
			     struct cfs_symbols *out);

#endif

/* builder_sample.h - samples of an index's keys, from which the symbols are
 * made that compress them (codec/symbols.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_BUILDER_SAMPLE_H
#define CFS_BUILD_BUILDER_SAMPLE_H

#include "base/buf.h"
#include "codec/symbols.h"
#include "kv_array.h"

/* What was taken of one feeder's keys; used by one thread at a time. */
struct cfs_builder_sample {
	struct cfs_kv_array keys; /* big-endian hash, and what is left of a key
				 * where it is written */
	uint64_t hash_max;	/* no greater one belongs to the sample */
	int failed;		/* 0 or CFS_ENOMEM, which train returns */
};

void cfs_builder_sample_init(struct cfs_builder_sample *s);
void cfs_builder_sample_release(struct cfs_builder_sample *s);

/* Takes a key if it belongs to the sample. */
void cfs_builder_sample_take(struct cfs_builder_sample *s,
			     struct cfs_slice key);

/* Makes symbols from n samples, which depend on all their keys together alone;
 * the samples can then only be released.  0 or CFS_ENOMEM. */
int cfs_builder_sample_train(struct cfs_builder_sample *v, unsigned n,
			     struct cfs_symbols *out);

#endif

/* builder_internal.h - the parts of the builder: samples of keys, the damage of
 * archives, and the index written again with the sizes of revisits.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_BUILDER_INTERNAL_H
#define CFS_INDEXING_BUILDER_INTERNAL_H

#include "base/fileio.h"
#include "builder_archives.h"
#include "codec/symbols.h"
#include "format/cfx/cfx_write.h"
#include "sort/extsort.h"
#include "sort/kv_array.h"

/* ---- samples of an index's keys, to train the symbols that compress them
 * (codec/symbols.h, builder_sample.c) ---- */

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

/* ---- the damage found while archives are read, encoded for an index
 * (format/cfx/cfx_damage.h, builder_damage.c) ---- */

struct cfs_damages;		/* shared by threads */

/* NULL: out of memory. */
struct cfs_damages *cfs_damages_new(uint32_t n_archives);
void cfs_damages_free(struct cfs_damages *d);	/* accepts NULL */

/* Adds the damage of archive `n` at an offset.  What is kept does not depend on
 * the order of calls.  0 or CFS_ENOMEM. */
int cfs_damages_add(struct cfs_damages *d, uint32_t n, uint64_t offset,
		    const char *what);

/* Appends the table of all archives; is_bounded: within an index's limits.
 * Codes as cfs_buf_add. */
int cfs_damages_table(const struct cfs_damages *d,
		      const struct cfs_builder_archives *a, bool is_bounded,
		      struct cfs_buf *out);

/* ---- revisits, whose sizes are written once the index is complete
 * (builder_revisits.c) ---- */

/*
 * Writes a crawlfs index again, with the sizes of revisits; does nothing if
 * `again` is empty.
 *
 * opts    of the build: sizer, base, at_hand, threads and cancel
 * file    the index, complete but not committed; replaced by the new one
 * again   positions of revisits from cfs_builder_refs_write, not merged yet
 * params  of the new index: those of the old one except fd
 * counts  captures and file_bytes are set, skipped is written
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

/* extsort.h - an external sort: sorts more pairs of key and value than memory
 * holds.
 *
 * Feeders (one per thread) fill memory of their own, sort it and spill it as
 * runs to temporary files without names; then all runs are merged.  Order: key
 * bytes, then value bytes, both as cfs_slice_cmp has it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SORT_EXTSORT_H
#define CFS_SORT_EXTSORT_H

#include "base/cancel.h"
#include "base/error.h"
#include "kv_array.h"

/* Maximum bytes of a key or of a value. */
#define CFS_EXTSORT_ITEM_MAX CFS_KV_ARRAY_ITEM_MAX
/* Memory per feeder is rounded up to this. */
#define CFS_EXTSORT_MEMORY_MIN ((size_t)512 << 10)

struct cfs_extsort;

struct cfs_extsort_opts {
	size_t memory_bytes;	/* for all feeders together */
	unsigned feeders;	/* at least 1 */
	const char *tmp_dir;
	const struct cfs_cancel *cancel;	/* may be NULL */
};

/* opts are copied.  0 or CFS_ENOMEM. */
int cfs_extsort_new(struct cfs_extsort **out,
		    const struct cfs_extsort_opts *opts, struct cfs_error *err);

/* Adds a pair from feeder 0 .. feeders-1; different feeders may add at the same
 * time.  Copies both.  0, CFS_ENOMEM, CFS_ELIMIT (key or value too long),
 * CFS_EINTR, or CFS_EIO for a temporary file, which err names. */
int cfs_extsort_add(struct cfs_extsort *s, unsigned feeder,
		    struct cfs_slice key, struct cfs_slice value,
		    struct cfs_error *err);

/* Ends adding; the next call of cfs_extsort_next returns the first pair.  0,
 * CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
int cfs_extsort_merge(struct cfs_extsort *s, struct cfs_error *err);

/* Returns the next pair in order, lent until the next call.  0, CFS_END,
 * CFS_EIO, CFS_EINTR. */
int cfs_extsort_next(struct cfs_extsort *s, struct cfs_slice *key,
		     struct cfs_slice *value, struct cfs_error *err);

uint64_t cfs_extsort_count(const struct cfs_extsort *s);
void cfs_extsort_free(struct cfs_extsort *s);	/* accepts NULL */

#endif

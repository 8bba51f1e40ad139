/* builder_entries.h - sorted pairs of key and value become entries of a crawlfs
 * index: the items of each key are joined, written, and what later inputs need
 * of them is noted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_BUILDER_ENTRIES_H
#define CFS_BUILD_BUILDER_ENTRIES_H

#include "builder_revisits.h"
#include "builder_value.h"

struct cfs_entries_opts {
	struct cfs_cfx_writer *writer;
	struct cfs_builder_refs *refs;
	/* Positions of revisits whose sizes are to be found (key: 8 bytes, big-
	 * endian); NULL: they have none. */
	struct cfs_extsort *again;
	const struct cfs_builder_origin *origins;	/* by archive, or
							 * NULL */
	struct cfs_builder_counts *counts;
	unsigned scanned;	/* the input whose revisits have no sizes yet */
	bool is_one;		/* there is one input, and all of it is taken */
	bool revisits_are_new;	/* of all inputs */
	bool drops_repeats, no_lone_sides, keeps_joins;	/* of the builder */
};

/* Entries of one key that are joined at a time. */
struct cfs_entries {
	struct cfs_entries_opts o;
	struct cfs_buf key, values, spans;	/* spans: le32 length, le16
						 * input of each */
	struct cfs_buf lists;		/* of related records */
	size_t n;
	bool is_mixed;			/* they are of several inputs */
	struct cfs_buf tape, side_key;	/* an item of a tape; the last key */
	uint64_t plain;			/* entries without ids, not yet noted */
};

/* opts are copied, what they point to is borrowed until release. */
void cfs_entries_init(struct cfs_entries *e,
		      const struct cfs_entries_opts *opts);
void cfs_entries_release(struct cfs_entries *e);

/* Takes a pair, which does not sort before the last one; both are copied.
 * input: which of the inputs it comes from.  0, CFS_ENOMEM, or what writing
 * and sorting return; CFS_EIO for a value that is damaged. */
int cfs_entries_add(struct cfs_entries *e, struct cfs_slice key,
		    struct cfs_slice value, unsigned input,
		    struct cfs_error *err);

/* Writes what is left.  Failures as above. */
int cfs_entries_finish(struct cfs_entries *e, struct cfs_error *err);

#endif

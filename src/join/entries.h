/* entries.h - turns sorted pairs of key and value into entries of a
 * crawlfs index: joins the items of each key, writes the entries, and stores
 * the joindata.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_JOIN_ENTRIES_H
#define CFS_JOIN_ENTRIES_H

#include "capture_input.h"
#include "revisit_refs.h"
#include "sort_value.h"

struct cfs_entries_opts {
	struct cfs_cfx_writer *writer;
	struct cfs_builder_refs *refs;
	/* Takes the positions of revisits to measure (key: 8 bytes,
	 * big-endian); NULL: sizes of revisits are not stored. */
	struct cfs_extsort *again;
	const struct cfs_builder_origin *origins;	/* by archive, or
							 * NULL */
	struct cfs_builder_counts *counts;
	unsigned scanned;	/* number of the sort's input: its revisits have
				 * no sizes */
	bool is_one;		/* there is one input, and all of it is taken */
	bool revisits_are_new;	/* measure the revisits of all inputs again */
	bool drops_repeats, no_lone_annexes, keeps_joins, is_part;	/* as in
					 * struct cfs_builder_opts */
};

/* Items of one key, collected to be joined. */
struct cfs_entries {
	struct cfs_entries_opts o;
	struct cfs_buf key, values, spans;	/* spans: le32 length and le16
						 * input of each value */
	struct cfs_buf lists;		/* lists of related records */
	size_t n;
	bool is_mixed;			/* items come from several inputs */
	struct cfs_buf item, annex_key;	/* an item of joindata; the last
					 * annex's key */
	struct cfs_buf run;		/* ids of the last entries, not yet on
					 * the list, */
	unsigned run_bits;		/* which have the same bits (enum
					 * cfs_cfx_id), */
	uint64_t run_n;			/* and their number */
};

/* opts are copied; what they point to is borrowed until release. */
void cfs_entries_init(struct cfs_entries *e,
		      const struct cfs_entries_opts *opts);
void cfs_entries_release(struct cfs_entries *e);

/* Adds a pair, which must not sort before the last one; both are copied.
 * input: number of the input it comes from.  0, CFS_ENOMEM, failures of writing
 * and sorting; CFS_EIO for a damaged value. */
int cfs_entries_add(struct cfs_entries *e, struct cfs_slice key,
		    struct cfs_slice value, unsigned input,
		    struct cfs_error *err);

/* Writes the remaining items.  Failures as above. */
int cfs_entries_finish(struct cfs_entries *e, struct cfs_error *err);

#endif

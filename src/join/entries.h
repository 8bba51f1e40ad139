/* entries.h - turns sorted pairs of key and value into entries of a
 * crawlfs index: joins the items of each key, writes the entries, and stores
 * the joindata; and finds the captures that revisits refer to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_JOIN_ENTRIES_H
#define CFS_JOIN_ENTRIES_H

#include <stdatomic.h>

#include "capture_input.h"
#include "format/cfx/cfx_write.h"
#include "sort/extsort.h"
#include "sort_value.h"

/* ---- the captures that revisits refer to (revisit_refs.c) ---------------- */

/*
 * While captures are added, the hashes that revisits refer to set bits in a
 * Bloom filter.  When positions are known, the captures that pass the filter go
 * through a second, much smaller sort together with the revisits' hashes;
 * matches are written to the index.
 */

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

/* ---- entries (entries.c) ------------------------------------------------- */

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

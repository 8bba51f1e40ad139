/* merge_input.h - an index that goes into another one: its archives, and its
 * entries and sides as sorted pairs (builder_value.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_MERGE_INPUT_H
#define CFS_BUILD_MERGE_INPUT_H

#include "builder_value.h"
#include "extsort.h"
#include "index/cfx_joindata.h"
#include "pick.h"

/* Archives that an index no longer has, or that nothing is taken of. */
#define CFS_MERGE_NONE UINT32_MAX

struct cfs_merge_input {
	const char *location;	/* a path or URL; borrowed */
	char *folder;		/* put in front of its archives' names: "", or
				 * with a '/' at its end; owned */
	struct cfs_index *ix;	/* owned */
	struct cfs_builder_archive *archives;	/* with the folder; owned */
	/* By its archive: the number among those of the new index. */
	uint32_t *numbers;
	bool is_cut;		/* archives of it are left out */
	struct cfs_buf damage;	/* what `archives` lend of it */
};

/* Opens an index, whose folder is to be found out.  Close it in any case.
 * 0, CFS_EFORMAT, CFS_EUNSUPPORTED, CFS_EIO, CFS_ENOMEM. */
int cfs_merge_input_open(struct cfs_merge_input *in, const char *location,
			 struct cfs_error *err);
/* Names its archives, below `folder`, which it takes over; numbers are all 0.
 * The same failures. */
int cfs_merge_input_archives(struct cfs_merge_input *in, char *folder,
			     const struct cfs_cancel *cancel,
			     struct cfs_error *err);
void cfs_merge_input_close(struct cfs_merge_input *in);

/* Reads one from front to back, as often as wanted. */
struct cfs_merge_reader {
	const struct cfs_merge_input *in;
	const struct cfs_pick *pick;
	const struct cfs_cancel *cancel;
	uint32_t view_version;		/* of view sizes that are taken over */
	unsigned number;		/* of the input */
	uint64_t longer;	/* bytes of metadata, by the folder in it */
	struct cfs_iter it;
	bool has_begun;
	struct cfs_join_item page;	/* the entry under `it`, renumbered */
	struct cfs_buf page_value, related, notes;
	struct cfs_cfx_joindata ids, sides;
	uint64_t plain;			/* entries without ids at hand */
	uint64_t entries;		/* gone through */
	struct cfs_join_item side;
	struct cfs_buf side_key, side_value, scratch;
	struct cfs_extsort *refs;	/* position and hash; NULL: none */
	struct cfs_slice ref_key, ref_hash;	/* the next one */
	bool has_ref;
	uint64_t not_picked;
};

/* view_version: sizes of views that another code made are left out.  refs:
 * options of a sort.  Close it in any case. */
int cfs_merge_reader_open(struct cfs_merge_reader *r,
			  const struct cfs_merge_input *in, unsigned number,
			  const struct cfs_pick *pick, uint32_t view_version,
			  const struct cfs_extsort_opts *refs,
			  const struct cfs_cancel *cancel,
			  struct cfs_error *err);
void cfs_merge_reader_close(struct cfs_merge_reader *r);

/* The next page, key in r->it.key, and the next side, key in r->side_key:
 * 0, CFS_END, or a failure.  Each has an order of its own.  with_value: sets
 * page_value and side_value too. */
int cfs_merge_reader_page(struct cfs_merge_reader *r, bool with_value,
			  struct cfs_error *err);
int cfs_merge_reader_side(struct cfs_merge_reader *r, struct cfs_error *err);

#endif

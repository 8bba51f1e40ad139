/* merge_input.h - reads an index that is merged into another one: its archives,
 * and its entries and annexes as sorted pairs (sort_value.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_MERGE_INPUT_H
#define CFS_INDEXING_MERGE_INPUT_H

#include "format/cfx/cfx_joindata.h"
#include "index/index_walk.h"
#include "join/sort_value.h"
#include "pick.h"
#include "sort/extsort.h"
#include "words/words.h"

/* For archives that are gone, or of which nothing is taken. */
#define CFS_MERGE_NONE UINT32_MAX

struct cfs_merge_input {
	const char *location;	/* a path or URL; borrowed */
	char *folder;		/* prefix of its archives' names: "", or with a
				 * '/' at its end; owned */
	struct cfs_index *ix;	/* owned */
	struct cfs_builder_archive *archives;	/* named with the folder;
						 * owned */
	/* By archive of this index: the number in the new one. */
	uint32_t *numbers;
	bool is_cut;		/* some of its archives are left out */
	struct cfs_buf damage;	/* the damage lent by `archives` */
	struct cfs_buf about;	/* of a part: what it says of itself */
	/* Where blocks are told that cannot be read; their entries are left
	 * out.  NULL: they are refused. */
	struct cfs_holes *holes;
	struct cfs_words *words;	/* its list of words; NULL: none that
					 * can be used.  Owned */
};

/* Opens an index; the caller finds its folder.  Close it in any case.  0,
 * CFS_EFORMAT, CFS_EUNSUPPORTED, CFS_EIO, CFS_ENOMEM, CFS_EACCESS. */
int cfs_merge_input_open(struct cfs_merge_input *in, const char *location,
			 struct cfs_error *err);
/* Loads its archives, whose names get the prefix `folder`, which is copied;
 * numbers are all 0.  The same failures. */
int cfs_merge_input_archives(struct cfs_merge_input *in, const char *folder,
			     struct cfs_ctx ctx);
/* Opens the list of words beside the index at `path`, if there is one that is
 * whole and of the texts of this version of views; logs why one is not used.
 * 0, CFS_EINTR, CFS_ENOMEM. */
int cfs_merge_input_words(struct cfs_merge_input *in, const char *path,
			  uint32_t view_version, struct cfs_ctx ctx);
void cfs_merge_input_close(struct cfs_merge_input *in);

/* Reads an index from front to back; each pass needs a reader of its own. */
struct cfs_merge_reader {
	const struct cfs_merge_input *in;
	const struct cfs_pick *pick;
	const struct cfs_cancel *cancel;
	uint32_t view_version;		/* sizes of other view versions are
					 * dropped */
	unsigned number;		/* of the input */
	uint64_t longer;	/* bytes that `folder` adds to metadata */
	struct cfs_index_walk *w;
	struct cfs_holes holes;		/* met by w */
	uint64_t claimed;		/* entries, by the heads of all blocks;
					 * 0: not counted */
	struct cfs_join_item page;	/* the entry at `w`, renumbered */
	struct cfs_buf page_value, related, notes;
	struct cfs_cfx_joindata ids, annexes;
	uint64_t run;			/* entries that the last item of the
					 * ids still tells of, and what */
	unsigned run_bits;
	uint64_t entries;		/* gone through */
	struct cfs_join_item annex;
	struct cfs_buf annex_key, annex_value;
	struct cfs_extsort *refs;	/* hashes by position; NULL: none */
	struct cfs_slice ref_key, ref_hash;	/* the next one */
	bool has_ref;
	uint64_t not_picked;
};

/* view_version: sizes of views that other code made are left out.  refs:
 * options of a sort.  Close it in any case. */
int cfs_merge_reader_open(struct cfs_merge_reader *r,
			  const struct cfs_merge_input *in, unsigned number,
			  const struct cfs_pick *pick, uint32_t view_version,
			  const struct cfs_extsort_opts *refs,
			  struct cfs_ctx ctx);
void cfs_merge_reader_close(struct cfs_merge_reader *r);

/* Reads the next page, key in r->w->it.key; or the next annex, key in
 * r->annex_key.  Both are sorted separately.  with_value: sets page_value too.
 * 0, CFS_END, or a failure. */
int cfs_merge_reader_page(struct cfs_merge_reader *r, bool with_value,
			  struct cfs_error *err);
int cfs_merge_reader_annex(struct cfs_merge_reader *r, struct cfs_error *err);

#endif

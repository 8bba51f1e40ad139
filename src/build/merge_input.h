/* merge_input.h - one of the indexes that are merged: its entries in order, its
 * archives by their new numbers, and what revisits refer to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_MERGE_INPUT_H
#define CFS_BUILD_MERGE_INPUT_H

#include "base/strtab.h"
#include "extsort.h"
#include "index/index.h"

struct cfs_merge_input {
	const char *location;	/* a path or URL */
	const char *folder;	/* put in front of its archives' names: "", or
				 * with a '/' at its end */
};

struct cfs_merge_reader {
	const struct cfs_merge_input *input;
	struct cfs_index *ix;
	struct cfs_iter it;
	struct cfs_capture cap;		/* of the entry under `it` */
	struct cfs_buf related;		/* its related records, renumbered */
	uint64_t longer;	/* bytes of metadata, by the folder in it */
	uint32_t *numbers;		/* by its archive: new number plus 1 */
	size_t room;
	struct cfs_extsort *refs;	/* position and hash; NULL: none */
	struct cfs_slice ref_key, ref_hash;	/* the next one */
	bool has_ref;
};

/* Opens the index, and the sort of its references.  Close it in any case. */
int cfs_merge_reader_open(struct cfs_merge_reader *r,
			  const struct cfs_merge_input *input,
			  const struct cfs_extsort_opts *sort,
			  const struct cfs_cancel *cancel,
			  struct cfs_error *err);
void cfs_merge_reader_close(struct cfs_merge_reader *r);

/* Goes to the first entry, and to the next: 0, CFS_END, or a failure. */
int cfs_merge_reader_first(struct cfs_merge_reader *r,
			   const struct cfs_cancel *cancel,
			   struct cfs_error *err);
int cfs_merge_reader_next(struct cfs_merge_reader *r,
			  const struct cfs_cancel *cancel,
			  struct cfs_error *err);

/* Replaces the numbers of archives in r->cap by those of `names`, to which new
 * names are added, each with a NUL.  CFS_ENOMEM, CFS_ELIMIT, CFS_EFORMAT. */
int cfs_merge_reader_renumber(struct cfs_merge_reader *r,
			      struct cfs_strtab *names, struct cfs_error *err);

/* Calls fn with every hash by which revisits refer to the entry.  Entries are
 * asked for in order, each once.  0, what fn returned, or CFS_EIO. */
int cfs_merge_reader_refs(struct cfs_merge_reader *r,
			  int (*fn)(void *arg, struct cfs_slice hash,
				    struct cfs_error *err),
			  void *arg, struct cfs_error *err);

#endif

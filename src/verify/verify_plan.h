/* verify_plan.h - decides which archives are verified, and in which parts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VERIFY_VERIFY_PLAN_H
#define CFS_VERIFY_VERIFY_PLAN_H

#include "base/strtab.h"
#include "verify_internal.h"

struct cfs_verify_plan {		/* used by one thread at a time */
	const struct cfs_verify_opts *opts;
	struct cfs_verify_unit *units;
	size_t n, room;
	struct cfs_strtab *names;	/* locations of the units */
	struct cfs_verify_rows *entries;	/* NULL: there is no index and
						 * no list */
	bool has_lists;
	uint64_t file[4];		/* the `file` of the last entry's
					 * span */
	uint32_t archive;		/* that archive's number */
	bool has_archive;
	uint64_t archives, bytes_total;
	bool any_remote;
	/* The state of planning: */
	size_t at;
	uint64_t from;			/* where the next part of units[at]
					 * begins */
	uint64_t entry;			/* the first entry of that part */
	struct cfs_source *src;		/* units[at], opened, if it can be
					 * cut */
	bool is_begun;			/* units[at] has been examined */
};

/* Release it in any case. */
int cfs_verify_plan_init(struct cfs_verify_plan *p,
			 const struct cfs_verify_opts *opts,
			 struct cfs_error *err);
void cfs_verify_plan_release(struct cfs_verify_plan *p);

/* As cfs_verify_input. */
int cfs_verify_plan_input(struct cfs_verify_plan *p, const char *input,
			  struct cfs_error *err);

/* Add an entry as cfs_verify_entry does; all archives of the index, if it has a
 * table of them; a failure as cfs_verify_bad_index does. */
int cfs_verify_plan_entry(struct cfs_verify_plan *p, const struct cfs_iter *it,
			  const struct cfs_capture *cap, struct cfs_error *err);
int cfs_verify_plan_archives(struct cfs_verify_plan *p, struct cfs_error *err);
int cfs_verify_plan_bad(struct cfs_verify_plan *p, enum cfs_verify_kind kind,
			const struct cfs_error *what, struct cfs_error *err);

/* Ends adding.  CFS_ENOTFOUND: there is nothing. */
int cfs_verify_plan_begin(struct cfs_verify_plan *p,
			  struct cfs_verify_reader *r, struct cfs_error *err);

/* Gets the next part, which the caller owns; NULL: there is none.  Logs that an
 * archive has changed since the report was begun. */
int cfs_verify_plan_next(struct cfs_verify_plan *p,
			 const struct cfs_verify_reader *r,
			 const struct cfs_verify_report *report,
			 struct cfs_verify_part **out, struct cfs_error *err);

/* Says that the last planned part need not be read, and ends at `to`.  0 or
 * CFS_EIO. */
int cfs_verify_plan_done(struct cfs_verify_plan *p,
			 const struct cfs_verify_part *part, uint64_t to,
			 struct cfs_error *err);

/* Extends a part to the end of its archive. */
void cfs_verify_plan_extend(struct cfs_verify_part *part);

#endif

/* verify_plan.h - which archives are verified, and in which parts.
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
	struct cfs_verify_rows *entries;	/* NULL: there is no index, nor
						 * a list */
	bool has_lists;
	uint64_t file[4];		/* of the last entry's span, */
	uint32_t archive;		/* and its number */
	bool has_archive;
	uint64_t archives, bytes_total;
	bool any_remote;
	/* Where planning is: */
	size_t at;
	uint64_t from;			/* of the next part of units[at] */
	uint64_t entry;			/* the first one of that part */
	struct cfs_source *src;		/* of that, where it can be cut */
	bool is_begun;			/* units[at] has been looked at */
};

/* Release it in any case. */
int cfs_verify_plan_init(struct cfs_verify_plan *p,
			 const struct cfs_verify_opts *opts,
			 struct cfs_error *err);
void cfs_verify_plan_release(struct cfs_verify_plan *p);

/* As cfs_verify_input. */
int cfs_verify_plan_input(struct cfs_verify_plan *p, const char *input,
			  struct cfs_error *err);

/* As cfs_verify_entry; of all archives of the index, as far as it has a list of
 * them; and as cfs_verify_bad_index. */
int cfs_verify_plan_entry(struct cfs_verify_plan *p, const struct cfs_iter *it,
			  const struct cfs_capture *cap, struct cfs_error *err);
int cfs_verify_plan_archives(struct cfs_verify_plan *p, struct cfs_error *err);
int cfs_verify_plan_bad(struct cfs_verify_plan *p, enum cfs_verify_kind kind,
			const struct cfs_error *what, struct cfs_error *err);

/* Ends adding.  CFS_ENOTFOUND: there is nothing. */
int cfs_verify_plan_begin(struct cfs_verify_plan *p,
			  struct cfs_verify_reader *r, struct cfs_error *err);

/* The next part, the caller's; NULL: that was all.  It logs that an archive has
 * changed since the report has it. */
int cfs_verify_plan_next(struct cfs_verify_plan *p,
			 const struct cfs_verify_reader *r,
			 const struct cfs_verify_report *report,
			 struct cfs_verify_part **out, struct cfs_error *err);

/* The part that was planned last need not be read, and ends at `to`.  0 or
 * CFS_EIO. */
int cfs_verify_plan_done(struct cfs_verify_plan *p,
			 const struct cfs_verify_part *part, uint64_t to,
			 struct cfs_error *err);

/* Makes a part go to the end of its archive. */
void cfs_verify_plan_extend(struct cfs_verify_part *part);

#endif

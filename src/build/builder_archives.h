/* builder_archives.h - the archives of an index that is built: each name once,
 * in the order of names, so that numbers do not depend on the order of inputs;
 * and what becomes known of each.  In a part (opts.share) they stay as they
 * are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_BUILDER_ARCHIVES_H
#define CFS_BUILD_BUILDER_ARCHIVES_H

#include <stdatomic.h>
#include <sys/types.h>

#include "builder_input.h"

struct cfs_builder_known;		/* of one archive */

struct cfs_builder_archives {
	uint32_t n;
	uint32_t *ranks;	/* by number in opts.archives: its number
				 * here */
	/* By number here; origins may be NULL. */
	struct cfs_builder_archive *v;
	struct cfs_builder_origin *origins;
	bool *at_hand;
	struct cfs_builder_known *known;
};

/* Sorts the archives of opts, whose names are borrowed.  0; CFS_EUSAGE for a
 * name that leads out of the index's folder; CFS_ENOMEM.  Release it in any
 * case. */
int cfs_builder_archives_init(struct cfs_builder_archives *a,
			      const struct cfs_builder_opts *opts,
			      struct cfs_error *err);
void cfs_builder_archives_release(struct cfs_builder_archives *a);

/* The mode, less the umask, of a file that names these archives and their home
 * (may be NULL): where one has a query, which may be a key, nobody else may
 * read it. */
mode_t cfs_builder_archives_mode(const struct cfs_builder_archive *v,
				 uint32_t n, const char *home);

/* There is an entry of that time in the archive of number `n` here.  Any
 * thread, as the next one. */
void cfs_builder_archives_widen(struct cfs_builder_archives *a, uint32_t n,
				int64_t time);
/* What its URL says of a capture that has no place in an index. */
void cfs_builder_archives_skip(struct cfs_builder_archives *a, uint32_t n,
			       enum cfs_skipped_kind kind);

/* The first time of each archive, malloced, and the longest span from first to
 * last.  0 or CFS_ENOMEM. */
int cfs_builder_archives_times(const struct cfs_builder_archives *a,
			       int64_t **first_times, uint64_t *longest);

/* Sums up what was skipped, and puts it into the rows. */
void cfs_builder_archives_count(struct cfs_builder_archives *a,
				struct cfs_builder_counts *counts);

/* Appends what was skipped of each, for cfs_share_tables_take. */
void cfs_builder_archives_put(const struct cfs_builder_archives *a,
			      struct cfs_buf *out);

#endif

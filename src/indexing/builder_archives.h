/* builder_archives.h - the archives of an index being built: each name once, in
 * the order of names, so that numbers do not depend on the order of inputs;
 * with the times and skipped captures of each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_BUILDER_ARCHIVES_H
#define CFS_INDEXING_BUILDER_ARCHIVES_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "builder_opts.h"
#include "format/cfx/cfx_format.h"

struct cfs_builder_known;		/* the captures known of one archive */

struct cfs_builder_archives {
	uint32_t n;
	uint32_t *ranks;	/* number here, by number in opts.archives */
	/* Arrays by number here; origins may be NULL. */
	struct cfs_builder_archive *v;
	struct cfs_builder_origin *origins;
	bool *at_hand;
	struct cfs_builder_known *known;
	pthread_mutex_t lock;	/* of known */
};

/* Sorts the archives of opts, whose names are borrowed.  0; CFS_EUSAGE for a
 * name that leads out of the index's folder; CFS_ENOMEM.  Release it in any
 * case. */
int cfs_builder_archives_init(struct cfs_builder_archives *a,
			      const struct cfs_builder_opts *opts,
			      struct cfs_error *err);
void cfs_builder_archives_release(struct cfs_builder_archives *a);

/* The mode, before the umask, of a file that contains these archives' names and
 * their home (may be NULL): if one has a query, which may be a key, only the
 * owner may read it. */
mode_t cfs_builder_archives_mode(const struct cfs_builder_archive *v,
				 uint32_t n, const char *home);

/* Takes note of an entry's offset and time in archive `n` (number here).  Any
 * thread, as the next one. */
void cfs_builder_archives_widen(struct cfs_builder_archives *a, uint32_t n,
				uint64_t offset, int64_t time);
/* Counts a capture of archive `n` that has no place in an index. */
void cfs_builder_archives_skip(struct cfs_builder_archives *a, uint32_t n,
			       enum cfs_skipped_kind kind);

/* Makes the clocks of all archives (malloced), by which entries predict their
 * times.  0 or CFS_ENOMEM. */
int cfs_builder_archives_clocks(const struct cfs_builder_archives *a,
				struct cfs_cfx_clock **out);

/* Adds up the skipped captures, also in the archives' rows. */
void cfs_builder_archives_count(struct cfs_builder_archives *a,
				struct cfs_builder_counts *counts);

#endif

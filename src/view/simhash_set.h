/* simhash_set.h - two ways to the windows of a text, each counted once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_SIMHASH_SET_H
#define CFS_VIEW_SIMHASH_SET_H

#include "simhash.h"
#include "simhash_tally.h"

/* Batches of windows between two looks at the cancel switch. */
#define CFS_SIMHASH_CANCEL_EVERY 256

/* Adds the fingerprints of all windows to *t.  0; CFS_ENOMEM; CFS_EINTR. */
int cfs_simhash_wide(const struct cfs_simhash_text *text,
		     struct cfs_simhash_tally *t,
		     const struct cfs_cancel *cancel, struct cfs_error *err);

/* The same in half the time, for texts of few different units: *fits is
 * whether this was one.  If not, *t is of no use. */
int cfs_simhash_narrow(const struct cfs_simhash_text *text,
		       struct cfs_simhash_tally *t, bool *fits,
		       const struct cfs_cancel *cancel, struct cfs_error *err);

#endif

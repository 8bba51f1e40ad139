/* simhash_set.h - two ways to find the distinct windows of a text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_SIMHASH_SET_H
#define CFS_VIEW_SIMHASH_SET_H

#include "simhash.h"
#include "simhash_tally.h"

/* Batches of windows between two checks of the cancel token. */
#define CFS_SIMHASH_CANCEL_EVERY 256

/* Adds the fingerprints of all distinct windows to *t.  0, CFS_ENOMEM or
 * CFS_EINTR. */
int cfs_simhash_wide(const struct cfs_simhash_text *text,
		     struct cfs_simhash_tally *t, struct cfs_ctx ctx);

/* The same in half the time, for texts of few different units.  *fits becomes
 * false, and *t is then unusable, if the text is not of that kind. */
int cfs_simhash_narrow(const struct cfs_simhash_text *text,
		       struct cfs_simhash_tally *t, bool *fits,
		       struct cfs_ctx ctx);

#endif

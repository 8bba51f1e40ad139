/* nearest.h - which of several words was meant by one that is none of them: the
 * first that begins so, else one that is a slip of the fingers away.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_NEAREST_H
#define CFS_BASE_NEAREST_H

#include "slice.h"

struct cfs_nearest {
	struct cfs_slice typed;		/* borrowed */
	const char *word;		/* the nearest one; NULL: none */
	unsigned distance;		/* its edits */
};

#define CFS_NEAREST(s) ((struct cfs_nearest){ .typed = (s) })

/* Compares one more word, which is borrowed. */
void cfs_nearest_try(struct cfs_nearest *n, const char *word);

#endif

/* tally.h - counts captures by a text of which there are few, such as their
 * media type, in bounded memory.
 *
 * Up to CFS_TALLY_MAX texts are counted exactly.  Hostile crawls declare more:
 * then the rarer half is dropped, and a text that comes (again) later may have
 * been counted before.  So a row has, beside its count, how many captures it
 * may lack at most; what was frequent from the start lacks none.  (The method
 * is lossy counting, Manku and Motwani 2002.)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SUMMARY_TALLY_H
#define CFS_SUMMARY_TALLY_H

#include <stdbool.h>

#include "base/error.h"
#include "base/slice.h"

/* Real crawls declare some ten thousand types; this many need 12 MiB. */
#define CFS_TALLY_MAX 65536u
/* Longer texts are cut: as many bytes of a type count in conditions. */
#define CFS_TALLY_TEXT_MAX 127u

struct cfs_tally_row {
	uint64_t captures, bytes;
	uint64_t lacks;			/* captures that may not be counted */
	uint8_t n;
	uint8_t text[CFS_TALLY_TEXT_MAX];
};

/* Zeroed: empty.  One thread uses it. */
struct cfs_tally {
	struct cfs_tally_row *v;
	size_t n, room;
	uint32_t *slots;		/* the number of a row + 1, by hash; 0:
					 * free */
	size_t last;			/* the row that was counted last */
	uint64_t dropped;		/* the most captures that a text which
					 * is in no row may have had; 0: none
					 * was dropped */
};

void cfs_tally_release(struct cfs_tally *t);

/* Adds captures and bytes to a text's row.  0 or CFS_ENOMEM. */
int cfs_tally_add(struct cfs_tally *t, struct cfs_slice text,
		  uint64_t captures, uint64_t bytes);

/* Adds what another tally, of other captures, has.  0 or CFS_ENOMEM. */
int cfs_tally_merge(struct cfs_tally *t, const struct cfs_tally *from);

/* Sorts the rows: most captures first, equal ones by their text.  Nothing can
 * be added any more. */
void cfs_tally_sort(struct cfs_tally *t);

#endif

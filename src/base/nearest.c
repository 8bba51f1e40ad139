/* nearest.c - finds the word that was meant.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "nearest.h"

#define EDITS_MAX 2u	/* most that count as a slip of the fingers */

void cfs_nearest_try(struct cfs_nearest *n, const char *word)
{
	struct cfs_slice s = cfs_slice_str(word);
	unsigned d = cfs_slice_distance(n->typed, s, true);

	if (n->typed.n > 1 && cfs_slice_starts(s, n->typed))
		d = 0;
	/* a word of three letters is hardly one that differs in two */
	if (d > EDITS_MAX || d >= s.n || d + (d > 1) >= n->typed.n ||
	    (n->word != NULL && d >= n->distance))
		return;
	n->word = word;
	n->distance = d;
}

/* progress.h - how far work has come, for what shows it to people.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_PROGRESS_H
#define CFS_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct cfs_progress {
	uint64_t bytes_done, bytes_total;	/* of input files; 0: `fraction`
						 * counts */
	uint64_t captures;
	bool is_names;			/* bytes are those of CDX files, read
					 * for the names of archives */
	bool is_query;			/* a query runs: `fraction` counts,
					 * bytes do not */
	double fraction;		/* of the whole, 0 to 1, where bytes do
					 * not count */
	uint64_t merged, merge_total;		/* entries merged at the end; 0
						 * before */
};

/* Takes the progress of work; arg is what was given with the function. */
typedef void cfs_progress_fn(void *arg, const struct cfs_progress *p);

#endif

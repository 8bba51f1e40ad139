/* progress_line.h - shows the progress of an index build or other work on
 * stderr.
 *
 * On a terminal it is one line that is rewritten, with rate and time left;
 * elsewhere a line every half minute.  There is one display per process.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_PROGRESS_LINE_H
#define CFS_CLI_PROGRESS_LINE_H

#include "base/progress.h"

/* true: show nothing until it is called with false. */
void cfs_progress_quiet(bool quiet);

/* Shows how far `what`, a string, has come: a cfs_progress_fn.  Any thread may
 * call it, as often as it likes. */
void cfs_progress_called(void *what, const struct cfs_progress *p);

/* The same for work that is counted in items. */
void cfs_progress_count(const char *what, uint64_t done, uint64_t total);

/* The `building` callback of struct cfs_crawl_opts: p is NULL when done. */
void cfs_progress_building(void *arg, const char *source,
			   const struct cfs_progress *p);

/* Erases the line so that something else can be printed; the next call redraws
 * it. */
void cfs_progress_interrupt(void);

/* Erases the line for good: the work has ended. */
void cfs_progress_end(void);

#endif

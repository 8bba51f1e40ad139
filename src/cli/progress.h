/* progress.h - how far an index build has come, on stderr.
 *
 * On a terminal one line that is rewritten, with rate and time left;
 * elsewhere a line every half minute.  One at a time in the process.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_PROGRESS_H
#define CFS_CLI_PROGRESS_H

#include "build/indexer.h"

/* quiet: show nothing until it is called with false. */
void cfs_progress_quiet(bool quiet);

/* Shows how far `what` is.  From any thread, as often as wanted. */
void cfs_progress_show(const char *what, const struct cfs_indexer_progress *p);

/* The same for things that are counted. */
void cfs_progress_count(const char *what, uint64_t done, uint64_t total);

/* As struct cfs_crawl_opts wants it: p is NULL when done. */
void cfs_progress_building(void *arg, const char *source,
			   const struct cfs_indexer_progress *p);

/* Wipes the line because something else will be printed; the next call redraws
 * it. */
void cfs_progress_interrupt(void);

/* Wipes the line for good: the work has ended. */
void cfs_progress_end(void);

#endif

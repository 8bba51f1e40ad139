/* thread_scratch.h - big scratch structures that a thread keeps between calls.
 *
 * Taking and giving back costs no system call, and no allocation but a thread's
 * first.  Nested use gets a second one from malloc.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_THREAD_SCRATCH_H
#define CFS_CRAWL_THREAD_SCRATCH_H

#include <stddef.h>

enum cfs_thread_scratch { CFS_SPARE_WALK, CFS_SPARE_ENTRY, CFS_SPARE_COUNT };

/* Uninitialised memory of that size (always the same for one `which`), or
 * NULL when out of memory. */
void *cfs_thread_scratch_take(enum cfs_thread_scratch which, size_t bytes);
void cfs_thread_scratch_give(enum cfs_thread_scratch which,
			     void *p); /* accepts NULL */

#endif

/* failures.h - failures that took long are told again for a moment.
 *
 * Who waits behind another's request for the same thing asks for it anew when
 * that has failed: the kernel lets look-ups of one name, and readers of one
 * page, wait for each other, and asks a second time, page by page, for what it
 * could not read ahead.  On a server that does not answer their times would
 * add up.  What is told again is forgotten in a quarter of a second.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_FAILURES_H
#define CFS_FUSE_FAILURES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CFS_FAILURES 64u

struct cfs_failures {
	atomic_bool any;		/* has there ever been one? */
	pthread_mutex_t lock;
	struct {
		uint64_t key;
		int64_t at_ms;
		int rc;
	} slots[CFS_FAILURES];		/* guarded by lock; by key, lossy */
};

void cfs_failures_init(struct cfs_failures *f);

/* The failure of the same request a moment ago, or 0: then *began_ms is for
 * cfs_failures_note.  key: the caller's, any bits. */
int cfs_failures_recent(struct cfs_failures *f, uint64_t key,
			int64_t *began_ms);
/* rc: how it ended, 0 too. */
void cfs_failures_note(struct cfs_failures *f, uint64_t key, int64_t began_ms,
		       int rc);

#endif

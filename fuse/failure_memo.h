/* failure_memo.h - failures that took long are reported again for a moment.
 *
 * A caller that joined a running request for the same thing asks again when
 * that has failed: the kernel lets look-ups of one name, and readers of one
 * page, wait for each other, and asks a second time, page by page, for what it
 * could not read ahead.  On a server that does not answer their times would
 * add up.  What is reported again is forgotten in a quarter of a second.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_FAILURE_MEMO_H
#define CFS_FUSE_FAILURE_MEMO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cancel.h"
#include "base/memo.h"

/* Threads share it. */
struct cfs_failure_memo {
	atomic_bool any;		/* has there ever been one? */
	struct cfs_memo *memo;
};

int cfs_failure_memo_init(struct cfs_failure_memo *f);	/* 0 or CFS_ENOMEM */
void cfs_failure_memo_release(struct cfs_failure_memo *f);

/* The failure of the same request a moment before now_ms
 * (cfs_monotonic_ms), or 0.  key: the caller's, any bits. */
int cfs_failure_memo_recent(struct cfs_failure_memo *f, uint64_t key,
			    int64_t now_ms);

/* Request `key`, which began at began_ms, has failed with rc. */
void cfs_failure_memo_note_at(struct cfs_failure_memo *f, uint64_t key,
			      int64_t began_ms, int64_t now_ms, int rc);

/* The same now, of a request that may have succeeded. */
static inline void cfs_failure_memo_note(struct cfs_failure_memo *f,
					 uint64_t key, int64_t began_ms, int rc)
{
	if (rc < CFS_OK)
		cfs_failure_memo_note_at(f, key, began_ms, cfs_monotonic_ms(),
					 rc);
}

#endif

/* failure_memo.h - repeats a failure that took long, for a quarter of a second.
 *
 * The kernel lets look-ups of one name, and readers of one page, wait for each
 * other; when the first request has failed, each that waited sends its own.  It
 * also asks again, page by page, for what it could not read ahead.  On a server
 * that does not answer, these waits would add up; so they get the same failure
 * at once.
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
	atomic_bool any;		/* false until the first failure
					 * is noted */
	struct cfs_memo *memo;
};

int cfs_failure_memo_init(struct cfs_failure_memo *f);	/* 0 or CFS_ENOMEM */
void cfs_failure_memo_release(struct cfs_failure_memo *f);

/* The failure that the same request had a moment before now_ms
 * (cfs_monotonic_ms), or 0. key: identifies the request; any number. */
int cfs_failure_memo_recent(struct cfs_failure_memo *f, uint64_t key,
			    int64_t now_ms);

/* Request `key`, which began at began_ms, has failed with rc. */
void cfs_failure_memo_note_at(struct cfs_failure_memo *f, uint64_t key,
			      int64_t began_ms, int64_t now_ms, int rc);

/* Notes the result of a request that ends now; ignores success. */
static inline void cfs_failure_memo_note(struct cfs_failure_memo *f,
					 uint64_t key, int64_t began_ms, int rc)
{
	if (rc < CFS_OK)
		cfs_failure_memo_note_at(f, key, began_ms, cfs_monotonic_ms(),
					 rc);
}

#endif

/* failure_memo.c - a lossy memo of the failures that took long.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "failure_memo.h"

#define SLOTS_BITS 6
#define LONG_MS 500
#define MOMENT_MS 250

struct recent_failure {
	int64_t at_ms;
	int rc;
};

int cfs_failure_memo_init(struct cfs_failure_memo *f)
{
	atomic_init(&f->any, false);
	f->memo = cfs_memo_new(SLOTS_BITS, sizeof(struct recent_failure));
	return f->memo != NULL ? CFS_OK : CFS_ENOMEM;
}

void cfs_failure_memo_release(struct cfs_failure_memo *f)
{
	cfs_memo_free(f->memo);
}

int cfs_failure_memo_recent(struct cfs_failure_memo *f, uint64_t key,
			    int64_t now_ms)
{
	struct recent_failure was;

	if (!atomic_load_explicit(&f->any, memory_order_relaxed) ||
	    !cfs_memo_get(f->memo, key, &was))
		return CFS_OK;
	return now_ms - was.at_ms < MOMENT_MS ? was.rc : CFS_OK;
}

void cfs_failure_memo_note_at(struct cfs_failure_memo *f, uint64_t key,
			      int64_t began_ms, int64_t now_ms, int rc)
{
	struct recent_failure is = { now_ms, rc };

	/* one reader was interrupted: the others are not concerned */
	if (rc == CFS_EINTR || rc == CFS_ENOTFOUND ||
	    now_ms - began_ms < LONG_MS)
		return;
	cfs_memo_put(f->memo, key, &is);
	atomic_store(&f->any, true);
}

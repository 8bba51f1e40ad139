/* failures.c - a lossy memo of the failures that took long.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "failures.h"

#include "base/hash.h"

#define SLOTS_BITS 6
#define LONG_MS 500
#define MOMENT_MS 250
#define LOG_PAUSE_MS 10000

struct failure {
	int64_t at_ms;
	int rc;
};

int cfs_failures_init(struct cfs_failures *f)
{
	atomic_init(&f->any, false);
	f->memo = cfs_memo_new(SLOTS_BITS, sizeof(struct failure));
	f->logged = cfs_memo_new(SLOTS_BITS, sizeof(int64_t));
	return f->memo != NULL && f->logged != NULL ? CFS_OK : CFS_ENOMEM;
}

void cfs_failures_release(struct cfs_failures *f)
{
	cfs_memo_free(f->memo);
	cfs_memo_free(f->logged);
}

int cfs_failures_recent(struct cfs_failures *f, uint64_t key, int64_t now_ms)
{
	struct failure was;

	if (!atomic_load_explicit(&f->any, memory_order_relaxed) ||
	    !cfs_memo_get(f->memo, key, &was))
		return CFS_OK;
	return now_ms - was.at_ms < MOMENT_MS ? was.rc : CFS_OK;
}

void cfs_failures_note_at(struct cfs_failures *f, uint64_t key,
			  int64_t began_ms, int64_t now_ms, int rc)
{
	struct failure is = { now_ms, rc };

	/* an interrupt is the wish of one reader only */
	if (rc == CFS_EINTR || rc == CFS_ENOTFOUND ||
	    now_ms - began_ms < LONG_MS)
		return;
	cfs_memo_put(f->memo, key, &is);
	atomic_store(&f->any, true);
}

bool cfs_failures_is_news(struct cfs_failures *f, const struct cfs_error *err)
{
	uint64_t key = cfs_hash64(cfs_slice_str(err->where), err->offset);
	int64_t was_ms, now_ms = cfs_monotonic_ms();

	key = cfs_hash64(cfs_slice_str(err->text), key);
	if (cfs_memo_get(f->logged, key, &was_ms) &&
	    now_ms - was_ms < LOG_PAUSE_MS)
		return false;
	cfs_memo_put(f->logged, key, &now_ms);
	return true;
}

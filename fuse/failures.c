/* failures.c - failures that took long are told again (see failures.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "failures.h"

#include "base/cancel.h"

#define LONG_MS 500
#define MOMENT_MS 250

void cfs_failures_init(struct cfs_failures *f)
{
	pthread_mutex_init(&f->lock, NULL);
}

static unsigned slot_of(uint64_t key)
{
	return (unsigned)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) %
	       CFS_FAILURES;
}

int cfs_failures_recent(struct cfs_failures *f, uint64_t key,
			int64_t *began_ms)
{
	unsigned i = slot_of(key);
	int rc = CFS_OK;

	*began_ms = cfs_monotonic_ms();
	if (!atomic_load_explicit(&f->any, memory_order_relaxed))
		return CFS_OK;
	pthread_mutex_lock(&f->lock);
	if (f->slots[i].key == key &&
	    *began_ms - f->slots[i].at_ms < MOMENT_MS)
		rc = f->slots[i].rc;
	pthread_mutex_unlock(&f->lock);
	return rc;
}

void cfs_failures_note(struct cfs_failures *f, uint64_t key, int64_t began_ms,
		       int rc)
{
	unsigned i = slot_of(key);
	int64_t now;

	/* an interrupt is the wish of one reader only */
	if (rc >= CFS_OK || rc == CFS_EINTR || rc == CFS_ENOTFOUND)
		return;
	now = cfs_monotonic_ms();
	if (now - began_ms < LONG_MS)
		return;
	pthread_mutex_lock(&f->lock);
	f->slots[i].key = key;
	f->slots[i].at_ms = now;
	f->slots[i].rc = rc;
	pthread_mutex_unlock(&f->lock);
	atomic_store(&f->any, true);
}

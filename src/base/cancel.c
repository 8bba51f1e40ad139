/* cancel.c - deadlines of operations (see cancel.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cancel.h"

#include <time.h>

/* A wait ends this long after its deadline: the request that it waits for has
 * the same deadline, and should report its own failure first. */
#define GRACE_MS 300
/* Deadlines that differ by no more than this count as the same: those of
 * operations that began together, such as the kernel's parallel reads of one
 * file. */
#define TOGETHER_MS 100

int64_t cfs_monotonic_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool is_time_up(void *arg)
{
	struct cfs_timed_cancel *t = arg;

	if (cfs_monotonic_ms() > t->until_ms)
		t->is_late = true;
	return t->is_late || cfs_cancelled(t->other);
}

void cfs_timed_cancel_begin(struct cfs_timed_cancel *t,
			    const struct cfs_cancel *other, unsigned ms)
{
	*t = (struct cfs_timed_cancel){
		.cancel = { .asked = is_time_up, .arg = t,
			    .until = other != NULL ? other->until : NULL },
		.other = other,
		.until_ms = cfs_monotonic_ms() + ms,
	};
}

void cfs_deadline_set(struct cfs_deadline *d, unsigned ms)
{
	d->at_ms = cfs_monotonic_ms() + (int64_t)ms;
	atomic_init(&d->came, 0);
}

int64_t cfs_cancel_until_ms(const struct cfs_cancel *c)
{
	return c != NULL && c->until != NULL ? c->until->at_ms : INT64_MAX;
}

static bool cancel_is_late(const struct cfs_cancel *c, uint64_t came)
{
	uint64_t ms;

	if (c == NULL || c->until == NULL)
		return false;
	ms = (came + atomic_load(&c->until->came)) / CFS_DEADLINE_BYTES_PER_MS;
	return cfs_monotonic_ms() >= c->until->at_ms + GRACE_MS + (int64_t)ms;
}

int cfs_cancel_check(const struct cfs_cancel *c, uint64_t came,
		     struct cfs_error *err)
{
	if (cfs_cancelled(c))
		return cfs_error_set(err, CFS_EINTR, "interrupted");
	if (cancel_is_late(c, came))
		return cfs_error_set(err, CFS_ETIMEOUT, "no answer in time");
	return CFS_OK;
}

int cfs_cancel_before_wait(struct cfs_ctx ctx)
{
	return cfs_cancel_may_wait(ctx.cancel) ? CFS_OK :
	       cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
}

int cfs_cancel_before_file(struct cfs_ctx ctx)
{
	return ctx.cancel != NULL && ctx.cancel->may_read_files ?
	       CFS_OK : cfs_cancel_before_wait(ctx);
}

int cfs_cancel_check_behind(const struct cfs_cancel *c, int64_t until_ms,
			    struct cfs_error *err)
{
	if (c != NULL && c->until != NULL &&
	    until_ms <= c->until->at_ms + TOGETHER_MS && !cfs_cancelled(c))
		return CFS_OK;
	return cfs_cancel_check(c, 0, err);
}

void cfs_cancel_came(const struct cfs_cancel *c, uint64_t bytes)
{
	if (c != NULL && c->until != NULL)
		atomic_fetch_add(&c->until->came, bytes);
}

void cfs_cancel_waited(const struct cfs_cancel *c, unsigned ms)
{
	cfs_cancel_came(c, (uint64_t)ms * CFS_DEADLINE_BYTES_PER_MS);
}

/* cancel.h - a question long work asks now and then: shall I stop?
 *
 * Loops over data, inflation of large members and network waits ask
 * cfs_cancelled() and return CFS_EINTR when it says yes.  The FUSE layer
 * answers it from FUSE_INTERRUPT, the commands from SIGINT.
 *
 * A token may carry a deadline too, one for all that an operation does.  Only
 * what waits for others asks for it: work that goes on is never cut short.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_CANCEL_H
#define CFS_BASE_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

/* A server that sends is waited for: each so many bytes that come put a
 * deadline off by a millisecond. */
#define CFS_DEADLINE_BYTES_PER_MS 64u

struct cfs_deadline {
	int64_t at_ms;			/* on the monotonic clock */
	_Atomic uint64_t came;		/* bytes, for the operation */
};

struct cfs_cancel {
	bool (*asked)(void *arg);	/* from any thread */
	void *arg;
	struct cfs_deadline *until;	/* NULL: none */
};

/* c may be NULL: never cancelled. */
static inline bool cfs_cancelled(const struct cfs_cancel *c)
{
	return c != NULL && c->asked != NULL && c->asked(c->arg);
}

/* Milliseconds of the monotonic clock. */
int64_t cfs_monotonic_ms(void);

/* ms from now on. */
void cfs_deadline_set(struct cfs_deadline *d, unsigned ms);

/*
 * Shall a wait for a server end?  0; CFS_EINTR when asked to stop;
 * CFS_ETIMEOUT a little after the deadline: the request's own failure, which
 * says more, is to be told first.
 *
 * came  bytes that have come of what is waited for, not yet told to
 *       cfs_cancel_came
 */
int cfs_cancel_check(const struct cfs_cancel *c, uint64_t came,
		     struct cfs_error *err);
void cfs_cancel_came(const struct cfs_cancel *c, uint64_t bytes);
/* The operation has waited for its turn for so long: that puts its deadline
 * off.  What it waited for has deadlines of its own. */
void cfs_cancel_waited(const struct cfs_cancel *c, unsigned ms);

/*
 * The same for a wait for another operation, until_ms being its
 * cfs_cancel_until_ms: one that is to end no later than this one does so by
 * itself, and is waited for; what it does then may be more than waiting.
 */
int cfs_cancel_check_behind(const struct cfs_cancel *c, int64_t until_ms,
			    struct cfs_error *err);

/* When the operation is to end, not counting what has come; INT64_MAX without
 * a deadline. */
int64_t cfs_cancel_until_ms(const struct cfs_cancel *c);

#endif

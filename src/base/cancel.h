/* cancel.h - cancel tokens, which long operations poll, with deadlines.
 *
 * Loops over data, inflation of large members and network waits call
 * cfs_cancelled() and return CFS_EINTR when it is true.  The FUSE layer
 * sets it on FUSE_INTERRUPT, the commands on SIGINT.
 *
 * A token may also carry a deadline for the whole operation.  Only waits for
 * servers or other operations check it: work that progresses is never cut
 * short.
 *
 * An operation on a thread that must not wait has a token that says so: what
 * would wait for a disk, a server or another thread ends with CFS_EINTR
 * instead, and another thread begins the operation again.
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

/* A server that sends data is given more time: each time this many bytes have
 * been received, the deadline moves by one millisecond. */
#define CFS_DEADLINE_BYTES_PER_MS 64u

struct cfs_deadline {
	int64_t at_ms;			/* on the monotonic clock */
	_Atomic uint64_t came;		/* bytes that the operation received */
};

struct cfs_cancel {
	bool (*asked)(void *arg);	/* true to stop; from any thread */
	void *arg;
	struct cfs_deadline *until;	/* NULL: none */
	_Atomic bool *would_wait;	/* NULL: it may wait; else set once it
					 * would have had to, which cancels
					 * it */
	bool may_read_files;		/* with would_wait: files here may be
					 * read, whatever that takes */
};

/*
 * The context of a call that can take long and can fail: `cancel` may cancel
 * it (NULL: nothing does), and `err` gets its first failure (NULL: it is not
 * reported).  It is passed by value; both are borrowed until the call returns.
 */
struct cfs_ctx {
	const struct cfs_cancel *cancel;
	struct cfs_error *err;
};

#define CFS_CTX(cancel, err) ((struct cfs_ctx){ (cancel), (err) })

/* c may be NULL: never cancelled. */
static inline bool cfs_cancelled(const struct cfs_cancel *c)
{
	return c != NULL &&
	       ((c->asked != NULL && c->asked(c->arg)) ||
		(c->would_wait != NULL && *c->would_wait));
}

/* May the operation wait?  False: then it has been cancelled, and the caller
 * returns CFS_EINTR. */
static inline bool cfs_cancel_may_wait(const struct cfs_cancel *c)
{
	if (c == NULL || c->would_wait == NULL)
		return true;
	*c->would_wait = true;
	return false;
}

/* Milliseconds of the monotonic clock. */
int64_t cfs_monotonic_ms(void);

/* A token that is raised with another one, or when time is up, whatever the
 * operation does. */
struct cfs_timed_cancel {
	struct cfs_cancel cancel;	/* to be passed on */
	const struct cfs_cancel *other;	/* borrowed; may be NULL */
	int64_t until_ms;
	_Atomic bool is_late;		/* time was up */
};

/* Begins; the struct must not move. */
void cfs_timed_cancel_begin(struct cfs_timed_cancel *t,
			    const struct cfs_cancel *other, unsigned ms);

/* Sets the deadline to ms from now. */
void cfs_deadline_set(struct cfs_deadline *d, unsigned ms);

/*
 * Checks whether a wait for a server must end.  Returns 0, CFS_EINTR if
 * cancelled, or CFS_ETIMEOUT a little after the deadline, so that the request's
 * own failure, which says more, is reported first.
 *
 * came  bytes received so far that were not yet passed to cfs_cancel_came
 */
int cfs_cancel_check(const struct cfs_cancel *c, uint64_t came,
		     struct cfs_error *err);
/* Counts bytes that the operation received, which extends its deadline. */
void cfs_cancel_came(const struct cfs_cancel *c, uint64_t bytes);
/* Before a wait: 0, or CFS_EINTR if the operation must not wait. */
int cfs_cancel_before_wait(struct cfs_ctx ctx);
/* The same before the wait for a file here. */
int cfs_cancel_before_file(struct cfs_ctx ctx);
/* Extends the deadline by the time that the operation waited for its turn: what
 * it waited for has deadlines of its own. */
void cfs_cancel_waited(const struct cfs_cancel *c, unsigned ms);

/*
 * As cfs_cancel_check, for a wait for another operation, whose
 * cfs_cancel_until_ms is until_ms.  If that is no later than this operation's
 * deadline, there is no timeout: the other one ends by itself, and may be
 * working rather than waiting.
 */
int cfs_cancel_check_behind(const struct cfs_cancel *c, int64_t until_ms,
			    struct cfs_error *err);

/* The operation's deadline, without the extension for received bytes; INT64_MAX
 * if there is none. */
int64_t cfs_cancel_until_ms(const struct cfs_cancel *c);

#endif

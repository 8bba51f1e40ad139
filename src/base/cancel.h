/* cancel.h - a question long work asks now and then: shall I stop?
 *
 * Loops over data, inflation of large members and network waits ask
 * cfs_cancelled() and return CFS_EINTR when it says yes.  The FUSE layer
 * answers it from FUSE_INTERRUPT, the commands from SIGINT.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_CANCEL_H
#define CFS_BASE_CANCEL_H

#include <stdbool.h>
#include <stddef.h>

struct cfs_cancel {
	bool (*asked)(void *arg);	/* from any thread */
	void *arg;
};

/* c may be NULL: never cancelled. */
static inline bool cfs_cancelled(const struct cfs_cancel *c)
{
	return c != NULL && c->asked != NULL && c->asked(c->arg);
}

#endif

/* log_limiter.h - failures of one cause as few lines of the log.
 *
 * The first failure of a cause is logged at once.  Those behind it are counted:
 * a line has the count when it is 10, 100, 1000 and so on, and once there was
 * no further one for CFS_LOG_LIMITER_QUIET_MS.  The next is a first one again.
 *
 * Causes are of kinds.  A kind of which many causes are known has the failures
 * of all others counted together, so that a shelf of archives that is missing
 * does not take a line for each of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_LOG_LIMITER_H
#define CFS_BASE_LOG_LIMITER_H

#include <stdbool.h>
#include <stdint.h>

/* Causes that are known at a time; of one kind. */
#define CFS_LOG_LIMITER_CAUSES 64u
#define CFS_LOG_LIMITER_ALIKE 16u
#define CFS_LOG_LIMITER_QUIET_MS 60000
/* Bytes of a line, and what is said of its count. */
#define CFS_LOG_LIMITER_LINE 800u

struct cfs_log_limiter;		/* threads share it */

struct cfs_log_limiter *cfs_log_limiter_new(void); /* NULL: out of memory */
/* Logs the counts that are to be logged still.  Accepts NULL. */
void cfs_log_limiter_free(struct cfs_log_limiter *g);

/*
 * A failure.
 *
 * cause   a hash of what failed, and how
 * kind    of the cause
 * line    what to log of it
 * is_logged  a first one is in the log already
 * now_ms  cfs_monotonic_ms
 */
void cfs_log_limiter_note(struct cfs_log_limiter *g, uint64_t cause, int kind,
			  const char *line, bool is_logged, int64_t now_ms);

/* Logs the counts of causes that are quiet.  Returns when it is to be called
 * again, INT64_MAX if no cause is known. */
int64_t cfs_log_limiter_settle(struct cfs_log_limiter *g, int64_t now_ms);

#endif

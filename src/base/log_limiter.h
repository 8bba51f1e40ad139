/* log_limiter.h - rate limit for log lines about repeated failures.
 *
 * The first failure of a cause is logged at once.  Further ones are counted: a
 * line reports the count when it reaches 10, 100, 1000 and so on, and when
 * there was no failure for CFS_LOG_LIMITER_QUIET_MS.  The next failure is then
 * a first one again.
 *
 * Each cause has a kind.  Once CFS_LOG_LIMITER_ALIKE causes of a kind are
 * known, failures of further causes of that kind are counted together, so that
 * a missing folder of archives does not take a line for each of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_LOG_LIMITER_H
#define CFS_BASE_LOG_LIMITER_H

#include <stdbool.h>
#include <stdint.h>

/* The most causes that are known at a time, in all and of one kind. */
#define CFS_LOG_LIMITER_CAUSES 64u
#define CFS_LOG_LIMITER_ALIKE 16u
#define CFS_LOG_LIMITER_QUIET_MS 60000
/* The most bytes of a line, without its count. */
#define CFS_LOG_LIMITER_LINE 800u

struct cfs_log_limiter;		/* threads share it */

struct cfs_log_limiter *cfs_log_limiter_new(void); /* NULL: out of memory */
/* Logs the counts that were not yet logged.  Accepts NULL. */
void cfs_log_limiter_free(struct cfs_log_limiter *g);

/*
 * Counts a failure, and logs it unless it is limited.
 *
 * cause      a hash of what failed, and how
 * kind       the kind of the cause
 * line       the line to log
 * is_logged  the caller has logged it already, if it is a first one
 * now_ms     cfs_monotonic_ms
 */
void cfs_log_limiter_note(struct cfs_log_limiter *g, uint64_t cause, int kind,
			  const char *line, bool is_logged, int64_t now_ms);

/* Logs the counts of causes that are quiet, and forgets them.  Returns when to
 * call it again, INT64_MAX if no cause is known. */
int64_t cfs_log_limiter_settle(struct cfs_log_limiter *g, int64_t now_ms);

#endif

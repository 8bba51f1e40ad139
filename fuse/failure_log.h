/* failure_log.h - rate limit for log lines about repeated failures.
 *
 * The first failure of a cause is logged at once.  Further ones are counted: a
 * line reports the count when it reaches 10, 100, 1000 and so on, and when
 * there was no failure for CFS_FAILURE_LOG_QUIET_MS.  The next failure is then
 * a first one again.
 *
 * Each cause has a kind.  Once CFS_FAILURE_LOG_ALIKE causes of a kind are
 * known, failures of further causes of that kind are counted together, so that
 * a missing folder of archives does not take a line for each of them.
 *
 * Nothing here locks or logs: the caller guards the causes, and logs the lines
 * when it has released its lock.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_FAILURE_LOG_H
#define CFS_FUSE_FAILURE_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* The most causes that are known at a time, in all and of one kind. */
#define CFS_FAILURE_LOG_CAUSES 64u
#define CFS_FAILURE_LOG_ALIKE 16u
#define CFS_FAILURE_LOG_QUIET_MS 60000
/* The most bytes of a line, without its count. */
#define CFS_FAILURE_LOG_LINE 800u

struct cfs_failure_cause {
	uint64_t cause;
	uint64_t count, logged;	/* count 0: the slot is free; logged: the
				 * count when it was last logged */
	uint64_t next;		/* the count at which to log next */
	int64_t last_ms;
	int kind;
	bool is_pool;		/* counts all causes of its kind without a
				 * slot of their own */
	char line[CFS_FAILURE_LOG_LINE];
};

/* All zero at first. */
struct cfs_failure_log {
	struct cfs_failure_cause v[CFS_FAILURE_LOG_CAUSES];
};

/* Lines to be logged by cfs_failure_lines_log. */
struct cfs_failure_lines {
	char line[2][CFS_FAILURE_LOG_LINE + 80];
	unsigned n;
};

/*
 * Counts a failure, and sets *out to what is to be logged of it.
 *
 * cause      a hash of what failed, and how
 * kind       the kind of the cause
 * line       the line to log
 * is_logged  the caller has logged it already, if it is a first one
 * now_ms     cfs_monotonic_ms
 */
void cfs_failure_log_note(struct cfs_failure_log *g, uint64_t cause, int kind,
			  const char *line, bool is_logged, int64_t now_ms,
			  struct cfs_failure_lines *out);

/* Forgets the first cause that was quiet for quiet_ms, and sets *out to what is
 * to be logged of it.  If there is none, returns false and sets *due_ms to when
 * there will be one: INT64_MAX if no cause is known. */
bool cfs_failure_log_settle(struct cfs_failure_log *g, int64_t now_ms,
			    int64_t quiet_ms, int64_t *due_ms,
			    struct cfs_failure_lines *out);

void cfs_failure_lines_log(const struct cfs_failure_lines *lines);

#endif

/* failures.h - the table of failed requests, which .crawlfs/errors lists, the
 * log reports by causes, and requests that wait for each other ask.
 *
 * The last of these is a short memory.  The kernel lets look-ups of one name,
 * and readers of one page, wait for each other; when the first request has
 * failed, each that waited sends its own.  It also asks again, page by page,
 * for what it could not read ahead.  On a server that does not answer, these
 * waits would add up; so for a quarter of a second they get the same failure at
 * once.
 *
 * What a request asks for is an inode number, and for a look-up also a name in
 * that folder, else NULL.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_FAILURES_H
#define CFS_FUSE_FAILURES_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"

/* The most failures that are listed, and the most bytes of them. */
#define CFS_FAILURES_MAX 1000u
#define CFS_FAILURES_BYTES_MAX ((size_t)3 << 19)
/* The most bytes of a failure's text. */
#define CFS_FAILURE_TEXT_MAX (CFS_FAILURES_BYTES_MAX / 4)

/* A failure as it is listed.  Strings are borrowed. */
struct cfs_failure {
	uint64_t of;		/* cfs_failures_key */
	uint64_t how;		/* hash of that and of the error; never 0 */
	uint64_t cause;		/* the key by which the log counts failures */
	int64_t first, last;	/* Unix seconds */
	uint64_t count;
	int code;
	const char *members;	/* of its line of JSON: ,"file":... */
	const char *line;	/* its line in the log */
};

struct cfs_failures;			/* threads share it */

struct cfs_failures *cfs_failures_new(void);	/* NULL: out of memory */
/* Logs the failures that were only counted so far.  Accepts NULL. */
void cfs_failures_free(struct cfs_failures *t);

/* A hash of what a request asks for. */
uint64_t cfs_failures_key(uint64_t ino, const char *name);

/* Counts a listed failure once more, and logs it unless that is limited
 * (below).  how 0: the latest one of `of` with that code.  is_logged:
 * the log has it already.  False if none is listed. */
bool cfs_failures_count(struct cfs_failures *t, uint64_t of, uint64_t how,
			int code, bool is_logged);

/* Lists a failure, or counts it if it is listed.  Out of memory, it is not. */
void cfs_failures_list(struct cfs_failures *t, const struct cfs_failure *f);

/* The same, and logs it as cfs_failures_count does. */
void cfs_failures_note(struct cfs_failures *t, const struct cfs_failure *f,
		       bool is_logged);

/* Appends a line of JSON for each failure that is listed, latest last. */
int cfs_failures_text(struct cfs_failures *t, struct cfs_buf *out);

/* The failure that the same request had a moment before now_ms
 * (cfs_monotonic_ms), or CFS_OK. */
int cfs_failures_recent(struct cfs_failures *t, uint64_t ino, const char *name,
			int64_t now_ms);

/* A request, which began at began_ms, has failed with rc: remembers that if it
 * took long, even if it is not listed. */
void cfs_failures_remember(struct cfs_failures *t, uint64_t ino,
			   const char *name, int rc, int64_t began_ms,
			   int64_t now_ms);

/* The same for a request that ends now; ignores success. */
static inline void cfs_failures_ended(struct cfs_failures *t, uint64_t ino,
				      const char *name, int rc,
				      int64_t began_ms)
{
	if (rc < CFS_OK)
		cfs_failures_remember(t, ino, name, rc, began_ms,
				      cfs_monotonic_ms());
}

/* ---- the rate of lines in the log ---------------------------------------- */

/*
 * The first failure of a cause is logged at once.  Further ones are counted: a
 * line reports the count when it reaches 10, 100, 1000 and so on, and when
 * there was no failure for CFS_FAILURE_LOG_QUIET_MS.  The next failure is then
 * a first one again.
 *
 * Each cause has a kind.  Once CFS_FAILURE_LOG_ALIKE causes of a kind are
 * known, failures of further causes of that kind are counted together, so that
 * a missing folder of archives does not take a line for each of them.
 *
 * The functions neither lock nor log: the caller guards the causes, and logs
 * the lines when it has released its lock.
 */

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

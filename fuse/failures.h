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
 * (failure_log.h).  how 0: the latest one of `of` with that code.  is_logged:
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

#endif

/* error.h - error codes, and error reports for people.
 *
 * Functions return CFS_OK, sometimes a documented positive value, or one of
 * the negative codes below.  The library never prints: it fills a cfs_error.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_ERROR_H
#define CFS_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

enum cfs_code {
	CFS_OK = 0,
	CFS_END = 1,		/* past the last one; not a failure */
	CFS_EIO = -1,		/* a read, write or fetch failed */
	CFS_EFORMAT = -2,	/* the bytes are not what the format says */
	CFS_ELIMIT = -3,	/* legal, but beyond a named limit */
	CFS_ENOMEM = -4,
	CFS_ENOTFOUND = -5,	/* no such thing, by the index or the rules
				 * for names */
	CFS_ETIMEOUT = -6,
	CFS_EINTR = -7,		/* the caller's cancel token was raised */
	CFS_EUSAGE = -8,	/* wrong arguments */
	CFS_EUNSUPPORTED = -9,	/* recognized, but not supported by crawlfs */
	CFS_EACCESS = -10,	/* permission denied */
	CFS_ECHANGED = -11,	/* a remote object has changed */
	CFS_EABSENT = -12,	/* the body of a capture is in no archive that
				 * is here */
	CFS_ENOWORDS = -13,	/* an index has no list of words that can be
				 * used */
	CFS_ETOOLARGE = -14,	/* a listing would fetch more of an index on a
				 * server than it may */
};

struct cfs_error {
	int code;
	uint64_t offset;	/* bytes from the start of `where` */
	char where[256];	/* file, URL or index name; empty if none */
	char text[256];		/* "content length '12x' is not a number" */
};

#define CFS_ERROR_INIT ((struct cfs_error){ 0 })

/* Reports an error.  An earlier report is kept: it is nearest the cause.  err
 * may be NULL.  Returns `code`, for `return cfs_error_set(...)`. */
int cfs_error_set(struct cfs_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As cfs_error_set, with the place of the error.  `where` is truncated if too
 * long, and queries of URLs in it are hidden (text.h). */
int cfs_error_at(struct cfs_error *err, int code, const char *where,
		 uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* Names the place of an error that has none yet. */
void cfs_error_where(struct cfs_error *err, const char *where, uint64_t offset);

/* Leaves the name of a local file that the error is about, but not in which
 * folder of this machine it is, which is no matter of clients. */
void cfs_error_hide_folder(struct cfs_error *err);

/* Reports that memory ran out.  Returns CFS_ENOMEM; inline, so that static
 * analysers see that the result is not 0. */
void cfs_error_set_nomem(struct cfs_error *err);
static inline int cfs_error_nomem(struct cfs_error *err)
{
	cfs_error_set_nomem(err);
	return CFS_ENOMEM;
}

/* Passes `rc` up.  If it is a failure, its report goes to `to`, unless that has
 * one or is NULL.  Returns `rc`, also if `from` has no report. */
int cfs_error_pass(struct cfs_error *to, const struct cfs_error *from, int rc);

/* Clears the report, so that err can be used again.  Accepts NULL. */
void cfs_error_clear(struct cfs_error *err);

/* True for trouble: a server, a disk or memory failed, and the same read may
 * succeed later.  Anything else is the same each time: damage, what is missing,
 * a limit. */
bool cfs_code_is_trouble(int code);

/* The short name of a code ("format", "io"), for logs. */
const char *cfs_code_name(int code);

#endif

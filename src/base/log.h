/* log.h - one-line log messages of the library.
 *
 * The library never prints.  Problems that do not fail the caller's call (a
 * damaged record among good ones, a skipped file) are logged here; the commands
 * print the lines to stderr or syslog.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_LOG_H
#define CFS_BASE_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "error.h"

enum cfs_log_level {
	CFS_LOG_ERROR,
	CFS_LOG_WARNING,
	CFS_LOG_INFO,
	CFS_LOG_DEBUG
};

/* `line` has no newline.  Called from any thread, one call at a time. */
typedef void cfs_log_fn(enum cfs_log_level level, const char *line, void *arg);

/* Sets the one receiver of the process, for levels up to `up_to`; fn NULL drops
 * everything (the default). */
void cfs_log_to(cfs_log_fn *fn, void *arg, enum cfs_log_level up_to);

void cfs_log(enum cfs_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Logs an error as one line, "archive.warc.gz: offset 1234: text". */
void cfs_log_error(enum cfs_log_level level, const struct cfs_error *err);

/*
 * Limits the lines that one file can cause by the million: *lines counts those
 * logged so far, by any thread.  True for the first hundred; in place of the
 * next one, `rest` is logged, as "WHERE: REST" (where NULL: as it is), and
 * then nothing.
 */
bool cfs_log_has_room(atomic_uint *lines, const char *where, const char *rest);

/* True if one of the last few lines that were delivered since since_ms
 * (cfs_monotonic_ms) begins with `beginning`. */
bool cfs_log_has(const char *beginning, int64_t since_ms);

/* Formats an error as cfs_log_error does into out, always NUL-terminated. */
void cfs_error_line(const struct cfs_error *err, char *out, size_t out_bytes);

#endif

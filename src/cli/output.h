/* output.h - writes to standard output: notices failures, escapes names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_OUTPUT_H
#define CFS_CLI_OUTPUT_H

#include "base/buf.h"

/* Writes bytes as they are.  False once writing has failed: stop then. */
bool cfs_out_bytes(struct cfs_slice s);

/* Writes a name or a URL: on a terminal, control bytes and bytes that are not
 * UTF-8 appear as \xNN; elsewhere all bytes are written as they are. */
bool cfs_out_text(struct cfs_slice s);

bool cfs_out_f(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* True while every write has worked. */
bool cfs_out_ok(void);

/* Flushes.  Returns status, or CFS_EXIT_FAILURE if something could not be
 * written, which is reported unless the reader of a pipe has gone. */
int cfs_out_end(int status);

#endif

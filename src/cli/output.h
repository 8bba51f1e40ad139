/* output.h - standard output: failures are noticed, names are safe to see.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_OUTPUT_H
#define CFS_CLI_OUTPUT_H

#include "base/buf.h"

/* Bytes as they are.  False once writing has failed: stop then. */
bool cfs_out_bytes(struct cfs_slice s);

/* A name or a URL: on a terminal control bytes and what is not UTF-8 show
 * as \xNN, elsewhere the bytes as they are. */
bool cfs_out_text(struct cfs_slice s);

bool cfs_out_f(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* True while every write has worked. */
bool cfs_out_ok(void);

/* Flushes.  Returns status, or CFS_EXIT_FAILURE when something could not be
 * written.  That is reported, unless the reader of a pipe has gone. */
int cfs_out_end(int status);

#endif

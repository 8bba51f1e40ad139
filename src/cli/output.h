/* output.h - standard output: what was written arrived, and is safe to see.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_OUTPUT_H
#define CFS_CLI_OUTPUT_H

#include "base/buf.h"

/* Bytes as they are.  False once writing has failed: stop then. */
bool cfs_out_bytes(struct cfs_slice s);

/* A name or an URL: on a terminal control bytes and what is not UTF-8 show
 * as \xNN, elsewhere the bytes as they are. */
bool cfs_out_text(struct cfs_slice s);

bool cfs_out_f(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Has writing worked so far? */
bool cfs_out_ok(void);

/* Flushes.  Returns status, or a failure (which it reports) when something
 * could not be written.  A reader that went away is a failure without words. */
int cfs_out_end(int status);

/* Appends s with control bytes and what is not UTF-8 as \xNN. */
void cfs_out_escape(struct cfs_buf *b, struct cfs_slice s);

/* Length of the UTF-8 sequence that s begins with, its code point in *cp;
 * 0 if there is none. */
size_t cfs_out_utf8(struct cfs_slice s, uint32_t *cp);

/* "1.2 GB" and such, powers of 1000. */
#define CFS_HUMAN_BYTES 16
const char *cfs_out_human(double bytes, char out[CFS_HUMAN_BYTES]);

#endif

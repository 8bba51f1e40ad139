/* output.h - writes to standard output: notices failures, escapes names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_OUTPUT_H
#define CFS_CLI_OUTPUT_H

#include "codec/json.h"

/* Writes bytes as they are.  False once writing has failed: stop then. */
bool cfs_out_bytes(struct cfs_slice s);

/* Writes a name or a URL: on a terminal, control bytes and bytes that are not
 * UTF-8 appear as \xNN; elsewhere all bytes are written as they are. */
bool cfs_out_text(struct cfs_slice s);

bool cfs_out_f(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* True: what is written from now on, up to the call with false, is a summary,
 * which goes to standard error: standard output is for what was asked for. */
void cfs_out_summary(bool begins);

/* Print a line for each server that was asked (cfs_hosts_text), and the same as
 * a member of a document, which it lacks if there was none. */
void cfs_out_servers(void);
void cfs_out_put_servers(struct cfs_json *j);

/* The output of --json: one document, which is printed when it is complete, so
 * that a command which fails has printed nothing.  Documents are limited in
 * length: what is long is printed as lines instead. */
#define CFS_OUT_DOCUMENT_MAX ((size_t)256 << 20)
struct cfs_out_document {
	struct cfs_buf text;
	struct cfs_json j;
};

/* Begins a document, which is an object.  End it in any case. */
void cfs_out_document_begin(struct cfs_out_document *d);
/* Ends the object and prints it, unless rc is a failure.  Returns rc;
 * CFS_ENOMEM; CFS_ELIMIT if the document is too long. */
int cfs_out_document_end(struct cfs_out_document *d, int rc,
			 struct cfs_error *err);

/* True while every write has worked. */
bool cfs_out_ok(void);

/* Flushes.  Returns status, or CFS_EXIT_FAILURE if something could not be
 * written, which is reported unless the reader of a pipe has gone. */
int cfs_out_end(int status);

#endif

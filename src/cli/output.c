/* output.c - writes to standard output and remembers the first failure.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "messages.h"
#include "net/hosts.h"

static int failed_errno;	/* errno of the first failed write */
static bool is_summary;		/* goes to standard error */

static void output_note_failure(void)
{
	if (failed_errno == 0)
		failed_errno = errno ? errno : EIO;
}

void cfs_out_summary(bool begins)
{
	errno = 0;
	if (begins && fflush(stdout) != 0)
		output_note_failure();
	is_summary = begins;
}

bool cfs_out_bytes(struct cfs_slice s)
{
	if (is_summary)
		return fwrite(s.p, 1, s.n, stderr) == s.n;
	if (failed_errno != 0)
		return false;
	errno = 0;
	if (s.n > 0 && fwrite(s.p, 1, s.n, stdout) != s.n)
		output_note_failure();
	return failed_errno == 0;
}

bool cfs_out_text(struct cfs_slice s)
{
	static int is_tty[2] = { -1, -1 };
	int *known = &is_tty[is_summary];
	struct cfs_buf b;
	bool ok;

	if (*known < 0)
		*known = isatty(is_summary ? STDERR_FILENO : STDOUT_FILENO);
	if (!*known)
		return cfs_out_bytes(s);
	cfs_buf_init(&b, 4 * s.n + 1);
	cfs_text_escape(&b, s);
	ok = cfs_out_bytes(cfs_buf_slice(&b));
	cfs_buf_release(&b);
	return ok;
}

bool cfs_out_f(const char *fmt, ...)
{
	va_list ap;

	if (failed_errno != 0)
		return false;
	errno = 0;
	va_start(ap, fmt);
	if (vfprintf(is_summary ? stderr : stdout, fmt, ap) < 0 && !is_summary)
		output_note_failure();
	va_end(ap);
	return failed_errno == 0;
}

void cfs_out_servers(void)
{
	CFS_BUF(lines, CFS_OUT_DOCUMENT_MAX);

	cfs_hosts_text(&lines);
	cfs_out_bytes(cfs_buf_slice(&lines));
}

void cfs_out_put_servers(struct cfs_json *j)
{
	if (cfs_host_stats_all(NULL, 0) > 0)
		cfs_hosts_put(j);
}

void cfs_out_document_begin(struct cfs_out_document *d)
{
	cfs_buf_init(&d->text, CFS_OUT_DOCUMENT_MAX);
	d->j = (struct cfs_json){ .out = &d->text };
	cfs_json_open(&d->j, '{');
}

int cfs_out_document_end(struct cfs_out_document *d, int rc,
			 struct cfs_error *err)
{
	cfs_json_close(&d->j, '}');
	cfs_buf_addc(&d->text, '\n');
	if (rc == CFS_OK && d->text.failed == CFS_ELIMIT)
		rc = cfs_error_set(err, CFS_ELIMIT,
				   "the JSON document would be too long");
	else if (rc == CFS_OK && d->text.failed != CFS_OK)
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK)
		cfs_out_bytes(cfs_buf_slice(&d->text));
	cfs_buf_release(&d->text);
	return rc;
}

bool cfs_out_ok(void)
{
	return failed_errno == 0;
}

int cfs_out_end(int status)
{
	errno = 0;
	if (fflush(stdout) != 0 || ferror(stdout))
		output_note_failure();
	if (failed_errno == 0)
		return status;
	if (failed_errno == EINTR)	/* interrupted while a pipe was full */
		return CFS_EXIT_INTERRUPTED;
	if (failed_errno != EPIPE)
		cfs_cli_error("standard output: %s", strerror(failed_errno));
	return CFS_EXIT_FAILURE;
}

/* messages.c - prints errors, usage errors and notices on standard error.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "messages.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "net/http_settings.h"
#include "progress_line.h"

#define LINE_MAX_BYTES 16384	/* room for a URL and a sentence */

static void error_line(const char *prefix, const char *text)
{
	CFS_BUF(b, 8 * LINE_MAX_BYTES);

	cfs_buf_adds(&b, "crawlfs: ");
	cfs_buf_adds(&b, prefix);
	cfs_text_escape(&b, cfs_slice_str(text));
	cfs_buf_addc(&b, '\n');
	cfs_progress_interrupt();
	fflush(stdout);
	if (b.failed == CFS_OK)
		fwrite(b.p, 1, b.n, stderr);
	else
		fputs("crawlfs: no memory to say what failed\n", stderr);
}

void cfs_cli_error(const char *fmt, ...)
{
	char line[LINE_MAX_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	error_line("", line);
}

int cfs_cli_usage(const char *command, const char *fmt, ...)
{
	char typed[LINE_MAX_BYTES], line[LINE_MAX_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(typed, sizeof(typed), fmt, ap);
	va_end(ap);
	cfs_text_hide_queries(line, sizeof(line), typed);
	if (command == NULL)
		cfs_cli_error("%s; see 'crawlfs help'", line);
	else if (strchr(command, '.') != NULL)	/* a separate program */
		cfs_cli_error("%s; see %s(8)", line, command);
	else
		cfs_cli_error("%s: %s; see 'crawlfs help %s'", command, line,
			      command);
	return CFS_EXIT_USAGE;
}

int cfs_cli_end(int code, const struct cfs_error *err)
{
	char line[sizeof(err->where) + sizeof(err->text) + 64];

	if (code == CFS_OK)
		return CFS_EXIT_OK;
	if (code == CFS_EINTR) {
		cfs_cli_error("interrupted");
		return CFS_EXIT_INTERRUPTED;
	}
	if (err->code == CFS_OK) {
		cfs_cli_error("failed: %s", cfs_code_name(code));
	} else {
		cfs_error_line(err, line, sizeof(line));
		cfs_cli_error("%s", line);
	}
	return code == CFS_EUSAGE ? CFS_EXIT_USAGE : CFS_EXIT_FAILURE;
}

static void log_line(enum cfs_log_level level, const char *line, void *arg)
{
	(void)arg;
	error_line(level == CFS_LOG_WARNING ? "warning: " : "", line);
}

void cfs_cli_log_to_stderr(enum cfs_log_level up_to)
{
	cfs_log_to(log_line, NULL, up_to);
	cfs_http_log_failures(false);	/* commands print them themselves */
}

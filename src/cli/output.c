/* output.c - standard output (see output.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

static int failed_errno;	/* of the first write that failed */

static void note_failure(void)
{
	if (failed_errno == 0)
		failed_errno = errno ? errno : EIO;
}

bool cfs_out_bytes(struct cfs_slice s)
{
	if (failed_errno != 0)
		return false;
	errno = 0;
	if (s.n > 0 && fwrite(s.p, 1, s.n, stdout) != s.n)
		note_failure();
	return failed_errno == 0;
}

bool cfs_out_text(struct cfs_slice s)
{
	static int is_tty = -1;
	struct cfs_buf b;
	bool ok;

	if (is_tty < 0)
		is_tty = isatty(STDOUT_FILENO);
	if (!is_tty)
		return cfs_out_bytes(s);
	cfs_buf_init(&b, 4 * s.n + 1);
	cfs_out_escape(&b, s);
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
	if (vfprintf(stdout, fmt, ap) < 0)
		note_failure();
	va_end(ap);
	return failed_errno == 0;
}

bool cfs_out_ok(void)
{
	return failed_errno == 0;
}

int cfs_out_end(int status)
{
	errno = 0;
	if (fflush(stdout) != 0 || ferror(stdout))
		note_failure();
	if (failed_errno == 0)
		return status;
	if (failed_errno == EINTR)	/* a signal while a pipe was full */
		return CFS_EXIT_INTERRUPTED;
	if (failed_errno != EPIPE)
		cfs_cli_error("standard output: %s", strerror(failed_errno));
	return CFS_EXIT_FAILURE;
}

size_t cfs_out_utf8(struct cfs_slice s, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n;

	if (s.n == 0)
		return 0;
	if (s.p[0] < 0x80) {
		*cp = s.p[0];
		return 1;
	}
	n = s.p[0] >= 0xf0 && s.p[0] < 0xf5 ? 4 : s.p[0] >= 0xe0 ? 3 : 2;
	if (s.p[0] < 0xc2 || s.p[0] >= 0xf5 || n > s.n)
		return 0;
	*cp = s.p[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s.p[i] & 0xc0) != 0x80)
			return 0;
		*cp = *cp << 6 | (s.p[i] & 0x3fu);
	}
	if (*cp < least[n] || *cp > 0x10ffff || (*cp >= 0xd800 && *cp < 0xe000))
		return 0;
	return n;
}

void cfs_out_escape(struct cfs_buf *b, struct cfs_slice s)
{
	while (s.n > 0) {
		uint32_t cp = 0;
		size_t n = cfs_out_utf8(s, &cp);
		bool is_control = cp < 0x20 || (cp >= 0x7f && cp < 0xa0);

		if (n > 0 && !is_control) {
			cfs_buf_append(b, s.p, n);
		} else {
			n = n > 0 ? n : 1;
			for (size_t i = 0; i < n; i++)
				cfs_buf_addf(b, "\\x%02X", s.p[i]);
		}
		s = cfs_slice_from(s, n);
	}
}

const char *cfs_out_human(double bytes, char out[CFS_HUMAN_BYTES])
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };
	size_t i = 0;

	while (bytes >= 999.5 && i + 1 < sizeof(units) / sizeof(units[0])) {
		bytes /= 1000;
		i++;
	}
	snprintf(out, CFS_HUMAN_BYTES, i > 0 && bytes < 9.95 ? "%.1f %s" :
		 "%.0f %s", bytes, units[i]);
	return out;
}

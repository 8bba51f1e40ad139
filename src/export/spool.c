/* spool.c - copies standard input into a temporary file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "drives.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/sync.h"

#define SPOOL_STEP ((size_t)1 << 20)

struct cfs_spool {
	int fd;			/* -1: standard input is a file itself */
	char path[64];
};

static int spool_failed(struct cfs_error *err, const char *what)
{
	return cfs_error_set(err, CFS_EIO, "standard input: %s: %s", what,
			     strerror(errno));
}

/* Reads some bytes, unless cancelled; *n is 0 at the end. */
static int read_some_of_it(uint8_t *buf, size_t *n, struct cfs_ctx ctx)
{
	for (;;) {
		struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
		ssize_t got;

		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		if (poll(&p, 1, (int)CFS_WAIT_SLICE_MS) == 0)
			continue;
		got = read(STDIN_FILENO, buf, SPOOL_STEP);
		if (got >= 0) {
			*n = (size_t)got;
			return CFS_OK;
		}
		if (errno != EINTR && errno != EAGAIN)
			return spool_failed(ctx.err, "cannot read");
	}
}

static int copy_to_end(struct cfs_spool *s, struct cfs_ctx ctx)
{
	uint8_t *buf = malloc(SPOOL_STEP);
	uint64_t at = 0;
	size_t n = 1;
	int rc = buf != NULL ? CFS_OK : cfs_error_nomem(ctx.err);

	while (rc == CFS_OK && n > 0) {
		rc = read_some_of_it(buf, &n, ctx);
		if (rc == CFS_OK && cfs_write_at(s->fd, buf, n, at) < n)
			rc = spool_failed(ctx.err, "cannot be kept in a "
					  "temporary file");
		at += n;
	}
	free(buf);
	return rc;
}

int cfs_spool_stdin(struct cfs_spool **out, const char *dir,
		    struct cfs_ctx ctx)
{
	struct cfs_spool *s = calloc(1, sizeof(*s));
	struct stat st;
	int rc = CFS_OK;

	*out = s;
	if (s == NULL)
		return cfs_error_nomem(ctx.err);
	s->fd = -1;
	if (fstat(STDIN_FILENO, &st) != 0)
		return spool_failed(ctx.err, "cannot read");
	if (!S_ISREG(st.st_mode)) {
		s->fd = dir != NULL ? cfs_temp_file(dir) : -1;
		if (s->fd < 0)
			return spool_failed(ctx.err, "no temporary file");
		rc = copy_to_end(s, ctx);
	}
	snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d",
		 s->fd < 0 ? STDIN_FILENO : s->fd);
	return rc;
}

const char *cfs_spool_path(const struct cfs_spool *s)
{
	return s != NULL ? s->path : NULL;
}

void cfs_spool_free(struct cfs_spool *s)
{
	if (s == NULL)
		return;
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

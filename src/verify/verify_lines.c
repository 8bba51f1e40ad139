/* verify_lines.c - reads a report line by line.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <errno.h>
#include <string.h>

#include "base/fileio.h"

#define READ_BYTES ((size_t)256 << 10)

void cfs_verify_lines_init(struct cfs_verify_lines *l, int fd, const char *path)
{
	*l = (struct cfs_verify_lines){ .fd = fd, .path = path };
	cfs_buf_init(&l->text, CFS_VERIFY_LINE_MAX + READ_BYTES);
}

/* Reads more behind the `from` bytes of text that have been taken. */
static int read_more(struct cfs_verify_lines *l, struct cfs_error *err)
{
	size_t got;

	l->text.n -= l->from;
	if (l->from > 0)
		memmove(l->text.p, l->text.p + l->from, l->text.n);
	l->from = 0;
	if (cfs_buf_reserve(&l->text, READ_BYTES) != CFS_OK)
		return cfs_error_at(err, CFS_EUSAGE, l->path, l->at, "has a "
				    "line longer than any of crawlfs verify");
	errno = 0;
	got = cfs_read_at(l->fd, l->text.p + l->text.n, READ_BYTES,
			  l->at + l->text.n);
	if (got < READ_BYTES && errno != 0)
		return cfs_error_at(err, CFS_EIO, l->path, 0, "cannot read: %s",
				    strerror(errno));
	l->text.n += got;
	return got > 0 ? CFS_OK : CFS_END;
}

int cfs_verify_lines_next(struct cfs_verify_lines *l, struct cfs_slice *line,
			  struct cfs_error *err)
{
	struct cfs_slice rest;
	ptrdiff_t lf;
	int rc = CFS_OK;

	for (;;) {
		rest = cfs_slice_from(cfs_buf_slice(&l->text), l->from);
		lf = cfs_slice_find(rest, '\n');
		if (lf >= 0 || rc != CFS_OK)
			break;
		rc = read_more(l, err);
	}
	*line = lf >= 0 ? cfs_slice_sub(rest, 0, (size_t)lf) : rest;
	if (lf < 0)
		return rc;
	l->from += (size_t)lf + 1;
	l->at += (uint64_t)lf + 1;
	return CFS_OK;
}

/* file.c - a source over a local file.
 *
 * Reads with pread, never mmap: a file that shrinks under us must give an
 * error, not SIGBUS.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source.h"

struct file_source {
	struct cfs_source base;
	int fd;
};

static int file_read_at(struct cfs_source *src, void *buf, size_t n,
			uint64_t off, size_t *got,
			const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct file_source *f = (struct file_source *)src;
	ssize_t r;

	do {
		r = pread(f->fd, buf, n, (off_t)off);
	} while (r < 0 && errno == EINTR && !cfs_cancelled(cancel));
	if (r < 0)
		return cfs_error_at(err, errno == EINTR ? CFS_EINTR : CFS_EIO,
				    src->name, off, "cannot read: %s",
				    strerror(errno));
	*got = (size_t)r;
	return CFS_OK;
}

static void file_close(struct cfs_source *src)
{
	struct file_source *f = (struct file_source *)src;

	close(f->fd);
	free(f);
}

static const struct cfs_source_ops file_ops = {
	.read_at = file_read_at, .close = file_close,
};

static int open_code(int e)
{
	if (e == ENOENT || e == ENOTDIR)
		return CFS_ENOTFOUND;
	if (e == EACCES || e == EPERM)
		return CFS_EACCESS;
	return CFS_EIO;
}

int cfs_source_open_file(struct cfs_source **out, const char *path,
			 struct cfs_error *err)
{
	return cfs_source_open_file_at(out, AT_FDCWD, path, path, err);
}

int cfs_source_open_file_at(struct cfs_source **out, int dirfd,
			    const char *name, const char *path,
			    struct cfs_error *err)
{
	struct file_source *f;
	struct stat st;
	int fd, rc;

	*out = NULL;
	fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return cfs_error_at(err, open_code(errno), path, 0,
				    "cannot open: %s", strerror(errno));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return cfs_error_at(err, CFS_EIO, path, 0,
				    "is not a regular file");
	}
	f = calloc(1, sizeof(*f));
	if (f == NULL) {
		close(fd);
		return cfs_error_nomem(err);
	}
	f->fd = fd;
	f->base.is_local = true;
	f->base.mtime = st.st_mtime;
	rc = cfs_source_init(&f->base, &file_ops, (uint64_t)st.st_size, path,
			     err);
	if (rc != CFS_OK) {
		file_close(&f->base);
		return rc;
	}
	*out = &f->base;
	return CFS_OK;
}

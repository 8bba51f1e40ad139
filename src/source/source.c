/* source.c - what all sources share (owners, reading whole ranges), and sources
 * over local files and memory.
 *
 * Files are read with pread(2), never mapped: a file that is truncated
 * meanwhile must give an error, not SIGBUS.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/hash.h"
#include "base/sync.h"

int cfs_source_init(struct cfs_source *src, const struct cfs_source_ops *ops,
		    uint64_t size, const char *name, struct cfs_error *err)
{
	src->ops = ops;
	atomic_init(&src->size, size);
	src->name = strdup(name);
	atomic_init(&src->refs, 1);
	return src->name != NULL ? CFS_OK : cfs_error_nomem(err);
}

int cfs_source_open(struct cfs_source **out, struct cfs_source *src,
		    const struct cfs_source_ops *ops, uint64_t size,
		    const char *name, struct cfs_error *err)
{
	int rc = cfs_source_init(src, ops, size, name, err);

	*out = rc == CFS_OK ? src : NULL;
	if (rc != CFS_OK)
		ops->close(src);
	return rc;
}

struct cfs_source *cfs_source_ref(struct cfs_source *src)
{
	atomic_fetch_add_explicit(&src->refs, 1, memory_order_relaxed);
	return src;
}

void cfs_source_close(struct cfs_source *src)
{
	if (src == NULL)
		return;
	if (atomic_fetch_sub_explicit(&src->refs, 1, memory_order_acq_rel) != 1)
		return;
	free(src->name);
	src->name = NULL;
	free(src->url);
	src->url = NULL;
	src->ops->close(src);
}

/* The failure that readers get. */
static int source_failure(const struct cfs_source *src, int rc,
			  struct cfs_error *err)
{
	if (rc != CFS_ENOTFOUND || !src->must_exist)
		return rc;
	if (err != NULL)
		err->code = CFS_EIO;
	return CFS_EIO;
}

int cfs_source_read_some(struct cfs_source *src, void *buf, size_t n,
			 uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	uint64_t size = src->size;
	uint8_t *p = buf;
	size_t done = 0;

	*got = 0;
	if (off >= size)
		return CFS_OK;
	if (n > size - off)
		n = (size_t)(size - off);
	while (done < n) {
		size_t now = 0;
		int rc;

		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		rc = src->ops->read_at(src, p + done, n - done, off + done,
				       &now, ctx);
		if (rc != CFS_OK) {
			cfs_error_where(ctx.err, src->name, off + done);
			return source_failure(src, rc, ctx.err);
		}
		if (now == 0)
			break;
		done += now;
		if (src->is_live)
			break;
	}
	*got = done;
	return CFS_OK;
}

int cfs_source_read(struct cfs_source *src, void *buf, size_t n, uint64_t off,
		    struct cfs_ctx ctx)
{
	size_t got, more = 0;
	int rc = cfs_source_read_some(src, buf, n, off, &got, ctx);

	while (rc == CFS_OK && src->is_live && got < n) {
		rc = cfs_source_read_some(src, (uint8_t *)buf + got, n - got,
					  off + got, &more, ctx);
		got += more;
		if (more == 0)
			break;
	}
	if (rc == CFS_OK && got < n)
		rc = cfs_error_at(ctx.err, CFS_EFORMAT, src->name, off,
				  "ends at byte %" PRIu64
				  ", %zu wanted at %" PRIu64,
				  off > src->size ? src->size : off + got, n,
				  off);
	return rc;
}

int cfs_source_find_size(struct cfs_source *src, struct cfs_ctx ctx)
{
	int rc;

	if (src->size != CFS_SIZE_UNKNOWN)
		return CFS_OK;
	rc = cfs_cancel_before_wait(ctx);
	if (rc != CFS_OK)
		return rc;
	if (src->ops->find_size == NULL)
		return cfs_error_at(ctx.err, CFS_EUNSUPPORTED, src->name, 0,
				    "its size is unknown");
	return source_failure(src, src->ops->find_size(src, ctx), ctx.err);
}

void cfs_source_prefetch(struct cfs_source *src, uint64_t off, size_t n)
{
	if (src->ops->prefetch != NULL && n > 0)
		src->ops->prefetch(src, off, n);
}

bool cfs_source_validator(struct cfs_source *src, char out[CFS_VALIDATOR_BYTES])
{
	return src->ops->validator != NULL && src->ops->validator(src, out);
}

bool cfs_source_state(struct cfs_source *src, uint64_t *out)
{
	char validator[CFS_VALIDATOR_BYTES];

	if (src->ops->state != NULL)
		return src->ops->state(src, out);
	if (!cfs_source_validator(src, validator))
		return false;
	*out = cfs_hash64(cfs_slice_str(validator), 0);
	return true;
}

int cfs_source_pin(struct cfs_source *src, const char *validator,
		   struct cfs_error *err)
{
	if (src->ops->pin == NULL)
		return cfs_error_at(err, CFS_EUNSUPPORTED, src->name, 0,
				    "has no validator");
	return src->ops->pin(src, validator, err);
}

void cfs_source_abandon(struct cfs_source *src)
{
	if (src->ops->abandon != NULL)
		src->ops->abandon(src);
}

bool cfs_source_forget(struct cfs_source *src, uint64_t off, uint64_t n)
{
	return src->ops->forget != NULL && src->ops->forget(src, off, n);
}

bool cfs_source_may_read_again(struct cfs_source *src, uint64_t off, uint64_t n,
			       int rc, struct cfs_error *e)
{
	if (rc != CFS_EFORMAT || !cfs_source_forget(src, off, n))
		return false;
	cfs_error_clear(e);
	return true;
}

/* ---- local files -------------------------------------------------------- */

struct file_source {
	struct cfs_source base;
	int fd;
	uint64_t state;			/* when it was opened */
};

/* Reads what is in the page cache, for a caller that must not wait for a disk.
 * Negative if that is less than n bytes. */
static ssize_t file_read_cached(int fd, void *buf, size_t n, uint64_t off,
				const struct cfs_cancel *cancel)
{
	struct iovec to = { .iov_base = buf, .iov_len = n };
	ssize_t r = -1;

	if (cancel != NULL && cancel->would_wait != NULL)
		r = preadv2(fd, &to, 1, (off_t)off, RWF_NOWAIT);
	return r == (ssize_t)n ? r : -1;
}

static int file_read_at(struct cfs_source *src, void *buf, size_t n,
			uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	struct file_source *f = (struct file_source *)src;
	ssize_t r = file_read_cached(f->fd, buf, n, off, ctx.cancel);
	int rc;

	if (r >= 0) {
		*got = (size_t)r;
		return CFS_OK;
	}
	rc = cfs_cancel_before_file(ctx);
	if (rc != CFS_OK)
		return rc;
	do {
		r = pread(f->fd, buf, n, (off_t)off);
	} while (r < 0 && errno == EINTR && !cfs_cancelled(ctx.cancel));
	if (r < 0)
		return cfs_error_at(ctx.err,
				    errno == EINTR ? CFS_EINTR : CFS_EIO,
				    src->name, off, "cannot read: %s",
				    strerror(errno));
	*got = (size_t)r;
	return CFS_OK;
}

static void source_file_close(struct cfs_source *src)
{
	struct file_source *f = (struct file_source *)src;

	close(f->fd);
	free(f);
}

static uint64_t hash_stat(const struct stat *st)
{
	const uint64_t v[] = {
		(uint64_t)st->st_dev, (uint64_t)st->st_ino,
		(uint64_t)st->st_size,
		(uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec,
		(uint64_t)st->st_ctim.tv_sec, (uint64_t)st->st_ctim.tv_nsec,
	};

	return cfs_hash64(cfs_slice_of(v, sizeof(v)), 1);
}

static bool file_state(struct cfs_source *src, uint64_t *out)
{
	struct file_source *f = (struct file_source *)src;
	struct stat st;

	*out = f->state;
	return fstat(f->fd, &st) == 0 && hash_stat(&st) == f->state;
}

static const struct cfs_source_ops file_ops = {
	.read_at = file_read_at, .close = source_file_close,
	.state = file_state,
};

static int open_code(int e)
{
	if (e == ENOENT || e == ENOTDIR)
		return CFS_ENOTFOUND;
	if (e == EACCES || e == EPERM)
		return CFS_EACCESS;
	if (e == EMFILE || e == ENFILE)
		return CFS_ENOMEM;	/* the file may be sound */
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
	int fd;

	*out = NULL;
	fd = cfs_openat(dirfd, name, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0)
		return cfs_error_at(err, open_code(errno), path, 0,
				    "cannot open: %s", strerror(errno));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return cfs_error_at(err, CFS_EUNSUPPORTED, path, 0,
				    "is not a regular file");
	}
	f = calloc(1, sizeof(*f));
	if (f == NULL) {
		close(fd);
		return cfs_error_nomem(err);
	}
	f->fd = fd;
	f->state = hash_stat(&st);
	f->base.is_local = true;
	f->base.mtime = st.st_mtime;
	f->base.mtime_nsec = (uint32_t)st.st_mtim.tv_nsec;
	return cfs_source_open(out, &f->base, &file_ops, (uint64_t)st.st_size,
			       path, err);
}

/* ---- bytes in memory ---------------------------------------------------- */

struct memory_source {
	struct cfs_source base;
	uint8_t bytes[];
};

static int memory_read_at(struct cfs_source *src, void *buf, size_t n,
			  uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	struct memory_source *m = (struct memory_source *)src;
	uint64_t left = off < src->size ? src->size - off : 0;

	(void)ctx;
	*got = n < left ? n : (size_t)left;
	if (*got > 0)
		memcpy(buf, m->bytes + off, *got);
	return CFS_OK;
}

static void memory_close(struct cfs_source *src)
{
	free(src);
}

static const struct cfs_source_ops memory_ops = {
	.read_at = memory_read_at, .close = memory_close,
};

int cfs_source_open_memory(struct cfs_source **out, struct cfs_slice bytes,
			   const char *name, struct cfs_error *err)
{
	struct memory_source *m;

	*out = NULL;
	m = calloc(1, sizeof(*m) + bytes.n);
	if (m == NULL)
		return cfs_error_nomem(err);
	memcpy(m->bytes, bytes.p, bytes.n);
	m->base.is_local = true;
	return cfs_source_open(out, &m->base, &memory_ops, bytes.n, name, err);
}

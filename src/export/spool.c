/* spool.c - copies a pipe into a temporary file, and reads it from there.
 *
 * Nobody reads ahead: whoever needs bytes that have not come waits for them,
 * and copies them, so that the writer of the pipe is never far before the
 * readers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "spool.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/sync.h"

#define SPOOL_STEP ((size_t)1 << 20)

/* A read waits until so many bytes have come, or as many as are asked for, but
 * not for more: what reads many bytes gets what is there. */
#define LIVE_STEP ((size_t)64 << 10)

struct cfs_spool {
	int fd;			/* -1: standard input is a file itself */
	char path[64];
	atomic_uint_least64_t bytes;	/* that have come */
	atomic_bool is_ended;		/* no more come */
	pthread_mutex_t lock;		/* held while bytes are copied */
	uint8_t *buf;			/* guarded by lock */
};

static int failed(struct cfs_error *err, const char *what)
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
		if (poll(&p, 1, (int)CFS_WAIT_SLICE_MS) <= 0)
			continue;
		got = read(STDIN_FILENO, buf, SPOOL_STEP);
		if (got >= 0) {
			*n = (size_t)got;
			return CFS_OK;
		}
		if (errno != EINTR && errno != EAGAIN)
			return failed(ctx.err, "cannot read");
	}
}

/* Copies the next bytes that come, or notes the end. */
static int copy_some_locked(struct cfs_spool *s, struct cfs_ctx ctx)
{
	size_t n = 0;
	int rc = read_some_of_it(s->buf, &n, ctx);

	if (rc == CFS_OK && cfs_write_at(s->fd, s->buf, n, s->bytes) < n)
		rc = failed(ctx.err, "cannot be kept in a temporary "
			    "file");
	if (rc == CFS_OK && n == 0)
		s->is_ended = true;
	else if (rc == CFS_OK)
		s->bytes += n;
	return rc;
}

int cfs_spool_wait(struct cfs_spool *s, uint64_t bytes, bool *has,
		   struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	while (rc == CFS_OK && s->bytes < bytes && !s->is_ended) {
		pthread_mutex_lock(&s->lock);
		if (s->bytes < bytes && !s->is_ended)
			rc = copy_some_locked(s, ctx);
		pthread_mutex_unlock(&s->lock);
	}
	*has = s->bytes >= bytes;
	return rc;
}

int cfs_spool_end(struct cfs_spool *s, struct cfs_ctx ctx)
{
	bool has;

	return cfs_spool_wait(s, UINT64_MAX, &has, ctx);
}

/* ---- the source ---------------------------------------------------------- */

struct spool_source {
	struct cfs_source base;
	struct cfs_spool *spool;
};

/* Reads what is there, but for the last byte while more may come: with it the
 * size is known. */
static int spool_read_at(struct cfs_source *src, void *buf, size_t n,
			 uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	struct cfs_spool *s = ((struct spool_source *)src)->spool;
	uint64_t least = n < LIVE_STEP ? n : LIVE_STEP, there;
	bool has;
	ssize_t r;
	int rc = off > UINT64_MAX - least - 1 ?
		 cfs_error_set(ctx.err, CFS_EFORMAT, "no such offset") :
		 cfs_spool_wait(s, off + least + 1, &has, ctx);

	*got = 0;
	if (rc != CFS_OK)
		return rc;
	if (s->is_ended)
		src->size = s->bytes;
	there = s->bytes - (s->is_ended ? 0 : 1);
	if (off >= there)
		return CFS_OK;
	if (n > there - off)
		n = (size_t)(there - off);
	do {
		r = pread(s->fd, buf, n, (off_t)off);
	} while (r < 0 && errno == EINTR && !cfs_cancelled(ctx.cancel));
	if (r < 0)
		return failed(ctx.err, "cannot read its temporary file");
	*got = (size_t)r;
	return CFS_OK;
}

static void close_source(struct cfs_source *src)
{
	free(src);
}

int cfs_spool_source(struct cfs_spool *s, struct cfs_source **out,
		     struct cfs_error *err)
{
	static const struct cfs_source_ops ops = {
		.read_at = spool_read_at, .close = close_source };
	struct spool_source *src = calloc(1, sizeof(*src));

	*out = NULL;
	if (src == NULL)
		return cfs_error_nomem(err);
	src->spool = s;
	src->base.is_local = true;
	src->base.is_live = true;
	return cfs_source_open(out, &src->base, &ops,
			       s->is_ended ? s->bytes : CFS_SIZE_UNKNOWN,
			       s->path, err);
}

/* ---- beginning ----------------------------------------------------------- */

static int spool_begin(struct cfs_spool *s, const char *dir,
		       struct cfs_error *err)
{
	s->buf = malloc(SPOOL_STEP);
	if (s->buf == NULL)
		return cfs_error_nomem(err);
	s->fd = dir != NULL ? cfs_temp_file(dir) : -1;
	return s->fd < 0 ? failed(err, "no temporary file") : CFS_OK;
}

int cfs_spool_stdin(struct cfs_spool **out, const char *dir,
		    struct cfs_error *err)
{
	struct cfs_spool *s = calloc(1, sizeof(*s));
	struct stat st;
	int rc = CFS_OK;

	*out = s;
	if (s == NULL)
		return cfs_error_nomem(err);
	s->fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	if (fstat(STDIN_FILENO, &st) != 0)
		return failed(err, "cannot read");
	s->is_ended = S_ISREG(st.st_mode);
	if (!s->is_ended)
		rc = spool_begin(s, dir, err);
	snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d",
		 s->fd < 0 ? STDIN_FILENO : s->fd);
	return rc;
}

bool cfs_spool_is_whole(const struct cfs_spool *s)
{
	return s->is_ended;
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
	pthread_mutex_destroy(&s->lock);
	free(s->buf);
	free(s);
}

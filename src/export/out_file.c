/* out_file.c - writes rows to standard output or to a file.
 *
 * Standard output that is a pipe is opened once more, without blocking: a
 * thread that waits for a slow reader must notice that the program is to end.
 * (To change the pipe that was handed to the program would change it for other
 * programs, too.)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/sync.h"
#include "copy/copyfile.h"

struct cfs_out_file {
	/* Standard output, or else: */
	int fd;
	bool is_own;		/* fd is to be closed */
	/* the file, with the batches that are done in it. */
	struct cfs_copyfile *file;
	struct cfs_copyfile_mark mark;
	bool is_whole;
	char *path;		/* of what it is converted to, or NULL; owned */
};

int cfs_out_file_stdout(struct cfs_out_file **out, struct cfs_error *err)
{
	struct cfs_out_file *o = calloc(1, sizeof(*o));
	struct stat st;

	*out = o;
	if (o == NULL)
		return cfs_error_nomem(err);
	o->fd = STDOUT_FILENO;
	if (fstat(o->fd, &st) == 0 && S_ISFIFO(st.st_mode)) {
		int again = open("/proc/self/fd/1",
				 O_WRONLY | O_NONBLOCK | O_CLOEXEC);

		o->is_own = again >= 0;
		o->fd = again >= 0 ? again : o->fd;
	}
	return CFS_OK;
}

void cfs_out_file_close(struct cfs_out_file *o)
{
	if (o == NULL)
		return;
	cfs_copyfile_close(o->file);
	if (o->is_own)
		close(o->fd);
	free(o->path);
	free(o);
}

/* Refuses a file that is there, but for that of an earlier run which ended
 * before it removed the rows. */
static int check_converted(struct cfs_out_file *o, bool force,
			   struct cfs_error *err)
{
	if (access(o->path, F_OK) != 0 || force)
		return CFS_OK;
	o->is_whole = o->mark.is_sealed;
	return o->is_whole ? CFS_OK :
	       cfs_error_set(err, CFS_EIO, "'%s' exists (--force replaces it)",
			     o->path);
}

static int open_converted(struct cfs_out_file *o,
			  const struct cfs_out_file_opts *opts,
			  struct cfs_error *err)
{
	char rows[PATH_MAX];
	const struct cfs_copyfile_opts co = { .path = rows,
		.fingerprint = opts->fingerprint, .cancel = opts->cancel };
	bool is_whole;
	int rc;

	if (snprintf(rows, sizeof(rows), "%s.rows", opts->path) >= PATH_MAX)
		return cfs_error_set(err, CFS_EIO,
				     "'%s' is too long for a name", opts->path);
	o->path = strdup(opts->path);
	if (o->path == NULL)
		return cfs_error_nomem(err);
	rc = cfs_copyfile_open(&o->file, &co, &o->mark, &is_whole, err);
	return rc == CFS_OK ? check_converted(o, opts->force, err) : rc;
}

int cfs_out_file_open(struct cfs_out_file **out,
		      const struct cfs_out_file_opts *opts,
		      struct cfs_error *err)
{
	const struct cfs_copyfile_opts co = { .path = opts->path,
		.fingerprint = opts->fingerprint, .force = opts->force,
		.cancel = opts->cancel };
	struct cfs_out_file *o = calloc(1, sizeof(*o));
	int rc;

	*out = o;
	if (o == NULL)
		return cfs_error_nomem(err);
	o->fd = -1;
	rc = opts->is_converted ? open_converted(o, opts, err) :
	     cfs_copyfile_open(&o->file, &co, &o->mark, &o->is_whole, err);
	if (rc != CFS_OK) {
		cfs_out_file_close(o);
		*out = NULL;
	}
	return rc;
}

uint64_t cfs_out_file_done(const struct cfs_out_file *o, bool *errors)
{
	*errors = o->mark.written < o->mark.items;
	return o->mark.items;
}

bool cfs_out_file_is_whole(const struct cfs_out_file *o)
{
	return o->is_whole;
}

static int write_stdout(struct cfs_out_file *o, struct cfs_slice bytes,
			struct cfs_ctx ctx)
{
	while (bytes.n > 0) {
		struct pollfd p = { .fd = o->fd, .events = POLLOUT };
		ssize_t n;

		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		n = write(o->fd, bytes.p, bytes.n);
		if (n > 0)
			bytes = cfs_slice_from(bytes, (size_t)n);
		else if (n < 0 && errno == EAGAIN)
			poll(&p, 1, (int)CFS_WAIT_SLICE_MS);
		else if (n < 0 && errno == EPIPE)
			return CFS_END;
		else if (n == 0 || errno != EINTR)
			return cfs_error_set(ctx.err, CFS_EIO,
					     "standard output: %s",
					     strerror(n == 0 ? ENOSPC : errno));
	}
	return CFS_OK;
}

int cfs_out_file_write(struct cfs_out_file *o, struct cfs_slice bytes,
		       struct cfs_ctx ctx)
{
	return o->file == NULL ? write_stdout(o, bytes, ctx) :
	       cfs_copyfile_add_bytes(o->file, bytes, ctx.err);
}

int cfs_out_file_mark(struct cfs_out_file *o, uint64_t batches, bool errors,
		      struct cfs_error *err)
{
	/* written < items marks the rows as having errors */
	uint64_t written = errors ? 0 : batches;

	if (o->file == NULL)
		return CFS_OK;
	o->mark.items += batches;
	o->mark.written += written;
	return cfs_copyfile_add(o->file, CFS_SLICE_EMPTY, batches, written,
				err);
}

int cfs_out_file_finish(struct cfs_out_file *o, struct cfs_error *err)
{
	int rc = CFS_OK;

	if (o->file == NULL)
		return CFS_OK;
	if (!o->is_whole)
		rc = cfs_copyfile_finish(o->file, err);
	return rc;
}

uint64_t cfs_out_file_bytes(const struct cfs_out_file *o, bool *is_sealed)
{
	*is_sealed = o->mark.is_sealed;
	return o->mark.bytes;
}

void cfs_out_file_forget(struct cfs_out_file *o)
{
	if (o->file != NULL)
		cfs_copyfile_forget(o->file);
}

int cfs_out_file_convert(struct cfs_out_file *o,
			 int (*make)(void *arg, const char *from,
				     uint64_t bytes, const char *to,
				     struct cfs_ctx ctx),
			 void *arg, struct cfs_ctx ctx)
{
	struct cfs_replacement r;
	const char *rows;
	uint64_t bytes;
	int fd, rc = CFS_OK;

	if (!o->is_whole)
		rc = cfs_copyfile_lend(o->file, &fd, &rows, &bytes, ctx.err);
	if (rc == CFS_OK && !o->is_whole) {
		rc = cfs_replacement_open(&r, o->path, 0666, ctx.err);
		if (rc != CFS_OK)
			return rc;
		rc = make(arg, rows, bytes, r.tmp_path, ctx);
		if (rc == CFS_OK && o->mark.items > 0 && !o->mark.is_sealed)
			rc = cfs_copyfile_seal(o->file, bytes, ctx.err);
		if (rc == CFS_OK)
			rc = cfs_replacement_commit(&r, ctx.err);
		else
			cfs_replacement_drop(&r);
	}
	return rc;
}

bool cfs_out_file_leave(struct cfs_out_file *o)
{
	return o != NULL && cfs_copyfile_leave(o->file);
}

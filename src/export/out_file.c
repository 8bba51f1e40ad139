/* out_file.c - writes rows to standard output or to a file.
 *
 * A pipe is opened once more, without blocking: a thread that waits for a slow
 * reader must notice that the program is to end.  (To change the pipe that was
 * handed to the program would change it for other programs, too.)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sync.h"

struct cfs_out_file {
	int fd;
	bool is_own;		/* fd is to be closed */
	const char *name;	/* for messages; borrowed */
};

int cfs_out_file_stdout(struct cfs_out_file **out, struct cfs_error *err)
{
	struct cfs_out_file *o = calloc(1, sizeof(*o));
	struct stat st;

	*out = o;
	if (o == NULL)
		return cfs_error_nomem(err);
	o->fd = STDOUT_FILENO;
	o->name = "standard output";
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
	if (o->is_own)
		close(o->fd);
	free(o);
}

int cfs_out_file_write(struct cfs_out_file *o, struct cfs_slice bytes,
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
			return cfs_error_set(ctx.err, CFS_EIO, "%s: %s",
					     o->name, strerror(n == 0 ? ENOSPC :
							       errno));
	}
	return CFS_OK;
}

/* fileio.c - whole writes, and files without a name (see fileio.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fileio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PATH_BYTES 4096

size_t cfs_write_at(int fd, const void *p, size_t n, uint64_t off)
{
	const uint8_t *from = p;
	size_t done = 0;

	while (done < n) {
		ssize_t k = pwrite(fd, from + done, n - done,
				   (off_t)(off + done));

		if (k < 0 && errno == EINTR)
			continue;
		if (k == 0)
			errno = ENOSPC;
		if (k <= 0)
			break;
		done += (size_t)k;
	}
	return done;
}

int cfs_temp_file(const char *dir)
{
	char path[PATH_BYTES];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof(path), "%s/.crawlfs-XXXXXX", dir) >=
	    (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);	/* not every file system has O_TMPFILE */
	if (fd >= 0)
		unlink(path);
	return fd;
}

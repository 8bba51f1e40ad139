/* fuzz_folder.h - a folder of this process, for what is read by its path.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_FUZZ_FOLDER_H
#define CFS_TESTS_FUZZ_FOLDER_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"

#define FUZZ_DEPTH 32

static char fuzz_top[128];

static inline void must(bool ok)
{
	if (!ok)
		abort();
}

static inline int fuzz_remove_one(const char *path, const struct stat *st,
				  int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	remove(path);
	return 0;
}

/* Removes what is at a path, and below it. */
static inline void fuzz_remove(const char *path)
{
	nftw(path, fuzz_remove_one, FUZZ_DEPTH, FTW_DEPTH | FTW_PHYS);
}

static inline void fuzz_remove_top(void)
{
	fuzz_remove(fuzz_top);
}

/* A name in the folder, which is made when it is first asked for, in memory if
 * it can be.  Of four calls each has a buffer of its own. */
static inline const char *fuzz_path(const char *name)
{
	static char paths[4][256];
	static unsigned next;
	const char *tmp = getenv("TMPDIR");
	char *out = paths[next++ % 4];

	if (fuzz_top[0] == '\0') {
		if (access("/dev/shm", W_OK) == 0)
			tmp = "/dev/shm";
		snprintf(fuzz_top, sizeof(fuzz_top), "%s/crawlfs-fuzz-XXXXXX",
			 tmp != NULL ? tmp : "/tmp");
		must(mkdtemp(fuzz_top) != NULL);
		atexit(fuzz_remove_top);
	}
	snprintf(out, sizeof(paths[0]), "%s/%s", fuzz_top, name);
	return out;
}

static inline void fuzz_folder(const char *name)
{
	mkdir(fuzz_path(name), 0700);
}

static inline void fuzz_write(const char *name, const void *p, size_t n)
{
	int fd = open(fuzz_path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		      0600);

	must(fd >= 0 && cfs_write_at(fd, p, n, 0) == n);
	close(fd);
}

#endif

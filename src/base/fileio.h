/* fileio.h - whole writes, and files without a name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_FILEIO_H
#define CFS_BASE_FILEIO_H

#include <stddef.h>
#include <stdint.h>

/* pwrite(2) until all n bytes are there.  Returns how many are: fewer than n
 * after a failure, which errno tells (ENOSPC where the kernel gives none). */
size_t cfs_write_at(int fd, const void *p, size_t n, uint64_t off);

/* A file of our own in `dir`, to read and write, that is gone when it is
 * closed.  The descriptor, or -1 and errno. */
int cfs_temp_file(const char *dir);

#endif

/* inflated.h - the cache's folder of members that were inflated from ZIP files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_INFLATED_H
#define CFS_RECORD_INFLATED_H

#include <sys/stat.h>

#include "source/zip.h"

/* Name of that folder in the cache folder. */
#define CFS_INFLATED_FOLDER "inflated"
/* Suffix of a file whose bytes have changed: it is not used again, and crawlfs
 * cache verify reports it. */
#define CFS_INFLATED_DAMAGED ".damaged"
/* A file's name: 16 digits, a hyphen, and 8 digits of the CRC-32. */
#define CFS_INFLATED_NAME_BYTES 25u
/* Most bytes of the folder, unless cfs_inflated_set_room was called. */
#define CFS_INFLATED_ROOM (UINT64_C(10) << 30)

/* Limits the folder to so many bytes from now on, and so each member that is
 * inflated elsewhere.  0: CFS_INFLATED_ROOM. */
void cfs_inflated_set_room(uint64_t bytes);
uint64_t cfs_inflated_room(void);

/* Reads the CRC-32 in a file's name, which may end in CFS_INFLATED_DAMAGED.
 * False if it is not such a name. */
bool cfs_inflated_crc(const char *name, uint32_t *out, bool *is_damaged);

/*
 * Compares the bytes of a whole file with a size and a CRC-32.
 * CFS_OK, CFS_EFORMAT if they differ, CFS_EIO, CFS_EINTR, CFS_ENOMEM.
 */
int cfs_inflated_check(int fd, const char *path, uint64_t size, uint32_t crc,
		       struct cfs_ctx ctx);

/*
 * Opens the file at path, in that folder, if it exists and has the size and
 * CRC-32 of the member.  It is read whole to check that, unless this process
 * has done so since the file was last changed.  CFS_ENOTFOUND if it does not
 * exist, or is not what it should be: then it is renamed, and that is logged.
 */
int cfs_inflated_open(struct cfs_source **out, const char *path,
		      const struct cfs_zip_place *at, struct cfs_ctx ctx);

/* Removes the least recently used files until there is room for so many bytes
 * more. */
void cfs_inflated_make_room(const char *folder, uint64_t bytes);

#endif

/* inflated.h - the folder of the cache with what was inflated from ZIP files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_INFLATED_H
#define CFS_RECORD_INFLATED_H

#include <sys/stat.h>

#include "source/zip.h"

/* Of the cache folder, where inflated members are. */
#define CFS_INFLATED_FOLDER "inflated"
/* What is put behind the name of a file whose bytes have changed: it is not
 * used again, and crawlfs cache verify tells of it. */
#define CFS_INFLATED_DAMAGED ".damaged"
/* A name: 16 digits, a hyphen, and 8 digits of the CRC-32. */
#define CFS_INFLATED_NAME_BYTES 25u
/* Bytes of the folder, unless cfs_inflated_set_room has been called. */
#define CFS_INFLATED_ROOM (UINT64_C(10) << 30)

/* From now on the folder may have so many bytes, and so may a member that is
 * inflated anywhere else.  0: CFS_INFLATED_ROOM. */
void cfs_inflated_set_room(uint64_t bytes);
uint64_t cfs_inflated_room(void);

/* The CRC-32 in a file name, behind which CFS_INFLATED_DAMAGED may stand.
 *  False: it is no such name. */
bool cfs_inflated_crc(const char *name, uint32_t *out, bool *is_damaged);

/*
 * Compares the bytes of a file, from its start on, with a size and a CRC-32.
 * CFS_OK, CFS_EFORMAT if they are others, CFS_EIO, CFS_EINTR.
 */
int cfs_inflated_check(int fd, const char *path, uint64_t size, uint32_t crc,
		       const struct cfs_cancel *cancel, struct cfs_error *err);

/*
 * Opens the file at path, in that folder, if it is there and has the size and
 * the CRC-32 of the member: it is read whole for that, unless this process has
 * done so since it was last changed.  CFS_ENOTFOUND if it is not there, or not
 * what it should be: then it is put aside, and a line says so.
 */
int cfs_inflated_open(struct cfs_source **out, const char *path,
		      const struct cfs_zip_place *at,
		      const struct cfs_cancel *cancel, struct cfs_error *err);

/* Removes what has not been used for the longest time, until so many bytes more
 * do not make the folder too large. */
void cfs_inflated_make_room(const char *folder, uint64_t bytes);

#endif

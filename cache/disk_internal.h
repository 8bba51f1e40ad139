/* disk_internal.h - the folder of segments, for the files of this module.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_DISK_INTERNAL_H
#define CFS_CACHE_DISK_INTERNAL_H

#include <pthread.h>
#include <sys/stat.h>

#include "disk.h"

struct cfs_disk {
	char *dir;
	uint32_t target;		/* size of a full segment */
	pthread_mutex_t write_lock;	/* taken before lock; held while a
					 * record is put */
	uint64_t max_bytes;		/* guarded by write_lock; 0: nothing
					 * is written */
	int64_t retry_ms;		/* guarded by write_lock; 0: may
					 * write */
	bool warned;			/* guarded by write_lock */
	atomic_bool is_ready;
	pthread_mutex_t lock;
	int dir_fd;			/* guarded by lock; changed with both;
					 * -1: there is no folder yet */
	struct cfs_segment *segs;	/* guarded by lock */
	struct cfs_segment *dead;	/* guarded by lock; freed at the end */
	struct cfs_segment *active;	/* guarded by lock; set with both */
	uint64_t generation;		/* guarded by lock */
	int64_t listed_ms;		/* guarded by lock */
};

/* Reads the folder: adds segments that are new, and what was appended to those
 * that are known; drops those that are gone. */
void cfs_disk_list_locked(struct cfs_disk *d);
/* Drops a segment: no read begins on it any more. */
void cfs_disk_kill_locked(struct cfs_disk *d, struct cfs_segment *s);

/* Opens a segment file and locks it. -1: another process appends to it, or it
 * was deleted. */
int cfs_disk_own(struct cfs_disk *d, const char *name, struct stat *st);
/* Deletes a file that cfs_disk_own has opened; takes over fd. */
bool cfs_disk_delete_owned(struct cfs_disk *d, int fd, const char *name);

/* Takes the lock of the folder, until the result is closed. -1: failed. */
int cfs_disk_lock_folder(struct cfs_disk *d, struct cfs_error *err);
/* Deletes files that have a segment's name but are not segments: a process died
 * while making them, or they are damaged.  Making a segment takes the folder's
 * lock, which the caller holds. */
void cfs_disk_sweep_locked(struct cfs_disk *d);

#endif

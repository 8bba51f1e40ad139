/* sizes_log.h - a file of kept sizes on disk: reads it, appends to it, and
 * bounds its size and the number of such files.
 *
 * Several processes may use one file.  If anything is wrong with it, sizes are
 * lost, but never wrong.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_SIZES_LOG_H
#define CFS_CACHE_SIZES_LOG_H

#include <sys/types.h>

#include "base/error.h"
#include "sizes_file.h"

/* Most files in the folder; beyond that, the least recently used one
 * is deleted. */
#define CFS_SIZES_FILES_MAX 64u

/* Used by one thread at a time. */
struct cfs_sizes_log {
	char *dir, *path;		/* owned */
	struct cfs_sizes_id id;
	int fd;				/* open and locked; -1: neither */
	dev_t dev;			/* the file that `end` belongs to */
	ino_t ino;
	uint64_t end;			/* bytes read and found sound; 0:
					 * no header */
	uint64_t seed;			/* for the checksums of its batches */
};

/* Called for each batch in the order in which they were written. */
typedef void cfs_sizes_each(void *arg, const struct cfs_sizes_batch *b);

/* Prepares the file of index `id` below cache_dir; touches nothing on
 * disk.  CFS_ENOMEM. */
int cfs_sizes_log_init(struct cfs_sizes_log *log, const char *cache_dir,
		       const struct cfs_sizes_id *id, struct cfs_error *err);
void cfs_sizes_log_release(struct cfs_sizes_log *log);

/* Reads an existing file, without a lock; creates nothing. */
void cfs_sizes_log_load(struct cfs_sizes_log *log, cfs_sizes_each *each,
			void *arg);

/*
 * Appends n entries, at most CFS_SIZES_BATCH_MAX, with version `code`.  Calls
 * `each` for what other processes have written since, or for the whole file if
 * it was replaced.
 *
 * 0, CFS_ENOMEM, or CFS_EACCESS or CFS_EIO if the entries were not kept.
 */
int cfs_sizes_log_append(struct cfs_sizes_log *log, uint32_t code,
			 const struct cfs_sizes_entry *v, uint32_t n,
			 cfs_sizes_each *each, void *arg,
			 struct cfs_error *err);

/* True for the name of a file of kept sizes. */
bool cfs_sizes_is_name(const char *name);

struct cfs_sizes_check {
	uint64_t sizes;		/* in sound batches */
	uint64_t sound_bytes;	/* bytes before the first damage */
	bool is_damaged;
};

/* Reads a whole file of sizes, of any index.  0 or CFS_EIO. */
int cfs_sizes_check(int dirfd, const char *name, struct cfs_sizes_check *out);

#endif

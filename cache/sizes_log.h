/* sizes_log.h - one file of kept sizes on disk: read from, appended to, kept
 * within its bound, beside those of other indexes.
 *
 * Several processes may use one file.  Whatever is wrong with it costs sizes,
 * never gives a wrong one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_SIZES_LOG_H
#define CFS_CACHE_SIZES_LOG_H

#include <sys/types.h>

#include "base/error.h"
#include "sizes_file.h"

/* Of files in the folder: with more, the one that was used longest ago goes. */
#define CFS_SIZES_FILES_MAX 64u

/* Used by one thread at a time. */
struct cfs_sizes_log {
	char *dir, *path;		/* owned */
	struct cfs_sizes_id id;
	int fd;				/* of the last lock; -1: none */
	dev_t dev;			/* which file `end` belongs to */
	ino_t ino;
	uint64_t end;			/* bytes read and sound; 0: no header */
	uint64_t seed;			/* of its batches */
};

/* Called for each batch in the order in which they were written. */
typedef void cfs_sizes_each(void *arg, const struct cfs_sizes_batch *b);

/* Of the index `id`, below cache_dir.  CFS_ENOMEM; touches no file. */
int cfs_sizes_log_init(struct cfs_sizes_log *log, const char *cache_dir,
		       const struct cfs_sizes_id *id, struct cfs_error *err);
void cfs_sizes_log_release(struct cfs_sizes_log *log);

/* Reads what there is, without a lock and without making anything. */
void cfs_sizes_log_load(struct cfs_sizes_log *log, cfs_sizes_each *each,
			void *arg);

/*
 * Appends n entries, at most CFS_SIZES_BATCH_MAX, made by `code`.  Calls `each`
 * for what other processes have written since; after the file was replaced,
 * for all that is in it.
 * 0, CFS_ENOMEM, or CFS_EACCESS or CFS_EIO when they were not kept.
 */
int cfs_sizes_log_append(struct cfs_sizes_log *log, uint32_t code,
			 const struct cfs_sizes_entry *v, uint32_t n,
			 cfs_sizes_each *each, void *arg,
			 struct cfs_error *err);

/* True for the names of such files. */
bool cfs_sizes_is_name(const char *name);

struct cfs_sizes_check {
	uint64_t sizes;		/* in sound batches */
	uint64_t sound_bytes;	/* where the first damage is, if there is any */
	bool is_damaged;
};

/* Reads a whole file of sizes, of any index.  0 or CFS_EIO. */
int cfs_sizes_check(int dirfd, const char *name, struct cfs_sizes_check *out);

#endif

/* disk.h - the folder of segments: the part of the cache that outlives the
 * mount.
 *
 * Several processes and threads may use one folder.  If anything is wrong with
 * it (read-only, full, damaged, deleted), cached bytes are lost, but reads
 * still succeed: one warning is logged, and less is kept.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_DISK_H
#define CFS_CACHE_DISK_H

#include "base/cancel.h"
#include "segment.h"

struct cfs_disk;		/* threads share it */

/* With a smaller bound, nothing is kept on disk. */
#define CFS_DISK_BYTES_MIN (4 * (uint64_t)CFS_SEG_BYTES_MIN)

/* Opens DIR/blocks; there may be none yet.  max_bytes 0: for reading only.
 * Fails only with CFS_ENOMEM. */
int cfs_disk_open(struct cfs_disk **out, const char *dir, uint64_t max_bytes,
		  struct cfs_error *err);
void cfs_disk_close(struct cfs_disk *d);	/* accepts NULL */
/* Makes the folder, as the first put would, so that a warning that nothing can
 * be written to it comes early. */
void cfs_disk_get_ready(struct cfs_disk *d);

/* A record that was found. */
struct cfs_disk_record {
	struct cfs_segment *seg;	/* lives as long as the disk */
	struct cfs_cache_entry e;
};

/* All records of an id, likely newer ones first; *out is malloced.  0 or
 * CFS_ENOMEM: segments that cannot be read count as empty. */
int cfs_disk_find(struct cfs_disk *d, const struct cfs_cache_id *id,
		  struct cfs_disk_record **out, size_t *n);

/* Reads a record's data and checks them.  If that fails, the caller passes the
 * record to cfs_disk_forget. */
int cfs_disk_read(const struct cfs_disk_record *r, void *buf);
/* Reads part of the data, unchecked, of a record that was checked recently. */
int cfs_disk_read_part(const struct cfs_disk_record *r, uint32_t skip,
		       void *buf, size_t n);
/* Notes that the record is damaged: cfs_disk_find then leaves it out. */
void cfs_disk_forget(struct cfs_disk *d, const struct cfs_disk_record *r);

/*
 * Appends data of an object, preceded by its metadata if the segment does not
 * have them yet.  *meta_seg keeps for the caller which segment has them, NULL
 * at first. n is at most CFS_SEG_DATA_MAX; id NULL: metadata only.
 *
 * 0, or a failure: nothing was kept.
 */
int cfs_disk_put(struct cfs_disk *d, const struct cfs_cache_meta *meta,
		 struct cfs_segment **meta_seg, const struct cfs_cache_id *id,
		 uint64_t off, struct cfs_slice data,
		 struct cfs_disk_record *out);

/* Appends a record of sizes (sizes_batch.h).  If no segment is being written to
 * by this process, the one that is taken for it is left to others at once.  0,
 * or a failure: nothing was kept. */
int cfs_disk_put_sizes(struct cfs_disk *d, const struct cfs_cache_id *id,
		       uint64_t found_ns, struct cfs_slice sizes);

/* Finds the latest metadata of a URL: fills *out, which borrows from
 * `storage`.  CFS_ENOTFOUND. */
int cfs_disk_meta(struct cfs_disk *d, struct cfs_slice url,
		  struct cfs_buf *storage, struct cfs_cache_meta *out);

/* Picks up what other processes have changed, unless that was done a moment
 * ago.  Returns a number that is another one after each change. */
uint64_t cfs_disk_refresh(struct cfs_disk *d);

/* ---- crawlfs cache ---- */

struct cfs_disk_info {
	uint64_t segments, sealed, in_use, records, objects;
	uint64_t bytes;			/* size of the files */
	uint64_t data_bytes;		/* size of the data in them */
	uint64_t sizes;			/* kept sizes of files, with those that
					 * later ones replace */
	int64_t oldest_s;		/* last use of the least recently used;
					 * 0: none */
};

int cfs_disk_get_info(struct cfs_disk *d, struct cfs_disk_info *out,
		      struct cfs_error *err);

struct cfs_disk_damage {
	uint64_t records, bytes;	/* checked */
	uint64_t bad_records, bad_indexes;
};

/* Reads and checks everything; calls `bad` for each damaged record or index.
 * With `repair`, damaged segments are deleted, except those that a process
 * writes to. */
int cfs_disk_verify(struct cfs_disk *d, bool repair,
		    void (*bad)(void *arg, const char *segment, uint32_t pos,
				const char *why),
		    void *arg, struct cfs_disk_damage *out,
		    struct cfs_ctx ctx);

/* Deletes all segments that no process writes to. */
int cfs_disk_clear(struct cfs_disk *d, uint64_t *deleted, uint64_t *in_use,
		   struct cfs_error *err);

#endif

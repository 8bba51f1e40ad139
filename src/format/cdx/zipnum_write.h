/* zipnum_write.h - writes a ZipNum cluster: sorted lines in gzip members of
 * shards, and cluster.idx.
 *
 * Everything is written under temporary names in the cluster's folder.  At the
 * end the shards are renamed, then cluster.loc, and cluster.idx last: a folder
 * with a cluster.idx has all of its shards.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CDX_ZIPNUM_WRITE_H
#define CFS_CDX_ZIPNUM_WRITE_H

#include "base/cancel.h"
#include "base/error.h"
#include <sys/types.h>

#include "base/slice.h"

/* Lines per member, as in Common Crawl's clusters. */
#define CFS_ZIPNUM_LINES 3000u
/* Shards' names have five digits. */
#define CFS_ZIPNUM_SHARDS_MAX 99999u

struct cfs_zipnum_opts {
	const char *index;	/* FOLDER/cluster.idx; the folder exists */
	uint64_t lines;		/* the most lines that will be added */
	/* Maximum number of shards, of about equally many lines; 0: a new one
	 * after each CFS_ZIPNUM_SHARD_BYTES. */
	unsigned shards;
	unsigned threads;	/* threads that compress; at least 1 */
	mode_t mode;		/* of the files, before the umask */
	const struct cfs_cancel *cancel;
};
#define CFS_ZIPNUM_SHARD_BYTES ((uint64_t)512 << 20)

struct cfs_zipnum_writer;	/* used by one thread */

/* opts are copied, `index` too.  0, CFS_ENOMEM, CFS_EACCESS, CFS_EIO. */
int cfs_zipnum_writer_new(struct cfs_zipnum_writer **out,
			  const struct cfs_zipnum_opts *opts,
			  struct cfs_error *err);

/* Adds a line, which ends in LF and begins with `key`, the SURT and the time.
 * Lines must be in byte order.  0; CFS_ENOMEM, CFS_EIO, CFS_EINTR, CFS_ELIMIT,
 * after which the folder is unchanged. */
int cfs_zipnum_writer_add(struct cfs_zipnum_writer *w, struct cfs_slice key,
			  struct cfs_slice line, struct cfs_error *err);

/* Renames the cluster into place; *bytes is the size of all its files.  Codes
 * as above.  After a failure the folder is as it was, or, if a file could not
 * be renamed, without a cluster.idx. */
int cfs_zipnum_writer_finish(struct cfs_zipnum_writer *w, uint64_t *bytes,
			     struct cfs_error *err);

/* Removes files not in place.  Accepts NULL. */
void cfs_zipnum_writer_free(struct cfs_zipnum_writer *w);

#endif

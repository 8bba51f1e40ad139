/* sortrun.h - runs of sorted pairs in temporary files: written, and read back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_SORTRUN_H
#define CFS_BUILD_SORTRUN_H

#include "base/buf.h"
#include "base/error.h"
#include "pairs.h"

/* Bytes of a reader's buffer: at least one pair has room. */
#define CFS_SORTRUN_BUFFER_MIN ((size_t)3 * 65536)
#define CFS_SORTRUN_BUFFER_MAX ((size_t)1 << 20)

/* A temporary file without a name, which holds runs one after the other. */
struct cfs_sortrun_file {
	const char *dir;	/* where it is; borrowed */
	int fd;			/* -1: not made yet */
	uint64_t bytes;
};

struct cfs_sortrun {
	int fd;			/* of its file, borrowed */
	uint64_t off, bytes;
};

void cfs_sortrun_file_close(struct cfs_sortrun_file *f);

/* Writes one run at the end of a file, pair by pair in order. */
struct cfs_sortrun_writer {
	struct cfs_sortrun_file *file;
	uint64_t start;
	struct cfs_buf out, last;
};

/* Each returns 0, CFS_ENOMEM, or CFS_EIO, where err names the folder. */
int cfs_sortrun_begin(struct cfs_sortrun_writer *w,
		      struct cfs_sortrun_file *file, struct cfs_error *err);
int cfs_sortrun_put(struct cfs_sortrun_writer *w, struct cfs_slice key,
		    struct cfs_slice value, struct cfs_error *err);
/* rc: how it went so far, returned if that is a failure.  On success *run is
 * the run.  Releases the writer in any case. */
int cfs_sortrun_end(struct cfs_sortrun_writer *w, int rc,
		    struct cfs_sortrun *run, struct cfs_error *err);

struct cfs_sortrun_reader {
	struct cfs_sortrun left;	/* what is not in buf yet */
	const char *dir;		/* for messages */
	uint8_t *buf;
	size_t cap, n, pos;
	struct cfs_buf key;
};

/* 0 or CFS_ENOMEM; released in any case. */
int cfs_sortrun_reader_init(struct cfs_sortrun_reader *r,
			    const struct cfs_sortrun *run, const char *dir,
			    size_t buffer_bytes);
void cfs_sortrun_reader_release(struct cfs_sortrun_reader *r);

/* The next pair, lent until the next call.  0, CFS_END, CFS_EIO, CFS_ENOMEM. */
int cfs_sortrun_next(struct cfs_sortrun_reader *r, struct cfs_slice *key,
		     struct cfs_slice *value, struct cfs_error *err);

#endif

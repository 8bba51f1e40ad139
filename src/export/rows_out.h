/* rows_out.h - where rows go: standard output, a file, or a folder of files of
 * bounded size.
 *
 * A folder DIR gets files that programs read together:
 *
 *     part-00000.jsonl.zst, part-00001.jsonl.zst, ...
 *     _SUCCESS                   last, once all of them are there
 *     _journal                   until then: which files are complete
 *
 * or of part K of N of a crawl, so that the parts of one crawl may be written
 * into one folder by as many processes:
 *
 *     part-0000K-of-0000N-00000.jsonl.zst, ..., _SUCCESS-0000K-of-0000N
 *     _SUCCESS                   once all N are complete
 *
 * Each file is whole in itself.  Names that begin with '_' are skipped by
 * readers of such folders.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_ROWS_OUT_H
#define CFS_EXPORT_ROWS_OUT_H

#include "base/cancel.h"
#include "base/slice.h"
#include "index/part.h"

struct cfs_export_opts;

/* Most files of a folder: their numbers have five digits. */
#define CFS_ROWS_OUT_FILES_MAX 100000u
/* The usual bytes of a file in a folder, and the fewest. */
#define CFS_ROWS_OUT_FILE_BYTES ((uint64_t)256 << 20)
#define CFS_ROWS_OUT_FILE_MIN ((uint64_t)1 << 10)

/* The names of a folder's files besides those of rows. */
#define CFS_ROWS_OUT_JOURNAL "_journal"
#define CFS_ROWS_OUT_SUCCESS "_SUCCESS"
/* How these files begin, and _SUCCESS once all parts are complete. */
#define CFS_ROWS_OUT_MARK "crawlfs-rows 1 "
#define CFS_ROWS_OUT_ALL_PARTS CFS_ROWS_OUT_MARK "parts\n"
#define CFS_ROWS_OUT_NAME_BYTES 48u

/* Writes such a name with that of the part behind it, if part.n is not 0.
 * Returns out. */
const char *cfs_rows_out_name(const char *name, struct cfs_part part,
			      char out[CFS_ROWS_OUT_NAME_BYTES]);

struct cfs_rows_out_opts {
	const char *path;		/* NULL: standard output; of a folder,
					 * if file_bytes is not 0.  Borrowed,
					 * as all pointers are */
	uint64_t file_bytes;		/* a file of a folder has at most so
					 * many, unless a single row has more */
	struct cfs_part part;		/* for the names of its files */
	uint64_t fingerprint;		/* of the work: an output of other work
					 * is begun again */
	const char *shown;		/* its name in messages; NULL: path */
	bool force;			/* replace an output that is complete */
	bool skip_complete;		/* an output of the same work is left as
					 * it is */
	const struct cfs_export_opts *rows;	/* the format, coding, fields */
	const struct cfs_cancel *cancel;
	/* Called with each file once it is complete, and its name in the
	 * output, before that is forgotten: a run that resumes calls it again
	 * if it fails.  The file is then removed.  NULL: files stay. */
	int (*deliver)(void *arg, const char *path, const char *name,
		       struct cfs_error *err);
	void *arg;
};

struct cfs_rows_out;		/* one thread at a time uses it */

/*
 * Begins or resumes.  0; CFS_END if skip_complete finds the output complete;
 * CFS_EIO, also if the output exists or another process writes it; CFS_EACCESS,
 * CFS_ENOMEM, CFS_EINTR.
 */
int cfs_rows_out_open(struct cfs_rows_out **out,
		      const struct cfs_rows_out_opts *opts,
		      struct cfs_error *err);
void cfs_rows_out_close(struct cfs_rows_out *o);	/* accepts NULL */

/* The batches that an earlier run has written; *errors: some of them had rows
 * with an error. */
uint64_t cfs_rows_out_done(const struct cfs_rows_out *o, bool *errors);
/* True but for standard output: the same command resumes it. */
bool cfs_rows_out_can_resume(const struct cfs_rows_out *o);
/* True if an earlier run has written all of it. */
bool cfs_rows_out_is_whole(const struct cfs_rows_out *o);
/* Files of a folder that are complete; 0 for NULL. */
unsigned cfs_rows_out_files(const struct cfs_rows_out *o);

/* Says that the next n bytes belong into one file.  0; CFS_END once nobody
 * reads a pipe any more; CFS_EIO, CFS_EINTR, CFS_ELIMIT, CFS_ENOMEM. */
int cfs_rows_out_unit(struct cfs_rows_out *o, uint64_t n, struct cfs_ctx ctx);
/* Writes bytes, of the unit that was announced.  Fails alike, CFS_EINTR also
 * while the reader of a pipe is slow. */
int cfs_rows_out_write(struct cfs_rows_out *o, struct cfs_slice bytes,
		       struct cfs_ctx ctx);
/* Says that all batches below number `done` are written; errors: as of
 * cfs_rows_out_done.  0; CFS_EIO. */
int cfs_rows_out_mark(struct cfs_rows_out *o, uint64_t done, bool errors,
		      struct cfs_error *err);
/* Completes the output.  Fails like the calls above, and those of a format. */
int cfs_rows_out_finish(struct cfs_rows_out *o, struct cfs_ctx ctx);
/* Ends the writing of what is not finished.  True if the same command would
 * resume it.  Accepts NULL. */
bool cfs_rows_out_leave(struct cfs_rows_out *o);

#endif

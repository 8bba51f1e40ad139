/* out_file.h - standard output or a file as what rows are written to, and the
 * files of a folder that are complete.
 *
 * A file grows under another name, with a journal of the batches that are done
 * (copy/copyfile.h), and gets its own name when it is complete.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_OUT_FILE_H
#define CFS_EXPORT_OUT_FILE_H

#include <limits.h>

#include "base/journal.h"
#include "rows_out.h"

struct cfs_out_file;		/* one thread at a time uses it */

/* Writes to standard output.  0 or CFS_ENOMEM. */
int cfs_out_file_stdout(struct cfs_out_file **out, struct cfs_error *err);

struct cfs_out_file_opts {
	const char *path;
	uint64_t fingerprint;		/* of the work: a file of other work is
					 * begun again */
	bool force;			/* replace what is at path */
	bool is_converted;		/* the bytes written become the file by
					 * cfs_out_file_convert */
	const struct cfs_cancel *cancel;
};

/* Begins or resumes a file.  Fails like cfs_copyfile_open. */
int cfs_out_file_open(struct cfs_out_file **out,
		      const struct cfs_out_file_opts *opts,
		      struct cfs_error *err);

/* The batches that an earlier run has written; *errors: some of them had rows
 * with an error. */
uint64_t cfs_out_file_done(const struct cfs_out_file *o, bool *errors);
/* True if an earlier run has written all of it. */
bool cfs_out_file_is_whole(const struct cfs_out_file *o);

/* Writes all of bytes.  0; CFS_END once nobody reads a pipe any more; CFS_EIO;
 * CFS_EINTR, also while the reader of a pipe is slow; CFS_ENOMEM. */
int cfs_out_file_write(struct cfs_out_file *o, struct cfs_slice bytes,
		       struct cfs_ctx ctx);

/* Says that so many batches more are written; errors: as of
 * cfs_out_file_done.  0; CFS_EIO. */
int cfs_out_file_mark(struct cfs_out_file *o, uint64_t batches, bool errors,
		      struct cfs_error *err);

/* The bytes of the file so far, without those behind the last mark that are
 * not written out yet; *is_sealed: nothing is to be added. */
uint64_t cfs_out_file_bytes(const struct cfs_out_file *o, bool *is_sealed);

/* Gives the file its name. */
int cfs_out_file_finish(struct cfs_out_file *o, struct cfs_error *err);

/* Removes what only an unfinished file needs; the file too, if it is not
 * finished. */
void cfs_out_file_forget(struct cfs_out_file *o);

/* Makes the file of what was written, by `make`, which gets the name of the
 * file that it is in, its bytes there, and the name of a file to overwrite.  0;
 * failures of make; CFS_EIO. */
int cfs_out_file_convert(struct cfs_out_file *o,
			 int (*make)(void *arg, const char *from,
				     uint64_t bytes, const char *to,
				     struct cfs_ctx ctx),
			 void *arg, struct cfs_ctx ctx);

/* Ends the writing of what is not finished.  True if the same command would
 * resume it.  Accepts NULL. */
bool cfs_out_file_leave(struct cfs_out_file *o);

void cfs_out_file_close(struct cfs_out_file *o);	/* accepts NULL */

/* ---- the files of a folder (out_folder.c) -------------------------------- */

struct cfs_out_folder_line {
	uint64_t bytes, done, skip;
	bool errors;
};

struct cfs_out_folder {			/* zeroed: not open */
	char dir[PATH_MAX], journal_path[PATH_MAX], success_path[PATH_MAX];
	char stem[32], suffix[16];	/* of the files' names */
	struct cfs_part part;
	uint64_t fingerprint;
	struct cfs_journal journal;
	unsigned files;			/* that have a line */
	struct cfs_out_folder_line last, before;	/* the last two */
	uint64_t before_bytes;		/* of the journal, without `last` */
};

/* Begins a folder, which is made if it does not exist, or reads how far an
 * earlier run has come.  Results as of cfs_rows_out_open; close it in any
 * case. */
int cfs_out_folder_open(struct cfs_out_folder *f,
			const struct cfs_rows_out_opts *opts,
			struct cfs_error *err);
void cfs_out_folder_close(struct cfs_out_folder *f);

/* The path of the file of that number. */
const char *cfs_out_folder_path(const struct cfs_out_folder *f, unsigned number,
				char out[PATH_MAX]);

/* Notes that one more file has its last byte.  0, CFS_EIO; CFS_ELIMIT: it would
 * be too many. */
int cfs_out_folder_add(struct cfs_out_folder *f,
		       const struct cfs_out_folder_line *line,
		       struct cfs_error *err);
/* Takes the last file back, whose bytes were lost. */
int cfs_out_folder_drop(struct cfs_out_folder *f, struct cfs_error *err);

/* Marks the folder as complete, if it is, or the part.  `deliver` gets the mark
 * first.  0, CFS_EIO, or what `deliver` returns. */
int cfs_out_folder_finish(struct cfs_out_folder *f,
			  const struct cfs_rows_out_opts *opts,
			  struct cfs_error *err);

/* Removes what is left of a run that did nothing. */
void cfs_out_folder_forget(struct cfs_out_folder *f);

#endif

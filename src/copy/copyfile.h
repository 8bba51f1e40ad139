/* copyfile.h - a file that is written front to back and can be resumed after
 * its writer was killed.
 *
 * While it grows it is PATH.part; PATH.journal says which stretches of it are
 * done, with their checksums.  Opening it again with the same fingerprint
 * checks these and cuts off whatever differs.
 *
 * What comes behind the last item may be written by other code, at once, and is
 * then sealed; until that it is lost when the writer stops.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_COPY_COPYFILE_H
#define CFS_COPY_COPYFILE_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"

/* How far the work recorded in the file has come. */
struct cfs_copyfile_mark {
	uint64_t bytes;		/* bytes of the file */
	uint64_t items;		/* items of work done, or given up */
	uint64_t written;	/* items that have bytes in the file */
	bool is_sealed;		/* it only has to be finished */
};

struct cfs_copyfile;		/* used by one thread */

struct cfs_copyfile_opts {
	const char *path;
	uint64_t fingerprint;	/* identifies the work: another one starts the
				 * file again */
	bool force;		/* replace what is at path */
	/* Bytes at the beginning that may change until the file is sealed; they
	 * are not checked. */
	size_t lead_bytes;
	const struct cfs_cancel *cancel;
};

/*
 * Starts or resumes; *mark says from where.  *is_whole: the file was finished
 * and is at path already, only cfs_copyfile_forget was missing.  CFS_EIO, also
 * if path exists or another process writes it; CFS_EACCESS; CFS_ENOMEM;
 * CFS_EINTR.
 */
int cfs_copyfile_open(struct cfs_copyfile **out,
		      const struct cfs_copyfile_opts *opts,
		      struct cfs_copyfile_mark *mark, bool *is_whole,
		      struct cfs_error *err);

/* Appends the results of `items` items, `written` of which have bytes.  They
 * are held in memory up to about a MiB or a second. */
int cfs_copyfile_add(struct cfs_copyfile *f, struct cfs_slice bytes,
		     uint64_t items, uint64_t written, struct cfs_error *err);

/* Appends bytes of an item whose end follows with cfs_copyfile_add.  Until then
 * they do not count: a file that is resumed is cut before them. */
int cfs_copyfile_add_bytes(struct cfs_copyfile *f, struct cfs_slice bytes,
			   struct cfs_error *err);

/* Writes out what is held in memory. */
int cfs_copyfile_flush(struct cfs_copyfile *f, struct cfs_error *err);

/* Writes out what is held in memory, and lends the growing file, for writing
 * behind *bytes. */
int cfs_copyfile_lend(struct cfs_copyfile *f, int *fd, const char **path,
		      uint64_t *bytes, struct cfs_error *err);

/* Records that the file is complete with what was written up to byte `end`.
 * Items must have been added. */
int cfs_copyfile_seal(struct cfs_copyfile *f, uint64_t end,
		      struct cfs_error *err);

/* Syncs the file and renames it to its final name. */
int cfs_copyfile_finish(struct cfs_copyfile *f, struct cfs_error *err);

/* Removes the journal, and the part file if it was not finished. */
void cfs_copyfile_forget(struct cfs_copyfile *f);

/* Call after a failure: writes out what is held in memory, as far as possible.
 * True if the work can be resumed; else both files are removed.  Accepts
 * NULL. */
bool cfs_copyfile_leave(struct cfs_copyfile *f);

/* cfs_copyfile_leave, then closes.  Accepts NULL. */
void cfs_copyfile_close(struct cfs_copyfile *f);

#endif

/* rows_out.c - cuts rows into files of bounded size, each whole in itself.
 *
 * A file of a folder may end inside a batch of rows, so its line in the journal
 * (out_folder.c) says where in which batch the next one begins.  A run that is
 * resumed makes the rows of that batch again, and skips those that are in
 * complete files.  Within a file, out_file.h knows how far an earlier run came.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rows_out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/hash.h"
#include "export.h"
#include "out_file.h"

/* Most bytes of what stands before all rows of a file. */
#define BEGINNING_MAX ((size_t)64 << 10)

/* An attribute of a file that is complete: of which work it is, and its size
 * and time then. */
#define MADE_OF "user.crawlfs.export"
#define MADE_OF_BYTES 80u

struct cfs_rows_out {
	struct cfs_rows_out_opts opts;
	struct cfs_out_file *file;	/* NULL: the next unit opens one */
	struct cfs_out_folder folder;
	uint64_t bytes;			/* of file */
	uint64_t done;			/* batches that are marked */
	uint64_t since;			/* bytes of units since that mark */
	uint64_t skip;			/* as many of what comes are in complete
					 * files */
	bool errors;			/* marked batches have some */
	bool is_skipped;		/* the unit is */
};

/* ---- one file ------------------------------------------------------------ */

static const struct cfs_export_format *format_of(const struct cfs_rows_out *o)
{
	return o->opts.rows->format;
}

static bool is_folder(const struct cfs_rows_out *o)
{
	return o->opts.file_bytes > 0;
}

/* Opens the file of that number, or the only one.  may_exist: an earlier run
 * may have completed it. */
static int open_file(struct cfs_rows_out *o, unsigned number, bool may_exist,
		     struct cfs_error *err)
{
	char path[PATH_MAX];
	uint64_t n = number;
	struct cfs_out_file_opts oo = { .path = o->opts.path,
		.fingerprint = o->opts.fingerprint, .force = o->opts.force,
		.is_converted = format_of(o)->convert != NULL,
		.cancel = o->opts.cancel };

	if (is_folder(o)) {
		oo.path = cfs_out_folder_path(&o->folder, number, path);
		oo.fingerprint = cfs_hash64(cfs_slice_of(&n, sizeof(n)),
					    oo.fingerprint);
		oo.force = may_exist;
	}
	return cfs_out_file_open(&o->file, &oo, err);
}

static void close_file(struct cfs_rows_out *o, bool forgets)
{
	if (forgets && o->file != NULL)
		cfs_out_file_forget(o->file);
	cfs_out_file_close(o->file);
	o->file = NULL;
	o->bytes = 0;
}

static int write_bytes(struct cfs_rows_out *o, struct cfs_slice bytes,
		       struct cfs_ctx ctx)
{
	o->bytes += bytes.n;
	return cfs_out_file_write(o->file, bytes, ctx);
}

/* Writes what stands before all rows of a file.  If that is all of it, a file
 * that is compressed has a member: no bytes are neither gzip nor zstd. */
static int write_beginning(struct cfs_rows_out *o, bool is_all,
			   struct cfs_ctx ctx)
{
	const struct cfs_export_opts *rows = o->opts.rows;
	CFS_BUF(packed, 2 * BEGINNING_MAX);
	CFS_BUF(plain, BEGINNING_MAX);
	int rc = CFS_OK;

	if (rows->format->begin != NULL)
		rows->format->begin(rows, &plain);
	else if (!is_all)
		return CFS_OK;
	if (plain.failed != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	else if (rows->coding != CFS_CODING_NONE)
		rc = cfs_member_compress(rows->coding, cfs_buf_slice(&plain),
					 NULL, &packed, ctx.err);
	if (rc == CFS_OK)
		rc = write_bytes(o, cfs_buf_slice(rows->coding !=
						  CFS_CODING_NONE ?
						  &packed : &plain), ctx);
	return rc;
}

/* Makes MADE_OF as it should be.  False: there is no such file. */
static bool expected_mark(const struct cfs_rows_out *o, char *out)
{
	struct stat st;

	if (o->opts.path == NULL || stat(o->opts.path, &st) != 0 ||
	    !S_ISREG(st.st_mode))
		return false;
	snprintf(out, MADE_OF_BYTES, "%016" PRIx64 " %jd %jd.%09ld",
		 o->opts.fingerprint, (intmax_t)st.st_size,
		 (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return true;
}

/* Marks a file as complete, where the file system can do that. */
static void set_mark(const struct cfs_rows_out *o)
{
	char mark[MADE_OF_BYTES];

	if (expected_mark(o, mark))
		(void)setxattr(o->opts.path, MADE_OF, mark, strlen(mark), 0);
}

/* Looks at a file that is there: CFS_END if it is the output of the same
 * work. */
static int check_mark(const struct cfs_rows_out *o, struct cfs_error *err)
{
	char mark[MADE_OF_BYTES], found[MADE_OF_BYTES] = "";
	ssize_t n;

	if (!o->opts.skip_complete || !expected_mark(o, mark))
		return CFS_OK;
	n = getxattr(o->opts.path, MADE_OF, found, sizeof(found) - 1);
	if (n >= 0 && strcmp(found, mark) == 0)
		return CFS_END;
	return o->opts.force ? CFS_OK :
	       cfs_error_set(err, CFS_EIO, "'%.180s' exists, and %s (--force "
			     "replaces it)", o->opts.path, n < 0 ?
			     "nothing says which command has made it" :
			     "another command has made it, or it was changed");
}

static int convert(void *arg, const char *from, uint64_t bytes, const char *to,
		   struct cfs_ctx ctx)
{
	const struct cfs_rows_out *o = arg;

	return format_of(o)->convert(o->opts.rows, from, bytes, to, ctx);
}

/* Gives the file its name, and hands it over. */
static int complete_file(struct cfs_rows_out *o, const char *path,
			 struct cfs_ctx ctx)
{
	const char *slash = strrchr(path, '/');
	int rc = format_of(o)->convert == NULL ?
		 cfs_out_file_finish(o->file, ctx.err) :
		 cfs_out_file_convert(o->file, convert, o, ctx);

	if (rc == CFS_OK && !is_folder(o))
		set_mark(o);
	if (rc == CFS_OK && o->opts.deliver != NULL)
		rc = o->opts.deliver(o->opts.arg, path,
				     slash != NULL ? slash + 1 : path, ctx.err);
	if (rc != CFS_OK)
		return rc;
	close_file(o, true);
	if (o->opts.deliver != NULL)
		unlink(path);
	return CFS_OK;
}

/* ---- a folder ------------------------------------------------------------ */

/* Completes the file of a folder, which has its last byte. */
static int end_file(struct cfs_rows_out *o, struct cfs_ctx ctx)
{
	const struct cfs_out_folder_line line = { .bytes = o->bytes,
		.done = o->done, .skip = o->since, .errors = o->errors };
	char path[PATH_MAX];
	int rc = cfs_out_folder_add(&o->folder, &line, ctx.err);

	return rc == CFS_OK ?
	       complete_file(o, cfs_out_folder_path(&o->folder,
						    o->folder.files - 1, path),
			     ctx) : rc;
}

/* Opens the next file, of which an earlier run has nothing that counts. */
static int begin_file(struct cfs_rows_out *o, struct cfs_error *err)
{
	bool is_sealed;
	int rc = open_file(o, o->folder.files, false, err);

	if (rc != CFS_OK || cfs_out_file_bytes(o->file, &is_sealed) == 0)
		return rc;
	close_file(o, true);
	return open_file(o, o->folder.files, false, err);
}

/* Completes the last file that has a line, if an earlier run did not come to
 * that; or takes it back. */
static int settle_last(struct cfs_rows_out *o, struct cfs_error *err)
{
	unsigned number = o->folder.files - 1;
	struct cfs_ctx ctx = CFS_CTX(o->opts.cancel, err);
	char path[PATH_MAX];
	bool is_there, is_sealed;
	uint64_t bytes;
	int rc = CFS_OK;

	is_there = access(cfs_out_folder_path(&o->folder, number, path),
			  F_OK) == 0;
	if (is_there && o->opts.deliver != NULL)
		rc = o->opts.deliver(o->opts.arg, path, strrchr(path, '/') + 1,
				     err);
	if (rc == CFS_OK)
		rc = open_file(o, number, is_there, err);
	if (rc != CFS_OK)
		return rc;
	if (is_there) {
		close_file(o, true);
		if (o->opts.deliver != NULL)
			unlink(path);
		return CFS_OK;
	}
	bytes = cfs_out_file_bytes(o->file, &is_sealed);
	if (bytes == o->folder.last.bytes)
		return complete_file(o, path, ctx);
	close_file(o, bytes == 0);
	/* without a trace it was delivered, and else has lost bytes */
	return o->opts.deliver != NULL && bytes == 0 ? CFS_OK :
	       cfs_out_folder_drop(&o->folder, err);
}

/* All files but the last must be where an earlier run has left them. */
static int check_files(const struct cfs_rows_out *o, struct cfs_error *err)
{
	char path[PATH_MAX];

	for (unsigned i = 0; i + 1 < o->folder.files; i++)
		if (o->opts.deliver == NULL &&
		    access(cfs_out_folder_path(&o->folder, i, path),
			   F_OK) != 0)
			return cfs_error_set(err, CFS_EIO, "'%.180s' was "
				"complete and is not there any more: remove "
				"the folder to begin again", path);
	return CFS_OK;
}

static int open_folder(struct cfs_rows_out *o, struct cfs_error *err)
{
	bool is_sealed, errors;
	uint64_t items;
	int rc = cfs_out_folder_open(&o->folder, &o->opts, err);

	if (rc == CFS_OK)
		rc = check_files(o, err);
	if (rc == CFS_OK && o->folder.files > 0)
		rc = settle_last(o, err);
	if (rc == CFS_OK)
		rc = open_file(o, o->folder.files, false, err);
	if (rc != CFS_OK)
		return rc;
	o->done = o->folder.last.done;
	o->errors = o->folder.last.errors;
	items = cfs_out_file_done(o->file, &errors);
	o->bytes = cfs_out_file_bytes(o->file, &is_sealed);
	if (items > 0 && !is_sealed) {
		o->done += items;
		o->errors |= errors;
		return CFS_OK;
	}
	o->skip = o->folder.last.skip;
	close_file(o, true);
	return CFS_OK;
}

/* ---- the whole ----------------------------------------------------------- */

int cfs_rows_out_open(struct cfs_rows_out **out,
		      const struct cfs_rows_out_opts *opts,
		      struct cfs_error *err)
{
	struct cfs_rows_out *o = calloc(1, sizeof(*o));
	bool is_sealed;
	int rc;

	*out = o;
	if (o == NULL)
		return cfs_error_nomem(err);
	o->opts = *opts;
	if (opts->path == NULL) {
		rc = cfs_out_file_stdout(&o->file, err);
	} else if (is_folder(o)) {
		rc = open_folder(o, err);
	} else {
		rc = check_mark(o, err);
		if (rc == CFS_OK)
			rc = open_file(o, 0, false, err);
		if (rc == CFS_OK) {
			o->done = cfs_out_file_done(o->file, &o->errors);
			o->bytes = cfs_out_file_bytes(o->file, &is_sealed);
		}
	}
	if (rc != CFS_OK) {
		cfs_rows_out_close(o);
		*out = NULL;
	}
	return rc;
}

void cfs_rows_out_close(struct cfs_rows_out *o)
{
	if (o == NULL)
		return;
	cfs_out_file_close(o->file);
	cfs_out_folder_close(&o->folder);
	free(o);
}

uint64_t cfs_rows_out_done(const struct cfs_rows_out *o, bool *errors)
{
	*errors = o->errors;
	return o->done;
}

bool cfs_rows_out_can_resume(const struct cfs_rows_out *o)
{
	return o->opts.path != NULL;
}

bool cfs_rows_out_is_whole(const struct cfs_rows_out *o)
{
	return o->file != NULL && cfs_out_file_is_whole(o->file);
}

unsigned cfs_rows_out_files(const struct cfs_rows_out *o)
{
	return o != NULL ? o->folder.files : 0;
}

static int rows_differ(const struct cfs_rows_out *o, struct cfs_error *err)
{
	return cfs_error_set(err, CFS_EIO, "'%.120s': the rows are not those "
			     "that an earlier run has written: remove it to "
			     "begin again", o->opts.path);
}

int cfs_rows_out_unit(struct cfs_rows_out *o, uint64_t n, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	o->is_skipped = o->skip > 0;
	if (o->skip > 0 && n > o->skip)
		return rows_differ(o, ctx.err);
	if (o->is_skipped) {
		o->skip -= n;
	} else {
		if (is_folder(o) && o->bytes > 0 &&
		    o->bytes + n > o->opts.file_bytes)
			rc = end_file(o, ctx);
		if (rc == CFS_OK && o->file == NULL)
			rc = begin_file(o, ctx.err);
		if (rc == CFS_OK && o->bytes == 0)
			rc = write_beginning(o, false, ctx);
	}
	o->since += n;
	return rc;
}

int cfs_rows_out_write(struct cfs_rows_out *o, struct cfs_slice bytes,
		       struct cfs_ctx ctx)
{
	return o->is_skipped ? CFS_OK : write_bytes(o, bytes, ctx);
}

int cfs_rows_out_mark(struct cfs_rows_out *o, uint64_t done, bool errors,
		      struct cfs_error *err)
{
	uint64_t items = done - o->done;
	int rc = CFS_OK;

	if (o->skip > 0)
		return rows_differ(o, err);
	/* batches without rows wait for the file of those behind them */
	if (rc == CFS_OK && o->file == NULL)
		rc = begin_file(o, err);
	if (rc == CFS_OK)
		rc = cfs_out_file_mark(o->file, items, errors, err);
	o->done = done;
	o->since = 0;
	o->errors = o->errors || errors;
	return rc;
}

/* Completes the last file of a folder, unless it would have no rows; one there
 * has to be, so that readers find what the columns are. */
static int finish_folder(struct cfs_rows_out *o, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	if (o->bytes > 0 || o->folder.files == 0) {
		if (o->file == NULL)
			rc = begin_file(o, ctx.err);
		if (rc == CFS_OK && o->bytes == 0)
			rc = write_beginning(o, true, ctx);
		if (rc == CFS_OK)
			rc = end_file(o, ctx);
	} else {
		close_file(o, true);
	}
	return rc == CFS_OK ? cfs_out_folder_finish(&o->folder, &o->opts,
						    ctx.err) : rc;
}

int cfs_rows_out_finish(struct cfs_rows_out *o, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	if (is_folder(o))
		return finish_folder(o, ctx);
	if (o->bytes == 0 && !cfs_rows_out_is_whole(o))
		rc = write_beginning(o, true, ctx);
	if (rc == CFS_OK && o->opts.path != NULL)
		rc = complete_file(o, o->opts.path, ctx);
	return rc;
}

bool cfs_rows_out_leave(struct cfs_rows_out *o)
{
	bool is_left = o != NULL && o->file != NULL &&
		       cfs_out_file_leave(o->file);

	if (o == NULL || !is_folder(o) || is_left ||
	    o->folder.files > 0)
		return is_left || (o != NULL && o->folder.files > 0);
	cfs_out_folder_forget(&o->folder);
	return false;
}

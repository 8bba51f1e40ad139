/* out_folder.c - which files of a folder of rows are complete.
 *
 * The journal (base/journal.h) is lines of text:
 *
 *     crawlfs-rows 1 FINGERPRINT SUFFIX
 *     BYTES DONE SKIP ERRORS CHECK		one for each file, in order
 *
 * FINGERPRINT, which is also the seed of the checks, is 16 hex digits, and
 * SUFFIX that of the files' names.  BYTES were written into the file; the next
 * one begins with batch DONE, behind SKIP bytes of it; ERRORS is 1 if batches
 * before it have rows with an error.  A line is written once the file has its
 * last byte, and before it gets its name.  Complete, the journal becomes
 * _SUCCESS.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "out_file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/hex.h"
#include "base/log.h"
#include "export.h"

#define JOURNAL_MAX ((size_t)16 << 20)	/* 100,000 lines of 70 bytes */
#define FIRST_BYTES 96u

static const struct cfs_part no_part;

static int folder_error(const char *path, const char *what,
			struct cfs_error *err)
{
	return cfs_error_at(err, errno == EACCES ? CFS_EACCESS : CFS_EIO, path,
			    0, "%s: %s", what, strerror(errno));
}

/* ---- names --------------------------------------------------------------- */

const char *cfs_out_folder_path(const struct cfs_out_folder *f, unsigned number,
				char out[PATH_MAX])
{
	snprintf(out, PATH_MAX, "%.3900s/%s%05u%s", f->dir, f->stem, number,
		 f->suffix);
	return out;
}

const char *cfs_rows_out_name(const char *name, struct cfs_part part,
			      char out[CFS_ROWS_OUT_NAME_BYTES])
{
	char suffix[32] = "";

	if (part.n > 0)
		snprintf(suffix, sizeof(suffix), "-%05" PRIu32 "-of-%05" PRIu32,
			 part.k, part.n);
	snprintf(out, CFS_ROWS_OUT_NAME_BYTES, "%.15s%s", name, suffix);
	return out;
}

/* Writes the path of such a file. */
static void path_of(const struct cfs_out_folder *f, const char *name,
		    struct cfs_part part, char out[PATH_MAX])
{
	char whole[CFS_ROWS_OUT_NAME_BYTES];

	snprintf(out, PATH_MAX, "%.3900s/%s", f->dir,
		 cfs_rows_out_name(name, part, whole));
}

static int make_names(struct cfs_out_folder *f,
		      const struct cfs_rows_out_opts *opts,
		      struct cfs_error *err)
{
	const struct cfs_export_opts *rows = opts->rows;
	size_t n = strlen(opts->path);
	char part[CFS_ROWS_OUT_NAME_BYTES];

	while (n > 1 && opts->path[n - 1] == '/')
		n--;
	if (n > PATH_MAX - 200)
		return cfs_error_set(err, CFS_EIO, "'%.80s...' is too long for "
				     "a name", opts->path);
	f->part = opts->part;
	f->fingerprint = opts->fingerprint;
	memcpy(f->dir, opts->path, n);
	snprintf(f->stem, sizeof(f->stem), "%.28s-",
		 cfs_rows_out_name("part", f->part, part));
	snprintf(f->suffix, sizeof(f->suffix), "%s%s", rows->format->suffix,
		 rows->format->convert != NULL ? "" :
		 cfs_export_coding_suffix(rows->coding));
	path_of(f, CFS_ROWS_OUT_JOURNAL, f->part, f->journal_path);
	path_of(f, CFS_ROWS_OUT_SUCCESS, f->part, f->success_path);
	return CFS_OK;
}

static size_t first_line(const struct cfs_out_folder *f, char *out)
{
	return (size_t)snprintf(out, FIRST_BYTES, CFS_ROWS_OUT_MARK
				"%016" PRIx64 " %s\n", f->fingerprint,
				f->suffix);
}

/* ---- lines --------------------------------------------------------------- */

static bool take_number(struct cfs_slice *words, uint64_t *out)
{
	return cfs_slice_parse_u64(cfs_slice_split(words, ' '), INT64_MAX,
				   out) == CFS_OK;
}

static bool take_line(struct cfs_slice words, struct cfs_out_folder_line *out)
{
	uint64_t errors;

	if (!take_number(&words, &out->bytes) ||
	    !take_number(&words, &out->done) ||
	    !take_number(&words, &out->skip) || !take_number(&words, &errors))
		return false;
	out->errors = errors != 0;
	return true;
}

/* Reads the lines behind the first; *good is where they end. */
static void take_lines(struct cfs_out_folder *f, struct cfs_slice text,
		       size_t *good)
{
	struct cfs_slice rest = cfs_slice_from(text, *good), words;
	struct cfs_out_folder_line line;

	f->files = 0;
	f->last = (struct cfs_out_folder_line){ .bytes = 0 };
	while (f->files < CFS_ROWS_OUT_FILES_MAX &&
	       cfs_journal_next(&rest, f->fingerprint, &words) == CFS_OK &&
	       take_line(words, &line)) {
		f->before = f->last;
		f->before_bytes = *good;
		f->last = line;
		f->files++;
		*good = text.n - rest.n;
	}
}

int cfs_out_folder_add(struct cfs_out_folder *f,
		       const struct cfs_out_folder_line *line,
		       struct cfs_error *err)
{
	char words[CFS_JOURNAL_WORDS_MAX];
	int rc;

	if (f->files >= CFS_ROWS_OUT_FILES_MAX)
		return cfs_error_set(err, CFS_ELIMIT, "'%.80s' would have more "
				     "than %u files: --file-size makes them "
				     "larger", f->dir, CFS_ROWS_OUT_FILES_MAX);
	snprintf(words, sizeof(words), "%" PRIu64 " %" PRIu64 " %" PRIu64 " %d",
		 line->bytes, line->done, line->skip, line->errors);
	f->before = f->last;
	f->before_bytes = f->journal.end;
	rc = cfs_journal_add(&f->journal, words, err);
	/* the file gets its name next, and must not be taken for another's */
	if (rc == CFS_OK && fdatasync(f->journal.fd) != 0)
		rc = folder_error(f->journal_path, "cannot write", err);
	if (rc == CFS_OK) {
		f->last = *line;
		f->files++;
	}
	return rc;
}

int cfs_out_folder_drop(struct cfs_out_folder *f, struct cfs_error *err)
{
	f->files--;
	f->last = f->before;
	return cfs_journal_keep(&f->journal, f->fingerprint, f->before_bytes,
				err);
}

/* ---- what is there ------------------------------------------------------- */

/* Removes the files that lines name, and what is left of the next one. */
static void remove_files(const struct cfs_out_folder *f)
{
	char path[PATH_MAX];
	struct cfs_out_file_opts oo = { .path = path, .force = true,
		.is_converted = strcmp(f->suffix, ".parquet") == 0 };
	struct cfs_out_file *o;

	for (unsigned i = 0; i < f->files; i++)
		unlink(cfs_out_folder_path(f, i, path));
	cfs_out_folder_path(f, f->files, path);
	if (cfs_out_file_open(&o, &oo, NULL) == CFS_OK)
		cfs_out_file_forget(o);
	cfs_out_file_close(o);
}

/* Removes the files that the journal of other work in `text` names. */
static void remove_other(const struct cfs_out_folder *f, struct cfs_slice text)
{
	struct cfs_out_folder other = *f;
	struct cfs_slice rest = text, line = cfs_slice_split(&rest, '\n');
	size_t good = line.n + 1;
	struct cfs_slice hash;
	uint8_t bytes[8];

	line = cfs_slice_from(line, sizeof(CFS_ROWS_OUT_MARK) - 1);
	hash = cfs_slice_split(&line, ' ');
	if (!cfs_hex_read(hash, bytes, sizeof(bytes)) || line.n == 0 ||
	    line.n >= sizeof(other.suffix) || line.p[0] != '.' ||
	    cfs_slice_find(line, '/') >= 0)
		return;
	other.fingerprint = cfs_be64_get(bytes);
	memcpy(other.suffix, line.p, line.n);
	other.suffix[line.n] = '\0';
	take_lines(&other, text, &good);
	remove_files(&other);
}

static int refuse_complete(const struct cfs_rows_out_opts *opts,
			   struct cfs_error *err)
{
	if (opts->shown != NULL)
		return cfs_error_set(err, CFS_EIO, "'%.180s' is complete, by "
				     "another command: choose another prefix",
				     opts->shown);
	return cfs_error_set(err, CFS_EIO, "'%.180s' is complete%s "
			     "(--force replaces it)", opts->path,
			     opts->skip_complete ? ", by another command" : "");
}

/* Removes a complete output, or refuses to: CFS_END if it is the same and may
 * stay. */
static int clear_complete(struct cfs_out_folder *f,
			  const struct cfs_rows_out_opts *opts,
			  struct cfs_error *err)
{
	char first[FIRST_BYTES];
	size_t n = first_line(f, first);
	CFS_BUF(text, JOURNAL_MAX);
	struct cfs_slice s;
	int rc;

	if (access(f->success_path, F_OK) != 0)
		return CFS_OK;
	rc = cfs_journal_read(f->success_path, &text, err);
	s = cfs_buf_slice(&text);
	if (rc == CFS_OK && opts->skip_complete &&
	    cfs_slice_starts(s, cfs_slice_of(first, n))) {
		rc = CFS_END;
	} else if (rc == CFS_OK && !opts->force) {
		rc = refuse_complete(opts, err);
	} else if (rc == CFS_OK &&
		   !cfs_slice_starts(s, CFS_SLICE_LIT(CFS_ROWS_OUT_MARK))) {
		rc = cfs_error_set(err, CFS_EIO, "'%.180s': crawlfs has not "
				   "made it", f->success_path);
	} else if (rc == CFS_OK) {
		remove_other(f, s);
		cfs_file_untake(f->success_path, CFS_ROWS_OUT_MARK);
	}
	return rc;
}

/* True if a file may be in the folder before this output is begun. */
static bool may_be_there(const struct cfs_out_folder *f, const char *name)
{
	char other[32];
	struct cfs_slice s = cfs_slice_str(name);

	if (name[0] == '_' || name[0] == '.')
		return true;
	if (f->part.n == 0)
		return false;
	snprintf(other, sizeof(other), "-of-%05" PRIu32 "-", f->part.n);
	return cfs_slice_starts(s, CFS_SLICE_LIT("part-")) &&
	       strstr(name, other) != NULL && strstr(name, f->suffix) != NULL;
}

/* Refuses a folder that has other files: readers would take them for rows. */
static int check_others(const struct cfs_out_folder *f, struct cfs_error *err)
{
	DIR *d = opendir(f->dir);
	const struct dirent *e;
	int rc = CFS_OK;

	if (d == NULL)
		return folder_error(f->dir, "cannot read", err);
	while (rc == CFS_OK && (e = readdir(d)) != NULL)
		if (!may_be_there(f, e->d_name))
			rc = cfs_error_set(err, CFS_EIO, "'%.120s' has other "
					   "files, such as '%.60s': name an "
					   "empty folder, or a new one",
					   f->dir, e->d_name);
	closedir(d);
	return rc;
}

/* ---- the whole ----------------------------------------------------------- */

static int begin_or_resume(struct cfs_out_folder *f, struct cfs_error *err)
{
	char first[FIRST_BYTES];
	size_t n = first_line(f, first), good = n;
	CFS_BUF(text, JOURNAL_MAX);
	struct cfs_slice s;
	int rc = cfs_journal_read(f->journal_path, &text, err);

	s = cfs_buf_slice(&text);
	if (rc == CFS_OK && cfs_slice_starts(s, cfs_slice_of(first, n))) {
		take_lines(f, s, &good);
		rc = cfs_journal_keep(&f->journal, f->fingerprint, good, err);
	} else if (rc == CFS_OK) {
		if (s.n > 0) {
			cfs_log(CFS_LOG_WARNING, "%s: is of another export: "
				"starting again", f->dir);
			remove_other(f, s);
		}
		rc = check_others(f, err);
		if (rc == CFS_OK)
			rc = cfs_journal_begin(&f->journal, f->fingerprint,
					       first, err);
		else if (s.n == 0)	/* created just now */
			unlink(f->journal_path);
	}
	return rc;
}

int cfs_out_folder_open(struct cfs_out_folder *f,
			const struct cfs_rows_out_opts *opts,
			struct cfs_error *err)
{
	char whole[PATH_MAX];
	int rc = make_names(f, opts, err);

	if (rc == CFS_OK && cfs_make_folders(f->dir, 0777) != 0)
		rc = folder_error(f->dir, "cannot make this folder", err);
	if (rc == CFS_OK)
		rc = clear_complete(f, opts, err);
	if (rc == CFS_OK)
		rc = cfs_journal_open(&f->journal, f->journal_path,
				      CFS_ROWS_OUT_MARK, 0666, f->dir, err);
	if (rc == CFS_OK)
		rc = begin_or_resume(f, err);
	if (rc == CFS_OK && f->part.n > 0) {
		path_of(f, CFS_ROWS_OUT_SUCCESS, no_part, whole);
		cfs_file_untake(whole, CFS_ROWS_OUT_MARK);
	}
	return rc;
}

void cfs_out_folder_close(struct cfs_out_folder *f)
{
	cfs_journal_close(&f->journal);
}

void cfs_out_folder_forget(struct cfs_out_folder *f)
{
	unlink(f->journal_path);
	rmdir(f->dir);			/* fails if it has files */
}

/* Marks the whole as complete once all parts are. */
static int finish_parts(const struct cfs_out_folder *f, struct cfs_error *err)
{
	char path[PATH_MAX];

	for (uint32_t k = 1; k <= f->part.n; k++) {
		const struct cfs_part part = { k, f->part.n };

		path_of(f, CFS_ROWS_OUT_SUCCESS, part, path);
		if (access(path, F_OK) != 0)
			return CFS_OK;
	}
	path_of(f, CFS_ROWS_OUT_SUCCESS, no_part, path);
	return cfs_file_replace(path, CFS_SLICE_LIT(CFS_ROWS_OUT_ALL_PARTS),
				0666, err);
}

int cfs_out_folder_finish(struct cfs_out_folder *f,
			  const struct cfs_rows_out_opts *opts,
			  struct cfs_error *err)
{
	int rc = CFS_OK;

	if (opts->deliver != NULL)
		rc = opts->deliver(opts->arg, f->journal_path,
				   strrchr(f->success_path, '/') + 1, err);
	if (rc == CFS_OK && opts->deliver != NULL) {
		cfs_out_folder_forget(f);
		return CFS_OK;
	}
	if (rc == CFS_OK && rename(f->journal_path, f->success_path) != 0)
		rc = folder_error(f->success_path, "cannot rename", err);
	if (rc == CFS_OK)
		cfs_sync_folder_of(f->success_path);
	return rc == CFS_OK && f->part.n > 0 ? finish_parts(f, err) : rc;
}

/* copyfile.c - writes a growing file and its journal.
 *
 * The journal (base/journal.h) is lines of text:
 *
 *     crawlfs-copy 1 FINGERPRINT
 *     BYTES ITEMS WRITTEN HASH CHECK      one a stretch, in order
 *
 * BYTES (of the file so far), ITEMS and WRITTEN are decimal; FINGERPRINT, which
 * is also the seed of the checks (base/journal.h), and HASH (XXH64 of the
 * stretch since the line before) are 16 hex digits.  A line that differs ends
 * the journal.  No sync is needed to trust a line, because the bytes that it
 * covers are checked too.  A line that adds bytes to a file with items, but no
 * items, is the seal: the file is complete.
 *
 * The first words mark a journal as crawlfs's own, and the growing file is its
 * own if the journal is: otherwise neither is written to, cut or removed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "copyfile.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/journal.h"
#include "base/log.h"

#define KEEP_BYTES ((size_t)1 << 20)
#define KEEP_MS 1000
#define READ_BYTES ((size_t)1 << 20)
#define WORDS_MAX_BYTES 128u
#define MARK "crawlfs-copy 1 "
#define JOURNAL_MAX ((size_t)256 << 20)	/* about 3 million stretches */

struct cfs_copyfile {
	char path[PATH_MAX], part[PATH_MAX], journal_path[PATH_MAX];
	uint64_t fingerprint;
	size_t lead_bytes;
	bool force, is_whole, is_forgotten;
	bool is_known;		/* part and journal are this run's, and mark is
				 * true of them */
	int fd;
	struct cfs_journal journal;
	const struct cfs_cancel *cancel;
	struct cfs_copyfile_mark mark;		/* as in the journal */
	struct cfs_buf kept;
	uint64_t kept_items, kept_written;
	int64_t kept_since_ms;
	/* The kept bytes end inside an item.  `ahead` bytes of it, whole
	 * blocks of READ_BYTES, are in the file behind the mark already;
	 * ahead_hash is their hash. */
	bool in_item;
	uint64_t ahead, ahead_hash;
};

static int io_error(const char *path, const char *what, struct cfs_error *err)
{
	return cfs_error_at(err, errno == EACCES || errno == EPERM ?
			    CFS_EACCESS : CFS_EIO, path, 0, "%s: %s", what,
			    strerror(errno));
}

static int write_all(int fd, struct cfs_slice s, uint64_t off, const char *path,
		     struct cfs_error *err)
{
	size_t done = cfs_write_at(fd, s.p, s.n, off);

	if (done < s.n)
		return cfs_error_at(err, CFS_EIO, path, off + done,
				    "cannot write: %s", strerror(errno));
	return CFS_OK;
}

/* ---- the journal ------------------------------------------------------ */

static int append_mark(struct cfs_copyfile *f,
		       const struct cfs_copyfile_mark *m, uint64_t hash,
		       struct cfs_error *err)
{
	char words[WORDS_MAX_BYTES];

	snprintf(words, sizeof(words), "%" PRIu64 " %" PRIu64 " %" PRIu64
		 " %016" PRIx64, m->bytes, m->items, m->written, hash);
	return cfs_journal_add(&f->journal, words, err);
}

static bool next_number(struct cfs_slice *line, uint64_t *out)
{
	return cfs_slice_parse_u64(cfs_slice_split(line, ' '), INT64_MAX,
				   out) == CFS_OK;
}

static bool parse_hex(struct cfs_slice s, uint64_t *out)
{
	uint8_t bytes[8];

	if (!cfs_hex_read(s, bytes, sizeof(bytes)))
		return false;
	*out = cfs_be64_get(bytes);
	return true;
}

/* True if the line's words make sense and continue `before`. */
static bool parse_mark(struct cfs_slice words,
		       const struct cfs_copyfile_mark *before,
		       struct cfs_copyfile_mark *m, uint64_t *hash)
{
	return next_number(&words, &m->bytes) &&
	       next_number(&words, &m->items) &&
	       next_number(&words, &m->written) &&
	       parse_hex(words, hash) && m->bytes >= before->bytes &&
	       m->items >= before->items && m->written >= before->written;
}

/* Hashes blocks of READ_BYTES, each seeded with the hash before. */
static uint64_t hash_more(struct cfs_slice s, uint64_t hash)
{
	for (; s.n > 0; s = cfs_slice_from(s, READ_BYTES))
		hash = cfs_hash64(cfs_slice_sub(s, 0, READ_BYTES), hash);
	return hash;
}

/* Hashes the bytes from..to, without the lead.  buf: READ_BYTES.  False if they
 * are not there. */
static bool hash_stretch(const struct cfs_copyfile *f, int fd, uint64_t from,
			 uint64_t to, uint8_t *buf, uint64_t *out)
{
	uint64_t hash = 0;

	if (from < f->lead_bytes)
		from = f->lead_bytes;
	while (from < to) {
		size_t n = to - from < READ_BYTES ? (size_t)(to - from) :
						    READ_BYTES;

		if (cfs_read_at(fd, buf, n, from) < n)
			return false;
		hash = hash_more(cfs_slice_of(buf, n), hash);
		from += n;
	}
	*out = hash;
	return true;
}

/* True if a line adds what the file has. */
static bool is_confirmed(const struct cfs_copyfile *f, int fd,
			 const struct cfs_copyfile_mark *m, uint64_t want,
			 uint8_t *buf)
{
	uint64_t hash;

	return hash_stretch(f, fd, f->mark.bytes, m->bytes, buf, &hash) &&
	       hash == want;
}

/* Applies the lines that are valid; *good is where they end in the journal. */
static int check_lines(struct cfs_copyfile *f, int fd, struct cfs_slice text,
		       size_t *good, struct cfs_error *err)
{
	struct cfs_slice rest = cfs_slice_from(text, *good), words;
	uint8_t *buf = malloc(READ_BYTES);
	struct cfs_copyfile_mark m;
	uint64_t hash;
	int rc = CFS_OK;

	if (buf == NULL)
		return cfs_error_nomem(err);
	while (cfs_journal_next(&rest, f->fingerprint, &words) == CFS_OK) {
		if (cfs_cancelled(f->cancel)) {
			rc = cfs_error_set(err, CFS_EINTR, "interrupted");
			break;
		}
		if (!parse_mark(words, &f->mark, &m, &hash) ||
		    !is_confirmed(f, fd, &m, hash, buf))
			break;
		m.is_sealed = m.items > 0 && m.items == f->mark.items &&
			      m.bytes > f->mark.bytes;
		f->mark = m;
		*good = text.n - rest.n;
	}
	free(buf);
	return rc;
}

static size_t first_line(const struct cfs_copyfile *f, char *out, size_t n)
{
	return (size_t)snprintf(out, n, MARK "%016" PRIx64 "\n",
				f->fingerprint);
}

/* Sets f->mark to what the journal confirms of `fd`; *good is 0 if the journal
 * is of other work. */
static int recall(struct cfs_copyfile *f, int fd, size_t *good,
		  struct cfs_error *err)
{
	char first[WORDS_MAX_BYTES];
	CFS_BUF(text, JOURNAL_MAX);
	int rc;

	*good = 0;
	f->mark = (struct cfs_copyfile_mark){ 0 };
	rc = cfs_journal_read(f->journal_path, &text, err);
	if (rc == CFS_OK) {
		size_t n = first_line(f, first, sizeof(first));

		if (cfs_slice_starts(cfs_buf_slice(&text),
				     cfs_slice_of(first, n))) {
			*good = n;
			rc = check_lines(f, fd, cfs_buf_slice(&text), good,
					 err);
		} else if (text.n > 0) {
			cfs_log(CFS_LOG_WARNING,
				"%s: is of another copy: starting "
				"again",
				f->part);
		}
	}
	return rc;
}

/* ---- opening ---------------------------------------------------------- */

static int make_names(struct cfs_copyfile *f, const char *path,
		      struct cfs_error *err)
{
	if (snprintf(f->path, PATH_MAX, "%s", path) >= PATH_MAX ||
	    snprintf(f->part, PATH_MAX, "%s.part", path) >= PATH_MAX ||
	    snprintf(f->journal_path, PATH_MAX, "%s.journal", path) >= PATH_MAX)
		return cfs_error_set(err, CFS_EIO,
				     "'%s' is too long for a name", path);
	return CFS_OK;
}

/* Sets is_whole if the file was finished and only the journal is left.  CFS_EIO
 * if another file is at path. */
static int check_taken(struct cfs_copyfile *f, struct cfs_error *err)
{
	struct stat st;
	size_t good = 0;
	int fd, rc = CFS_OK;

	if (stat(f->path, &st) != 0)
		return CFS_OK;
	if (!S_ISREG(st.st_mode))
		return cfs_error_set(err, CFS_EIO, "'%s' is not a regular file",
				     f->path);
	fd = open(f->path, O_RDONLY | O_CLOEXEC);
	if (access(f->journal_path, F_OK) == 0)
		(void)cfs_journal_open(&f->journal, f->journal_path, MARK, 0666,
				       f->part, NULL);
	if (fd >= 0 && f->journal.is_open && access(f->part, F_OK) != 0)
		rc = recall(f, fd, &good, err);
	f->is_whole = good > 0 && f->mark.bytes > 0 &&
		      f->mark.bytes == (uint64_t)st.st_size;
	if (fd >= 0)
		close(fd);
	if (rc != CFS_OK || f->is_whole)
		return rc;
	cfs_journal_close(&f->journal);
	return f->force ? CFS_OK :
	       cfs_error_set(err, CFS_EIO,
			     "'%s' exists (--force replaces it)", f->path);
}

/* Takes journal and growing file, if they belong together or are new, and no
 * other process writes them.  The journal comes first: it has the mark. */
static int take_both(struct cfs_copyfile *f, struct cfs_error *err)
{
	bool had_journal = access(f->journal_path, F_OK) == 0;
	struct stat journal, part;
	int rc = cfs_journal_open(&f->journal, f->journal_path, MARK, 0666,
				  f->part, err);

	if (rc == CFS_OK)
		rc = cfs_file_take(&f->fd, f->part, NULL, 0666, err);
	if (rc != CFS_OK)
		return rc;
	if (fstat(f->journal.fd, &journal) != 0 || fstat(f->fd, &part) != 0)
		return io_error(f->part, "cannot write", err);
	if (journal.st_size == 0 && part.st_size > 0) {
		if (!had_journal)	/* created just now */
			unlink(f->journal_path);
		return cfs_error_at(err, CFS_EIO, f->part, 0, "is in the way: "
				    "no journal says that crawlfs has made it");
	}
	return CFS_OK;
}

static int open_part(struct cfs_copyfile *f, struct cfs_error *err)
{
	char first[WORDS_MAX_BYTES];
	size_t good;
	int rc = take_both(f, err);

	if (rc == CFS_OK)
		rc = recall(f, f->fd, &good, err);
	if (rc != CFS_OK)
		return rc;
	f->is_known = true;
	if (ftruncate(f->fd, (off_t)f->mark.bytes) != 0)
		return io_error(f->part, "cannot cut", err);
	if (good > 0)
		return cfs_journal_keep(&f->journal, f->fingerprint, good, err);
	first_line(f, first, sizeof(first));
	return cfs_journal_begin(&f->journal, f->fingerprint, first, err);
}

int cfs_copyfile_open(struct cfs_copyfile **out,
		      const struct cfs_copyfile_opts *opts,
		      struct cfs_copyfile_mark *mark, bool *is_whole,
		      struct cfs_error *err)
{
	struct cfs_copyfile *f = calloc(1, sizeof(*f));
	int rc;

	*out = NULL;
	*is_whole = false;
	if (f == NULL)
		return cfs_error_nomem(err);
	f->fd = -1;
	f->fingerprint = opts->fingerprint;
	f->force = opts->force;
	f->lead_bytes = opts->lead_bytes;
	f->cancel = opts->cancel;
	cfs_buf_init(&f->kept, SIZE_MAX / 2);
	rc = make_names(f, opts->path, err);
	if (rc == CFS_OK)
		rc = check_taken(f, err);
	if (rc == CFS_OK && !f->is_whole)
		rc = open_part(f, err);
	if (rc != CFS_OK) {
		cfs_copyfile_close(f);
		return rc;
	}
	*mark = f->mark;
	*is_whole = f->is_whole;
	*out = f;
	return CFS_OK;
}

/* ---- writing ---------------------------------------------------------- */

int cfs_copyfile_flush(struct cfs_copyfile *f, struct cfs_error *err)
{
	struct cfs_slice s = cfs_buf_slice(&f->kept);
	struct cfs_copyfile_mark m = {
		.bytes = f->mark.bytes + f->ahead + s.n,
		.items = f->mark.items + f->kept_items,
		.written = f->mark.written + f->kept_written,
	};
	struct cfs_slice checked = cfs_slice_from(s,
			f->mark.bytes < f->lead_bytes ?
			f->lead_bytes - (size_t)f->mark.bytes : 0);
	int rc;

	if (f->kept_items == 0 && f->ahead == 0 && s.n == 0)
		return CFS_OK;
	rc = write_all(f->fd, s, f->mark.bytes + f->ahead, f->part, err);
	if (rc == CFS_OK)
		rc = append_mark(f, &m, hash_more(checked, f->ahead_hash), err);
	if (rc != CFS_OK)
		return rc;
	f->mark = m;
	f->ahead = f->ahead_hash = 0;
	f->kept_items = f->kept_written = 0;
	if (f->kept.cap > 4 * KEEP_BYTES)
		cfs_buf_release(&f->kept);
	cfs_buf_reset(&f->kept);
	return CFS_OK;
}

/* Writes whole blocks of the item that is being added, without a mark. */
static int write_ahead(struct cfs_copyfile *f, struct cfs_error *err)
{
	size_t n = f->kept.n / READ_BYTES * READ_BYTES;
	struct cfs_slice s = cfs_slice_of(f->kept.p, n);
	int rc = write_all(f->fd, s, f->mark.bytes + f->ahead, f->part, err);

	if (rc != CFS_OK)
		return rc;
	f->ahead_hash = hash_more(s, f->ahead_hash);
	f->ahead += n;
	memmove(f->kept.p, f->kept.p + n, f->kept.n - n);
	f->kept.n -= n;
	return CFS_OK;
}

int cfs_copyfile_add_bytes(struct cfs_copyfile *f, struct cfs_slice bytes,
			   struct cfs_error *err)
{
	int rc = f->in_item ? CFS_OK : cfs_copyfile_flush(f, err);

	f->in_item = true;
	if (rc == CFS_OK && cfs_buf_add(&f->kept, bytes) != CFS_OK)
		rc = cfs_error_set(err, f->kept.failed, "out of memory");
	if (rc == CFS_OK && f->kept.n >= KEEP_BYTES)
		rc = write_ahead(f, err);
	return rc;
}

int cfs_copyfile_add(struct cfs_copyfile *f, struct cfs_slice bytes,
		     uint64_t items, uint64_t written, struct cfs_error *err)
{
	f->in_item = false;
	if (f->kept_items == 0 && f->kept.n == 0)
		f->kept_since_ms = cfs_monotonic_ms();
	if (cfs_buf_add(&f->kept, bytes) != CFS_OK)
		return cfs_error_set(err, f->kept.failed, "out of memory");
	f->kept_items += items;
	f->kept_written += written;
	if (f->kept.n < KEEP_BYTES &&
	    cfs_monotonic_ms() - f->kept_since_ms < KEEP_MS)
		return CFS_OK;
	return cfs_copyfile_flush(f, err);
}

int cfs_copyfile_lend(struct cfs_copyfile *f, int *fd, const char **path,
		      uint64_t *bytes, struct cfs_error *err)
{
	int rc = cfs_copyfile_flush(f, err);

	*fd = f->fd;
	*path = f->part;
	*bytes = f->mark.bytes;
	return rc;
}

int cfs_copyfile_seal(struct cfs_copyfile *f, uint64_t end,
		      struct cfs_error *err)
{
	struct cfs_copyfile_mark m = f->mark;
	uint8_t *buf = malloc(READ_BYTES);
	uint64_t hash = 0;
	int rc = CFS_OK;

	assert(f->kept_items == 0 && f->mark.items > 0);
	m.bytes = end;
	m.is_sealed = true;
	if (buf == NULL)
		return cfs_error_nomem(err);
	if (!hash_stretch(f, f->fd, f->mark.bytes, end, buf, &hash))
		rc = cfs_error_at(err, CFS_EIO, f->part, 0,
				  "cannot read what was written");
	free(buf);
	/* the lead is not checked when the journal is read */
	if (rc == CFS_OK && fsync(f->fd) != 0)
		rc = io_error(f->part, "cannot write", err);
	if (rc == CFS_OK)
		rc = append_mark(f, &m, hash, err);
	if (rc == CFS_OK)
		f->mark = m;
	return rc;
}

int cfs_copyfile_finish(struct cfs_copyfile *f, struct cfs_error *err)
{
	int rc = cfs_copyfile_flush(f, err);

	if (rc != CFS_OK)
		return rc;
	if (fsync(f->fd) != 0)
		return io_error(f->part, "cannot write", err);
	/* another file may have appeared there */
	if (f->force ? rename(f->part, f->path) != 0 :
	    renameat2(AT_FDCWD, f->part, AT_FDCWD, f->path, RENAME_NOREPLACE) !=
		    0 && (errno != EINVAL || rename(f->part, f->path) != 0))
		return io_error(f->path, "cannot rename", err);
	f->is_whole = true;
	cfs_sync_folder_of(f->path);
	return CFS_OK;
}

void cfs_copyfile_forget(struct cfs_copyfile *f)
{
	if (!f->is_whole)
		unlink(f->part);
	unlink(f->journal_path);
	f->is_forgotten = true;
}

bool cfs_copyfile_leave(struct cfs_copyfile *f)
{
	if (f == NULL || f->is_forgotten)
		return false;
	if (f->is_whole || !f->is_known)
		return true;
	if (!f->in_item)
		(void)cfs_copyfile_flush(f, NULL);	/* as far as possible */
	if (f->mark.items == 0)
		cfs_copyfile_forget(f);
	return f->mark.items > 0;
}

void cfs_copyfile_close(struct cfs_copyfile *f)
{
	if (f == NULL)
		return;
	(void)cfs_copyfile_leave(f);
	if (f->fd >= 0)
		close(f->fd);
	cfs_journal_close(&f->journal);
	cfs_buf_release(&f->kept);
	free(f);
}

/* journal.c - writes and reads files of checked lines that record how far work
 * has come.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fileio.h"
#include "hash.h"

#define CHECK_BYTES 17u			/* with the blank before it */

static int journal_io_error(const char *path, const char *what,
			    struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EIO, path, 0, "%s: %s", what,
			    strerror(errno));
}

/* Formats the check of a line's words, with the blank before it and a NUL. */
static void make_check(struct cfs_slice words, uint64_t seed,
		       char out[CHECK_BYTES + 1])
{
	snprintf(out, CHECK_BYTES + 1, " %016" PRIx64, cfs_hash64(words, seed));
}

int cfs_journal_open(struct cfs_journal *j, const char *path, const char *mark,
		     mode_t mode, const char *what, struct cfs_error *err)
{
	struct stat st;
	int fd, rc = cfs_file_take(&fd, path, mark, mode, err);

	*j = (struct cfs_journal){ .is_open = false };
	if (rc != CFS_OK)
		return rc;
	/* One that is removed now was of a process that has just finished. */
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &st) != 0 ||
	    st.st_nlink == 0) {
		close(fd);
		return cfs_error_set(err, CFS_EIO, "'%s' is being written by "
				     "another process", what);
	}
	j->path = path;
	j->fd = fd;
	pthread_mutex_init(&j->lock, NULL);
	j->is_open = true;
	return CFS_OK;
}

void cfs_journal_close(struct cfs_journal *j)
{
	if (!j->is_open)
		return;
	close(j->fd);
	pthread_mutex_destroy(&j->lock);
	j->is_open = false;
}

int cfs_journal_read(const char *path, struct cfs_buf *text,
		     struct cfs_error *err)
{
	int rc = cfs_file_read(path, text);

	if (text->failed == CFS_ELIMIT)
		return cfs_error_at(err, CFS_ELIMIT, path, 0, "is too long");
	if (text->failed != CFS_OK)
		return cfs_error_nomem(err);
	return rc == CFS_OK || errno == ENOENT ? CFS_OK :
	       journal_io_error(path, "cannot read", err);
}

int cfs_journal_next(struct cfs_slice *rest, uint64_t seed,
		     struct cfs_slice *words)
{
	ptrdiff_t end = cfs_slice_find(*rest, '\n');
	char check[CHECK_BYTES + 1];
	struct cfs_slice line;

	if (end < 0)
		return CFS_END;
	line = cfs_slice_sub(*rest, 0, (size_t)end);
	*rest = cfs_slice_from(*rest, (size_t)end + 1);
	if (line.n < CHECK_BYTES)
		return CFS_EFORMAT;
	*words = cfs_slice_sub(line, 0, line.n - CHECK_BYTES);
	make_check(*words, seed, check);
	return cfs_slice_eq(cfs_slice_from(line, words->n),
			    cfs_slice_of(check, CHECK_BYTES)) ?
	       CFS_OK : CFS_EFORMAT;
}

static int journal_put(struct cfs_journal *j, struct cfs_slice s,
		       struct cfs_error *err)
{
	int rc = CFS_OK;

	pthread_mutex_lock(&j->lock);
	if (cfs_write_at(j->fd, s.p, s.n, j->end) == s.n)
		j->end += s.n;
	else
		rc = journal_io_error(j->path, "cannot write", err);
	pthread_mutex_unlock(&j->lock);
	return rc;
}

int cfs_journal_begin(struct cfs_journal *j, uint64_t seed, const char *first,
		      struct cfs_error *err)
{
	int rc = cfs_journal_keep(j, seed, 0, err);

	return rc == CFS_OK ? journal_put(j, cfs_slice_str(first), err) : rc;
}

int cfs_journal_keep(struct cfs_journal *j, uint64_t seed, uint64_t n,
		     struct cfs_error *err)
{
	if (ftruncate(j->fd, (off_t)n) != 0)
		return journal_io_error(j->path, "cannot cut", err);
	j->seed = seed;
	j->end = n;
	return CFS_OK;
}

int cfs_journal_add(struct cfs_journal *j, const char *words,
		    struct cfs_error *err)
{
	char line[CFS_JOURNAL_WORDS_MAX + CHECK_BYTES + 2];
	char check[CHECK_BYTES + 1];
	size_t n = strlen(words);

	if (n > CFS_JOURNAL_WORDS_MAX)
		return cfs_error_at(err, CFS_ELIMIT, j->path, 0,
				    "a line of %zu bytes is too long", n);
	make_check(cfs_slice_of(words, n), j->seed, check);
	snprintf(line, sizeof(line), "%s%s\n", words, check);
	return journal_put(j, cfs_slice_str(line), err);
}

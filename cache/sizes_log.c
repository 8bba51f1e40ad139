/* sizes_log.c - reads, appends to and bounds a file of kept sizes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sizes_log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/trust.h"

#define NAME_BYTES (16 + 1 + 16 + sizeof(".sizes"))
#define PLACE_DIGITS 17u	/* of the name: 16 digits and a hyphen */
/* Bytes read at once; the largest batch fits. */
#define WINDOW_BYTES ((size_t)128 << 10)
/* How long to try: another process holds the lock while it writes once. */
#define LOCK_TRIES 100u
#define LOCK_PAUSE_NS 10000000L
/* Attempts, as the file may be replaced or deleted between open and lock. */
#define OPEN_TRIES 5u

bool cfs_sizes_is_name(const char *name)
{
	size_t digits = strspn(name, "0123456789abcdef-");

	return strlen(name) == NAME_BYTES - 1 && digits == 33 &&
	       name[16] == '-' && strcmp(name + digits, ".sizes") == 0;
}

int cfs_sizes_log_init(struct cfs_sizes_log *log, const char *cache_dir,
		       const struct cfs_sizes_id *id, struct cfs_error *err)
{
	*log = (struct cfs_sizes_log){ .id = *id, .fd = -1 };
	if (asprintf(&log->dir, "%s/sizes", cache_dir) < 0)
		log->dir = NULL;
	if (log->dir == NULL ||
	    asprintf(&log->path, "%s/%016" PRIx64 "-%016" PRIx64 ".sizes",
		     log->dir, id->place, id->state) < 0) {
		log->path = NULL;
		cfs_sizes_log_release(log);
		return cfs_error_nomem(err);
	}
	return CFS_OK;
}

void cfs_sizes_log_release(struct cfs_sizes_log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	free(log->path);
	free(log->dir);
	*log = (struct cfs_sizes_log){ .fd = -1 };
}

/* ---- reading ------------------------------------------------------------ */

static void count_batch(void *arg, const struct cfs_sizes_batch *b)
{
	uint64_t *n = arg;

	*n += b->n;
}

static void each_none(void *arg, const struct cfs_sizes_batch *b)
{
	(void)arg;
	(void)b;
}

/* Reads batches and moves log->end behind each sound one that ends by `until`.
 * False: out of memory. */
static bool read_on(struct cfs_sizes_log *log, int fd, uint64_t until,
		    cfs_sizes_each *each, void *arg)
{
	uint8_t *window = malloc(WINDOW_BYTES);
	struct cfs_sizes_batch b;
	struct cfs_sizes_id id;
	bool moved = true;

	if (window == NULL)
		return false;
	while (moved && log->end < until) {
		uint64_t room = until - log->end;
		size_t n = room < WINDOW_BYTES ? (size_t)room : WINDOW_BYTES;
		struct cfs_slice rest;

		rest = cfs_slice_of(window,
				    cfs_read_at(fd, window, n, log->end));
		n = rest.n;
		if (log->end == 0 &&
		    (cfs_sizes_header_parse(&rest, &id, &log->seed) != CFS_OK ||
		     id.place != log->id.place || id.state != log->id.state))
			break;
		while (cfs_sizes_batch_parse(&rest, log->seed, &b) == CFS_OK)
			each(arg, &b);
		moved = rest.n < n;
		log->end += n - rest.n;
	}
	free(window);
	return true;
}

static int open_regular(int dirfd, const char *path, int flags, struct stat *st)
{
	int fd =
		openat(dirfd, path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
		       cfs_trust_mode(0600));

	if (fd < 0)
		return -1;
	if (fstat(fd, st) == 0 && S_ISREG(st->st_mode))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

static void set_file(struct cfs_sizes_log *log, const struct stat *st)
{
	log->dev = st->st_dev;
	log->ino = st->st_ino;
	log->end = 0;
}

void cfs_sizes_log_load(struct cfs_sizes_log *log, cfs_sizes_each *each,
			void *arg)
{
	struct stat st;
	int fd = open_regular(AT_FDCWD, log->path, O_RDONLY, &st);

	if (fd < 0)
		return;
	set_file(log, &st);
	read_on(log, fd, CFS_SIZES_FILE_BYTES_MAX, each, arg);
	futimens(fd, NULL);	/* notes the use, if permitted */
	close(fd);
}

int cfs_sizes_check(int dirfd, const char *name, struct cfs_sizes_check *out)
{
	uint8_t head[CFS_SIZES_HEADER_BYTES];
	struct cfs_sizes_log log = { .fd = -1 };
	struct cfs_slice rest;
	struct stat st;
	int fd = open_regular(dirfd, name, O_RDONLY, &st);

	*out = (struct cfs_sizes_check){ 0 };
	if (fd < 0)
		return CFS_EIO;
	rest = cfs_slice_of(head, cfs_read_at(fd, head, sizeof(head), 0));
	if (cfs_sizes_header_parse(&rest, &log.id, &log.seed) == CFS_OK)
		read_on(&log, fd, (uint64_t)st.st_size, count_batch,
			&out->sizes);
	close(fd);
	out->sound_bytes = log.end;
	out->is_damaged = log.end < (uint64_t)st.st_size;
	return CFS_OK;
}

/* ---- other files of the folder ------------------------------------------ */

/* Deletes files for other states of the same index, counts those of other
 * indexes, and names the least recently used of these. */
static unsigned count_others(const struct cfs_sizes_log *log, DIR *d,
			     char oldest[NAME_BYTES])
{
	const char *mine = strrchr(log->path, '/') + 1;
	time_t age = 0;
	struct dirent *e;
	struct stat st;
	unsigned n = 0;

	while ((e = readdir(d)) != NULL) {
		if (!cfs_sizes_is_name(e->d_name) ||
		    strcmp(e->d_name, mine) == 0 ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (strncmp(e->d_name, mine, PLACE_DIGITS) == 0) {
			unlinkat(dirfd(d), e->d_name, 0);
		} else {
			if (n == 0 || st.st_mtime < age) {
				age = st.st_mtime;
				memcpy(oldest, e->d_name, NAME_BYTES);
			}
			n++;
		}
	}
	return n;
}

/* Makes room for one more file in the folder. */
static void sizes_log_make_room(const struct cfs_sizes_log *log)
{
	char oldest[NAME_BYTES];
	DIR *d = opendir(log->dir);

	while (d != NULL &&
	       count_others(log, d, oldest) >= CFS_SIZES_FILES_MAX &&
	       unlinkat(dirfd(d), oldest, 0) == 0)
		rewinddir(d);
	if (d != NULL)
		closedir(d);
}

/* ---- writing ------------------------------------------------------------ */

static int sizes_log_io_failed(const struct cfs_sizes_log *log,
			       const char *what, struct cfs_error *err)
{
	return cfs_error_at(err,
			    errno == EACCES || errno == EROFS ? CFS_EACCESS :
								CFS_EIO,
			    log->path, 0, "cannot %s: %s", what,
			    strerror(errno));
}

static bool take_lock(int fd)
{
	static const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

	for (unsigned i = 0; i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return false;
		nanosleep(&pause, NULL);
	}
	return false;
}

static void unlock(struct cfs_sizes_log *log)
{
	close(log->fd);		/* releases the lock too */
	log->fd = -1;
}

/* Opens and locks the file; creates it if need be. */
static int sizes_log_lock(struct cfs_sizes_log *log, struct cfs_error *err)
{
	for (unsigned i = 0; i < OPEN_TRIES; i++) {
		struct stat st;

		log->fd = open_regular(AT_FDCWD, log->path, O_RDWR, &st);
		if (log->fd < 0 && errno == ENOENT &&
		    cfs_make_folders(log->dir, cfs_trust_mode(0700)) == 0) {
			sizes_log_make_room(log);
			log->fd = open_regular(AT_FDCWD, log->path,
					       O_RDWR | O_CREAT, &st);
		}
		if (log->fd < 0)
			return sizes_log_io_failed(log, "write", err);
		if (!take_lock(log->fd)) {
			sizes_log_io_failed(log, "lock", err);
			unlock(log);
			return CFS_EIO;
		}
		if (fstat(log->fd, &st) == 0 && st.st_nlink > 0) {
			if (st.st_ino != log->ino || st.st_dev != log->dev ||
			    (uint64_t)st.st_size < log->end)
				set_file(log, &st);
			return CFS_OK;
		}
		unlock(log);
	}
	errno = ENOENT;
	return sizes_log_io_failed(log, "write", err);
}

static int write_at_end(struct cfs_sizes_log *log, const void *p, size_t n,
			struct cfs_error *err)
{
	int rc = CFS_OK;

	if (cfs_write_at(log->fd, p, n, log->end) == n) {
		log->end += n;
		return CFS_OK;
	}
	rc = sizes_log_io_failed(log, "write", err);
	if (ftruncate(log->fd, (off_t)log->end) != 0)
		rc = CFS_EIO;	/* what was written of it is not sound */
	return rc;
}

/* Reads up to the end, truncates the file before what is not sound, and writes
 * the header of a new file. */
static int read_and_mend(struct cfs_sizes_log *log, cfs_sizes_each *each,
			 void *arg, struct cfs_error *err)
{
	uint8_t head[CFS_SIZES_HEADER_BYTES];

	if (!read_on(log, log->fd, CFS_SIZES_FILE_BYTES_MAX, each, arg))
		return cfs_error_nomem(err);
	if (ftruncate(log->fd, (off_t)log->end) != 0)
		return sizes_log_io_failed(log, "write", err);
	if (log->end > 0)
		return CFS_OK;
	log->seed = cfs_sizes_header_encode(&log->id, head);
	return write_at_end(log, head, sizeof(head), err);
}

/* Replaces the file by a header and the bytes from `from` on.  The lock is
 * still that of the old file. */
static int replace_by_rest(struct cfs_sizes_log *log, uint64_t from,
			   struct cfs_error *err)
{
	uint8_t head[CFS_SIZES_HEADER_BYTES], *window = malloc(WINDOW_BYTES);
	struct cfs_replacement r = { .fd = -1 };
	uint64_t to = sizeof(head);
	int rc = window != NULL ?
			 cfs_replacement_open(&r, log->path,
					      cfs_trust_mode(0600), err) :
			 cfs_error_nomem(err);
	bool ok = rc == CFS_OK;

	cfs_sizes_header_encode(&log->id, head);
	ok = ok && cfs_write_at(r.fd, head, sizeof(head), 0) == sizeof(head);
	while (ok && from < log->end) {
		uint64_t left = log->end - from;
		size_t n = left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES;

		ok = cfs_read_at(log->fd, window, n, from) == n &&
		     cfs_write_at(r.fd, window, n, to) == n;
		from += n;
		to += n;
	}
	free(window);
	if (ok)
		return cfs_replacement_commit(&r, err);
	if (rc == CFS_OK)
		rc = sizes_log_io_failed(log, "write", err);
	cfs_replacement_drop(&r);
	return rc;
}

/* Replaces the file by its newer half. */
static int drop_older_half(struct cfs_sizes_log *log, cfs_sizes_each *each,
			   void *arg, struct cfs_error *err)
{
	struct cfs_sizes_log half = *log;
	int rc;

	half.end = 0;
	if (!read_on(&half, log->fd, log->end / 2, each_none, NULL))
		return cfs_error_nomem(err);
	rc = replace_by_rest(log, half.end, err);
	unlock(log);
	if (rc == CFS_OK)
		rc = sizes_log_lock(log, err);
	return rc == CFS_OK ? read_and_mend(log, each, arg, err) : rc;
}

int cfs_sizes_log_append(struct cfs_sizes_log *log, uint32_t code,
			 const struct cfs_sizes_entry *v, uint32_t n,
			 cfs_sizes_each *each, void *arg,
			 struct cfs_error *err)
{
	struct cfs_buf b;
	int rc = sizes_log_lock(log, err);

	if (rc != CFS_OK)
		return rc;
	cfs_buf_init(&b, WINDOW_BYTES);
	rc = read_and_mend(log, each, arg, err);
	if (rc == CFS_OK)
		rc = cfs_sizes_batch_encode(log->seed, code, v, n, &b);
	if (rc == CFS_OK && log->end + b.n > CFS_SIZES_FILE_BYTES_MAX)
		rc = drop_older_half(log, each, arg, err);
	if (rc == CFS_OK)
		rc = write_at_end(log, b.p, b.n, err);
	cfs_buf_release(&b);
	if (log->fd >= 0)
		unlock(log);
	return rc;
}

/* fileio.c - complete reads and writes, temporary files, atomic replacement,
 * and paths (see fileio.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fileio.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>
#include <sys/random.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptors.h"

#define PATH_BYTES 4096
/* Temporary names tried before giving up; other processes may take names. */
#define NAMES_TRIED 1000u
/* The most bytes of a temporary name that come from the names of the file and
 * the host. */
#define TARGET_BYTES 64u
#define HOST_BYTES 64u

size_t cfs_write_at(int fd, const void *p, size_t n, uint64_t off)
{
	const uint8_t *from = p;
	size_t done = 0;

	while (done < n) {
		ssize_t k = pwrite(fd, from + done, n - done,
				   (off_t)(off + done));

		if (k < 0 && errno == EINTR)
			continue;
		if (k == 0)
			errno = ENOSPC;
		if (k <= 0)
			break;
		done += (size_t)k;
	}
	return done;
}

size_t cfs_read_at(int fd, void *p, size_t n, uint64_t off)
{
	uint8_t *to = p;
	size_t done = 0;

	while (done < n) {
		ssize_t k = pread(fd, to + done, n - done, (off_t)(off + done));

		if (k < 0 && errno == EINTR)
			continue;
		if (k == 0)
			errno = 0;
		if (k <= 0)
			break;
		done += (size_t)k;
	}
	return done;
}

int cfs_file_read(const char *path, struct cfs_buf *out)
{
	uint8_t part[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC), reason;
	ssize_t n = -1;

	if (fd < 0)
		return errno == EMFILE || errno == ENFILE ? CFS_EIO :
							    CFS_ENOTFOUND;
	while (out->failed == CFS_OK) {
		n = read(fd, part, sizeof(part));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		cfs_buf_append(out, part, (size_t)n);
	}
	reason = errno;
	close(fd);
	errno = reason;
	return n < 0 ? CFS_EIO : out->failed;
}

DIR *cfs_list_folder(int fd)
{
	int copy = fd < 0 ? -1 :
		   openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);

	if (d == NULL && copy >= 0)
		close(copy);
	return d;
}

int cfs_temp_file(const char *dir)
{
	char path[PATH_BYTES];
	int fd = cfs_openat(AT_FDCWD, dir, O_TMPFILE | O_RDWR, 0600);

	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof(path), "%s/.crawlfs-XXXXXX", dir) >=
	    (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);	/* not every file system has
					 * O_TMPFILE */
	if (fd >= 0)
		unlink(path);
	return fd;
}

static size_t folder_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* Locks a new temporary file, which shows cfs_replacement_sweep that it is in
 * use.  False if that has just removed it. */
static bool lock_temporary(int fd)
{
	struct stat st;

	(void)flock(fd, LOCK_EX | LOCK_NB);	/* may be unsupported */
	return fstat(fd, &st) != 0 || st.st_nlink > 0;
}

void cfs_replacement_sweep(const char *path)
{
	size_t dir_n = folder_bytes(path);
	char *folder = cfs_folder_of(path), prefix[NAME_MAX + 1];
	DIR *dir = folder != NULL ? opendir(folder) : NULL;
	struct dirent *e;
	int fd;

	snprintf(prefix, sizeof(prefix), ".crawlfs-%.*s", (int)TARGET_BYTES,
		 path + dir_n);
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		struct cfs_slice name = cfs_slice_str(e->d_name);

		if (!cfs_slice_starts(name, cfs_slice_str(prefix)) ||
		    !cfs_slice_ends(name, CFS_SLICE_LIT(".tmp")))
			continue;
		fd = openat(dirfd(dir), e->d_name,
			    O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			unlinkat(dirfd(dir), e->d_name, 0);
		if (fd >= 0)
			close(fd);
	}
	if (dir != NULL)
		closedir(dir);
	free(folder);
}

static int fileio_open_temporary(struct cfs_replacement *r, mode_t mode)
{
	static atomic_uint next;	/* keeps names distinct: a cluster
					 * makes thousands at a time */
	size_t dir_n = folder_bytes(r->path), room = dir_n + NAME_MAX;
	char host[HOST_BYTES + 1] = "";

	r->tmp_path = malloc(room);
	if (r->tmp_path == NULL)
		return -1;
	(void)gethostname(host, HOST_BYTES);	/* truncated; only a hint */
	for (unsigned i = 0; i < NAMES_TRIED; i++) {
		uint32_t random = 0;

		(void)!getrandom(&random, sizeof(random), GRND_NONBLOCK);
		random += atomic_fetch_add(&next, 1);
		snprintf(r->tmp_path, room, "%.*s.crawlfs-%.*s-%s-%ld-%08x.tmp",
			 (int)dir_n, r->path, (int)TARGET_BYTES,
			 r->path + dir_n, host, (long)getpid(), random);
		r->fd = cfs_openat(AT_FDCWD, r->tmp_path,
				   O_RDWR | O_CREAT | O_EXCL, mode);
		if (r->fd >= 0 && !lock_temporary(r->fd)) {
			close(r->fd);
			r->fd = -1;
			continue;
		}
		if (r->fd >= 0 || errno != EEXIST)
			break;
	}
	return r->fd;
}

static int code_of_errno(int number)
{
	switch (number) {
	case EACCES:
	case EROFS:
		return CFS_EACCESS;
	case ENOMEM:
		return CFS_ENOMEM;
	default:
		return CFS_EIO;
	}
}

static int fileio_failed(struct cfs_replacement *r, const char *what,
			 struct cfs_error *err)
{
	return cfs_error_at(err, code_of_errno(errno), r->path, 0,
			    "cannot %s: %s", what, strerror(errno));
}

static void fileio_release(struct cfs_replacement *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
	free(r->tmp_path);
	free(r->path);
	r->tmp_path = r->path = NULL;
}

int cfs_replacement_open(struct cfs_replacement *r, const char *path,
			 mode_t mode, struct cfs_error *err)
{
	int rc;

	*r = (struct cfs_replacement){ .fd = -1, .path = strdup(path) };
	if (r->path == NULL)
		return cfs_error_nomem(err);
	if (fileio_open_temporary(r, mode) >= 0)
		return CFS_OK;
	rc = fileio_failed(r, "write", err);
	fileio_release(r);
	return rc;
}

/* True if the file begins with mark, or is a prefix of it: a crash can cut it
 * short. */
static bool begins_with(int fd, const char *mark)
{
	char first[64];
	size_t n = strlen(mark);

	if (n > sizeof(first))
		return false;
	n = cfs_read_at(fd, first, n, 0);
	return memcmp(first, mark, n) == 0;
}

static bool is_own(int fd, const char *mark)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_nlink == 1 && st.st_uid == geteuid() &&
	       (mark == NULL || begins_with(fd, mark));
}

int cfs_file_take(int *fd, const char *path, const char *mark, mode_t mode,
		  struct cfs_error *err)
{
	int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

	*fd = open(path, flags | O_CREAT | O_EXCL, mode);
	if (*fd >= 0)
		return CFS_OK;
	if (errno != EEXIST)
		return cfs_error_at(err, errno == EACCES ? CFS_EACCESS :
				    CFS_EIO, path, 0, "cannot write: %s",
				    strerror(errno));
	*fd = open(path, flags);
	if (*fd >= 0 && is_own(*fd, mark))
		return CFS_OK;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return cfs_error_at(err, CFS_EIO, path, 0, "is in the way: crawlfs has "
			    "not made it, and leaves it as it is");
}

void cfs_file_untake(const char *path, const char *mark)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd >= 0 && is_own(fd, mark))
		unlink(path);
	if (fd >= 0)
		close(fd);
}

char *cfs_folder_of(const char *path)
{
	size_t n = folder_bytes(path);

	if (n == 0)
		return strdup(".");
	return strndup(path, n > 1 ? n - 1 : n);
}

void cfs_sync_folder_of(const char *path)
{
	char *folder = cfs_folder_of(path);
	int fd = folder == NULL ? -1 :
		 open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(folder);
	if (fd < 0)
		return;
	(void)fsync(fd);	/* the file itself is already synced */
	close(fd);
}

int cfs_replacement_close(struct cfs_replacement *r, struct cfs_error *err)
{
	int rc = fsync(r->fd) != 0 ? fileio_failed(r, "write", err) : CFS_OK;

	close(r->fd);
	r->fd = -1;
	return rc;
}

int cfs_replacement_commit(struct cfs_replacement *r, struct cfs_error *err)
{
	int rc = CFS_OK;

	if (r->fd >= 0 && !r->need_not_last && fsync(r->fd) != 0)
		rc = fileio_failed(r, "write", err);
	else if (rename(r->tmp_path, r->path) != 0)
		rc = fileio_failed(r, "rename", err);
	else if (!r->need_not_last)
		cfs_sync_folder_of(r->path);
	if (rc != CFS_OK)
		cfs_replacement_drop(r);
	else
		fileio_release(r);
	return rc;
}

void cfs_replacement_drop(struct cfs_replacement *r)
{
	if (r->tmp_path != NULL)
		unlink(r->tmp_path);
	fileio_release(r);
}

int cfs_file_replace(const char *path, struct cfs_slice bytes, mode_t mode,
		     struct cfs_error *err)
{
	struct cfs_replacement r;
	int rc = cfs_replacement_open(&r, path, mode, err);

	if (rc != CFS_OK)
		return rc;
	if (cfs_write_at(r.fd, bytes.p, bytes.n, 0) == bytes.n)
		return cfs_replacement_commit(&r, err);
	rc = fileio_failed(&r, "write", err);
	cfs_replacement_drop(&r);
	return rc;
}

int cfs_make_folders(const char *path, mode_t mode)
{
	char *part = strdup(path);
	int refused = part == NULL ? ENOMEM : 0;
	struct stat st;

	for (size_t i = 1; part != NULL && i <= strlen(path); i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		part[i] = '\0';
		if (mkdir(part, mode) != 0 && errno != EEXIST && refused == 0)
			refused = errno;
		part[i] = path[i];
	}
	free(part);
	/* failures further up do not matter if the folder exists */
	if (refused == 0 || stat(path, &st) == 0)
		return 0;
	errno = refused;
	return -1;
}

bool cfs_name_stays_below(struct cfs_slice name)
{
	if (name.n > CFS_NAME_BYTES_MAX || cfs_slice_find(name, '\0') >= 0 ||
	    cfs_slice_ends(name, CFS_SLICE_LIT("/")))
		return false;
	do {
		struct cfs_slice part = cfs_slice_split(&name, '/');

		if (part.n == 0 || cfs_slice_eq(part, CFS_SLICE_LIT("..")))
			return false;
	} while (name.n > 0);
	return true;
}

bool cfs_path_is_in(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	while (n > 0 && folder[n - 1] == '/')
		n--;
	return strncmp(path, folder, n) == 0 &&
	       (path[n] == '/' || (path[n] == '\0' && n > 0));
}

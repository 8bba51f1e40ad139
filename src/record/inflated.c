/* inflated.c - checks files inflated from ZIP files, and bounds their bytes.
 *
 * A file is read whole before it is used again, since disks and others change
 * files; but the process remembers the files that it has read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "inflated.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "base/descriptors.h"
#include "base/fileio.h"
#include "base/hex.h"
#include "base/log.h"

#define READ_BYTES ((size_t)256 << 10)
#define CHECKED_MAX 64u

static _Atomic uint64_t room = CFS_INFLATED_ROOM;

void cfs_inflated_set_room(uint64_t bytes)
{
	room = bytes > 0 ? bytes : CFS_INFLATED_ROOM;
}

uint64_t cfs_inflated_room(void)
{
	return room;
}

bool cfs_inflated_crc(const char *name, uint32_t *out, bool *is_damaged)
{
	const char *end = name + strnlen(name, CFS_INFLATED_NAME_BYTES);
	uint8_t hash[8], crc[4];

	*is_damaged = strcmp(end, CFS_INFLATED_DAMAGED) == 0;
	if (end != name + CFS_INFLATED_NAME_BYTES || name[16] != '-' ||
	    (*end != '\0' && !*is_damaged))
		return false;
	if (!cfs_hex_read(cfs_slice_of(name, 16), hash, sizeof(hash)) ||
	    !cfs_hex_read(cfs_slice_of(name + 17, 8), crc, sizeof(crc)))
		return false;
	*out = cfs_be32_get(crc);
	return true;
}

/* ---- what is in a file --------------------------------------------------- */

static int read_all(int fd, const char *path, uint8_t *buf, uint64_t *size,
		    uint32_t *crc, struct cfs_ctx ctx)
{
	size_t n;

	do {
		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		n = cfs_read_at(fd, buf, READ_BYTES, *size);
		if (n < READ_BYTES && errno != 0)
			return cfs_error_at(ctx.err, CFS_EIO, path, *size + n, "%s",
					    strerror(errno));
		*crc = (uint32_t)crc32(*crc, buf, (uInt)n);
		*size += n;
	} while (n == READ_BYTES);
	return CFS_OK;
}

int cfs_inflated_check(int fd, const char *path, uint64_t size, uint32_t crc,
		       struct cfs_ctx ctx)
{
	uint8_t *buf = malloc(READ_BYTES);
	uint64_t found = 0;
	uint32_t sum = 0;
	int rc = buf == NULL ? cfs_error_nomem(ctx.err) :
		 read_all(fd, path, buf, &found, &sum, ctx);

	free(buf);
	if (rc != CFS_OK || (found == size && sum == crc))
		return rc;
	return cfs_error_at(ctx.err, CFS_EFORMAT, path, 0, "its bytes have "
			    "changed since they were inflated");
}

/* ---- what has been checked ----------------------------------------------- */

static pthread_mutex_t checked_lock = PTHREAD_MUTEX_INITIALIZER;
static struct stat checked[CHECKED_MAX];	/* guarded by checked_lock */
static unsigned next_checked;			/* guarded by checked_lock */

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static bool was_checked(const struct stat *st)
{
	bool found = false;

	pthread_mutex_lock(&checked_lock);
	for (unsigned i = 0; i < CHECKED_MAX; i++)
		found = found || is_same(&checked[i], st);
	pthread_mutex_unlock(&checked_lock);
	return found;
}

/* Remembers a file, and sets its time of use. */
static void note_checked(int fd)
{
	struct stat st;

	(void)futimens(fd, NULL);
	if (fstat(fd, &st) != 0)
		return;
	pthread_mutex_lock(&checked_lock);
	checked[next_checked++ % CHECKED_MAX] = st;
	pthread_mutex_unlock(&checked_lock);
}

static void put_aside(const char *path, const char *why)
{
	char aside[PATH_MAX + 64];

	cfs_log(CFS_LOG_WARNING, "%s: %s: it is inflated again", path, why);
	if (snprintf(aside, sizeof(aside), "%s" CFS_INFLATED_DAMAGED, path) >=
	    (int)sizeof(aside) || rename(path, aside) != 0)
		unlink(path);
}

int cfs_inflated_open(struct cfs_source **out, const char *path,
		      const struct cfs_zip_place *at, struct cfs_ctx ctx)
{
	int fd = cfs_openat(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
			    0);
	struct cfs_error e = CFS_ERROR_INIT;
	struct stat st;
	int rc = CFS_ENOTFOUND;

	if (fd < 0)
		return rc;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size != at->size)
		cfs_error_at(&e, CFS_EFORMAT, path, 0, "has another size");
	else if (was_checked(&st))
		rc = CFS_OK;
	else
		rc = cfs_inflated_check(fd, path, at->size, at->crc,
					CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_OK && !was_checked(&st))
		note_checked(fd);
	if (rc == CFS_OK)
		rc = cfs_source_open_file(out, path, &e);
	close(fd);
	if (rc == CFS_OK)
		return rc;
	if (rc == CFS_EINTR || rc == CFS_ENOMEM)
		return cfs_error_pass(ctx.err, &e, rc);
	put_aside(path, e.text);
	return CFS_ENOTFOUND;
}

/* ---- room ---------------------------------------------------------------- */

struct kept {
	char name[CFS_INFLATED_NAME_BYTES + sizeof(CFS_INFLATED_DAMAGED)];
	struct timespec used;
	uint64_t bytes;
};

static int by_use(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 :
	       x->used.tv_nsec > y->used.tv_nsec;
}

/* Lists the files of the folder; *v is malloced. */
static size_t list_kept(DIR *d, struct kept **v)
{
	const struct dirent *e;
	size_t n = 0, allocated = 0;
	struct stat st;
	bool is_damaged;
	uint32_t crc;

	while ((e = readdir(d)) != NULL) {
		if (!cfs_inflated_crc(e->d_name, &crc, &is_damaged) ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (cfs_array_reserve((void **)v, &allocated, n + 1,
				      sizeof(**v), SIZE_MAX) != CFS_OK)
			break;
		(*v)[n] = (struct kept){ .used = st.st_mtim,
					 .bytes = (uint64_t)st.st_size };
		memcpy((*v)[n++].name, e->d_name, strlen(e->d_name));
	}
	return n;
}

static pthread_mutex_t room_lock = PTHREAD_MUTEX_INITIALIZER;
static char *room_folder;	/* last one measured; guarded by room_lock */
static uint64_t room_left;	/* certain room there; guarded by room_lock */

/* True if there certainly is room.  The folder is measured again once a
 * sixteenth of its room was given away: other processes write there, too. */
static bool has_room(const char *folder, uint64_t bytes)
{
	bool fits;

	pthread_mutex_lock(&room_lock);
	fits = room_folder != NULL && strcmp(room_folder, folder) == 0 &&
	       bytes <= room_left;
	if (fits)
		room_left -= bytes;
	pthread_mutex_unlock(&room_lock);
	return fits;
}

/* all: the bytes in the folder, with those to come. */
static void note_room(const char *folder, uint64_t all)
{
	uint64_t left = all < room ? room - all : 0;

	pthread_mutex_lock(&room_lock);
	free(room_folder);
	room_folder = strdup(folder);
	room_left = left < room / 16 ? left : room / 16;
	pthread_mutex_unlock(&room_lock);
}

void cfs_inflated_make_room(const char *folder, uint64_t bytes)
{
	DIR *d = has_room(folder, bytes) ? NULL : opendir(folder);
	struct kept *v = NULL;
	uint64_t all = bytes;
	size_t n;

	if (d == NULL)
		return;
	n = list_kept(d, &v);
	for (size_t i = 0; i < n; i++)
		all += v[i].bytes;
	if (n > 0 && all > room)
		qsort(v, n, sizeof(*v), by_use);
	for (size_t i = 0; i < n && all > room; i++)
		if (unlinkat(dirfd(d), v[i].name, 0) == 0)
			all -= v[i].bytes;
	note_room(folder, all);
	free(v);
	closedir(d);
}

/* trust.c - is a folder in the hands of this user alone? (see trust.h)
 *
 * Many systems give each user a group of their own, and let it write to all that
 * the user makes: such a group is nobody else.  In folders above, any group is
 * taken for one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fileio.h"

/* Folders in folders: upload/HASH/. */
#define DEPTH_MAX 2u
/* Who owns what no user of a container does: root, outside. */
#define OVERFLOW_UID 65534u
#define NAMES_BYTES 16384u	/* of a user's or a group's row */

static bool is_mine(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/* Is the group one of this user alone: of the same name, without others? */
static bool is_private(gid_t gid)
{
	char user[NAMES_BYTES], group[NAMES_BYTES];
	struct passwd pw, *p = NULL;
	struct group gr, *g = NULL;

	if (getpwuid_r(geteuid(), &pw, user, sizeof(user), &p) != 0 ||
	    getgrgid_r(gid, &gr, group, sizeof(group), &g) != 0 ||
	    p == NULL || g == NULL || p->pw_gid != gid ||
	    strcmp(p->pw_name, g->gr_name) != 0)
		return false;
	for (char **member = g->gr_mem; *member != NULL; member++)
		if (strcmp(*member, p->pw_name) != 0)
			return false;
	return true;
}

/* May others write to it?  fd: to see an access list, which hides behind the
 * rights of the group; -1: there is none to be seen. */
static bool is_open(const struct stat *st, int fd)
{
	if (!(st->st_mode & (S_IWGRP | S_IWOTH)))
		return false;
	return (st->st_mode & S_IWOTH) || !is_private(st->st_gid) || fd < 0 ||
	       fgetxattr(fd, "system.posix_acl_access", NULL, 0) > 0;
}

static int refuse(const char *path, const char *why, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EACCESS, path, 0, "%s", why);
}

/* ---- above ----------------------------------------------------------------- */

static int check_one_above(const char *path, struct cfs_error *err)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return CFS_OK;
	if (!is_mine(&st) && st.st_uid != OVERFLOW_UID)
		return refuse(path, "belongs to another user", err);
	if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
		return refuse(path, "others can replace what is in it", err);
	return CFS_OK;
}

/* A resolved path, and all above it. */
static int check_above(const char *path, struct cfs_error *err)
{
	char *part = strdup(path);
	int rc = part != NULL ? CFS_OK : cfs_error_nomem(err);

	while (rc == CFS_OK) {
		char *slash = strrchr(part, '/');

		rc = check_one_above(part[0] != '\0' ? part : "/", err);
		if (slash == NULL)
			break;
		*slash = '\0';
	}
	free(part);
	return rc;
}

/* What leads to a path: the nearest folder above that is there. */
static int check_way(const char *path, struct cfs_error *err)
{
	char *folder = cfs_folder_of(path), *real = NULL;
	int rc = folder != NULL ? CFS_OK : cfs_error_nomem(err);

	while (rc == CFS_OK && (real = realpath(folder, NULL)) == NULL &&
	       strcmp(folder, "/") != 0 && strcmp(folder, ".") != 0) {
		char *above = cfs_folder_of(folder);

		free(folder);
		folder = above;
		if (folder == NULL)
			rc = cfs_error_nomem(err);
	}
	if (rc == CFS_OK && real != NULL)
		rc = check_above(real, err);
	free(real);
	free(folder);
	return rc;
}

/* ---- inside ---------------------------------------------------------------- */

struct look {
	const char *path;	/* for messages */
	bool is_closed;		/* nobody else can reach what is in it */
};

static int check_inside(int dirfd, const char *name, const struct look *in,
			unsigned depth, struct cfs_error *err);

static int check_entries(int fd, const struct look *in, unsigned depth,
			 struct cfs_error *err)
{
	DIR *d = fdopendir(fd);
	const struct dirent *e;
	int rc = CFS_OK;

	if (d == NULL) {
		close(fd);
		return refuse(in->path, "cannot be read", err);
	}
	while (rc == CFS_OK && (e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			rc = check_inside(dirfd(d), e->d_name, in, depth, err);
	closedir(d);
	return rc;
}

/* Opened only where its rights leave a doubt. */
static bool may_be(int dirfd, const char *name, const struct stat *st)
{
	int fd;
	bool is_bad;

	if (!(st->st_mode & (S_IWGRP | S_IWOTH)))
		return true;
	fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	is_bad = is_open(st, fd);
	if (fd >= 0)
		close(fd);
	return !is_bad;
}

/* depth: folders that may be in each other below. */
static int check_inside(int dirfd, const char *name, const struct look *in,
			unsigned depth, struct cfs_error *err)
{
	char path[PATH_MAX];
	struct look look = { path, in->is_closed };
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%.3800s/%.255s", in->path, name);
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? CFS_OK :
		       refuse(path, strerror(errno), err);
	if (!is_mine(&st))
		return refuse(path, "belongs to another user", err);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return refuse(path, S_ISLNK(st.st_mode) ? "is a link" :
			      "is no file", err);
	if (!in->is_closed && !may_be(dirfd, name, &st))
		return refuse(path, "others can write to it", err);
	if (S_ISREG(st.st_mode) || depth == 0)
		return CFS_OK;
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
				 O_CLOEXEC);
	look.is_closed = look.is_closed || !(st.st_mode & (S_IXGRP | S_IXOTH));
	return fd < 0 ? refuse(path, strerror(errno), err) :
			check_entries(fd, &look, depth - 1, err);
}

/* ---- the folder ------------------------------------------------------------ */

int cfs_trust_folder(const char *path, const char *const *names,
		     struct cfs_error *err)
{
	struct look look = { .path = path };
	char *real = realpath(path, NULL);
	struct stat st;
	int fd = -1, rc = check_way(path, err);

	if (rc == CFS_OK && real != NULL)
		rc = check_way(real, err);
	if (rc == CFS_OK && real != NULL)
		fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(real);
	if (rc != CFS_OK || fd < 0)
		return rc;	/* what is not there holds nothing */
	if (fstat(fd, &st) != 0 || !is_mine(&st))
		rc = refuse(path, "belongs to another user", err);
	else if (is_open(&st, fd))
		rc = refuse(path, "others can write to it", err);
	look.is_closed = !(st.st_mode & (S_IXGRP | S_IXOTH));
	for (size_t i = 0; rc == CFS_OK && names[i] != NULL; i++)
		rc = check_inside(fd, names[i], &look, DEPTH_MAX, err);
	close(fd);
	return rc;
}

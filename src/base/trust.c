/* trust.c - checks that only this user can have written to a folder (see
 * trust.h).
 *
 * Many systems give each user a private group that may write to all that the
 * user makes: such a group counts as the user.  For folders above, any group
 * does.
 *
 * The contents of a folder that is shared with its group may belong to anyone,
 * since only members can have put them there.
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
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fileio.h"

/* Levels of folders inside: upload/HASH/. */
#define DEPTH_MAX 2u
/* In a container, the owner of files whose owner has no user there, such as
 * root outside. */
#define OVERFLOW_UID 65534u
#define NAMES_BYTES 16384u	/* for an entry of passwd(5) or group(5) */

static atomic_bool groups_are_trusted;	/* see cfs_trust_groups */
static atomic_bool has_group_folder;	/* one was trusted */

void cfs_trust_groups(void)
{
	mode_t mask = umask(0);

	umask(mask & ~(mode_t)S_IRWXG);
	atomic_store(&groups_are_trusted, true);
}

mode_t cfs_trust_mode(mode_t mode)
{
	if (!atomic_load(&has_group_folder))
		return mode;
	return mode | (mode & S_IRWXU) >> 3;
}

static bool is_mine(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/* True if the group is private to this user: of the same name, and without
 * other members. */
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

static bool is_of_group(gid_t gid)
{
	int n = getgroups(0, NULL);
	gid_t *v = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*v));
	bool yes = getegid() == gid;

	if (v != NULL && n > 0)
		n = getgroups(n, v);
	for (int i = 0; v != NULL && i < n; i++)
		yes |= v[i] == gid;
	free(v);
	return yes;
}

static bool has_access_list(int fd)
{
	return fgetxattr(fd, "system.posix_acl_access", NULL, 0) > 0;
}

/* True if others may write to the file.  fd is needed to read its access
 * control list, which the group's mode bits stand for; without one (-1), the
 * answer errs on true. */
static bool trust_is_open(const struct stat *st, int fd)
{
	if (!(st->st_mode & (S_IWGRP | S_IWOTH)))
		return false;
	return (st->st_mode & S_IWOTH) || !is_private(st->st_gid) || fd < 0 ||
	       has_access_list(fd);
}

static int trust_refuse(const char *path, const char *why,
			struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EACCESS, path, 0, "%s", why);
}

/* ---- above --------------------------------------------------------------- */

static int check_one_above(const char *path, struct cfs_error *err)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return CFS_OK;
	if (!is_mine(&st) && st.st_uid != OVERFLOW_UID)
		return trust_refuse(path, "belongs to another user", err);
	if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
		return trust_refuse(path, "others can replace what is in it",
				    err);
	return CFS_OK;
}

/* Checks a resolved path and all folders above it. */
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

/* Checks the folders that lead to a path, from the nearest one that exists. */
static int trust_check_way(const char *path, struct cfs_error *err)
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

/* ---- inside -------------------------------------------------------------- */

struct folder_look {
	const char *path;	/* for messages */
	bool is_closed;		/* nobody else can reach what is in it */
	bool is_of_group;		/* with `group` */
	gid_t group;
};

/* True if others than the group of a shared folder may write to a file in
 * it. */
static bool is_open_to_more(const struct folder_look *in, const struct stat *st,
			    int fd)
{
	return (st->st_mode & S_IWOTH) || fd < 0 || has_access_list(fd) ||
	       ((st->st_mode & S_IWGRP) && st->st_gid != in->group);
}

static int check_inside(int dirfd, const char *name,
			const struct folder_look *in, unsigned depth,
			struct cfs_error *err);

static int trust_check_entries(int fd, const struct folder_look *in,
			       unsigned depth, struct cfs_error *err)
{
	DIR *d = fdopendir(fd);
	const struct dirent *e;
	int rc = CFS_OK;

	if (d == NULL) {
		close(fd);
		return trust_refuse(in->path, "cannot be read", err);
	}
	while (rc == CFS_OK && (e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			rc = check_inside(dirfd(d), e->d_name, in, depth, err);
	closedir(d);
	return rc;
}

/* True if the rights of a file or folder are acceptable.  It is opened only if
 * its mode does not decide that. */
static bool may_be(int dirfd, const char *name, const struct folder_look *in,
		   const struct stat *st)
{
	int fd;
	bool is_bad;

	if (!(st->st_mode & (S_IWGRP | S_IWOTH)))
		return true;
	fd = openat(dirfd, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	is_bad = in->is_of_group ? is_open_to_more(in, st, fd) :
				 trust_is_open(st, fd);
	if (fd >= 0)
		close(fd);
	return !is_bad;
}

/* Checks a file or folder.  depth: levels of folders to descend. */
static int check_inside(int dirfd, const char *name,
			const struct folder_look *in, unsigned depth,
			struct cfs_error *err)
{
	char path[PATH_MAX];
	struct folder_look look = *in;
	struct stat st;
	int fd;

	look.path = path;
	snprintf(path, sizeof(path), "%.3800s/%.255s", in->path, name);
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? CFS_OK :
		       trust_refuse(path, strerror(errno), err);
	if (!in->is_of_group && !is_mine(&st))
		return trust_refuse(path, "belongs to another user", err);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return trust_refuse(path, S_ISLNK(st.st_mode) ? "is a link" :
				    "is no file", err);
	if (!in->is_closed && !may_be(dirfd, name, in, &st))
		return trust_refuse(path, "others can write to it", err);
	if (S_ISREG(st.st_mode) || depth == 0)
		return CFS_OK;
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
				 O_CLOEXEC);
	look.is_closed = look.is_closed || (!look.is_of_group &&
			 !(st.st_mode & (S_IXGRP | S_IXOTH)));
	return fd < 0 ? trust_refuse(path, strerror(errno), err) :
			trust_check_entries(fd, &look, depth - 1, err);
}

/* ---- the folder ---------------------------------------------------------- */

/* Checks owner and rights of the folder itself. */
static int trust_check_folder(struct folder_look *look, const struct stat *st,
			      int fd, struct cfs_error *err)
{
	bool is_ours = (st->st_mode & S_IWGRP) && !(st->st_mode & S_IWOTH) &&
		       !has_access_list(fd) && is_of_group(st->st_gid);

	if (is_ours && atomic_load(&groups_are_trusted)) {
		look->is_of_group = true;
		look->group = st->st_gid;
		if (!(st->st_mode & S_ISGID))
			return trust_refuse(look->path, "what is put there would not "
					    "be of its group (chmod g+s)", err);
		atomic_store(&has_group_folder, true);
		return CFS_OK;
	}
	if (!is_mine(st))
		return trust_refuse(look->path, "belongs to another user", err);
	look->is_closed = !(st->st_mode & (S_IXGRP | S_IXOTH));
	if (!trust_is_open(st, fd))
		return CFS_OK;
	return trust_refuse(look->path, is_ours ? "others can write to it, its group "
			    "(see cache_group)" : "others can write to it", err);
}

int cfs_trust_folder(const char *path, const char *const *names,
		     struct cfs_error *err)
{
	struct folder_look look = { .path = path };
	char *real = realpath(path, NULL);
	struct stat st;
	int fd = -1, rc = trust_check_way(path, err);

	if (rc == CFS_OK && real != NULL)
		rc = trust_check_way(real, err);
	if (rc == CFS_OK && real != NULL)
		fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(real);
	if (rc != CFS_OK || fd < 0)
		return rc;	/* a missing folder has no contents */
	rc = fstat(fd, &st) != 0 ? trust_refuse(path, strerror(errno), err) :
				   trust_check_folder(&look, &st, fd, err);
	for (size_t i = 0; rc == CFS_OK && names[i] != NULL; i++)
		rc = check_inside(fd, names[i], &look, DEPTH_MAX, err);
	close(fd);
	return rc;
}

/* mounts.c - reads the table of mounts; replaces mounts and unmounts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/fileio.h"
#include "codec/json.h"

#define CONFIG_MAX (1u << 20)

extern char **environ;

/* Searches the table of this process. */
static int mounts_search(bool (*matches)(const struct cfs_mounted *m,
					 const void *arg),
			 const void *arg, struct cfs_mounted *out)
{
	return cfs_mount_table_search(CFS_MOUNT_TABLE, matches, arg, out);
}

static bool mounts_is_at(const struct cfs_mounted *m, const void *arg)
{
	return strcmp(m->point, arg) == 0;
}

int cfs_mounts_at(const char *path, struct cfs_mounted *out)
{
	return mounts_search(mounts_is_at, path, out);
}

int cfs_mounts_refuse(int rc, const char *path, const char *what,
		      struct cfs_error *err)
{
	if (rc == CFS_EIO)
		return cfs_error_set(err, CFS_EIO, "'%.100s': there is no "
			CFS_MOUNT_TABLE " that says if it is a mount (mount "
			"/proc, or use umount(8))", path);
	return cfs_error_set(err, CFS_ENOTFOUND, "'%.200s' %s", path, what);
}

struct above {
	dev_t dev;
	const char *path;
};

static bool is_above(const struct cfs_mounted *m, const void *arg)
{
	const struct above *a = arg;

	return m->major == major(a->dev) && m->minor == minor(a->dev) &&
	       cfs_path_is_in(a->path, m->point);
}

int cfs_mounts_of(dev_t dev, const char *path, struct cfs_mounted *out)
{
	struct above a = { dev, path };

	return mounts_search(is_above, &a, out);
}

struct mount_each {
	void (*fn)(void *arg, const char *point);
	void *arg;
};

static bool pass_on(const struct cfs_mounted *m, const void *arg)
{
	const struct mount_each *each = arg;

	if (strcmp(m->type, CFS_MOUNT_TYPE) == 0)
		each->fn(each->arg, m->point);
	return false;
}

/* The items of an array that are `word`; all of them if it is NULL. */
static size_t count_items(struct cfs_slice array, const struct cfs_slice *word)
{
	struct cfs_json_member m;
	CFS_BUF(text, CONFIG_MAX);
	size_t n = 0;

	while (cfs_json_next(&array, '[', &m) == CFS_OK) {
		cfs_buf_reset(&text);
		cfs_json_add_text(&text, m.value);
		n += word == NULL || cfs_slice_eq(cfs_buf_slice(&text), *word);
	}
	return n;
}

size_t cfs_mounts_config(const char *point, const char *list,
			 const struct cfs_slice *word)
{
	CFS_BUF(text, CONFIG_MAX);
	char *path = NULL;
	size_t n;

	if (asprintf(&path, "%s/.crawlfs/config", point) > 0)
		cfs_file_read(path, &text);
	free(path);
	n = count_items(cfs_json_member_of(cfs_buf_slice(&text), list), word);
	return n;
}

void cfs_mounts_each(void (*fn)(void *arg, const char *point), void *arg)
{
	struct mount_each each = { fn, arg };
	mounts_search(pass_on, &each, NULL);
}

/* ---- mounts that may not answer ------------------------------------------ */

/* How long to wait: a process that is not stopped answers statfs(2) at once. */
#define ANSWER_MS 5000

struct mount_answer {
	int error;		/* errno of realpath(3) */
	bool is_dead;
	char real[PATH_MAX];	/* the last field, sent only as long as it is */
};

struct asked {
	pid_t child;
	int fd;			/* reading end of a pipe */
};

/* The kernel answers stat(2) on a dead mount from its cache, but not
 * statvfs(2). */
static void mounts_look(const char *path, struct mount_answer *a)
{
	struct statvfs st;

	if (realpath(path, a->real) == NULL) {
		a->error = errno;
		a->real[0] = '\0';
		a->is_dead = a->error == ENOTCONN;
	} else {
		a->is_dead = statvfs(a->real, &st) != 0 && errno == ENOTCONN;
	}
}

/* Asks in another process, which can be abandoned and holds nothing that others
 * wait for: a process blocked in a file system cannot always be killed. */
static int mounts_ask(const char *path, struct asked *q)
{
	struct mount_answer a = { .error = 0 };
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	fflush(NULL);
	q->fd = ends[0];
	q->child = fork();
	if (q->child == 0) {
		if (dup2(ends[1], STDIN_FILENO) < 0)
			_exit(1);
		close_range(STDIN_FILENO + 1, ~0u, 0);
		mounts_look(path, &a);
		_exit(write(STDIN_FILENO, &a,
			    offsetof(struct mount_answer, real) +
				    strlen(a.real) + 1) < 0);
	}
	close(ends[1]);
	if (q->child < 0)
		close(q->fd);
	return q->child < 0 ? -1 : 0;
}

/* The milliseconds until a time, for poll(2); -1 (indefinitely) if that is
 * INT64_MAX. */
static int left_until(int64_t until)
{
	int64_t left;

	if (until == INT64_MAX)
		return -1;
	left = until - cfs_monotonic_ms();
	return left > 0 ? (int)left : 0;
}

/* False if there is no answer within `ms`; -1: wait indefinitely. */
static bool hear(const struct asked *q, struct mount_answer *a, int ms)
{
	int64_t until = ms < 0 ? INT64_MAX : cfs_monotonic_ms() + ms;
	struct pollfd p = { .fd = q->fd, .events = POLLIN };
	int n;

	do {
		n = poll(&p, 1, left_until(until));
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	*a = (struct mount_answer){ .error = 0 };
	/* the answer is one write, which fits into a pipe */
	if (read(q->fd, a, sizeof(*a)) <= 0)
		a->error = EIO;
	return true;
}

static void end_asking(struct asked *q, bool has_answered)
{
	kill(q->child, SIGKILL);
	while (waitpid(q->child, NULL, has_answered ? 0 : WNOHANG) < 0 &&
	       errno == EINTR)
		;
	close(q->fd);
}

/* False if there is no answer, or asking failed. */
static bool answers(const char *path, struct mount_answer *a)
{
	struct asked q;
	bool has_answered;

	if (mounts_ask(path, &q) != 0)
		return false;
	has_answered = hear(&q, a, ANSWER_MS);
	end_asking(&q, has_answered);
	return has_answered;
}

/* Makes a path absolute, and removes "." and ".." in the text.  Malloced. */
static char *spell_out(const char *path)
{
	char *cwd = path[0] == '/' ? NULL : getcwd(NULL, 0), *whole = NULL;
	struct cfs_slice rest;
	size_t n = 0;

	if (asprintf(&whole, "%s/%s", cwd != NULL ? cwd : "", path) < 0)
		whole = NULL;
	free(cwd);
	if (whole == NULL)
		return NULL;
	rest = cfs_slice_str(whole);
	while (rest.n > 0) {
		struct cfs_slice name = cfs_slice_split(&rest, '/');

		if (cfs_slice_eq(name, CFS_SLICE_LIT(".."))) {
			while (n > 0 && whole[--n] != '/')
				;
		} else if (name.n > 0 &&
			   !cfs_slice_eq(name, CFS_SLICE_LIT("."))) {
			whole[n++] = '/';
			memmove(whole + n, name.p, name.n);
			n += name.n;
		}
	}
	if (n == 0)
		whole[n++] = '/';
	whole[n] = '\0';
	return whole;
}

static bool holds(const struct cfs_mounted *m, const void *path)
{
	return strcmp(m->type, CFS_MOUNT_TYPE) == 0 &&
	       cfs_path_is_in(path, m->point);
}

/* Call when a path has not answered: true if the crawl that contains it,
 * judging by the text, is alive, and so just busy. */
static bool is_in_live_mount(const char *path)
{
	char *spelt = spell_out(path);
	struct cfs_mounted m;
	struct mount_answer a;
	bool is_alive = spelt != NULL &&
			mounts_search(holds, spelt, &m) == CFS_OK &&
			strcmp(m.point, spelt) != 0 && answers(m.point, &a) &&
			!a.is_dead;

	if (spelt != NULL)
		cfs_mounted_release(&m);
	free(spelt);
	return is_alive;
}

/* Resolves the parent, which can be entered, and appends the last component,
 * which is the mount. */
static char *realpath_of_mount(const char *path)
{
	char *copy = strdup(path), *slash, *out = NULL;
	const char *folder = ".", *name = copy;
	struct mount_answer a;
	size_t n;

	if (copy == NULL)
		return NULL;
	for (n = strlen(copy); n > 1 && copy[n - 1] == '/'; n--)
		copy[n - 1] = '\0';
	slash = strrchr(copy, '/');
	if (slash != NULL) {
		*slash = '\0';
		folder = slash == copy ? "/" : copy;
		name = slash + 1;
	}
	if (!answers(folder, &a) || a.error != 0)
		out = spell_out(path);
	else if (asprintf(&out, "%s/%s", strcmp(a.real, "/") ? a.real : "",
			  name) < 0)
		out = NULL;
	free(copy);
	return out;
}

char *cfs_mounts_realpath(const char *path, enum cfs_mount_state *state)
{
	struct mount_answer a = { .error = 0 };
	struct asked q;
	bool has_answered;

	*state = CFS_MOUNT_ALIVE;
	if (mounts_ask(path, &q) != 0)
		return NULL;
	has_answered = hear(&q, &a, ANSWER_MS);
	if (!has_answered && is_in_live_mount(path))
		has_answered = hear(&q, &a, -1);
	end_asking(&q, has_answered);
	if (!has_answered)
		*state = CFS_MOUNT_SILENT;
	else if (a.is_dead)
		*state = CFS_MOUNT_DEAD;
	if (!has_answered || a.error == ENOTCONN)
		return realpath_of_mount(path);
	errno = a.error;
	return a.error != 0 ? NULL : strdup(a.real);
}

int cfs_mounts_follow_none(const char *path, struct cfs_error *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_NOSYMFOLLOW };

	if (mount_setattr(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &attr,
			  sizeof(attr)) == 0)
		return CFS_OK;
	return cfs_error_set(err, CFS_EIO, "option 'nosymfollow': %s%s",
			     strerror(errno), errno == EPERM ?
			     " (it takes root)" : "");
}

/* ---- unmounting ---------------------------------------------------------- */

static int run_fusermount(const char *path, bool lazily, struct cfs_error *err)
{
	char program[] = "fusermount3", u[] = "-u", z[] = "-z", end[] = "--";
	char *copy = strdup(path);
	char *usual[] = { program, u, end, copy, NULL };
	char *lazy[] = { program, u, z, end, copy, NULL };
	char **argv = lazily ? lazy : usual;
	int rc, status = 0;
	pid_t pid;

	if (copy == NULL)
		return cfs_error_nomem(err);
	rc = posix_spawnp(&pid, program, NULL, NULL, argv, environ);
	free(copy);
	if (rc != 0)
		return cfs_error_set(
			err, CFS_EIO,
			"cannot run fusermount3: %s (it comes with the package fuse3)",
			strerror(rc));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return cfs_error_set(err, CFS_EIO, "cannot unmount '%s'", path);
	return CFS_OK;
}

/* Linux: Documentation/admin-guide/devices.txt, misc devices. */
#define FUSE_MAJOR 10
#define FUSE_MINOR 229

int cfs_mounts_passed(const char *path, int *fd, struct cfs_error *err)
{
	const struct cfs_slice name = cfs_slice_str(path),
			       folder = CFS_SLICE_LIT("/dev/fd/");
	uint64_t n = 0;
	struct stat st;

	*fd = -1;
	if (!cfs_slice_starts(name, folder))
		return CFS_ENOTFOUND;
	if (cfs_slice_parse_u64(cfs_slice_from(name, folder.n), INT_MAX, &n) !=
		    CFS_OK ||
	    n <= STDERR_FILENO || fstat((int)n, &st) != 0)
		return cfs_error_set(err, CFS_EUSAGE,
				     "cannot mount on '%s': it "
				     "is no open descriptor above 2",
				     path);
	if (!S_ISCHR(st.st_mode) ||
	    st.st_rdev != makedev(FUSE_MAJOR, FUSE_MINOR))
		return cfs_error_set(err, CFS_EUSAGE,
				     "cannot mount on '%s': the "
				     "descriptor is not of /dev/fuse",
				     path);
	if (fcntl((int)n, F_SETFD, FD_CLOEXEC) != 0)
		return cfs_error_set(err, CFS_EIO, "cannot mount on '%s': %s",
				     path, strerror(errno));
	*fd = (int)n;
	return CFS_OK;
}

/* move_mount(2): the moved mount goes beneath the one that is there. */
#ifndef MOVE_MOUNT_BENEATH
#define MOVE_MOUNT_BENEATH 0x200
#endif

int cfs_mounts_replace(const char *from, const char *at, struct cfs_error *err)
{
	/* A mount below a shared one cannot be moved, but a second mount of the
	 * same file system can be put anywhere. */
	int fd = open_tree(AT_FDCWD, from, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	int rc = CFS_OK;

	if (fd < 0 || move_mount(fd, "", AT_FDCWD, at, MOVE_MOUNT_F_EMPTY_PATH |
						       MOVE_MOUNT_BENEATH) != 0)
		rc = cfs_error_set(err, CFS_EIO, "cannot replace the mount on "
				   "'%s': %s%s", at, strerror(errno),
				   errno == EINVAL || errno == ENOSYS ?
				   " (it takes root and Linux 6.5 or later)" :
				   "");
	if (fd >= 0)
		close(fd);
	if (rc == CFS_OK)
		rc = cfs_mounts_unmount(at, true, err);
	if (rc == CFS_OK)
		rc = cfs_mounts_unmount(from, true, err);
	return rc;
}

int cfs_mounts_unmount(const char *path, bool lazily, struct cfs_error *err)
{
	if (geteuid() != 0)
		return run_fusermount(path, lazily, err);
	if (umount2(path, UMOUNT_NOFOLLOW | (lazily ? MNT_DETACH : 0)) == 0)
		return CFS_OK;
	if (errno == EBUSY)
		return cfs_error_set(err, CFS_EIO,
			"'%s' is in use (umount -l detaches it)",
			path);
	return cfs_error_set(err, CFS_EIO, "cannot unmount '%s': %s", path,
			     strerror(errno));
}

/* callers.c - finds out what kind of thread asks for a size, from /proc and the
 * table of mounts.
 *
 * Formats: proc(5), /proc/[pid]/stat and mountinfo; for overlays
 * Documentation/filesystems/overlayfs.rst, "Multiple lower layers".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "callers.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/fileio.h"
#include "base/memo.h"
#include "base/mounttable.h"
#include "base/sync.h"

#define DEVICE "/dev/fuse"
/* How long what was found out about a thread holds. */
#define MOMENT_MS 1000
#define SLOTS_BITS 6
#define STAT_MAX 4096u
#define FDS_MAX 4096u		/* descriptors looked at */
#define LINKS_MAX 40u		/* symbolic links, as in the kernel */
#define POINTS_MAX 1024u	/* FUSE mounts */
#define KERNEL_THREAD 0x00200000u	/* PF_KTHREAD, linux/sched.h */

struct caller_verdict {
	int64_t at_ms;
	bool needs_size;
};

struct cfs_callers {
	pthread_mutex_t lock;	/* guards what is known of our table */
	int table;		/* our table of mounts, polled; -1: none */
	bool is_known, is_lower;
	char name_space[64];	/* our mount namespace */
	struct cfs_memo *verdicts;
	/* For the thread that has the kernel forget sizes: */
	_Atomic bool may_keep;
	void (*forget)(void *arg);
	void *arg;
	pthread_t watcher;
	bool is_watched, has_forgotten, is_ending;	/* guarded by lock */
	struct held *held;	/* guarded by lock */
	int wake;		/* eventfd(2) */
};

/* An answer to statfs(2) that is held back until sizes are forgotten. */
struct held {
	struct held *next;
	void (*answer)(void *arg);
	void *arg;
};

/* ---- overlays ------------------------------------------------------------ */

/* A table of mounts, and the folder that its paths are relative to. */
struct caller_table {
	const char *root;
	char *points[POINTS_MAX];	/* mount points of FUSE mounts */
	unsigned n;
	bool is_lower;
};

static bool note_point(const struct cfs_mounted *m, const void *arg)
{
	struct caller_table *t = *(struct caller_table *const *)arg;

	if (strncmp(m->type, "fuse", 4) != 0)
		return false;
	if (t->n == POINTS_MAX || (t->points[t->n] = strdup(m->point)) == NULL)
		t->is_lower = true;
	else
		t->n++;
	return false;
}

static bool is_in_fuse(const struct caller_table *t, const char *path)
{
	for (unsigned i = 0; i < t->n; i++)
		if (cfs_path_is_in(path, t->points[i]))
			return true;
	return false;
}

/* Resolves the symbolic link at `done`: its target, followed by `rest`, becomes
 * the path still to be walked.  False if there is no link. */
static bool follow(const struct caller_table *t, char done[PATH_MAX],
		   char rest[PATH_MAX])
{
	char full[2 * PATH_MAX], to[PATH_MAX], whole[2 * PATH_MAX];
	ssize_t n;

	snprintf(full, sizeof(full), "%s%s", t->root, done);
	n = readlink(full, to, sizeof(to) - 1);
	if (n <= 0)
		return false;
	to[n] = '\0';
	if (to[0] == '/')
		done[0] = '\0';
	else
		*strrchr(done, '/') = '\0';
	snprintf(whole, sizeof(whole), "%s/%s", to, rest);
	memcpy(rest, whole, PATH_MAX - 1);
	rest[PATH_MAX - 1] = '\0';
	return true;
}

/*
 * Does an absolute path lead into a FUSE mount?  True if in doubt.  Walks the
 * path as the kernel does, but enters no such mount: that could wait for
 * ourselves.
 */
static bool leads_into_fuse(const struct caller_table *t, const char *path)
{
	char done[PATH_MAX] = "", rest[PATH_MAX];
	unsigned links = 0;

	if (path[0] != '/' || strlen(path) >= sizeof(rest))
		return true;
	memcpy(rest, path, strlen(path) + 1);
	while (rest[strspn(rest, "/")] != '\0') {
		char *name = rest + strspn(rest, "/");
		size_t n = strcspn(name, "/"), at = strlen(done);

		if (n == 2 && memcmp(name, "..", 2) == 0) {
			if (at > 0)
				*strrchr(done, '/') = '\0';
		} else if (n != 1 || name[0] != '.') {
			if (at + n + 2 > sizeof(done))
				return true;
			done[at] = '/';
			memcpy(done + at + 1, name, n);
			done[at + 1 + n] = '\0';
		}
		memmove(rest, name + n, strlen(name + n) + 1);
		if (is_in_fuse(t, done[0] != '\0' ? done : "/"))
			return true;
		if (done[0] != '\0' && follow(t, done, rest) &&
		    ++links > LINKS_MAX)
			return true;
	}
	return false;
}

/* True if one of the layers in an option leads into a FUSE mount.  Layers are
 * separated by ':', and '\' escapes a ':'. */
static bool names_lower(const struct caller_table *t, const char *list)
{
	char path[PATH_MAX];

	while (*list != '\0') {
		size_t n = 0;

		for (; *list != '\0' && *list != ':'; list++) {
			if (list[0] == '\\' && list[1] != '\0')
				list++;
			if (n + 1 == sizeof(path))
				return true;
			path[n++] = *list;
		}
		list += *list == ':';
		path[n] = '\0';
		if (n > 0 && leads_into_fuse(t, path))
			return true;
	}
	return false;
}

static bool look_at_overlay(const struct cfs_mounted *m, const void *arg)
{
	static const char *const names[] = { "lowerdir=", "lowerdir+=",
					     "datadir+=" };
	struct caller_table *t = *(struct caller_table *const *)arg;
	char *rest = m->options, *word;

	if (strcmp(m->type, "overlay") != 0)
		return false;
	while (!t->is_lower && (word = strsep(&rest, ",")) != NULL)
		for (unsigned i = 0; i < 3; i++)
			if (strncmp(word, names[i], strlen(names[i])) == 0)
				t->is_lower |= names_lower(t, word +
							   strlen(names[i]));
	return false;
}

/* FUSE file systems that do not show files of other mounts. */
static const char *const harmless[] = {
	"fuse.crawlfs", "fuse.portal",	   "fuse.gvfsd-fuse",
	"fuse.lxcfs",	"fuse.snapfuse",   "fusectl",
	"fuseblk",	"fuse.squashfuse", "fuse.squashfuse_ll",
};

static bool is_other_fuse(const struct cfs_mounted *m, const void *arg)
{
	(void)arg;
	if (strncmp(m->type, "fuse", 4) != 0)
		return false;
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		if (strcmp(m->type, harmless[i]) == 0)
			return false;
	return true;
}

/* Is a FUSE mount in the table at `path` a lower layer of an overlay in it?
 * root: "", or the folder that the table's paths are relative to. */
static bool has_lower(const char *path, const char *root)
{
	struct caller_table *t = calloc(1, sizeof(*t));
	bool is_lower = true;

	if (t == NULL)
		return true;
	t->root = root;
	if (cfs_mount_table_search(path, note_point, &t, NULL) != CFS_EIO &&
	    cfs_mount_table_search(path, look_at_overlay, &t, NULL) != CFS_EIO)
		is_lower = t->is_lower;
	for (unsigned i = 0; i < t->n; i++)
		free(t->points[i]);
	free(t);
	return is_lower;
}

/* poll(2) reports once that an open table of mounts has changed; a new mount is
 * in the table before mount(2) returns. */
static bool is_lower_here(struct cfs_callers *c)
{
	struct pollfd p = { .fd = c->table, .events = POLLPRI };
	bool is_lower;

	pthread_mutex_lock(&c->lock);
	if (c->table < 0 || poll(&p, 1, 0) != 0 || !c->is_known)
		c->is_lower = has_lower(CFS_MOUNT_TABLE, "");
	c->is_known = true;
	is_lower = c->is_lower;
	pthread_mutex_unlock(&c->lock);
	return is_lower;
}

/* ---- what the kernel keeps ----------------------------------------------- */

/* Does the table suggest that a caller that needs true sizes may be present? */
static bool is_careful_time(struct cfs_callers *c)
{
	return is_lower_here(c) ||
	       cfs_mount_table_search(CFS_MOUNT_TABLE, is_other_fuse, NULL,
				      NULL) != CFS_ENOTFOUND;
}

/* Waits until an answer is held, the watch is ended, or the table changes. */
static void wait_for_more(struct cfs_callers *c, int table, int ms)
{
	struct pollfd p[] = { { .fd = c->wake, .events = POLLIN },
			      { .fd = table, .events = POLLPRI } };

	(void)poll(p, 2, ms);
}

static bool is_asked(struct cfs_callers *c)
{
	bool yes;

	pthread_mutex_lock(&c->lock);
	yes = c->is_ending || c->held != NULL;
	pthread_mutex_unlock(&c->lock);
	return yes;
}

static void answer_held(struct cfs_callers *c)
{
	struct held *held, *next;

	pthread_mutex_lock(&c->lock);
	c->has_forgotten = true;
	held = c->held;
	c->held = NULL;
	pthread_mutex_unlock(&c->lock);
	for (; held != NULL; held = next) {
		next = held->next;
		held->answer(held->arg);
		free(held);
	}
}

static void *callers_watch(void *arg)
{
	struct cfs_callers *c = arg;
	int table = open(CFS_MOUNT_TABLE, O_RDONLY | O_CLOEXEC);
	bool is_ending;

	while (table >= 0 && !is_asked(c) && !is_careful_time(c))
		wait_for_more(c, table, -1);
	if (table >= 0)
		close(table);
	c->may_keep = false;
	pthread_mutex_lock(&c->lock);
	is_ending = c->is_ending;
	pthread_mutex_unlock(&c->lock);
	if (!is_ending)
		c->forget(c->arg);
	answer_held(c);
	/* Forget again what was allowed by answers that were on their way. */
	if (!is_ending)
		wait_for_more(c, -1, MOMENT_MS);
	pthread_mutex_lock(&c->lock);
	is_ending = c->is_ending;
	pthread_mutex_unlock(&c->lock);
	if (!is_ending)
		c->forget(c->arg);
	return NULL;
}

int cfs_callers_watch(struct cfs_callers *c, void (*forget)(void *arg),
		      void *arg)
{
	c->has_forgotten = true;
	if (c->wake < 0 || is_careful_time(c))
		return CFS_OK;		/* nothing is kept */
	c->forget = forget;
	c->arg = arg;
	c->has_forgotten = false;
	c->may_keep = true;
	c->is_watched = cfs_thread_start(&c->watcher, callers_watch, c);
	if (c->is_watched)
		return CFS_OK;
	c->may_keep = false;
	c->has_forgotten = true;
	return CFS_ENOMEM;
}

void cfs_callers_stop(struct cfs_callers *c)
{
	if (!c->is_watched)
		return;
	pthread_mutex_lock(&c->lock);
	c->is_ending = true;
	pthread_mutex_unlock(&c->lock);
	(void)eventfd_write(c->wake, 1);
	pthread_join(c->watcher, NULL);
	c->is_watched = false;
}

bool cfs_callers_may_keep(const struct cfs_callers *c)
{
	return c->may_keep;
}

void cfs_callers_keep_none(struct cfs_callers *c)
{
	c->may_keep = false;
}

/* Did the thread call statfs(2) itself?  False if that cannot be found out. */
static bool is_in_statfs(pid_t tid)
{
	struct cfs_buf text;
	char path[64];
	long call = -1;

	snprintf(path, sizeof(path), "/proc/%ld/syscall", (long)tid);
	cfs_buf_init(&text, STAT_MAX);
	if (cfs_file_read(path, &text) != CFS_OK ||
	    sscanf(cfs_buf_str(&text), "%ld", &call) != 1)
		call = -1;
	cfs_buf_release(&text);
	return call == SYS_statfs || call == SYS_fstatfs;
}

bool cfs_callers_hold_statfs(struct cfs_callers *c, pid_t tid,
			     void (*answer)(void *arg), void *arg)
{
	struct held *h;
	bool is_held = false;

	if (tid != 0 && is_in_statfs(tid))
		return false;
	h = malloc(sizeof(*h));
	if (h == NULL)
		return false;
	*h = (struct held){ .answer = answer, .arg = arg };
	pthread_mutex_lock(&c->lock);
	if (!c->has_forgotten) {
		h->next = c->held;
		c->held = h;
		is_held = true;
	}
	pthread_mutex_unlock(&c->lock);
	if (!is_held)
		free(h);
	else
		(void)eventfd_write(c->wake, 1);
	return is_held;
}

/* ---- callers ------------------------------------------------------------- */

/* Servers that pass sizes on to clients, by the names of their processes. */
static const char *const servers[] = {
	"smbd", "sftp-server", "ganesha.nfsd", "unfsd", "virtiofsd",
};

/* Is it a thread of the kernel (nfsd), or a server? */
static bool is_server(pid_t tid)
{
	char path[64];
	const char *name, *end;
	struct cfs_buf text;
	struct cfs_slice what;
	unsigned long bits = 0;
	bool is_one = true;	/* if it cannot be seen */

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)tid);
	cfs_buf_init(&text, STAT_MAX);
	if (cfs_file_read(path, &text) == CFS_OK &&
	    (name = strchr(cfs_buf_str(&text), '(')) != NULL &&
	    (end = strrchr(name, ')')) != NULL &&
	    sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %lu", &bits) == 1) {
		what = cfs_slice_of(name + 1, (size_t)(end - name) - 1);
		is_one = (bits & KERNEL_THREAD) != 0;
		for (size_t i = 0; i < sizeof(servers) / sizeof(*servers); i++)
			is_one = is_one ||
				 cfs_slice_eq(what, cfs_slice_str(servers[i]));
	}
	cfs_buf_release(&text);
	return is_one;
}

/* Does the process have FUSE's device open, so that it serves a file system? */
static bool is_file_system(pid_t tid)
{
	char path[64], to[sizeof(DEVICE) + 1];
	const struct dirent *e;
	bool is_one = false;
	unsigned seen = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%ld/fd", (long)tid);
	d = opendir(path);
	if (d == NULL)
		return true;
	while (!is_one && (e = readdir(d)) != NULL) {
		ssize_t n = readlinkat(dirfd(d), e->d_name, to, sizeof(to));

		is_one = ++seen > FDS_MAX ||
			 (n == sizeof(DEVICE) - 1 &&
			  memcmp(to, DEVICE, sizeof(DEVICE) - 1) == 0);
	}
	closedir(d);
	return is_one;
}

static bool read_name_space(const char *process, char out[64])
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	n = readlink(path, out, 63);
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Is the thread in another mount namespace, one where a FUSE mount may be a
 * lower layer of an overlay? */
static bool is_in_other_overlay(const struct cfs_callers *c, pid_t tid)
{
	char process[32], name[64], path[64], root[64];

	snprintf(process, sizeof(process), "%ld", (long)tid);
	if (!read_name_space(process, name))
		return true;
	if (strcmp(name, c->name_space) == 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%s/mountinfo", process);
	snprintf(root, sizeof(root), "/proc/%s/root", process);
	return has_lower(path, root);
}

static bool callers_look_at(const struct cfs_callers *c, pid_t tid)
{
	return is_server(tid) || is_file_system(tid) ||
	       is_in_other_overlay(c, tid);
}

bool cfs_callers_need_size(struct cfs_callers *c, pid_t tid)
{
	struct caller_verdict v;

	if (tid == 0 || is_lower_here(c))
		return true;
	if (cfs_memo_get(c->verdicts, (uint64_t)tid, &v) &&
	    cfs_monotonic_ms() - v.at_ms < MOMENT_MS)
		return v.needs_size;
	v = (struct caller_verdict){ cfs_monotonic_ms(), callers_look_at(c,
									 tid) };
	cfs_memo_put(c->verdicts, (uint64_t)tid, &v);
	return v.needs_size;
}

struct cfs_callers *cfs_callers_new(void)
{
	struct cfs_callers *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	pthread_mutex_init(&c->lock, NULL);
	c->verdicts = cfs_memo_new(SLOTS_BITS, sizeof(struct caller_verdict));
	c->table = open(CFS_MOUNT_TABLE, O_RDONLY | O_CLOEXEC);
	c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	read_name_space("self", c->name_space);
	if (c->verdicts == NULL) {
		cfs_callers_free(c);
		return NULL;
	}
	return c;
}

void cfs_callers_free(struct cfs_callers *c)
{
	if (c == NULL)
		return;
	cfs_callers_stop(c);
	if (c->table >= 0)
		close(c->table);
	if (c->wake >= 0)
		close(c->wake);
	cfs_memo_free(c->verdicts);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* cmd_mount.c - crawlfs mount, and mount.crawlfs, which mount(8) calls.
 *
 * All quick checks come before the sources are opened, because a first mount
 * may have to index them.  Once mounted, notices go to the log (logs.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define FUSE_USE_VERSION 314
#include <errno.h>
#include <fcntl.h>
#include <fuse_log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/daemon.h"
#include "base/text.h"
#include "commands.h"
#include "crawl/names.h"
#include "crawl/sources.h"
#include "fuse/mount.h"
#include "mounts.h"
#include "net/location.h"
#include "progress_line.h"
#include "signals.h"
#include "source_args.h"

#define DEVICE "/dev/fuse"
#define NO_BACKGROUND "cannot go to the background: %s"
#define ASIDE "/tmp/crawlfs-XXXXXX"
#define FUSE_REPEAT_MS 60000	/* libfuse's lines are not repeated within */
#define SAID_MAX 8192u		/* names, and a sentence */

/* ---- messages of libfuse and fusermount3 ------------------------------ */

static char fuse_words[256];	/* the last error message before mounting */
static bool is_mounted;
static int real_stderr = -1;	/* saved while fusermount3 writes to a file */

static void strip(char *line)
{
	size_t n = strlen(line);

	while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '.'))
		line[--n] = '\0';
}

/* libfuse logs texts quoted `so' in parts, of which WORD' is the last: repairs
 * the quotes. */
static void quote_as_usual(char *line)
{
	size_t n = strlen(line);
	char *open = strchr(line, '`');

	if (open != NULL) {
		*open = '\'';
	} else if (n > 0 && n + 1 < sizeof(fuse_words) &&
		   strchr(line, '\'') == line + n - 1) {
		memmove(line + 1, line, n + 1);
		line[0] = '\'';
	}
}

static void note_words(const char *line)
{
	static const char *const names[] = { "fuse: ", "fusermount3: ",
					     "fusermount: " };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(line, names[i], strlen(names[i])) == 0)
			line += strlen(names[i]);
	snprintf(fuse_words, sizeof(fuse_words), "%.*s",
		 (int)sizeof(fuse_words) - 1, line);
	strip(fuse_words);
	quote_as_usual(fuse_words);
}

/* fusermount3 is another program and writes to standard error: catches its
 * message, to make it part of ours. */
static void catch_stderr(void)
{
	int fd = memfd_create("stderr", MFD_CLOEXEC);

	fflush(stderr);
	if (fd < 0)
		return;
	real_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (real_stderr >= 0)
		dup2(fd, STDERR_FILENO);
	close(fd);
}

static void release_stderr(void)
{
	char line[512];
	ssize_t n;

	if (real_stderr < 0)
		return;
	fflush(stderr);
	n = pread(STDERR_FILENO, line, sizeof(line) - 1, 0);
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	real_stderr = -1;
	if (n <= 0)
		return;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	note_words(line);
}

static void on_fuse_log(enum fuse_log_level level, const char *fmt, va_list ap)
{
	char line[512];

	vsnprintf(line, sizeof(line), fmt, ap);
	strip(line);
	if (level >= FUSE_LOG_INFO)
		cfs_log(CFS_LOG_DEBUG, "%s", line);
	else if (is_mounted && !cfs_log_has(line, cfs_monotonic_ms() -
						  FUSE_REPEAT_MS))
		cfs_log(CFS_LOG_WARNING, "%s", line);
	else if (!is_mounted)
		note_words(line);
}

/* ---- once it is mounted ----------------------------------------------- */

struct mounting {
	struct cfs_mount_opts opts;
	const char *real;	/* the mount point */
	/* The folder first mounted on when a mount is replaced; else empty. */
	char aside[sizeof(ASIDE)];
	int point;		/* locked until mounted; or -1 */
	bool no_symlinks;	/* mount with nosymfollow */
	bool is_daemon, is_quiet;
	struct cfs_daemon daemon;
};

static void on_opened(void *arg)
{
	const struct mounting *m = arg;

	cfs_progress_end();
	cfs_cli_hand_signals_over();
	if (!m->opts.debug)
		catch_stderr();
}

/* Unlocks the mount point: others will now find the mount. */
static void unlock_point(int point)
{
	if (point < 0)
		return;
	flock(point, LOCK_UN);
	close(point);
}

/*
 * Says in one line what is mounted, and what is not as it should be: each note
 * is a clause that ends the line.  Asked to be quiet, it says so only if
 * something is missing.
 */
static void say_shown(const struct mounting *m,
		      const struct cfs_mount_shown *shown)
{
	char some[CFS_TEXT_COUNT_BYTES], more[CFS_TEXT_COUNT_BYTES];
	CFS_BUF(line, SAID_MAX);

	if (m->is_quiet && shown->damage.places + shown->absent == 0)
		return;
	if (m->opts.served.n_sources == 1)
		cfs_location_show_list(&line, m->opts.served.sources[0]);
	else
		cfs_buf_adds(&line, cfs_text_count(m->opts.served.n_sources,
						   "source", some));
	cfs_buf_addf(&line, " on %s", m->real);
	cfs_buf_adds(&line, shown->is_picked ? ": what is picked of " : ": ");
	cfs_buf_adds(&line, shown->captures == 0 ?
		     "an unknown number of captures" :
		     cfs_text_count(shown->captures, "capture", some));
	if (shown->damage.places > 0)
		cfs_buf_addf(&line, "; %s in %s (.crawlfs/errors lists them)",
			     cfs_text_count(shown->damage.places,
					    "damaged place", some),
			     cfs_text_count(shown->damage.archives, "archive",
					    more));
	if (shown->absent > 0)
		cfs_buf_addf(&line, "; %s without a body: the originals are "
			     "not %s", cfs_text_count(shown->absent,
						      "revisit", some),
			     m->opts.served.n_sources > 1 ?
			     "in the same source" : "here");
	if (shown->cut > 0)
		cfs_buf_addf(&line, "; %s with a body that was cut off",
			     cfs_text_count(shown->cut, "capture", some));
	if (!shown->sizes_are_exact)
		cfs_buf_adds(&line, "; sizes are estimates until a file is "
			     "opened (size=exact: for overlays, NFS, SMB)");
	cfs_cli_error("%s", cfs_buf_str(&line));
}

static int on_ready(void *arg, const struct cfs_mount_shown *shown,
		    struct cfs_error *err)
{
	struct mounting *m = arg;
	int rc = m->no_symlinks ?
		 cfs_mounts_follow_none(m->opts.mountpoint, err) : CFS_OK;

	if (rc == CFS_OK && m->aside[0] != '\0')
		rc = cfs_mounts_replace(m->aside, m->real, err);
	if (rc != CFS_OK)
		return rc;
	if (m->aside[0] != '\0')
		rmdir(m->aside);
	is_mounted = true;
	cfs_http_log_failures(true);
	release_stderr();
	unlock_point(m->point);
	say_shown(m, shown);
	fflush(stdout);
	fflush(stderr);
	if ((m->is_daemon ? cfs_daemon_ready(&m->daemon) : chdir("/")) != 0)
		return cfs_error_set(err, CFS_EIO, NO_BACKGROUND,
				     strerror(errno));
	cfs_logs_begin(m->real,
		       m->opts.debug ? CFS_LOG_DEBUG : CFS_LOG_WARNING);
	cfs_notify_ready();
	return CFS_OK;
}

/* libfuse would unmount the folder it mounted on, where nothing is mounted
 * now. */
static void on_ending(void *arg)
{
	const struct mounting *m = arg;

	cfs_notify_stopping();
	if (m->aside[0] != '\0')
		cfs_mounts_unmount(m->real, true, NULL);
}

/* ---- before mounting -------------------------------------------------- */

/* Checks that FUSE can be used.  The error says how to fix it. */
static int check_device(struct cfs_error *err)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	if (fd >= 0) {
		close(fd);
		return CFS_OK;
	}
	switch (errno) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return cfs_error_set(
			err, CFS_EIO,
			"cannot mount: there is no " DEVICE
			" (load the module with 'modprobe fuse'; start a container with --device " DEVICE
			" --cap-add SYS_ADMIN)");
	case EACCES:
	case EPERM:
		return cfs_error_set(
			err, CFS_EACCESS,
			"cannot mount: no permission to use " DEVICE
			" (be root or in its group; start a container with --device " DEVICE
			" --cap-add SYS_ADMIN)");
	default:
		return cfs_error_set(err, CFS_EIO,
				     "cannot mount: " DEVICE ": %s",
				     strerror(errno));
	}
}

static int clear_dead(const char *point, const struct cfs_mounted *m,
		      struct cfs_error *err)
{
	if (strcmp(m->type, CFS_MOUNT_TYPE) != 0)
		return cfs_error_set(
			err, CFS_EIO,
			"cannot mount on '%s': a dead mount of type %s is there; unmount it first",
			point, m->type);
	cfs_cli_error("'%s': unmounting a dead crawlfs mount", point);
	return cfs_mounts_unmount(point, true, err);
}

static int refuse_silent(const char *typed, const struct cfs_mounted *m,
			 bool replace, struct cfs_error *err)
{
	if (m->point == NULL || strcmp(m->type, CFS_MOUNT_TYPE) != 0)
		return cfs_error_set(err, CFS_EIO, "cannot mount on '%s': "
				     CFS_MOUNT_SILENT_TEXT, typed);
	return cfs_error_set(err, CFS_EIO,
			     "cannot %s '%s': " CFS_MOUNT_SILENT_TEXT
			     " ('crawlfs umount' detaches it)",
			     replace ? "replace the mount on" : "mount on",
			     typed);
}

static bool is_crawl(const struct cfs_mounted *m)
{
	return m->point != NULL && strcmp(m->type, CFS_MOUNT_TYPE) == 0;
}

/* Refuses a mount point that has a crawl mounted, unless it is to be
 * replaced. */
static int check_live(const char *point, const char *typed, bool replace,
		      const struct cfs_mounted *m, struct cfs_error *err)
{
	struct stat st;

	if (is_crawl(m) && replace && geteuid() != 0)
		return cfs_error_set(err, CFS_EACCESS, "cannot replace the "
				     "mount on '%s': that takes root", typed);
	if (is_crawl(m) && !replace)
		return cfs_error_set(
			err, CFS_EIO,
			"cannot mount on '%s': a crawl is mounted there already "
			"('crawlfs umount' ends it, --replace replaces it)",
			typed);
	if (stat(point, &st) != 0)
		return cfs_error_set(err, CFS_EIO, "cannot mount on '%s': %s",
				     typed, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return cfs_error_set(
			err, CFS_EIO,
			"cannot mount on '%s': it is not a directory", typed);
	if (strcmp(point, "/") == 0)
		return cfs_error_set(
			err, CFS_EIO,
			"cannot mount on '%s': it would hide all files", typed);
	return CFS_OK;
}

/* Locks the mount point: of two that mount there at once, one is refused, as it
 * would hide the other.  *out is -1 where folders cannot be locked. */
static int lock_point(const char *point, const char *typed, int *out,
		      struct cfs_error *err)
{
	int fd = open(point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_taken;

	*out = -1;
	if (fd < 0)
		return CFS_OK;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		*out = fd;
		return CFS_OK;
	}
	is_taken = errno == EWOULDBLOCK;
	close(fd);
	return !is_taken ? CFS_OK :
	       cfs_error_set(err, CFS_EIO, "cannot mount on '%s': a crawl is "
			     "being mounted there", typed);
}

/* Makes the mount point absolute and unmounts dead mounts on it; malloced. */
static int clear_point(const char *typed, bool replace, char **out,
			 struct cfs_error *err)
{
	enum cfs_mount_state state;
	struct cfs_mounted m;
	char *real;
	int rc;

	*out = NULL;
	/* several dead mounts may be stacked */
	for (unsigned tries = 0; tries < 16; tries++) {
		real = cfs_mounts_realpath(typed, &state);
		if (real == NULL)
			return cfs_error_set(
				err, CFS_EIO,
				errno == ENOENT ?
					"cannot mount on '%s': there is no such directory (make it with mkdir)" :
					"cannot mount on '%s'",
				typed);
		cfs_mounts_at(real, &m);
		if (state == CFS_MOUNT_SILENT)
			rc = refuse_silent(typed, &m, replace, err);
		else if (state == CFS_MOUNT_DEAD && m.point != NULL)
			rc = clear_dead(real, &m, err);
		else
			rc = check_live(real, typed, replace, &m, err);
		cfs_mounted_release(&m);
		if (rc != CFS_OK || state != CFS_MOUNT_DEAD)
			break;
		free(real);
		real = NULL;
	}
	if (rc != CFS_OK) {
		free(real);
		return rc;
	}
	*out = real;
	return real ? CFS_OK : cfs_error_set(err, CFS_EIO,
			"cannot mount on '%s': too many dead mounts are there",
			typed);
}

/* Keeps others from mounting on `real` until this mount stands.  *is_there: a
 * crawl is mounted there, which is to be replaced. */
static int take_point(const char *typed, const char *real, bool replace,
		      int *point, bool *is_there, struct cfs_error *err)
{
	struct cfs_mounted m;
	int rc = lock_point(real, typed, point, err);

	if (rc != CFS_OK)
		return rc;
	cfs_mounts_at(real, &m);	/* check again, now that it is locked */
	rc = check_live(real, typed, replace, &m, err);
	*is_there = is_crawl(&m);
	cfs_mounted_release(&m);
	return rc;
}

/* Finds where to mount: *real, malloced; m->point keeps others from it. */
static int find_point(const struct cfs_options *o, const char *typed,
		      struct mounting *m, char **real, bool *is_there,
		      struct cfs_error *err)
{
	int fd, rc = cfs_mounts_passed(typed, &fd, err);

	if (rc == CFS_OK && o->no_symlinks)
		return cfs_error_set(err, CFS_EUSAGE,
				     "option 'nosymfollow': it "
				     "is for the program that mounts '%s'",
				     typed);
	if (rc == CFS_OK && o->replace)
		return cfs_error_set(err, CFS_EUSAGE,
				     "--replace takes a folder, "
				     "not '%s'",
				     typed);
	if (rc == CFS_OK) {	/* it is mounted already */
		*real = strdup(typed);
		return *real != NULL ? CFS_OK : cfs_error_nomem(err);
	}
	if (rc == CFS_ENOTFOUND)
		rc = check_device(err);
	if (rc == CFS_OK)
		rc = clear_point(typed, o->replace, real, err);
	if (rc == CFS_OK)
		rc = take_point(typed, *real, o->replace, &m->point, is_there,
				err);
	return rc;
}

/* ---- mounting --------------------------------------------------------- */

/* Makes a path absolute without following links.  Malloced; NULL: out of
 * memory. */
static char *cmd_mount_absolute(const char *path)
{
	char *cwd, *out = NULL;

	if (path[0] == '/')
		return strdup(path);
	cwd = getcwd(NULL, 0);
	if (cwd == NULL)
		return strdup(path);
	if (asprintf(&out, "%s/%s", strcmp(cwd, "/") ? cwd : "", path) < 0)
		out = NULL;
	free(cwd);
	return out;
}

/* Makes a file name absolute, also within a list.  Malloced; *out NULL: leave
 * it as typed. */
static int make_one_absolute(const char *typed, char **out,
			     struct cfs_error *err)
{
	struct cfs_sources words = { .n = 0 };
	CFS_BUF(list, SIZE_MAX / 2);
	int rc = cfs_sources_split(&words, typed, err);

	*out = NULL;
	for (size_t i = 0; i < words.n && rc == CFS_OK; i++) {
		char *path = access(words.v[i], F_OK) != 0 ? NULL :
			     cmd_mount_absolute(words.v[i]);

		if (i > 0)
			cfs_buf_addc(&list, ',');
		cfs_buf_adds(&list, path != NULL ? path : words.v[i]);
		free(path);
	}
	cfs_sources_release(&words);
	if (rc == CFS_OK && (list.failed != CFS_OK ||
			     (*out = strdup(cfs_buf_str(&list))) == NULL))
		rc = cfs_error_nomem(err);
	return rc;
}

/* The daemon changes to `/`, so what it opens later must not be relative.  A
 * source that is not a file is a URL or a name, and stays as typed. */
static int make_absolute(struct cfs_options *o, const char **sources,
			 unsigned n_sources, struct cfs_error *err)
{
	const char **folders[] = { &o->crawl.data, &o->crawl.cache_dir,
				   &o->crawl.base };

	for (unsigned i = 0; i < 3 + n_sources; i++) {
		const char **place = i < 3 ? folders[i] : &sources[i - 3];
		bool may_be_list = i == 0 || i >= 3;
		char *path = NULL;
		int rc = CFS_OK;

		if (*place == NULL || (i < 3 && cfs_location_is_url(*place)))
			continue;
		if (may_be_list)
			rc = make_one_absolute(*place, &path, err);
		else
			path = cmd_mount_absolute(*place);
		if (rc != CFS_OK)
			return rc;
		*place = cfs_options_keep(o, path);
		if (*place == NULL)
			return cfs_error_nomem(err);
	}
	return CFS_OK;
}

static int cmd_mount_explain(int rc, const struct cfs_error *err)
{
	struct cfs_error more = CFS_ERROR_INIT;
	const char *hint = "";

	if (rc == CFS_OK || fuse_words[0] == '\0' || rc == CFS_EINTR ||
	    is_mounted || strstr(err->text, "mount") == NULL)
		return cfs_cli_end(rc, err);
	if (strstr(fuse_words, "not permitted") != NULL)
		hint = " (start a container with --device " DEVICE
		       " --cap-add SYS_ADMIN; as a user, see that fusermount3 is set-uid root)";
	cfs_error_set(&more, err->code, "%s: %s%s", err->text, fuse_words,
		      hint);
	return cfs_cli_end(rc, &more);
}

/* Fills in all but the sources and the mount point. */
static struct cfs_mount_opts mount_opts(struct cfs_options *o)
{
	return (struct cfs_mount_opts){
		.served = cfs_cli_served(o),
		.debug = o->debug,
		.threads = o->threads,
		.kernel = cfs_buf_str(&o->kernel),
		.fs = { .views = o->views,
			.xattr = o->xattr,
			.size_exact = o->size,
			.dates = o->conditions.dates,
			.words = cfs_buf_str(&o->own_words) },
		.opened = on_opened,
		.ready = on_ready,
		.ending = on_ending,
	};
}

/* Chooses the folder to mount on: a temporary one if a mount is replaced. */
static int cmd_mount_find_place(struct mounting *m, bool is_there,
				struct cfs_error *err)
{
	m->opts.mountpoint = m->real;
	if (!is_there)
		return CFS_OK;
	memcpy(m->aside, ASIDE, sizeof(ASIDE));
	if (mkdtemp(m->aside) == NULL) {
		m->aside[0] = '\0';
		return cfs_error_set(err, CFS_EIO, "cannot make a folder in "
				     "/tmp: %s", strerror(errno));
	}
	m->opts.mountpoint = m->aside;
	return CFS_OK;
}

/* Mounts as `m` says, and serves.  Returns the exit status; in the foreground
 * process as soon as the mount stands. */
static int cmd_mount_mount_and_serve(struct cfs_options *o, struct mounting *m,
				     bool is_there)
{
	struct cfs_error err = CFS_ERROR_INIT;
	int is_front, status, rc;

	cfs_cli_hear_interrupt();
	m->opts.served.crawl.cancel = cfs_cli_catch_signals();
	m->opts.arg = m;
	/* fork before any thread is started */
	is_front = m->is_daemon ? cfs_daemon_fork(&m->daemon,
				CFS_EXIT_INTERRUPTED, &status) : 0;
	if (is_front > 0)
		return status;
	if (is_front < 0) {
		rc = cfs_error_set(&err, CFS_EIO, NO_BACKGROUND,
				   strerror(errno));
		return cmd_mount_explain(rc, &err);
	}
	fuse_set_log_func(on_fuse_log);
	if (o->debug)
		cfs_cli_log_to_stderr(CFS_LOG_DEBUG);
	rc = cmd_mount_find_place(m, is_there, &err);
	if (rc == CFS_OK)
		rc = cfs_mount_run(&m->opts, &err);
	if (rc != CFS_OK && is_mounted && cfs_logs_are_elsewhere())
		cfs_log_error(CFS_LOG_ERROR, &err);
	if (m->aside[0] != '\0')
		rmdir(m->aside);
	release_stderr();
	cfs_progress_end();
	return cmd_mount_explain(rc, &err);
}

/* Closes descriptors inherited from the shell, except one of a mount. */
static void close_inherited(const char *typed)
{
	int fd;

	cfs_mounts_passed(typed, &fd, NULL);
	cfs_daemon_close_inherited(fd);
}

static int cmd_mount_run(struct cfs_options *o)
{
	unsigned n_sources = (unsigned)o->n_operands - 1;
	struct cfs_error err = CFS_ERROR_INIT;
	const char **sources = calloc(n_sources, sizeof(*sources));
	const char *typed = o->operands[n_sources];
	struct mounting m = { .opts = mount_opts(o), .point = -1,
			      .no_symlinks = o->no_symlinks,
			      .is_daemon = !o->foreground && !o->debug,
			      .is_quiet = o->is_quiet };
	bool is_there = false;
	char *real = NULL;
	int status, rc = sources != NULL ? CFS_OK : cfs_error_nomem(&err);

	cfs_names_escape_bytes(o->names_escaped);
	if (m.is_daemon)
		close_inherited(typed);
	for (unsigned i = 0; i < n_sources && sources != NULL; i++)
		sources[i] = o->operands[i];
	if (rc == CFS_OK)
		rc = make_absolute(o, sources, n_sources, &err);
	if (rc == CFS_OK)
		rc = cfs_cli_check_folders(&o->crawl, &err);
	if (rc == CFS_OK)
		rc = find_point(o, typed, &m, &real, &is_there, &err);
	if (rc == CFS_OK)
		rc = cfs_logs_open(o->log, m.is_daemon, &err);
	m.opts.served.sources = sources;
	m.opts.served.n_sources = n_sources;
	m.real = real;
	status = rc == CFS_OK ? cmd_mount_mount_and_serve(o, &m, is_there) :
				cmd_mount_explain(rc, &err);
	free(sources);
	free(real);
	return status;
}

/* ---- the commands ----------------------------------------------------- */

/* Remounting writable is not refused: mount(8) adds `rw` by itself. */
static int run_remount(const struct cfs_options *o)
{
	struct cfs_error err = CFS_ERROR_INIT;
	int rc = cfs_remount(o, o->operands[1], &err);

	if (rc == CFS_OK && o->is_rw)
		cfs_cli_error("'%s' stays read-only: a crawl cannot be written "
			      "to", o->operands[1]);
	return cfs_cli_end(rc, &err);
}

/* mount(8): SOURCE MOUNTPOINT [-sfnvrw] [-N NAMESPACE] [-t TYPE] [-o
 * OPT,...] */
static int run_helper(struct cfs_options *o)
{
	o->is_quiet = true;	/* as mount(8) is */
	if (o->unknown_word.code != CFS_OK && !o->is_sloppy)
		return cfs_cli_usage(o->command, "%s", o->unknown_word.text);
	if (o->n_operands != 2)
		return cfs_cli_usage(o->command,
				     "takes one SOURCE and one MOUNTPOINT");
	if (o->is_remount)
		return run_remount(o);
	return o->is_fake ? CFS_EXIT_OK : cmd_mount_run(o);
}

const struct cfs_command cfs_cmd_mount = {
	.name = "mount",
	.by = CFS_BY_MOUNT,
	.summary = "mount crawls as a directory tree",
	.usage =
		"crawlfs mount SOURCE... MOUNTPOINT [OPTION...] [-o OPTION,...]\n\n"
		"Mounts archives (WACZ too), folders of them, indexes or selections.  Goes to\n"
		"the background once the mount stands.  Several SOURCEs become directories side\n"
		"by side, or one tree: --merge, or a list A,B,C as one SOURCE.",
	.example =
		"  crawlfs mount crawl.warc.gz /mnt/crawl\n"
		"  crawlfs mount --merge 2023.cfx 2024.cfx /mnt/crawl\n"
		"  crawlfs mount CC-MAIN-2024-10 /mnt/crawl --base=https://mirror.example/\n",
	.operands = { "SOURCE", "MOUNTPOINT" },
	.run = cmd_mount_run,
};

const struct cfs_command cfs_cmd_mount_helper = {
	.name = "mount.crawlfs",
	.by = CFS_BY_MOUNT_HELPER,
	.summary = "mount a crawl for mount(8)",
	.usage =
	"mount.crawlfs SOURCE MOUNTPOINT [-sfnvrw] [-o OPTION,...]\n\n"
	"Is called by mount(8) for 'mount -t crawlfs' and for /etc/fstab.",
	.example =
	"  mount -t crawlfs -o allow_other /srv/crawl.cfx /mnt/crawl\n",
	.run = run_helper,
};

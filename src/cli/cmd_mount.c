/* cmd_mount.c - crawlfs mount, and mount.crawlfs as mount(8) calls it.
 *
 * Everything that can be found wrong quickly is, before sources are opened:
 * a first mount may have to index them.  From the moment the mount stands,
 * notices go to the system log, unless it stays in the foreground.
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
#include <sys/mman.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "commands.h"
#include "mount_opts.h"
#include "mounts.h"
#include "progress.h"

#define DEVICE "/dev/fuse"

/* ---- what libfuse and fusermount3 have to say -------------------------- */

static char fuse_words[256];	/* the last complaint before the mount stood */
static bool is_mounted;
static int real_stderr = -1;	/* while fusermount3 writes to a file instead */

static void strip(char *line)
{
	size_t n = strlen(line);

	while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '.'))
		line[--n] = '\0';
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
}

/* fusermount3 is a program of its own and complains on standard error; its
 * words become part of ours. */
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
	else if (is_mounted)
		cfs_log(CFS_LOG_WARNING, "%s", line);
	else
		note_words(line);
}

/* ---- notices ---------------------------------------------------------- */

static void to_syslog(enum cfs_log_level level, const char *line, void *arg)
{
	static const int priority[] = {
		[CFS_LOG_ERROR] = LOG_ERR, [CFS_LOG_WARNING] = LOG_WARNING,
		[CFS_LOG_INFO] = LOG_INFO, [CFS_LOG_DEBUG] = LOG_DEBUG,
	};

	(void)arg;
	syslog(priority[level], "%s", line);
}

static void on_opened(void *arg)
{
	const struct cfs_mount_opts *m = arg;

	cfs_progress_end();
	cfs_cli_release_signals();	/* libfuse's from here on */
	if (!m->debug)
		catch_stderr();
}

static int on_ready(void *arg)
{
	const struct cfs_mount_opts *m = arg;

	is_mounted = true;
	cfs_http_log_failures(true);
	release_stderr();
	fflush(stdout);
	fflush(stderr);
	if (m->foreground || m->debug)
		return 0;
	openlog("crawlfs", LOG_PID, LOG_DAEMON);
	cfs_log_to(to_syslog, NULL, CFS_LOG_WARNING);
	return 0;
}

/* ---- before mounting -------------------------------------------------- */

/* Can FUSE be used at all?  Says what to do if not. */
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
		return cfs_error_set(err, CFS_EIO,
			"cannot mount: there is no " DEVICE
			" (load the module with 'modprobe fuse'; start a container with --device " DEVICE
			" --cap-add SYS_ADMIN)");
	case EACCES:
	case EPERM:
		return cfs_error_set(err, CFS_EACCESS,
			"cannot mount: no permission to use " DEVICE
			" (be root or in its group; start a container with --device " DEVICE
			" --cap-add SYS_ADMIN)");
	default:
		return cfs_error_set(err, CFS_EIO, "cannot mount: " DEVICE ": %s",
				     strerror(errno));
	}
}

static int clear_dead(const char *point, const struct cfs_mounted *m,
		      struct cfs_error *err)
{
	if (strcmp(m->type, CFS_MOUNT_TYPE) != 0)
		return cfs_error_set(err, CFS_EIO,
			"cannot mount on '%s': a dead mount of type %s is there; unmount it first",
			point, m->type);
	cfs_cli_error("'%s': unmounting a dead crawlfs mount", point);
	return cfs_mounts_unmount(point, true, err);
}

static int check_live(const char *point, const char *typed,
		      const struct cfs_mounted *m, struct cfs_error *err)
{
	struct stat st;

	if (m->point != NULL && strcmp(m->type, CFS_MOUNT_TYPE) == 0)
		return cfs_error_set(err, CFS_EIO,
			"cannot mount on '%s': a crawl is mounted there already",
			typed);
	if (stat(point, &st) != 0)
		return cfs_error_set(err, CFS_EIO, "cannot mount on '%s': %s",
				     typed, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return cfs_error_set(err, CFS_EIO,
				     "cannot mount on '%s': it is no directory",
				     typed);
	return CFS_OK;
}

/* The mount point, absolute and ready; malloced. */
static int prepare_point(const char *typed, char **out, struct cfs_error *err)
{
	struct cfs_mounted m;
	bool is_dead;
	char *real;
	int rc;

	*out = NULL;
	/* several dead ones may lie on each other */
	for (unsigned tries = 0; tries < 16; tries++) {
		real = cfs_mounts_realpath(typed, &is_dead);
		if (real == NULL)
			return cfs_error_set(err, CFS_EIO,
				errno == ENOENT
				? "cannot mount on '%s': there is no such directory (make it with mkdir)"
				: "cannot mount on '%s'", typed);
		cfs_mounts_at(real, &m);
		rc = is_dead && m.point != NULL ? clear_dead(real, &m, err)
						: check_live(real, typed, &m, err);
		cfs_mounted_release(&m);
		if (rc != CFS_OK || !is_dead)
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
			"cannot mount on '%s': dead mounts are there", typed);
}

/* ---- mounting --------------------------------------------------------- */

static void free_list(char **list)
{
	for (size_t i = 0; list != NULL && list[i] != NULL; i++)
		free(list[i]);
	free(list);
}

/* Sources as the daemon needs them after it has changed to `/`; what is no
 * file stays as it was typed.  NULL without memory. */
static char **absolute_sources(char **typed, unsigned n)
{
	char **out = calloc(n + 1, sizeof(*out));

	if (out == NULL)
		return NULL;
	for (unsigned i = 0; i < n; i++) {
		bool is_file = access(typed[i], F_OK) == 0;
		char *s = is_file ? cfs_cli_absolute(typed[i])
				  : strdup(typed[i]);

		if (s == NULL) {
			free_list(out);
			return NULL;
		}
		out[i] = s;
	}
	return out;
}

static int explain(int rc, const struct cfs_error *err)
{
	struct cfs_error more = CFS_ERROR_INIT;
	const char *hint = "";

	if (fuse_words[0] == '\0' || rc == CFS_EINTR || is_mounted ||
	    strstr(err->text, "mount") == NULL)
		return cfs_cli_fail(rc, err);
	if (strstr(fuse_words, "not permitted") != NULL)
		hint = " (start a container with --device " DEVICE
		       " --cap-add SYS_ADMIN; as a user, see that fusermount3 is set-uid root)";
	cfs_error_set(&more, err->code, "%s: %s%s", err->text, fuse_words, hint);
	return cfs_cli_fail(rc, &more);
}

static int do_mount(struct cfs_mount_words *w, char **typed, unsigned n_sources,
		    const char *point)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_mount_opts *m = &w->mount;
	char **sources = NULL, *real = NULL;
	int rc = check_device(&err);

	if (rc == CFS_OK)
		rc = cfs_cli_check_folders(&m->crawl, &err);
	if (rc == CFS_OK)
		rc = prepare_point(point, &real, &err);
	if (rc == CFS_OK)
		sources = absolute_sources(typed, n_sources);
	if (rc == CFS_OK && sources == NULL)
		rc = cfs_error_set(&err, CFS_ENOMEM, "out of memory");
	if (rc == CFS_OK) {
		m->sources = (const char *const *)sources;
		m->n_sources = n_sources;
		m->mountpoint = real;
		m->kernel = cfs_buf_str(&w->kernel);
		m->crawl.building = cfs_progress_building;
		m->crawl.cancel = cfs_cli_catch_signals();
		m->opened = on_opened;
		m->ready = on_ready;
		m->arg = m;
		fuse_set_log_func(on_fuse_log);
		if (m->debug)
			cfs_cli_log_to_stderr(CFS_LOG_DEBUG);
		rc = cfs_mount_run(m, &err);
		release_stderr();
		cfs_progress_end();
	}
	free_list(sources);
	free(real);
	return rc == CFS_OK ? CFS_EXIT_OK : explain(rc, &err);
}

/* ---- the command ------------------------------------------------------ */

enum {
	OPT_CACHE_SIZE = CFS_OPT_OWN, OPT_META, OPT_READAHEAD, OPT_SIZE,
	OPT_THREADS, OPT_VIEWS, OPT_XATTR
};

/* crawlfs's own words of -o are long options, too, with '-' for '_'. */
static const struct option mount_longs[] = {
	{ "foreground", no_argument, NULL, 'f' },
	{ "debug", no_argument, NULL, 'd' },
	{ "options", required_argument, NULL, 'o' },
	{ "cache-size", required_argument, NULL, OPT_CACHE_SIZE },
	{ "meta", required_argument, NULL, OPT_META },
	{ "readahead", required_argument, NULL, OPT_READAHEAD },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "views", required_argument, NULL, OPT_VIEWS },
	{ "xattr", no_argument, NULL, OPT_XATTR },
	CFS_SOURCE_LONGS, { NULL, 0, NULL, 0 }
};

/* Takes a long option as the word it stands for. */
static int take_long(struct cfs_mount_words *w, int c, struct cfs_error *err)
{
	char word[32] = "";

	for (const struct option *o = mount_longs; o->name != NULL; o++)
		if (o->val == c)
			snprintf(word, sizeof(word), "%s", o->name);
	for (char *p = word; *p != '\0'; p++)
		if (*p == '-')
			*p = '_';
	return optarg != NULL ? cfs_mount_words_set(w, word, optarg, err) :
				cfs_mount_words_take(w, word, err);
}

static int take_options(struct cfs_args *a, struct cfs_mount_words *w)
{
	struct cfs_error err = CFS_ERROR_INIT;
	int c, rc;

	while ((c = cfs_args_next(a)) != CFS_OPT_END) {
		switch (c) {
		case 'f':
			w->mount.foreground = true;
			break;
		case 'd':
			w->mount.debug = w->mount.foreground = true;
			break;
		default:
			if (c == CFS_OPT_STOP)
				return c;
			rc = c == 'o' ? cfs_mount_words_take(w, optarg, &err)
				      : take_long(w, c, &err);
			if (rc != CFS_OK) {
				a->status = cfs_cli_usage(a->cmd, "%s", err.text);
				return CFS_OPT_STOP;
			}
		}
	}
	return CFS_OPT_END;
}

static int run(const struct cfs_command *cmd, int argc, char **argv)
{
	struct cfs_args a = { cmd, argc, argv, ":hfdo:", mount_longs, 0 };
	struct cfs_mount_words w;
	int n;

	cfs_mount_words_init(&w);
	if (take_options(&a, &w) == CFS_OPT_END) {
		n = argc - optind;
		if (n < 2)
			a.status = cfs_cli_usage(cmd, n == 0
				? "no SOURCE and no MOUNTPOINT are given"
				: "no MOUNTPOINT is given");
		else
			a.status = do_mount(&w, argv + optind, (unsigned)n - 1,
					    argv[argc - 1]);
	}
	cfs_mount_words_release(&w);
	return a.status;
}

/* mount(8): SOURCE MOUNTPOINT [-sfnvrw] [-N NAMESPACE] [-t TYPE] [-o OPT,...].
 * There -f means: all but the mounting. */
static int run_helper(const struct cfs_command *cmd, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 }
	};
	struct cfs_args a = { cmd, argc, argv, ":hsfnvrwN:t:o:", longs, 0 };
	char *lists[64];
	unsigned n_lists = 0;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_mount_words w;
	bool is_fake = false;
	int c, rc = CFS_OK;

	cfs_mount_words_init(&w);
	w.is_helper = true;
	while ((c = cfs_args_next(&a)) != CFS_OPT_END && c != CFS_OPT_STOP) {
		is_fake |= c == 'f';
		w.is_sloppy |= c == 's';
		if (c == 'o' && n_lists < sizeof(lists) / sizeof(lists[0]))
			lists[n_lists++] = optarg;
	}
	if (c == CFS_OPT_END) {
		for (unsigned i = 0; i < n_lists && rc == CFS_OK; i++)
			rc = cfs_mount_words_take(&w, lists[i], &err);
		if (rc != CFS_OK)
			a.status = cfs_cli_usage(cmd, "%s", err.text);
		else if (argc - optind != 2)
			a.status = cfs_cli_usage(cmd,
				"takes one SOURCE and one MOUNTPOINT");
		else if (!is_fake)
			a.status = do_mount(&w, argv + optind, 1, argv[optind + 1]);
	}
	cfs_mount_words_release(&w);
	return a.status;
}

#define KERNEL_HELP \
	"allow_other, auto_unmount, nodev, nosuid, noexec, ...\n"

const struct cfs_command cfs_cmd_mount = {
	.name = "mount",
	.summary = "mount crawls as a directory tree",
	.help =
	"usage: crawlfs mount SOURCE... MOUNTPOINT [OPTION...] [-o OPTION,...]\n\n"
	"Mounts archives, folders of archives or indexes.  Goes to the background\n"
	"once the mount stands.  Several SOURCEs become directories side by side.\n\n"
	"  -f, --foreground       stay in front until unmounted or interrupted\n"
	"  -d, --debug            stay in front and tell every request\n"
	"  -o, --options=LIST     the long options below, without -- and with _ for\n"
	"                         -, and words for FUSE and the kernel:\n"
	"                         " KERNEL_HELP
	"      --cache-size=SIZE  of what is read of remote crawls (10G); 0: nothing\n"
	"      --readahead=off    do not fetch what is likely to be read next\n"
	"      --views=V:V...     views to list: raw, meta, txt, headers, record\n"
	"      --xattr            extended attributes (URL, type, status, ...)\n"
	"      --size=exact       stat opens files to know their size\n"
	"      --meta=compact     .meta on one line\n"
	"      --threads=N        how many requests are served at a time\n"
	CFS_SOURCE_HELP
	"\nExample:\n"
	"  crawlfs mount crawl.warc.gz /mnt/crawl\n"
	"  crawlfs mount CC-MAIN-2024-10 /mnt/crawl --base=https://mirror.example/\n",
	.run = run,
};

const struct cfs_command cfs_cmd_mount_helper = {
	.name = "mount.crawlfs",
	.summary = "mount a crawl for mount(8)",
	.help =
	"usage: mount.crawlfs SOURCE MOUNTPOINT [-sfnv] [-o OPTION,...]\n\n"
	"Is called by mount(8) for 'mount -t crawlfs' and for /etc/fstab.\n\n"
	"  -s                leave out mount options that are not known\n"
	"  -f                check the arguments, mount nothing\n"
	"  -n, -v, -r, -w    accepted, without effect\n"
	"  -N NS, -t TYPE    accepted, without effect\n"
	"  -o OPTION,...     the long options of 'crawlfs mount --help' without --\n"
	"                    and with _ for -, and words for FUSE and the kernel:\n"
	"                    " KERNEL_HELP
	"  -h, --help        this text\n"
	"\nExample:\n"
	"  mount -t crawlfs -o allow_other /srv/crawl.cfx /mnt/crawl\n",
	.run = run_helper,
};

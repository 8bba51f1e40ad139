/* logs.c - writes lines of the log to a file, standard error, syslog or the
 * journal.
 *
 * A line that cannot be written at once is dropped: neither a full disk nor a
 * pipe whose reader is slow may delay readers of the mount.
 *
 * A log file that was renamed is opened again by its name, in the folder it was
 * opened in: by then the path may lead through the mount, which would have to
 * answer its own request.
 *
 * The journal is sent datagrams as systemd documents them (Native Journal
 * Protocol): NAME=VALUE lines; for a value with a newline NAME, newline, its
 * length in eight bytes, the value, newline.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "messages.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"
#include "base/timestamp.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define FILE_FLAGS (O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | \
		    O_NONBLOCK)
#define FILE_MODE 0640
/* Longest line: all bytes escaped. */
#define LINE_MAX_BYTES (8u << 10)

static const int priorities[] = {
	[CFS_LOG_ERROR] = LOG_ERR, [CFS_LOG_WARNING] = LOG_WARNING,
	[CFS_LOG_INFO] = LOG_INFO, [CFS_LOG_DEBUG] = LOG_DEBUG,
};

/* Set before there are threads, then only by the receiver of the log, which is
 * called by one thread at a time. */
static struct {
	cfs_log_fn *receiver;		/* NULL: where commands print */
	int fd;
	int folder;			/* folder of a log file that may be
					 * renamed */
	char name[NAME_MAX + 1];	/* the file's name in it */
	bool is_torn;			/* the last write ended within a line */
	char mountpoint[PATH_MAX];
} logs = { .fd = -1, .folder = -1 };

static const char *word_of(enum cfs_log_level level)
{
	return level == CFS_LOG_WARNING ? "warning: " : "";
}

/* ---- files, and standard error of a daemon ---------------------------- */

static bool logs_is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static void follow_name(void)
{
	struct stat is, named;
	int fd;

	if (logs.folder < 0 || fstat(logs.fd, &is) != 0 ||
	    (fstatat(logs.folder, logs.name, &named, 0) == 0 ?
	     logs_is_same_file(&is, &named) : errno != ENOENT))
		return;
	fd = openat(logs.folder, logs.name, FILE_FLAGS, FILE_MODE);
	if (fd < 0)
		return;
	close(logs.fd);
	logs.fd = fd;
	logs.is_torn = false;
}

static void write_line(struct cfs_slice line)
{
	struct pollfd ready = { .fd = logs.fd, .events = POLLOUT };
	ssize_t n;

	if (poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0)
		return;
	if (logs.is_torn && write(logs.fd, "\n", 1) != 1)
		return;
	n = write(logs.fd, line.p, line.n);
	logs.is_torn = n > 0 && (size_t)n < line.n;
}

/* Writes "TIME crawlfs[PROCESS]: LINE". */
static void to_file(enum cfs_log_level level, const char *line, void *arg)
{
	char now[CFS_TIME_ISO_BYTES];
	CFS_BUF(b, LINE_MAX_BYTES);

	(void)arg;
	cfs_buf_addf(&b, "%s crawlfs[%ld]: %s",
		     cfs_time_format_iso(time(NULL), now), (long)getpid(),
		     word_of(level));
	cfs_text_escape(&b, cfs_slice_str(line));
	cfs_buf_addc(&b, '\n');
	follow_name();
	write_line(cfs_buf_slice(&b));
}

/* Writes the line as commands do. */
static void to_stderr(enum cfs_log_level level, const char *line, void *arg)
{
	CFS_BUF(b, LINE_MAX_BYTES);

	(void)arg;
	cfs_buf_addf(&b, "crawlfs: %s", word_of(level));
	cfs_text_escape(&b, cfs_slice_str(line));
	cfs_buf_addc(&b, '\n');
	write_line(cfs_buf_slice(&b));
}

/* Remembers the folder and name of a regular file, to open it again. */
static void note_folder(const char *path)
{
	char a[PATH_MAX], b[PATH_MAX];
	struct stat st;
	const char *name;

	if (fstat(logs.fd, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	snprintf(a, sizeof(a), "%s", path);
	snprintf(b, sizeof(b), "%s", path);
	name = basename(b);
	if (strlen(path) >= PATH_MAX || strlen(name) > NAME_MAX)
		return;
	snprintf(logs.name, sizeof(logs.name), "%s", name);
	logs.folder = open(dirname(a), O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int open_log_file(const char *path, struct cfs_error *err)
{
	logs.fd = open(path, FILE_FLAGS, FILE_MODE);
	if (logs.fd < 0)
		return cfs_error_set(err, CFS_EIO, "option 'log': cannot write "
				     "to '%s': %s", path, strerror(errno));
	note_folder(path);
	logs.receiver = to_file;
	return CFS_OK;
}

/* ---- syslog and the journal ------------------------------------------- */

static void to_syslog(enum cfs_log_level level, const char *line, void *arg)
{
	(void)arg;
	syslog(priorities[level], "%s", line);
}

static void logs_add_field(struct cfs_buf *out, const char *name,
			   const char *value)
{
	cfs_buf_adds(out, name);
	if (strchr(value, '\n') == NULL) {
		cfs_buf_addc(out, '=');
	} else {
		cfs_buf_addc(out, '\n');
		cfs_buf_le64(out, strlen(value));
	}
	cfs_buf_adds(out, value);
	cfs_buf_addc(out, '\n');
}

static struct sockaddr_un journal_address(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", JOURNAL_SOCKET);
	return a;
}

static void to_journal(enum cfs_log_level level, const char *line, void *arg)
{
	struct sockaddr_un a = journal_address();
	CFS_BUF(b, LINE_MAX_BYTES + PATH_MAX);
	char priority[8];

	(void)arg;
	snprintf(priority, sizeof(priority), "%d", priorities[level]);
	logs_add_field(&b, "PRIORITY", priority);
	logs_add_field(&b, "SYSLOG_IDENTIFIER", "crawlfs");
	logs_add_field(&b, "CRAWLFS_MOUNTPOINT", logs.mountpoint);
	logs_add_field(&b, "MESSAGE", line);
	/* sent by name each time, because the journal may be restarted */
	sendto(logs.fd, b.p, b.n, MSG_DONTWAIT | MSG_NOSIGNAL,
	       (const struct sockaddr *)&a, sizeof(a));
}

static void open_journal(void)
{
	if (access(JOURNAL_SOCKET, W_OK) == 0)
		logs.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	logs.receiver = logs.fd >= 0 ? to_journal : to_syslog;
	if (logs.fd < 0)
		cfs_cli_error("option 'log': there is no journal: notices go "
			      "to syslog");
}

/* ---- opening the log -------------------------------------------------- */

int cfs_logs_open(const char *typed, bool is_daemon, struct cfs_error *err)
{
	if (typed == NULL)
		typed = is_daemon ? "syslog" : "stderr";
	if (strcmp(typed, "syslog") == 0) {
		logs.receiver = to_syslog;
	} else if (strcmp(typed, "journal") == 0) {
		open_journal();
	} else if (strcmp(typed, "stderr") != 0) {
		return open_log_file(typed, err);
	} else if (is_daemon) {
		logs.fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
		logs.receiver = logs.fd >= 0 ? to_stderr : NULL;
	}
	return CFS_OK;
}

void cfs_logs_begin(const char *mountpoint, enum cfs_log_level up_to)
{
	if (logs.receiver == NULL)
		return;
	if (logs.receiver == to_syslog)
		openlog("crawlfs", LOG_PID, LOG_DAEMON);
	snprintf(logs.mountpoint, sizeof(logs.mountpoint), "%s", mountpoint);
	cfs_log_to(logs.receiver, NULL, up_to);
}

bool cfs_logs_are_elsewhere(void)
{
	return logs.receiver != NULL;
}

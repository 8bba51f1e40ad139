/* keys_process.c - runs a command that prints credentials, and reads them.
 *
 * After the AWS SDKs and Tools Reference Guide, "Process credential provider":
 * one JSON object on standard output,
 *
 *     { "Version": 1, "AccessKeyId": "", "SecretAccessKey": "",
 *       "SessionToken": "", "Expiration": "ISO 8601" }
 * No shell runs the command; it is split as by Python's shlex, which the AWS
 * CLI uses.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "keys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/spawn.h"
#include "base/start_folder.h"
#include "codec/json.h"

#define OUTPUT_MAX 65536u
#define POLL_MS 50

extern char **environ;

/* ---- words ------------------------------------------------------------- */

struct splitter {
	struct cfs_slice in;
	size_t at;
	char *out;		/* room for the whole command and a NUL */
	size_t n;
};

/* Copies what is between quotes; false if they do not end.  In double quotes, a
 * backslash escapes '"' and '\'. */
static bool keys_process_take_quoted(struct splitter *s, uint8_t quote)
{
	while (s->at < s->in.n && s->in.p[s->at] != quote) {
		if (quote == '"' && s->in.p[s->at] == '\\' &&
		    s->at + 1 < s->in.n &&
		    (s->in.p[s->at + 1] == '"' || s->in.p[s->at + 1] == '\\'))
			s->at++;
		s->out[s->n++] = (char)s->in.p[s->at++];
	}
	return s->at++ < s->in.n;
}

/* Copies a word and a NUL.  CFS_END, CFS_EFORMAT. */
static int keys_process_take_word(struct splitter *s)
{
	while (s->at < s->in.n && cfs_is_space(s->in.p[s->at]))
		s->at++;
	if (s->at >= s->in.n)
		return CFS_END;
	while (s->at < s->in.n && !cfs_is_space(s->in.p[s->at])) {
		uint8_t c = s->in.p[s->at++];

		if (c == '\'' || c == '"') {
			if (!keys_process_take_quoted(s, c))
				return CFS_EFORMAT;
			continue;
		}
		if (c == '\\') {
			if (s->at >= s->in.n)
				return CFS_EFORMAT;
			c = s->in.p[s->at++];
		}
		s->out[s->n++] = (char)c;
	}
	s->out[s->n++] = '\0';
	return CFS_OK;
}

int cfs_keys_split(char ***argv, struct cfs_slice command,
		   struct cfs_error *err)
{
	const size_t table = (CFS_KEYS_ARGUMENTS_MAX + 1) * sizeof(char *);
	char **words = calloc(1, table + command.n + 2);
	struct splitter s = { .in = command };
	size_t n = 0;
	int rc = CFS_OK;

	*argv = NULL;
	if (words == NULL)
		return cfs_error_nomem(err);
	s.out = (char *)words + table;
	while (rc == CFS_OK) {
		char *word = s.out + s.n;

		rc = keys_process_take_word(&s);
		if (rc == CFS_OK && n == CFS_KEYS_ARGUMENTS_MAX)
			rc = CFS_EFORMAT;
		if (rc == CFS_OK)
			words[n++] = word;
	}
	if (rc == CFS_END && n > 0 && cfs_slice_find(command, '\0') < 0) {
		*argv = words;
		return CFS_OK;
	}
	free(words);
	return cfs_error_set(err, CFS_EFORMAT, rc == CFS_END ?
			     "the command is empty" : "a quote in the command "
			     "has no end, or it has too many words");
}

/* ---- the process ------------------------------------------------------- */

/* Starts the command where this program was started. */
static int keys_process_start(pid_t *pid, int out_fd, char **argv)
{
	struct cfs_spawn how = {
		.argv = argv, .env = environ, .in = -1, .out = out_fd
	};
	const char *folder = cfs_start_folder();

	if (folder != NULL && access(folder, X_OK) == 0)
		how.folder = folder;
	return cfs_spawn(pid, &how);
}

/* How long to wait next: at most until until_ms, in steps short enough to
 * notice a cancellation.  0: time is over. */
static int next_wait_ms(const struct cfs_keys_how *how, int64_t until_ms)
{
	int64_t left = until_ms - cfs_monotonic_ms();

	if (left <= 0 || cfs_cancelled(how->cancel))
		return 0;
	return left < POLL_MS ? (int)left : POLL_MS;
}

static int keys_process_is_late(const struct cfs_keys_how *how,
				struct cfs_error *err)
{
	if (cfs_cancelled(how->cancel))
		return cfs_error_set(err, CFS_EINTR, "interrupted");
	return cfs_error_set(err, CFS_ETIMEOUT, "the process has not ended "
			     "after %u s", how->timeout_ms / 1000);
}

static int read_output(int fd, struct cfs_buf *out,
		       const struct cfs_keys_how *how, int64_t until_ms,
		       struct cfs_error *err)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char part[4096];
	ssize_t n = 1;

	while (n > 0) {
		int wait_ms = next_wait_ms(how, until_ms);

		if (wait_ms == 0)
			return keys_process_is_late(how, err);
		if (poll(&p, 1, wait_ms) <= 0)
			continue;
		n = read(fd, part, sizeof(part));
		if (n > 0 && cfs_buf_append(out, part, (size_t)n) != CFS_OK)
			return cfs_error_set(err, CFS_EFORMAT, "the process "
				"prints more than credentials");
	}
	explicit_bzero(part, sizeof(part));
	return CFS_OK;
}

/* Waits for the process, and kills it if it does not end in time. */
static int keys_process_wait_for(pid_t pid, int rc,
				 const struct cfs_keys_how *how,
				 int64_t until_ms, struct cfs_error *err)
{
	const struct timespec pause = { 0, 5 * 1000000L };
	int status = 0;
	pid_t ended = 0;

	while (rc == CFS_OK && (ended = waitpid(pid, &status, WNOHANG)) == 0 &&
	       next_wait_ms(how, until_ms) > 0)
		nanosleep(&pause, NULL);
	if (ended == 0) {
		kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		return rc != CFS_OK ? rc : keys_process_is_late(how, err);
	}
	/* If SIGCHLD is ignored, there is no status to collect. */
	if (ended < 0)
		return rc;
	if (WIFSIGNALED(status))
		return cfs_error_set(err, CFS_EACCESS, "the process was ended "
				     "by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status) == 0 ? rc :
	       cfs_error_set(err, CFS_EACCESS, "the process ended with "
			     "status %d", WEXITSTATUS(status));
}

static int keys_process_run(struct cfs_buf *out, char **argv,
			    const struct cfs_keys_how *how,
			    struct cfs_error *err)
{
	int64_t until_ms = cfs_monotonic_ms() + how->timeout_ms;
	int ends[2], rc;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return cfs_error_set(err, CFS_EIO, "no pipe: %s",
				     strerror(errno));
	rc = keys_process_start(&pid, ends[1], argv);
	close(ends[1]);
	if (rc != 0)
		rc = cfs_error_set(err, CFS_EACCESS, "cannot run '%.100s': %s",
				   argv[0], strerror(rc));
	else
		rc = keys_process_wait_for(pid,
					   read_output(ends[0], out, how,
						       until_ms, err),
					   how, until_ms, err);
	close(ends[0]);
	return rc;
}

static int keys_process_parse(struct cfs_keys *out, struct cfs_slice json,
			      struct cfs_error *err)
{
	const char *const path[] = { "Version" };
	struct cfs_slice version;

	if (cfs_json_pick(json, path, 1, &version) &&
	    !cfs_slice_eq(version, CFS_SLICE_LIT("1")))
		return cfs_error_set(err, CFS_EFORMAT,
				     "what the process prints "
				     "has no \"Version\": 1");
	return cfs_keys_from_json(out, json, "SessionToken",
				  (int64_t)time(NULL), err);
}

int cfs_keys_from_process(struct cfs_keys *out, struct cfs_slice command,
			  const struct cfs_keys_how *how, struct cfs_error *err)
{
	CFS_BUF(text, OUTPUT_MAX);
	char **argv;
	int rc;

	*out = (struct cfs_keys){ .id = NULL };
	rc = cfs_keys_split(&argv, command, err);
	if (argv == NULL)
		return rc;
	rc = keys_process_run(&text, argv, how, err);
	if (rc == CFS_OK)
		rc = keys_process_parse(out,
					cfs_slice_trim(cfs_buf_slice(&text)),
					err);
	if (text.n > 0)
		explicit_bzero(text.p, text.n);
	free(argv);
	return rc;
}

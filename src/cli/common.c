/* common.c - options, messages, signals, sources (see common.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "common.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crawl/open.h"
#include "output.h"
#include "progress.h"
#include "net/location.h"

#define LINE_MAX_BYTES 16384	/* an URL and a sentence */

/* ---- messages --------------------------------------------------------- */

static void error_line(const char *prefix, const char *text)
{
	struct cfs_buf b;

	cfs_buf_init(&b, 8 * LINE_MAX_BYTES);
	cfs_buf_adds(&b, "crawlfs: ");
	cfs_buf_adds(&b, prefix);
	cfs_out_escape(&b, cfs_slice_str(text));
	cfs_buf_addc(&b, '\n');
	cfs_progress_interrupt();
	fflush(stdout);
	fwrite(b.p, 1, b.n, stderr);
	cfs_buf_release(&b);
}

void cfs_cli_error(const char *fmt, ...)
{
	char line[LINE_MAX_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	error_line("", line);
}

int cfs_cli_usage(const struct cfs_command *cmd, const char *fmt, ...)
{
	char line[LINE_MAX_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (cmd == NULL)
		cfs_cli_error("%s; see 'crawlfs help'", line);
	else if (strchr(cmd->name, '.') != NULL)	/* by a name of its own */
		cfs_cli_error("%s; see %s(8)", line, cmd->name);
	else
		cfs_cli_error("%s: %s; see 'crawlfs help %s'", cmd->name, line,
			      cmd->name);
	return CFS_EXIT_USAGE;
}

int cfs_cli_fail(int code, const struct cfs_error *err)
{
	char line[sizeof(err->where) + sizeof(err->text) + 64];

	if (code == CFS_EINTR) {
		cfs_cli_error("interrupted");
		return CFS_EXIT_INTERRUPTED;
	}
	if (err->code == CFS_OK) {
		cfs_cli_error("failed: %s", cfs_code_name(code));
	} else {
		cfs_error_line(err, line, sizeof(line));
		cfs_cli_error("%s", line);
	}
	return code == CFS_EUSAGE ? CFS_EXIT_USAGE : CFS_EXIT_FAILURE;
}

static void log_line(enum cfs_log_level level, const char *line, void *arg)
{
	(void)arg;
	error_line(level == CFS_LOG_WARNING ? "warning: " : "", line);
}

void cfs_cli_log_to_stderr(enum cfs_log_level up_to)
{
	cfs_log_to(log_line, NULL, up_to);
	cfs_http_log_failures(false);	/* commands print them */
}

/* ---- options ---------------------------------------------------------- */

static int bad_option(struct cfs_args *a, bool wants_value)
{
	const char *word = a->argv[optind - 1];

	if (strncmp(word, "--", 2) == 0 || (optopt == 0 && !wants_value))
		a->status = cfs_cli_usage(a->cmd,
			wants_value ? "option '%s' needs a value" :
			optopt >= CFS_OPT_FIRST || optopt == 'h'
				? "option '%s' takes no value"
				: "option '%s' is not known", word);
	else
		a->status = cfs_cli_usage(a->cmd, wants_value
			? "option '-%c' needs a value"
			: "option '-%c' is not known", optopt);
	return CFS_OPT_STOP;
}

int cfs_args_next(struct cfs_args *a)
{
	int c;

	opterr = 0;
	c = getopt_long(a->argc, a->argv, a->shorts, a->longs, NULL);
	if (c == '?' || c == ':')
		return bad_option(a, c == ':');
	if (c == 'h') {
		fputs(a->cmd->help, stdout);
		a->status = CFS_EXIT_OK;
		return CFS_OPT_STOP;
	}
	return c;
}

bool cfs_cli_parse_bytes(const char *text, uint64_t *out)
{
	static const char units[] = "KMGT";
	const char *unit;
	double v, factor = 1;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	v = strtod(text, &end);
	if (errno != 0 || strpbrk(text, "xXeEpPnN") != NULL)
		return false;
	if (*end != '\0') {
		unit = strchr(units, *end >= 'a' ? *end - 32 : *end);
		if (unit == NULL)
			return false;
		for (const char *u = units; u <= unit; u++)
			factor *= 1024;
		end++;
		if (*end == 'i')
			end++;
		if (*end == 'B')
			end++;
	}
	v *= factor;
	if (*end != '\0' || v > 1e18 || v < 0)
		return false;
	*out = (uint64_t)v;
	return true;
}

bool cfs_cli_parse_count(const char *text, uint64_t max, uint64_t *out)
{
	return cfs_slice_parse_u64(cfs_slice_str(text), max, out) == CFS_OK &&
	       *out > 0;
}

bool cfs_cli_parse_seconds(const char *text, unsigned *out_ms)
{
	uint64_t n;

	if (!cfs_cli_parse_count(text, CFS_HTTP_TIMEOUT_MAX_MS / 1000, &n))
		return false;
	*out_ms = (unsigned)n * 1000;
	return true;
}

/* ---- signals ---------------------------------------------------------- */

static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
/* One Ctrl-C can arrive twice (timeout(1) signals the process, then its group);
 * whoever sends a third does not want to wait for a clean end. */
#define SIGNALS_MAX 3
static atomic_uint signals;

static void on_signal(int sig)
{
	(void)sig;
	if (atomic_fetch_add(&signals, 1) + 1 >= SIGNALS_MAX)
		_exit(CFS_EXIT_INTERRUPTED);
}

static bool asked(void *arg)
{
	(void)arg;
	return atomic_load_explicit(&signals, memory_order_relaxed) > 0;
}

/* Without SA_RESTART: a write to a full pipe must not outlast the signal. */
static void set_signals(void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler };

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++) {
		struct sigaction old;

		/* what nohup or a shell has set to be ignored stays so */
		if (sigaction(caught[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(caught[i], &sa, NULL);
	}
}

const struct cfs_cancel *cfs_cli_catch_signals(void)
{
	static const struct cfs_cancel cancel = { .asked = asked };

	set_signals(on_signal);
	return &cancel;
}

void cfs_cli_release_signals(void)
{
	set_signals(SIG_DFL);
}

/* ---- sources ---------------------------------------------------------- */

static bool take_bytes(struct cfs_args *a, const char *name, uint64_t *out)
{
	if (cfs_cli_parse_bytes(optarg, out) && *out > 0)
		return true;
	a->status = cfs_cli_usage(a->cmd,
		"%s: '%s' is no size such as 64M or 2G", name, optarg);
	return false;
}

static bool take_timeout(struct cfs_source_args *s, struct cfs_args *a)
{
	if (cfs_cli_parse_seconds(optarg, &s->http.timeout_ms))
		return true;
	a->status = cfs_cli_usage(a->cmd, "--timeout: '%s' is no number of "
				  "seconds", optarg);
	return false;
}

static bool take_parallel(struct cfs_source_args *s, struct cfs_args *a)
{
	uint64_t n;

	if (!cfs_cli_parse_count(optarg, CFS_HTTP_PARALLEL_MAX, &n)) {
		a->status = cfs_cli_usage(a->cmd, "--parallel: '%s' is not "
			"between 1 and %u", optarg, CFS_HTTP_PARALLEL_MAX);
		return false;
	}
	s->http.parallel = (unsigned)n;
	return true;
}

static bool take_mem(struct cfs_source_args *s, struct cfs_args *a)
{
	if (!take_bytes(a, "--mem", &s->opts.mem_bytes))
		return false;
	if (s->opts.mem_bytes >= CFS_CLI_MEM_MIN)
		return true;
	a->status = cfs_cli_usage(a->cmd, "--mem: '%s' is less than 1M", optarg);
	return false;
}

static bool take_folder(struct cfs_args *a, const char *name, const char **out)
{
	*out = optarg;
	if (optarg[0] != '\0')
		return true;
	a->status = cfs_cli_usage(a->cmd, "%s: no folder is named", name);
	return false;
}

bool cfs_source_args_take(struct cfs_source_args *s, struct cfs_args *a, int c)
{
	switch (c) {
	case CFS_OPT_DATA:
		return take_folder(a, "--data", &s->opts.data);
	case CFS_OPT_CACHE:
		return take_folder(a, "--cache", &s->opts.cache_dir);
	case CFS_OPT_MEM:
		return take_mem(s, a);
	case CFS_OPT_MAX_RECORD:
		return take_bytes(a, "--max-record", &s->opts.max_record_bytes);
	case CFS_OPT_BASE:
		return take_folder(a, "--base", &s->opts.base);
	case CFS_OPT_ENDPOINT:
		s->http.endpoint = optarg;
		return true;
	case CFS_OPT_TIMEOUT:
		return take_timeout(s, a);
	case CFS_OPT_PARALLEL:
		return take_parallel(s, a);
	default:
		return false;
	}
}

static int check_folder(const char *name, const char *folder,
			struct cfs_error *err)
{
	struct stat st;
	int rc;

	if (folder == NULL || cfs_location_is_url(folder))
		return CFS_OK;
	if (stat(folder, &st) == 0 && S_ISDIR(st.st_mode))
		return CFS_OK;
	if (stat(folder, &st) == 0)
		errno = ENOTDIR;
	rc = errno == ENOENT ? CFS_ENOTFOUND : CFS_EIO;
	return cfs_error_set(err, rc, "%s: '%.100s': %s", name, folder,
			     strerror(errno));
}

int cfs_cli_check_folders(const struct cfs_crawl_opts *o, struct cfs_error *err)
{
	int rc = check_folder("data", o->data, err);

	return rc == CFS_OK ? check_folder("base", o->base, err) : rc;
}

int cfs_source_args_use(const struct cfs_source_args *s, struct cfs_error *err)
{
	return cfs_http_configure(&s->http, err);
}

int cfs_cli_open(struct cfs_crawl **out, const char *source,
		 const struct cfs_source_args *s)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_crawl_opts opts = s->opts;
	int rc;

	opts.building = cfs_progress_building;
	opts.cancel = cfs_cli_catch_signals();
	rc = cfs_source_args_use(s, &err);
	if (rc == CFS_OK)
		rc = cfs_cli_check_folders(&opts, &err);
	if (rc == CFS_OK)
		rc = cfs_crawl_open(out, source, &opts, &err);
	cfs_progress_end();
	return rc == CFS_OK ? CFS_EXIT_OK : cfs_cli_fail(rc, &err);
}

char *cfs_cli_absolute(const char *path)
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

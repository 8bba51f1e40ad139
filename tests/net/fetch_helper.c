/* fetch_helper.c - reads ranges of a URL with the library, for the tests.
 *
 *     fetch_helper [OPTION...] URL RANGE...
 *
 * RANGE is OFFSET:LENGTH, or `size`, `validator`, `url`, or `file:PATH`: the
 * whole object is compared with a file.  Bytes and answers go to stdout.
 * Exit status: 0, or 10 minus the (negative) code of the failure.
 *
 *     --timeout MS  --stall MS  --parallel N  --endpoint URL
 *     --pin VALIDATOR        before the first range
 *     --cancel-after MS      raises the cancel token of reads
 *     --abandon-after MS     with --start: cfs_source_abandon
 *     --start                ranges are started at once, then awaited
 *     --repeat N             all ranges N times
 *     --step BYTES           OFFSET grows by so much each time
 *     --go-on-at FILE        between the ranges waits until it is there
 *     --fork                 forks before anything is fetched
 *     --stats                counters of the host, on stderr, at the end
 *     --time                 seconds all this took, on stderr
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "net/hosts.h"
#include "net/http_settings.h"
#include "net/open_location.h"
#include "tests/program.h"

static struct {
	struct cfs_http_config http;
	const char *pin;
	const char *go_on_at;
	uint64_t cancel_ms, abandon_ms, repeat, step;
	bool start, do_fork, stats, time;
} o = { .repeat = 1 };

static double started;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void pause_ms(uint64_t ms)
{
	usleep((useconds_t)(ms * 1000));
}

/* Shows the bytes read so far to other processes, which then make the file. */
static void wait_for_file(void)
{
	fflush(stdout);
	while (o.go_on_at != NULL && access(o.go_on_at, F_OK) != 0)
		pause_ms(10);
}

static bool asked(void *arg)
{
	(void)arg;
	return o.cancel_ms > 0 && (now() - started) * 1000 > (double)o.cancel_ms;
}

static const struct cfs_cancel cancel = { .asked = asked };

static void log_line(enum cfs_log_level level, const char *line, void *arg)
{
	(void)level;
	(void)arg;
	fprintf(stderr, "log: %s\n", line);
}

static int failed(int rc, const struct cfs_error *err)
{
	char line[640];

	cfs_error_line(err, line, sizeof(line));
	fprintf(stderr, "%s: %s\n", cfs_code_name(rc), line);
	return 10 - rc;
}

/* ---- started reads ----------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static unsigned under_way;
static int first_code;
static struct cfs_error first_err;

static void done(void *arg, int code, struct cfs_slice bytes,
		 const struct cfs_error *err)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	if (code == CFS_OK)
		fwrite(bytes.p, 1, bytes.n, stdout);
	else if (first_code == CFS_OK) {
		first_code = code;
		first_err = *err;
	}
	under_way--;
	pthread_cond_signal(&ended);
	pthread_mutex_unlock(&lock);
}

static int start(struct cfs_source *src, uint64_t off, size_t n)
{
	struct cfs_error err = CFS_ERROR_INIT;
	int rc;

	pthread_mutex_lock(&lock);
	under_way++;
	pthread_mutex_unlock(&lock);
	rc = src->ops->start(src, off, n, done, NULL, NULL, &err);
	return rc == CFS_OK ? 0 : failed(rc, &err);
}

static int await(struct cfs_source *src)
{
	if (o.abandon_ms > 0) {
		pause_ms(o.abandon_ms);
		cfs_source_abandon(src);
	}
	pthread_mutex_lock(&lock);
	while (under_way > 0)
		pthread_cond_wait(&ended, &lock);
	pthread_mutex_unlock(&lock);
	return first_code == CFS_OK ? 0 : failed(first_code, &first_err);
}

/* ---- ranges ------------------------------------------------------------ */

static int range(struct cfs_source *src, const char *text, uint64_t round)
{
	struct cfs_error err = CFS_ERROR_INIT;
	uint64_t off = strtoull(text, NULL, 10) + round * o.step;
	size_t n = strtoull(strchr(text, ':') + 1, NULL, 10), got = 0;
	uint8_t *buf;
	int rc;

	if (o.start)
		return start(src, off, n);
	buf = malloc(n + 1);
	rc = cfs_source_read_some(src, buf, n, off, &got,
				  CFS_CTX(&cancel, &err));
	if (rc == CFS_OK)
		fwrite(buf, 1, got, stdout);
	free(buf);
	return rc == CFS_OK ? 0 : failed(rc, &err);
}

static int compare(struct cfs_source *src, const char *path)
{
	enum { STEP = 20 << 20 };
	struct cfs_error err = CFS_ERROR_INIT;
	uint8_t *a = malloc(STEP), *b = malloc(STEP);
	FILE *f = fopen(path, "rb");
	size_t n, got = 1;
	uint64_t off = 0;
	int rc = f == NULL ? CFS_EIO : CFS_OK;

	while (rc == CFS_OK && got > 0) {
		rc = cfs_source_read_some(src, a, STEP, off, &got,
					  CFS_CTX(&cancel, &err));
		n = rc == CFS_OK ? fread(b, 1, STEP, f) : 0;
		if (rc == CFS_OK && (n != got || memcmp(a, b, n) != 0))
			rc = cfs_error_set(&err, CFS_EFORMAT, "differs");
		off += got;
	}
	if (f != NULL)
		fclose(f);
	free(a);
	free(b);
	return rc == CFS_OK ? 0 : failed(rc, &err);
}

static int answer(struct cfs_source *src, const char *word, uint64_t round)
{
	struct cfs_error err = CFS_ERROR_INIT;
	char v[CFS_VALIDATOR_BYTES];
	int rc;

	if (strcmp(word, "size") == 0) {
		rc = cfs_source_find_size(src, CFS_CTX(&cancel, &err));
		if (rc != CFS_OK)
			return failed(rc, &err);
		printf("%" PRIu64 "\n", (uint64_t)src->size);
	} else if (strcmp(word, "validator") == 0) {
		printf("%s\n", cfs_source_validator(src, v) ? v : "none");
	} else if (strcmp(word, "url") == 0) {
		printf("%s\n", src->url);
	} else if (strncmp(word, "file:", 5) == 0) {
		return compare(src, word + 5);
	} else if (strchr(word, ':') != NULL) {
		return range(src, word, round);
	}
	return 0;
}

/* As a daemon does, before anything starts a thread. */
static void go_on_in_child(void)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		return;
	waitpid(child, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

static void print_stats(void)
{
	struct cfs_host_stats s[8];
	size_t n = cfs_host_stats_all(s, 8);

	for (size_t i = 0; i < n && i < 8; i++)
		fprintf(stderr, "host %s requests %" PRIu64 " bytes %" PRIu64
			" retries %" PRIu64 " failures %" PRIu64 " forbidden %"
			PRIu64 " in_flight %u queued %u parallel %u http2 %d "
			"p50 %u p99 %u\n", s[i].name, s[i].requests, s[i].bytes,
			s[i].retries, s[i].failures, s[i].forbidden,
			s[i].in_flight, s[i].queued, s[i].parallel,
			s[i].is_http2, s[i].p50_us, s[i].p99_us);
}

static int run(const char *url, char **words)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;
	int rc, status = 0;

	if (o.do_fork)
		go_on_in_child();
	rc = cfs_http_configure(&o.http, &err);
	if (rc == CFS_OK)
		rc = cfs_location_open(&src, url, &err);
	if (rc != CFS_OK)
		return failed(rc, &err);
	if (o.pin != NULL && (rc = cfs_source_pin(src, o.pin, &err)) != CFS_OK) {
		cfs_source_close(src);
		return failed(rc, &err);
	}
	for (uint64_t i = 0; i < o.repeat; i++)
		for (char **w = words; *w != NULL && status == 0; w++) {
			status = answer(src, *w, i);
			wait_for_file();
		}
	if (o.start && status == 0)
		status = await(src);
	cfs_source_close(src);
	return status;
}

/* Returns how many words the option took, 0 for none. */
static int option(char **a)
{
	uint64_t n = a[1] != NULL ? strtoull(a[1], NULL, 10) : 0;

#define IS(text) (strcmp(a[0], text) == 0)
	if (IS("--start") || IS("--fork") || IS("--stats") || IS("--time")) {
		o.start = o.start || IS("--start");
		o.do_fork = o.do_fork || IS("--fork");
		o.stats = o.stats || IS("--stats");
		o.time = o.time || IS("--time");
		return 1;
	}
	if (IS("--timeout"))
		o.http.timeout_ms = (unsigned)n;
	else if (IS("--stall"))
		o.http.stall_ms = (unsigned)n;
	else if (IS("--parallel"))
		o.http.parallel = (unsigned)n;
	else if (IS("--endpoint"))
		o.http.endpoint = a[1];
	else if (IS("--pin"))
		o.pin = a[1];
	else if (IS("--cancel-after"))
		o.cancel_ms = n;
	else if (IS("--abandon-after"))
		o.abandon_ms = n;
	else if (IS("--repeat"))
		o.repeat = n;
	else if (IS("--step"))
		o.step = n;
	else if (IS("--go-on-at"))
		o.go_on_at = a[1];
	else
		return 0;
	return 2;
#undef IS
}

PROGRAM(argc, argv)
{
	char **a = argv + 1;
	int n, status;

	(void)argc;
	started = now();
	cfs_log_to(log_line, NULL, CFS_LOG_WARNING);
	while (*a != NULL && (n = option(a)) > 0)
		a += n;
	if (a[0] == NULL || a[1] == NULL)
		return 2;
	status = run(a[0], a + 1);
	if (o.stats)
		print_stats();
	if (o.time)
		fprintf(stderr, "seconds %.3f\n", now() - started);
	return status;
}

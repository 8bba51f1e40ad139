/* fetch_alloc_test.c - the 1st, 2nd, 3rd ... allocation fails while ranges are
 * fetched, an object is read as a stream, and a file is sent to S3: right
 * bytes or CFS_ENOMEM, no wait without end, nothing leaked (ASan looks on).
 *
 * The linker sends malloc, calloc, realloc, strdup and strndup of our own code
 * here; the server is a thread of this program that makes no allocations.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <strings.h>
#include <sys/socket.h>

#include "alloc_fail.h"
#include "net/http_settings.h"
#include "net/s3.h"
#include "source/source.h"
#include "net/open_location.h"

#define OBJECT_BYTES (9u << 20)
#define FILE_BYTES ((8u << 20) + 1000u)		/* two parts */

static uint8_t byte_at(uint64_t off)
{
	return (uint8_t)(off * 0x9E3779B97F4A7C15u >> 56);
}

/* ---- the server -------------------------------------------------------- */

static bool send_all(int fd, const void *p, size_t n)
{
	const char *q = p;

	while (n > 0) {
		ssize_t k = send(fd, q, n, MSG_NOSIGNAL);

		if (k <= 0)
			return false;
		q += k;
		n -= (size_t)k;
	}
	return true;
}

static bool say(int fd, const char *status, const char *fields,
		const char *body)
{
	char head[500];
	int n = snprintf(head, sizeof(head), "HTTP/1.1 %s\r\n%s"
			 "Content-Length: %zu\r\n\r\n", status, fields,
			 strlen(body));

	return send_all(fd, head, (size_t)n) &&
	       send_all(fd, body, strlen(body));
}

static bool say_range(int fd, uint64_t first, uint64_t last)
{
	char head[400];
	uint8_t buf[4096];
	int n;

	if (last >= OBJECT_BYTES)
		last = OBJECT_BYTES - 1;
	n = snprintf(head, sizeof(head), "HTTP/1.1 206 Part\r\nETag: \"e\"\r\n"
		     "Content-Range: bytes %" PRIu64 "-%" PRIu64 "/%u\r\n"
		     "Content-Length: %" PRIu64 "\r\n\r\n", first, last,
		     OBJECT_BYTES, last - first + 1);
	if (!send_all(fd, head, (size_t)n))
		return false;
	while (first <= last) {
		size_t k = 0;

		for (; k < sizeof(buf) && first <= last; k++)
			buf[k] = byte_at(first++);
		if (!send_all(fd, buf, k))
			return false;
	}
	return true;
}

static bool answer(int fd, const char *head)
{
	uint64_t first, last;
	const char *range = strcasestr(head, "\r\nRange: bytes=");

	if (strncmp(head, "GET /object", 11) == 0 && range != NULL &&
	    sscanf(range + 15, "%" SCNu64 "-%" SCNu64, &first, &last) == 2)
		return say_range(fd, first, last);
	if (strncmp(head, "PUT ", 4) == 0)
		return say(fd, "200 OK", "ETag: \"part\"\r\n", "");
	if (strncmp(head, "POST ", 5) == 0 && strstr(head, "?uploads=") != NULL)
		return say(fd, "200 OK", "", "<InitiateMultipartUploadResult>"
			   "<UploadId>u1</UploadId>"
			   "</InitiateMultipartUploadResult>");
	if (strncmp(head, "POST ", 5) == 0)
		return say(fd, "200 OK", "", "<CompleteMultipartUploadResult>"
			   "<ETag>\"whole\"</ETag>"
			   "</CompleteMultipartUploadResult>");
	if (strncmp(head, "DELETE ", 7) == 0)
		return say(fd, "204 Gone", "", "");
	if (strstr(head, "uploadId=") != NULL)	/* no lists */
		return say(fd, "501 No", "", "");
	return say(fd, "404 None", "", "");
}

/* Reads a head, and the body that it announces. */
static bool take_request(int fd, char head[8192])
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
	const char *length;
	uint64_t body = 0;
	size_t n = 0;

	while (n < 4 || memcmp(head + n - 4, "\r\n\r\n", 4) != 0)
		if (n + 1 >= 8192 || recv(fd, head + n++, 1, 0) != 1)
			return false;
	head[n] = '\0';
	length = strcasestr(head, "\r\nContent-Length: ");
	if (length != NULL)
		body = strtoull(length + 18, NULL, 10);
	if (strcasestr(head, "100-continue") != NULL &&
	    !send_all(fd, go_on, sizeof(go_on) - 1))
		return false;
	while (body > 0) {
		char buf[65536];
		ssize_t k = recv(fd, buf, body < sizeof(buf) ? (size_t)body :
					  sizeof(buf), 0);

		if (k <= 0)
			return false;
		body -= (uint64_t)k;
	}
	return true;
}

static void *serve_one(void *arg)
{
	int fd = (int)(intptr_t)arg;
	char head[8192];

	while (take_request(fd, head) && answer(fd, head))
		;
	close(fd);
	return NULL;
}

static int listener;
static char base[64];

static void *serve(void *arg)
{
	pthread_attr_t attr;
	pthread_t t;
	int fd;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	while ((fd = accept(listener, NULL, NULL)) >= 0)
		if (pthread_create(&t, &attr, serve_one,
				   (void *)(intptr_t)fd) != 0)
			close(fd);
	pthread_attr_destroy(&attr);
	return arg;
}

static int start_server(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(a);
	pthread_t t;

	(void)state;
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&a, n) != 0 ||
	    listen(listener, 64) != 0 ||
	    getsockname(listener, (struct sockaddr *)&a, &n) != 0 ||
	    pthread_create(&t, NULL, serve, NULL) != 0)
		return -1;
	pthread_detach(t);
	snprintf(base, sizeof(base), "http://127.0.0.1:%u", ntohs(a.sin_port));
	setenv("AWS_ACCESS_KEY_ID", "key", 1);
	setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
	setenv("AWS_ENDPOINT_URL", base, 1);
	setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent", 1);
	setenv("AWS_CONFIG_FILE", "/nonexistent", 1);
	setenv("no_proxy", "*", 1);
	return 0;
}

/* ---- failing ----------------------------------------------------------- */

/* Calls `visit` with the 1st, 2nd, ... allocation failing, until `enough`
 * times in a row none of them was reached. */
static void each_allocation(void (*visit)(void), long most)
{
	unsigned whole = 0, failed = 0;

	for (long i = 0; i < most && whole < 3; i++) {
		countdown = i;
		visit();
		whole = countdown >= 0 ? whole + 1 : 0;
		failed += countdown < 0;
		countdown = -1;
	}
	assert_int_equal(whole, 3);
	assert_true(failed > 10);
	visit();
}

static bool worked(int rc, const struct cfs_error *err)
{
	if (rc != CFS_OK && rc != CFS_ENOMEM)
		fail_msg("code %d: %s: %s", rc, err->where, err->text);
	return rc == CFS_OK;
}

static void check_bytes(const uint8_t *p, size_t n, uint64_t off)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != byte_at(off + i))
			fail_msg("byte %zu of those at %" PRIu64, i, off);
}

static uint8_t buf[(8 << 20) + 5000];	/* of two parts */

static bool configure(struct cfs_error *err)
{
	struct cfs_http_config c = { .timeout_ms = 5000 };

	return worked(cfs_http_configure(&c, err), err);
}

struct waiter {
	pthread_mutex_t lock;
	pthread_cond_t done;
	bool is_done;
	int rc;
	struct cfs_error err;
};

static void on_done(void *arg, int code, struct cfs_slice bytes,
		    const struct cfs_error *err)
{
	struct waiter *w = arg;

	pthread_mutex_lock(&w->lock);
	w->rc = code;
	if (err != NULL)
		w->err = *err;
	if (code == CFS_OK)
		check_bytes(bytes.p, bytes.n, 1000);
	w->is_done = true;
	pthread_cond_signal(&w->done);
	pthread_mutex_unlock(&w->lock);
}

static void start_and_wait(struct cfs_source *src)
{
	struct waiter w = { .lock = PTHREAD_MUTEX_INITIALIZER,
			    .done = PTHREAD_COND_INITIALIZER };

	w.rc = src->ops->start(src, 1000, 5000, on_done, &w, NULL, &w.err);
	pthread_mutex_lock(&w.lock);
	while (w.rc == CFS_OK && !w.is_done)
		pthread_cond_wait(&w.done, &w.lock);
	pthread_mutex_unlock(&w.lock);
	worked(w.rc, &w.err);
}

/* Both by http: and, signed, by s3:. */
static void fetch_from(const char *url)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;
	size_t got;

	if (!worked(cfs_location_open(&src, url, &err), &err))
		return;
	if (worked(cfs_source_find_size(src, CFS_CTX(NULL, &err)), &err))
		assert_int_equal(src->size, OBJECT_BYTES);
	cfs_error_clear(&err);
	if (worked(cfs_source_read_some(src, buf, sizeof(buf), 77, &got,
					CFS_CTX(NULL, &err)), &err)) {
		assert_int_equal(got, sizeof(buf));
		check_bytes(buf, got, 77);
	}
	start_and_wait(src);
	cfs_source_close(src);
}

static void fetch_it(void)
{
	struct cfs_error err = CFS_ERROR_INIT;
	char url[100];

	if (!configure(&err))
		return;
	snprintf(url, sizeof(url), "%s/object", base);
	fetch_from(url);
	fetch_from("s3://object/x");
}

static void fetches(void **state)
{
	(void)state;
	each_allocation(fetch_it, 2000);
}

static void stream_it(void)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;
	char url[100];

	snprintf(url, sizeof(url), "%s/object", base);
	if (!configure(&err) ||
	    !worked(cfs_location_open_whole(&src, url,
					    CFS_CTX(NULL, &err)), &err))
		return;
	for (uint64_t off = 0; off < OBJECT_BYTES; off += 1 << 20) {
		size_t got;

		cfs_error_clear(&err);
		if (worked(cfs_source_read_some(src, buf, 1 << 20, off, &got,
						CFS_CTX(NULL, &err)), &err)) {
			assert_int_equal(got, 1 << 20);
			check_bytes(buf, 4096, off);
		}
	}
	cfs_source_close(src);
}

static void streams(void **state)
{
	(void)state;
	each_allocation(stream_it, 2000);
}

static char folder[] = "/tmp/cfs-fetchalloc-XXXXXX";
static char file[64], journal[64];

/* An upload that stopped is resumed by the next one. */
static void upload_it(void)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_s3_upload_opts o = { .url = "s3://bucket/key",
		.path = file, .journal = journal, .parallel = 2 };

	if (!configure(&err))
		return;
	if (worked(cfs_s3_upload(&o, &err), &err))
		assert_int_equal(access(journal, F_OK), -1);
}

static void uploads(void **state)
{
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/file", folder);
	snprintf(journal, sizeof(journal), "%s/journal", folder);
	f = fopen(file, "w");
	assert_non_null(f);
	assert_int_equal(ftruncate(fileno(f), FILE_BYTES), 0);
	fclose(f);
	each_allocation(upload_it, 2000);
	unlink(file);
	unlink(journal);
	assert_int_equal(rmdir(folder), 0);
}

UNIT_PROGRAM
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(fetches),
		cmocka_unit_test(streams),
		cmocka_unit_test(uploads),
	};

	return cmocka_run_group_tests(tests, start_server, NULL);
}

/* http.c - sources over HTTP and S3 (see http.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"

#include "http.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fetch.h"

/* A large read is made of parts, some of them at a time. */
#define PART_BYTES ((size_t)8 << 20)
#define PARTS 4u
#define STALL_MAX_MS 20000u
#define USER_AGENT "crawlfs/" PACKAGE_VERSION " (+read-only crawl file system)"

struct http_source {
	struct cfs_source base;
	struct cfs_remote remote;
};

static struct cfs_remote *remote_of(struct cfs_source *src)
{
	return &((struct http_source *)src)->remote;
}

/* ---- settings ---------------------------------------------------------- */

static pthread_mutex_t settings_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cfs_http_settings settings;	/* guarded by settings_lock */

static char *copy_or(const char *s, const char *variable, const char *variable2)
{
	if (s == NULL && variable != NULL)
		s = getenv(variable);
	if ((s == NULL || s[0] == '\0') && variable2 != NULL)
		s = getenv(variable2);
	return s != NULL && s[0] != '\0' ? strdup(s) : NULL;
}

static void release_settings(struct cfs_http_settings *s)
{
	free(s->ca_file);
	free(s->ca_folder);
	free(s->user_agent);
	cfs_s3_setup_release(&s->s3);
}

static int make_settings(struct cfs_http_settings *out,
			 const struct cfs_http_config *c, struct cfs_error *err)
{
	struct cfs_http_settings s = {
		.parallel = c->parallel,
		.timeout_ms = c->timeout_ms ? c->timeout_ms :
					      CFS_HTTP_TIMEOUT_DEFAULT_MS,
		.stall_ms = c->stall_ms, .is_set = true,
	};
	int rc;

	if (s.stall_ms == 0)
		s.stall_ms = s.timeout_ms / 3 < STALL_MAX_MS ?
			     s.timeout_ms / 3 + 1 : STALL_MAX_MS;
	s.ca_file = copy_or(c->ca_file, "CURL_CA_BUNDLE", "SSL_CERT_FILE");
	s.ca_folder = copy_or(NULL, "SSL_CERT_DIR", NULL);
	s.user_agent = strdup(c->user_agent ? c->user_agent : USER_AGENT);
	rc = s.user_agent == NULL ?
	     cfs_error_set(err, CFS_ENOMEM, "out of memory") :
	     cfs_s3_setup_init(&s.s3, c->endpoint, err);
	if (rc != CFS_OK) {
		release_settings(&s);
		return rc;
	}
	*out = s;
	return CFS_OK;
}

int cfs_http_configure(const struct cfs_http_config *config,
		       struct cfs_error *err)
{
	struct cfs_http_settings s;
	int rc = make_settings(&s, config, err);

	if (rc != CFS_OK)
		return rc;
	pthread_mutex_lock(&settings_lock);
	release_settings(&settings);
	settings = s;
	pthread_mutex_unlock(&settings_lock);
	return CFS_OK;
}

const struct cfs_http_settings *cfs_http_settings_get(struct cfs_error *err)
{
	static const struct cfs_http_config none;

	pthread_mutex_lock(&settings_lock);
	if (settings.is_set || make_settings(&settings, &none, err) == CFS_OK)
		return &settings;
	pthread_mutex_unlock(&settings_lock);
	return NULL;
}

void cfs_http_settings_put(void)
{
	pthread_mutex_unlock(&settings_lock);
}

/* ---- reading ----------------------------------------------------------- */

/* Up to PARTS parts at a time; what is read ends where one comes short. */
static int read_parts(struct cfs_remote *r, uint8_t *buf, size_t n,
		      uint64_t off, size_t *got,
		      const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_job *jobs[PARTS];
	size_t parts = 0, done = 0;
	bool is_short = false;
	int rc = cfs_cancel_check(cancel, 0, err);

	while (rc == CFS_OK && parts < PARTS && done < n) {
		size_t part = n - done < PART_BYTES ? n - done : PART_BYTES;

		rc = cfs_fetch_start(&jobs[parts], r, off + done, part, true,
				     NULL, NULL, NULL, err);
		parts += rc == CFS_OK;
		done += part;
	}
	for (size_t i = 0; i < parts; i++) {
		size_t part = jobs[i]->n, now = 0;

		if (rc != CFS_OK || is_short) {
			cfs_fetch_drop(jobs[i]);
			continue;
		}
		rc = cfs_fetch_wait(jobs[i], buf + i * PART_BYTES, &now, cancel,
				    err);
		*got += now;
		is_short = now < part;
	}
	return rc;
}

static int http_read_at(struct cfs_source *src, void *buf, size_t n,
			uint64_t off, size_t *got,
			const struct cfs_cancel *cancel, struct cfs_error *err)
{
	uint64_t size = src->size;

	*got = 0;
	if (n == 0 || off >= size)
		return CFS_OK;
	if (n > size - off)
		n = (size_t)(size - off);
	return read_parts(remote_of(src), buf, n, off, got, cancel, err);
}

static int start_job(struct cfs_source *src, uint64_t off, size_t n,
		     bool urgent, cfs_source_done *done, void *arg,
		     _Atomic uint64_t *came, struct cfs_error *err)
{
	uint64_t size = src->size;

	if (off >= size || n == 0) {
		done(arg, CFS_OK, CFS_SLICE_EMPTY, NULL);
		return CFS_OK;
	}
	if (n > size - off)
		n = (size_t)(size - off);
	return cfs_fetch_start(NULL, remote_of(src), off, n, urgent, done, arg,
			       came, err);
}

static int http_start(struct cfs_source *src, uint64_t off, size_t n,
		      cfs_source_done *done, void *arg, _Atomic uint64_t *came,
		      struct cfs_error *err)
{
	return start_job(src, off, n, false, done, arg, came, err);
}

static int http_start_urgent(struct cfs_source *src, uint64_t off, size_t n,
			     cfs_source_done *done, void *arg,
			     _Atomic uint64_t *came, struct cfs_error *err)
{
	return start_job(src, off, n, true, done, arg, came, err);
}

static int http_find_size(struct cfs_source *src,
			  const struct cfs_cancel *cancel,
			  struct cfs_error *err)
{
	uint8_t byte;
	size_t got;
	int rc;

	/* any range tells it; HEAD is forbidden in more places than GET */
	rc = http_read_at(src, &byte, 1, 0, &got, cancel, err);
	if (rc == CFS_OK && src->size == CFS_SIZE_UNKNOWN)
		rc = cfs_error_at(err, CFS_EUNSUPPORTED, src->name, 0,
				  "the server does not tell its size");
	return rc;
}

static void http_abandon(struct cfs_source *src)
{
	cfs_fetch_abandon(remote_of(src));
}

/* ---- validators: "SIZE ETAG", "SIZE @DATE" or "SIZE" -------------------- */

static bool http_validator(struct cfs_source *src,
			   char out[CFS_VALIDATOR_BYTES])
{
	struct cfs_remote *r = remote_of(src);
	bool is_known;

	pthread_mutex_lock(&r->lock);
	is_known = r->total != CFS_SIZE_UNKNOWN;
	if (is_known)
		snprintf(out, CFS_VALIDATOR_BYTES, "%" PRIu64 "%s%s", r->total,
			 r->etag[0] ? " " : r->modified[0] ? " @" : "",
			 r->etag[0] ? r->etag : r->modified);
	pthread_mutex_unlock(&r->lock);
	return is_known;
}

static int http_pin(struct cfs_source *src, const char *validator,
		    struct cfs_error *err)
{
	struct cfs_slice s = cfs_slice_str(validator);
	struct cfs_answer a = { .status = 206 };
	ptrdiff_t blank = cfs_slice_find(s, ' ');
	uint64_t total = 0;
	const char *rest = blank < 0 ? "" : validator + blank + 1;
	bool is_date = rest[0] == '@';

	if (s.n >= CFS_VALIDATOR_BYTES ||
	    cfs_slice_parse_u64(blank < 0 ? s :
				cfs_slice_sub(s, 0, (size_t)blank),
				UINT64_MAX / 2, &total) != CFS_OK ||
	    strlen(rest) >= (is_date ? sizeof(a.modified) : sizeof(a.etag)))
		return cfs_error_at(err, CFS_EFORMAT, src->name, 0,
				    "'%.60s' is no validator", validator);
	if (is_date)
		snprintf(a.modified, sizeof(a.modified), "%s", rest + 1);
	else
		snprintf(a.etag, sizeof(a.etag), "%s", rest);
	return cfs_remote_learn(remote_of(src), &a, total, err);
}

/* ---- opening ----------------------------------------------------------- */

static void http_close(struct cfs_source *src)
{
	struct http_source *h = (struct http_source *)src;

	free(h->remote.url);
	free(h->remote.user);
	pthread_mutex_destroy(&h->remote.lock);
	free(h);
}

static const struct cfs_source_ops http_ops = {
	.read_at = http_read_at, .close = http_close, .start = http_start,
	.start_urgent = http_start_urgent,
	.find_size = http_find_size, .validator = http_validator,
	.pin = http_pin, .abandon = http_abandon,
};

/* What to ask (url) and what it is known by (name). */
static void resolve(const struct cfs_location *loc,
		    const struct cfs_http_settings *s, struct cfs_buf *url,
		    struct cfs_buf *name)
{
	bool is_s3 = loc->scheme == CFS_LOC_S3;

	if (!(is_s3 && s->s3.endpoint != NULL)) {
		cfs_buf_adds(name, CFS_COMMON_CRAWL_URL);
		if (cfs_location_common_crawl(loc, name)) {
			if (is_s3 && s->s3.key_id != NULL)
				cfs_s3_url(&s->s3, loc, url);
			else
				cfs_buf_add(url, cfs_buf_slice(name));
			return;
		}
		cfs_buf_reset(name);
	}
	if (is_s3)
		cfs_s3_url(&s->s3, loc, url);
	else
		cfs_location_canonical(loc, url);
	cfs_buf_add(name, cfs_buf_slice(url));
}

/* The user of an URL, percent-decoded. */
static char *user_of(const struct cfs_location *loc)
{
	char *text = curl_easy_unescape(NULL, (const char *)loc->user.p,
					(int)loc->user.n, NULL);
	char *out = text != NULL ? strdup(text) : NULL;

	curl_free(text);
	return out;
}

/* As the user named it, but for name and password. */
static char *shown_name(const struct cfs_location *loc, const char *location,
			const char *canonical)
{
	return strdup(loc->user.n > 0 ? canonical : location);
}

static int fill(struct http_source *h, const struct cfs_location *loc,
		const char *location, struct cfs_error *err)
{
	const struct cfs_http_settings *s = cfs_http_settings_get(err);
	struct cfs_location asked;
	struct cfs_buf url, name;
	char *shown = NULL;
	int rc;

	if (s == NULL)
		return CFS_EFORMAT;
	cfs_buf_init(&url, 4 * CFS_LOCATION_MAX);
	cfs_buf_init(&name, 4 * CFS_LOCATION_MAX);
	resolve(loc, s, &url, &name);
	if (loc->scheme == CFS_LOC_S3 && s->s3.key_id != NULL &&
	    cfs_s3_region_of(loc->host, h->remote.region)) {
		/* it is known by the other name */
		struct cfs_s3_setup there = s->s3;

		there.region = h->remote.region;
		cfs_buf_reset(&url);
		cfs_s3_url(&there, loc, &url);
	}
	h->remote.url = strdup(cfs_buf_str(&url));
	h->remote.sign = loc->scheme == CFS_LOC_S3;
	rc = h->remote.url == NULL || url.failed || name.failed ? CFS_ENOMEM :
	     cfs_location_parse(&asked, h->remote.url, err);
	if (rc == CFS_OK)
		h->remote.host = cfs_host_get(&asked, s->parallel);
	cfs_http_settings_put();
	if (rc == CFS_OK) {
		shown = shown_name(loc, location, cfs_buf_str(&name));
		h->base.url = strdup(cfs_buf_str(&name));
		if (loc->user.n > 0)
			h->remote.user = user_of(loc);
		if (shown == NULL || h->base.url == NULL ||
		    h->remote.host == NULL ||
		    (loc->user.n > 0 && h->remote.user == NULL))
			rc = CFS_ENOMEM;
	}
	if (rc == CFS_OK)
		rc = cfs_source_init(&h->base, &http_ops, CFS_SIZE_UNKNOWN,
				     shown, err);
	free(shown);
	cfs_buf_release(&url);
	cfs_buf_release(&name);
	return rc == CFS_ENOMEM ? cfs_error_set(err, rc, "out of memory") : rc;
}

int cfs_source_open_http(struct cfs_source **out, const char *url,
			 struct cfs_error *err)
{
	struct cfs_location loc;
	struct http_source *h;
	int rc = cfs_location_parse(&loc, url, err);

	*out = NULL;
	if (rc != CFS_OK)
		return rc;
	h = calloc(1, sizeof(*h));
	if (h == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	pthread_mutex_init(&h->remote.lock, NULL);
	h->remote.src = &h->base;
	h->remote.total = CFS_SIZE_UNKNOWN;
	rc = fill(h, &loc, url, err);
	if (rc != CFS_OK) {
		free(h->base.url);
		free(h->base.name);
		http_close(&h->base);
		return rc;
	}
	*out = &h->base;
	return CFS_OK;
}

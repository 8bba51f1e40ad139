/* open_location.c - opens a location: a local file; a source over HTTP or S3,
 * which is an object read by range requests; or a page that a server makes on
 * request, whose size is not known before.
 *
 * Opening sends no request; the first answer reports the size.  One thread of
 * the process does all transfers (fetch.c).  Of every answer these are checked:
 * status, Content-Range, length, and that it shows the same state of the object
 * as the first answer (ETag, size, else date).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "open_location.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "location.h"
#include "transfer.h"
#include "remote.h"

/* A large read is split into parts, several of which are fetched at a time. */
#define PART_BYTES ((size_t)8 << 20)
#define PARTS 4u
/* An object of more bytes has to come with its size. */
#define UNREPORTED_MAX ((uint64_t)1 << 42)

struct http_source {
	struct cfs_source base;
	struct cfs_remote remote;
};

static struct cfs_remote *remote_of(struct cfs_source *src)
{
	return &((struct http_source *)src)->remote;
}

/* ---- reading ----------------------------------------------------------- */

/* Reads up to PARTS parts at a time; ends early where a part comes short. */
static int read_parts(struct cfs_remote *r, uint8_t *buf, size_t n,
		      uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	struct cfs_job *jobs[PARTS];
	size_t parts = 0, done = 0;
	bool is_short = false;
	int rc = cfs_cancel_before_wait(ctx);

	if (rc == CFS_OK)
		rc = cfs_cancel_check(ctx.cancel, 0, ctx.err);
	while (rc == CFS_OK && parts < PARTS && done < n) {
		size_t part = n - done < PART_BYTES ? n - done : PART_BYTES;

		rc = cfs_fetch_start(&jobs[parts], r, off + done, part, true,
				     NULL, NULL, NULL, ctx.err);
		parts += rc == CFS_OK;
		done += part;
	}
	for (size_t i = 0; i < parts; i++) {
		struct cfs_slice bytes;

		if (rc == CFS_OK && !is_short) {
			rc = cfs_fetch_wait(jobs[i], &bytes, ctx);
			memcpy(buf + i * PART_BYTES, bytes.p, bytes.n);
			*got += bytes.n;
			is_short = bytes.n < jobs[i]->n;
		}
		cfs_fetch_drop(jobs[i]);
	}
	return rc;
}

static int http_read_at(struct cfs_source *src, void *buf, size_t n,
			uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	uint64_t size = src->size;

	*got = 0;
	if (n == 0 || off >= size)
		return CFS_OK;
	if (n > size - off)
		n = (size_t)(size - off);
	return read_parts(remote_of(src), buf, n, off, got, ctx);
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

/* Finds the end of an object by single bytes, where answers do not report the
 * size: the answer to a byte behind all often does. */
static int find_last_byte(struct cfs_source *src, struct cfs_ctx ctx)
{
	uint64_t has = 1, lacks = UNREPORTED_MAX, at = UNREPORTED_MAX;
	uint8_t byte;
	size_t got;
	int rc = CFS_OK;

	while (rc == CFS_OK && src->size == CFS_SIZE_UNKNOWN && has < lacks) {
		rc = http_read_at(src, &byte, 1, at, &got, ctx);
		if (got > 0 && at == UNREPORTED_MAX)
			break;
		if (got > 0)
			has = at + 1;
		else
			lacks = at;
		at = has + (lacks - has) / 2;
	}
	if (rc == CFS_OK && has == lacks)
		rc = cfs_remote_learn(remote_of(src), NULL, has, ctx.err);
	return rc;
}

static int http_find_size(struct cfs_source *src, struct cfs_ctx ctx)
{
	uint8_t byte;
	size_t got;
	int rc;

	/* The answer to any range reports the size; HEAD is forbidden in more
	 * places than GET. */
	rc = http_read_at(src, &byte, 1, 0, &got, ctx);
	if (rc == CFS_OK && src->size == CFS_SIZE_UNKNOWN && got > 0)
		rc = find_last_byte(src, ctx);
	if (rc == CFS_OK && src->size == CFS_SIZE_UNKNOWN)
		rc = cfs_error_at(ctx.err, CFS_EUNSUPPORTED, src->name, 0,
				  "the server does not report its size");
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
	if (is_known && r->etag[0] != '\0')
		snprintf(out, CFS_VALIDATOR_BYTES, "%" PRIu64 " %s", r->total,
			 r->etag);
	else if (is_known)
		snprintf(out, CFS_VALIDATOR_BYTES, "%" PRIu64 "%s%s", r->total,
			 r->modified[0] ? " @" : "", r->modified);
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
				    "invalid validator '%.60s'", validator);
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

	cfs_remote_release(&h->remote);
	free(h);
}

static const struct cfs_source_ops http_ops = {
	.read_at = http_read_at, .close = http_close, .start = http_start,
	.start_urgent = http_start_urgent,
	.find_size = http_find_size, .validator = http_validator,
	.pin = http_pin, .abandon = http_abandon,
};

/* Sets the name for messages, as the caller gave it but without user, password
 * and query, and the name for the cache. */
static int set_names(struct http_source *h, const struct cfs_location *loc,
		     const char *url, struct cfs_slice canonical,
		     struct cfs_error *err)
{
	CFS_BUF(id, 4 * CFS_LOCATION_MAX + 64);
	CFS_BUF(name, 4 * CFS_LOCATION_MAX);
	int rc = CFS_ENOMEM;

	cfs_location_show(&name, loc->user.n > 0 ? canonical :
						   cfs_slice_str(url));
	cfs_location_identity(&id, canonical);
	if (name.failed == CFS_OK && id.failed == CFS_OK)
		h->base.url = strdup(cfs_buf_str(&id));
	if (h->base.url != NULL)
		rc = cfs_source_init(&h->base, &http_ops, CFS_SIZE_UNKNOWN,
				     cfs_buf_str(&name), err);
	return rc == CFS_ENOMEM ? cfs_error_nomem(err) : rc;
}

int cfs_http_open(struct cfs_source **out, const char *url,
		  struct cfs_error *err)
{
	struct cfs_location loc;
	struct http_source *h;
	CFS_BUF(name, 4 * CFS_LOCATION_MAX);
	int rc = cfs_location_parse(&loc, url, err);

	*out = NULL;
	if (rc != CFS_OK)
		return rc;
	h = calloc(1, sizeof(*h));
	if (h == NULL)
		return cfs_error_nomem(err);
	rc = cfs_remote_init(&h->remote, &h->base, &loc, &name, err);
	if (rc == CFS_OK)
		rc = set_names(h, &loc, url, cfs_buf_slice(&name), err);
	if (rc != CFS_OK) {
		free(h->base.url);
		free(h->base.name);
		http_close(&h->base);
		return rc;
	}
	*out = &h->base;
	return CFS_OK;
}

/* ---- pages ---------------------------------------------------------------
 *
 * A page is asked for as a range from the first byte on that is longer than any
 * page.  Servers that generate a page send all of it, with status 200; if the
 * page is a file, they send all of it as a part. */

/* Appends at most max bytes.  A server without ranges cannot send only the
 * beginning of a longer page, so the request fails. */
static int http_get_page(struct cfs_buf *out, struct cfs_source *src,
			 size_t max, struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_slice bytes;
	struct cfs_job *job;
	int rc = cfs_fetch_start(&job, remote_of(src), 0, max, true, NULL,
				 NULL, NULL, ctx.err);

	if (rc != CFS_OK)
		return rc;
	rc = cfs_fetch_wait(job, &bytes, CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_OK)
		rc = cfs_buf_add(out, bytes);
	if (rc == CFS_ENOMEM || rc == CFS_ELIMIT)
		rc = cfs_error_nomem(ctx.err);
	else if (rc == CFS_EUNSUPPORTED ||
		 (rc == CFS_OK && src->size != bytes.n))
		rc = cfs_error_at(ctx.err, CFS_ELIMIT, src->name, 0,
				  "a page of more than %zu MiB", max >> 20);
	else
		cfs_error_pass(ctx.err, &e, rc);
	cfs_fetch_drop(job);
	return rc;
}

int cfs_page_get(struct cfs_buf *out, const char *url, size_t max,
		 struct cfs_ctx ctx)
{
	struct cfs_source *src;
	int rc = cfs_http_open(&src, url, ctx.err);

	if (rc == CFS_OK) {
		remote_of(src)->is_page = true;
		rc = http_get_page(out, src, max, ctx);
		cfs_source_close(src);
	}
	return rc;
}

/* ---- any location -------------------------------------------------------- */

int cfs_location_open(struct cfs_source **out, const char *location,
		      struct cfs_error *err)
{
	*out = NULL;
	if (cfs_location_is_url(location))
		return cfs_http_open(out, location, err);
	return cfs_source_open_file(out, location, err);
}

static int open_plain(void *arg, const char *location, struct cfs_source **out,
		      struct cfs_ctx ctx)
{
	(void)arg;
	return cfs_location_open(out, location, ctx.err);
}

struct cfs_opener cfs_opener_or_plain(const struct cfs_opener *given)
{
	return given != NULL ? *given :
	       (struct cfs_opener){ open_plain, NULL };
}

int cfs_location_open_whole(struct cfs_source **out, const char *location,
			    struct cfs_ctx ctx)
{
	struct cfs_source *inner;
	int rc = cfs_location_open(&inner, location, ctx.err);

	*out = NULL;
	if (rc != CFS_OK || !cfs_location_is_url(location)) {
		*out = rc == CFS_OK ? inner : NULL;
		return rc;
	}
	return cfs_source_open_stream(out, inner, ctx);
}

/* s3_call.c - makes one request and waits for the answer: signs it, sends it,
 * judges, tries again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "s3_call.h"

#include <errno.h>
#include <nettle/base64.h>
#include <nettle/md5.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/fileio.h"
#include "base/hex.h"
#include "base/log.h"
#include "base/sync.h"
#include "hosts.h"
#include "keys.h"
#include "request.h"
#include "s3_answer.h"
#include "s3_xml.h"

#define RETRY_AFTER_MAX_S 60u
#define READ_BYTES 65536u
/* Tries of a listing where there is no connection, and never was one. */
#define TRIES_STRANGER 3u

/* ---- hashes ------------------------------------------------------------ */

static void to_hex(const uint8_t *p, size_t n, char *out)
{
	cfs_hex_put(p, n, out);
	out[2 * n] = '\0';
}

struct body_hashes {
	struct md5_ctx md5;
	struct sha256_ctx sha;
};

static void hash_end(struct body_hashes *h, char md5[CFS_S3_MD5_HEX],
		     char sha256[CFS_S3_SHA256_HEX])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	md5_digest(&h->md5, MD5_DIGEST_SIZE, digest);
	if (md5 != NULL)
		to_hex(digest, MD5_DIGEST_SIZE, md5);
	sha256_digest(&h->sha, SHA256_DIGEST_SIZE, digest);
	if (sha256 != NULL)
		to_hex(digest, SHA256_DIGEST_SIZE, sha256);
}

int cfs_s3_hash(int fd, uint64_t off, uint64_t n, char md5[CFS_S3_MD5_HEX],
		char sha256[CFS_S3_SHA256_HEX], struct cfs_ctx ctx)
{
	uint8_t buf[READ_BYTES];
	struct body_hashes h;

	md5_init(&h.md5);
	sha256_init(&h.sha);
	while (n > 0) {
		size_t part = n < sizeof(buf) ? (size_t)n : sizeof(buf);

		if (cfs_read_at(fd, buf, part, off) < part)
			return cfs_error_set(
				ctx.err, CFS_EIO,
				"cannot read what is "
				"to be sent: %s",
				errno != 0 ? strerror(errno) :
					     "the file is shorter than it was");
		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		if (md5 != NULL)
			md5_update(&h.md5, part, buf);
		if (sha256 != NULL)
			sha256_update(&h.sha, part, buf);
		off += part;
		n -= part;
	}
	hash_end(&h, md5, sha256);
	return CFS_OK;
}

void cfs_s3_hash_text(struct cfs_slice text, char md5[CFS_S3_MD5_HEX],
		      char sha256[CFS_S3_SHA256_HEX])
{
	struct body_hashes h;

	md5_init(&h.md5);
	sha256_init(&h.sha);
	md5_update(&h.md5, text.n, text.p);
	sha256_update(&h.sha, text.n, text.p);
	hash_end(&h, md5, sha256);
}

void cfs_s3_md5_decode(const char *hex, uint8_t out[CFS_S3_MD5_BYTES])
{
	cfs_hex_read(cfs_slice_str(hex), out, CFS_S3_MD5_BYTES);
}

static int hash_body(struct cfs_s3_call *c, char sha256[CFS_S3_SHA256_HEX],
		     struct cfs_error *err)
{
	if (c->n > 0)
		return cfs_s3_hash(c->fd, c->off, c->n, c->md5, sha256,
				   CFS_CTX(c->cancel, err));
	cfs_s3_hash_text(c->text, c->md5, sha256);
	return CFS_OK;
}

/* ---- what libcurl calls ------------------------------------------------ */

static size_t on_read(char *out, size_t size, size_t n, void *arg)
{
	struct cfs_s3_call *c = arg;
	uint64_t left = c->n - c->at;

	n *= size;
	if (n > left)
		n = (size_t)left;
	if (cfs_read_at(c->fd, out, n, c->off + c->at) < n) {
		c->read_rc = CFS_EIO;
		return CURL_READFUNC_ABORT;
	}
	c->at += n;
	if (c->sent != NULL)
		atomic_fetch_add(c->sent, n);
	c->counted += n;
	return n;
}

static int on_seek(void *arg, curl_off_t to, int origin)
{
	struct cfs_s3_call *c = arg;

	if (origin != SEEK_SET || to < 0 || (uint64_t)to > c->n)
		return CURL_SEEKFUNC_FAIL;
	c->at = (uint64_t)to;
	return CURL_SEEKFUNC_OK;
}

static size_t s3_call_on_body(char *p, size_t size, size_t n, void *arg)
{
	struct cfs_s3_call *c = arg;

	n *= size;
	return cfs_buf_append(&c->body, p, n) == CFS_OK ? n : 0;
}

static size_t s3_call_on_head(char *p, size_t size, size_t n, void *arg)
{
	struct cfs_s3_call *c = arg;

	n *= size;
	return cfs_answer_line(&c->head, cfs_slice_of(p, n),
			       (int64_t)time(NULL)) ? n : 0;
}

static int s3_call_on_progress(void *arg, curl_off_t a, curl_off_t b,
			       curl_off_t d, curl_off_t e)
{
	const struct cfs_s3_call *c = arg;

	(void)a, (void)b, (void)d, (void)e;
	return cfs_cancelled(c->cancel);
}

/* ---- one try ----------------------------------------------------------- */

/* Adds Content-MD5: the server then checks what it receives, signed or not. */
static bool add_md5(const struct cfs_s3_call *c, struct curl_slist **headers)
{
	char line[64], text[BASE64_ENCODE_RAW_LENGTH(16) + 1];
	uint8_t raw[CFS_S3_MD5_BYTES];

	cfs_s3_md5_decode(c->md5, raw);
	base64_encode_raw(text, sizeof(raw), raw);
	text[BASE64_ENCODE_RAW_LENGTH(16)] = '\0';
	snprintf(line, sizeof(line), "Content-MD5: %s", text);
	return cfs_request_add_header(headers, line);
}

static void s3_call_set_manners(struct cfs_s3_call *c,
				const struct cfs_http_settings *s)
{
	CURL *e = c->easy;
	unsigned stall = c->wait_ms ? c->wait_ms : s->stall_ms;
	bool is_near = c->for_keys != NULL && c->for_keys->is_near;

	/* HTTP 1.1, as streams of one connection would wait for each
	 * other's bodies. */
	cfs_request_setup(e, s);
	if (c->for_keys != NULL)
		curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, (long)stall);
	if (is_near)
		curl_easy_setopt(e, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(e, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(e, CURLOPT_LOW_SPEED_TIME, (long)(stall + 999) / 1000);
	curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, s3_call_on_head);
	curl_easy_setopt(e, CURLOPT_HEADERDATA, c);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, s3_call_on_body);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, c);
	curl_easy_setopt(e, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(e, CURLOPT_XFERINFOFUNCTION, s3_call_on_progress);
	curl_easy_setopt(e, CURLOPT_XFERINFODATA, c);
}

/* Sets the URL, for the region that the bucket is known to be in. */
static bool set_url(struct cfs_s3_call *c, const struct cfs_http_settings *s)
{
	struct cfs_buf url;
	bool ok;

	if (c->bucket.n == 0 || !cfs_s3_region_of(c->bucket, c->region))
		snprintf(c->region, sizeof(c->region), "%.30s", s->s3.region);
	cfs_buf_init(&url, strlen(c->url) + 64);
	cfs_s3_url_in(&s->s3, c->url, c->region, &url);
	ok = cfs_request_set_url(c->easy, cfs_buf_str(&url), c->is_signed) &&
	     url.failed == CFS_OK;
	cfs_buf_release(&url);
	return ok;
}

static void set_method(struct cfs_s3_call *c)
{
	CURL *e = c->easy;

	if (c->n > 0) {
		curl_easy_setopt(e, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(e, CURLOPT_INFILESIZE_LARGE, (curl_off_t)c->n);
		curl_easy_setopt(e, CURLOPT_READFUNCTION, on_read);
		curl_easy_setopt(e, CURLOPT_READDATA, c);
		curl_easy_setopt(e, CURLOPT_SEEKFUNCTION, on_seek);
		curl_easy_setopt(e, CURLOPT_SEEKDATA, c);
	} else if (strcmp(c->method, "POST") == 0) {
		curl_easy_setopt(e, CURLOPT_POST, 1L);
		curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE, (long)c->text.n);
		curl_easy_setopt(e, CURLOPT_POSTFIELDS,
				 c->text.n > 0 ? (const char *)c->text.p : "");
	} else if (strcmp(c->method, "HEAD") == 0) {
		curl_easy_setopt(e, CURLOPT_NOBODY, 1L);
	} else if (strcmp(c->method, "GET") != 0) {
		curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, c->method);
	}
}

/* Sets what requests for credentials have of their own. */
static bool set_for_keys(struct cfs_s3_call *c, const char *sha256,
			 struct curl_slist **headers)
{
	const struct cfs_s3_for_keys *k = c->for_keys;

	c->is_signed = k->sign != NULL;
	return cfs_request_set_url(c->easy, c->url, c->is_signed) &&
	       (!c->is_signed || cfs_request_sign_as(c->easy, k->sign,
						     k->region, "sts", sha256,
						     headers));
}

/* The same for requests to S3. */
static bool set_for_s3(struct cfs_s3_call *c, const struct cfs_http_settings *s,
		       const char *sha256, struct curl_slist **headers)
{
	c->is_signed = s->s3.keys.id != NULL;
	c->generation = s->s3.generation;
	return set_url(c, s) && (c->n == 0 || add_md5(c, headers)) &&
	       cfs_request_add_header(
		       headers,
		       c->n > 0 ? "Content-Type: application/octet-stream" :
				  "Content-Type: application/xml") &&
	       (!c->is_signed || cfs_request_sign(c->easy, &s->s3, c->region,
						  sha256, headers));
}

static bool s3_call_set_up(struct cfs_s3_call *c,
			   const struct cfs_http_settings *s,
			   const char *sha256, struct curl_slist **headers)
{
	bool ok = c->header == NULL ||
		  cfs_request_add_header(headers, c->header);

	curl_easy_reset(c->easy);
	s3_call_set_manners(c, s);
	set_method(c);
	if (c->for_keys != NULL)
		ok = ok && set_for_keys(c, sha256, headers);
	else if (ok)
		ok = set_for_s3(c, s, sha256, headers);
	return ok && curl_easy_setopt(c->easy, CURLOPT_HTTPHEADER, *headers) ==
			     CURLE_OK;
}

static int s3_call_judge_curl(struct cfs_s3_call *c, CURLcode code,
			      const char *text, bool *may_retry,
			      struct cfs_error *err)
{
	struct cfs_verdict v = { .kind = CFS_VERDICT_FAIL };

	*may_retry = false;
	if (cfs_cancelled(c->cancel))
		return cfs_error_set(err, CFS_EINTR, "interrupted");
	if (c->read_rc != CFS_OK)
		return cfs_error_set(err, CFS_EIO, "cannot read what is to be "
				     "sent");
	if (c->body.failed != CFS_OK)
		return cfs_error_set(err, c->body.failed,
				     "the server's answer is too long");
	if (code == CURLE_OUT_OF_MEMORY)
		return cfs_error_nomem(err);
	cfs_answer_judge_curl(code, text, true, true, &v);
	c->is_out_of_reach = v.cause == CFS_CAUSE_CONNECT && !c->has_answered;
	/* An odd answer may come from a proxy in between; a long upload is
	 * worth more tries. */
	*may_retry = v.kind == CFS_VERDICT_RETRY ||
		     (v.cause == CFS_CAUSE_BAD_ANSWER &&
		      code != CURLE_URL_MALFORMAT);
	return cfs_error_set(err, v.code, "%.200s", v.text);
}

static int code_of(unsigned status)
{
	switch (status) {
	case 404:
		return CFS_ENOTFOUND;
	case 401:
	case 403:
		return CFS_EACCESS;
	case 405:
	case 501:
		return CFS_EUNSUPPORTED;
	default:
		return CFS_EIO;
	}
}

/* True if the body was damaged in transit. */
static bool is_damage(const char *code)
{
	return strcmp(code, "BadDigest") == 0 ||
	       strcmp(code, "XAmzContentSHA256Mismatch") == 0;
}

/* The separator, or "" if nothing follows it. */
static const char *before(const char *separator, const char *part)
{
	return part[0] != '\0' ? separator : "";
}

/* Says why, for an answer that is an error. */
static int judge_error(struct cfs_s3_call *c, bool *may_retry,
		       struct cfs_error *err)
{
	struct cfs_s3_error e;
	const char *message = c->answer.message;

	snprintf(c->code, sizeof(c->code), "%s", c->answer.code);
	e = cfs_s3_error_of(c->code, message, !c->is_signed);
	*may_retry = e.kind == CFS_S3_ERROR_BUSY ||
		     e.kind == CFS_S3_ERROR_PASSING || is_damage(c->code) ||
		     cfs_status_is_passing(c->status);
	if (c->for_keys != NULL)
		e = (struct cfs_s3_error){ .code = CFS_EACCESS, .help = "" };
	if (e.code == CFS_OK)
		e.code = code_of(c->status);
	return cfs_error_set(err, e.code, "%s server answers %u%s%s%s%s%s%s",
			     c->for_keys != NULL ? "its" : "the", c->status,
			     before(" ", c->code), c->code,
			     before(": ", message), message,
			     before("; ", e.help), e.help);
}

/* Judges the answer; one that began with a good status may still be
 * an error. */
static int judge_answer(struct cfs_s3_call *c, bool *may_retry,
			struct cfs_error *err)
{
	struct cfs_slice body = cfs_buf_slice(&c->body);
	bool is_good = c->status >= 200 && c->status < 300;
	int rc = CFS_OK;

	if (c->for_keys != NULL && is_good)
		return CFS_OK;
	if (!is_good)
		cfs_s3_answer_error(&c->answer, body);
	else if (body.n > 0)
		rc = cfs_s3_answer_parse(&c->answer, body, err);
	*may_retry = rc != CFS_OK && rc != CFS_ENOMEM;
	if (rc != CFS_OK || (is_good && c->answer.kind != CFS_S3_ERROR))
		return rc;
	return judge_error(c, may_retry, err);
}

/* Adds the request to its server's counters. */
static void count_request(struct cfs_s3_call *c, unsigned parallel)
{
	struct cfs_location loc;
	struct cfs_host *h = NULL;
	char *url = NULL;

	if (curl_easy_getinfo(c->easy, CURLINFO_EFFECTIVE_URL, &url) ==
	    CURLE_OK && url != NULL &&
	    cfs_location_parse(&loc, url, NULL) == CFS_OK)
		h = cfs_host_get(&loc, parallel);
	if (h == NULL)
		return;
	h->requests++;
	h->received += c->body.n;
	h->bytes += c->status >= 200 && c->status < 300 ? c->body.n : 0;
}

static int s3_call_try_once(struct cfs_s3_call *c, const char *sha256,
			    bool *may_retry, struct cfs_error *err)
{
	const struct cfs_http_settings *s;
	struct curl_slist *headers = NULL;
	char text[CURL_ERROR_SIZE] = "";
	unsigned parallel;
	CURLcode code;
	long status = 0;
	int rc = CFS_OK;

	*may_retry = false;
	if (c->for_keys == NULL) {
		cfs_keys_check();
		rc = cfs_keys_ready(err);
	}
	if (rc != CFS_OK)
		return rc;
	s = cfs_http_settings_get(err);
	if (s == NULL)
		return CFS_EFORMAT;
	c->at = c->counted = 0;
	c->status = 0;
	c->read_rc = CFS_OK;
	c->code[0] = c->etag[0] = '\0';
	c->head = (struct cfs_answer){ .status = 0 };
	cfs_buf_reset(&c->body);
	cfs_s3_answer_release(&c->answer);
	c->answer = (struct cfs_s3_answer){ .kind = CFS_S3_OTHER };
	if (!s3_call_set_up(c, s, sha256, &headers))
		rc = cfs_error_nomem(err);
	parallel = s->parallel;
	cfs_http_settings_put();
	if (rc == CFS_OK) {
		curl_easy_setopt(c->easy, CURLOPT_ERRORBUFFER, text);
		code = curl_easy_perform(c->easy);
		curl_easy_setopt(c->easy, CURLOPT_ERRORBUFFER, NULL);
		curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
		c->status = (unsigned)status;
		c->has_answered |= status != 0;
		if (!cfs_s3_etag(cfs_slice_str(c->head.etag), c->etag))
			c->etag[0] = '\0';
		if (c->for_keys == NULL)
			count_request(c, parallel);
		/* A server that refuses may close before all is sent. */
		rc = code == CURLE_OK ||
		     (code == CURLE_SEND_ERROR && status >= 400) ?
		     judge_answer(c, may_retry, err) :
		     s3_call_judge_curl(c, code, text, may_retry, err);
	}
	curl_slist_free_all(headers);
	if (rc != CFS_OK && c->sent != NULL)
		atomic_fetch_sub(c->sent, c->counted);
	return rc;
}

/* ---- all tries --------------------------------------------------------- */

/* True if the answer names another region of the bucket; notes that region. */
static bool bucket_is_elsewhere(const struct cfs_s3_call *c)
{
	const char *region =
		c->head.region[0] ? c->head.region : c->answer.region;

	if (c->bucket.n == 0 || !cfs_s3_may_be_elsewhere(c->status) ||
	    !cfs_s3_is_region(cfs_slice_str(region)) ||
	    strcmp(region, c->region) == 0)
		return false;
	cfs_log(CFS_LOG_INFO, "s3://%.*s is in %s", (int)c->bucket.n,
		(const char *)c->bucket.p, region);
	cfs_s3_region_note(c->bucket, region);
	return true;
}

/* True if a request that failed with rc may be accepted with other credentials;
 * waits for them. */
static bool has_other_keys(const struct cfs_s3_call *c, int rc)
{
	return c->is_signed && rc == CFS_EACCESS &&
	       cfs_keys_refused(c->generation, c->code) &&
	       cfs_keys_ready(NULL) == CFS_OK &&
	       cfs_keys_generation() != c->generation;
}

static bool pause_for(int64_t ms, const struct cfs_cancel *cancel)
{
	const struct timespec t = { 0, CFS_WAIT_SLICE_MS * 1000000L };

	for (int64_t at = 0; at < ms && !cfs_cancelled(cancel);
	     at += CFS_WAIT_SLICE_MS)
		nanosleep(&t, NULL);
	return !cfs_cancelled(cancel);
}

/* A hint to append to the message of a refusal, or "". */
static const char *signature_hint(const struct cfs_s3_call *c, int rc)
{
	const char *query = strchr(c->url, '?');

	if (rc != CFS_EACCESS || !c->is_signed || query == NULL ||
	    strstr(query, "%2B") == NULL || cfs_request_signs_plus())
		return "";
	return "; this version of libcurl signs no '+' in a query: 8.19 does";
}

/* True if a try that failed is to be sent again at once, as it will be another
 * request. */
static bool has_changed(struct cfs_s3_call *c, int rc, bool may_retry)
{
	if (!c->has_moved && bucket_is_elsewhere(c)) {
		c->has_moved = true;
		return true;
	}
	if (may_retry || c->has_rekeyed || !has_other_keys(c, rc))
		return false;
	c->has_rekeyed = true;
	return true;
}

/* Waits after a failed try.  False if there is no time for another one. */
static bool wait_for_next(struct cfs_s3_call *c, unsigned tries,
			  const struct cfs_error *e)
{
	uint32_t asked_s = c->head.has_retry ? c->head.retry_s : 0;

	/* as for a file: a wrong name is told soon; what is sent waits */
	if (c->is_out_of_reach && c->for_keys == NULL &&
	    tries >= TRIES_STRANGER && strcmp(c->method, "GET") == 0)
		return false;
	if (c->until_ms == 0) {
		c->until_ms = cfs_monotonic_ms() +
			      (int64_t)cfs_http_timeout_ms();
		cfs_log(CFS_LOG_INFO, "%s: %s: trying again", c->url, e->text);
	}
	return cfs_monotonic_ms() <= c->until_ms &&
	       pause_for(cfs_request_pause_ms(
				 tries, 0, asked_s < RETRY_AFTER_MAX_S ?
				 asked_s : RETRY_AFTER_MAX_S), c->cancel);
}

static void begin(struct cfs_s3_call *c, const struct cfs_cancel *cancel)
{
	bool is_for_keys = c->for_keys != NULL;

	c->cancel = cancel;
	c->has_moved = false;
	c->has_rekeyed = is_for_keys;
	c->until_ms = is_for_keys ? cfs_monotonic_ms() + c->wait_ms : 0;
	if (c->easy != NULL)
		return;
	c->easy = curl_easy_init();
	cfs_buf_init(&c->body, CFS_S3_ANSWER_MAX);
}

int cfs_s3_call(struct cfs_s3_call *c, struct cfs_ctx ctx)
{
	unsigned tries_max = c->for_keys != NULL ? c->for_keys->tries_max : 0;
	struct cfs_error e = CFS_ERROR_INIT;
	char sha256[CFS_S3_SHA256_HEX];
	bool may_retry = false;
	int rc;

	begin(c, ctx.cancel);
	rc = c->easy == NULL ? cfs_error_nomem(ctx.err) :
			       hash_body(c, sha256, ctx.err);
	if (rc != CFS_OK)
		return rc;
	for (unsigned tries = 1; ; tries++) {
		cfs_error_clear(&e);
		rc = s3_call_try_once(c, sha256, &may_retry, &e);
		if (rc != CFS_OK && has_changed(c, rc, may_retry))
			continue;
		if (rc == CFS_OK || !may_retry || tries == tries_max ||
		    !wait_for_next(c, tries, &e))
			break;
	}
	if (rc != CFS_OK && cfs_cancelled(c->cancel))
		return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	if (rc != CFS_OK)
		cfs_error_set(ctx.err, rc, "%s%s", e.text,
			      signature_hint(c, rc));
	return rc;
}

void cfs_s3_call_release(struct cfs_s3_call *c)
{
	if (c->easy == NULL)
		return;
	curl_easy_cleanup(c->easy);
	c->easy = NULL;
	cfs_buf_release(&c->body);
	cfs_s3_answer_release(&c->answer);
}

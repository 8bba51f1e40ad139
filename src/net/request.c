/* request.c - applies settings to libcurl's handles, signs requests for S3,
 * computes back-off.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "request.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define CONNECT_MAX_MS 10000u
#define BACKOFF_FIRST_MS 200
#define BACKOFF_MAX_MS 10000
/* The versions of libcurl that sign a '+' as a blank: from 8.3.0, the first
 * that signs a query in its canonical form, until before 8.19.0. */
#define PLUS_FAULT_SINCE 0x080300u
#define PLUS_FAULT_UNTIL 0x081300u

static void request_limit_schemes(CURL *e)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(e, CURLOPT_PROTOCOLS,
			 (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

void cfs_request_setup(CURL *e, const struct cfs_http_settings *s)
{
	unsigned connect_ms = s->stall_ms < CONNECT_MAX_MS ? s->stall_ms :
							     CONNECT_MAX_MS;

	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	request_limit_schemes(e);
	curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(e, CURLOPT_USERAGENT, s->user_agent);
	curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
	curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	if (s->ca_file != NULL)
		curl_easy_setopt(e, CURLOPT_CAINFO, s->ca_file);
	if (s->ca_folder != NULL)
		curl_easy_setopt(e, CURLOPT_CAPATH, s->ca_folder);
}

/* True if the path of a URL has a segment "." or "..", however it is escaped:
 * libcurl would resolve it. */
static bool has_dot_segment(struct cfs_slice url)
{
	url.n = cfs_slice_find_any(url, 0, "?#");
	while (url.n > 0) {
		struct cfs_slice s = cfs_slice_split(&url, '/');
		unsigned dots = 0;

		while (s.n > 0 && dots < 3) {
			size_t n = s.p[0] == '.' ? 1 : 3;

			if (n == 3 &&
			    !cfs_slice_starts_nocase(s, CFS_SLICE_LIT("%2e")))
				break;
			s = cfs_slice_from(s, n);
			dots++;
		}
		if (s.n == 0 && (dots == 1 || dots == 2))
			return true;
	}
	return false;
}

bool cfs_request_set_url(CURL *e, const char *url, bool is_signed)
{
	/* libcurl 8.11 and later sign no path that is to stay as it is */
	bool as_is = !is_signed || has_dot_segment(cfs_slice_str(url));

	return curl_easy_setopt(e, CURLOPT_PATH_AS_IS, as_is ? 1L : 0L) ==
		       CURLE_OK &&
	       curl_easy_setopt(e, CURLOPT_URL, url) == CURLE_OK;
}

bool cfs_request_signs_plus(void)
{
	unsigned version = curl_version_info(CURLVERSION_NOW)->version_num;

	return version < PLUS_FAULT_SINCE || version >= PLUS_FAULT_UNTIL;
}

bool cfs_request_add_header(struct curl_slist **headers, const char *line)
{
	struct curl_slist *l = curl_slist_append(*headers, line);

	if (l != NULL)
		*headers = l;
	return l != NULL;
}

bool cfs_request_sign_as(CURL *e, const struct cfs_keys *keys,
			 const char *region, const char *service,
			 const char *sha256, struct curl_slist **headers)
{
	char line[CFS_S3_WORD_MAX + 64], words[2 * CFS_S3_WORD_MAX + 2];
	bool ok;

	snprintf(line, sizeof(line), "aws:amz:%s:%s", region, service);
	snprintf(words, sizeof(words), "%s:%s", keys->id, keys->secret);
	ok = curl_easy_setopt(e, CURLOPT_AWS_SIGV4, line) == CURLE_OK &&
	     curl_easy_setopt(e, CURLOPT_USERPWD, words) == CURLE_OK;
	snprintf(line, sizeof(line), "x-amz-content-sha256: %s", sha256);
	ok = ok && cfs_request_add_header(headers, line);
	if (ok && keys->token != NULL) {
		snprintf(line, sizeof(line), "x-amz-security-token: %s",
			 keys->token);
		ok = cfs_request_add_header(headers, line);
	}
	explicit_bzero(words, sizeof(words));
	return ok;
}

bool cfs_request_sign(CURL *e, const struct cfs_s3_setup *s3,
		      const char *region, const char *sha256,
		      struct curl_slist **headers)
{
	return cfs_request_sign_as(e, &s3->keys, region, "s3", sha256,
				   headers) &&
	       (!s3->request_payer ||
		cfs_request_add_header(headers,
				       "x-amz-request-payer: requester"));
}

int64_t cfs_monotonic_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t cfs_request_pause_ms(unsigned failures, int64_t least_ms,
			     uint32_t asked_s)
{
	int64_t most = BACKOFF_FIRST_MS, asked = (int64_t)asked_s * 1000, wait;
	uint64_t random;

	for (unsigned i = 1; i < failures && most < BACKOFF_MAX_MS; i++)
		most *= 2;
	if (most > BACKOFF_MAX_MS)
		most = BACKOFF_MAX_MS;
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(random))
		random = ((uint64_t)cfs_monotonic_us() ^
			  (uint64_t)getpid() << 32) *
			 UINT64_C(0x9E3779B97F4A7C15) >> 8;
	wait = least_ms + (int64_t)(random % (uint64_t)most) + 1;
	return wait > asked ? wait : asked;
}

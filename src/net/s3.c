/* s3.c - where S3 objects are requested: endpoints, regions, URLs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "s3.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/memo.h"
#include "base/hex.h"
#include "profile.h"

#define REGION_BITS 8u

/* ---- regions ----------------------------------------------------------- */

/* True for lower-case letters, digits and dashes. */
static bool s3_is_label(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '-' && (!cfs_is_alnum(s.p[i]) ||
				      cfs_ascii_lower(s.p[i]) != s.p[i]))
			return false;
	return true;
}

bool cfs_s3_is_region(struct cfs_slice s)
{
	return s.n > 0 && s.n <= 30 && s3_is_label(s);
}

bool cfs_s3_may_be_elsewhere(unsigned status)
{
	return status == 301 || status == 307 || status == 400 || status == 403;
}

static struct cfs_memo *regions;	/* by hashes of buckets */
static pthread_once_t regions_once = PTHREAD_ONCE_INIT;

static void make_regions(void)
{
	regions = cfs_memo_new(REGION_BITS, CFS_S3_REGION_BYTES);
}

void cfs_s3_region_note(struct cfs_slice bucket, const char *region)
{
	char text[CFS_S3_REGION_BYTES] = "";

	pthread_once(&regions_once, make_regions);
	if (regions == NULL || !cfs_s3_is_region(cfs_slice_str(region)))
		return;
	snprintf(text, sizeof(text), "%s", region);
	cfs_memo_put(regions, cfs_hash64(bucket, 0), text);
}

bool cfs_s3_region_of(struct cfs_slice bucket, char out[CFS_S3_REGION_BYTES])
{
	pthread_once(&regions_once, make_regions);
	return regions != NULL &&
	       cfs_memo_get(regions, cfs_hash64(bucket, 0), out);
}

/* ---- the setup --------------------------------------------------------- */

static int set_region(struct cfs_s3_setup *s, const struct cfs_profile *p,
		      struct cfs_error *err)
{
	const char *region = cfs_profile_env("AWS_REGION");
	struct cfs_slice v = CFS_SLICE_LIT(CFS_S3_REGION_DEFAULT);

	if (region == NULL)
		region = cfs_profile_env("AWS_DEFAULT_REGION");
	if (region != NULL)
		v = cfs_slice_str(region);
	else
		cfs_profile_get(p, "region", &v);
	if (!cfs_s3_is_region(v))
		return cfs_error_set(err, CFS_EFORMAT, "invalid region for S3");
	return cfs_keys_set(&s->region, v, "region", err);
}

bool cfs_s3_find_endpoint(const struct cfs_profile *p, const char *service,
			  const char *variable, struct cfs_slice *out)
{
	const char *url = cfs_profile_env(variable);
	const char *ignored =
		cfs_profile_env("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
	struct cfs_slice v;

	if (ignored != NULL ? cfs_profile_is_true(ignored) :
	    cfs_profile_get(p, "ignore_configured_endpoint_urls", &v) &&
	    cfs_slice_eq_nocase(v, CFS_SLICE_LIT("true")))
		return false;
	if (url == NULL)
		url = cfs_profile_env("AWS_ENDPOINT_URL");
	if (url != NULL) {
		*out = cfs_slice_str(url);
		return true;
	}
	return cfs_profile_get_service(p, service, "endpoint_url", out) ||
	       cfs_profile_get(p, "endpoint_url", out);
}

int cfs_s3_check_endpoint(const char *endpoint, struct cfs_error *err)
{
	struct cfs_location loc;
	int rc = cfs_location_parse(&loc, endpoint, err);

	if (rc == CFS_OK && loc.scheme == CFS_LOC_S3)
		rc = cfs_error_set(
			err, CFS_EFORMAT,
			"endpoint '%.60s' is not an http or https URL",
			endpoint);
	return rc;
}

static int set_endpoint(struct cfs_s3_setup *s, const struct cfs_profile *p,
			const char *endpoint, struct cfs_error *err)
{
	struct cfs_slice v;
	int rc;

	if (endpoint != NULL)
		v = cfs_slice_str(endpoint);
	else if (!cfs_s3_find_endpoint(p, "s3", "AWS_ENDPOINT_URL_S3", &v))
		return CFS_OK;
	rc = cfs_keys_set(&s->endpoint, v, "endpoint", err);
	return rc == CFS_OK ? cfs_s3_check_endpoint(s->endpoint, err) : rc;
}

int cfs_s3_setup_init(struct cfs_s3_setup *s, const struct cfs_profile *p,
		      const char *endpoint, struct cfs_error *err)
{
	int rc;

	*s = (struct cfs_s3_setup){ .endpoint = NULL };
	rc = set_region(s, p, err);
	if (rc == CFS_OK)
		rc = set_endpoint(s, p, endpoint, err);
	if (rc != CFS_OK)
		cfs_s3_setup_release(s);
	return rc;
}

void cfs_s3_setup_release(struct cfs_s3_setup *s)
{
	free(s->endpoint);
	free(s->region);
	cfs_keys_release(&s->keys);
	*s = (struct cfs_s3_setup){ .endpoint = NULL };
}

/* ---- URLs -------------------------------------------------------------- */

/* Can the bucket be one label of a host name, under the certificate
 * of *.s3.amazonaws.com? */
static bool is_in_host(struct cfs_slice bucket)
{
	return bucket.n >= 3 && bucket.n <= 63 && s3_is_label(bucket);
}

void cfs_s3_url(const struct cfs_s3_setup *s, const struct cfs_location *loc,
		struct cfs_buf *out)
{
	struct cfs_slice key = cfs_slice_from(loc->path, 1);
	size_t start = out->n;

	if (s->endpoint != NULL) {
		cfs_buf_adds(out, s->endpoint);
		if (out->n > start && out->p[out->n - 1] != '/')
			cfs_buf_addc(out, '/');
		cfs_buf_add(out, loc->host);
		cfs_buf_addc(out, '/');
		cfs_percent_encode(key, CFS_LOCATION_KEPT, out);
		return;
	}
	if (s->keys.id == NULL) {
		cfs_buf_adds(out, CFS_COMMON_CRAWL_URL);
		if (cfs_location_common_crawl(loc, out))
			return;
		out->n = start;
	}
	cfs_buf_adds(out, "https://");
	if (is_in_host(loc->host)) {
		cfs_buf_add(out, loc->host);
		cfs_buf_addc(out, '.');
	}
	cfs_buf_adds(out, "s3.");
	if (s->keys.id != NULL || !is_in_host(loc->host)) {
		cfs_buf_adds(out, s->region);
		cfs_buf_addc(out, '.');
	}
	cfs_buf_adds(out, "amazonaws.com/");
	if (!is_in_host(loc->host)) {
		cfs_buf_add(out, loc->host);
		cfs_buf_addc(out, '/');
	}
	cfs_percent_encode(key, CFS_LOCATION_KEPT, out);
}

void cfs_s3_url_in(const struct cfs_s3_setup *s, const char *url,
		   const char *region, struct cfs_buf *out)
{
	char host[80];
	const char *at = NULL;
	int n = snprintf(host, sizeof(host), "s3.%.30s.amazonaws.com/",
			 s->region);

	if (s->endpoint == NULL && n > 0)
		at = strstr(url, host);
	if (at == NULL) {
		cfs_buf_adds(out, url);
		return;
	}
	cfs_buf_add(out, cfs_slice_of(url, (size_t)(at - url)));
	cfs_buf_adds(out, "s3.");
	cfs_buf_adds(out, region);
	cfs_buf_adds(out, ".amazonaws.com/");
	cfs_buf_adds(out, at + n);
}

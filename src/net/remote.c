/* remote.c - one remote object: its URL, and the state that answers show.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "remote.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memo.h"
#include "http_settings.h"
#include "keys.h"
#include "url_credentials.h"

/* ---- its URL ----------------------------------------------------------- */

/* Finds the URL to request, and the name that identifies the object. */
static void remote_resolve(const struct cfs_location *loc,
			   const struct cfs_http_settings *s,
			   struct cfs_buf *url, struct cfs_buf *name)
{
	bool is_s3 = loc->scheme == CFS_LOC_S3;

	if (!(is_s3 && s->s3.endpoint != NULL)) {
		cfs_buf_adds(name, CFS_COMMON_CRAWL_URL);
		if (cfs_location_common_crawl(loc, name)) {
			if (is_s3 && s->s3.keys.id != NULL)
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

/* The user of a URL, percent-decoded. */
static char *user_of(struct cfs_slice user)
{
	char *text = curl_easy_unescape(NULL, (const char *)user.p,
					(int)user.n, NULL);
	char *out = text != NULL ? strdup(text) : NULL;

	curl_free(text);
	return out;
}

/* Makes the URL for the region of r. */
static void regional_url(const struct cfs_http_settings *s,
			 const struct cfs_location *loc,
			 struct cfs_remote *r, struct cfs_buf *url)
{
	struct cfs_s3_setup there = s->s3;

	there.region = r->region;
	cfs_buf_reset(url);
	cfs_s3_url(&there, loc, url);
}

int cfs_remote_init(struct cfs_remote *r, struct cfs_source *src,
		    const struct cfs_location *loc, struct cfs_buf *name,
		    struct cfs_error *err)
{
	struct cfs_slice user = loc->user.n > 0 ? loc->user :
						  cfs_credentials_find(loc);
	const struct cfs_http_settings *s;
	struct cfs_location asked;
	CFS_BUF(url, 4 * CFS_LOCATION_MAX);
	int rc;

	r->src = src;
	r->total = CFS_SIZE_UNKNOWN;
	pthread_mutex_init(&r->lock, NULL);
	r->sign = loc->scheme == CFS_LOC_S3;
	rc = r->sign ? cfs_keys_ready(err) : CFS_OK;
	if (rc != CFS_OK)
		return rc;
	s = cfs_http_settings_get(err);
	if (s == NULL)
		return CFS_EFORMAT;
	remote_resolve(loc, s, &url, name);
	if (r->sign && s->s3.keys.id != NULL &&
	    cfs_s3_region_of(loc->host, r->region))
		regional_url(s, loc, r, &url);	/* the name stays the same */
	r->url = strdup(cfs_buf_str(&url));
	rc = r->url == NULL || url.failed || name->failed ? CFS_ENOMEM :
	     cfs_location_parse(&asked, r->url, err);
	if (rc == CFS_OK)
		r->host = cfs_host_get(&asked, s->parallel);
	cfs_http_settings_put();
	if (rc == CFS_OK && user.n > 0)
		r->user = user_of(user);
	if (rc == CFS_OK && (r->host == NULL ||
			     (user.n > 0 && r->user == NULL)))
		rc = CFS_ENOMEM;
	return rc == CFS_ENOMEM ? cfs_error_nomem(err) : rc;
}

void cfs_remote_release(struct cfs_remote *r)
{
	free(r->url);
	free(r->user);
	pthread_mutex_destroy(&r->lock);
}

bool cfs_remote_move(struct cfs_remote *r, const char *from, const char *to)
{
	const struct cfs_http_settings *s;
	struct cfs_location loc, there;
	CFS_BUF(url, 4 * CFS_LOCATION_MAX);
	struct cfs_host *host = NULL;
	char *copy = NULL;

	if (!r->sign || !cfs_s3_is_region(cfs_slice_str(to)) ||
	    strcmp(r->region, from) != 0)
		return false;
	s = cfs_http_settings_get(NULL);
	if (s == NULL)
		return false;
	if (s->s3.keys.id != NULL &&
	    strcmp(from[0] ? from : s->s3.region, to) != 0 &&
	    cfs_location_parse(&loc, r->src->name, NULL) == CFS_OK) {
		cfs_s3_region_note(loc.host, to);
		snprintf(r->region, sizeof(r->region), "%s", to);
		regional_url(s, &loc, r, &url);
		copy = strdup(cfs_buf_str(&url));
		if (copy != NULL &&
		    cfs_location_parse(&there, copy, NULL) == CFS_OK)
			host = cfs_host_get(&there, s->parallel);
	}
	cfs_http_settings_put();
	if (host == NULL) {
		free(copy);
		return false;
	}
	free(r->url);
	r->url = copy;
	r->host = host;
	return true;
}

/* ---- its state --------------------------------------------------------- */

static bool differs(const char *a, const char *b)
{
	return a[0] != '\0' && b[0] != '\0' && strcmp(a, b) != 0;
}

static int compare_locked(const struct cfs_remote *r,
			  const struct cfs_answer *a, uint64_t total,
			  struct cfs_error *err)
{
	const char *name = r->src->name;

	if (total != CFS_SIZE_UNKNOWN && r->total != CFS_SIZE_UNKNOWN &&
	    total != r->total)
		return cfs_error_at(err, CFS_ECHANGED, name, 0,
			"changed on the server: it has %" PRIu64 " bytes and "
			"had %" PRIu64, total, r->total);
	if (a == NULL)
		return CFS_OK;
	if (differs(a->etag, r->etag))
		return cfs_error_at(err, CFS_ECHANGED, name, 0,
			"changed on the server: its ETag is %.48s and was "
			"%.48s", a->etag, r->etag);
	if ((a->etag[0] == '\0' || r->etag[0] == '\0') &&
	    differs(a->modified, r->modified))
		return cfs_error_at(err, CFS_ECHANGED, name, 0,
			"changed on the server: its date is %.40s and was "
			"%.40s", a->modified, r->modified);
	return CFS_OK;
}

int cfs_remote_learn(struct cfs_remote *r, const struct cfs_answer *a,
		     uint64_t total, struct cfs_error *err)
{
	int rc;

	pthread_mutex_lock(&r->lock);
	rc = compare_locked(r, a, total, err);
	if (rc == CFS_OK && a != NULL) {
		if (r->etag[0] == '\0')
			memcpy(r->etag, a->etag, sizeof(r->etag));
		if (r->modified[0] == '\0')
			memcpy(r->modified, a->modified, sizeof(r->modified));
	}
	if (rc == CFS_OK && total != CFS_SIZE_UNKNOWN &&
	    r->total == CFS_SIZE_UNKNOWN) {
		r->total = total;
		if (a != NULL && a->mtime != 0)
			r->src->mtime = a->mtime;
		r->src->size = total;	/* after mtime: a reader that sees the
					 * size sees both */
	}
	pthread_mutex_unlock(&r->lock);
	return rc;
}

/* ---- what came as ranges ------------------------------------------------ */

/* Sizes of objects, by hashes of URLs: a file may be opened several times. */
#define RANGED_BITS 10u
#define RANGED_MS 30000

struct ranged {
	uint64_t total;
	int64_t until_ms;
};

static struct cfs_memo *_Atomic ranged;	/* lives as long as the process */
static pthread_once_t ranged_once = PTHREAD_ONCE_INIT;

static void make_ranged(void)
{
	ranged = cfs_memo_new(RANGED_BITS, sizeof(struct ranged));
}

void cfs_remote_note_range(struct cfs_remote *r, int64_t now_ms)
{
	struct ranged it = { r->src->size, now_ms + RANGED_MS };

	if (!r->has_ranges && it.total != CFS_SIZE_UNKNOWN) {
		pthread_once(&ranged_once, make_ranged);
		if (ranged != NULL)
			cfs_memo_put(ranged,
				     cfs_hash64(cfs_slice_str(r->url), 0), &it);
	}
	r->has_ranges = true;
}

bool cfs_remote_is_other(const struct cfs_remote *r, uint64_t total,
			 int64_t now_ms)
{
	struct ranged it = { r->src->size, INT64_MAX };

	if (total == CFS_SIZE_UNKNOWN || (it.total != CFS_SIZE_UNKNOWN &&
					  !r->has_ranges))
		return false;
	if (it.total == CFS_SIZE_UNKNOWN &&
	    (ranged == NULL ||
	     !cfs_memo_get(ranged, cfs_hash64(cfs_slice_str(r->url), 0), &it)))
		return false;
	return now_ms < it.until_ms && total != it.total;
}

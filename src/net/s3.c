/* s3.c - where S3 objects are asked for: setup, regions, URLs.
 *
 * The files (as the AWS tools read their shared credentials file):
 *     line    = blank / comment / "[" section "]" / name "=" value
 *     comment = (";" / "#") ...
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "s3.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/fileio.h"
#include "base/hash.h"

#define BUCKETS 64u		/* whose region is remembered */

/* ---- files ------------------------------------------------------------- */

/* The file's text; empty when there is no such file.  Only its beginning if it
 * is larger than any credentials file. */
static void read_setup_file(struct cfs_buf *b, const char *variable,
			    const char *below_home)
{
	const char *path = getenv(variable), *home = getenv("HOME");
	char text[4096];
	int n;

	if (path != NULL && path[0] != '\0') {
		cfs_file_read(path, b);
	} else if (home != NULL) {
		n = snprintf(text, sizeof(text), "%s/%s", home, below_home);
		if (n > 0 && (size_t)n < sizeof(text))
			cfs_file_read(text, b);
	}
}

/* [name], perhaps with a comment behind it. */
static bool is_section(struct cfs_slice line, const char *section)
{
	ptrdiff_t end = cfs_slice_find(line, ']');

	return end > 0 &&
	       cfs_slice_eq(cfs_slice_trim(cfs_slice_sub(line, 1,
							 (size_t)end - 1)),
			    cfs_slice_str(section));
}

bool cfs_ini_find(struct cfs_slice text, const char *section, const char *name,
		  struct cfs_slice *out)
{
	bool inside = false, found = false;

	while (text.n > 0) {
		struct cfs_slice line = cfs_slice_split(&text, '\n'), left;

		if (line.n == 0 || cfs_is_blank(line.p[0]) ||
		    line.p[0] == ';' || line.p[0] == '#')
			continue;
		if (line.p[0] == '[') {
			inside = is_section(line, section);
			continue;
		}
		if (!inside || cfs_slice_find(line, '=') <= 0)
			continue;
		left = cfs_slice_trim(cfs_slice_split(&line, '='));
		if (!cfs_slice_eq_nocase(left, cfs_slice_str(name)))
			continue;
		*out = cfs_slice_trim(line);
		found = true;
	}
	return found;
}

/* ---- the setup --------------------------------------------------------- */

static const char *from_env(const char *name)
{
	const char *v = getenv(name);

	return v != NULL && v[0] != '\0' ? v : NULL;
}

/* Header values are made of these: no line ends, no control bytes. */
static bool is_word(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= 0x20 || s.p[i] >= 0x7f)
			return false;
	return s.n > 0 && s.n <= CFS_S3_WORD_MAX;
}

static int set(char **out, struct cfs_slice s, const char *what,
	       struct cfs_error *err)
{
	if (!is_word(s))
		return cfs_error_set(err, CFS_EFORMAT, "invalid %s for "
				     "S3", what);
	free(*out);
	*out = strndup((const char *)s.p, s.n);
	return *out ? CFS_OK : cfs_error_nomem(err);
}

struct files {
	struct cfs_buf credentials, config;
	const char *profile;
	char section[256];	/* "profile NAME" of the config file */
};

/* The credentials file goes before the other, as with the AWS tools. */
static bool find(const struct files *f, const char *name,
		 struct cfs_slice *out)
{
	return cfs_ini_find(cfs_buf_slice(&f->credentials), f->profile, name,
			    out) ||
	       cfs_ini_find(cfs_buf_slice(&f->config), f->section, name, out);
}

static int set_credentials(struct cfs_s3_setup *s, const struct files *f,
			   struct cfs_error *err)
{
	const struct {
		char **out;
		const char *variable, *name, *what;
	} words[] = {
		{ &s->key_id, "AWS_ACCESS_KEY_ID", "aws_access_key_id",
		  "access key" },
		{ &s->secret, "AWS_SECRET_ACCESS_KEY", "aws_secret_access_key",
		  "secret key" },
		{ &s->token, "AWS_SESSION_TOKEN", "aws_session_token",
		  "session token" },
	};
	bool by_env = from_env("AWS_ACCESS_KEY_ID") != NULL;
	struct cfs_slice v;
	int rc = CFS_OK;

	for (size_t i = 0; i < 3 && rc == CFS_OK; i++) {
		const char *text = from_env(words[i].variable);
		bool found = by_env ? text != NULL :
				      find(f, words[i].name, &v);

		if (by_env && found)
			v = cfs_slice_str(text);
		if (found)
			rc = set(words[i].out, v, words[i].what, err);
	}
	if (rc == CFS_OK && (s->key_id != NULL) != (s->secret != NULL))
		rc = cfs_error_set(err, CFS_EFORMAT, "half of the credentials "
			"for S3 is missing: %s", s->key_id == NULL ?
			"the access key" : "the secret key");
	if (rc == CFS_OK && s->key_id == NULL &&
	    from_env("AWS_PROFILE") != NULL && !find(f, "region", &v))
		rc = cfs_error_set(err, CFS_EFORMAT,
			"no credentials file has AWS_PROFILE '%.60s'",
			f->profile);
	return rc;
}

/* True for lower-case letters, digits and dashes. */
static bool is_label(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '-' && (!cfs_is_alnum(s.p[i]) ||
				      cfs_ascii_lower(s.p[i]) != s.p[i]))
			return false;
	return true;
}

bool cfs_s3_is_region(struct cfs_slice s)
{
	return s.n > 0 && s.n <= 30 && is_label(s);
}

static struct {
	pthread_mutex_t lock;
	struct {
		uint64_t bucket;		/* its hash */
		char region[CFS_S3_REGION_BYTES];
	} slots[BUCKETS];			/* guarded by lock */
} learnt = { .lock = PTHREAD_MUTEX_INITIALIZER };

void cfs_s3_region_note(struct cfs_slice bucket, const char *region)
{
	uint64_t h = cfs_hash64(bucket, 0);

	if (!cfs_s3_is_region(cfs_slice_str(region)))
		return;
	pthread_mutex_lock(&learnt.lock);
	learnt.slots[h % BUCKETS].bucket = h;
	snprintf(learnt.slots[h % BUCKETS].region, CFS_S3_REGION_BYTES, "%s",
		 region);
	pthread_mutex_unlock(&learnt.lock);
}

bool cfs_s3_region_of(struct cfs_slice bucket, char out[CFS_S3_REGION_BYTES])
{
	uint64_t h = cfs_hash64(bucket, 0);
	bool found;

	pthread_mutex_lock(&learnt.lock);
	found = learnt.slots[h % BUCKETS].bucket == h &&
		learnt.slots[h % BUCKETS].region[0] != '\0';
	if (found)
		memcpy(out, learnt.slots[h % BUCKETS].region,
		       CFS_S3_REGION_BYTES);
	pthread_mutex_unlock(&learnt.lock);
	return found;
}

static int set_region(struct cfs_s3_setup *s, const struct files *f,
		      struct cfs_error *err)
{
	const char *region = from_env("AWS_REGION");
	struct cfs_slice v = CFS_SLICE_LIT(CFS_S3_REGION_DEFAULT);

	if (region == NULL)
		region = from_env("AWS_DEFAULT_REGION");
	if (region != NULL)
		v = cfs_slice_str(region);
	else
		find(f, "region", &v);
	if (!cfs_s3_is_region(v))
		return cfs_error_set(err, CFS_EFORMAT,
				     "invalid region for S3");
	return set(&s->region, v, "region", err);
}

static int set_endpoint(struct cfs_s3_setup *s, const char *endpoint,
			struct cfs_error *err)
{
	struct cfs_location loc;
	int rc;

	if (endpoint == NULL)
		endpoint = from_env("AWS_ENDPOINT_URL_S3");
	if (endpoint == NULL)
		endpoint = from_env("AWS_ENDPOINT_URL");
	if (endpoint == NULL)
		return CFS_OK;
	rc = cfs_location_parse(&loc, endpoint, err);
	if (rc == CFS_OK && loc.scheme == CFS_LOC_S3)
		rc = cfs_error_set(err, CFS_EFORMAT,
				   "endpoint '%.60s' is not an http or https URL",
				   endpoint);
	return rc == CFS_OK ? set(&s->endpoint, cfs_slice_str(endpoint),
				  "endpoint", err) : rc;
}

int cfs_s3_setup_init(struct cfs_s3_setup *s, const char *endpoint,
		      struct cfs_error *err)
{
	struct files f = { .profile = from_env("AWS_PROFILE") };
	int rc;

	*s = (struct cfs_s3_setup){ .endpoint = NULL };
	if (f.profile == NULL)
		f.profile = "default";
	snprintf(f.section, sizeof(f.section), "%s%s",
		 strcmp(f.profile, "default") == 0 ? "" : "profile ",
		 f.profile);
	cfs_buf_init(&f.credentials, CFS_S3_FILE_MAX);
	cfs_buf_init(&f.config, CFS_S3_FILE_MAX);
	read_setup_file(&f.credentials, "AWS_SHARED_CREDENTIALS_FILE",
			".aws/credentials");
	read_setup_file(&f.config, "AWS_CONFIG_FILE", ".aws/config");
	rc = set_credentials(s, &f, err);
	if (rc == CFS_OK)
		rc = set_region(s, &f, err);
	if (rc == CFS_OK)
		rc = set_endpoint(s, endpoint, err);
	cfs_buf_release(&f.credentials);
	cfs_buf_release(&f.config);
	if (rc != CFS_OK)
		cfs_s3_setup_release(s);
	return rc;
}

void cfs_s3_setup_release(struct cfs_s3_setup *s)
{
	free(s->endpoint);
	free(s->region);
	free(s->key_id);
	free(s->secret);
	free(s->token);
	*s = (struct cfs_s3_setup){ .endpoint = NULL };
}

/* ---- URLs -------------------------------------------------------------- */

/* A bucket that can be one label of a host name under the certificate of
 * *.s3.amazonaws.com. */
static bool is_in_host(struct cfs_slice bucket)
{
	return bucket.n >= 3 && bucket.n <= 63 && is_label(bucket);
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
		cfs_location_encode(out, key);
		return;
	}
	if (s->key_id == NULL) {
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
	if (s->key_id != NULL || !is_in_host(loc->host)) {
		cfs_buf_adds(out, s->region);
		cfs_buf_addc(out, '.');
	}
	cfs_buf_adds(out, "amazonaws.com/");
	if (!is_in_host(loc->host)) {
		cfs_buf_add(out, loc->host);
		cfs_buf_addc(out, '/');
	}
	cfs_location_encode(out, key);
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

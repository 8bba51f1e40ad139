/* http_settings.c - settings of requests, from the configuration, the
 * environment and defaults.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"

#include "http_settings.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "keys.h"

#include "profile.h"
#include "reach.h"

#define STALL_MAX_MS 20000u
#define USER_AGENT "crawlfs/" PACKAGE_VERSION " (+read-only crawl file system)"

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
	free(s->endpoint);
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
	const char *no_sign = cfs_profile_env("AWS_NO_SIGN_REQUEST");
	const char *payer = cfs_profile_env("AWS_REQUEST_PAYER");
	int rc = CFS_OK;

	if (s.stall_ms == 0)
		s.stall_ms = s.timeout_ms / 3 < STALL_MAX_MS ?
			     s.timeout_ms / 3 + 1 : STALL_MAX_MS;
	s.ca_file = copy_or(c->ca_file, "CURL_CA_BUNDLE", "SSL_CERT_FILE");
	s.ca_folder = copy_or(NULL, "SSL_CERT_DIR", NULL);
	s.user_agent = strdup(c->user_agent ? c->user_agent : USER_AGENT);
	s.no_sign_request =
		c->no_sign_request || cfs_profile_is_true(no_sign) ||
		(no_sign != NULL && (strcasecmp(no_sign, "yes") == 0 ||
				     strcmp(no_sign, "1") == 0));
	s.request_payer = c->request_payer ||
			  (payer != NULL &&
			   strcasecmp(payer, "requester") == 0);
	if (c->endpoint != NULL)
		rc = cfs_s3_check_endpoint(c->endpoint, err);
	if (rc == CFS_OK && c->endpoint != NULL)
		s.endpoint = strdup(c->endpoint);
	if (rc == CFS_OK && (s.user_agent == NULL ||
			     (c->endpoint != NULL && s.endpoint == NULL)))
		rc = cfs_error_nomem(err);
	if (rc != CFS_OK) {
		release_settings(&s);
		return rc;
	}
	*out = s;
	return CFS_OK;
}

/* True if requests to S3 are made alike by both. */
static bool are_same_for_s3(const struct cfs_http_settings *a,
			    const struct cfs_http_settings *b)
{
	const char *x = a->endpoint != NULL ? a->endpoint : "";
	const char *y = b->endpoint != NULL ? b->endpoint : "";

	return a->no_sign_request == b->no_sign_request &&
	       a->request_payer == b->request_payer && strcmp(x, y) == 0;
}

int cfs_http_configure(const struct cfs_http_config *config,
		       struct cfs_error *err)
{
	struct cfs_http_settings s;
	bool keeps_keys;
	int rc = cfs_reach_allow(config->allow_hosts, err);

	if (rc == CFS_OK)
		rc = make_settings(&s, config, err);
	if (rc != CFS_OK)
		return rc;
	pthread_mutex_lock(&settings_lock);
	/* a command may configure more than once: the process of credentials
	 * is not run again for that */
	keeps_keys = settings.is_set && are_same_for_s3(&settings, &s);
	if (keeps_keys) {
		s.s3 = settings.s3;
		settings.s3 = (struct cfs_s3_setup){ .endpoint = NULL };
	}
	release_settings(&settings);
	settings = s;
	pthread_mutex_unlock(&settings_lock);
	if (!keeps_keys)
		cfs_keys_reset();
	return CFS_OK;
}

bool cfs_http_settings_set_s3(struct cfs_s3_setup *s3, unsigned generation)
{
	struct cfs_s3_setup *old = &settings.s3;
	bool differs;

	pthread_mutex_lock(&settings_lock);
	differs = !cfs_keys_are_same(&old->keys, &s3->keys);
	s3->generation = differs ? generation : old->generation;
	cfs_s3_setup_release(old);
	*old = *s3;
	pthread_mutex_unlock(&settings_lock);
	*s3 = (struct cfs_s3_setup){ .endpoint = NULL };
	return differs;
}

const struct cfs_http_settings *cfs_http_settings_get(struct cfs_error *err)
{
	static const struct cfs_http_config defaults;

	pthread_mutex_lock(&settings_lock);
	if (settings.is_set ||
	    make_settings(&settings, &defaults, err) == CFS_OK)
		return &settings;
	pthread_mutex_unlock(&settings_lock);
	return NULL;
}

void cfs_http_settings_put(void)
{
	pthread_mutex_unlock(&settings_lock);
}

unsigned cfs_http_timeout_ms(void)
{
	const struct cfs_http_settings *s = cfs_http_settings_get(NULL);
	unsigned ms = CFS_HTTP_TIMEOUT_DEFAULT_MS;

	if (s != NULL) {
		ms = s->timeout_ms;
		cfs_http_settings_put();
	}
	return ms;
}

static atomic_bool log_failures = true;

void cfs_http_log_failures(bool on)
{
	atomic_store(&log_failures, on);
}

bool cfs_http_failures_are_logged(void)
{
	return atomic_load(&log_failures);
}

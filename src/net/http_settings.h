/* http_settings.h - how the whole process makes requests: how many at a time,
 * timeouts, user agent, credentials.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_HTTP_SETTINGS_H
#define CFS_NET_HTTP_SETTINGS_H

#include "s3.h"

#define CFS_HTTP_PARALLEL_DEFAULT 64u	/* requests at a time to one host */
#define CFS_HTTP_PARALLEL_PUBLIC 8u	/* to Common Crawl's public hosts */
#define CFS_HTTP_PARALLEL_MAX 1024u
#define CFS_HTTP_TIMEOUT_DEFAULT_MS 60000u
#define CFS_HTTP_TIMEOUT_MAX_MS 86400000u

/* Strings are copied; NULL and 0 stand for the default. */
struct cfs_http_config {
	unsigned parallel;	/* most requests at a time to one host */
	unsigned timeout_ms;	/* for one read with all its retries; extended
				 * by 1 ms for each 64 bytes received */
	unsigned stall_ms;	/* for one request without a byte; 0: a third of
				 * timeout_ms, at most 20 s */
	const char *endpoint;	/* for s3: URLs; NULL: AWS_ENDPOINT_URL */
	bool request_payer;	/* s3: the reader pays; or AWS_REQUEST_PAYER */
	bool no_sign_request;	/* s3: without credentials; or
				 * AWS_NO_SIGN_REQUEST */
	const char *allow_hosts;	/* for cfs_reach_allow */
	const char *ca_file;	/* NULL: CURL_CA_BUNDLE, SSL_CERT_FILE, else
				 * the system's */
	const char *user_agent;
};

/* Sets how the process makes requests; call it before the first source
 * is opened.  CFS_ENOMEM, CFS_EFORMAT for the endpoint, or CFS_EUSAGE
 * for allow_hosts. */
int cfs_http_configure(const struct cfs_http_config *config,
		       struct cfs_error *err);

/* Whether failed reads are logged, once for each cause and server; the default
 * is on.  A program that prints the failures it is given turns this off.  From
 * any thread. */
void cfs_http_log_failures(bool on);

/* ---- for the files of this folder -------------------------------------- */

struct cfs_http_settings {
	unsigned parallel, timeout_ms, stall_ms;
	char *ca_file, *ca_folder, *user_agent;
	char *endpoint;			/* from the configuration, or NULL */
	bool request_payer, no_sign_request;
	struct cfs_s3_setup s3;		/* empty before cfs_keys_ready */
	bool is_set;
};

/* Locks the settings, and makes them from the defaults if they were never set.
 * On failure returns NULL and holds no lock. */
const struct cfs_http_settings *cfs_http_settings_get(struct cfs_error *err);
void cfs_http_settings_put(void);

/* Replaces S3 setup and credentials by these, taking them over and emptying
 * s3.  True if the credentials differ from those before: they then have that
 * generation. */
bool cfs_http_settings_set_s3(struct cfs_s3_setup *s3, unsigned generation);

/* The timeout of the settings, or the default if they cannot be made. */
unsigned cfs_http_timeout_ms(void);

bool cfs_http_failures_are_logged(void);

#endif

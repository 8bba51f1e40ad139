/* http_settings.h - how requests are made, for the whole process: how many at a
 * time, for how long, in whose name, with which credentials.
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

/* Strings are copied; NULL and 0 mean the default. */
struct cfs_http_config {
	unsigned parallel;	/* requests at a time to one host, whichever */
	unsigned timeout_ms;	/* of one read with all its retries, and 1 ms
				 * more for each 64 bytes that come */
	unsigned stall_ms;	/* of one request without a byte; 0: a third of
				 * timeout_ms, at most 20 s */
	const char *endpoint;	/* for s3: URLs; NULL: AWS_ENDPOINT_URL */
	bool request_payer;	/* s3: the reader pays; AWS_REQUEST_PAYER */
	bool no_sign_request;	/* s3: without credentials; AWS_NO_SIGN_REQUEST
				 * does that too */
	const char *allow_hosts;	/* of cfs_reach_allow */
	const char *ca_file;	/* NULL: CURL_CA_BUNDLE, SSL_CERT_FILE, else
				 * the system's */
	const char *user_agent;
};

/* Sets how requests are made from now on, for the whole process; before the
 * first source is opened.  CFS_ENOMEM, CFS_EFORMAT for the endpoint, or
 * CFS_EUSAGE for allow_hosts. */
int cfs_http_configure(const struct cfs_http_config *config,
		       struct cfs_error *err);

/* Whether reads that fail are logged, once for each cause and server (they
 * are by default).  A program that prints the failures it is given turns it
 * off.  From any thread. */
void cfs_http_log_failures(bool on);

/* ---- for the files of this folder -------------------------------------- */

struct cfs_http_settings {
	unsigned parallel, timeout_ms, stall_ms;
	char *ca_file, *ca_folder, *user_agent;
	char *endpoint;			/* of the configuration, or NULL */
	bool request_payer, no_sign_request;
	struct cfs_s3_setup s3;		/* empty before cfs_keys_ready */
	bool is_set;
};

/* Locks the settings, which are made from the defaults if they were never set;
 * NULL and no lock when that fails. */
const struct cfs_http_settings *cfs_http_settings_get(struct cfs_error *err);
void cfs_http_settings_put(void);

/* Takes both over, whose fields become empty, in the place of those before.
 * True if the credentials differ from those: then they are of that
 * generation. */
bool cfs_http_settings_set_s3(struct cfs_s3_setup *s3, struct cfs_keys *keys,
			      unsigned generation);

/* That of the settings, or the default where they cannot be made. */
unsigned cfs_http_timeout_ms(void);

bool cfs_http_failures_are_logged(void);

#endif

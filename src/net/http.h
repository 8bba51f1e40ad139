/* http.h - sources over HTTP and S3: objects on servers, read by ranges.
 *
 * Opening costs no request; the first answer tells the size.  One thread of
 * the process does all transfers (fetch.h).  Every answer is checked: status,
 * Content-Range, length, and that it is of the same state of the object as
 * the first (ETag, size, else date).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_HTTP_H
#define CFS_NET_HTTP_H

#include "source/source.h"

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
	const char *ca_file;	/* NULL: CURL_CA_BUNDLE, SSL_CERT_FILE, else
				 * the system's */
	const char *user_agent;
};

/* Sets how requests are made from now on, for the whole process; before the
 * first source is opened.  CFS_ENOMEM, or CFS_EFORMAT from the setup of S3. */
int cfs_http_configure(const struct cfs_http_config *config,
		       struct cfs_error *err);

/* Whether reads that fail are logged, once a cause and server (they are at
 * first).  A program that prints the failures it is given has no use for it.
 * From any thread. */
void cfs_http_log_failures(bool on);

/* Opens an http:, https: or s3: URL.  CFS_EFORMAT for one that is none. */
int cfs_source_open_http(struct cfs_source **out, const char *url,
			 struct cfs_error *err);

/* ---- counters ---------------------------------------------------------- */

#define CFS_HTTP_LATENCIES 64u

struct cfs_http_host_stats {
	char name[300];			/* https://host:port */
	uint64_t requests;		/* sent, retries among them */
	uint64_t bytes;			/* of bodies that were believed */
	uint64_t retries, failures;	/* failures: of reads, after retries */
	uint64_t forbidden;		/* answers of 403 */
	unsigned in_flight, queued, parallel;
	bool is_http2;
	/* Of requests that succeeded: until the first byte of the answer. */
	uint32_t p50_us, p90_us, p99_us;
};

/* Fills at most max entries, returns how many hosts there are. */
size_t cfs_http_stats(struct cfs_http_host_stats *out, size_t max);

#endif

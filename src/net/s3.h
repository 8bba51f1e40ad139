/* s3.h - where S3 objects are asked for: endpoints, regions, URLs.
 *
 * The configuration is that of the AWS tools: AWS_REGION, AWS_DEFAULT_REGION,
 * AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS
 * and the profile's settings (profile.h).  Where the credentials come from is
 * in keys.h; without any requests are anonymous.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_H
#define CFS_NET_S3_H

#include "keys.h"
#include "location.h"

#define CFS_S3_WORD_MAX CFS_KEYS_WORD_MAX
#define CFS_S3_REGION_DEFAULT "us-east-1"

/* Owns its strings. */
struct cfs_s3_setup {
	char *endpoint;		/* NULL: Amazon's */
	char *region;
	char *key_id, *secret;	/* NULL: anonymous */
	char *token;		/* NULL: none */
	bool request_payer;	/* who asks, pays: signed requests say so */
	unsigned generation;	/* of the credentials: others have another */
};

/* Endpoint and region, by environment and profile; no credentials.  `endpoint`
 * (may be NULL) goes before theirs.  CFS_ENOMEM; CFS_EFORMAT for what cannot be
 * a region or an endpoint. */
int cfs_s3_setup_init(struct cfs_s3_setup *s, const struct cfs_profile *p,
		      const char *endpoint, struct cfs_error *err);

/* The endpoint of a service ("s3"): by its own variable, AWS_ENDPOINT_URL, the
 * profile's section of services, the profile.  False if none is set, or they
 * are to be ignored. */
bool cfs_s3_find_endpoint(const struct cfs_profile *p, const char *service,
			  const char *variable, struct cfs_slice *out);

/* CFS_EFORMAT, unless it is an http or https URL. */
int cfs_s3_check_endpoint(const char *endpoint, struct cfs_error *err);
void cfs_s3_setup_release(struct cfs_s3_setup *s);

/* True for letters, digits and dashes, at most 30. */
bool cfs_s3_is_region(struct cfs_slice s);
#define CFS_S3_REGION_BYTES 32u

/* The regions that answers have reported for the last few buckets.  Threads
 * share them.  `of`: false when the region is not known. */
void cfs_s3_region_note(struct cfs_slice bucket, const char *region);
bool cfs_s3_region_of(struct cfs_slice bucket, char out[CFS_S3_REGION_BYTES]);

/* Appends a URL of cfs_s3_url with another region in its host; one of an
 * endpoint stays as it is. */
void cfs_s3_url_in(const struct cfs_s3_setup *s, const char *url,
		   const char *region, struct cfs_buf *out);

/* Appends the URL of an s3: location, path style with an endpoint.  An
 * object of Common Crawl's, asked for without credentials or endpoint, is
 * asked for where it is public. */
void cfs_s3_url(const struct cfs_s3_setup *s, const struct cfs_location *loc,
		struct cfs_buf *out);

#endif

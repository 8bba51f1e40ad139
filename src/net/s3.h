/* s3.h - where S3 objects are requested: endpoints, regions, URLs.
 *
 * The configuration is that of the AWS tools: AWS_REGION, AWS_DEFAULT_REGION,
 * AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS
 * and the profile's settings (profile.h). keys.h says where credentials come
 * from; without any, requests are anonymous.
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
	bool request_payer;	/* signed requests say that the
				 * requester pays */
	unsigned generation;	/* the credentials'; new ones get a new
				 * number */
};

/* Finds endpoint and region from environment and profile, but no credentials.
 * `endpoint` (may be NULL) goes before theirs.  CFS_ENOMEM; CFS_EFORMAT if the
 * region or endpoint is invalid. */
int cfs_s3_setup_init(struct cfs_s3_setup *s, const struct cfs_profile *p,
		      const char *endpoint, struct cfs_error *err);

/* Finds the endpoint of a service ("s3"): from its own variable,
 * AWS_ENDPOINT_URL, the profile's services section, the profile.  False if none
 * is set, or they must be ignored. */
bool cfs_s3_find_endpoint(const struct cfs_profile *p, const char *service,
			  const char *variable, struct cfs_slice *out);

/* CFS_EFORMAT unless it is an http or https URL. */
int cfs_s3_check_endpoint(const char *endpoint, struct cfs_error *err);
void cfs_s3_setup_release(struct cfs_s3_setup *s);

/* True for letters, digits and dashes, at most 30. */
bool cfs_s3_is_region(struct cfs_slice s);
#define CFS_S3_REGION_BYTES 32u

/* Regions that answers have reported, for the most recent buckets; shared by
 * threads.  `of` returns false if the region is not known. */
void cfs_s3_region_note(struct cfs_slice bucket, const char *region);
bool cfs_s3_region_of(struct cfs_slice bucket, char out[CFS_S3_REGION_BYTES]);

/* True for the statuses of an answer that may name another region than that for
 * which the request was signed. */
bool cfs_s3_may_be_elsewhere(unsigned status);

/* Appends a URL made by cfs_s3_url with another region in its host; that of an
 * endpoint stays unchanged. */
void cfs_s3_url_in(const struct cfs_s3_setup *s, const char *url,
		   const char *region, struct cfs_buf *out);

/* Appends the URL to request an s3: location at, path style with an endpoint.
 * Without credentials or endpoint, an object of Common Crawl's is requested
 * from the public server. */
void cfs_s3_url(const struct cfs_s3_setup *s, const struct cfs_location *loc,
		struct cfs_buf *out);

#endif

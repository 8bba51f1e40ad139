/* s3.h - where S3 objects are asked for, and with which credentials.
 *
 * The configuration is that of the AWS tools: AWS_ACCESS_KEY_ID,
 * AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_DEFAULT_REGION,
 * AWS_PROFILE, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, and the files of
 * AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE (~/.aws/credentials,
 * ~/.aws/config).  Without credentials requests are anonymous.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_H
#define CFS_NET_S3_H

#include "location.h"

#define CFS_S3_FILE_MAX (1u << 20)	/* bytes of a credentials file */
#define CFS_S3_WORD_MAX 4096u		/* session tokens reach 2 KiB */
#define CFS_S3_REGION_DEFAULT "us-east-1"

/* Owns its strings. */
struct cfs_s3_setup {
	char *endpoint;		/* NULL: Amazon's */
	char *region;
	char *key_id, *secret;	/* NULL: anonymous */
	char *token;		/* NULL: none */
};

/*
 * The value of `name` in [section] of the text of an INI file: the last one
 * there is, without blanks around it; false if there is none.  Lines of ';' and
 * '#' are comments; indented lines belong to nested settings and are skipped.
 * Names are compared without case, sections exactly.  *out borrows from text.
 */
bool cfs_ini_find(struct cfs_slice text, const char *section, const char *name,
		  struct cfs_slice *out);

/* Reads environment and files; `endpoint` (may be NULL) goes before the
 * environment's.  CFS_ENOMEM; CFS_EFORMAT for half a set of credentials, or
 * an AWS_PROFILE that is in neither file. */
int cfs_s3_setup_init(struct cfs_s3_setup *s, const char *endpoint,
		      struct cfs_error *err);
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

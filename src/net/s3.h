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
#include "base/cancel.h"

#define CFS_S3_WORD_MAX CFS_KEYS_WORD_MAX
#define CFS_S3_REGION_DEFAULT "us-east-1"
/* The field of an object that says which work has made it. */
#define CFS_S3_MARK_FIELD "x-amz-meta-crawlfs-export"
#define CFS_S3_MARK_BYTES 32u

/* Owns its strings. */
struct cfs_s3_setup {
	char *endpoint;		/* NULL: Amazon's */
	char *region;
	struct cfs_keys keys;
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

/* ---- the objects of a bucket (s3_list.c) ------------------------------- */

/* After the API reference of Amazon S3: ListObjectsV2. */

#define CFS_S3_LIST_PAGE_MAX 1000u	/* objects in an answer; S3's limit */

/* Slices are borrowed during the call. */
struct cfs_s3_object {
	struct cfs_slice key;
	uint64_t bytes;
	struct cfs_slice etag, modified;	/* as sent; may be empty */
};

/* Called for each object; a result other than 0 ends the listing and
 * is returned. */
typedef int cfs_s3_list_each(void *arg, const struct cfs_s3_object *o);

/*
 * Calls `each` with every object of the bucket whose key begins with `prefix`,
 * page by page, in S3's order.  0; the first result that is not 0; CFS_EACCESS,
 * CFS_ENOTFOUND (no such bucket), CFS_EFORMAT, CFS_EINTR, CFS_EIO, ...
 */
int cfs_s3_list(struct cfs_slice bucket, struct cfs_slice prefix,
		cfs_s3_list_each *each, void *arg, struct cfs_ctx ctx);

/* The same for the text of one answer.  Replaces `next` by the token for the
 * next request; empty if this is the last answer. */
int cfs_s3_list_parse(struct cfs_slice xml, cfs_s3_list_each *each, void *arg,
		      struct cfs_buf *next, struct cfs_error *err);

/* ---- uploads (s3_upload.c) --------------------------------------------- */

/* A large file is sent in parts, several at a time, and the object appears
 * when all of them have arrived. Until then a journal records what has been
 * sent, so that the same upload can resume where it stopped. */

/* Smallest size of a part; parts are larger if 10,000 would not be enough.  A
 * file no larger than this is sent by one request. */
#define CFS_S3_PART_BYTES (UINT64_C(8) << 20)
#define CFS_S3_OBJECT_MAX (UINT64_C(5) << 40)	/* S3's limit */
#define CFS_S3_UPLOAD_PARALLEL_MAX 16u

struct cfs_s3_upload_opts {
	const char *url;		/* s3://bucket/key */
	const char *path;		/* the file; it must not change */
	const char *journal;		/* file that records progress */
	unsigned parallel;		/* parts sent at a time */
	bool force;			/* replace another object */
	const char *mark;		/* of the object; NULL: it gets none */
	const struct cfs_cancel *cancel;
	/* Called now and then, on the caller's thread.  May be NULL. */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

/*
 * Uploads the file.  If the object exists, it is left alone if it is the same,
 * and replaced only with force if it differs (else CFS_EIO).  Parts are sent
 * with their MD5s, which the journal keeps: a later run sends a part again
 * unless the server lists it and the file's bytes still have that MD5.
 * CFS_EACCESS without credentials or permission; CFS_ENOTFOUND if there is no
 * such bucket; else the results of cfs_s3_call: the journal then stays.
 */
int cfs_s3_upload(const struct cfs_s3_upload_opts *opts, struct cfs_error *err);

/* Abandons an upload: removes what the server has of it, and the journal.
 * CFS_ENOTFOUND if there is no journal of such an upload. */
int cfs_s3_upload_abort(const char *url, const char *journal,
			struct cfs_ctx ctx);

/* Asks whether an object exists: CFS_OK or CFS_ENOTFOUND; CFS_EACCESS, also
 * without credentials or an endpoint. */
int cfs_s3_object_find(const char *url, struct cfs_ctx ctx);

/* Asks for the mark that an object was uploaded with; "" if it has none.  Fails
 * like cfs_s3_call; CFS_ENOTFOUND if there is no such object. */
int cfs_s3_object_mark(const char *url, char mark[CFS_S3_MARK_BYTES],
		       struct cfs_ctx ctx);

#endif

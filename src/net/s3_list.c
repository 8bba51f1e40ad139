/* s3_list.c - lists the objects of a bucket, page by page.
 *
 *     GET /?continuation-token=T&encoding-type=url&list-type=2&prefix=P
 *     ListBucketResult = Contents* IsTruncated NextContinuationToken?
 *                        EncodingType?
 *     Contents         = Key LastModified ETag? Size ...
 * or, where the token has a '+' that this libcurl would sign wrongly,
 *     GET /?encoding-type=url&list-type=2&prefix=P&start-after=KEY
 * Keys are requested percent-encoded, because XML cannot represent all of them.
 * A server that does not support this sends them unencoded, and no
 * EncodingType.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "s3.h"

#include "base/hash.h"
#include "base/hex.h"
#include "http_settings.h"
#include "keys.h"
#include "request.h"
#include "s3_call.h"
#include "s3_xml.h"

#define TOKEN_MAX 2048u
#define KEY_MAX (3u * 1024u)	/* S3's 1,024 bytes, all encoded */
/* Most pages of one listing: 100 million objects.  A server that never stops
 * listing is abandoned then. */
#define PAGES_MAX 100000u

/* ---- one answer -------------------------------------------------------- */

struct list_answer {
	cfs_s3_list_each *each;
	void *arg;
	bool is_encoded;
	struct cfs_buf key;
	struct cfs_error *err;
};

static int s3_list_take_object(struct list_answer *a,
			       const struct cfs_s3_node *n)
{
	struct cfs_s3_object o;
	struct cfs_slice text;

	cfs_buf_reset(&a->key);
	if (!cfs_s3_xml_find(n, "Key", &text) || text.n == 0 ||
	    text.n > KEY_MAX)
		return cfs_error_set(
			a->err, CFS_EFORMAT,
			"the server lists an object without a key");
	if (a->is_encoded)
		cfs_percent_decode(text, true, &a->key);
	else
		cfs_buf_add(&a->key, text);
	if (a->key.failed != CFS_OK)
		return cfs_error_nomem(a->err);
	o.key = cfs_buf_slice(&a->key);
	cfs_s3_xml_find(n, "ETag", &o.etag);
	cfs_s3_xml_find(n, "LastModified", &o.modified);
	if (cfs_slice_parse_u64(cfs_s3_xml_text(n, "Size"), INT64_MAX,
				&o.bytes) != CFS_OK)
		return cfs_error_set(
			a->err, CFS_EFORMAT,
			"the server lists an object without a size");
	return a->each(a->arg, &o);
}

static int take_next(const struct cfs_s3_node *root, struct cfs_buf *next,
		     struct cfs_error *err)
{
	struct cfs_slice text;

	if (!cfs_slice_eq(cfs_s3_xml_text(root, "IsTruncated"),
			  CFS_SLICE_LIT("true")))
		return CFS_OK;
	cfs_s3_xml_find(root, "NextContinuationToken", &text);
	if (text.n == 0 || text.n > TOKEN_MAX)
		return cfs_error_set(err, CFS_EFORMAT,
				     "the server's list of objects has no end");
	return cfs_buf_add(next, text) == CFS_OK ? CFS_OK :
						   cfs_error_nomem(err);
}

static int s3_list_take_all(struct list_answer *a,
			    const struct cfs_s3_node *root,
			    struct cfs_buf *next)
{
	unsigned count = 0;
	int rc = CFS_OK;

	if (!cfs_s3_xml_is(root, "ListBucketResult"))
		return cfs_error_set(a->err, CFS_EFORMAT,
				     "the server's answer is not a list of "
				     "objects");
	a->is_encoded = cfs_slice_eq(cfs_s3_xml_text(root, "EncodingType"),
				     CFS_SLICE_LIT("url"));
	for (const struct cfs_s3_node *n = cfs_s3_xml_first(root);
	     n != NULL && rc == CFS_OK; n = cfs_s3_xml_next(root, n)) {
		if (!cfs_s3_xml_is(n, "Contents"))
			continue;
		if (++count > CFS_S3_LIST_PAGE_MAX)
			return cfs_error_set(a->err, CFS_ELIMIT, "the server "
					     "lists too many objects at once");
		rc = s3_list_take_object(a, n);
	}
	return rc == CFS_OK ? take_next(root, next, a->err) : rc;
}

int cfs_s3_list_parse(struct cfs_slice xml, cfs_s3_list_each *each, void *arg,
		      struct cfs_buf *next, struct cfs_error *err)
{
	struct list_answer a = { .each = each, .arg = arg, .err = err };
	struct cfs_s3_xml doc;
	int rc;

	cfs_buf_reset(next);
	cfs_buf_init(&a.key, KEY_MAX + 1);
	rc = cfs_s3_xml_parse(&doc, xml, err);
	if (rc == CFS_OK)
		rc = s3_list_take_all(&a, doc.root, next);
	cfs_buf_release(&a.key);
	cfs_s3_xml_release(&doc);
	return rc;
}

/* ---- all of them ------------------------------------------------------- */

/* Adds the bucket's own URL, ending in '/'.  CFS_EACCESS for Common Crawl's
 * public server, which does not list the bucket. */
static int add_bucket(struct cfs_buf *out, struct cfs_slice bucket,
		      struct cfs_error *err)
{
	const struct cfs_location loc = { .scheme = CFS_LOC_S3,
		.user = CFS_SLICE_EMPTY, .host = bucket,
		.port = CFS_SLICE_EMPTY, .path = CFS_SLICE_LIT("/") };
	const struct cfs_http_settings *s;
	bool is_refused;
	int rc;

	if (!cfs_location_is_host(bucket)) {
		bucket = cfs_slice_sub(bucket, 0, 60);
		return cfs_error_set(err, CFS_EFORMAT,
				     "no bucket is called '%.*s'",
				     (int)bucket.n, (const char *)bucket.p);
	}
	rc = cfs_keys_ready(err);
	if (rc != CFS_OK)
		return rc;
	s = cfs_http_settings_get(err);
	if (s == NULL)
		return CFS_EFORMAT;
	cfs_s3_url(&s->s3, &loc, out);
	cfs_http_settings_put();
	if (out->failed != CFS_OK)
		return cfs_error_nomem(err);
	is_refused = cfs_slice_eq(cfs_slice_sub(cfs_buf_slice(out), 0,
				  strlen(CFS_COMMON_CRAWL_URL)),
				  CFS_SLICE_LIT(CFS_COMMON_CRAWL_URL));
	return !is_refused ? CFS_OK :
	       cfs_error_set(err, CFS_EACCESS, "this bucket is listed with "
			     "credentials only: name a crawl, or a list of "
			     "archives (warc.paths.gz)");
}

/* The callback that gets the objects, and the key of the last one. */
struct list_pages {
	cfs_s3_list_each *each;
	void *arg;
	struct cfs_buf last;
};

static int note_object(void *arg, const struct cfs_s3_object *o)
{
	struct list_pages *p = arg;

	cfs_buf_reset(&p->last);
	cfs_buf_add(&p->last, o->key);
	return p->last.failed != CFS_OK ? CFS_ENOMEM : p->each(p->arg, o);
}

static bool has_plus(struct cfs_slice s)
{
	return cfs_slice_find_any(s, 0, "+") < s.n;
}

static void list_url(struct cfs_buf *url, struct cfs_slice bucket_url,
		     struct cfs_slice prefix, struct cfs_slice token,
		     struct cfs_slice last_key)
{
	bool by_key = has_plus(token) && !has_plus(last_key) &&
		      !cfs_request_signs_plus();

	cfs_buf_add(url, bucket_url);
	cfs_buf_addc(url, '?');
	if (token.n > 0 && !by_key) {
		cfs_buf_adds(url, "continuation-token=");
		cfs_percent_encode(token, CFS_UNRESERVED, url);
		cfs_buf_addc(url, '&');
	}
	cfs_buf_adds(url, "encoding-type=url&list-type=2&prefix=");
	cfs_percent_encode(prefix, CFS_UNRESERVED, url);
	if (by_key) {
		cfs_buf_adds(url, "&start-after=");
		cfs_percent_encode(last_key, CFS_UNRESERVED, url);
	}
}

/* Makes one request.  `next` is the token of this page, and afterwards that of
 * the next. */
static int get_page(struct cfs_s3_call *call, struct cfs_slice bucket_url,
		    struct cfs_slice prefix, struct cfs_buf *next,
		    struct list_pages *p, struct cfs_ctx ctx)
{
	CFS_BUF(url, 4 * CFS_LOCATION_MAX + 3 * TOKEN_MAX);
	int rc;

	list_url(&url, bucket_url, prefix, cfs_buf_slice(next),
		 cfs_buf_slice(&p->last));
	call->url = cfs_buf_str(&url);
	rc = url.failed != CFS_OK ? cfs_error_nomem(ctx.err) :
				    cfs_s3_call(call, ctx);
	if (rc == CFS_OK)
		rc = cfs_s3_list_parse(cfs_buf_slice(&call->body), note_object,
				       p, next, ctx.err);
	return rc;
}

/* Detects tokens of pages that come round, after Brent: one token is kept, and
 * replaced after twice as many. */
struct lap {
	uint64_t last, kept;	/* hashes of tokens */
	unsigned count, next;
};

/* False if the token was seen before: found at once if it repeats the last one,
 * else some pages later. */
static bool moves_on(struct lap *l, struct cfs_slice token)
{
	uint64_t hash = cfs_hash64(token, 0);
	bool is_new = l->count == 0 || (hash != l->last && hash != l->kept);

	l->last = hash;
	if (l->count++ == l->next) {
		l->kept = hash;
		l->next = l->next * 2 + 1;
	}
	return is_new;
}

int cfs_s3_list(struct cfs_slice bucket, struct cfs_slice prefix,
		cfs_s3_list_each *each, void *arg, struct cfs_ctx ctx)
{
	struct cfs_s3_call call = { .method = "GET", .bucket = bucket };
	struct list_pages p = { .each = each, .arg = arg };
	struct lap lap = { .count = 0 };
	CFS_BUF(next, TOKEN_MAX + 1);
	CFS_BUF(url, CFS_LOCATION_MAX);
	unsigned pages = 0;
	int rc;

	cfs_buf_init(&p.last, KEY_MAX);
	rc = add_bucket(&url, bucket, ctx.err);
	do {
		if (rc == CFS_OK && ++pages > PAGES_MAX)
			rc = cfs_error_set(ctx.err, CFS_ELIMIT,
					   "more than %u pages of objects",
					   PAGES_MAX);
		if (rc == CFS_OK)
			rc = get_page(&call, cfs_buf_slice(&url), prefix, &next,
				      &p, ctx);
		if (rc == CFS_OK && next.n > 0 &&
		    !moves_on(&lap, cfs_buf_slice(&next)))
			rc = cfs_error_set(
				ctx.err, CFS_EFORMAT,
				"the server's list "
				"of objects does not move on: page %u says to "
				"ask again for one before it",
				pages);
	} while (rc == CFS_OK && next.n > 0);
	cfs_s3_call_release(&call);
	cfs_buf_release(&p.last);
	return rc;
}

/* exchange.c - fills in replies, and reads queries.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "exchange.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/hex.h"
#include "codec/gzip.h"
#include "codec/json.h"

/* A message longer than this is cut. */
#define MESSAGE_MAX 1024u
/* Shorter texts fit in a packet with their header. */
#define PACKET_BYTES 1024u

void cfs_reply_reset(struct cfs_exchange *x)
{
	cfs_buf_release(&x->head);
	cfs_buf_release(&x->text);
	cfs_buf_init(&x->head, CFS_REPLY_HEAD_MAX);
	cfs_buf_init(&x->text, CFS_REPLY_BODY_MAX);
	if (x->has_file)
		cfs_file_bytes_release(&x->file);
	x->has_file = false;
	if (x->steps != NULL)
		x->steps->free(x->steps);
	x->steps = NULL;
	x->status = 0;
	x->policy = CFS_POLICY_OWN;
	x->has_bytes = x->is_judged = false;
}

/* A field's value has no controls, and no blanks at its ends (RFC 9110,
 * 5.5). */
static bool is_field_value(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] == 127)
			return false;
	return s.n > 0 && s.p[0] != ' ' && s.p[s.n - 1] != ' ';
}

void cfs_reply_header(struct cfs_exchange *x, const char *name,
		      struct cfs_slice value)
{
	if (!is_field_value(value))
		return;
	cfs_buf_adds(&x->head, name);
	cfs_buf_adds(&x->head, ": ");
	cfs_buf_add(&x->head, value);
	cfs_buf_addc(&x->head, '\n');
}

int cfs_reply_text(struct cfs_exchange *x, unsigned status, const char *type,
		   struct cfs_buf *body)
{
	int rc = body->failed;

	if (rc == CFS_OK) {
		cfs_buf_release(&x->text);
		x->text = *body;
		x->status = status;
		cfs_reply_header(x, "Content-Type", cfs_slice_str(type));
	} else {
		cfs_buf_release(body);
	}
	cfs_buf_init(body, CFS_REPLY_BODY_MAX);
	return rc;
}

/* True if a weight is 0: "q=0.00". */
static bool is_refusal(struct cfs_slice weight)
{
	if (!cfs_slice_starts_nocase(weight, CFS_SLICE_LIT("q=0")))
		return false;
	for (size_t i = 3; i < weight.n; i++)
		if (weight.p[i] != '.' && weight.p[i] != '0')
			return false;
	return true;
}

/* True if a field Accept-Encoding permits gzip. */
static bool accepts_gzip(struct cfs_slice field)
{
	while (field.n > 0) {
		struct cfs_slice rest = cfs_slice_split(&field, ',');
		struct cfs_slice name = cfs_slice_trim(cfs_slice_split(&rest,
								       ';'));

		if (cfs_slice_eq_nocase(name, CFS_SLICE_LIT("gzip")))
			return !is_refusal(cfs_slice_trim(rest));
	}
	return false;
}

bool cfs_exchange_is_browser(const struct cfs_exchange *x)
{
	return cfs_slice_search_nocase(x->fields[CFS_FIELD_ACCEPT],
				       CFS_SLICE_LIT("text/html")) >= 0;
}

/* Compresses the body of a reply.  Without memory it stays as it is. */
static void compress_text(struct cfs_exchange *x)
{
	struct cfs_buf packed;

	if (x->text.n < PACKET_BYTES ||
	    !accepts_gzip(x->fields[CFS_FIELD_ACCEPT_ENCODING]))
		return;
	cfs_buf_init(&packed, CFS_REPLY_BODY_MAX);
	if (cfs_gz_compress(cfs_buf_slice(&x->text), &packed, NULL) != CFS_OK) {
		cfs_buf_release(&packed);
		return;
	}
	cfs_buf_release(&x->text);
	x->text = packed;
	cfs_reply_header(x, "Content-Encoding", CFS_SLICE_LIT("gzip"));
}

int cfs_reply_page(struct cfs_exchange *x, unsigned status, const char *type,
		   struct cfs_buf *body)
{
	struct cfs_validators v = { .time = 0 };
	int rc = cfs_reply_text(x, status, type, body);

	if (rc != CFS_OK)
		return rc;
	compress_text(x);
	if (status != 200)
		return CFS_OK;
	cfs_tag_write(&v, cfs_hash_fast(cfs_buf_slice(&x->text), 0));
	if (cfs_reply_condition(x, &v) && x->status == 304)
		cfs_reply_known(x, x->text.n);
	return CFS_OK;
}

int cfs_reply_message(struct cfs_exchange *x, unsigned status,
		      const char *fmt, ...)
{
	char text[MESSAGE_MAX];
	struct cfs_buf body;
	va_list ap;

	cfs_buf_init(&body, CFS_REPLY_BODY_MAX);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	cfs_buf_adds(&body, text);
	cfs_buf_addc(&body, '\n');
	if (cfs_reply_text(x, status, "text/plain; charset=utf-8", &body) !=
	    CFS_OK)
		x->status = status;	/* without its sentence */
	return CFS_OK;
}

int cfs_reply_json_message(struct cfs_exchange *x, unsigned status,
			   const char *text)
{
	struct cfs_buf body;

	cfs_buf_init(&body, CFS_REPLY_BODY_MAX);
	cfs_buf_adds(&body, "{\"message\": ");
	cfs_json_add_ascii(&body, cfs_slice_str(text), CFS_JSON_ODD_REPLACED);
	cfs_buf_adds(&body, "}\n");
	if (cfs_reply_text(x, status, "application/json", &body) != CFS_OK)
		x->status = status;
	return CFS_OK;
}

int cfs_reply_steps(struct cfs_exchange *x, unsigned status, const char *type,
		     struct cfs_steps *steps)
{
	x->status = status;
	x->steps = steps;
	cfs_reply_header(x, "Content-Type", cfs_slice_str(type));
	return CFS_OK;
}

int cfs_reply_file(struct cfs_exchange *x, unsigned status,
		   struct cfs_file_bytes *file, uint64_t from, uint64_t bytes)
{
	x->status = status;
	x->file = *file;
	x->has_file = true;
	x->from = from;
	x->bytes = bytes;
	*file = (struct cfs_file_bytes){ .bytes = CFS_SLICE_EMPTY };
	return CFS_OK;
}

int cfs_reply_redirect(struct cfs_exchange *x, unsigned status,
		       struct cfs_buf *path)
{
	CFS_BUF(url, CFS_REPLY_HEAD_MAX);
	int rc = path->failed;

	cfs_buf_adds(&url, x->site->prefix);
	cfs_buf_add(&url, cfs_buf_slice(path));
	if (rc == CFS_OK)
		rc = url.failed;
	if (rc == CFS_OK) {
		cfs_reply_header(x, "Location", cfs_buf_slice(&url));
		cfs_reply_message(x, status, "see %s", cfs_buf_str(&url));
	}
	cfs_buf_release(path);
	return rc == CFS_OK ? CFS_OK : CFS_ENOMEM;
}

void cfs_reply_base(const struct cfs_exchange *x, struct cfs_buf *out)
{
	struct cfs_slice base = x->fields[CFS_FIELD_HOST];

	if (x->site->base_url != NULL)
		base = cfs_slice_str(x->site->base_url);
	else if (base.n > 0)
		cfs_buf_adds(out, "http://");
	while (base.n > 0 && base.p[base.n - 1] == '/')
		base.n--;
	cfs_buf_add(out, base);
}

bool cfs_reply_condition(struct cfs_exchange *x, const struct cfs_validators *v)
{
	const struct cfs_preconditions c = {
		.if_match = x->fields[CFS_FIELD_IF_MATCH],
		.if_none_match = x->fields[CFS_FIELD_IF_NONE_MATCH],
		.if_modified_since = x->fields[CFS_FIELD_IF_MODIFIED_SINCE],
		.if_unmodified_since = x->fields[CFS_FIELD_IF_UNMODIFIED_SINCE],
		.is_get = x->method == CFS_METHOD_GET,
	};
	char date[CFS_HTTP_DATE_BYTES];
	unsigned status = cfs_condition_status(v, &c);

	if (status == 412) {
		cfs_reply_reset(x);
		cfs_reply_message(x, 412, "the file is not, or no longer, the "
				  "one that the request is for");
	}
	x->is_judged = true;
	if (v->tag[0] != '\0')
		cfs_reply_header(x, "ETag", cfs_slice_str(v->tag));
	if (v->time != 0)
		cfs_reply_header(x, "Last-Modified",
				 cfs_slice_str(cfs_http_date(v->time, date)));
	if (status == 304)
		x->status = 304;
	return status != 0;
}

unsigned cfs_status_of(int code)
{
	switch (code) {
	case CFS_OK: return 200;
	case CFS_ENOTFOUND:
	case CFS_ENOWORDS: return 404;
	case CFS_EUSAGE: return 400;
	case CFS_ETOOLARGE: return 507;	/* RFC 4918, 11.5 */
	case CFS_ENOMEM: return 503;
	case CFS_EINTR: return 503;
	default: return 502;	/* a record or a server is at fault, as behind a
				 * gateway; also a server that is silent: what
				 * matters is that the record cannot be read */
	}
}

const char *cfs_status_text(unsigned status)
{
	static const struct {
		unsigned status;
		const char *text;
	} texts[] = {
		{ 200, "OK" }, { 202, "Accepted" },
		{ 206, "Partial Content" },
		{ 207, "Multi-Status" }, { 301, "Moved Permanently" },
		{ 302, "Found" }, { 304, "Not Modified" },
		{ 400, "Bad Request" }, { 403, "Forbidden" },
		{ 404, "Not Found" }, { 405, "Method Not Allowed" },
		{ 412, "Precondition Failed" }, { 413, "Content Too Large" },
		{ 415, "Unsupported Media Type" },
		{ 416, "Range Not Satisfiable" },
		{ 502, "Bad Gateway" }, { 503, "Service Unavailable" },
		{ 507, "Insufficient Storage" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].status == status)
			return texts[i].text;
	return "";
}

/* ---- paths and queries ---------------------------------------------- */

int cfs_path_encode(struct cfs_slice path, struct cfs_buf *out)
{
	cfs_percent_encode(path, CFS_UNRESERVED "!$&'()*+,;=:@/", out);
	return out->failed;
}

bool cfs_query_next(struct cfs_slice *query, struct cfs_slice *name,
		    struct cfs_slice *value)
{
	while (query->n > 0) {
		*value = cfs_slice_split(query, '&');
		if (value->n == 0)
			continue;
		*name = cfs_slice_split(value, '=');
		return true;
	}
	return false;
}

bool cfs_query_get(struct cfs_slice query, const char *name,
		   struct cfs_buf *out)
{
	struct cfs_slice n, value, wanted = cfs_slice_str(name);

	while (cfs_query_next(&query, &n, &value)) {
		if (cfs_slice_eq(n, wanted)) {
			cfs_percent_decode(value, true, out);
			return true;
		}
	}
	return false;
}

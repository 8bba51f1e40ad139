/* record.c - what parsed ARC and WARC records have in common.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "record.h"

#include "arc.h"
#include "digest.h"

/* A digest with its label. */
#define DIGEST_TEXT 256u

const char *cfs_record_type_name(enum cfs_record_type type)
{
	switch (type) {
	case CFS_RECORD_ARC: return "arc";
	case CFS_RECORD_RESPONSE: return "response";
	case CFS_RECORD_RESOURCE: return "resource";
	case CFS_RECORD_REVISIT: return "revisit";
	case CFS_RECORD_CONVERSION: return "conversion";
	default: return "other";
	}
}

void cfs_record_init(struct cfs_record *r)
{
	*r = (struct cfs_record){ 0 };
	r->all = r->head = r->block = r->url = r->ip = r->mime = r->http_head =
		r->status_line = r->stored_body = r->body = CFS_SLICE_EMPTY;
}

void cfs_record_release(struct cfs_record *r)
{
	cfs_fields_release(&r->warc);
	cfs_fields_release(&r->http);
	cfs_buf_release(&r->decoded);
}

int cfs_record_split_http(struct cfs_record *r, struct cfs_slice content,
			  struct cfs_slice *body)
{
	struct cfs_slice head;
	bool complete;
	size_t n;

	r->interim_bytes = cfs_http_interim_bytes(content);
	content = cfs_slice_from(content, r->interim_bytes);
	n = cfs_head_length(content, &complete);
	head = cfs_slice_take(&content, n);
	*body = content;
	if (n == 0)
		return CFS_OK;
	r->has_http = true;
	r->http_head = head;
	if (!cfs_head_line(&head, &r->status_line))
		r->status_line = head;
	r->status = cfs_http_status(r->status_line);
	return cfs_head_fields(r->http_head, &r->http);
}

bool cfs_record_body_is_cut(const struct cfs_record *r)
{
	bool marked;

	cfs_fields_get(&r->http, CFS_CC_TRUNCATED, &marked);
	return r->body_is_damaged && !marked &&
	       cfs_record_warc_field(r, "WARC-Truncated").n == 0;
}

bool cfs_record_has_all_of_body(const struct cfs_record *r)
{
	uint64_t n;

	return cfs_arc_identity_length(&r->http, &n) && n == r->stored_body.n;
}

bool cfs_record_may_be_page(enum cfs_record_type type)
{
	return type != CFS_RECORD_ARC_HEADER && type != CFS_RECORD_WARCINFO &&
	       type != CFS_RECORD_REQUEST && type != CFS_RECORD_METADATA;
}

bool cfs_record_ends_short(const struct cfs_record *r)
{
	return r->block.p + r->block.n == r->all.p + r->all.n &&
	       !cfs_record_has_all_of_body(r);
}

bool cfs_record_is_not_modified(const struct cfs_record *r)
{
	struct cfs_slice profile = cfs_record_warc_field(r, "WARC-Profile");

	if (cfs_slice_search_nocase(profile, CFS_SLICE_LIT(
					"identical-payload-digest")) >= 0)
		return false;
	return r->status == 304 || cfs_slice_search_nocase(profile,
			CFS_SLICE_LIT("server-not-modified")) >= 0;
}

void cfs_record_add_digest(const struct cfs_record *r, enum cfs_pages pages,
			   struct cfs_buf *out)
{
	struct cfs_slice stated = cfs_record_warc_field(r,
						"WARC-Payload-Digest");

	if (stated.n > 0)
		cfs_digest_add(out, stated);
	else if (r->type != CFS_RECORD_REVISIT && !r->is_cut)
		cfs_digest_add_sha1_of(out, r->stored_body, pages);
}

bool cfs_record_holds_payload(const struct cfs_record *r, enum cfs_pages pages)
{
	struct cfs_slice digest = cfs_record_warc_field(r,
						"WARC-Payload-Digest");
	CFS_BUF(found, DIGEST_TEXT);
	bool is_same;

	if (r->type != CFS_RECORD_REVISIT)
		return true;
	if (r->stored_body.n == 0 && cfs_record_is_not_modified(r))
		return false;
	if (digest.n == 0)
		return r->stored_body.n > 0 && cfs_record_has_all_of_body(r);
	is_same = cfs_digest_check(digest, r->stored_body, pages, &found) ==
		  CFS_DIGEST_SAME;
	cfs_buf_reset(&found);
	return is_same || (r->body_was_decoded && cfs_digest_check(
			     digest, r->body, pages, &found) ==
		     CFS_DIGEST_SAME);
}

bool cfs_record_states_charset(const struct cfs_record *r)
{
	static const char *const same[] = { "utf-8", "utf8", "us-ascii",
					    "ascii" };
	static const struct cfs_slice name = CFS_SLICE_LIT("charset=");
	struct cfs_slice s = cfs_record_warc_field(r, "Content-Type");
	ptrdiff_t at = cfs_slice_search_nocase(s, name);

	if ((r->type != CFS_RECORD_CONVERSION &&
	     r->type != CFS_RECORD_RESOURCE) || at < 0 ||
	    !cfs_slice_starts_nocase(s, CFS_SLICE_LIT("text/")))
		return false;
	s = cfs_slice_from(s, (size_t)at + name.n);
	if (s.n > 0 && (s.p[0] == '"' || s.p[0] == '\''))
		s = cfs_slice_from(s, 1);
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (cfs_slice_starts_nocase(s, cfs_slice_str(same[i])))
			return false;
	return s.n > 0;
}

/* ---- fields of a WARC header ---- */

struct cfs_slice cfs_record_warc_field(const struct cfs_record *r,
				       const char *name)
{
	return cfs_fields_get(&r->warc, name, NULL);
}

struct cfs_slice cfs_record_warc_uri(const struct cfs_record *r,
				     const char *name)
{
	struct cfs_slice s = cfs_record_warc_field(r, name);

	if (s.n >= 2 && s.p[0] == '<' && s.p[s.n - 1] == '>')
		return cfs_slice_trim(cfs_slice_sub(s, 1, s.n - 2));
	return s;
}

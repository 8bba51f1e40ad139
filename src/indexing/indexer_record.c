/* indexer_record.c - decides which records are indexed, and extracts their
 * data.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer_record.h"

#include "base/timestamp.h"
#include "codec/json.h"
#include "record/digest.h"
#include "url/urlref.h"

/* Milliseconds in the names of segments and ARC files: up to the year 2286. */
#define MS_MAX UINT64_C(9999999999999)

/* ---- captures ---- */

static bool kind_of(const struct cfs_record *r, enum cfs_kind *kind)
{
	switch (r->type) {
	case CFS_RECORD_ARC: *kind = CFS_KIND_ARC; return true;
	case CFS_RECORD_RESPONSE: *kind = CFS_KIND_RESPONSE; return true;
	case CFS_RECORD_RESOURCE: *kind = CFS_KIND_RESOURCE; return true;
	case CFS_RECORD_REVISIT: *kind = CFS_KIND_REVISIT; return true;
	case CFS_RECORD_CONVERSION: *kind = CFS_KIND_CONVERSION; return true;
	default: return false;
	}
}

bool cfs_indexer_is_page(const struct cfs_record *r)
{
	enum cfs_kind kind;

	return kind_of(r, &kind);
}

/* True for a text record that names the record whose text it is. */
static bool is_wet(const struct cfs_record *r)
{
	return r->type == CFS_RECORD_CONVERSION &&
	       cfs_slice_eq_nocase(r->mime, CFS_SLICE_LIT("text/plain")) &&
	       cfs_record_warc_field(r, "WARC-Refers-To").n > 0;
}

bool cfs_indexer_capture(const struct cfs_scan_item *item,
			 struct cfs_builder_capture *c)
{
	const struct cfs_record *r = item->record;

	*c = (struct cfs_builder_capture){
		.url = r->url, .time = r->time, .status = (uint16_t)r->status,
		.mime = r->mime,
		.span = item->span, .body_bytes = r->body.n,
		/* How much is missing of a body that was cut off is not
		 * known; nor is the size of a text as UTF-8. */
		.body_is_exact = !r->is_cut_off && !cfs_record_body_is_cut(r) &&
				 !(r->type == CFS_RECORD_CONVERSION &&
				   cfs_record_states_charset(r)),
		.is_segmented = r->segment > 0,
		.record_id = CFS_SLICE_EMPTY, .digest = CFS_SLICE_EMPTY,
		.refers_to = CFS_SLICE_EMPTY,
	};
	if (!kind_of(r, &c->kind) || !cfs_url_has_place(r->url))
		return false;
	if (r->format != CFS_ARCHIVE_WARC)
		return true;
	c->record_id = cfs_record_warc_field(r, "WARC-Record-ID");
	c->digest = cfs_record_warc_field(r, "WARC-Payload-Digest");
	if (c->digest.n == 0 && r->type == CFS_RECORD_RESOURCE)
		c->digest = cfs_record_warc_field(r, "WARC-Block-Digest");
	c->concurrent_to = cfs_record_warc_field(r, "WARC-Concurrent-To");
	if (r->type == CFS_RECORD_REVISIT || is_wet(r))
		c->refers_to = cfs_record_warc_field(r, "WARC-Refers-To");
	if (r->type == CFS_RECORD_REVISIT) {
		c->body_is_exact = false;	/* the body is another
						 * record's */
		c->body_bytes = 0;
	}
	return true;
}

static bool is_redirect(const struct cfs_builder_capture *c)
{
	return c->status >= 300 && c->status <= 399;
}

int cfs_indexer_line(const struct cfs_scan_item *item,
		     struct cfs_builder_capture *c, struct cfs_buf *digest,
		     struct cfs_buf *redirect)
{
	const struct cfs_record *r = item->record;
	struct cfs_url_base base;
	struct cfs_slice location;

	cfs_buf_reset(digest);
	if (r->format == CFS_ARCHIVE_WARC) {
		c->mime_detected = cfs_record_warc_field(r,
						"WARC-Identified-Payload-Type");
		c->truncated = cfs_record_warc_field(r, "WARC-Truncated");
	}
	if (c->digest.n == 0 && c->kind != CFS_KIND_REVISIT && !r->is_cut) {
		cfs_digest_add_sha1_of(digest, r->stored_body,
				       cfs_scan_pages(item));
		c->digest = cfs_buf_slice(digest);
	}
	location = cfs_fields_get(&r->http, "Location", NULL);
	if (location.n > 0 && is_redirect(c) &&
	    cfs_url_base_init(&base, c->url) &&
	    cfs_url_resolve(&base, location, redirect))
		c->redirect = cfs_buf_slice(redirect);
	return digest->failed == CFS_ENOMEM || redirect->failed == CFS_ENOMEM ?
	       CFS_ENOMEM : CFS_OK;
}

/* ---- related records ---- */

bool cfs_companion_of_page(const struct cfs_scan_item *item,
			   struct cfs_builder_annex *out)
{
	const struct cfs_record *r = item->record;

	*out = (struct cfs_builder_annex){ .is_related = true,
		.container = CFS_COMPANION_WARC, .span = item->span,
		.is_one_member = item->is_one_member,
		.bytes = r->block.n, .time = r->time };
	if (!cfs_related_record(r, &out->related))
		return false;
	if (out->related.what == CFS_RELATED_TEXT &&
	    cfs_record_states_charset(r))
		out->bytes = CFS_COMPANION_BYTES_UNKNOWN;
	out->url = out->related.url;
	out->record_id = cfs_record_warc_field(r, "WARC-Record-ID");
	if (out->related.what == CFS_RELATED_SEGMENT)
		out->refers_to = cfs_record_warc_field(r,
						"WARC-Segment-Origin-ID");
	else
		out->refers_to = cfs_record_warc_field(r, "WARC-Concurrent-To");
	if (out->refers_to.n == 0)
		out->refers_to = cfs_record_warc_field(r, "WARC-Refers-To");
	return true;
}

/* ---- metadata of 2012 ---- */

static uint64_t number(struct cfs_slice s, uint64_t max)
{
	uint64_t v = 0;

	return cfs_slice_parse_u64(s, max, &v) == CFS_OK ? v : 0;
}

bool cfs_companion_of_2012(struct cfs_slice json, struct cfs_builder_annex *out)
{
	enum { TIME, RESULT, DATE, PARITION, PARTITION, OFFSET, SEGMENT, N };
	static const char *const paths[N] = {
		"attempt_time", "http_result", "archiveInfo/arcFileDate",
		"archiveInfo/arcFileParition",	/* misspelt as published */
		"archiveInfo/arcFilePartition", "archiveInfo/arcFileOffset",
		"archiveInfo/arcSourceSegmentId" };
	struct cfs_slice v[N];
	uint64_t partition = 0;

	if (!cfs_json_pick(json, paths, N, v))
		return false;
	if (v[PARTITION].n == 0)
		v[PARTITION] = v[PARITION];
	if (cfs_slice_parse_u64(v[DATE], MS_MAX, &out->place_date_ms) !=
	    CFS_OK ||
	    cfs_slice_parse_u64(v[PARTITION], UINT32_MAX - 1, &partition) !=
	    CFS_OK || cfs_slice_parse_u64(v[OFFSET], INT64_MAX,
					  &out->place_offset) != CFS_OK)
		return false;
	out->has_place = true;
	out->place_partition = (uint32_t)partition;
	out->place_segment = number(v[SEGMENT], MS_MAX);
	out->time = (int64_t)(number(v[TIME], MS_MAX) / 1000);
	out->status = (uint16_t)number(v[RESULT], 999);
	out->is_meta = true;
	return true;
}

int64_t cfs_companion_file_time(const struct cfs_indexer_file *file)
{
	return file->segment != 0 ? (int64_t)(file->segment / 1000) :
				    file->mtime;
}

/* ---- WAT ---- */

bool cfs_companion_of_wat(const struct cfs_record *r, struct cfs_buf *url,
			  struct cfs_builder_annex *out)
{
	enum { FORMAT, TYPE, DATE, ARC_DATE, STATUS, N };
	static const char *const paths[N] = {
		"Envelope/Format",
		"Envelope/WARC-Header-Metadata/WARC-Type",
		"Envelope/WARC-Header-Metadata/WARC-Date",
		"Envelope/ARC-Header-Metadata/Date",
		"Envelope/Payload-Metadata/HTTP-Response-Metadata/"
		"Response-Message/Status" };
	struct cfs_slice v[N];
	struct cfs_time_reading time;

	if (r->type != CFS_RECORD_METADATA ||
	    !cfs_slice_eq_nocase(r->mime, CFS_SLICE_LIT("application/json")) ||
	    !cfs_json_pick(r->block, paths, N, v) ||
	    !(cfs_slice_eq_nocase(v[TYPE], CFS_SLICE_LIT("response")) ||
	      cfs_slice_eq_nocase(v[TYPE], CFS_SLICE_LIT("resource")) ||
	      cfs_slice_eq_nocase(v[FORMAT], CFS_SLICE_LIT("ARC"))))
		return false;
	*out = (struct cfs_builder_annex){ .url = cfs_wat_url(r, url) };
	out->is_meta = true;
	out->container = CFS_COMPANION_WARC;
	out->bytes = r->block.n;
	out->refers_to = cfs_record_warc_field(r, "WARC-Refers-To");
	if (v[DATE].n == 0)
		v[DATE] = v[ARC_DATE];
	out->time = cfs_time_read(v[DATE], &time) == CFS_OK ? time.time :
								 r->time;
	out->status = (uint16_t)number(v[STATUS], 999);
	return true;
}

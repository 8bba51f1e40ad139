/* related_record.c - recognizes related records by type and URL.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "related_record.h"

#include "codec/json.h"


static const struct {
	const char *begin;
	unsigned what;
	bool is_second;
} targets[] = {
	{ "urn:pageinfo:", CFS_RELATED_PAGEINFO, false },
	{ "urn:text:", CFS_RELATED_TEXT, false },
	{ "urn:textFinal:", CFS_RELATED_TEXT, true },
	{ "urn:view:", CFS_RELATED_VIEW, false },
	{ "screenshot:", CFS_RELATED_VIEW, true },
	{ "urn:thumbnail:", CFS_RELATED_THUMBNAIL, false },
	{ "thumbnail:", CFS_RELATED_THUMBNAIL, true },
	{ "urn:fullPage:", CFS_RELATED_FULLPAGE, false },
	{ "urn:fullPageFinal:", CFS_RELATED_FULLPAGE, true },
};

static const struct {
	const char *mime;
	enum cfs_related_form form;
} forms[] = {
	{ "image/png", CFS_RELATED_PNG },
	{ "image/jpeg", CFS_RELATED_JPEG },
	{ "image/jpg", CFS_RELATED_JPEG },
	{ "image/webp", CFS_RELATED_WEBP },
	{ "image/gif", CFS_RELATED_GIF },
	{ "application/pdf", CFS_RELATED_PDF },
};

static enum cfs_related_form form_of(struct cfs_slice mime)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (cfs_slice_eq_nocase(mime, cfs_slice_str(forms[i].mime)))
			return forms[i].form;
	return CFS_RELATED_OTHER;
}

bool cfs_related_resource(struct cfs_slice url, struct cfs_slice mime,
			  struct cfs_related_record *out)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		struct cfs_slice begin = cfs_slice_str(targets[i].begin);
		ptrdiff_t hash;

		if (!cfs_slice_starts_nocase(url, begin))
			continue;
		*out = (struct cfs_related_record){
			.what = targets[i].what,
			.is_second = targets[i].is_second,
			.form = (uint8_t)form_of(mime),
			.url = cfs_slice_from(url, begin.n) };
		/* URLs of captures have no fragment; a browser's address
		 * may. */
		hash = cfs_slice_find(out->url, '#');
		if (hash >= 0)
			out->url = cfs_slice_sub(out->url, 0, (size_t)hash);
		return cfs_url_has_place(out->url);
	}
	return false;
}

/* Only the last segment of a record states the total length. */
static bool related_record_is_segment(const struct cfs_record *r,
				      struct cfs_related_record *out)
{
	if (r->segment < 2 || r->segment > CFS_SEGMENTS_MAX + 1)
		return false;
	*out = (struct cfs_related_record){ .url = r->url,
		.what = CFS_RELATED_SEGMENT, .segment = (uint8_t)r->segment,
		.form = cfs_record_warc_field(r,
				"WARC-Segment-Total-Length").n > 0 };
	return cfs_url_has_place(r->url);
}

static bool is_wat_record(const struct cfs_record *r)
{
	static const char *const path[] = { "Envelope/Format" };
	struct cfs_slice v;

	return r->type == CFS_RECORD_METADATA &&
	       cfs_slice_eq_nocase(r->mime,
				   CFS_SLICE_LIT("application/json")) &&
	       (cfs_record_warc_field(r, "WARC-Refers-To").n > 0 ||
		(cfs_json_pick(r->block, path, 1, &v) && v.n > 0));
}

struct cfs_slice cfs_wat_url(const struct cfs_record *r, struct cfs_buf *out)
{
	static const char *const paths[] = {
		"Envelope/WARC-Header-Metadata/WARC-Target-URI",
		"Envelope/ARC-Header-Metadata/Target-URI" };
	struct cfs_slice v[2];

	if (r->url.n > 0 || r->type != CFS_RECORD_METADATA ||
	    !cfs_json_pick(r->block, paths, 2, v))
		return r->url;
	cfs_buf_reset(out);
	return cfs_json_add_text(out, (struct cfs_json_text){
			v[0].n > 0 ? v[0] : v[1], true }) == CFS_OK ?
	       cfs_buf_slice(out) : CFS_SLICE_EMPTY;
}

bool cfs_related_record(const struct cfs_record *r,
			struct cfs_related_record *out)
{
	switch (r->type) {
	case CFS_RECORD_REQUEST:
	case CFS_RECORD_METADATA:
		*out = (struct cfs_related_record){ .url = r->url,
			.what = r->type == CFS_RECORD_REQUEST ?
				CFS_RELATED_REQUEST : CFS_RELATED_METADATA };
		/* a WAT record describes a record, not a page */
		return cfs_url_has_place(r->url) && !is_wat_record(r);
	case CFS_RECORD_RESOURCE:
	case CFS_RECORD_CONVERSION:
		return cfs_related_resource(r->url, r->mime, out);
	case CFS_RECORD_CONTINUATION:
		return related_record_is_segment(r, out);
	default:
		return false;
	}
}

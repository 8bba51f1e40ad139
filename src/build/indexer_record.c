/* indexer_record.c - which records get into an index, and what it keeps of
 * them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer_record.h"

#include "indexer_sides.h"

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

bool cfs_indexer_is_web(struct cfs_slice url)
{
	return cfs_slice_starts_nocase(url, CFS_SLICE_LIT("http:")) ||
	       cfs_slice_starts_nocase(url, CFS_SLICE_LIT("https:")) ||
	       cfs_slice_starts_nocase(url, CFS_SLICE_LIT("ftp:"));
}

bool cfs_indexer_capture(const struct cfs_scan_item *item,
			 struct cfs_builder_capture *c)
{
	const struct cfs_record *r = item->record;

	*c = (struct cfs_builder_capture){
		.url = r->url, .time = r->time, .status = (uint16_t)r->status,
		.mime = r->mime,
		.span = item->span, .body_bytes = r->body.n, .body_is_exact = true,
		.record_id = CFS_SLICE_EMPTY, .digest = CFS_SLICE_EMPTY,
		.refers_to = CFS_SLICE_EMPTY,
	};
	if (!kind_of(r, &c->kind) || !cfs_indexer_is_web(r->url))
		return false;
	if (r->format != CFS_ARCHIVE_WARC)
		return true;
	c->record_id = cfs_record_warc_field(r, "WARC-Record-ID");
	c->digest = cfs_record_warc_field(r, "WARC-Payload-Digest");
	if (r->type == CFS_RECORD_REVISIT || cfs_side_is_wet(r))
		c->refers_to = cfs_record_warc_field(r, "WARC-Refers-To");
	if (r->type == CFS_RECORD_REVISIT) {
		c->body_is_exact = false;	/* that of another */
		c->body_bytes = 0;
	}
	return true;
}

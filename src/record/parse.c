/* parse.c - parses one record: recognises its format, calls its parser, undoes
 * the encodings of the body.
 *
 * Formats: arc.c, warc.c.  Heads: http_head.c.  Encodings: body.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parse.h"

#include "arc.h"
#include "body.h"
#include "warc.h"

/* ---- where records begin ---- */

bool cfs_record_is_start(struct cfs_slice s)
{
	struct cfs_slice line;

	s = cfs_slice_from(s, cfs_head_newlines(s));
	s = cfs_slice_sub(s, 0, CFS_ARC_LINE_MAX);
	return cfs_head_line(&s, &line) &&
	       (cfs_warc_is_version_line(line) || cfs_arc_is_header_line(line));
}

size_t cfs_record_find_start(struct cfs_slice s, enum cfs_archive_format format,
			     size_t *from_line)
{
	return cfs_head_find_line(s, format == CFS_ARCHIVE_WARC ?
				  cfs_warc_is_version_line :
				  cfs_arc_is_header_line, from_line);
}

static int measure_arc(struct cfs_slice line, struct cfs_record_shape *out,
		       struct cfs_error *err)
{
	struct cfs_arc_line arc;

	if (!cfs_arc_line_parse(line, &arc) || !arc.is_header)
		return cfs_error_set(err, CFS_EFORMAT, "no record begins here");
	out->format = CFS_ARCHIVE_ARC;
	out->has_declared = arc.has_length;
	out->declared = arc.length;
	return CFS_OK;
}

static int measure_warc(struct cfs_slice s, struct cfs_record_shape *out,
			struct cfs_error *err)
{
	struct cfs_fields f;
	bool complete;

	out->format = CFS_ARCHIVE_WARC;
	out->head_bytes = cfs_head_length(s, &complete);
	if (!complete)
		return s.n < CFS_HEAD_MAX ? CFS_END :
		       cfs_error_set(err, CFS_ELIMIT,
				     "WARC header does not end within %u bytes",
				     CFS_HEAD_MAX);
	if (cfs_head_fields(cfs_slice_sub(s, 0, out->head_bytes), &f) != CFS_OK)
		return cfs_error_nomem(err);
	out->has_declared = cfs_slice_parse_u64(
				cfs_fields_get(&f, "Content-Length", NULL),
				UINT64_MAX / 2, &out->declared) == CFS_OK;
	cfs_fields_release(&f);
	return CFS_OK;
}

int cfs_record_measure(struct cfs_slice bytes, struct cfs_record_shape *out,
		       struct cfs_error *err)
{
	struct cfs_slice s, rest, line;

	*out = (struct cfs_record_shape){ .skip = cfs_head_newlines(bytes) };
	rest = s = cfs_slice_from(bytes, out->skip);
	if (!cfs_head_line(&rest, &line))
		return s.n < CFS_ARC_LINE_MAX ? CFS_END :
		       cfs_error_set(err, CFS_EFORMAT, "no record begins here");
	out->head_bytes = s.n - rest.n;
	return cfs_warc_is_version_line(line) ? measure_warc(s, out, err) :
						measure_arc(line, out, err);
}

/* ---- parsing ---- */

static int decode_body(struct cfs_record *r,
		       const struct cfs_record_limits *limits,
		       struct cfs_error *err)
{
	uint64_t max = limits != NULL && limits->max_body_bytes > 0 ?
		       limits->max_body_bytes : CFS_RECORD_MAX_DEFAULT;
	struct cfs_body_result res;
	int rc;

	if (max > SIZE_MAX / 2)
		max = SIZE_MAX / 2;
	if (!r->has_http || r->stored_body.n == 0)
		return CFS_OK;
	rc = cfs_body_decode(r->stored_body, &r->http, r->is_cut, (size_t)max,
			     limits != NULL ? limits->spill_dir : NULL, &res,
			     err);
	if (rc != CFS_OK || (res.own.p == NULL && !res.is_damaged)) {
		cfs_buf_release(&res.own);
		return rc;
	}
	r->decoded = res.own;
	r->body = cfs_buf_slice(&r->decoded);
	r->body_was_decoded = true;
	r->body_is_damaged = res.is_damaged;
	return CFS_OK;
}

static int set_body(struct cfs_record *r,
		    const struct cfs_record_limits *limits,
		    struct cfs_error *err)
{
	bool is_spilled = limits != NULL && limits->spill_dir != NULL;
	int rc;

	r->body = r->stored_body;
	rc = decode_body(r, limits, err);
	r->body_is_elsewhere = !cfs_record_holds_payload(
			r, is_spilled ? CFS_PAGES_RELEASED : CFS_PAGES_STAY);
	if (r->body_is_elsewhere)
		r->body = CFS_SLICE_EMPTY;
	return rc;
}

int cfs_record_parse(struct cfs_record *r, struct cfs_slice bytes,
		     unsigned flags, const struct cfs_record_limits *limits,
		     uint64_t *used, struct cfs_error *err)
{
	size_t skip = cfs_head_newlines(bytes), n = 0;
	struct cfs_slice s = cfs_slice_from(bytes, skip), rest = s, line;
	int rc;

	cfs_record_init(r);
	if (cfs_head_line(&rest, &line) && cfs_warc_is_version_line(line))
		rc = cfs_warc_parse(r, s, flags, &n, err);
	else
		rc = cfs_arc_parse(r, s, (flags & CFS_PARSE_COMMON_CRAWL) != 0,
				   &n, err);
	if (rc == CFS_OK) {
		r->all = cfs_slice_sub(bytes, 0, skip + n);
		r->body_is_elsewhere = r->type == CFS_RECORD_REVISIT;
		if ((flags & CFS_PARSE_HEAD_ONLY) == 0)
			rc = set_body(r, limits, err);
	}
	if (rc != CFS_OK)
		cfs_record_release(r);
	if (used != NULL)
		*used = rc == CFS_OK ? skip + n : 0;
	return rc;
}

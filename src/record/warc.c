/* warc.c - parses WARC records: version, fields, empty line, block, line ends.
 *
 * Spec: ISO 28500:2017 (1.1), ISO 28500:2009 (1.0) and the drafts 0.17 and
 * 0.18; doc/formats.md, "WARC records".
 *     record = version CRLF *(field CRLF) CRLF block CRLF CRLF
 *     block  = exactly Content-Length bytes, any values
 * Also accepted: "warc/" in any case, LF or CR CR LF as a line end, folded
 * fields, URIs in angle brackets, blanks in URIs, no Content-Type, any number
 * of line ends behind the block.  A record without a usable length, or with one
 * that exceeds the bytes given, ends with these bytes, and its body before the
 * two line ends at their end.  So does a body if the record's length counts
 * the two line ends, as the HTTP Content-Length shows.
 *
 * CC-MAIN-2018-34 has an extra CRLF between HTTP head and body, and a
 * Content-Length that does not count it.  This is assumed for a record of
 * August or September 2018 whose block is followed by exactly two bytes,
 * CRLF CRLF and the end of the member (other writers put 4 bytes there),
 * whose body begins with CRLF, and whose HTTP Content-Length is that of the
 * body without it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "warc.h"

#include "arc.h"
#include "base/ascii.h"
#include "base/mime.h"
#include "base/timestamp.h"

/* "WARC/1.1" and some room for later versions. */
#define VERSION_LINE_MAX 16u

bool cfs_warc_is_version_line(struct cfs_slice line)
{
	return line.n > 5 && line.n <= VERSION_LINE_MAX &&
	       cfs_slice_starts_nocase(line, CFS_SLICE_LIT("WARC/")) &&
	       cfs_is_digit(line.p[5]);
}

static enum cfs_record_type type_of(struct cfs_slice name)
{
	static const struct {
		const char *name;
		enum cfs_record_type type;
	} types[] = {
		{ "response", CFS_RECORD_RESPONSE },
		{ "request", CFS_RECORD_REQUEST },
		{ "metadata", CFS_RECORD_METADATA },
		{ "revisit", CFS_RECORD_REVISIT },
		{ "resource", CFS_RECORD_RESOURCE },
		{ "conversion", CFS_RECORD_CONVERSION },
		{ "warcinfo", CFS_RECORD_WARCINFO },
		{ "continuation", CFS_RECORD_CONTINUATION },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (cfs_slice_eq_nocase(name, cfs_slice_str(types[i].name)))
			return types[i].type;
	return CFS_RECORD_UNKNOWN;
}

static void set_time(struct cfs_record *r)
{
	struct cfs_time_reading date;

	if (cfs_time_read(cfs_record_warc_field(r, "WARC-Date"), &date) !=
	    CFS_OK)
		return;
	r->has_time = true;
	r->time_is_odd = !date.is_whole;
	r->time = date.time;
	r->time_ms = date.time * 1000 + date.ms;
}

static bool is_web(struct cfs_slice url)
{
	return cfs_slice_starts_nocase(url, CFS_SLICE_LIT("http:")) ||
	       cfs_slice_starts_nocase(url, CFS_SLICE_LIT("https:"));
}

/* True if the block is an HTTP response: its type says so, or is absent.  By
 * section 6.3.2 of the standard all responses to HTTP are, whatever type some
 * software states for them (that of the body, message/http). */
static bool holds_http(const struct cfs_record *r)
{
	struct cfs_slice type = cfs_record_warc_field(r, "Content-Type");

	if (r->type != CFS_RECORD_RESPONSE && r->type != CFS_RECORD_REVISIT)
		return false;
	if (type.n == 0 || cfs_slice_starts_nocase(type,
					CFS_SLICE_LIT("application/http")))
		return cfs_http_is_response(r->block);
	return is_web(r->url) && cfs_http_is_status_line(r->block);
}

/* 2018-08-01 and 2018-10-01, 00:00:00 UTC. */
#define CRLF_FROM 1533081600
#define CRLF_TO   1538352000

/* Removes the extra CRLF of CC-MAIN-2018-34 (see above). */
static void mend_extra_crlf(struct cfs_record *r, struct cfs_slice after,
			    size_t *used)
{
	struct cfs_slice body = r->stored_body;
	uint64_t n;

	if (after.n != 6 || !r->has_time || r->time < CRLF_FROM ||
	    r->time >= CRLF_TO ||
	    !cfs_slice_ends(after, CFS_SLICE_LIT("\r\n\r\n")) ||
	    !cfs_slice_starts(body, CFS_SLICE_LIT("\r\n")) ||
	    cfs_slice_parse_u64(cfs_fields_get_last(&r->http, "Content-Length",
						    NULL),
				SIZE_MAX / 2, &n) != CFS_OK || n != body.n)
		return;
	r->block.n += 2;
	r->stored_body = cfs_slice_of(body.p + 2, body.n);
	*used = (size_t)(after.p - r->head.p) + after.n;
}

/* Bytes of the line ends (as in the record's header) that end a record at the
 * end of s. */
static size_t separator(const struct cfs_record *r, struct cfs_slice s)
{
	if (cfs_slice_ends(s, CFS_SLICE_LIT("\r\n\r\n")))
		return 4;
	return cfs_slice_ends(r->head, CFS_SLICE_LIT("\n\n")) &&
	       cfs_slice_ends(s, CFS_SLICE_LIT("\n\n")) ? 2 : 0;
}

/* Removes the line ends that end the record from a body that extends to the end
 * of the bytes. */
static void cut_separator(struct cfs_record *r, bool has_length, bool at_end)
{
	size_t n = separator(r, r->stored_body);
	uint64_t body;

	if (!at_end || n == 0)
		return;
	if (has_length && r->declared_bytes <= r->block.n &&
	    (!cfs_arc_identity_length(&r->http, &body) ||
	     body + n != r->stored_body.n))
		return;
	r->block.n -= n;
	r->stored_body.n -= n;
	if (cfs_record_has_all_of_body(r))
		r->is_cut = false;
}

/* Removes from a body the beginning of the separator between records, if the
 * record's length counts that and the HTTP head's does not. */
static void cut_part_of_separator(struct cfs_record *r, struct cfs_slice after)
{
	struct cfs_slice s = r->stored_body, whole = CFS_SLICE_LIT("\r\n\r\n");
	uint64_t body;
	size_t n;

	if (!cfs_arc_identity_length(&r->http, &body) || body >= s.n ||
	    s.n - body >= whole.n)
		return;
	n = (size_t)(s.n - body);
	if (!cfs_slice_eq(cfs_slice_from(s, (size_t)body),
			  cfs_slice_sub(whole, 0, n)) ||
	    !cfs_slice_starts(after, cfs_slice_from(whole, n)))
		return;
	r->block.n -= n;
	r->stored_body.n -= n;
}

/* Sets the block, and *used, the length of the record.  False if the header has
 * no usable length. */
static bool cut_block(struct cfs_record *r, struct cfs_slice s, size_t head_n,
		      size_t *used)
{
	struct cfs_slice rest = cfs_slice_from(s, head_n);
	uint64_t n;

	if (cfs_slice_parse_u64(cfs_record_warc_field(r, "Content-Length"),
				UINT64_MAX / 2, &n) != CFS_OK) {
		r->block = rest;
		*used = s.n;
		return false;
	}
	r->declared_bytes = n;
	r->block = cfs_slice_sub(rest, 0, n > rest.n ? rest.n : (size_t)n);
	rest = cfs_slice_from(rest, r->block.n);
	*used = s.n - rest.n + cfs_head_newlines(rest);
	r->is_cut = n > r->block.n;
	return true;
}

/* Makes everything behind the header the block. */
static bool join_block(struct cfs_record *r, struct cfs_slice s, size_t head_n,
		       size_t *used)
{
	r->block = cfs_slice_from(s, head_n);
	r->declared_bytes = r->block.n;
	*used = s.n;
	return true;
}

/* ISO 28500, section 7.  A total length that equals the block's is that of a
 * record with only this segment. */
static void set_segment(struct cfs_record *r)
{
	uint64_t number, total;

	if (cfs_slice_parse_u64(cfs_record_warc_field(r, "WARC-Segment-Number"),
				UINT32_MAX, &number) != CFS_OK ||
	    (cfs_slice_parse_u64(cfs_record_warc_field(r,
				 "WARC-Segment-Total-Length"), UINT64_MAX,
				 &total) == CFS_OK && total == r->block.n))
		return;
	r->segment = (uint32_t)number;
	r->is_cut = r->is_cut || number > 0;
}

int cfs_warc_parse(struct cfs_record *r, struct cfs_slice s, unsigned flags,
		   size_t *used, struct cfs_error *err)
{
	struct cfs_slice after, value;
	size_t head_n;
	bool complete, has_length;

	head_n = cfs_head_length(s, &complete);
	if (!complete)
		return cfs_error_set(err, CFS_EFORMAT,
				     "WARC header does not end");
	r->format = CFS_ARCHIVE_WARC;
	r->head = cfs_slice_sub(s, 0, head_n);
	if (cfs_head_fields(r->head, &r->warc) != CFS_OK)
		return cfs_error_nomem(err);
	r->type = type_of(cfs_record_warc_field(r, "WARC-Type"));
	r->url = cfs_record_warc_uri(r, "WARC-Target-URI");
	r->ip = cfs_record_warc_field(r, "WARC-IP-Address");
	r->mime = cfs_mime_type(cfs_record_warc_field(r, "Content-Type"));
	set_time(r);
	if (flags & CFS_PARSE_JOINED)
		has_length = join_block(r, s, head_n, used);
	else
		has_length = cut_block(r, s, head_n, used);
	after = cfs_slice_from(s, head_n + r->block.n);
	r->stored_body = r->block;
	if (holds_http(r) &&
	    cfs_record_split_http(r, r->block, &r->stored_body) != CFS_OK)
		return cfs_error_nomem(err);
	if (!(flags & CFS_PARSE_JOINED))
		cut_separator(r, has_length, after.n == 0);
	if (r->has_http) {
		r->mime = cfs_http_type(&r->http, &value);
		cut_part_of_separator(r, after);
		mend_extra_crlf(r, after, used);
	}
	if (!(flags & CFS_PARSE_WHOLE))
		set_segment(r);
	if (cfs_record_warc_field(r, "WARC-Truncated").n > 0 &&
	    r->type != CFS_RECORD_REVISIT)
		r->is_cut = true;
	return CFS_OK;
}

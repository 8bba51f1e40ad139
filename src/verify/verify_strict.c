/* verify_strict.c - what the standards demand of a record, beyond that it is
 * whole.
 *
 * Specs: ISO 28500:2017, 5 (named fields; 5.2 to 5.7 those that every record
 * has, 5.13 and 5.17 to 5.19 those of some types) and 6; its edition of 2009,
 * of which WARC/1.0 is, for dates; RFC 9112, 4 and 6.2 for HTTP.
 *
 *     field        one that is demanded is missing, one is there twice that may
 *                  be there once, or a line is no field
 *     date         WARC-Date is no date of the standard
 *     digest       a digest by an algorithm that is not known here
 *     http         a block that is declared as HTTP does not begin so
 *     http-length  a body has other bytes than its Content-Length says, and no
 *                  truncation is declared
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/ascii.h"
#include "base/timestamp.h"

#define BIT(type) (1u << CFS_RECORD_##type)
#define OF_URL (BIT(RESPONSE) | BIT(RESOURCE) | BIT(REQUEST) | \
		BIT(REVISIT) | BIT(CONVERSION) | BIT(CONTINUATION))

/* The fields that a record may have once. */
static const struct field_rule {
	const char *name;
	unsigned demanded;		/* of these types, as bits; ~0u: all */
} fields[] = {
	{ "WARC-Type", ~0u },
	{ "WARC-Record-ID", ~0u },
	{ "WARC-Date", ~0u },
	{ "Content-Length", ~0u },
	{ "WARC-Target-URI", OF_URL },
	{ "WARC-Profile", BIT(REVISIT) },
	{ "WARC-Segment-Number", BIT(CONTINUATION) },
	{ "WARC-Segment-Origin-ID", BIT(CONTINUATION) },
	{ "Content-Type", 0 },
	{ "WARC-Block-Digest", 0 },
	{ "WARC-Payload-Digest", 0 },
	{ "WARC-IP-Address", 0 },
	{ "WARC-Refers-To", 0 },
	{ "WARC-Refers-To-Target-URI", 0 },
	{ "WARC-Refers-To-Date", 0 },
	{ "WARC-Truncated", 0 },
	{ "WARC-Warcinfo-ID", 0 },
	{ "WARC-Filename", 0 },
	{ "WARC-Identified-Payload-Type", 0 },
	{ "WARC-Segment-Total-Length", 0 },
};

struct strict {
	struct cfs_verify_part *p;
	const struct cfs_scan_item *item;
	const struct cfs_record *r;
};

static void found(const struct strict *s, const char *kind,
		  struct cfs_slice expected, struct cfs_slice value)
{
	cfs_verify_record_found(s->p, s->item, kind, expected, value);
}

/* ---- the header ---------------------------------------------------------- */

static unsigned times(const struct cfs_record *r, struct cfs_slice name)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->warc.n; i++)
		n += cfs_slice_eq_nocase(r->warc.v[i].name, name);
	return n;
}

static void check_fields(const struct strict *s)
{
	char text[80];

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const struct field_rule *rule = &fields[i];
		unsigned n = times(s->r, cfs_slice_str(rule->name));

		if (n == 1 || (n == 0 &&
			       (rule->demanded & 1u << s->r->type) == 0))
			continue;
		snprintf(text, sizeof(text), "%s is %s", rule->name,
			 n == 0 ? "missing" : "there more than once");
		found(s, "field", CFS_SLICE_EMPTY, cfs_slice_str(text));
	}
}

/* Reports the first line that is neither a field nor the rest of one. */
static void check_lines(const struct strict *s)
{
	struct cfs_slice rest = s->r->head, line;

	cfs_slice_split(&rest, '\n');		/* the version */
	while (rest.n > 0) {
		line = cfs_slice_trim(cfs_slice_split(&rest, '\n'));
		if (line.n == 0 || cfs_slice_find(line, ':') > 0)
			continue;
		if (line.p[-1] == ' ' || line.p[-1] == '\t')
			continue;		/* folded */
		found(s, "field", CFS_SLICE_EMPTY,
		      CFS_SLICE_LIT("a line of the header is no field"));
		return;
	}
}

/* An id is a URI in angle brackets. */
static void check_id(const struct strict *s)
{
	struct cfs_slice id = cfs_record_warc_field(s->r, "WARC-Record-ID");

	if (id.n > 0 && (id.n < 4 || id.p[0] != '<' || id.p[id.n - 1] != '>' ||
			 cfs_slice_find(id, ':') < 2 ||
			 cfs_slice_find(id, ' ') >= 0))
		found(s, "field", CFS_SLICE_LIT("<URI>"), id);
}

/* WARC/1.0 has YYYY-MM-DDThh:mm:ssZ; later versions allow fewer fields and
 * fractions of seconds. */
static void check_date(const struct strict *s)
{
	struct cfs_slice date = cfs_record_warc_field(s->r, "WARC-Date");
	bool is_1_0 = cfs_slice_starts(s->r->head, CFS_SLICE_LIT("WARC/1.0"));
	struct cfs_time_reading time;

	if (date.n == 0)
		return;
	if (cfs_time_read_iso(date, &time) != CFS_OK || !time.is_whole ||
	    cfs_slice_find(date, ' ') >= 0 ||
	    (date.n > 10 && date.p[date.n - 1] != 'Z') ||
	    (is_1_0 && date.n != CFS_TIME_ISO_BYTES - 1))
		found(s, "date", CFS_SLICE_LIT("YYYY-MM-DDThh:mm:ssZ"), date);
}

static void check_digest(const struct strict *s, const char *name)
{
	struct cfs_slice digest = cfs_record_warc_field(s->r, name);
	CFS_BUF(none, CFS_VERIFY_DIGEST_MAX);

	if (digest.n == 0)
		return;
	if (cfs_digest_check(digest, CFS_SLICE_EMPTY, CFS_PAGES_STAY, &none) ==
	    CFS_DIGEST_UNKNOWN)
		found(s, "digest",
		      CFS_SLICE_LIT("an algorithm that is known here"), digest);
}

/* ---- HTTP ---------------------------------------------------------------- */

/* True for METHOD SP TARGET SP HTTP/... */
static bool is_request_line(struct cfs_slice block)
{
	struct cfs_slice line = cfs_slice_split(&block, '\n');
	struct cfs_slice method = cfs_slice_split(&line, ' ');
	struct cfs_slice target = cfs_slice_split(&line, ' ');

	return method.n > 0 && target.n > 0 &&
	       cfs_slice_starts(line, CFS_SLICE_LIT("HTTP/"));
}

static void check_head(const struct strict *s)
{
	struct cfs_slice block = s->r->block;
	bool is_right = s->r->has_http && s->r->status > 0;

	if (s->r->type == CFS_RECORD_REQUEST)
		is_right = is_request_line(block);
	else if (s->r->type != CFS_RECORD_RESPONSE)
		return;
	if (cfs_verify_declares_http(s->r) && !is_right && s->r->segment <= 1)
		found(s, "http", CFS_SLICE_LIT("a head of HTTP"),
		      cfs_slice_sub(block, 0, 40));
}

/* The bodies of 204 and 304 have no bytes, whatever length is named. */
static void check_http_length(const struct strict *s)
{
	const struct cfs_record *r = s->r;
	struct cfs_slice declared = cfs_fields_get(&r->http,
						   "Content-Length", NULL);
	uint64_t bytes;
	char text[24];

	if (r->type == CFS_RECORD_REVISIT || !r->has_http || r->segment > 0 ||
	    r->is_cut || r->status == 204 || r->status == 304)
		return;
	if (cfs_fields_get(&r->http, "Transfer-Encoding", NULL).n > 0 ||
	    cfs_slice_parse_u64(declared, INT64_MAX, &bytes) != CFS_OK ||
	    bytes == r->stored_body.n)
		return;
	snprintf(text, sizeof(text), "%zu", r->stored_body.n);
	found(s, "http-length", declared, cfs_slice_str(text));
}

void cfs_verify_strict(struct cfs_verify_part *p,
		       const struct cfs_scan_item *item)
{
	const struct strict s = { p, item, item->record };

	if (s.r->type == CFS_RECORD_ARC_HEADER)
		return;
	if (s.r->format == CFS_ARCHIVE_WARC) {
		check_fields(&s);
		check_lines(&s);
		check_id(&s);
		check_date(&s);
		check_digest(&s, "WARC-Block-Digest");
		check_digest(&s, "WARC-Payload-Digest");
		check_head(&s);
	} else if (!s.r->has_time || s.r->time_is_odd) {
		found(&s, "date", CFS_SLICE_LIT("YYYYMMDDhhmmss"),
		      CFS_SLICE_LIT("no valid date"));
	}
	check_http_length(&s);
}

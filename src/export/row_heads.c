/* row_heads.c - makes the values of a row that URL, record header and HTTP head
 * say, without the body.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "row_internal.h"

#include <stdio.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "summary/suffixes.h"
#include "url/surt.h"
#include "url/urlref.h"

/* ---- the place ----------------------------------------------------------- */

void cfs_row_put_name(struct cfs_export_row *r, enum cfs_export_field f,
		      struct cfs_slice s)
{
	struct cfs_buf shown;

	if (!cfs_utf8_is_valid(s)) {
		cfs_buf_init(&shown, r->made[f].max);
		cfs_utf8_add_percent(&shown, s, -1);
		cfs_buf_release(&r->made[f]);	/* s may be in it */
		r->made[f] = shown;
		s = cfs_buf_slice(&r->made[f]);
	}
	cfs_export_row_set(r, f, s);
}

/* Sets the host of a URL, in ASCII if it is a name of many alphabets, and its
 * registered domain. */
static void put_host(struct cfs_export_row *r, cfs_export_set set,
		     struct cfs_slice url)
{
	struct cfs_buf *made = &r->made[CFS_EXPORT_HOST];
	struct cfs_slice host;
	struct cfs_url u;

	if (cfs_url_parse_any(url, &u) != CFS_OK || u.host.n == 0 ||
	    cfs_buf_add_lower(made, cfs_url_trim_host(u.host)) != CFS_OK)
		return;
	cfs_surt_ascii_host(made);
	host = cfs_buf_slice(made);
	if (set & CFS_EXPORT_BIT(CFS_EXPORT_DOMAIN) && cfs_utf8_is_valid(host)
	    && cfs_suffixes_registered(&host))
		cfs_export_row_set(r, CFS_EXPORT_DOMAIN, host);
	if (set & CFS_EXPORT_BIT(CFS_EXPORT_HOST))
		cfs_row_put_name(r, CFS_EXPORT_HOST, cfs_buf_slice(made));
}

void cfs_export_row_place(struct cfs_export_row *r, cfs_export_set set,
			  struct cfs_slice url, struct cfs_slice archive,
			  uint64_t offset, uint64_t length)
{
	struct cfs_buf *surt = &r->made[CFS_EXPORT_SURT];

	if ((set & CFS_EXPORT_BIT(CFS_EXPORT_SURT)) &&
	    cfs_surt_encode(url, surt) == CFS_OK)
		cfs_row_put_name(r, CFS_EXPORT_SURT, cfs_buf_slice(surt));
	if (r->made[CFS_EXPORT_HOST].n == 0 &&
	    (set & (CFS_EXPORT_BIT(CFS_EXPORT_HOST) |
		    CFS_EXPORT_BIT(CFS_EXPORT_DOMAIN))) != 0)
		put_host(r, set, url);
	/* the URL may lie where its escaped form is made, so it comes last */
	if ((set & CFS_EXPORT_BIT(CFS_EXPORT_URL)) && url.n > 0)
		cfs_row_put_name(r, CFS_EXPORT_URL, url);
	if (set & CFS_EXPORT_BIT(CFS_EXPORT_ARCHIVE))
		cfs_row_put_name(r, CFS_EXPORT_ARCHIVE, archive);
	if (set & CFS_EXPORT_BIT(CFS_EXPORT_OFFSET))
		cfs_export_row_set_number(r, CFS_EXPORT_OFFSET, offset);
	if ((set & CFS_EXPORT_BIT(CFS_EXPORT_LENGTH)) && length > 0)
		cfs_export_row_set_number(r, CFS_EXPORT_LENGTH, length);
}

/* ---- the record ---------------------------------------------------------- */

/* The digits of the fraction of a date, which may have nine; empty if it has
 * none, or if the reader of dates saw others than these milliseconds. */
static struct cfs_slice fraction_of(struct cfs_slice s, int64_t of_second_ms)
{
	ptrdiff_t point = cfs_slice_find(s, '.');
	int64_t ms = 0, unit = 100;
	size_t n = 0;

	s = cfs_slice_from(s, point < 0 ? s.n : (size_t)point + 1);
	for (; n < s.n && n < CFS_EXPORT_TIME_DIGITS && cfs_is_digit(s.p[n]);
	     n++, unit /= 10)
		ms += (s.p[n] - '0') * unit;
	return cfs_slice_sub(s, 0, ms == of_second_ms ? n : 0);
}

/* Writes a time with the fraction of the second, without zeros at its end, that
 * the date it was read from has. */
static void put_time(struct cfs_slice date, int64_t t, int64_t ms,
		     char time[CFS_EXPORT_TIME_BYTES])
{
	struct cfs_slice digits = fraction_of(date, ms);
	char text[4];

	cfs_time_format_iso(t, time);
	if (digits.n == 0 && ms > 0 && ms < 1000) {
		snprintf(text, sizeof(text), "%03d", (int)ms);
		digits = cfs_slice_str(text);
	}
	while (digits.n > 0 && digits.p[digits.n - 1] == '0')
		digits.n--;
	if (digits.n > 0)
		snprintf(time + CFS_TIME_ISO_BYTES - 2,
			 CFS_EXPORT_TIME_DIGITS + 3, ".%.*sZ",
			 (int)digits.n, (const char *)digits.p);
}

static void fill_time(const struct cfs_row_input *i)
{
	if (!i->r->has_time)
		return;
	put_time(cfs_record_warc_field(i->r, "WARC-Date"), i->r->time,
		 i->r->time_ms - i->r->time * 1000, i->row->time);
	cfs_export_row_set(i->row, CFS_EXPORT_TIMESTAMP,
			   cfs_slice_str(i->row->time));
}

static const struct cfs_record *head_of(const struct cfs_row_input *i)
{
	return i->r->has_http ? i->r : cfs_view_body_of(i->in);
}

static void fill_http(const struct cfs_row_input *i)
{
	const struct cfs_record *head = head_of(i);

	if (cfs_row_wants(i, CFS_EXPORT_STATUS) && head->status > 0)
		cfs_export_row_set_number(i->row, CFS_EXPORT_STATUS,
					  head->status);
	if (cfs_row_wants(i, CFS_EXPORT_MIME) && head->mime.n > 0)
		cfs_export_row_set(i->row, CFS_EXPORT_MIME, head->mime);
	if (!cfs_row_wants(i, CFS_EXPORT_HEADERS) || !head->has_http)
		return;
	i->row->headers = &head->http;
	i->row->has |= CFS_EXPORT_BIT(CFS_EXPORT_HEADERS);
}

/* Why the record is incomplete: what its crawler says, else "unspecified", the
 * word that the WARC standard has for that. */
static void fill_truncated(const struct cfs_row_input *i)
{
	struct cfs_slice why = cfs_record_warc_field(i->r, "WARC-Truncated");

	if (why.n == 0 && (i->r->is_cut ||
			   cfs_view_body_of(i->in)->body_is_damaged))
		why = CFS_SLICE_LIT("unspecified");
	if (why.n > 0)
		cfs_export_row_set(i->row, CFS_EXPORT_TRUNCATED, why);
}

static void fill_detected(const struct cfs_row_input *i)
{
	struct cfs_slice type = cfs_record_warc_field(i->r,
					"WARC-Identified-Payload-Type");

	if (type.n > 0)
		cfs_export_row_set(i->row, CFS_EXPORT_MIME_DETECTED, type);
}

/* Says which capture a revisit refers to, as far as its record does. */
static int fill_revisit_of(const struct cfs_row_input *i)
{
	struct cfs_slice date = cfs_record_warc_field(i->r,
						      "WARC-Refers-To-Date");
	struct cfs_row_text texts[] = {
		{ "url", cfs_record_warc_uri(i->r,
					     "WARC-Refers-To-Target-URI") },
		{ "timestamp", CFS_SLICE_EMPTY },
		{ "record_id", cfs_record_warc_field(i->r, "WARC-Refers-To") },
	};
	char time[CFS_EXPORT_TIME_BYTES];
	struct cfs_time_reading t;

	if (i->r->type != CFS_RECORD_REVISIT)
		return CFS_OK;
	if (cfs_time_read(date, &t) == CFS_OK) {
		put_time(date, t.time, t.ms, time);
		texts[1].value = cfs_slice_str(time);
	}
	cfs_row_json_texts(&i->row->made[CFS_EXPORT_REVISIT_OF], texts, 3);
	return cfs_row_take_made(i, CFS_EXPORT_REVISIT_OF);
}

/* Sets the absolute target of a redirect (RFC 9110, section 15.4). */
static void fill_redirect(const struct cfs_row_input *i)
{
	const struct cfs_record *head = head_of(i);
	struct cfs_buf *made = &i->row->made[CFS_EXPORT_REDIRECT];
	struct cfs_slice to = cfs_fields_get(&head->http, "Location", NULL);
	struct cfs_url_base base;

	if (head->status < 300 || head->status > 399 || to.n == 0)
		return;
	cfs_url_base_init(&base, cfs_view_url_of(i->in));
	if (cfs_url_resolve(&base, to, made))
		cfs_row_put_name(i->row, CFS_EXPORT_REDIRECT,
				 cfs_buf_slice(made));
}

static int fill_identity(const struct cfs_row_input *i)
{
	struct cfs_slice id = cfs_record_warc_field(i->r, "WARC-Record-ID");

	if (cfs_row_wants(i, CFS_EXPORT_RECORD_TYPE))
		cfs_export_row_set(i->row, CFS_EXPORT_RECORD_TYPE,
			cfs_slice_str(cfs_record_type_name(i->r->type)));
	if (cfs_row_wants(i, CFS_EXPORT_RECORD_ID) && id.n > 0)
		cfs_export_row_set(i->row, CFS_EXPORT_RECORD_ID, id);
	if (cfs_row_wants(i, CFS_EXPORT_IP) && i->r->ip.n > 0)
		cfs_export_row_set(i->row, CFS_EXPORT_IP, i->r->ip);
	return cfs_row_wants(i, CFS_EXPORT_REVISIT_OF) ? fill_revisit_of(i) :
							 CFS_OK;
}

static int fill_digest(const struct cfs_row_input *i)
{
	cfs_record_add_digest(i->r, i->in->pages,
			      &i->row->made[CFS_EXPORT_DIGEST]);
	return cfs_row_take_made(i, CFS_EXPORT_DIGEST);
}

static void fill_record(const struct cfs_row_input *i)
{
	if (i->r->format == CFS_ARCHIVE_WARC)
		cfs_export_row_set(i->row, CFS_EXPORT_RECORD, i->r->all);
	else
		cfs_export_row_fail(i->row, "it is an ARC record: 'crawlfs "
				    "copy --convert' makes a WARC record of "
				    "it");
}

int cfs_row_fill_heads(const struct cfs_row_input *i)
{
	int rc;

	if (cfs_row_wants(i, CFS_EXPORT_TIMESTAMP))
		fill_time(i);
	fill_http(i);
	if (cfs_row_wants(i, CFS_EXPORT_MIME_DETECTED))
		fill_detected(i);
	if (cfs_row_wants(i, CFS_EXPORT_TRUNCATED))
		fill_truncated(i);
	if (cfs_row_wants(i, CFS_EXPORT_RECORD))
		fill_record(i);
	if (cfs_row_wants(i, CFS_EXPORT_REDIRECT))
		fill_redirect(i);
	rc = fill_identity(i);
	if (rc == CFS_OK && cfs_row_wants(i, CFS_EXPORT_DIGEST))
		rc = fill_digest(i);
	return rc;
}

/* row_warc.c - writes rows as WARC records: texts as conversion records, or the
 * captures' own records.
 *
 * Spec: ISO 28500:2017.  Texts have the fields that Common Crawl's WET files
 * have, in their order.  Identifiers and dates are made from the input alone,
 * so that the same input gives the same bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"

#include <inttypes.h>

#include "base/hash.h"
#include "base/spill.h"
#include "base/utf8.h"
#include "export.h"
#include "record/digest.h"

/* ---- identifiers --------------------------------------------------------- */

/* Appends a field with a UUID of version 8 (RFC 9562), made from a hash. */
static void add_uuid(struct cfs_buf *out, const char *field, uint64_t id)
{
	uint64_t more = cfs_hash64(cfs_slice_of(&id, sizeof(id)), 1);

	cfs_buf_addf(out, "%s: <urn:uuid:%08" PRIx32 "-%04x-8%03x-%04x-%012"
		     PRIx64 ">\r\n", field, (uint32_t)(id >> 32),
		     (unsigned)(id >> 16 & 0xffff), (unsigned)(id & 0xfff),
		     (unsigned)(more >> 48 & 0x3fff) | 0x8000u,
		     more & UINT64_C(0xffffffffffff));
}

/* Appends bytes of an archive as the value of a field: line ends and other
 * controls become blanks. */
static void add_value_of(struct cfs_buf *out, const char *field,
			 struct cfs_slice value)
{
	cfs_buf_addf(out, "%s: ", field);
	for (size_t i = 0; i < value.n; i++)
		cfs_buf_addc(out, value.p[i] < ' ' || value.p[i] == 0x7f ?
			     ' ' : value.p[i]);
	cfs_buf_adds(out, "\r\n");
}

/* ---- the first record ---------------------------------------------------- */

static void begin_warc(const struct cfs_export_opts *opts, const char *what,
		       struct cfs_buf *out)
{
	char t[CFS_TIME_ISO_BYTES];
	CFS_BUF(body, 1 << 15);

	cfs_buf_adds(&body, "software: crawlfs " PACKAGE_VERSION "\r\n"
		     "format: WARC File Format 1.0\r\n");
	cfs_buf_addf(&body, "description: %s ", what);
	for (const char *c = opts->described; *c != '\0'; c++)
		cfs_buf_addc(&body, (uint8_t)*c < ' ' || *c == 0x7f ? ' ' :
			     (uint8_t)*c);
	cfs_buf_adds(&body, "\r\n");
	cfs_buf_adds(out, "WARC/1.0\r\nWARC-Type: warcinfo\r\n");
	cfs_buf_addf(out, "WARC-Date: %s\r\n",
		     cfs_time_format_iso(opts->time, t));
	add_uuid(out, "WARC-Record-ID",
		 cfs_hash64(cfs_buf_slice(&body), (uint64_t)opts->time));
	cfs_buf_addf(out, "Content-Type: application/warc-fields\r\n"
		     "Content-Length: %zu\r\n\r\n", body.n);
	cfs_buf_add(out, cfs_buf_slice(&body));
	cfs_buf_adds(out, "\r\n\r\n");
	if (body.failed != CFS_OK && out->failed == CFS_OK)
		out->failed = body.failed;
}

void cfs_row_begin_wet(const struct cfs_export_opts *opts, struct cfs_buf *out)
{
	begin_warc(opts, "texts of", out);
}

void cfs_row_begin_warc(const struct cfs_export_opts *opts, struct cfs_buf *out)
{
	begin_warc(opts, "records of", out);
}

/* ---- texts --------------------------------------------------------------- */

/* The identifier of a text: made from that of its record, or else from the
 * record's place. */
static uint64_t id_of_text(const struct cfs_export_row *r,
			   struct cfs_slice record_id)
{
	uint64_t place = r->number[CFS_EXPORT_OFFSET];

	if (record_id.n > 0)
		return cfs_hash64(record_id, 0);
	return cfs_hash64(r->text[CFS_EXPORT_ARCHIVE],
			  cfs_hash64(r->text[CFS_EXPORT_URL], place));
}

/* The field that texts are made of. */
static enum cfs_export_field text_field(cfs_export_set set)
{
	return set & CFS_EXPORT_BIT(CFS_EXPORT_MAIN) ? CFS_EXPORT_MAIN :
						       CFS_EXPORT_TEXT;
}

int cfs_row_put_wet(const struct cfs_export_row *r,
		    const struct cfs_export_opts *opts, struct cfs_buf *out,
		    struct cfs_ctx ctx)
{
	enum cfs_export_field of = text_field(opts->fields);
	struct cfs_slice text = r->text[of];
	struct cfs_slice id = CFS_SLICE_EMPTY;

	(void)ctx;
	if ((r->has & CFS_EXPORT_BIT(of)) == 0 || text.n == 0 ||
	    (r->has & CFS_EXPORT_BIT(CFS_EXPORT_URL)) == 0)
		return CFS_OK;
	if (r->in != NULL)
		id = cfs_record_warc_field(r->in->record, "WARC-Record-ID");
	/* only dates of 1.1 have fractions */
	cfs_buf_addf(out, "WARC/1.%d\r\nWARC-Type: conversion\r\n",
		     cfs_slice_find(r->text[CFS_EXPORT_TIMESTAMP], '.') >= 0 &&
		     (r->has & CFS_EXPORT_BIT(CFS_EXPORT_TIMESTAMP)) != 0);
	cfs_buf_adds(out, "WARC-Target-URI: ");
	cfs_utf8_add_percent(out, r->text[CFS_EXPORT_URL], ' ');
	cfs_buf_adds(out, "\r\n");
	if (r->has & CFS_EXPORT_BIT(CFS_EXPORT_TIMESTAMP))
		add_value_of(out, "WARC-Date", r->text[CFS_EXPORT_TIMESTAMP]);
	add_uuid(out, "WARC-Record-ID", id_of_text(r, id));
	if (id.n > 0)
		add_value_of(out, "WARC-Refers-To", id);
	cfs_buf_adds(out, "WARC-Block-Digest: ");
	cfs_digest_add_sha1_of(out, text, cfs_export_row_pages(r, of));
	cfs_buf_adds(out, "\r\n");
	if (r->has & CFS_EXPORT_BIT(CFS_EXPORT_LANGUAGES))
		add_value_of(out, "WARC-Identified-Content-Language",
			     r->text[CFS_EXPORT_LANGUAGES]);
	cfs_buf_addf(out, "Content-Type: text/plain\r\n"
		     "Content-Length: %zu\r\n\r\n", text.n);
	cfs_export_add_pages(out, text, cfs_export_row_pages(r, of));
	cfs_buf_adds(out, "\r\n\r\n");
	return CFS_OK;
}

/* ---- records ------------------------------------------------------------- */

/* The line ends behind a record: those that it has in its archive, or what is
 * missing of them. */
static const char *end_of_record(struct cfs_slice record)
{
	if (cfs_slice_ends(record, CFS_SLICE_LIT("\r\n\r\n")))
		return "";
	return "\r\n\r\n";
}

int cfs_row_put_warc(const struct cfs_export_row *r,
		     const struct cfs_export_opts *opts, struct cfs_buf *out,
		     struct cfs_ctx ctx)
{
	struct cfs_slice all = r->text[CFS_EXPORT_RECORD];

	(void)opts;
	(void)ctx;
	if ((r->has & CFS_EXPORT_BIT(CFS_EXPORT_RECORD)) == 0)
		return CFS_OK;
	cfs_export_add_pages(out, all, r->in->pages);
	cfs_buf_adds(out, end_of_record(all));
	return CFS_OK;
}

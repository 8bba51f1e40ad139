/* copyconvert.c - makes a WARC record of an ARC record.
 *
 * Spec: ISO 28500:2017 (WARC/1.1), whose dates may have milliseconds, as those
 * of Common Crawl's ARC files do.
 *
 *     WARC-Type          response if the content is an HTTP response, else
 *                        resource
 *     WARC-Record-ID     a UUID of version 5 (RFC 9562, section 5.5) of the
 *                        archive's file name, the record's place in it and its
 *                        header line: the same in every copy
 *     WARC-Date          that of the header line, or of Common Crawl's own
 *                        field; 1970-01-01T00:00:00Z if there is none, as in
 *                        the tree
 *     WARC-Target-URI    the URL without the line ends and tabs in it, which
 *                        browsers leave out (cfs_url_tidy), and with %20 for
 *                        blanks
 *     WARC-IP-Address    if the line has a valid one
 *     WARC-Truncated     "unspecified" if content is missing
 *     WARC-Block-Digest, WARC-Payload-Digest
 *                        SHA-1; the payload is the body as it is stored.
 *                        The latter is left out if readers disagree where the
 *                        body begins: after an interim response, without an
 *                        empty line, and if the URL does not begin with http:
 *                        or https:
 *     WARC-Arc-Header    the header line
 *     Content-Type       application/http; msgtype=response, or the type of
 *                        the header line, if it has one
 *
 * Bytes that cannot stand in a field, because they are controls or not UTF-8,
 * become %XX: that changes the name of such a URL in the tree, but not its
 * SURT.  The block is the content without the line ends that the archive put
 * behind it (arc.c decides), so a body has the same bytes in both.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "copy_internal.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <nettle/sha1.h>

#include "base/hex.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "record/arc.h"
#include "record/archives.h"
#include "record/digest.h"
#include "url/url.h"

/* The fields: every byte of the header line may become three, twice. */
#define CONVERT_FIELDS_MAX ((size_t)8 * CFS_ARC_LINE_MAX)

/* The namespace of names that are URLs (RFC 9562, section 6.6). */
static const uint8_t convert_namespace[] = {
	0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1,
	0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8
};

/* ---- fields ------------------------------------------------------------- */

static void convert_add_field(struct cfs_buf *out, const char *name,
			      struct cfs_slice value)
{
	cfs_buf_addf(out, "%s: ", name);
	cfs_utf8_add_percent(out, value, ' ' - 1);
	cfs_buf_adds(out, "\r\n");
}

static void convert_add_id(struct cfs_buf *out, const char *archive,
			   const struct cfs_span *span, struct cfs_slice line)
{
	const char *name = cfs_archive_plain_name(archive);
	const char *slash = strrchr(name, '/');
	uint8_t place[16], v[SHA1_DIGEST_SIZE];
	struct sha1_ctx c;

	name = slash != NULL ? slash + 1 : name;
	cfs_be64_put(place, span->offset);
	cfs_be64_put(place + 8, span->inner_offset);
	sha1_init(&c);
	sha1_update(&c, sizeof(convert_namespace), convert_namespace);
	sha1_update(&c, strlen(name) + 1, (const uint8_t *)name);
	sha1_update(&c, sizeof(place), place);
	sha1_update(&c, line.n, line.p);
	sha1_digest(&c, sizeof(v), v);
	v[6] = (v[6] & 0x0f) | 0x50;		/* the version */
	v[8] = (v[8] & 0x3f) | 0x80;		/* the variant */
	cfs_buf_adds(out, "WARC-Record-ID: <urn:uuid:");
	for (size_t i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			cfs_buf_addc(out, '-');
		cfs_hex_add(out, v + i, 1);
	}
	cfs_buf_adds(out, ">\r\n");
}

static void convert_add_date(struct cfs_buf *out, const struct cfs_record *r)
{
	char t[CFS_TIME_ISO_BYTES];
	int64_t ms = r->time_ms - r->time * 1000;

	if (!r->has_time)
		return;
	cfs_time_format_iso(r->time, t);
	if (ms > 0 && ms < 1000)	/* in front of the Z */
		cfs_buf_addf(out, "WARC-Date: %.19s.%03" PRId64 "Z\r\n", t, ms);
	else
		cfs_buf_addf(out, "WARC-Date: %s\r\n", t);
}

static bool convert_is_address(struct cfs_slice s)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t v[16];

	if (s.n == 0 || s.n >= sizeof(text))
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	return strlen(text) == s.n && (inet_pton(AF_INET, text, v) == 1 ||
				       inet_pton(AF_INET6, text, v) == 1);
}

static bool convert_is_payload_unclear(const struct cfs_record *r)
{
	bool is_ended = cfs_slice_ends(r->http_head,
				       CFS_SLICE_LIT("\n\r\n")) ||
			cfs_slice_ends(r->http_head, CFS_SLICE_LIT("\n\n"));
	bool is_web = cfs_slice_starts(r->url, CFS_SLICE_LIT("http:")) ||
		      cfs_slice_starts(r->url, CFS_SLICE_LIT("https:"));

	return r->has_http && (r->interim_bytes > 0 || !is_ended || !is_web);
}

static void convert_add_fields(struct cfs_buf *out, const struct cfs_record *r,
			       const char *archive, const struct cfs_span *span)
{
	uint8_t scratch[CFS_URL_MAX];

	cfs_buf_addf(out, "WARC/1.1\r\nWARC-Type: %s\r\n",
		     r->has_http ? "response" : "resource");
	convert_add_id(out, archive, span, r->head);
	convert_add_date(out, r);
	cfs_buf_adds(out, "WARC-Target-URI: ");
	cfs_utf8_add_percent(out, cfs_url_tidy(r->url, scratch), ' ');
	cfs_buf_adds(out, "\r\n");
	if (convert_is_address(r->ip))
		convert_add_field(out, "WARC-IP-Address", r->ip);
	if (r->is_cut)
		cfs_buf_adds(out, "WARC-Truncated: unspecified\r\n");
	cfs_buf_adds(out, "WARC-Block-Digest: ");
	cfs_digest_add_sha1(out, r->block);
	if (!convert_is_payload_unclear(r)) {
		cfs_buf_adds(out, "\r\nWARC-Payload-Digest: ");
		cfs_digest_add_sha1(out, r->stored_body);
	}
	cfs_buf_adds(out, "\r\n");
	convert_add_field(out, "WARC-Arc-Header", r->head);
	if (r->has_http)
		cfs_buf_adds(out, "Content-Type: application/http; "
			     "msgtype=response\r\n");
	else if (r->mime.n > 0)
		convert_add_field(out, "Content-Type", r->mime);
	cfs_buf_addf(out, "Content-Length: %zu\r\n\r\n", r->block.n);
}

/* ---- the record --------------------------------------------------------- */

static int convert_record(const struct cfs_copy_reader *r,
			  struct cfs_copy_stretch *s,
			  const struct cfs_span *span,
			  const struct cfs_record *arc, struct cfs_error *err)
{
	struct cfs_buf plain;
	int rc;

	if (arc->type != CFS_RECORD_ARC)
		return cfs_error_set(err, CFS_EFORMAT,
				     "is not an ARC record of a page");
	if (arc->is_cut_off)
		return cfs_error_set(err, CFS_EFORMAT, CFS_CUT_OFF_TEXT);
	cfs_buf_init(&plain, arc->block.n + CONVERT_FIELDS_MAX);
	convert_add_fields(&plain, arc, s->archive, span);
	cfs_buf_add(&plain, arc->block);
	cfs_buf_adds(&plain, "\r\n\r\n");
	rc = plain.failed == CFS_OK ?
	     cfs_member_compress(r->opts->coding, cfs_buf_slice(&plain),
				 r->dict, &s->out, err) :
	     cfs_error_set(err, plain.failed, "out of memory");
	cfs_buf_release(&plain);
	return rc;
}

int cfs_copy_convert(const struct cfs_copy_reader *r,
		     struct cfs_copy_stretch *s,
		     const struct cfs_copy_item *item, struct cfs_error *err)
{
	struct cfs_stored *stored;
	int rc = cfs_store_get(r->opts->store, cfs_slice_str(s->archive),
			       &item->span, &stored, CFS_CTX(r->cancel, err));

	if (rc != CFS_OK)
		return rc;
	if (cfs_stored_is_spilled(stored))
		rc = cfs_error_set(err, CFS_ELIMIT, "record is too long to be "
				   "converted in memory: raise --mem");
	else
		rc = cfs_copy_check(r, s, item, cfs_stored_record(stored), err);
	if (rc == CFS_OK)
		rc = convert_record(r, s, &item->span,
				    cfs_stored_record(stored), err);
	cfs_stored_put(stored);
	return rc;
}

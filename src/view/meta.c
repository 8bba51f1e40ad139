/* meta.c - makes the .meta view: one JSON object in the schema of 2012.
 *
 * The fields, their order and conditions are defined in doc/formats.md,
 * "Metadata of 2012" and "Content objects":
 *
 *   attempt_time, disposition, failure_reason, failure_detail, server_ip,
 *   http_result, http_headers, content_len, mime_type, download_size,
 *   download_truncated, content_is_gzip, gunzip_content_len | gunzip_failed,
 *   md5, charset_detected, charset_detector, text_simhash, parsed_as, content,
 *   archiveInfo
 *
 * redirect_from is never written, since no record says what led to it.  Fields
 * that the record does not tell are omitted, never guessed.  Decisions made
 * here:
 *
 *   disposition   FAILURE for a status of 500 and more (InvalidResponseCode)
 *                 and for an http or https capture without a status line
 *                 (IOException).  A record that is not HTTP by nature
 *                 (WARC resource and conversion, ftp) is a SUCCESS without
 *                 http_result and http_headers.
 *   content_is_gzip   the body was sent as gzip.  Common Crawl's archives store
 *                 it decoded, under a head that still says gzip.
 *   content_len, download_size   bytes received: the stored body; for a body
 *                 that Common Crawl stored decoded, the head's Content-Length
 *   gunzip_failed nothing could be inflated.  A truncated body has a
 *                 gunzip_content_len, as in 2012
 *   text_simhash  for documents up to CFS_HTML_BYTES_MAX
 *   archiveInfo   for archives named segment/<id>/<ms>_<n>.arc.gz
 *
 * After these come two keys that crawlfs adds:
 *
 *   warc      the WARC header: name -> value, an array where a name repeats
 *   crawlfs   always written: url, archive, offset, length, inner_offset,
 *             inner_length (several records in one gzip member), timestamp,
 *             record_type, body_from {url, timestamp} (revisits), no_body
 *             (why), incomplete (why), body_is_damaged, content_is_cut (a limit
 *             was exceeded), languages (of the text)
 *
 * and the members of the index's notes on the capture, if any: selection (the
 * row that selected it), wacz (its page in the WACZ file).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <nettle/md5.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hex.h"
#include "base/spill.h"
#include "base/timestamp.h"
#include "doc.h"
#include "html/outline.h"
#include "languages.h"
#include "meta_content.h"
#include "pdf/pdf.h"
#include "record/arc.h"
#include "simhash.h"
#include "view_make.h"

/* Longer field names are left out.  So are names that would change as a JSON
 * key, since two of them could become equal. */
#define META_NAME_MAX 256
/* The most header fields read, since names are compared in pairs. */
#define META_FIELDS_MAX 512

struct meta {
	const struct cfs_view_input *in;
	const struct cfs_record *r;	/* the record of this capture */
	const struct cfs_record *body;	/* the record whose body is shown */
	struct cfs_slice url;
	struct cfs_doc doc;
	struct cfs_buf conv;		/* the document in UTF-8 */
	struct cfs_languages languages;
	bool has_languages;		/* they were looked for */
	struct cfs_buf *text;		/* the text is wanted, too; or NULL */
	int64_t download_bytes;		/* as received */
	bool is_gzip;			/* received as gzip */
	struct cfs_json j;
	bool content_is_cut;
	struct cfs_pdf_found pdf;	/* of a PDF document */
	struct cfs_buf pdf_title;
};

/* True for an HTTP capture, which should have a status. */
static bool is_http_capture(const struct meta *m)
{
	return (m->r->type == CFS_RECORD_ARC ||
		m->r->type == CFS_RECORD_RESPONSE) &&
	       cfs_slice_starts_nocase(m->url, CFS_SLICE_LIT("http"));
}

/* The record whose head describes this capture: itself, or its target. */
static const struct cfs_record *head_of(const struct meta *m)
{
	return m->r->has_http ? m->r : m->body;
}

/* Writes the disposition; false if the capture is not a failure. */
static bool put_failure(struct meta *m)
{
	const struct cfs_record *head = head_of(m);
	struct cfs_slice reason = CFS_SLICE_EMPTY;
	CFS_BUF(detail, m->url.n + 64);

	if (head->has_http && head->status >= 500) {
		reason = CFS_SLICE_LIT("InvalidResponseCode");
		cfs_buf_adds(&detail, "URL:");
		cfs_buf_add(&detail, m->url);
		cfs_buf_addf(&detail, " returned invalid responseCode:%u",
			     head->status);
	} else if (is_http_capture(m) &&
		   (!head->has_http || head->status == 0)) {
		reason = CFS_SLICE_LIT("IOException");
		cfs_buf_adds(&detail, "no HTTP status line");
	}
	cfs_json_put_str(&m->j, "disposition", reason.n == 0 ?
			 CFS_SLICE_LIT("SUCCESS") : CFS_SLICE_LIT("FAILURE"));
	if (reason.n > 0) {
		cfs_json_put_str(&m->j, "failure_reason", reason);
		cfs_json_put_str(&m->j, "failure_detail",
				 cfs_buf_slice(&detail));
	}
	return reason.n > 0;
}

static bool is_bad_name(struct cfs_slice name)
{
	return name.n == 0 || name.n > META_NAME_MAX ||
	       cfs_slice_find(name, 0) >= 0 || !cfs_utf8_is_valid(name);
}

/* True for fields of the connection and the like, which the 2012 crawler did
 * not keep, and for names that are left out. */
static bool is_removed(struct cfs_slice name)
{
	/* the key "response" is that of the status line */
	return is_bad_name(name) || cfs_slice_in_words(name,
		"connection keep-alive transfer-encoding content-encoding "
		"set-cookie te trailer upgrade proxy-connection "
		"proxy-authorization proxy-authenticate response");
}

/* The index of the first (last) field with the name of field i, ignoring
 * case. */
static size_t same_name(const struct cfs_fields *f, size_t n, size_t i,
			bool last)
{
	size_t found = i;

	for (size_t k = 0; k < n; k++) {
		if (cfs_slice_eq_nocase(f->v[k].name, f->v[i].name)) {
			found = k;
			if (!last)
				break;
		}
	}
	return found;
}

static void put_lower_key(struct cfs_json *j, struct cfs_slice name)
{
	uint8_t lower[META_NAME_MAX];

	for (size_t i = 0; i < name.n; i++)
		lower[i] = cfs_ascii_lower(name.p[i]);
	cfs_json_key(j, cfs_slice_of(lower, name.n));
}

/* Writes the HTTP fields: at the position of a name's first field, the value of
 * its last one. */
static void put_http_headers(struct meta *m, const struct cfs_record *head)
{
	const struct cfs_fields *f = &head->http;
	size_t n = f->n < META_FIELDS_MAX ? f->n : META_FIELDS_MAX;

	cfs_json_begin(&m->j, "http_headers", '{');
	cfs_json_put_str(&m->j, "response", head->status_line);
	for (size_t i = 0; i < n; i++) {
		if (is_removed(f->v[i].name) || same_name(f, n, i, false) != i)
			continue;
		put_lower_key(&m->j, f->v[i].name);
		cfs_json_str(&m->j, f->v[same_name(f, n, i, true)].value);
	}
	cfs_json_close(&m->j, '}');
}

static void put_http(struct meta *m)
{
	const struct cfs_record *head = head_of(m);

	if (m->r->ip.n > 0)
		cfs_json_put_str(&m->j, "server_ip", m->r->ip);
	if (head->has_http) {
		cfs_json_put_int(&m->j, "http_result", head->status);
		put_http_headers(m, head);
	}
	cfs_json_put_int(&m->j, "content_len", m->download_bytes);
}

/* True if Common Crawl stored the body decoded.  The head still has the
 * original fields, in WARC files under other names. */
static bool is_stored_undone(const struct meta *m)
{
	const struct cfs_record *r = m->body;
	bool found;

	if (r->body_was_decoded)
		return false;
	cfs_fields_get(&r->http, "X-Crawler-Content-Encoding", &found);
	return found || cfs_arc_has_own_field(r) ||
	       (r->format == CFS_ARCHIVE_ARC &&
		cfs_arc_is_common_crawl_name(m->in->archive_name));
}

static struct cfs_slice sent_field(const struct cfs_record *r, const char *name,
				   const char *crawler_name)
{
	bool found;
	struct cfs_slice v =
		cfs_fields_get_last(&r->http, crawler_name, &found);

	return found ? v : cfs_fields_get_last(&r->http, name, NULL);
}

/* Finds the size and coding of the body as received, before decoding. */
static void find_download(struct meta *m)
{
	const struct cfs_record *r = m->body;
	struct cfs_slice encoding = sent_field(r, "Content-Encoding",
					       "X-Crawler-Content-Encoding");
	struct cfs_slice length = sent_field(r, "Content-Length",
					     "X-Crawler-Content-Length");
	uint64_t n;

	m->download_bytes = (int64_t)r->stored_body.n;
	if (encoding.n == 0 || !(r->body_was_decoded || is_stored_undone(m)))
		return;
	m->is_gzip =
		cfs_slice_search_nocase(encoding, CFS_SLICE_LIT("gzip")) >= 0;
	if (!r->body_was_decoded && !r->is_cut &&
	    cfs_slice_parse_u64(length, INT64_MAX, &n) == CFS_OK && n > 0)
		m->download_bytes = (int64_t)n;
}

static void put_md5(struct meta *m)
{
	uint8_t digest[MD5_DIGEST_SIZE] = { 0 };
	char hex[2 * MD5_DIGEST_SIZE];
	struct md5_ctx ctx;

	if (!m->in->only_length) {
		md5_init(&ctx);
		for (struct cfs_slice s = m->doc.body; s.n > 0;) {
			struct cfs_slice range = cfs_slice_sub(s, 0,
							CFS_SPILL_STEP);

			md5_update(&ctx, range.n, range.p);
			cfs_pages_passed(m->doc.pages, range);
			s = cfs_slice_from(s, range.n);
		}
		md5_digest(&ctx, sizeof(digest), digest);
	}
	cfs_hex_put(digest, sizeof(digest), hex);
	cfs_json_put_str(&m->j, "md5", cfs_slice_of(hex, sizeof(hex)));
}

static bool has_text(const struct meta *m)
{
	return m->doc.is_text && m->doc.has_charset;
}

static void put_download(struct meta *m)
{
	struct cfs_slice mime = cfs_slice_str(m->doc.mime);
	bool failed = m->is_gzip && m->doc.body.n == 0;

	if (mime.n == 0)
		mime = CFS_SLICE_LIT("text/html");
	cfs_json_put_str(&m->j, "mime_type", mime);
	cfs_json_put_int(&m->j, "download_size", m->download_bytes);
	if (m->body->is_cut)
		cfs_json_put_true(&m->j, "download_truncated");
	if (m->is_gzip)
		cfs_json_put_true(&m->j, "content_is_gzip");
	if (failed)
		cfs_json_put_true(&m->j, "gunzip_failed");
	else if (m->is_gzip)
		cfs_json_put_int(&m->j, "gunzip_content_len",
				 (int64_t)m->doc.body.n);
	if (!failed)
		put_md5(m);
	if (has_text(m)) {
		cfs_json_put_str(&m->j, "charset_detected",
				 cfs_slice_str(m->doc.charset.name));
		cfs_json_put_int(&m->j, "charset_detector", m->doc.charset.by);
	}
}

static bool is_latin1(const struct cfs_doc *doc)
{
	return strcmp(doc->charset.name, "ISO-8859-1") == 0;
}

/* Writes the simhash of the text as Java decodes it: there ISO-8859-1 is not
 * windows-1252, and the byte order mark of UTF-8 is a character. */
static int put_simhash(struct meta *m, struct cfs_slice utf8,
		       struct cfs_ctx ctx)
{
	struct cfs_simhash_text text = { .bytes = utf8 };
	int64_t hash = 0;
	int rc = CFS_OK;

	if (m->doc.body.n > CFS_HTML_BYTES_MAX)
		return CFS_OK;
	if (is_latin1(&m->doc)) {
		text.bytes = m->doc.body;
		text.is_latin1 = true;
	} else {
		text.has_bom = cfs_charset_skip_mark(&m->doc.charset,
						     m->doc.body).n <
			       m->doc.body.n;
	}
	if (!m->in->only_length)
		rc = cfs_simhash(&text, &hash, ctx);
	if (rc == CFS_OK)
		cfs_json_put_wide_int(&m->j, "text_simhash", hash);
	return rc;
}

/* Finds the languages of a text that was made. */
static int judge_text(struct meta *m, const struct cfs_buf *text,
		      struct cfs_ctx ctx)
{
	struct cfs_slice s = cfs_buf_slice(text);

	if (text->failed != CFS_OK)
		return cfs_error_set(ctx.err, text->failed, "text is too long");
	m->has_languages = true;
	return cfs_languages_find(m->in, &m->doc, &s, &m->languages, ctx);
}

/* Reads a page for its content and, in the same pass, for its text, if that is
 * wanted or the languages are to be found in it. */
static int read_page(struct meta *m, struct cfs_meta_content *c,
		     struct cfs_slice utf8, struct cfs_ctx ctx)
{
	struct cfs_page_text *t = NULL;
	struct cfs_html_sink sink;
	struct cfs_buf own, *text = m->text != NULL ? m->text : &own;
	int rc;

	if (m->text == NULL && !cfs_languages_need_text(m->in, &m->doc))
		return cfs_meta_content_read(c, utf8, NULL, ctx.err);
	cfs_buf_init(&own, CFS_HTML_TEXT_MAX * 2);
	rc = cfs_page_text_begin(text, &t, &sink, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_meta_content_read(c, utf8, &sink, ctx.err);
	rc = cfs_page_text_end(t, NULL, rc, ctx.err);
	if (rc == CFS_OK)
		rc = judge_text(m, text, ctx);
	cfs_buf_release(&own);
	return rc;
}

static int put_content(struct meta *m, struct cfs_slice utf8,
		       struct cfs_ctx ctx)
{
	struct cfs_meta_content c;
	bool is_feed;
	int rc;

	cfs_meta_content_init(&c, &m->j, m->url, m->doc.body.n, ctx.cancel);
	if (m->doc.kind == CFS_DOC_HTML) {
		cfs_json_put_str(&m->j, "parsed_as", CFS_SLICE_LIT("html"));
		cfs_json_key(&m->j, CFS_SLICE_LIT("content"));
		rc = read_page(m, &c, utf8, ctx);
		rc = cfs_meta_content_put(&c, rc, ctx.err);
	} else if (m->doc.kind == CFS_DOC_FEED) {
		rc = cfs_meta_content_feed(&c, utf8, &is_feed, ctx.err);
	} else {
		return CFS_OK;
	}
	m->content_is_cut = c.is_cut || m->doc.body.n > CFS_HTML_BYTES_MAX;
	return rc;
}

/* Writes the fields that are made from the text of a document. */
static int put_text(struct meta *m, struct cfs_ctx ctx)
{
	bool has_markup = m->doc.kind == CFS_DOC_HTML ||
			  m->doc.kind == CFS_DOC_FEED;
	struct cfs_slice utf8 = CFS_SLICE_EMPTY;
	int rc = CFS_OK;

	if (!has_text(m))
		return CFS_OK;
	if (has_markup || !is_latin1(&m->doc))
		rc = cfs_doc_utf8(&m->doc, CFS_HTML_BYTES_MAX, &m->conv, &utf8,
				  ctx.err);
	if (rc == CFS_OK)
		rc = put_simhash(m, utf8, ctx);
	if (rc == CFS_OK)
		rc = cfs_doc_complete(&m->doc, &m->conv, &utf8, ctx.err);
	if (rc == CFS_OK && has_markup) {
		m->doc.utf8 = utf8;	/* once more, for the languages */
		m->doc.has_utf8 = true;
	}
	if (rc == CFS_OK)
		rc = put_content(m, utf8, ctx);
	return rc;
}

/* Takes a number and the byte after it from the front of s. */
static bool take_number(struct cfs_slice *s, uint8_t then, int64_t *out)
{
	uint64_t v;

	if (cfs_slice_find(*s, then) < 0 ||
	    cfs_slice_parse_u64(cfs_slice_split(s, then), INT64_MAX, &v) !=
		    CFS_OK)
		return false;
	*out = (int64_t)v;
	return true;
}

/* Writes archiveInfo for the archive name
 * [.../]segment/1341690147253/1341708194671_0.arc.gz */
static void put_archive_info(struct meta *m)
{
	struct cfs_slice s = m->in->archive_name,
			 dir = CFS_SLICE_LIT("segment/");
	ptrdiff_t at = cfs_slice_search(s, dir);
	int64_t segment, date, part;

	if (at < 0 || (at > 0 && s.p[at - 1] != '/'))
		return;
	s = cfs_slice_from(s, (size_t)at + dir.n);
	if (!take_number(&s, '/', &segment) ||
	    !take_number(&s, '_', &date) ||
	    !take_number(&s, '.', &part) ||
	    !cfs_slice_eq(s, CFS_SLICE_LIT("arc.gz")))
		return;
	cfs_json_begin(&m->j, "archiveInfo", '{');
	cfs_json_put_int(&m->j, "arcSourceSegmentId", segment);
	cfs_json_put_int(&m->j, "arcFileDate", date);
	/* misspelled as in the published metadata */
	cfs_json_put_int(&m->j, "arcFileParition", part);
	cfs_json_put_int(&m->j, "arcFileOffset", (int64_t)m->in->loc.offset);
	cfs_json_put_int(&m->j, "compressedSize", (int64_t)m->in->loc.length);
	cfs_json_close(&m->j, '}');
}

static void put_warc(struct meta *m)
{
	const struct cfs_fields *f = &m->r->warc;
	size_t n = f->n < META_FIELDS_MAX ? f->n : META_FIELDS_MAX;

	if (m->r->format != CFS_ARCHIVE_WARC)
		return;
	cfs_json_begin(&m->j, "warc", '{');
	for (size_t i = 0; i < n; i++) {
		size_t last = same_name(f, n, i, true);

		if (is_bad_name(f->v[i].name) ||
		    same_name(f, n, i, false) != i)
			continue;
		cfs_json_key(&m->j, f->v[i].name);
		if (last == i) {
			cfs_json_str(&m->j, f->v[i].value);
			continue;
		}
		cfs_json_open(&m->j, '[');
		for (size_t k = i; k <= last; k++) {
			if (!cfs_slice_eq_nocase(f->v[k].name, f->v[i].name))
				continue;
			cfs_json_item(&m->j);
			cfs_json_str(&m->j, f->v[k].value);
		}
		cfs_json_close(&m->j, ']');
	}
	cfs_json_close(&m->j, '}');
}

static void put_time(struct cfs_json *j, const struct cfs_record *r)
{
	char text[CFS_TIME_14_BYTES];

	if (!r->has_time)
		return;
	cfs_time_format_14(r->time, text);
	cfs_json_put_str(j, "timestamp", cfs_slice_str(text));
}

static void put_pdf(struct meta *m)
{
	struct cfs_json *j = &m->j;

	cfs_json_begin(j, "pdf", '{');
	if (m->pdf_title.n > 0)
		cfs_json_put_str(j, "title", cfs_buf_slice(&m->pdf_title));
	if (m->pdf.pages > 0)
		cfs_json_put_int(j, "pages", m->pdf.pages);
	cfs_json_put_str(j, "text", cfs_slice_str(
		cfs_pdf_outcome_name(m->pdf.outcome)));
	cfs_json_close(j, '}');
}

static void put_own(struct meta *m)
{
	const struct cfs_view_input *in = m->in;
	struct cfs_json *j = &m->j;

	cfs_json_begin(j, "crawlfs", '{');
	cfs_json_put_str(j, "url", m->url);
	cfs_json_put_str(j, "archive", in->archive_name);
	cfs_json_put_int(j, "offset", (int64_t)in->loc.offset);
	cfs_json_put_int(j, "length", (int64_t)in->loc.length);
	if (in->loc.inner_length > 0) {
		cfs_json_put_int(j, "inner_offset",
				 (int64_t)in->loc.inner_offset);
		cfs_json_put_int(j, "inner_length",
				 (int64_t)in->loc.inner_length);
	}
	put_time(j, m->r);
	cfs_json_put_str(j, "record_type", cfs_slice_str(
		cfs_record_type_name(m->r->type)));
	if (in->body_record != NULL) {
		cfs_json_begin(j, "body_from", '{');
		cfs_json_put_str(j, "url", m->body->url);
		put_time(j, m->body);
		cfs_json_close(j, '}');
	}
	if (in->no_body_reason != NULL)
		cfs_json_put_str(j, "no_body",
				 cfs_slice_str(in->no_body_reason));
	if (m->body->segment > 0)
		cfs_json_put_str(j, "incomplete", CFS_SLICE_LIT(
			"segments of this record are missing"));
	if (m->body->body_is_damaged)
		cfs_json_put_true(j, "body_is_damaged");
	if (m->content_is_cut)
		cfs_json_put_true(j, "content_is_cut");
	if (m->doc.kind == CFS_DOC_PDF)
		put_pdf(m);
	if (m->languages.text[0] != '\0')
		cfs_json_put_words(j, "languages",
				   cfs_languages_list(&m->languages), ',');
	cfs_json_close(j, '}');
}

/* Reads a PDF document for its title, its text and the languages. */
static int meta_read_pdf(struct meta *m, struct cfs_ctx ctx)
{
	struct cfs_buf own, *text = m->text != NULL ? m->text : &own;
	int rc;

	cfs_buf_init(&own, CFS_PDF_TEXT_MAX);
	rc = cfs_pdf_texts_get(m->doc.pdf, m->doc.body, &m->pdf_title, text,
			       NULL, &m->pdf, ctx);
	if (rc == CFS_OK)
		rc = judge_text(m, text, ctx);
	cfs_buf_release(&own);
	return rc;
}

/* Makes the text, if it is wanted and the page was not read for it, and finds
 * the languages. */
static int find_languages(struct meta *m, struct cfs_ctx ctx)
{
	int rc;

	if (m->has_languages)
		return CFS_OK;
	if (m->doc.kind == CFS_DOC_PDF)
		return meta_read_pdf(m, ctx);
	if (m->text == NULL)
		return cfs_languages_find(m->in, &m->doc, NULL, &m->languages,
					  ctx);
	rc = cfs_text_of_doc(&m->doc, m->text, NULL, ctx);
	return rc == CFS_OK ? judge_text(m, m->text, ctx) : rc;
}

/* True if the body is the document: the status is 2xx, or it is not HTTP. */
static bool has_document(const struct meta *m)
{
	unsigned status = m->body->status;

	return m->body->stored_body.n > 0 &&
	       (!m->body->has_http || (status >= 200 && status < 300));
}

/* Makes .meta, and in text, which may be NULL, .txt.  Sets *languages, which
 * may be NULL. */
static int make(const struct cfs_view_input *in, bool is_compact,
		struct cfs_buf *out, struct cfs_buf *text,
		struct cfs_languages *languages, struct cfs_ctx ctx)
{
	struct meta m = {
		.in = in, .r = in->record, .body = cfs_view_body_of(in),
		.text = text,
		.url = cfs_view_url_of(in),
		.j = { .out = out, .compact = is_compact },
	};
	int rc = CFS_OK;

	cfs_buf_init(&m.conv, CFS_HTML_TEXT_MAX * 2);
	cfs_buf_init(&m.pdf_title, CFS_TITLE_MAX);
	cfs_doc_find(in, &m.doc);
	if (m.doc.charset.no_memory)
		return cfs_error_nomem(ctx.err);
	find_download(&m);
	cfs_json_open(&m.j, '{');
	if (m.r->has_time)
		cfs_json_put_int(&m.j, "attempt_time", m.r->time_ms);
	if (!put_failure(&m)) {
		put_http(&m);
		if (has_document(&m)) {
			put_download(&m);
			rc = put_text(&m, ctx);
		}
		put_archive_info(&m);
	}
	put_warc(&m);
	if (rc == CFS_OK)
		rc = find_languages(&m, ctx);
	put_own(&m);
	cfs_buf_release(&m.pdf_title);
	cfs_buf_release(&m.conv);
	if (in->notes.n > 0 && !cfs_json_copy_members(&m.j, in->notes))
		rc = cfs_error_set(ctx.err, CFS_EFORMAT,
				   "the index's notes are no JSON object");
	cfs_json_close(&m.j, '}');
	cfs_buf_addc(out, '\n');
	if (languages != NULL)
		*languages = m.languages;
	return rc;
}

int cfs_view_meta(const struct cfs_view_input *in,
		  const struct cfs_view_opts *opts, struct cfs_buf *out,
		  struct cfs_ctx ctx)
{
	return make(in, opts->meta_compact, out, NULL, NULL, ctx);
}

int cfs_view_meta_and_text(const struct cfs_view_input *in,
			   struct cfs_buf *meta, struct cfs_buf *text,
			   struct cfs_languages *languages, struct cfs_ctx ctx)
{
	return make(in, false, meta, text, languages, ctx);
}

/* doc.c - finds the kind of a document by its declared type and first bytes.
 *
 * The HTTP Content-Type decides, or that of the ARC or WARC header if there is
 * none (base/mime.h).  Without a type the first bytes decide, by the HTML rows
 * of the WHATWG MIME Sniffing Standard, section 7.1.  A feed is recognized by
 * its root element if its type is that of a feed, XML or HTML, or missing,
 * since many are sent as text/html, application/xml or without a type.  A
 * document declared as a feed may have junk before the root element.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "doc.h"

#include <string.h>

#include "base/ascii.h"
#include "feed.h"
#include "html/hidden.h"
#include "html/outline.h"
#include "pdf/pdf.h"

/* Bytes examined to recognize HTML. */
#define SNIFF_BYTES 1024

/* Skips white space, comments, <?xml?> and a byte order mark. */
static struct cfs_slice skip_prolog(struct cfs_slice s)
{
	if (cfs_slice_starts(s, CFS_SLICE_LIT("\xef\xbb\xbf")))
		s = cfs_slice_from(s, 3);
	for (;;) {
		ptrdiff_t at = -1;

		s = cfs_skip_spaces(s);
		if (cfs_slice_starts(s, CFS_SLICE_LIT("<!--")))
			at = cfs_slice_search(s, CFS_SLICE_LIT("-->"));
		else if (cfs_slice_starts(s, CFS_SLICE_LIT("<?xml")))
			at = cfs_slice_search(s, CFS_SLICE_LIT("?>"));
		if (at < 0)
			return s;
		s = cfs_slice_from(s, (size_t)at + 2);
		if (s.n > 0 && s.p[0] == '>')
			s = cfs_slice_from(s, 1);
	}
}

static bool looks_like_html(struct cfs_slice body)
{
	static const char *const starts[] = {
		"<!doctype html", "<html", "<head", "<script", "<iframe", "<h1",
		"<div", "<font", "<table", "<a", "<style", "<title", "<b",
		"<body", "<br", "<p", "<meta", "<link", "<center",
	};
	struct cfs_slice s = skip_prolog(cfs_slice_sub(body, 0, SNIFF_BYTES));

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		struct cfs_slice t = cfs_slice_str(starts[i]);

		if (cfs_slice_starts_nocase(s, t) && s.n > t.n &&
		    (cfs_is_space(s.p[t.n]) || s.p[t.n] == '>'))
			return true;
	}
	return false;
}

/* The declared type: of the HTTP message, otherwise of the archive.  *value:
 * all of the field, with its parameters. */
static struct cfs_slice content_type(const struct cfs_view_input *in,
				     struct cfs_slice *value)
{
	const struct cfs_record *r = in->record;
	struct cfs_slice type = cfs_http_type(&r->http, value);

	if (type.n == 0 && value->n == 0) {
		r = cfs_view_body_of(in);
		type = cfs_http_type(&r->http, value);
	}
	if (type.n == 0 && !r->has_http && r->format == CFS_ARCHIVE_WARC)
		*value = cfs_record_warc_field(r, "Content-Type");
	if (type.n == 0)
		type = r->mime;
	return type;
}

static void set_mime(struct cfs_doc *doc, struct cfs_slice type)
{
	size_t n = 0;

	for (; n < type.n && n < CFS_DOC_MIME_MAX; n++)
		doc->mime[n] = (char)cfs_ascii_lower(type.p[n]);
	doc->mime[n] = '\0';
}

static bool mime_has(const struct cfs_doc *doc, const char *part)
{
	return strstr(doc->mime, part) != NULL;
}

static enum cfs_doc_kind kind_of(const struct cfs_doc *doc)
{
	bool is_xml = mime_has(doc, "/xml") || mime_has(doc, "+xml");
	bool is_feed = mime_has(doc, "rss") || mime_has(doc, "atom+") ||
		       mime_has(doc, "rdf");

	if (doc->body.n == 0)
		return CFS_DOC_NONE;
	if ((is_feed || is_xml || doc->mime[0] == '\0' ||
	     mime_has(doc, "html")) &&
	    cfs_feed_sniff(doc->body, is_feed) != CFS_FEED_NONE)
		return CFS_DOC_FEED;
	if (mime_has(doc, "html") || ((is_xml || doc->mime[0] == '\0') &&
				      looks_like_html(doc->body)))
		return CFS_DOC_HTML;
	if (strncmp(doc->mime, "text/", 5) == 0)
		return CFS_DOC_PLAIN;
	return cfs_pdf_is(doc->body) ? CFS_DOC_PDF : CFS_DOC_NONE;
}

static bool starts_with_one_of(struct cfs_slice s, const char *const *list,
			       size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cfs_slice_starts(s, cfs_slice_str(list[i])))
			return true;
	return false;
}

#define STARTS_WITH_ONE_OF(s, list) \
	starts_with_one_of(s, list, sizeof(list) / sizeof((list)[0]))

/* The subtype without prefixes: x-, vnd., dots, dashes and plus signs. */
static struct cfs_slice bare_subtype(struct cfs_slice s)
{
	for (;;) {
		if (s.n > 0 &&
		    (s.p[0] == '-' || s.p[0] == '.' || s.p[0] == '+'))
			s = cfs_slice_from(s, 1);
		else if (cfs_slice_starts(s, CFS_SLICE_LIT("x-")))
			s = cfs_slice_from(s, 2);
		else if (cfs_slice_starts(s, CFS_SLICE_LIT("vnd.")))
			s = cfs_slice_from(s, 4);
		else
			return s;
	}
}

/* True for text types as the crawl of 2012 defined them (doc/formats.md, "Text
 * types"). */
static bool is_text_type(const struct cfs_doc *doc)
{
	static const char *const no_types[] = {
		"binary", "octet", "file", "image", "audio", "video",
		"true-type", "x-epoc", "chemical", "plugin",
	};
	static const char *const types[] = {
		"text", "plain", "message", "multipart",
	};
	static const char *const no_subtypes[] = { "css", "javascript" };
	static const char subtypes[] =
		"html xhtml atom rss rdf xml txt text plain pdf postscript "
		"vcard rtf csv json perl ruby java asp php doc py c cc cxx m h "
		"acrobat acroread dot texinfo tex text-java "
		"oasis.opendocument.text sun.xml.writer groove-vcard ms-works "
		"word-doc httpd-php httpd-php-source httpd.php mscardfile "
		"server-parsed-html xml-dtd";
	struct cfs_slice mime = cfs_slice_str(doc->mime), left, right;
	ptrdiff_t at = cfs_slice_find(mime, '/');

	if (at < 0)
		return false;
	right = bare_subtype(cfs_slice_from(mime, (size_t)at + 1));
	left = cfs_slice_split(&right, '+');
	right = bare_subtype(right);
	if (STARTS_WITH_ONE_OF(mime, no_types))
		return false;
	if (STARTS_WITH_ONE_OF(mime, types))
		return !STARTS_WITH_ONE_OF(left, no_subtypes);
	return cfs_slice_in_words(left, subtypes) ||
	       cfs_slice_in_words(right, subtypes);
}

void cfs_doc_find(const struct cfs_view_input *in, struct cfs_doc *doc)
{
	struct cfs_slice value, type = content_type(in, &value);
	struct cfs_charset_input ci;

	if (in->doc != NULL) {
		*doc = *in->doc;
		return;
	}
	*doc = (struct cfs_doc){ .body = cfs_view_body_of(in)->body,
				 .pages = in->pages };
	set_mime(doc, type);
	doc->kind = kind_of(doc);
	doc->is_text = is_text_type(doc) ||
		       (doc->mime[0] == '\0' && doc->kind != CFS_DOC_NONE);
	doc->has_charset = doc->body.n > 0 &&
			   (doc->kind != CFS_DOC_NONE || doc->is_text);
	if (!doc->has_charset)
		return;
	ci = (struct cfs_charset_input){ value, doc->body,
					 doc->kind == CFS_DOC_HTML,
					 doc->pages };
	cfs_charset_find(&ci, &doc->charset);
}

int cfs_doc_utf8(const struct cfs_doc *doc, size_t max_bytes,
		 struct cfs_buf *conv, struct cfs_slice *out,
		 struct cfs_error *err)
{
	struct cfs_slice s = cfs_slice_sub(doc->body, 0, max_bytes);
	int rc;

	*out = doc->has_utf8 ? doc->utf8 : CFS_SLICE_EMPTY;
	if (doc->has_utf8)
		return CFS_OK;
	s = cfs_charset_skip_mark(&doc->charset, s);
	if (cfs_charset_is_utf8(&doc->charset, s, doc->pages)) {
		*out = s;
		return CFS_OK;
	}
	rc = cfs_charset_to_utf8(&doc->charset, s, doc->pages, conv, err);
	if (rc == CFS_OK)
		*out = cfs_buf_slice(conv);
	return rc;
}

/* Replaces a page by what `change` makes of it, if it makes anything. */
static int rewrite(int (*change)(struct cfs_slice utf8, struct cfs_buf *out,
				 bool *changed, struct cfs_error *err),
		   struct cfs_buf *conv, struct cfs_slice *utf8,
		   struct cfs_error *err)
{
	struct cfs_buf page;
	bool changed = false;
	int rc;

	cfs_buf_init(&page, utf8->n);
	rc = change(*utf8, &page, &changed, err);
	if (rc == CFS_OK && page.failed != CFS_OK)
		rc = cfs_error_nomem(err);
	if (rc != CFS_OK || !changed) {
		cfs_buf_release(&page);
		return rc;
	}
	cfs_buf_release(conv);
	*conv = page;
	*utf8 = cfs_buf_slice(conv);
	return CFS_OK;
}

int cfs_doc_complete(const struct cfs_doc *doc, struct cfs_buf *conv,
		     struct cfs_slice *utf8, struct cfs_error *err)
{
	int rc;

	if (doc->kind != CFS_DOC_HTML)
		return CFS_OK;
	rc = rewrite(cfs_html_unstream, conv, utf8, err);
	if (rc == CFS_OK)
		rc = rewrite(cfs_html_unhide, conv, utf8, err);
	return rc;
}

int cfs_doc_page(const struct cfs_doc *doc, struct cfs_buf *conv,
		 struct cfs_slice *out, struct cfs_error *err)
{
	int rc = cfs_doc_utf8(doc, CFS_HTML_BYTES_MAX, conv, out, err);

	if (rc == CFS_OK && !doc->has_utf8)
		rc = cfs_doc_complete(doc, conv, out, err);
	return rc;
}

int cfs_doc_feed(const struct cfs_doc *doc, struct cfs_feed *feed,
		 struct cfs_ctx ctx)
{
	struct cfs_slice utf8;
	CFS_BUF(conv, CFS_HTML_TEXT_MAX * 2);
	int rc;

	*feed = (struct cfs_feed){ 0 };
	rc = cfs_doc_utf8(doc, CFS_HTML_BYTES_MAX, &conv, &utf8, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_feed_parse(utf8, feed, ctx);
	return rc;
}

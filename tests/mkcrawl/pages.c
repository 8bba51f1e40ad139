/* pages.c - the bodies of captures (see pages.h).
 *
 * A page is a head of its own, boilerplate of its host, and blocks of words.c
 * until it is long enough; so most of it is copied, and it compresses as
 * real pages do.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pages.h"

#include <string.h>

#define SMALL_PAGE 3000u	/* bytes; below it no boilerplate */
#define HALF_BLOCK 450u		/* so that sizes come out right on average */

const char *mk_page_mime(enum mk_type t)
{
	static const char *const names[] = {
		[MK_HTML] = "text/html", [MK_RSS] = "application/rss+xml",
		[MK_ATOM] = "application/atom+xml", [MK_TEXT] = "text/plain",
		[MK_JPEG] = "image/jpeg", [MK_PDF] = "application/pdf",
		[MK_GZIP] = "application/x-gzip",
	};

	return names[t];
}

static const char *wrong_charset(const char *right)
{
	return strcmp(right, "UTF-8") == 0 ? "ISO-8859-1" : "UTF-8";
}

const char *mk_page_type(const struct mk_words *w, const struct mk_plan *p,
			 char *room, size_t room_bytes)
{
	const char *mime = mk_page_mime(p->type);
	const char *cs = w->pool[p->tongue].charset;

	if (!mk_type_is_text(p->type) || p->declared == MK_DECLARED_META ||
	    p->declared == MK_DECLARED_NOT)
		return mime;
	if (p->declared == MK_DECLARED_WRONG)
		cs = wrong_charset(cs);
	snprintf(room, room_bytes, "%s; charset=%s", mime, cs);
	return room;
}

struct page {
	const struct mk_words *w;
	const struct mk_pool *pool;
	const struct mk_plan *p;
	struct mk_rng r;
	struct cfs_buf *out;
};

static void words(struct page *g, unsigned lo, unsigned more)
{
	mk_words_add(g->w, g->p->tongue, &g->r,
		     lo + (unsigned)mk_rng_below(&g->r, more), g->out);
}

static void escaped(struct page *g, struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++) {
		switch (s.p[i]) {
		case '&': cfs_buf_adds(g->out, "&amp;"); break;
		case '<': cfs_buf_adds(g->out, "&lt;"); break;
		case '"': cfs_buf_adds(g->out, "&quot;"); break;
		default: cfs_buf_addc(g->out, s.p[i]);
		}
	}
}

static void block(struct page *g)
{
	cfs_buf_add(g->out, g->pool->block[mk_zipf_draw(&g->w->block_zipf, &g->r)]);
}

/* ---- HTML ---- */

static const char script[] =
	"<script type=\"text/javascript\">\n"
	"var _tracker = _tracker || [];\n"
	"_tracker.push(['setAccount', 'SITE-1']);\n"
	"_tracker.push(['trackView']);\n"
	"(function() {\n"
	"\tvar s = document.createElement('script');\n"
	"\ts.type = 'text/javascript'; s.async = true;\n"
	"\ts.src = ('https:' == document.location.protocol ? 'https://ssl' "
	": 'http://www') + '.tracker.example/t.js';\n"
	"\tvar first = document.getElementsByTagName('script')[0];\n"
	"\tfirst.parentNode.insertBefore(s, first);\n"
	"})();\n"
	"</script>\n";

static const char style[] =
	"<style type=\"text/css\">\n"
	"body { margin: 0; padding: 0; font: 12px/1.4 Arial, sans-serif; }\n"
	"#header, #footer { width: 960px; margin: 0 auto; clear: both; }\n"
	"#main { width: 640px; float: left; }\n"
	"#side { width: 300px; float: right; background: #f4f4f4; }\n"
	".menu-item { display: inline; list-style: none; padding: 2px 8px; }\n"
	"a:link, a:visited { color: #036; text-decoration: none; }\n"
	"a:hover { text-decoration: underline; }\n"
	"</style>\n";

static void html_head(struct page *g)
{
	enum mk_declared d = g->p->declared;
	const char *cs = g->pool->charset;

	if (d == MK_DECLARED_WRONG)
		cs = wrong_charset(cs);
	cfs_buf_addf(g->out, "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n",
		     g->pool->lang);
	if (d == MK_DECLARED_META)
		cfs_buf_addf(g->out, "<meta http-equiv=\"Content-Type\" "
			     "content=\"text/html; charset=%s\" />\n", cs);
	else if (d == MK_DECLARED_BOTH || d == MK_DECLARED_WRONG)
		cfs_buf_addf(g->out, "<meta charset=\"%s\">\n", cs);
	cfs_buf_adds(g->out, "<title>");
	words(g, 2, 7);
	cfs_buf_adds(g->out, "</title>\n<meta name=\"description\" content=\"");
	words(g, 6, 15);
	cfs_buf_adds(g->out, "\">\n<link rel=\"canonical\" href=\"");
	escaped(g, cfs_buf_slice(&g->p->url));
	cfs_buf_adds(g->out, "\">\n");
	if (g->p->body_bytes >= SMALL_PAGE) {
		cfs_buf_adds(g->out, "<link rel=\"stylesheet\" type=\"text/css\" "
			     "href=\"/css/style.css\">\n<link rel=\"alternate\" "
			     "type=\"application/rss+xml\" href=\"/feed/\">\n");
		cfs_buf_adds(g->out, style);
		cfs_buf_adds(g->out, script);
	}
	cfs_buf_adds(g->out, "</head>\n<body>\n");
}

static void html(struct page *g)
{
	size_t want = (size_t)g->p->body_bytes;

	html_head(g);
	if (want >= SMALL_PAGE) {	/* the site's own menu */
		cfs_buf_adds(g->out, "<div id=\"header\">\n");
		for (uint64_t k = 0; k < 2; k++)
			cfs_buf_add(g->out, g->pool->block[
				mk_mix(g->p->host_id * 2 + k) % MK_BLOCKS]);
		cfs_buf_adds(g->out, "</div>\n<div id=\"main\">\n");
	}
	cfs_buf_adds(g->out, "<h1>");
	words(g, 2, 5);
	cfs_buf_adds(g->out, "</h1>\n");
	while (g->out->n + HALF_BLOCK < want)
		block(g);
	if (want >= SMALL_PAGE)
		cfs_buf_adds(g->out, "</div>\n");
	cfs_buf_adds(g->out, "</body>\n</html>\n");
}

/* ---- feeds, text ---- */

static void xml_head(struct page *g)
{
	if (g->p->declared == MK_DECLARED_NOT)
		cfs_buf_adds(g->out, "<?xml version=\"1.0\"?>\n");
	else
		cfs_buf_addf(g->out, "<?xml version=\"1.0\" encoding=\"%s\"?>\n",
			     g->pool->charset);
}

static void element(struct page *g, const char *name, unsigned lo, unsigned more)
{
	cfs_buf_addf(g->out, "<%s>", name);
	words(g, lo, more);
	cfs_buf_addf(g->out, "</%s>\n", name);
}

static void rss(struct page *g)
{
	xml_head(g);
	cfs_buf_adds(g->out, "<rss version=\"2.0\">\n<channel>\n");
	element(g, "title", 2, 5);
	cfs_buf_adds(g->out, "<link>");
	escaped(g, cfs_buf_slice(&g->p->url));
	cfs_buf_adds(g->out, "</link>\n");
	element(g, "description", 4, 10);
	for (unsigned i = 1; g->out->n + 30 < g->p->body_bytes; i++) {
		cfs_buf_adds(g->out, "<item>\n");
		element(g, "title", 2, 7);
		cfs_buf_addf(g->out, "<link>http://www.example.com/item/%u</link>\n"
			     "<guid isPermaLink=\"false\">item-%u</guid>\n"
			     "<pubDate>Mon, 06 Aug 2012 10:%02u:00 GMT</pubDate>\n",
			     i, i, i % 60);
		element(g, "category", 1, 2);
		element(g, "description", 15, 40);
		cfs_buf_adds(g->out, "</item>\n");
	}
	cfs_buf_adds(g->out, "</channel>\n</rss>\n");
}

static void atom(struct page *g)
{
	xml_head(g);
	cfs_buf_adds(g->out, "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n");
	element(g, "title", 2, 5);
	cfs_buf_adds(g->out, "<link rel=\"self\" href=\"");
	escaped(g, cfs_buf_slice(&g->p->url));
	cfs_buf_adds(g->out, "\"/>\n<updated>2012-08-06T10:00:00Z</updated>\n"
		     "<id>urn:feed:1</id>\n");
	for (unsigned i = 1; g->out->n + 10 < g->p->body_bytes; i++) {
		cfs_buf_adds(g->out, "<entry>\n");
		element(g, "title", 2, 7);
		cfs_buf_addf(g->out, "<link href=\"http://www.example.com/entry/%u\"/>\n"
			     "<id>urn:entry:%u</id>\n<updated>2012-08-06T10:%02u:00Z"
			     "</updated>\n<author><name>", i, i, i % 60);
		words(g, 2, 1);
		cfs_buf_adds(g->out, "</name></author>\n<content type=\"html\">"
			     "&lt;p&gt;");
		words(g, 15, 40);
		cfs_buf_adds(g->out, "&lt;/p&gt;</content>\n</entry>\n");
	}
	cfs_buf_adds(g->out, "</feed>\n");
}

static void text(struct page *g)
{
	cfs_buf_adds(g->out, "= ");
	words(g, 2, 5);
	cfs_buf_adds(g->out, " =\n\n");
	while (g->out->n + 2 < g->p->body_bytes) {
		words(g, 6, 10);
		cfs_buf_adds(g->out, mk_rng_chance(&g->r, 15) ? ".\n\n" : "\n");
	}
}

/* ---- binary ---- */

static void noise(struct page *g, uint64_t up_to)
{
	while (g->out->n < up_to) {
		uint8_t b[8];

		cfs_le64_put(b, mk_rng_next(&g->r));
		cfs_buf_append(g->out, b, sizeof(b));
	}
}

static void binary(struct page *g)
{
	static const uint8_t jpeg[] = {
		0xff, 0xd8, 0xff, 0xe0, 0, 16, 'J', 'F', 'I', 'F', 0, 1, 1, 0,
		0, 1, 0, 1, 0, 0
	};
	static const uint8_t gz[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };

	if (g->p->type == MK_JPEG)
		cfs_buf_append(g->out, jpeg, sizeof(jpeg));
	else if (g->p->type == MK_GZIP)
		cfs_buf_append(g->out, gz, sizeof(gz));
	else
		cfs_buf_adds(g->out, "%PDF-1.4\n%\342\343\317\323\n");
	noise(g, g->p->body_bytes);
	if (g->p->type == MK_PDF)
		cfs_buf_adds(g->out, "\n%%EOF\n");
}

void mk_page_make(const struct mk_words *w, uint64_t seed,
		  const struct mk_plan *p, struct cfs_buf *out)
{
	struct page g = { w, &w->pool[p->tongue], p,
			  mk_rng_at(seed, p->body_seed, MK_SALT_BODY), out };

	cfs_buf_reset(out);
	if (p->body_bytes == 0)
		return;
	switch (p->type) {
	case MK_HTML: html(&g); break;
	case MK_RSS: rss(&g); break;
	case MK_ATOM: atom(&g); break;
	case MK_TEXT: text(&g); break;
	default: binary(&g);
	}
	mk_check(out);
}

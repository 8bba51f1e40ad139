/* fuzz_preview.c - any bytes as the metadata of a capture: the sections of its
 * page are well-formed, with no markup and no link but the server's own; and if
 * jansson can read the metadata, they show its header fields and links.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "serve/page_frame.h"

#define DEPTH_MAX 8u
#define PREFIX "/crawls"
#define FIELDS 100u		/* header fields, and links, that are shown */
#define LINKS 200u
#define SHORT 600u		/* bytes of a text that is shown as a whole,
				 * however it is escaped */
#define TIME INT64_C(1341699469)
#define TIME_TEXT "&amp;at=20120707221749"

static void must(bool is_so)
{
	if (!is_so)
		abort();
}

/* ---- reading the sections ------------------------------------------------ */

/* A section, and what was read of it: texts, each with a NUL behind it. */
struct page {
	struct cfs_slice rest;
	struct cfs_slice open[DEPTH_MAX];	/* names of open elements */
	unsigned depth;
	bool has_time;
	struct cfs_buf fields;			/* names and values */
	struct cfs_buf links;
};

static bool is_text(struct cfs_slice s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

static bool is_in(struct cfs_slice s, const char *const *list)
{
	while (*list != NULL && !is_text(s, *list))
		list++;
	return *list != NULL;
}

/* Takes what is before the next `end`, and that. */
static struct cfs_slice take_to(struct cfs_slice *rest, uint8_t end)
{
	const uint8_t *at = memchr(rest->p, end, rest->n);
	struct cfs_slice out;

	must(at != NULL);
	out = cfs_slice_of(rest->p, (size_t)(at - rest->p));
	*rest = cfs_slice_of(at + 1, rest->n - out.n - 1);
	return out;
}

/* Appends text with its references decoded.  There are only those that keep
 * text from being markup, and no characters that a page must not have. */
static void decode_text(struct cfs_buf *out, struct cfs_slice s)
{
	static const struct { const char *name; uint8_t c; } refs[] = {
		{ "amp", '&' }, { "lt", '<' }, { "gt", '>' }, { "quot", '"' },
		{ "#39", '\'' } };
	json_t *utf8 = json_stringn((const char *)s.p, s.n);

	must(utf8 != NULL);
	json_decref(utf8);
	while (s.n > 0) {
		uint8_t c = s.p[0];
		unsigned i = 0;

		must(c == '\n' || c == '\t' || (c >= ' ' && c != 0x7f));
		must(strchr("<>\"'", c) == NULL);
		s = cfs_slice_of(s.p + 1, s.n - 1);
		if (c == '&') {
			struct cfs_slice name = take_to(&s, ';');

			while (i < 5 && !is_text(name, refs[i].name))
				i++;
			must(i < 5);
			c = refs[i].c;
		}
		cfs_buf_addc(out, c);
	}
}

static unsigned hex_digit(uint8_t c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *at = strchr(digits, c);

	must(c != '\0' && at != NULL);
	return (unsigned)(at - digits);
}

/* The target of a link: a search of this server, for the text that is appended
 * to page->links. */
static void read_link(struct page *page, struct cfs_slice href)
{
	static const char begin[] = PREFIX "/search?q=", end[] = TIME_TEXT;
	size_t n = sizeof(begin) - 1, m = sizeof(end) - 1;

	must(href.n >= n && memcmp(href.p, begin, n) == 0);
	href = cfs_slice_of(href.p + n, href.n - n);
	if (page->has_time) {
		must(href.n >= m &&
		     memcmp(href.p + href.n - m, end, m) == 0);
		href.n -= m;
	}
	while (href.n > 0) {
		uint8_t c = href.p[0];
		size_t used = c == '%' ? 3 : 1;

		must(href.n >= used && strchr("&?#=+ <>\"'", c) == NULL);
		if (c == '%')
			c = (uint8_t)(hex_digit(href.p[1]) << 4 |
				      hex_digit(href.p[2]));
		cfs_buf_addc(&page->links, c);
		href = cfs_slice_of(href.p + used, href.n - used);
	}
	cfs_buf_addc(&page->links, '\0');
}

static void read_start(struct page *page, struct cfs_slice tag)
{
	static const char *const elements[] = {
		"section", "h2", "dl", "div", "dt", "dd", "ul", "li", "span",
		"p", NULL };
	static const char *const attributes[] = {
		" id=\"headers\"", " id=\"links\"", " class=\"fields\"",
		" class=\"links\"", " class=\"note\"", " class=\"absent\"",
		"", NULL };
	const uint8_t *blank = memchr(tag.p, ' ', tag.n);
	size_t n = blank != NULL ? (size_t)(blank - tag.p) : tag.n;
	struct cfs_slice name = cfs_slice_of(tag.p, n);
	struct cfs_slice more = cfs_slice_of(tag.p + n, tag.n - n);

	if (is_text(name, "a")) {
		must(more.n > 8 && memcmp(more.p, " href=\"", 7) == 0);
		more = cfs_slice_of(more.p + 7, more.n - 7);
		read_link(page, take_to(&more, '"'));
		must(more.n == 0);
	} else {
		must(is_in(name, elements) && is_in(more, attributes));
	}
	must(page->depth < DEPTH_MAX);
	page->open[page->depth++] = name;
}

static bool is_field(const struct page *page)
{
	static const char *const fields[] = { "dt", "dd", NULL };

	return page->depth > 0 && is_in(page->open[page->depth - 1], fields);
}

static void read_tag(struct page *page)
{
	struct cfs_slice tag;

	page->rest = cfs_slice_of(page->rest.p + 1, page->rest.n - 1);
	tag = take_to(&page->rest, '>');
	must(tag.n > 0);
	if (tag.p[0] != '/') {
		read_start(page, tag);
		return;
	}
	if (is_field(page))
		cfs_buf_addc(&page->fields, '\0');
	must(page->depth > 0);
	must(cfs_slice_eq(page->open[--page->depth],
			  cfs_slice_of(tag.p + 1, tag.n - 1)));
}

static void read_page(struct page *page, const struct cfs_buf *out)
{
	struct cfs_buf text;

	must(out->failed == CFS_OK);
	cfs_buf_init(&text, 1 << 24);
	page->rest = cfs_buf_slice(out);
	while (page->rest.n > 0) {
		const uint8_t *lt = memchr(page->rest.p, '<', page->rest.n);
		size_t n = lt != NULL ? (size_t)(lt - page->rest.p) :
					page->rest.n;

		cfs_buf_reset(&text);
		decode_text(&text, cfs_slice_of(page->rest.p, n));
		if (is_field(page))
			cfs_buf_add(&page->fields, cfs_buf_slice(&text));
		page->rest = cfs_slice_of(page->rest.p + n, page->rest.n - n);
		if (page->rest.n > 0)
			read_tag(page);
	}
	must(page->depth == 0);
	cfs_buf_release(&text);
}

/* ---- what they must have ------------------------------------------------- */

/* Appends a text and a NUL.  False for one that is shown in another way: long,
 * or with other characters than those of ASCII that can be printed. */
static bool add_plain(struct cfs_buf *out, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	cfs_buf_append(out, text, n + 1);
	return n <= SHORT;
}

static void check_fields(json_t *meta, const struct page *page)
{
	json_t *fields = json_object_get(meta, "http_headers"), *value;
	struct cfs_buf wanted;
	const char *name;
	unsigned n = 0;
	bool is_plain = fields == NULL || json_is_object(fields);

	cfs_buf_init(&wanted, 1 << 24);
	json_object_foreach(fields, name, value)
		if (is_plain && n++ < FIELDS)
			is_plain = json_is_string(value) &&
				   add_plain(&wanted, name) &&
				   add_plain(&wanted, json_string_value(value));
	if (is_plain)
		must(cfs_slice_eq(cfs_buf_slice(&wanted),
				  cfs_buf_slice(&page->fields)));
	cfs_buf_release(&wanted);
}

static void check_links(json_t *meta, const struct page *page)
{
	json_t *links = json_object_get(json_object_get(meta, "content"),
					"links");
	struct cfs_buf wanted;
	bool is_plain = links == NULL || json_is_array(links);

	cfs_buf_init(&wanted, 1 << 24);
	for (size_t i = 0; i < json_array_size(links) && i < LINKS; i++) {
		json_t *href = json_object_get(json_array_get(links, i),
					       "href");
		const char *text = json_string_value(href);

		if (href == NULL || (text != NULL && *text == '\0'))
			continue;
		is_plain = is_plain && text != NULL &&
			   add_plain(&wanted, text);
	}
	if (is_plain)
		must(cfs_slice_eq(cfs_buf_slice(&wanted),
				  cfs_buf_slice(&page->links)));
	cfs_buf_release(&wanted);
}

/* Names are compared as they are written: those with escapes are not found. */
static void check_content(struct cfs_slice text, const struct page *page)
{
	json_t *meta = NULL;

	if (cfs_slice_search(text, CFS_SLICE_LIT("\\u")) < 0)
		meta = json_loadb((const char *)text.p, text.n,
				  JSON_REJECT_DUPLICATES, NULL);
	if (meta == NULL)
		return;
	check_fields(meta, page);
	check_links(meta, page);
	json_decref(meta);
}

FUZZ_TARGET(data, size)
{
	static char prefix[] = PREFIX;
	struct cfs_site site = { .prefix = prefix };
	struct cfs_preview p = { .error = CFS_ERROR_INIT };
	struct page page = { .depth = 0 };
	struct cfs_buf out;

	if (size == 0)
		return 0;
	page.has_time = (data[0] & 1) != 0;
	p.meta.bytes = cfs_slice_of(data + 1, size - 1);
	cfs_buf_init(&page.fields, 1 << 24);
	cfs_buf_init(&page.links, 1 << 24);
	cfs_buf_init(&out, 1 << 24);
	cfs_preview_headers(&out, &p);
	read_page(&page, &out);
	cfs_buf_reset(&out);
	must(cfs_preview_links(&out, &site, &p, page.has_time ? TIME : 0,
			       CFS_CTX(NULL, NULL)) == CFS_OK);
	read_page(&page, &out);
	check_content(p.meta.bytes, &page);
	cfs_buf_release(&out);
	cfs_buf_release(&page.fields);
	cfs_buf_release(&page.links);
	return 0;
}

/* page_preview.c - parts of the page about a capture, made of its views .txt
 * and .meta (see page_frame.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/timestamp.h"
#include "codec/json.h"
#include "crawl/content.h"
#include "page_frame.h"

/* Shown of a text, and of its links and header fields. */
#define TEXT_BYTES ((size_t)6000)
#define LINKS_SHOWN 200u
#define FIELDS_SHOWN 100u
/* The limit of one title, link or value. */
#define VALUE_BYTES ((size_t)4000)

static bool ends_the_request(int rc)
{
	return rc == CFS_EINTR || rc == CFS_ENOMEM || rc == CFS_ETIMEOUT;
}

static int preview_view(struct cfs_crawl *c, cfs_pos pos, enum cfs_view view,
		     struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	const struct cfs_node file = { .type = CFS_NODE_FILE, .pos = pos,
				       .view = view };

	return cfs_content_load(c, &file, &c->view, out, ctx);
}

/* ---- metadata ------------------------------------------------------------ */

/* Appends the decoded text of a member that is a string. */
static void take_text(struct cfs_slice object, const char *name,
		      struct cfs_buf *out)
{
	struct cfs_slice value = cfs_json_member_of(object, name);
	struct cfs_json_text text;

	if (cfs_json_take_value(&value, &text)) {
		text.s = cfs_slice_sub(text.s, 0, VALUE_BYTES);
		cfs_json_add_text(out, text);
	}
}

int cfs_preview_load(struct cfs_preview *p, struct cfs_crawl *c, cfs_pos pos,
		     struct cfs_ctx ctx)
{
	int rc;

	*p = (struct cfs_preview){ .error = CFS_ERROR_INIT };
	p->meta.bytes = CFS_SLICE_EMPTY;
	cfs_buf_init(&p->title, 4 * VALUE_BYTES);
	rc = preview_view(c, pos, CFS_VIEW_META, &p->meta,
		       CFS_CTX(ctx.cancel, &p->error));
	if (ends_the_request(rc))
		return cfs_error_pass(ctx.err, &p->error, rc);
	if (rc == CFS_OK)
		take_text(cfs_json_member_of(p->meta.bytes, "content"), "title",
			  &p->title);
	return CFS_OK;
}

void cfs_preview_release(struct cfs_preview *p)
{
	cfs_file_bytes_release(&p->meta);
	cfs_buf_release(&p->title);
}

void cfs_preview_headers(struct cfs_buf *out, const struct cfs_preview *p)
{
	struct cfs_slice fields = cfs_json_member_of(p->meta.bytes,
						     "http_headers");
	struct cfs_json_member m;
	struct cfs_buf text;

	if (fields.n == 0)
		return;
	cfs_buf_init(&text, 4 * VALUE_BYTES);
	cfs_buf_adds(out, "<section id=\"headers\">\n<h2>Headers</h2>\n"
		     "<dl class=\"fields\">\n");
	for (unsigned i = 0; i < FIELDS_SHOWN &&
			     cfs_json_next(&fields, '{', &m) == CFS_OK; i++) {
		m.name.s = cfs_slice_sub(m.name.s, 0, VALUE_BYTES);
		m.value.s = cfs_slice_sub(m.value.s, 0, VALUE_BYTES);
		cfs_buf_reset(&text);
		cfs_json_add_text(&text, m.name);
		cfs_buf_adds(out, "<div><dt>");
		cfs_html_text(out, cfs_buf_slice(&text));
		cfs_buf_reset(&text);
		cfs_json_add_text(&text, m.value);
		cfs_buf_adds(out, "</dt><dd>");
		cfs_html_text(out, cfs_buf_slice(&text));
		cfs_buf_adds(out, "</dd></div>\n");
	}
	cfs_buf_adds(out, "</dl>\n</section>\n");
	cfs_buf_release(&text);
}

/* ---- links --------------------------------------------------------------- */

/* time: of the capture that the link is in; 0: not known. */
static void preview_link(struct cfs_buf *out, const struct cfs_site *site,
			 struct cfs_slice object, int64_t time)
{
	char at[CFS_TIME_14_BYTES];
	struct cfs_buf href, text, type;
	struct cfs_slice shown;

	cfs_buf_init(&href, 4 * VALUE_BYTES);
	cfs_buf_init(&text, 4 * VALUE_BYTES);
	cfs_buf_init(&type, 4 * VALUE_BYTES);
	take_text(object, "href", &href);
	take_text(object, "text", &text);
	take_text(object, "type", &type);
	shown = cfs_slice_trim(cfs_buf_slice(&text));
	if (href.n > 0) {
		cfs_buf_adds(out, "<li><a href=\"");
		cfs_html_text(out, cfs_slice_str(site->prefix));
		cfs_buf_adds(out, "/search?q=");
		cfs_page_escape(out, cfs_buf_slice(&href));
		cfs_time_format_14(time, at);
		if (time != 0)
			cfs_buf_addf(out, "&amp;at=%s", at);
		cfs_buf_adds(out, "\">");
		cfs_html_text(out, shown.n > 0 ? shown : cfs_buf_slice(&href));
		cfs_buf_adds(out, "</a> <span class=\"note\">");
		if (type.n > 0 && !cfs_slice_eq(cfs_buf_slice(&type),
						CFS_SLICE_LIT("a"))) {
			cfs_html_text(out, cfs_buf_slice(&type));
			cfs_buf_adds(out, " ");
		}
		if (shown.n > 0)
			cfs_html_text(out, cfs_buf_slice(&href));
		cfs_buf_adds(out, "</span></li>\n");
	}
	cfs_buf_release(&href);
	cfs_buf_release(&text);
	cfs_buf_release(&type);
}

void cfs_preview_links(struct cfs_buf *out, const struct cfs_site *site,
		       const struct cfs_preview *p, int64_t time)
{
	struct cfs_slice links = cfs_json_member_of(
		cfs_json_member_of(p->meta.bytes, "content"), "links");
	struct cfs_json_member item;
	uint64_t n = 0;

	if (links.n == 0)
		return;
	cfs_buf_adds(out, "<section id=\"links\">\n<h2>Links</h2>\n"
		     "<ul class=\"links\">\n");
	for (; cfs_json_next(&links, '[', &item) == CFS_OK; n++)
		if (n < LINKS_SHOWN)
			preview_link(out, site, item.written, time);
	cfs_buf_adds(out, "</ul>\n");
	if (n > LINKS_SHOWN) {
		cfs_buf_adds(out, "<p class=\"note\">The first ");
		cfs_html_figure(out, LINKS_SHOWN);
		cfs_buf_adds(out, " of ");
		cfs_html_figure(out, n);
		cfs_buf_adds(out, ".</p>\n");
	}
	cfs_buf_adds(out, "</section>\n");
}

/* ---- text ---------------------------------------------------------------- */

int cfs_preview_text(struct cfs_buf *out, struct cfs_crawl *c, cfs_pos pos,
		     struct cfs_ctx ctx)
{
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_file_bytes b = { .bytes = CFS_SLICE_EMPTY };
	struct cfs_slice text;
	int rc = preview_view(c, pos, CFS_VIEW_TEXT, &b,
			   CFS_CTX(ctx.cancel, &own));

	if (ends_the_request(rc))
		return cfs_error_pass(ctx.err, &own, rc);
	text = rc == CFS_OK ? b.bytes : CFS_SLICE_EMPTY;
	if (cfs_slice_trim(text).n > 0) {
		size_t n = text.n < TEXT_BYTES ? text.n : TEXT_BYTES;

		/* not inside a character */
		while (n < text.n && n > 0 && (text.p[n] & 0xc0) == 0x80)
			n--;
		cfs_buf_adds(out, "<section id=\"text\">\n<h2>Text</h2>\n"
			     "<pre tabindex=\"0\" aria-label=\"Text\">");
		cfs_html_text(out, cfs_slice_sub(text, 0, n));
		cfs_buf_adds(out, n < text.n ? "\u2026</pre>\n</section>\n" :
					       "</pre>\n</section>\n");
	}
	cfs_file_bytes_release(&b);
	return CFS_OK;
}

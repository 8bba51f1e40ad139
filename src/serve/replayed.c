/* replayed.c - writes an archived page anew, for a frame (see replayed.h).
 *
 * The page is read by the tokenizer of the HTML standard, and each tag is
 * written with the attributes of a list.  Scripts, frames, plugins, forms and
 * drawings (SVG, MathML) are left out, and so is what is not known: nothing is
 * passed on because it was overlooked.  The policy of the reply forbids scripts
 * and foreign addresses once more.
 *
 * Limits: the input is that of views of HTML (view/doc.h); ADDRESSES_MAX bytes
 * of addresses are written, and tags behind them have none.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "replayed.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/timestamp.h"
#include "markup/tokenizer.h"
#include "memento.h"
#include "page_frame.h"
#include "url/urlref.h"

/* A page of a megabyte could otherwise repeat a long address 10^5 times. */
#define ADDRESSES_MAX ((size_t)8 << 20)
/* Longer values of attributes are left out, but for style and URLs. */
#define VALUE_MAX ((size_t)64 << 10)
#define TOKENS_PER_QUESTION 4096u

struct rewriting {
	const struct cfs_replayed *r;
	struct cfs_buf *out;
	struct cfs_ctx ctx;
	struct cfs_link_finder finder;
	struct cfs_url_base base;
	struct cfs_buf base_url, value, name, address;
	size_t addresses;		/* bytes of them so far */
	enum cfs_html_tag skipped;	/* the element that is left out, with
					 * all in it; 0: none */
	unsigned depth;			/* of such elements in each other */
	bool has_base, is_style;
};

/* ---- text ---------------------------------------------------------------- */

/* As text or as a value in double quotes: unlike in pages of this server, signs
 * of direction stay. */
static void add_escaped(struct cfs_buf *out, const struct cfs_html_part *p)
{
	static const struct { char c; const char *name; } names[] = {
		{ '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" },
		{ '"', "&quot;" },
	};
	struct cfs_slice s = p->text;

	while (s.n > 0) {
		size_t n = cfs_slice_find_any(s, 0, "&<>\"");

		cfs_buf_add(out, cfs_slice_sub(s, 0, n));
		s = cfs_slice_from(s, n);
		for (size_t i = 0; s.n > 0 && i < 4; i++)
			if (s.p[0] == (uint8_t)names[i].c)
				cfs_buf_adds(out, names[i].name);
		s = cfs_slice_from(s, 1);
	}
}

static struct cfs_html_part escaped(struct cfs_slice s)
{
	return (struct cfs_html_part){ .add = add_escaped, .text = s };
}

/* ---- addresses ----------------------------------------------------------- */

/* Makes w->address the absolute URL of a reference.  False: it is none that a
 * crawl may have. */
static bool resolve(struct rewriting *w, struct cfs_slice ref)
{
	cfs_buf_reset(&w->address);
	return w->addresses < ADDRESSES_MAX &&
	       cfs_url_resolve(&w->base, ref, &w->address) &&
	       (cfs_slice_starts_nocase(cfs_buf_slice(&w->address),
					CFS_SLICE_LIT("http://")) ||
		cfs_slice_starts_nocase(cfs_buf_slice(&w->address),
					CFS_SLICE_LIT("https://")));
}

/* Appends the address of a picture (im_) or style sheet (cs_) of the crawl,
 * near the time of the page. */
static bool add_resource(struct rewriting *w, struct cfs_slice ref,
			 const char *flag, struct cfs_buf *out)
{
	size_t before = out->n;

	if (w->r->time == 0 || !resolve(w, ref) ||
	    w->address.n > CFS_MEMENTO_URL_MAX)
		return false;
	cfs_memento_address(out, cfs_slice_str(w->r->site->prefix), w->r->time,
			    cfs_slice_str(flag), cfs_buf_slice(&w->address));
	w->addresses += out->n - before;
	return true;
}

static void write_resource(struct rewriting *w, const char *name,
			   struct cfs_slice ref, const char *flag)
{
	CFS_BUF(url, CFS_REPLY_HEAD_MAX);

	if (add_resource(w, ref, flag, &url))
		CFS_HTML(w->out, " $='$'", name, escaped(cfs_buf_slice(&url)));
}

/* Writes where a link leads: a place of the page itself, or a capture near the
 * time of this one, in the whole window. */
static int write_link(struct rewriting *w, struct cfs_slice ref)
{
	char at[CFS_TIME_14_BYTES];
	size_t before = w->out->n;
	bool is_absent = false;
	int rc;

	ref = cfs_slice_trim(ref);
	if (ref.n > 0 && ref.p[0] == '#') {
		CFS_HTML(w->out, " href='$'", escaped(ref));
		return CFS_OK;
	}
	if (!resolve(w, ref))
		return CFS_OK;
	rc = cfs_link_is_absent(&w->finder, cfs_buf_str(&w->address),
				&is_absent, w->ctx);
	if (is_absent)		/* the first of two such attributes counts */
		CFS_HTML(w->out, " data-crawlfs='absent' "
			 "title='not in this crawl'");
	CFS_HTML(w->out, " target='_top' href='$/search?open=1&amp;q=$",
		 w->r->site->prefix,
		 cfs_html_query(cfs_buf_slice(&w->address)));
	cfs_time_format_14(w->r->time, at);
	if (w->r->time != 0)
		CFS_HTML(w->out, "&amp;at=$", at);
	CFS_HTML(w->out, "'");
	w->addresses += w->out->n - before;
	return rc;
}

/* ---- style sheets -------------------------------------------------------- */

/* Takes what url( has, up to its ')', and the quotes off it. */
static struct cfs_slice take_css_url(struct cfs_slice *css)
{
	size_t end = cfs_slice_find_any(*css, 0, ")\n");
	struct cfs_slice ref = cfs_slice_trim(cfs_slice_sub(*css, 0, end));

	*css = cfs_slice_from(*css, end < css->n && css->p[end] == ')' ?
			      end + 1 : end);
	if (ref.n >= 2 && (ref.p[0] == '"' || ref.p[0] == '\'') &&
	    ref.p[ref.n - 1] == ref.p[0])
		ref = cfs_slice_sub(ref, 1, ref.n - 2);
	return ref;
}

/* Appends a style sheet, or the value of an attribute `style`, with the
 * addresses of its pictures replaced. */
static void add_css(struct rewriting *w, struct cfs_slice css,
		    struct cfs_buf *out)
{
	static const struct cfs_slice begin = CFS_SLICE_LIT("url(");

	while (css.n > 0) {
		ptrdiff_t at = cfs_slice_search_nocase(css, begin);
		struct cfs_slice ref;

		if (at < 0)
			break;
		cfs_buf_add(out, cfs_slice_sub(css, 0, (size_t)at));
		css = cfs_slice_from(css, (size_t)at + begin.n);
		ref = take_css_url(&css);
		cfs_buf_adds(out, "url(\"");
		if (cfs_slice_starts_nocase(ref, CFS_SLICE_LIT("data:")))
			cfs_percent_encode(ref, CFS_MEMENTO_KEPT, out);
		else
			add_resource(w, ref, "im_", out);
		cfs_buf_adds(out, "\")");
	}
	cfs_buf_add(out, css);
}

static void write_style_text(struct rewriting *w, struct cfs_slice css)
{
	CFS_BUF(made, CFS_REPLY_BODY_MAX);

	add_css(w, css, &made);
	if (cfs_slice_search_nocase(cfs_buf_slice(&made),
				    CFS_SLICE_LIT("</")) < 0)
		cfs_buf_add(w->out, cfs_buf_slice(&made));
}

/* ---- tags ---------------------------------------------------------------- */

/* True for an attribute that is written as it is. */
static bool is_kept(struct cfs_slice name)
{
	static const char *const kept[] = {
		"abbr", "align", "alt", "bgcolor", "border", "cellpadding",
		"cellspacing", "checked", "class", "clear", "color", "cols",
		"colspan", "compact", "controls", "datetime", "dir", "disabled",
		"face", "headers", "height", "hspace", "id", "lang", "link",
		"max", "media", "min", "name", "noshade", "nowrap", "open",
		"placeholder", "readonly", "reversed", "role", "rows",
		"rowspan", "rules", "scope", "selected", "size", "span",
		"start", "summary", "text", "title", "type", "valign", "value",
		"vlink", "vspace", "width", "wrap",
	};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (cfs_slice_eq(name, cfs_slice_str(kept[i])))
			return true;
	return cfs_slice_starts(name, CFS_SLICE_LIT("aria-"));
}

/* Writes one attribute, whose name and value are decoded in w. */
static int write_attribute(struct rewriting *w, enum cfs_html_tag tag)
{
	struct cfs_slice name = cfs_buf_slice(&w->name);
	struct cfs_slice value = cfs_buf_slice(&w->value);
	struct cfs_buf css;

	if (cfs_slice_eq(name, CFS_SLICE_LIT("href")) &&
	    (tag == CFS_TAG_A || tag == CFS_TAG_AREA))
		return write_link(w, value);
	if (cfs_slice_eq(name, CFS_SLICE_LIT("href")) && tag == CFS_TAG_LINK) {
		write_resource(w, "href", value, "cs_");
	} else if (cfs_slice_eq(name, CFS_SLICE_LIT("src")) ||
		   cfs_slice_eq(name, CFS_SLICE_LIT("poster")) ||
		   cfs_slice_eq(name, CFS_SLICE_LIT("background"))) {
		write_resource(w, cfs_buf_str(&w->name), value, "im_");
	} else if (cfs_slice_eq(name, CFS_SLICE_LIT("style"))) {
		cfs_buf_init(&css, CFS_REPLY_BODY_MAX);
		add_css(w, value, &css);
		CFS_HTML(w->out, " style='$'", escaped(cfs_buf_slice(&css)));
		cfs_buf_release(&css);
	} else if (value.n <= VALUE_MAX && is_kept(name)) {
		CFS_HTML(w->out, " $='$'", escaped(cfs_buf_slice(&w->name)),
			 escaped(value));
	}
	return CFS_OK;
}

static int write_tag(struct rewriting *w, const struct cfs_html_token *t)
{
	int rc = CFS_OK;

	cfs_buf_addf(w->out, "<%s", cfs_html_tag_name(t->tag));
	if (t->tag == CFS_TAG_LINK)
		cfs_buf_adds(w->out, " rel=\"stylesheet\"");
	for (unsigned i = 0; rc == CFS_OK && i < t->n_attrs; i++) {
		cfs_buf_reset(&w->name);
		cfs_buf_reset(&w->value);
		cfs_html_name(t->attrs[i].name, &w->name);
		cfs_html_value(t->attrs[i].value, &w->value);
		rc = write_attribute(w, t->tag);
	}
	cfs_buf_addc(w->out, '>');
	return rc;
}

/* The first base of the document counts. */
static void take_base(struct rewriting *w, const struct cfs_html_token *t)
{
	struct cfs_slice raw;

	if (w->has_base || !cfs_html_attr_find(t, CFS_SLICE_LIT("href"), &raw))
		return;
	cfs_buf_reset(&w->value);
	cfs_html_value(raw, &w->value);
	if (!resolve(w, cfs_buf_slice(&w->value)))
		return;
	w->has_base = true;
	cfs_buf_reset(&w->base_url);
	cfs_buf_add(&w->base_url, cfs_buf_slice(&w->address));
	cfs_url_base_init(&w->base, cfs_buf_slice(&w->base_url));
}

static bool is_style_sheet(struct rewriting *w, const struct cfs_html_token *t)
{
	struct cfs_slice raw;

	cfs_buf_reset(&w->value);
	if (cfs_html_attr_find(t, CFS_SLICE_LIT("rel"), &raw))
		cfs_html_value(raw, &w->value);
	return cfs_slice_search_nocase(cfs_buf_slice(&w->value),
				       CFS_SLICE_LIT("stylesheet")) >= 0 &&
	       cfs_slice_search_nocase(cfs_buf_slice(&w->value),
				       CFS_SLICE_LIT("alternate")) < 0;
}

/* The fates of elements. */
enum fate { FATE_KEPT, FATE_TAGS_DROPPED, FATE_DROPPED };

static enum fate fate_of(enum cfs_html_tag tag)
{
	switch (tag) {
	case CFS_TAG_SCRIPT: case CFS_TAG_TEMPLATE: case CFS_TAG_IFRAME:
	case CFS_TAG_SVG: case CFS_TAG_MATH: case CFS_TAG_NOEMBED:
		return FATE_DROPPED;
	case CFS_TAG_OTHER: case CFS_TAG_OBJECT: case CFS_TAG_EMBED:
	case CFS_TAG_APPLET: case CFS_TAG_PARAM: case CFS_TAG_FRAME:
	case CFS_TAG_FRAMESET: case CFS_TAG_NOFRAMES: case CFS_TAG_NOSCRIPT:
	case CFS_TAG_FORM: case CFS_TAG_BASE: case CFS_TAG_META:
	case CFS_TAG_PLAINTEXT: case CFS_TAG_XMP: case CFS_TAG_ISINDEX:
	case CFS_TAG_KEYGEN: case CFS_TAG_BGSOUND: case CFS_TAG_BASEFONT:
	case CFS_TAG_TRACK: case CFS_TAG_FOREIGNOBJECT: case CFS_TAG_DESC:
	case CFS_TAG_IMAGE: case CFS_TAG_DIALOG:
		return FATE_TAGS_DROPPED;
	default:
		return FATE_KEPT;
	}
}

static int on_start(struct rewriting *w, struct cfs_html_tokenizer *z,
		    const struct cfs_html_token *t)
{
	enum fate fate = fate_of(t->tag);
	int rc = CFS_OK;

	if (fate == FATE_DROPPED) {
		bool is_foreign = t->tag == CFS_TAG_SVG ||
				  t->tag == CFS_TAG_MATH;

		if (is_foreign && t->is_self_closing)
			return CFS_OK;
		w->skipped = t->tag;
		w->depth = 1;
		z->allow_cdata = is_foreign;
	} else if (t->tag == CFS_TAG_BASE) {
		take_base(w, t);
	} else if (fate == FATE_KEPT &&
		   (t->tag != CFS_TAG_LINK || is_style_sheet(w, t))) {
		rc = write_tag(w, t);
	}
	w->is_style = t->tag == CFS_TAG_STYLE;
	cfs_html_follow(z, t->tag);
	return rc;
}

/* A token inside an element that is left out. */
static void skip_token(struct rewriting *w, struct cfs_html_tokenizer *z,
		       const struct cfs_html_token *t)
{
	if (t->tag != w->skipped)
		return;
	if (t->type == CFS_HTML_START && !t->is_self_closing)
		w->depth++;
	if (t->type == CFS_HTML_END && --w->depth == 0) {
		w->skipped = CFS_TAG_OTHER;
		z->allow_cdata = false;
	}
}

static void write_doctype(struct rewriting *w, const struct cfs_html_doctype *d)
{
	CFS_HTML(w->out, "<!DOCTYPE html");
	if (d->has_public && d->public_id.n <= VALUE_MAX)
		CFS_HTML(w->out, " PUBLIC '$'", escaped(d->public_id));
	if (d->has_public && d->has_system && d->system_id.n <= VALUE_MAX)
		CFS_HTML(w->out, " '$'", escaped(d->system_id));
	CFS_HTML(w->out, ">");
}

static int on_token(struct rewriting *w, struct cfs_html_tokenizer *z,
		    const struct cfs_html_token *t)
{
	if (w->skipped != CFS_TAG_OTHER) {
		if (t->type == CFS_HTML_START || t->type == CFS_HTML_END)
			skip_token(w, z, t);
		return CFS_OK;
	}
	switch (t->type) {
	case CFS_HTML_START:
		return on_start(w, z, t);
	case CFS_HTML_END:
		w->is_style = false;
		if (fate_of(t->tag) == FATE_KEPT && t->tag != CFS_TAG_LINK)
			CFS_HTML(w->out, "</$>", cfs_html_tag_name(t->tag));
		return CFS_OK;
	case CFS_HTML_DOCTYPE:
		write_doctype(w, &t->doctype);
		return CFS_OK;
	case CFS_HTML_TEXT:
		if (w->is_style)
			write_style_text(w, t->text);
		else
			CFS_HTML(w->out, "$", escaped(t->text));
		return CFS_OK;
	default:
		return CFS_OK;
	}
}

static void writing_init(struct rewriting *w)
{
	cfs_buf_init(&w->base_url, CFS_REPLY_HEAD_MAX);
	cfs_buf_init(&w->value, CFS_REPLY_BODY_MAX);
	cfs_buf_init(&w->name, CFS_REPLY_BODY_MAX);
	cfs_buf_init(&w->address, CFS_REPLY_HEAD_MAX);
	cfs_buf_add(&w->base_url, w->r->url);
	cfs_url_base_init(&w->base, cfs_buf_slice(&w->base_url));
	cfs_link_finder_init(&w->finder, w->r->site);
}

static void writing_release(struct rewriting *w)
{
	cfs_buf_release(&w->base_url);
	cfs_buf_release(&w->value);
	cfs_buf_release(&w->name);
	cfs_buf_release(&w->address);
}

/* Tells links to what is not there; behind the doctype, so that the page is
 * laid out as it was. */
static void write_own_style(struct rewriting *w)
{
	cfs_buf_adds(w->out, "<style>a[data-crawlfs=absent]{opacity:.6;"
		     "text-decoration:line-through dotted}</style>");
}

int cfs_replayed_write(struct cfs_buf *out, const struct cfs_replayed *r,
		       struct cfs_slice utf8, struct cfs_ctx ctx)
{
	struct cfs_html_tokenizer *z = malloc(sizeof(*z));
	struct rewriting w = { .r = r, .out = out, .ctx = ctx };
	const struct cfs_html_token *t;
	bool has_begun = false;
	unsigned n = 0;
	int rc = CFS_OK;

	if (z == NULL)
		return cfs_error_nomem(ctx.err);
	writing_init(&w);
	cfs_html_begin(z, utf8);
	do {
		t = cfs_html_next(z);
		if (++n % TOKENS_PER_QUESTION == 0 && cfs_cancelled(ctx.cancel))
			rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		if (!has_begun && (t->type == CFS_HTML_START ||
				   t->type == CFS_HTML_TEXT)) {
			has_begun = true;
			write_own_style(&w);
		}
		if (rc == CFS_OK)
			rc = on_token(&w, z, t);
	} while (rc == CFS_OK && t->type != CFS_HTML_EOF);
	writing_release(&w);
	free(z);
	return rc;
}

bool cfs_replayed_is_type(struct cfs_slice mime)
{
	static const struct cfs_slice html = CFS_SLICE_LIT("text/html");
	static const struct cfs_slice xhtml =
		CFS_SLICE_LIT("application/xhtml+xml");

	return cfs_slice_starts_nocase(mime, html) ||
	       cfs_slice_starts_nocase(mime, xhtml);
}

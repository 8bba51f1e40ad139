/* outline.c - turns HTML tokens into events (see outline.h).
 *
 * outline_rules.c decides which elements a tag ends.  outline_stack.c keeps the
 * open elements and sends their events.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "outline.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/swar.h"
#include "formula.h"
#include "outline_internal.h"

/* Bytes of the document between two checks of the cancel token. */
#define CANCEL_EVERY ((size_t)64 << 10)

/* ---- attributes ---- */

static inline bool are_plain(uint64_t eight)
{
	return !(cfs_swar_have(eight, '&') || cfs_swar_have(eight, '\r') ||
		 cfs_swar_have(eight, 0));
}

static bool is_plain_value(struct cfs_slice raw)
{
	for (size_t i = 0; i + 8 <= raw.n; i += 8)
		if (!are_plain(cfs_swar_at(raw.p + i)))
			return false;
	if (raw.n >= 8)
		return are_plain(cfs_swar_at(raw.p + raw.n - 8));
	for (size_t i = 0; i < raw.n; i++)
		if (raw.p[i] == '&' || raw.p[i] == '\r' || raw.p[i] == 0)
			return false;
	return true;
}

static bool is_plain_name(struct cfs_slice raw)
{
	for (size_t i = 0; i < raw.n; i++)
		if (raw.p[i] == 0 || cfs_ascii_lower(raw.p[i]) != raw.p[i])
			return false;
	return true;
}

/* The first max bytes of s at most, cut between two characters. */
static struct cfs_slice cut(struct cfs_slice s, size_t max)
{
	if (s.n <= max)
		return s;
	while (max > 0 && (s.p[max] & 0xc0) == 0x80)
		max--;
	return cfs_slice_sub(s, 0, max);
}

struct cfs_html_attr cfs_html_el_attr(const struct cfs_html_el *el, unsigned i)
{
	struct cfs_html_attr a = el->token->attrs[i];
	bool plain_name, plain_value;
	size_t name_n;

	a.name = cut(a.name, CFS_HTML_VALUE_MAX);
	a.value = cut(a.value, CFS_HTML_VALUE_MAX);
	plain_name = is_plain_name(a.name);
	plain_value = is_plain_value(a.value);
	if (plain_name && plain_value)
		return a;
	cfs_buf_empty(el->decoded);
	cfs_html_name(a.name, el->decoded);
	name_n = el->decoded->n;
	if (!plain_value) {
		cfs_html_value(a.value, el->decoded);
		a.value = cfs_slice_from(cfs_buf_slice(el->decoded), name_n);
	}
	if (!plain_name)
		a.name = cfs_slice_sub(cfs_buf_slice(el->decoded), 0, name_n);
	return a;
}

bool cfs_html_el_get(const struct cfs_html_el *el, struct cfs_slice name,
		     struct cfs_slice *value)
{
	struct cfs_slice raw;

	if (!cfs_html_attr_find(el->token, name, &raw))
		return false;
	raw = cut(raw, CFS_HTML_VALUE_MAX);
	if (!is_plain_value(raw)) {
		cfs_buf_empty(el->decoded);
		cfs_html_value(raw, el->decoded);
		raw = cfs_buf_slice(el->decoded);
	}
	*value = raw;
	return true;
}

/* ---- SVG and MathML ---- */

/* True for elements of SVG and MathML whose content is HTML (the standard's
 * integration points). */
static bool is_point(const struct cfs_html_token *tag)
{
	return tag->tag == CFS_TAG_FOREIGNOBJECT || tag->tag == CFS_TAG_DESC ||
	       tag->tag == CFS_TAG_TITLE ||
	       cfs_slice_in_words(tag->name,
				  "mi mo mn ms mtext annotation-xml");
}

/* Handles a start tag in SVG or MathML.  False if it is a tag of HTML that ends
 * SVG or MathML: the caller handles it. */
static bool start_foreign(struct cfs_outline *o, const struct cfs_html_token *k)
{
	struct cfs_slice v;
	bool breaks_out = cfs_html_tag_flags(k->tag) & CFS_TAG_BREAKS_OUT;

	if (k->tag == CFS_TAG_FONT)
		breaks_out =
			cfs_html_attr_find(k, CFS_SLICE_LIT("color"), &v) ||
			cfs_html_attr_find(k, CFS_SLICE_LIT("face"), &v) ||
			cfs_html_attr_find(k, CFS_SLICE_LIT("size"), &v);
	if (breaks_out) {
		unsigned n = o->n_open;

		while (n > 0 && !o->open[n - 1].is_html &&
		       !o->open[n - 1].is_point)
			n--;
		cfs_outline_pop_to(o, n);
		return false;
	}
	cfs_outline_push(o, k->tag, false, is_point(k), !k->is_self_closing);
	return true;
}

/* ---- tokens ---- */

static void start(struct cfs_outline *o, const struct cfs_html_token *k)
{
	enum cfs_html_tag tag = k->tag == CFS_TAG_IMAGE ? CFS_TAG_IMG : k->tag;
	unsigned f;

	if (cfs_outline_is_foreign(cfs_outline_top(o)) && start_foreign(o, k))
		return;
	if (tag == CFS_TAG_SVG || tag == CFS_TAG_MATH) {
		cfs_outline_push(o, tag, false, false, !k->is_self_closing);
		return;
	}
	if (!cfs_outline_make_room(o, tag))
		return;
	if (tag == CFS_TAG_A) {
		const struct cfs_open_link *l = &o->links[o->n_links];

		/* an <a> in a cell does not end one around the table */
		if (o->n_links > 0 &&
		    !cfs_outline_is_marked_off(o, l[-1].depth))
			cfs_outline_close_link(o);
		cfs_outline_open_link(o);
		return;
	}
	f = cfs_html_tag_flags(tag);
	cfs_outline_push(o, tag, true, false, !(f & CFS_TAG_IS_VOID));
	o->drop_lf = f & CFS_TAG_DROPS_LF;
	cfs_html_follow(&o->tokens, tag);
}

static void text(struct cfs_outline *o, struct cfs_slice s)
{
	if (o->drop_lf && s.n > 0 && s.p[0] == '\n')
		s = cfs_slice_from(s, 1);
	o->drop_lf = false;
	if (cfs_formula_is_open(o->formula))
		cfs_formula_text(o->formula, s);
	else if (o->holds_formula && cfs_slice_trim(s).n > 0)
		cfs_outline_send_formula(o);
	for (unsigned i = 0; i < o->n_sinks && s.n > 0; i++)
		if ((o->deaf >> i & 1) == 0)
			o->sinks[i].text(o->sinks[i].arg, s);
}

/* Handles the next token.  False at the end of the document. */
static bool outline_step(struct cfs_outline *o)
{
	const struct cfs_open_el *top = cfs_outline_top(o);
	const struct cfs_html_token *k;

	o->tokens.allow_cdata = top != NULL && !top->is_html;
	k = cfs_html_next(&o->tokens);
	switch (k->type) {
	case CFS_HTML_TEXT:
		text(o, k->text);
		return true;
	case CFS_HTML_START:
		o->drop_lf = false;
		start(o, k);
		return true;
	case CFS_HTML_END:
		o->drop_lf = false;
		cfs_outline_end(o, k);
		return true;
	case CFS_HTML_EOF:
		return false;
	default:
		return true;
	}
}

int cfs_html_outline(struct cfs_slice utf8, const struct cfs_html_sink *sink,
		     struct cfs_ctx ctx)
{
	return cfs_html_outline_for(utf8, sink, 1, ctx);
}

int cfs_html_outline_for(struct cfs_slice utf8,
			 const struct cfs_html_sink *sinks, unsigned n,
			 struct cfs_ctx ctx)
{
	struct cfs_outline *o = malloc(sizeof(*o));
	size_t look_at = CANCEL_EVERY;
	int rc = CFS_OK;

	if (o == NULL)
		return cfs_error_nomem(ctx.err);
	cfs_outline_init(o, sinks, n);
	cfs_html_begin(&o->tokens, utf8);
	while (rc == CFS_OK && outline_step(o)) {
		if (o->tokens.at < look_at)
			continue;
		look_at = o->tokens.at + CANCEL_EVERY;
		if (cfs_cancelled(ctx.cancel))
			rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	}
	if (rc == CFS_OK) {
		while (o->n_links > 0)
			cfs_outline_close_link(o);
		cfs_outline_pop_to(o, 0);
		cfs_outline_send_formula(o);
	}
	if (rc == CFS_OK && (o->has_no_memory || o->decoded.failed != CFS_OK))
		rc = cfs_error_nomem(ctx.err);
	cfs_outline_release(o);
	free(o);
	return rc;
}

/* outline_rules.c - decides which elements a start or end tag ends.
 *
 * These are the rules of the HTML standard's tree construction, section
 * 13.2.6.4, as far as they determine which elements are open: "in body" (.7),
 * "in table" to "in cell" (.9 to .15) and "in select" (.16).  Formatting
 * elements end with the element that contains them.
 *
 * Searches go through the open elements from the innermost one, at most
 * CFS_HTML_DEPTH_MAX, and are skipped if no element of that name is open.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "outline_internal.h"

#define VOID CFS_TAG_IS_VOID
#define SPECIAL (CFS_TAG_IS_SPECIAL | CFS_TAG_BOUNDS_ITEM)
#define BLOCK (SPECIAL | CFS_TAG_CLOSES_P)
#define PART (CFS_TAG_IS_SPECIAL | CFS_TAG_CLOSES_P)	/* no item boundary */
#define SCOPE (SPECIAL | CFS_TAG_IS_SCOPE)
#define MARKER (SCOPE | CFS_TAG_IS_MARKER)
#define FORMAT CFS_TAG_IS_FORMAT
#define OUT CFS_TAG_BREAKS_OUT
#define TABLE CFS_TAG_IN_TABLE
#define LF CFS_TAG_DROPS_LF

static const uint16_t flags[CFS_TAG_COUNT] = {
	[CFS_TAG_ADDRESS] = PART, [CFS_TAG_APPLET] = MARKER,
	[CFS_TAG_AREA] = VOID | SPECIAL, [CFS_TAG_ARTICLE] = BLOCK,
	[CFS_TAG_ASIDE] = BLOCK, [CFS_TAG_B] = FORMAT | OUT,
	[CFS_TAG_BASE] = VOID | SPECIAL, [CFS_TAG_BASEFONT] = VOID | SPECIAL,
	[CFS_TAG_BGSOUND] = VOID | SPECIAL, [CFS_TAG_BIG] = FORMAT | OUT,
	[CFS_TAG_BLOCKQUOTE] = BLOCK | OUT, [CFS_TAG_BODY] = SPECIAL | OUT,
	[CFS_TAG_BR] = VOID | SPECIAL | OUT, [CFS_TAG_BUTTON] = SPECIAL,
	[CFS_TAG_CAPTION] = MARKER | TABLE, [CFS_TAG_CENTER] = BLOCK | OUT,
	[CFS_TAG_CODE] = FORMAT | OUT, [CFS_TAG_COL] = VOID | SPECIAL | TABLE,
	[CFS_TAG_COLGROUP] = SPECIAL | TABLE, [CFS_TAG_DD] = BLOCK | OUT,
	[CFS_TAG_DETAILS] = BLOCK, [CFS_TAG_DIALOG] = CFS_TAG_CLOSES_P,
	[CFS_TAG_DIR] = BLOCK, [CFS_TAG_DIV] = PART | OUT,
	[CFS_TAG_DL] = BLOCK | OUT, [CFS_TAG_DT] = BLOCK | OUT,
	[CFS_TAG_EM] = FORMAT | OUT, [CFS_TAG_EMBED] = VOID | SPECIAL | OUT,
	[CFS_TAG_FIELDSET] = BLOCK, [CFS_TAG_FIGCAPTION] = BLOCK,
	[CFS_TAG_FIGURE] = BLOCK, [CFS_TAG_FONT] = FORMAT,
	[CFS_TAG_FOOTER] = BLOCK, [CFS_TAG_FORM] = BLOCK,
	[CFS_TAG_FRAME] = VOID | SPECIAL, [CFS_TAG_FRAMESET] = SPECIAL,
	[CFS_TAG_H1] = BLOCK | OUT, [CFS_TAG_H2] = BLOCK | OUT,
	[CFS_TAG_H3] = BLOCK | OUT, [CFS_TAG_H4] = BLOCK | OUT,
	[CFS_TAG_H5] = BLOCK | OUT, [CFS_TAG_H6] = BLOCK | OUT,
	[CFS_TAG_HEAD] = SPECIAL | OUT, [CFS_TAG_HEADER] = BLOCK,
	[CFS_TAG_HGROUP] = BLOCK, [CFS_TAG_HR] = VOID | BLOCK | OUT,
	[CFS_TAG_HTML] = SCOPE, [CFS_TAG_I] = FORMAT | OUT,
	[CFS_TAG_IFRAME] = SPECIAL, [CFS_TAG_IMG] = VOID | SPECIAL | OUT,
	[CFS_TAG_INPUT] = VOID | SPECIAL, [CFS_TAG_KEYGEN] = VOID | SPECIAL,
	[CFS_TAG_LI] = BLOCK | OUT, [CFS_TAG_LINK] = VOID | SPECIAL,
	[CFS_TAG_LISTING] = BLOCK | OUT | LF, [CFS_TAG_MAIN] = BLOCK,
	[CFS_TAG_MARQUEE] = MARKER, [CFS_TAG_MENU] = BLOCK | OUT,
	[CFS_TAG_META] = VOID | SPECIAL | OUT, [CFS_TAG_NAV] = BLOCK,
	[CFS_TAG_NOBR] = FORMAT | OUT, [CFS_TAG_NOEMBED] = SPECIAL,
	[CFS_TAG_NOFRAMES] = SPECIAL, [CFS_TAG_NOSCRIPT] = SPECIAL,
	[CFS_TAG_OBJECT] = MARKER, [CFS_TAG_OL] = BLOCK | OUT,
	[CFS_TAG_P] = PART | OUT, [CFS_TAG_PARAM] = VOID | SPECIAL,
	[CFS_TAG_PLAINTEXT] = BLOCK, [CFS_TAG_PRE] = BLOCK | OUT | LF,
	[CFS_TAG_RUBY] = OUT, [CFS_TAG_S] = FORMAT | OUT,
	[CFS_TAG_SCRIPT] = SPECIAL, [CFS_TAG_SEARCH] = BLOCK,
	[CFS_TAG_SECTION] = BLOCK, [CFS_TAG_SELECT] = SPECIAL,
	[CFS_TAG_SMALL] = FORMAT | OUT, [CFS_TAG_SOURCE] = VOID | SPECIAL,
	[CFS_TAG_SPAN] = OUT, [CFS_TAG_STRIKE] = FORMAT | OUT,
	[CFS_TAG_STRONG] = FORMAT | OUT, [CFS_TAG_STYLE] = SPECIAL,
	[CFS_TAG_SUB] = OUT, [CFS_TAG_SUMMARY] = BLOCK, [CFS_TAG_SUP] = OUT,
	[CFS_TAG_TABLE] = SCOPE | OUT | CFS_TAG_BOUNDS_TABLE,
	[CFS_TAG_TBODY] = SPECIAL | TABLE,
	[CFS_TAG_TD] = MARKER | TABLE,
	[CFS_TAG_TEMPLATE] = MARKER | CFS_TAG_BOUNDS_TABLE,
	[CFS_TAG_TEXTAREA] = SPECIAL | LF, [CFS_TAG_TFOOT] = SPECIAL | TABLE,
	[CFS_TAG_TH] = MARKER | TABLE, [CFS_TAG_THEAD] = SPECIAL | TABLE,
	[CFS_TAG_TITLE] = SPECIAL, [CFS_TAG_TR] = SPECIAL | TABLE,
	[CFS_TAG_TRACK] = VOID | SPECIAL, [CFS_TAG_TT] = FORMAT | OUT,
	[CFS_TAG_U] = FORMAT | OUT, [CFS_TAG_UL] = BLOCK | OUT,
	[CFS_TAG_VAR] = OUT, [CFS_TAG_WBR] = VOID | SPECIAL,
	[CFS_TAG_XMP] = BLOCK,
};

unsigned cfs_html_tag_flags(enum cfs_html_tag tag)
{
	return flags[tag];
}

static bool is_heading(unsigned tag)
{
	return tag >= CFS_TAG_H1 && tag <= CFS_TAG_H6;
}

/* True if end tags inside this element do not affect elements outside it.  For
 * SVG and MathML, integration points are such elements. */
static bool is_scope(const struct cfs_open_el *el)
{
	return el->is_html ? flags[el->tag] & CFS_TAG_IS_SCOPE : el->is_point;
}

static bool is_it(const struct cfs_open_el *el, enum cfs_html_tag tag)
{
	return el->is_html && !el->is_gone && el->tag == tag;
}

/* The index + 1 of the innermost open element of that tag in scope; 0 if there
 * is none.  extra: another element that bounds the scope. */
static unsigned find_in_scope(const struct cfs_outline *o,
			      enum cfs_html_tag tag, enum cfs_html_tag extra)
{
	if (o->n_of[tag] == 0)
		return 0;
	for (unsigned i = o->n_open; i > 0; i--) {
		const struct cfs_open_el *el = &o->open[i - 1];

		if (is_it(el, tag))
			return i;
		if (is_scope(el) || (el->is_html && el->tag == extra))
			return 0;
	}
	return 0;
}

static bool close_in_scope(struct cfs_outline *o, enum cfs_html_tag tag,
			   enum cfs_html_tag extra)
{
	unsigned at = find_in_scope(o, tag, extra);

	if (at > 0)
		cfs_outline_pop_to(o, at - 1);
	return at > 0;
}

static void close_p(struct cfs_outline *o)
{
	close_in_scope(o, CFS_TAG_P, CFS_TAG_BUTTON);
}

/* Ends the innermost element of one of two tags (with this name hash, for
 * CFS_TAG_OTHER), unless SVG, MathML, or an element with a flag of `bounds` is
 * open inside it. */
static void end_innermost(struct cfs_outline *o, enum cfs_html_tag tag,
			  enum cfs_html_tag other, uint32_t hash,
			  unsigned bounds)
{
	if (o->n_of[tag] + o->n_of[other] == 0)
		return;
	for (unsigned i = o->n_open; i > 0; i--) {
		const struct cfs_open_el *el = &o->open[i - 1];

		if ((is_it(el, tag) || is_it(el, other)) &&
		    el->name_hash == hash) {
			cfs_outline_pop_to(o, i - 1);
			return;
		}
		if (!el->is_html || (flags[el->tag] & bounds))
			return;
	}
}

/* Ends the <li>, or <dt> or <dd>, before a new one. */
static void close_item(struct cfs_outline *o, enum cfs_html_tag one,
		       enum cfs_html_tag other)
{
	end_innermost(o, one, other, 0, CFS_TAG_BOUNDS_ITEM);
}

/* ---- tables ---- */

/* The nesting rank of a part of a table: outer parts rank higher. */
static unsigned rank(unsigned tag)
{
	switch (tag) {
	case CFS_TAG_TD:
	case CFS_TAG_TH:
		return 1;
	case CFS_TAG_TR:
		return 2;
	case CFS_TAG_TABLE:
		return 4;
	default:
		return 3;	/* tbody, thead, tfoot, caption, colgroup,
				 * col */
	}
}

/* Ends the open parts of the innermost table that rank no higher than the new
 * part.  False if no table is open: the tag is ignored. */
static bool make_room_in_table(struct cfs_outline *o, enum cfs_html_tag tag)
{
	unsigned from = o->n_open, most = rank(tag);

	if (o->n_of[CFS_TAG_TABLE] == 0)
		return false;
	for (unsigned i = o->n_open; i > 0; i--) {
		const struct cfs_open_el *el = &o->open[i - 1];

		if (!el->is_html || el->tag == CFS_TAG_TEMPLATE)
			break;
		if (el->tag == CFS_TAG_TABLE) {
			cfs_outline_pop_to(o, from);
			return true;
		}
		if ((flags[el->tag] & CFS_TAG_IN_TABLE) &&
		    (rank(el->tag) <= most || el->tag == CFS_TAG_CAPTION))
			from = i - 1;
	}
	return false;
}

/* ---- starts ---- */

static void close_option(struct cfs_outline *o, bool and_group)
{
	struct cfs_open_el *top = cfs_outline_top(o);

	if (top != NULL && is_it(top, CFS_TAG_OPTION))
		cfs_outline_pop_to(o, o->n_open - 1);
	top = cfs_outline_top(o);
	if (and_group && top != NULL && is_it(top, CFS_TAG_OPTGROUP))
		cfs_outline_pop_to(o, o->n_open - 1);
}

bool cfs_outline_make_room(struct cfs_outline *o, enum cfs_html_tag tag)
{
	unsigned f = flags[tag];
	struct cfs_open_el *top;

	if (f & CFS_TAG_IN_TABLE)
		return make_room_in_table(o, tag);
	if (tag == CFS_TAG_LI)
		close_item(o, CFS_TAG_LI, CFS_TAG_LI);
	else if (tag == CFS_TAG_DD || tag == CFS_TAG_DT)
		close_item(o, CFS_TAG_DD, CFS_TAG_DT);
	else if (tag == CFS_TAG_TABLE)	/* in a table, but not in a cell */
		end_innermost(o, tag, tag, 0, CFS_TAG_IS_MARKER);
	if (f & CFS_TAG_CLOSES_P)
		close_p(o);
	top = cfs_outline_top(o);
	if (is_heading(tag) && top != NULL && top->is_html &&
	    is_heading(top->tag))
		cfs_outline_pop_to(o, o->n_open - 1);
	else if (tag == CFS_TAG_BUTTON)
		close_in_scope(o, CFS_TAG_BUTTON, CFS_TAG_BUTTON);
	else if (tag == CFS_TAG_NOBR)
		close_in_scope(o, CFS_TAG_NOBR, CFS_TAG_NOBR);
	else if (tag == CFS_TAG_OPTION || tag == CFS_TAG_OPTGROUP)
		close_option(o, tag == CFS_TAG_OPTGROUP);
	else if (tag == CFS_TAG_SELECT && o->n_of[CFS_TAG_SELECT] > 0)
		close_in_scope(o, CFS_TAG_SELECT, CFS_TAG_SELECT);
	/* a page has one <html> and one <body>, which end with the page */
	return !((tag == CFS_TAG_BODY || tag == CFS_TAG_HTML) &&
		 o->n_of[tag] > 0);
}

/* ---- ends ---- */

static uint32_t hash_of(const struct cfs_html_token *tag)
{
	return tag->tag == CFS_TAG_OTHER ? cfs_html_name_hash(tag->name) : 0;
}

/* Handles </b> and the like.  Blocks that are open inside the element stay
 * open. */
static void end_format(struct cfs_outline *o, enum cfs_html_tag tag)
{
	unsigned at = find_in_scope(o, tag, tag);

	if (at == 0)
		return;
	for (unsigned i = at; i < o->n_open; i++)
		if (!o->open[i].is_html ||
		    (flags[o->open[i].tag] & CFS_TAG_IS_SPECIAL)) {
			cfs_outline_remove(o, at - 1);
			return;
		}
	cfs_outline_pop_to(o, at - 1);
}

/* Handles </h1> and the like, which end a heading of any level. */
static void end_heading(struct cfs_outline *o)
{
	for (unsigned i = o->n_open; i > 0; i--) {
		const struct cfs_open_el *el = &o->open[i - 1];

		if (el->is_html && is_heading(el->tag)) {
			cfs_outline_pop_to(o, i - 1);
			return;
		}
		if (is_scope(el))
			return;
	}
}

/* Ends the element of SVG or MathML that an end tag names.  False if there is
 * none: the tag is then handled as HTML. */
static bool end_foreign(struct cfs_outline *o, const struct cfs_html_token *tag)
{
	uint32_t hash = hash_of(tag);

	for (unsigned i = o->n_open; i > 0 && !o->open[i - 1].is_html; i--) {
		if (o->open[i - 1].tag == tag->tag &&
		    o->open[i - 1].name_hash == hash) {
			cfs_outline_pop_to(o, i - 1);
			return true;
		}
	}
	return false;
}

void cfs_outline_end(struct cfs_outline *o, const struct cfs_html_token *token)
{
	enum cfs_html_tag tag = token->tag;
	struct cfs_open_el *top = cfs_outline_top(o);
	unsigned f = flags[tag];

	if (top != NULL && !top->is_html && end_foreign(o, token))
		return;
	/* <a> is not on the stack of elements, except in SVG and MathML */
	if (o->overflow > 0 && !(f & CFS_TAG_IS_VOID) &&
	    (tag != CFS_TAG_A || cfs_outline_is_foreign(top))) {
		o->overflow--;
		return;
	}
	if (tag == CFS_TAG_A) {
		if (o->n_links > 0)
			cfs_outline_close_link(o);
	} else if (tag == CFS_TAG_BODY || tag == CFS_TAG_HTML ||
		   tag == CFS_TAG_HEAD) {
		if (tag == CFS_TAG_HEAD)
			close_in_scope(o, tag, tag);
	} else if (tag == CFS_TAG_BR) {
		cfs_outline_empty(o, CFS_TAG_BR);
	} else if (tag == CFS_TAG_P) {
		if (!close_in_scope(o, CFS_TAG_P, CFS_TAG_BUTTON))
			cfs_outline_empty(o, CFS_TAG_P);
	} else if (tag == CFS_TAG_LI) {
		/* a list bounds the scope of its items */
		if (find_in_scope(o, tag, CFS_TAG_UL) > 0)
			close_in_scope(o, tag, CFS_TAG_OL);
	} else if ((f & CFS_TAG_IN_TABLE) || tag == CFS_TAG_TABLE) {
		end_innermost(o, tag, tag, 0, CFS_TAG_BOUNDS_TABLE);
	} else if (is_heading(tag)) {
		end_heading(o);
	} else if (f & CFS_TAG_IS_FORMAT) {
		end_format(o, tag);
	} else if (f & CFS_TAG_IS_SPECIAL) {
		close_in_scope(o, tag, tag);
	} else {
		end_innermost(o, tag, tag, hash_of(token), CFS_TAG_IS_SPECIAL);
	}
}

/* formula.c - finds the formulas of a page, and their TeX (formula.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "formula.h"

#include "hidden.h"
#include "tex.h"

void cfs_formula_init(struct cfs_formula *f)
{
	*f = (struct cfs_formula){ .kind = CFS_FORMULA_NONE };
	cfs_buf_init(&f->tex, CFS_HTML_TEXT_MAX * 12);
	cfs_buf_init(&f->plain, CFS_HTML_TEXT_MAX);
	cfs_buf_init(&f->out, CFS_HTML_TEXT_MAX * 24);
	cfs_mathml_init(&f->math);
}

void cfs_formula_release(struct cfs_formula *f)
{
	cfs_buf_release(&f->tex);
	cfs_buf_release(&f->plain);
	cfs_buf_release(&f->out);
	cfs_mathml_release(&f->math);
}

/* ---- which elements are formulas ---------------------------------------- */

/* The first word of a class. */
static struct cfs_slice first_word(struct cfs_slice v)
{
	struct cfs_slice word;

	cfs_slice_next_word(&v, &word);
	return word;
}

/* The kind of a <span> or <div>, by the first word of its class. */
static enum cfs_formula_kind kind_of_class(struct cfs_slice v)
{
	/* most classes are looked at no further */
	if (v.n < 5 || memchr("kmzM \n\t", v.p[0], 7) == NULL)
		return CFS_FORMULA_NONE;
	v = first_word(v);
	if (v.n == 0)
		return CFS_FORMULA_NONE;
	switch (v.p[0]) {
	case 'k':
		return cfs_slice_in_words(v, "katex katex-display") ?
		       CFS_FORMULA_WHOLE : CFS_FORMULA_NONE;
	case 'm':
		if (cfs_slice_eq(v, CFS_SLICE_LIT("mwe-math-element")))
			return CFS_FORMULA_WHOLE;
		return cfs_slice_eq(v, CFS_SLICE_LIT("mjx-chtml")) ?
		       CFS_FORMULA_RENDERED : CFS_FORMULA_NONE;
	case 'z':
		return cfs_slice_eq(v, CFS_SLICE_LIT("ztext-math")) ?
		       CFS_FORMULA_WHOLE : CFS_FORMULA_NONE;
	case 'M':
		if (cfs_slice_eq(v, CFS_SLICE_LIT("MathJax_Preview")))
			return CFS_FORMULA_PREVIEW;
		return cfs_slice_starts(v, CFS_SLICE_LIT("MathJax")) ||
		       cfs_slice_starts(v, CFS_SLICE_LIT("MJXc-display")) ?
		       CFS_FORMULA_RENDERED : CFS_FORMULA_NONE;
	default:
		return CFS_FORMULA_NONE;
	}
}

/* True of what can only be TeX. */
static bool looks_like_tex(struct cfs_slice v)
{
	return cfs_slice_find(v, '\\') >= 0 || cfs_slice_find(v, '^') >= 0 ||
	       cfs_slice_find(v, '_') >= 0 || cfs_slice_find(v, '{') >= 0 ||
	       cfs_slice_find(v, ' ') < 0;
}

static bool has_part(const struct cfs_html_el *el, const char *name,
		     const char *part)
{
	struct cfs_slice v;

	return cfs_html_attr_find(el->token, cfs_slice_str(name), &v) &&
	       cfs_slice_search(v, cfs_slice_str(part)) >= 0;
}

/* True if the class or the address of an image says that it is a formula. */
static bool says_formula(const struct cfs_html_el *el)
{
	struct cfs_slice v;

	if (cfs_html_attr_find(el->token, CFS_SLICE_LIT("class"), &v) &&
	    (cfs_slice_in_words(first_word(v), "tex latex math texrender "
				"ee_img mathtex") ||
	     cfs_slice_starts(v, CFS_SLICE_LIT("mwe-math-"))))
		return true;
	return has_part(el, "src", "/latex.php?") ||
	       has_part(el, "src", "latex.codecogs.com/");
}

/* True of what is in dollars or brackets. */
static bool is_in_marks(struct cfs_slice v)
{
	if (v.n < 3)
		return false;
	if (v.p[0] == '$')
		return cfs_slice_find(cfs_slice_from(v, 1), '$') + 2 ==
		       (ptrdiff_t)v.n;
	return (cfs_slice_starts(v, CFS_SLICE_LIT("\\(")) &&
		cfs_slice_ends(v, CFS_SLICE_LIT("\\)"))) ||
	       (cfs_slice_starts(v, CFS_SLICE_LIT("\\[")) &&
		cfs_slice_ends(v, CFS_SLICE_LIT("\\]")));
}

/* True of an image of a formula, which has its TeX as alt. */
static bool is_image(const struct cfs_html_el *el)
{
	struct cfs_slice v;

	if (!cfs_html_el_get(el, CFS_SLICE_LIT("alt"), &v))
		return false;
	v = cfs_slice_trim(v);
	return v.n > 0 && (is_in_marks(v) ||
			   (looks_like_tex(v) && says_formula(el)));
}

/* The class of an element, not decoded.  Very many elements are asked for
 * it. */
static struct cfs_slice class_of(const struct cfs_html_token *k)
{
	for (unsigned i = 0; i < k->n_attrs; i++) {
		struct cfs_slice name = k->attrs[i].name;

		if (name.n == 5 && (name.p[0] | 0x20) == 'c' &&
		    cfs_slice_eq_nocase(name, CFS_SLICE_LIT("class")))
			return k->attrs[i].value;
	}
	return CFS_SLICE_EMPTY;
}

enum cfs_formula_kind cfs_formula_find(const struct cfs_html_el *el)
{
	enum cfs_formula_kind kind = CFS_FORMULA_NONE;
	struct cfs_slice v;

	switch (el->tag) {
	case CFS_TAG_MATH:
		kind = CFS_FORMULA_WHOLE;
		break;
	case CFS_TAG_SPAN: case CFS_TAG_DIV:
		if (el->is_html)
			kind = kind_of_class(class_of(el->token));
		break;
	case CFS_TAG_SCRIPT:
		if (cfs_html_attr_find(el->token, CFS_SLICE_LIT("type"), &v) &&
		    cfs_slice_starts_nocase(cfs_slice_trim(v),
					    CFS_SLICE_LIT("math/tex")))
			kind = CFS_FORMULA_SCRIPT;
		break;
	case CFS_TAG_IMG:
		if (is_image(el))
			kind = CFS_FORMULA_WHOLE;
		break;
	case CFS_TAG_OTHER:
		if (cfs_slice_eq_nocase(el->token->name,
					CFS_SLICE_LIT("mjx-container")))
			kind = CFS_FORMULA_WHOLE;
		break;
	default:
		break;
	}
	if (kind == CFS_FORMULA_NONE || cfs_html_is_hidden(el))
		return CFS_FORMULA_NONE;
	return kind;
}

/* ---- one formula -------------------------------------------------------- */

bool cfs_formula_goes_on(const struct cfs_formula *f,
			 enum cfs_formula_kind kind)
{
	return f->last >= CFS_FORMULA_PREVIEW && kind > f->last;
}

void cfs_formula_begin(struct cfs_formula *f, enum cfs_formula_kind kind,
		       unsigned depth)
{
	f->kind = kind;
	f->depth = depth;
	f->reading = CFS_FORMULA_SHOWN;
	f->math_depth = 0;
	cfs_mathml_reset(&f->math);
	if (f->last != CFS_FORMULA_NONE)
		return;
	f->is_display = false;
	f->rank = CFS_FORMULA_NO_TEX;
	cfs_buf_empty(&f->tex);
	cfs_buf_empty(&f->plain);
}

/* Takes a source unless there is one as good. */
static bool take(struct cfs_formula *f, enum cfs_formula_rank rank,
		 struct cfs_slice tex)
{
	if (rank <= f->rank)
		return false;
	f->rank = rank;
	cfs_buf_empty(&f->tex);
	cfs_buf_add(&f->tex, tex);
	return true;
}

static void take_attribute(struct cfs_formula *f, const struct cfs_html_el *el,
			   const char *name, enum cfs_formula_rank rank)
{
	struct cfs_slice v;

	if (!cfs_html_el_get(el, cfs_slice_str(name), &v))
		return;
	v = cfs_slice_trim(v);
	if (v.n > 0 && looks_like_tex(v))
		(void)take(f, rank, v);
}

static void read_as(struct cfs_formula *f, enum cfs_formula_reading reading,
		    unsigned depth)
{
	if (f->reading != CFS_FORMULA_SHOWN)
		return;
	f->reading = reading;
	f->reading_depth = depth;
}

static bool is_tex_encoding(const struct cfs_html_el *el)
{
	struct cfs_slice v;

	return cfs_html_el_get(el, CFS_SLICE_LIT("encoding"), &v) &&
	       cfs_slice_search_nocase(v, CFS_SLICE_LIT("tex")) >= 0 &&
	       cfs_slice_search_nocase(v, CFS_SLICE_LIT("text")) < 0;
}

static void begin_script(struct cfs_formula *f, const struct cfs_html_el *el,
			 unsigned depth)
{
	struct cfs_slice v;
	bool is_tex = cfs_html_el_get(el, CFS_SLICE_LIT("type"), &v) &&
		      cfs_slice_starts_nocase(cfs_slice_trim(v),
					      CFS_SLICE_LIT("math/tex"));

	if (!is_tex || !take(f, CFS_FORMULA_SOURCE, CFS_SLICE_EMPTY)) {
		read_as(f, CFS_FORMULA_LEFT_OUT, depth);
		return;
	}
	f->is_display |= cfs_slice_search_nocase(v,
					CFS_SLICE_LIT("display")) >= 0;
	read_as(f, CFS_FORMULA_IN_TEX, depth);
}

/* Takes what an HTML element says of the formula. */
static void start_html(struct cfs_formula *f, const struct cfs_html_el *el,
		       unsigned depth)
{
	switch (el->tag) {
	case CFS_TAG_SCRIPT:
		begin_script(f, el, depth);
		break;
	case CFS_TAG_STYLE: case CFS_TAG_TEMPLATE: case CFS_TAG_NOSCRIPT:
		read_as(f, CFS_FORMULA_LEFT_OUT, depth);
		break;
	case CFS_TAG_IMG:
		take_attribute(f, el, "alt", CFS_FORMULA_ALT);
		break;
	default:
		f->is_display |= has_part(el, "class", "isplay") ||
				 has_part(el, "display", "true");
		take_attribute(f, el, "data-latex", CFS_FORMULA_TEX);
		take_attribute(f, el, "data-tex", CFS_FORMULA_TEX);
		break;
	}
}

void cfs_formula_start(struct cfs_formula *f, const struct cfs_html_el *el,
		       unsigned depth)
{
	if (f->reading != CFS_FORMULA_SHOWN)
		return;
	if (el->is_html) {
		start_html(f, el, depth);
		/* in a token of MathML all is HTML, also what is meant to be
		 * MathML */
		if (f->math_depth > 0 && el->tag == CFS_TAG_OTHER &&
		    cfs_slice_starts_nocase(el->token->name,
					    CFS_SLICE_LIT("m")))
			cfs_mathml_start(&f->math, el, depth);
		return;
	}
	if (el->tag == CFS_TAG_MATH && f->math_depth == 0) {
		f->math_depth = depth + 1;
		f->is_display |= has_part(el, "display", "block") ||
				 has_part(el, "mode", "display");
		take_attribute(f, el, "alttext", CFS_FORMULA_TEX);
	} else if (cfs_slice_starts_nocase(el->token->name,
					   CFS_SLICE_LIT("annotation"))) {
		if (is_tex_encoding(el) &&
		    take(f, CFS_FORMULA_TEX, CFS_SLICE_EMPTY))
			read_as(f, CFS_FORMULA_IN_TEX, depth);
		else
			read_as(f, CFS_FORMULA_LEFT_OUT, depth);
		return;
	}
	if (f->math_depth > 0)
		cfs_mathml_start(&f->math, el, depth);
}

void cfs_formula_end(struct cfs_formula *f, unsigned depth)
{
	if (f->reading != CFS_FORMULA_SHOWN) {
		if (depth == f->reading_depth)
			f->reading = CFS_FORMULA_SHOWN;
		return;
	}
	if (f->math_depth == 0)
		return;
	cfs_mathml_end(&f->math, depth);
	if (depth + 1 == f->math_depth) {
		f->math_depth = 0;
		(void)take(f, CFS_FORMULA_TRANSLATED,
			   cfs_slice_trim(cfs_buf_slice(&f->math.out)));
		cfs_mathml_reset(&f->math);
	}
}

void cfs_formula_text(struct cfs_formula *f, struct cfs_slice s)
{
	if (f->reading == CFS_FORMULA_IN_TEX)
		cfs_buf_add(&f->tex, s);
	else if (f->reading == CFS_FORMULA_LEFT_OUT)
		return;
	else if (f->math_depth > 0)
		cfs_mathml_text(&f->math, s);
	else
		cfs_buf_add(&f->plain, s);
}

bool cfs_formula_finish(struct cfs_formula *f)
{
	bool is_formula;

	f->kind = f->last = CFS_FORMULA_NONE;
	cfs_buf_empty(&f->out);
	cfs_tex_add_source(&f->out, cfs_buf_slice(&f->tex), &f->is_display);
	is_formula = f->out.n > 0;
	if (!is_formula)
		cfs_buf_add(&f->out, cfs_buf_slice(&f->plain));
	return is_formula;
}

bool cfs_formula_has_failed(const struct cfs_formula *f)
{
	return f->tex.failed != CFS_OK || f->plain.failed != CFS_OK ||
	       f->out.failed != CFS_OK || f->math.out.failed != CFS_OK ||
	       f->math.token.failed != CFS_OK ||
	       f->math.scratch.failed != CFS_OK;
}

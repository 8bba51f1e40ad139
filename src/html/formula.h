/* formula.h - finds the formulas of a page, and their TeX.
 *
 * A page has a formula in several forms at once: MathML, what a script has made
 * of it for the eye, the same once more for screen readers, and its source.
 * Everything about one formula becomes one text in TeX, of the best source:
 *
 *     <script type="math/tex">             MathJax 2 (also "; mode=display")
 *     <annotation encoding="application/x-tex">, alttext, data-latex, data-tex
 *     presentation MathML                  below
 *     alt of an image                      Wikipedia, latex.php
 *
 * Elements that are formulas: <math>, <mjx-container> (MathJax 3 and 4), <span>
 * and <div> with a class of KaTeX, MathJax or MediaWiki, images whose class,
 * address or alt says so.  MathJax 2 has up to three of them in a row for one
 * formula: a preview, what it has made, the source.
 *
 * A receiver of an outline that takes formulas gets none of their elements; the
 * others get all.  If no source is there, it gets the text that is shown.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_HTML_FORMULA_H
#define CFS_HTML_FORMULA_H

#include "outline.h"

/* ---- MathML as TeX (mathml.c) ------------------------------------------- */

/* The elements of presentation MathML 3 (W3C, section 3) come one by one; each
 * becomes TeX when it ends, out of what its children have become.  The nodes
 * that are open are kept on a bounded stack: an element deeper than that is
 * left out, and its text belongs to the innermost node.  Each byte is copied at
 * most twice for each node around it. */
#define CFS_MATHML_DEPTH_MAX 64u
/* The most children of a node whose ends are kept: what the others become
 * stands behind them. */
#define CFS_MATHML_CHILDREN_MAX 9u

struct cfs_mathml_node {
	unsigned depth;		/* elements around it */
	uint8_t kind;
	uint8_t variant;	/* of mathvariant */
	bool is_other;		/* of mfrac: without a line; of menclose: a
				 * box; of mtable: of equations */
	uint8_t before[8], after[8], between[8];	/* of mfenced; ends
							 * with 0 */
	size_t start;		/* where it begins in out */
	uint32_t n;		/* children that have ended */
	size_t ends[CFS_MATHML_CHILDREN_MAX];
	bool first_is_token;
	uint32_t last_char;	/* the last child, if it is one character */
	uint32_t script_at;	/* children before <mprescripts>, plus 1 */
};

struct cfs_mathml {
	struct cfs_buf out;	/* the TeX so far */
	struct cfs_buf token;	/* the text of the token that is open */
	struct cfs_buf scratch;
	struct cfs_mathml_node open[CFS_MATHML_DEPTH_MAX];
	unsigned n_open;
};

void cfs_mathml_init(struct cfs_mathml *m);
void cfs_mathml_release(struct cfs_mathml *m);
/* Forgets all. */
void cfs_mathml_reset(struct cfs_mathml *m);

/* An element of MathML begins, also <math> itself, or any element ends; with so
 * many open elements around it. */
void cfs_mathml_start(struct cfs_mathml *m, const struct cfs_html_el *el,
		      unsigned depth);
void cfs_mathml_end(struct cfs_mathml *m, unsigned depth);
void cfs_mathml_text(struct cfs_mathml *m, struct cfs_slice s);

/* ---- formulas (formula.c) ---------------------------------------------- */

enum cfs_formula_kind {
	CFS_FORMULA_NONE,
	CFS_FORMULA_WHOLE,	/* all that is there of it */
	CFS_FORMULA_PREVIEW,	/* MathJax 2: this, ... */
	CFS_FORMULA_RENDERED,	/* ... then this, ... */
	CFS_FORMULA_SCRIPT,	/* ... then this; each may be missing */
};

/* How good a source is. */
enum cfs_formula_rank {
	CFS_FORMULA_NO_TEX, CFS_FORMULA_ALT, CFS_FORMULA_TRANSLATED,
	CFS_FORMULA_TEX, CFS_FORMULA_SOURCE,
};

/* How text in a formula is taken. */
enum cfs_formula_reading {
	CFS_FORMULA_SHOWN, CFS_FORMULA_IN_TEX, CFS_FORMULA_LEFT_OUT,
};

struct cfs_formula {
	enum cfs_formula_kind kind;	/* the element that is open; NONE: none
					 * is */
	enum cfs_formula_kind last;	/* the one before it, of the same
					 * formula, which is not ended; NONE:
					 * there is none */
	unsigned depth;			/* open elements around it */
	uint8_t takers;			/* sinks that take it, as bits */
	bool is_display;
	enum cfs_formula_rank rank;	/* of tex */
	struct cfs_buf tex, plain, out;
	enum cfs_formula_reading reading;
	unsigned reading_depth;		/* open elements around that which has
					 * set `reading` */
	unsigned math_depth;		/* around <math>, plus 1; 0: it is not
					 * open */
	struct cfs_mathml math;
};

/* True of elements that may be formulas. */
static inline bool cfs_formula_may_be(enum cfs_html_tag tag)
{
	return tag == CFS_TAG_SPAN || tag == CFS_TAG_DIV ||
	       tag == CFS_TAG_IMG || tag == CFS_TAG_MATH ||
	       tag == CFS_TAG_OTHER || tag == CFS_TAG_SCRIPT;
}
/* The kind of an element, by its start tag.  Hidden elements are none. */
enum cfs_formula_kind cfs_formula_find(const struct cfs_html_el *el);

/* True in an element that is a formula.  f may be NULL. */
static inline bool cfs_formula_is_open(const struct cfs_formula *f)
{
	return f != NULL && f->kind != CFS_FORMULA_NONE;
}

void cfs_formula_init(struct cfs_formula *f);
void cfs_formula_release(struct cfs_formula *f);
/* True if an element goes on with the formula that is not ended. */
bool cfs_formula_goes_on(const struct cfs_formula *f,
			 enum cfs_formula_kind kind);
/* Begins an element that is a formula, with so many open elements around it. */
void cfs_formula_begin(struct cfs_formula *f, enum cfs_formula_kind kind,
		       unsigned depth);
/* An element begins, the formula's or one in it, or ends. */
void cfs_formula_start(struct cfs_formula *f, const struct cfs_html_el *el,
		       unsigned depth);
void cfs_formula_end(struct cfs_formula *f, unsigned depth);
void cfs_formula_text(struct cfs_formula *f, struct cfs_slice s);

/* Ends the formula.  True: its TeX is in f->out, and may stand between dollars;
 * false: the text that is shown is there. */
bool cfs_formula_finish(struct cfs_formula *f);
/* True if memory was not enough for it. */
bool cfs_formula_has_failed(const struct cfs_formula *f);

#endif

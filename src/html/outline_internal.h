/* outline_internal.h - shared declarations of the HTML outline (outline.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_HTML_OUTLINE_INTERNAL_H
#define CFS_HTML_OUTLINE_INTERNAL_H

#include "outline.h"

/* Properties of elements for the standard's rules (13.2.4.2, 13.2.6.4.7). */
enum {
	CFS_TAG_IS_VOID = 1u << 0,	/* has no content */
	CFS_TAG_IS_SPECIAL = 1u << 1,
	CFS_TAG_CLOSES_P = 1u << 2,	/* its start ends an open <p> */
	CFS_TAG_IS_SCOPE = 1u << 3,	/* end tags do not reach beyond it */
	CFS_TAG_IS_MARKER = 1u << 4,	/* its end also ends an <a> inside */
	CFS_TAG_IS_FORMAT = 1u << 5,	/* <b>, <i>: can end inside blocks */
	CFS_TAG_BREAKS_OUT = 1u << 6,	/* its start ends SVG and MathML */
	CFS_TAG_IN_TABLE = 1u << 7,	/* a part of a table */
	CFS_TAG_DROPS_LF = 1u << 8,	/* a line end at its start is dropped */
	CFS_TAG_BOUNDS_ITEM = 1u << 9,	/* a <li> inside ends none outside */
	CFS_TAG_BOUNDS_TABLE = 1u << 10,	/* a </tr> inside likewise */
};

unsigned cfs_html_tag_flags(enum cfs_html_tag tag);

/* An open element. */
struct cfs_open_el {
	uint8_t tag;		/* enum cfs_html_tag */
	bool is_html;
	bool is_point;		/* SVG or MathML whose content is HTML */
	uint8_t hidden_from;	/* sinks whose start returned false */
	uint8_t silent_for;	/* sinks for which it is in a hidden element */
	bool is_gone;		/* ended, but elements inside are open */
	uint32_t name_hash;	/* identifies elements of CFS_TAG_OTHER */
};

struct cfs_open_link {
	unsigned depth;		/* number of open elements around it */
	uint8_t hidden_from, silent_for;
};

struct cfs_outline {
	struct cfs_html_tokenizer tokens;
	const struct cfs_html_sink *sinks;
	unsigned n_sinks;
	struct cfs_open_el open[CFS_HTML_DEPTH_MAX];
	unsigned n_open;
	unsigned overflow;	/* open elements that were not pushed */
	unsigned n_of[CFS_TAG_COUNT];	/* open elements of each tag */
	struct cfs_open_link links[CFS_HTML_LINKS_MAX];
	unsigned n_links;
	/* For each sink, the open elements and links that are hidden from it;
	 * and as bits, the sinks for which there is one. */
	unsigned n_hidden[CFS_HTML_SINKS_MAX];
	uint8_t deaf;
	bool drop_lf;		/* drop a line end at the start of the text */
	uint8_t take_formulas;	/* sinks that do, as bits */
	bool holds_formula;	/* one may go on with the next element */
	bool has_no_memory;
	struct cfs_formula *formula;	/* formula.h; NULL until there is
					 * one */
	struct cfs_buf decoded;
};

/* -- outline_stack.c: the open elements, and the events of their ends -- */

void cfs_outline_init(struct cfs_outline *o, const struct cfs_html_sink *sinks,
		      unsigned n);
void cfs_outline_release(struct cfs_outline *o);

/* Sends the start of the element of the last start tag and, if it has
 * content, pushes it. */
void cfs_outline_push(struct cfs_outline *o, enum cfs_html_tag tag,
		      bool is_html, bool is_point, bool has_content);
/* Ends all open elements from index `from` on. */
void cfs_outline_pop_to(struct cfs_outline *o, unsigned from);
/* Ends the element at index `at`, leaving those inside it open. */
void cfs_outline_remove(struct cfs_outline *o, unsigned at);
/* Sends start and end of an element without a start tag, for an end tag such as
 * </p> without <p>. */
void cfs_outline_empty(struct cfs_outline *o, enum cfs_html_tag tag);

void cfs_outline_open_link(struct cfs_outline *o);
void cfs_outline_close_link(struct cfs_outline *o);

/* Sends the formula that is held.  To be called before any other event. */
void cfs_outline_send_formula(struct cfs_outline *o);

/* True if a cell, or another element that an <a> cannot extend beyond, is open
 * at that depth or deeper. */
bool cfs_outline_is_marked_off(const struct cfs_outline *o, unsigned depth);

/* The innermost open element, NULL if there is none. */
static inline struct cfs_open_el *cfs_outline_top(struct cfs_outline *o)
{
	return o->n_open > 0 ? &o->open[o->n_open - 1] : NULL;
}

/* True if elements inside el are SVG or MathML.  el may be NULL. */
static inline bool cfs_outline_is_foreign(const struct cfs_open_el *el)
{
	return el != NULL && !el->is_html && !el->is_point;
}

/* -- outline_rules.c: which elements a tag ends -- */

/* Ends the elements that the start of an HTML element ends.  False if its tag
 * is to be ignored. */
bool cfs_outline_make_room(struct cfs_outline *o, enum cfs_html_tag tag);
/* Handles an end tag. */
void cfs_outline_end(struct cfs_outline *o, const struct cfs_html_token *tag);

#endif

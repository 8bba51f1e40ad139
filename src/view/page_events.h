/* page_events.h - what the first pass over a page saw, kept for the second.
 *
 * The first pass counts the blocks of a page (page_blocks.h) and records the
 * events of its outline.  The second, which writes the chosen blocks, takes
 * them from here: it need not parse the page again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_PAGE_EVENTS_H
#define CFS_VIEW_PAGE_EVENTS_H

#include "html/outline.h"

/* The most events that are kept, of 12 bytes each: those of some 10 MB of real
 * pages.  A page with more is parsed twice. */
#define CFS_PAGE_EVENTS_MAX (1u << 20)

enum cfs_page_event_kind {
	CFS_PAGE_START,		/* at: where its name begins in the document */
	CFS_PAGE_END,
	CFS_PAGE_TEXT,		/* at: where it is in the document */
	CFS_PAGE_DECODED,	/* at: where it is in `decoded` */
	CFS_PAGE_FORMULA,	/* likewise, in TeX; tag: 1, if it is shown on
				 * a line of its own, else 0 */
};

struct cfs_page_event {
	uint32_t at;		/* in bytes */
	uint32_t size;		/* a text's size in bytes */
	uint8_t kind;		/* enum cfs_page_event_kind */
	uint8_t tag;		/* enum cfs_html_tag */
};

struct cfs_page_events {
	struct cfs_slice in;	/* the document; borrowed */
	struct cfs_page_event *v;
	size_t n, room;
	struct cfs_buf decoded;	/* text that is not in the document so */
	bool is_cut;		/* there were too many: none is kept */
	bool has_formulas;	/* there was one, also if it is not kept */
};

/* Begins a record without events.  utf8 is borrowed for as long as it is used.
 * Release it in any case. */
void cfs_page_events_init(struct cfs_page_events *e, struct cfs_slice utf8);
void cfs_page_events_release(struct cfs_page_events *e);

/* Append an event.  Too many, or too little memory, set is_cut. */
void cfs_page_events_start(struct cfs_page_events *e,
			   const struct cfs_html_el *el);
void cfs_page_events_end(struct cfs_page_events *e, enum cfs_html_tag tag);
void cfs_page_events_text(struct cfs_page_events *e, struct cfs_slice s);
void cfs_page_events_formula(struct cfs_page_events *e, struct cfs_slice tex,
			     bool is_display);

/* The text of an event; borrowed. */
struct cfs_slice cfs_page_events_text_of(const struct cfs_page_events *e,
					 const struct cfs_page_event *v);

/* Reads the start tag of an event again, for its attributes.  The token is
 * borrowed from t, until the next one. */
const struct cfs_html_token *
cfs_page_events_tag(const struct cfs_page_events *e,
		    const struct cfs_page_event *v,
		    struct cfs_html_tokenizer *t);

#endif

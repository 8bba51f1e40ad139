/* md_line.h - the contents of one CommonMark block: text, emphasis, links,
 * images and code, escaped where they would mean something else.
 *
 * What an element asks for is written with the first character that it holds,
 * so that an empty one leaves no trace, and emphasis never begins or ends at
 * white space.  Emphasis that CommonMark would not recognise beside what stands
 * next to it (section 6.2, flanking delimiter runs) loses its marks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_MD_LINE_H
#define CFS_VIEW_MD_LINE_H

#include "base/buf.h"

enum cfs_md_mark { CFS_MD_STRONG, CFS_MD_EM, CFS_MD_MARKS };

/* What kind of block the text is for. */
enum cfs_md_block {
	CFS_MD_PARAGRAPH,
	CFS_MD_HEADING,		/* one line */
	CFS_MD_CELL,		/* one line, pipes are escaped */
};

struct cfs_md_line {
	enum cfs_md_block kind;
	struct cfs_buf text;		/* what is written so far */
	struct cfs_buf code;		/* of the code element that is open */
	struct cfs_buf href;		/* destination of the open link; n 0:
					 * no link is open */
	unsigned wanted[CFS_MD_MARKS];	/* open elements that ask for it */
	enum cfs_md_mark outer;		/* of two that are wanted, the one that
					 * was first */
	unsigned code_depth;		/* open code elements */
	size_t code_end;		/* text.n behind the last code */
	bool blank;			/* a blank is due before the next
					 * character */
	bool line_break;		/* a hard line break, likewise */
	size_t unsure;			/* text.n behind a character at the end
					 * that what follows makes special; 0:
					 * none */
	bool link_is_written;		/* its '[' is at link_at */
	size_t link_at;
	/* Marks that are written and open, outermost first. */
	struct cfs_md_open {
		enum cfs_md_mark mark;
		size_t at;		/* offset of the mark in text */
		bool needs_check;	/* punctuation follows it */
	} open[CFS_MD_MARKS];
	unsigned n_open;
	/* The marks that were closed last, innermost first, if nothing follows
	 * them yet. */
	struct cfs_md_open closed[CFS_MD_MARKS];
	unsigned n_closed;
	size_t closed_end;		/* text.n behind them */
};

void cfs_md_line_init(struct cfs_md_line *l, size_t max_bytes);
void cfs_md_line_release(struct cfs_md_line *l);

/* Appends text, with white space folded. */
void cfs_md_line_text(struct cfs_md_line *l, struct cfs_slice s);
/* Appends a blank or a line break, if more text follows. */
void cfs_md_line_blank(struct cfs_md_line *l);
void cfs_md_line_break(struct cfs_md_line *l);

/* An element that asks for a mark begins or ends. */
void cfs_md_line_mark(struct cfs_md_line *l, enum cfs_md_mark mark, bool begins);
/* The same for a code element. */
void cfs_md_line_code(struct cfs_md_line *l, bool begins);
/* A link begins, or ends (url empty). */
void cfs_md_line_link(struct cfs_md_line *l, struct cfs_slice url);
void cfs_md_line_image(struct cfs_md_line *l, struct cfs_slice url,
		       struct cfs_slice alt);

/* True if anything is written. */
bool cfs_md_line_has_text(const struct cfs_md_line *l);

/* Ends the block: closes links and marks, which go on in the next one, and
 * lends the text, which is valid until the line is changed.  A link goes on as
 * long as *spare has room for its destination, which is taken from it. */
struct cfs_slice cfs_md_line_end(struct cfs_md_line *l, size_t *spare);
/* Begins the next block. */
void cfs_md_line_begin(struct cfs_md_line *l, enum cfs_md_block kind);

#endif

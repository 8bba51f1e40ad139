/* page_blocks.h - the blocks of a page, counted: how much text and how much of
 * it in links each element has.
 *
 * A block is an element that structures a page; elements within a line (links,
 * emphasis, spans) belong to the block around them.  Blocks are numbered from 0
 * in document order, and a block's descendants follow it directly, so that the
 * whole is an array.  Two passes over the same page number its blocks alike:
 * the first counts, the second (markdown.h) writes what main_content.c has
 * chosen by number.  The second goes over the events that the first has kept
 * (page_events.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_PAGE_BLOCKS_H
#define CFS_VIEW_PAGE_BLOCKS_H

#include "page_events.h"
#include "table_grid.h"

/* The most blocks of a page.  What lies in further elements is counted for the
 * last block around it that has a number. */
#define CFS_PAGE_BLOCKS_MAX (1u << 18)

/* Tables with more text in a cell are layout; those that say that they are of
 * data, by headers or a caption, if it is more than the second. */
#define CFS_PAGE_CELL_MAX 400u
#define CFS_PAGE_DATA_CELL_MAX 2000u

/* The effect of an element on the text around it. */
enum cfs_page_role {
	CFS_PAGE_INLINE,	/* none */
	CFS_PAGE_BREAK,		/* a line ends: <br> */
	CFS_PAGE_BLOCK,		/* it is a block */
	CFS_PAGE_LEFT_OUT,	/* it is never shown, or never text */
};

struct cfs_page_block {
	uint32_t parent;	/* its number; 0 for the block 0 */
	uint32_t end;		/* one more than the last descendant's number */
	uint32_t text;		/* weight of its own text: a letter of an
				 * alphabet counts 1, of a script without
				 * blanks 3 */
	uint32_t link;		/* the part of it that is in links */
	uint32_t marks;		/* punctuation within and after sentences */
	uint32_t hash;		/* its own text's; blanks at the ends of text
				 * nodes do not count */
	uint32_t until;		/* the number of the first block after what
				 * it has itself: text, images */
	uint32_t at;		/* where its start tag begins, in bytes */
	uint32_t kind;		/* equal for elements with the same tag and
				 * class */
	uint8_t tag;		/* enum cfs_html_tag */
	uint8_t hints;		/* bits of class_words.h */
	bool is_chosen;		/* by cfs_page_blocks_choose */
	uint8_t columns;	/* a table of data's; else 0 */
	bool is_layout;		/* it says that it is no table of data */
	struct cfs_table_spans spans;	/* of a cell */
	bool leads_on;		/* its own text ends with a colon */
};

struct cfs_page_blocks {
	struct cfs_page_block *v;
	uint32_t n;
	size_t room;
	uint32_t title_block;	/* the heading that is the page's title; 0:
				 * none */
	bool is_forum;		/* it says that it is a discussion, whose
				 * comments are what it is there for */
	struct cfs_buf title;	/* the document's, at most CFS_TITLE_MAX
				 * bytes */
	struct cfs_page_events events;	/* without the title's */
};

enum cfs_page_role cfs_page_role(const struct cfs_html_el *el);
/* True if an element is left out with all that is in it because a browser does
 * not show it; a panel that a reader opens is not. */
bool cfs_page_is_hidden(const struct cfs_html_el *el);

/* Counts the blocks of a page, which is borrowed until b is released: in any
 * case.  0; CFS_ENOMEM, CFS_EINTR. */
int cfs_page_blocks_count(struct cfs_page_blocks *b, struct cfs_slice utf8,
			  struct cfs_ctx ctx);
void cfs_page_blocks_release(struct cfs_page_blocks *b);

/* Sets `columns` of the tables of data (page_tables.c).  Time is linear. */
void cfs_page_blocks_find_tables(struct cfs_page_blocks *b);

/* Sets is_chosen of the blocks whose own text is the main content of the page,
 * and title_block (main_content.c).  Time is linear.  0; CFS_ENOMEM. */
int cfs_page_blocks_choose(struct cfs_page_blocks *b, struct cfs_error *err);

#endif

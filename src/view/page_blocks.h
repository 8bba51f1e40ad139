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
	uint16_t hints;		/* bits of class_words.h */
	uint8_t tag;		/* enum cfs_html_tag */
	bool is_chosen;		/* by cfs_page_blocks_choose */
	uint8_t columns;	/* a table of data's; else 0 */
	bool is_layout;		/* it says that it is no table of data */
	bool is_code;		/* a block of code, besides <pre> */
	bool has_numbers;	/* a cell of line numbers in it was left out */
	struct cfs_table_spans spans;	/* of a cell */
	bool leads_on;		/* its own text ends with a colon */
	bool heads_pointers;	/* a heading of pointers to other pages, by its
				 * words */
};

struct cfs_page_blocks {
	struct cfs_page_block *v;
	uint32_t n;
	size_t room;
	uint32_t title_block;	/* the heading that is the page's title; 0:
				 * none */
	bool is_forum;		/* it says that it is a discussion, whose
				 * comments are what it is there for, */
	bool is_of_one;		/* an article, or a product */
	struct cfs_buf title;	/* the document's, at most CFS_TITLE_MAX
				 * bytes */
	struct cfs_page_events events;	/* without the title's */
};

enum cfs_page_role cfs_page_role(const struct cfs_html_el *el);
/* True if an element is left out with all that is in it because a browser does
 * not show it; a panel that a reader opens is not. */
bool cfs_page_is_hidden(const struct cfs_html_el *el);

/* True of the headings of the six levels. */
static inline bool cfs_page_is_heading(uint8_t tag)
{
	return tag >= CFS_TAG_H1 && tag <= CFS_TAG_H6;
}

/* Roles of elements in code, as bits, by their classes. */
enum {
	CFS_CODE_NUMBERS = 1u << 0,	/* line numbers; these are left out */
	CFS_CODE_NUMBERS_CELL = 1u << 1,	/* the same, if it is a cell, */
	CFS_CODE_NUMBERS_PRE = 1u << 2,		/* a <pre>, */
	CFS_CODE_NUMBERS_INSIDE = 1u << 3,	/* or in a block of code */
	CFS_CODE_BLOCK = 1u << 4,	/* a block of code */
	CFS_CODE_CELL = 1u << 5,	/* the same, if it is a cell beside one
					 * of line numbers */
};
#define CFS_CODE_LANGUAGE_MAX 32u	/* bytes of a language's name */

/* True of blocks that may have one. */
static inline bool cfs_page_may_have_roles(enum cfs_html_tag tag)
{
	return tag == CFS_TAG_DIV || tag == CFS_TAG_TD || tag == CFS_TAG_TH ||
	       tag == CFS_TAG_PRE;
}
/* The roles of a class attribute (page_code.c). */
unsigned cfs_page_code_roles(struct cfs_slice value);
/* True if an element with these roles has line numbers.  is_inside: it is in a
 * block of code. */
bool cfs_page_is_gutter(enum cfs_html_tag tag, unsigned roles, bool is_inside);
/* The same of an element within a line of code, by its start tag. */
bool cfs_page_is_number(const struct cfs_html_el *el);
/* True of a block whose text is code, with blanks and line ends. */
static inline bool cfs_page_block_is_code(const struct cfs_page_block *k)
{
	return k->is_code || k->tag == CFS_TAG_PRE ||
	       k->tag == CFS_TAG_LISTING || k->tag == CFS_TAG_XMP ||
	       k->tag == CFS_TAG_PLAINTEXT;
}
/* Appends the name of the language of a block of code that the attributes of an
 * element say, of [a-z0-9+#.-].  False: they say none. */
bool cfs_page_code_language(const struct cfs_html_el *el, struct cfs_buf *out);

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

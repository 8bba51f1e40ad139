/* choosing.h - totals of a page's blocks, while its main content is chosen
 * (main_content.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_CHOOSING_H
#define CFS_VIEW_CHOOSING_H

#include "class_words.h"
#include "page_blocks.h"

/* Weights of text, and a percentage (main_content.c has the others). */
enum {
	PROSE_MIN = 60,		/* less is no running text */
	VERSE_MIN = 300,	/* nor is less without punctuation */
	LINKS_MAX = 50,		/* percent of a text in links, of one that is no
				 * list of links */
};

/* Totals of a block and its descendants, without the dropped ones. */
struct total {
	uint32_t text, link;
	uint32_t prose;		/* weight of running text */
	uint32_t group;		/* the most running text of paragraphs side by
				 * side */
	uint32_t hash;		/* all text's */
	uint32_t tops;		/* headings of the highest level in it, */
	uint8_t top;		/* which is CFS_TAG_H1 for the first; 0: there
				 * are none */
	bool is_dropped;
};

struct choosing {
	struct cfs_page_blocks *b;
	struct total *t;
	uint32_t root;
	uint32_t title;		/* the first heading of level 1 that is no link;
				 * b->n: there is none */
	uint32_t longest;	/* the block with the most running text in
				 * paragraphs side by side */
	bool is_article;
	bool is_thread;		/* comments are what the page is there for */
	unsigned chrome;	/* hints that drop a block */
};

/* True if `part` is more than `percent` of `whole`. */
static inline bool exceeds(uint64_t part, uint64_t whole, unsigned percent)
{
	return part * 100 > whole * percent;
}

/* The weight of a block's own running text. */
static inline uint32_t prose_of(const struct cfs_page_block *k)
{
	uint32_t plain = k->text - k->link;
	uint32_t least = k->marks > 0 ? PROSE_MIN : VERSE_MIN;

	return plain < least ? 0 : plain;
}

static inline bool is_byline(const struct cfs_page_block *k)
{
	return (k->hints & CFS_HINT_BYLINE) && !(k->hints & CFS_HINT_CONTENT);
}

/* -- main_content_mark.c -- */

/* Marks what is chosen: what is not dropped of the root, and what belongs to it
 * before and behind it.  Finds the title. */
void cfs_main_content_mark(struct choosing *c);

#endif

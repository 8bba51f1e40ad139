/* main_content.c - chooses a page's main content (page_blocks.h).
 *
 * It goes by what blocks hold, and by the words of their names only second:
 *
 *  1. Blocks whose element or class says that they surround the content
 *     (navigation, advertising, comments) are dropped, unless they hold much of
 *     the page's running text: names lie where a theme wraps all of a page in
 *     one of them.
 *  2. A page with little running text is no article but a list, a shop or a
 *     front page: of these, pointers to other pages are the content.
 *  3. From the whole page it descends into the block with the longest running
 *     text, as long as what lies beside that is scattered: the root.
 *  4. Below the root of an article, lists of links, bylines and short lines
 *     around the text are dropped; an introduction before the root is added.
 *
 * A page of which nothing is left shows all its text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "page_blocks.h"

#include <stdlib.h>

#include "class_words.h"

/*
 * What blocks are judged by: weights of text (page_blocks.h), and percentages.
 * Chosen on 300 pages of five kinds of sites in ten languages (articles,
 * forums, shops, lists, documentation); doc/performance.md has what comes of
 * them on other pages.  Around these values the results change little.
 */
enum {
	PROSE_MIN = 60,		/* less is no running text */
	VERSE_MIN = 300,	/* nor is less without punctuation */
	LINKS_MAX = 50,		/* percent of a text in links, of one that is no
				 * list of links */
	VERSE_LINKS_MAX = 10,	/* likewise, without punctuation */
	ITEM_LINKS_MAX = 12,	/* likewise, of an item that is more than a
				 * pointer to a page */
	ITEM_DIVISOR = 4,	/* other items count for less */
	CHROME_MAX = 40,	/* percent of the page's running text in a block
				 * that may be dropped for its name */
	GROUP_KEPT = 70,	/* percent of the longest running text that
				 * protects a block from that */
	COMMENTS_MAX = 75,	/* percent of the page's running text in
				 * comments; a page with more is a thread */
	ARTICLE_MIN = 1000,	/* running text in one place that makes a page
				 * an article */
	ARTICLE_SHARE = 40,	/* so does this percentage of its text */
	ROOT_SHARE = 85,	/* percent that a block must hold of its
				 * parent's running text to be descended into */
	ROOT_MIN = 30,		/* the same where the rest is scattered */
	PEER_SHARE = 25,	/* percent of the longest running text that
				 * makes another block as good */
	LIST_PROSE_MAX = 20,	/* percent of the root's running text in a list
				 * of links that is dropped */
	BYLINE_PROSE_MAX = 5,	/* likewise in a byline */
	INTRO_LEVELS = 6,	/* parents of the root where an introduction is
				 * looked for */
	INTRO_LINKS_MAX = 20,	/* percent of it in links */
	LAST_MIN = 20,		/* weight of a paragraph after the last running
				 * text that belongs to it */
};

/* What a block holds together with its descendants, except dropped ones. */
struct total {
	uint32_t text, link;
	uint32_t prose;		/* weight of running text */
	uint32_t group;		/* the most running text of paragraphs side by
				 * side */
	bool is_dropped;
};

struct choosing {
	struct cfs_page_blocks *b;
	struct total *t;
	uint32_t root;
	bool is_article;
	unsigned chrome;	/* hints that drop a block */
};

/* True if `part` is more than `percent` of `whole`. */
static bool exceeds(uint64_t part, uint64_t whole, unsigned percent)
{
	return part * 100 > whole * percent;
}

/* The same for at least that much. */
static bool reaches(uint64_t part, uint64_t whole, unsigned percent)
{
	return part * 100 >= whole * percent;
}

static bool main_content_is_heading(uint8_t tag)
{
	return tag >= CFS_TAG_H1 && tag <= CFS_TAG_H6;
}

/* ---- totals ------------------------------------------------------------- */

/* The weight of a block's own running text. */
static uint32_t prose_of(const struct cfs_page_block *k)
{
	uint32_t plain = k->text - k->link;

	if (plain < PROSE_MIN || exceeds(k->link, k->text, LINKS_MAX))
		return 0;
	if (k->marks == 0 && (plain < VERSE_MIN ||
			      exceeds(k->link, k->text, VERSE_LINKS_MAX)))
		return 0;
	return plain;
}

/* What a block's own running text adds to that of its parent's paragraphs. */
static uint32_t group_of(const struct cfs_page_block *k)
{
	uint32_t own = prose_of(k);

	return k->tag == CFS_TAG_LI &&
	       exceeds(k->link, k->text, ITEM_LINKS_MAX) ?
	       own / ITEM_DIVISOR : own;
}

static void main_content_add_up(struct choosing *c)
{
	const struct cfs_page_block *v = c->b->v;

	for (uint32_t i = 0; i < c->b->n; i++)
		c->t[i] = (struct total){
			.text = v[i].text, .link = v[i].link,
			.prose = prose_of(&v[i]), .group = group_of(&v[i]),
			.is_dropped = c->t[i].is_dropped };
	for (uint32_t i = c->b->n; i-- > 1;) {
		struct total *up = &c->t[v[i].parent];

		if (c->t[i].is_dropped)
			continue;
		up->text += c->t[i].text;
		up->link += c->t[i].link;
		up->prose += c->t[i].prose;
		up->group += group_of(&v[i]);
	}
	for (uint32_t i = c->b->n; i-- > 1;) {
		struct total *up = &c->t[v[i].parent];

		if (!c->t[i].is_dropped && c->t[i].group > up->group)
			up->group = c->t[i].group;
	}
}

/* Drops a block with its descendants.  Returns the last of them. */
static uint32_t drop(struct choosing *c, uint32_t i)
{
	uint32_t end = c->b->v[i].end;

	for (uint32_t j = i; j < end; j++)
		c->t[j].is_dropped = true;
	return end - 1;
}

/* ---- what surrounds the content ----------------------------------------- */

/* True if comments are what the page is there for. */
static bool is_thread(const struct choosing *c)
{
	uint64_t in_comments = 0;

	for (uint32_t i = 1; i < c->b->n; i++)
		if (c->b->v[i].hints & CFS_HINT_COMMENTS) {
			in_comments += c->t[i].prose;
			i = c->b->v[i].end - 1;
		}
	return exceeds(in_comments, c->t[0].prose, COMMENTS_MAX);
}

static bool surrounds_by_tag(uint8_t tag)
{
	switch (tag) {
	case CFS_TAG_NAV: case CFS_TAG_FOOTER: case CFS_TAG_ASIDE:
	case CFS_TAG_FORM: case CFS_TAG_MENU: case CFS_TAG_SEARCH:
	case CFS_TAG_HEADER: case CFS_TAG_FIELDSET: case CFS_TAG_NOSCRIPT:
	case CFS_TAG_FIGCAPTION:
		return true;
	default:
		return false;
	}
}

/* True of a block that has about the longest running text of the page, though
 * its name is of something else. */
static bool has_longest(const struct choosing *c, uint32_t i)
{
	const struct cfs_page_block *k = &c->b->v[i];

	if (k->tag == CFS_TAG_NAV || k->tag == CFS_TAG_FOOTER ||
	    k->tag == CFS_TAG_ASIDE ||
	    (k->hints & c->chrome & CFS_HINT_COMMENTS))
		return false;
	return c->t[i].group >= VERSE_MIN &&
	       reaches(c->t[i].group, c->t[0].group, GROUP_KEPT);
}

/* Drops what surrounds the content.  hints: those that do so besides the
 * comments, which depend on the page. */
static void drop_chrome(struct choosing *c, unsigned hints)
{
	for (uint32_t i = 0; i < c->b->n; i++)
		c->t[i].is_dropped = false;
	main_content_add_up(c);
	c->chrome = hints | (is_thread(c) ? 0 : CFS_HINT_COMMENTS);
	for (uint32_t i = 1; i < c->b->n; i++) {
		const struct cfs_page_block *k = &c->b->v[i];

		if (((k->hints & c->chrome) || surrounds_by_tag(k->tag)) &&
		    !exceeds(c->t[i].prose, c->t[0].prose, CHROME_MAX) &&
		    !has_longest(c, i))
			i = drop(c, i);
	}
	main_content_add_up(c);
}

static bool has_article(const struct choosing *c)
{
	const struct total *page = &c->t[0];

	return page->group >= ARTICLE_MIN ||
	       reaches(page->prose, page->text - page->link, ARTICLE_SHARE);
}

/* ---- the root ----------------------------------------------------------- */

/* How much of the content a block holds. */
static uint32_t worth(const struct choosing *c, uint32_t i)
{
	return c->is_article ? c->t[i].prose : c->t[i].text;
}

/* The child with the most text in one place; 0: there is none. */
static uint32_t best_child(const struct choosing *c, uint32_t at)
{
	const struct cfs_page_block *v = c->b->v;
	uint32_t best = 0, most = 0;

	for (uint32_t j = at + 1; j < v[at].end; j = v[j].end) {
		uint32_t n = c->is_article ? c->t[j].group : c->t[j].text;

		if (!c->t[j].is_dropped && worth(c, j) > 0 &&
		    (best == 0 || n > most)) {
			best = j;
			most = n;
		}
	}
	return best;
}

/* True if something beside the best child is as good: another child of its
 * kind, or with as much text in one place, or the parent's own text. */
static bool has_peer(const struct choosing *c, uint32_t at, uint32_t best)
{
	const struct cfs_page_block *v = c->b->v;
	uint32_t most = c->t[best].group;

	if (exceeds(prose_of(&v[at]), most, PEER_SHARE))
		return true;
	for (uint32_t j = at + 1; j < v[at].end; j = v[j].end)
		if (j != best && !c->t[j].is_dropped && c->t[j].prose > 0 &&
		    (v[j].kind == v[best].kind ||
		     exceeds(c->t[j].group, most, PEER_SHARE)))
			return true;
	return false;
}

/* True of elements that are content as a whole: their form tells what is in
 * them. */
static bool is_whole(uint8_t tag)
{
	return tag == CFS_TAG_UL || tag == CFS_TAG_OL || tag == CFS_TAG_P ||
	       tag == CFS_TAG_BLOCKQUOTE || tag == CFS_TAG_PRE ||
	       tag == CFS_TAG_DL || main_content_is_heading(tag);
}

static void find_root(struct choosing *c)
{
	uint32_t at = 0, best;

	while ((best = best_child(c, at)) != 0 &&
	       !is_whole(c->b->v[best].tag)) {
		bool has_most = reaches(worth(c, best), worth(c, at),
					ROOT_SHARE);
		bool has_much = reaches(worth(c, best), worth(c, at),
					ROOT_MIN);

		if (!has_most && !(c->is_article && has_much &&
				   !has_peer(c, at, best)))
			break;
		at = best;
	}
	c->root = at;
}

/* ---- below the root ----------------------------------------------------- */

/* Drops lists of links and bylines. */
static void prune(struct choosing *c)
{
	const struct cfs_page_block *v = c->b->v;
	uint32_t all = c->t[c->root].prose;

	for (uint32_t i = c->root + 1; i < v[c->root].end; i++) {
		const struct total *t = &c->t[i];
		bool is_byline = (v[i].hints & CFS_HINT_BYLINE) &&
				 !(v[i].hints & CFS_HINT_CONTENT);

		if (t->is_dropped)
			continue;
		if ((is_byline && !exceeds(t->prose, all, BYLINE_PROSE_MAX)) ||
		    (exceeds(t->link, t->text, LINKS_MAX) &&
		     !exceeds(t->prose, all, LIST_PROSE_MAX)))
			i = drop(c, i);
	}
}

/* Does a block after the last running text belong to it? */
static bool ends_text(const struct cfs_page_block *k)
{
	return k->tag == CFS_TAG_LI ||
	       (k->tag == CFS_TAG_P && k->text > LAST_MIN &&
		!exceeds(k->link, k->text, INTRO_LINKS_MAX));
}

/* Drops short lines before the first running text, except headings, and after
 * the last. */
static void trim_ends(struct choosing *c)
{
	const struct cfs_page_block *v = c->b->v;
	uint32_t first = 0, last = 0;

	for (uint32_t i = c->root; i < v[c->root].end; i++)
		if (!c->t[i].is_dropped && prose_of(&v[i]) > 0) {
			first = first == 0 ? i : first;
			last = i;
		}
	if (first == 0)
		return;
	for (uint32_t i = c->root; i < first; i++)
		if (v[i].end <= first && !main_content_is_heading(v[i].tag))
			c->t[i].is_dropped = true;
	for (uint32_t i = last + 1; i < v[c->root].end; i++)
		if (!ends_text(&v[i]))
			c->t[i].is_dropped = true;
}

/* ---- the choice --------------------------------------------------------- */

/* Chooses an introduction: running text, in one place and without links, before
 * the root or one of its nearest parents. */
static void choose_intro(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;
	uint32_t at = c->root;

	for (unsigned level = 0; level < INTRO_LEVELS && at != 0; level++) {
		uint32_t up = v[at].parent;

		for (uint32_t j = up + 1; j < at; j = v[j].end) {
			const struct total *t = &c->t[j];

			if (t->is_dropped || t->prose == 0 ||
			    t->prose > t->group ||
			    exceeds(t->link, t->text, INTRO_LINKS_MAX))
				continue;
			for (uint32_t i = j; i < v[j].end; i++)
				v[i].is_chosen = !c->t[i].is_dropped &&
						 prose_of(&v[i]) > 0;
		}
		at = up;
	}
}

/* If nothing with text is chosen, chooses all that is not dropped, or else
 * everything. */
static void choose_rest(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;
	bool is_any_chosen = false, is_any_left = false;

	for (uint32_t i = 0; i < c->b->n; i++) {
		bool has_text = v[i].text > 0 && v[i].tag != CFS_TAG_H1;

		is_any_chosen |= has_text && v[i].is_chosen;
		is_any_left |= has_text && !c->t[i].is_dropped;
	}
	for (uint32_t i = 0; i < c->b->n && !is_any_chosen; i++)
		v[i].is_chosen = !is_any_left || !c->t[i].is_dropped;
}

/* Finds the heading that is the title: the last one of level 1 before the end
 * of the first block with chosen text, and not a link, as the name of a site
 * is. */
static void find_title(struct choosing *c)
{
	const struct cfs_page_block *v = c->b->v;
	uint32_t end = c->b->n;

	for (uint32_t i = 0; i < end; i++) {
		if (v[i].tag == CFS_TAG_H1 && v[i].text > v[i].link)
			c->b->title_block = i;
		else if (v[i].is_chosen && v[i].text > 0 &&
			 !main_content_is_heading(v[i].tag) && v[i].end < end)
			end = v[i].end;
	}
}

static void choose(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;

	drop_chrome(c, CFS_HINT_CHROME | CFS_HINT_CAPTION | CFS_HINT_BLURB);
	c->is_article = has_article(c);
	if (!c->is_article)
		drop_chrome(c, CFS_HINT_CHROME | CFS_HINT_CAPTION);
	find_root(c);
	if (c->is_article) {
		prune(c);
		trim_ends(c);
	}
	for (uint32_t i = c->root; i < v[c->root].end; i++)
		v[i].is_chosen = !c->t[i].is_dropped;
	if (c->is_article)
		choose_intro(c);
	choose_rest(c);
	find_title(c);
}

int cfs_page_blocks_choose(struct cfs_page_blocks *b, struct cfs_error *err)
{
	struct choosing c = { .b = b };

	c.t = calloc(b->n, sizeof(*c.t));
	if (c.t == NULL)
		return cfs_error_nomem(err);
	choose(&c);
	free(c.t);
	return CFS_OK;
}

/* main_content_mark.c - marks the blocks that are a page's main content, when
 * the root is known and what is none in it is dropped (main_content.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "choosing.h"

enum {
	INTRO_LEVELS = 6,	/* parents of the root where an introduction is
				 * looked for */
	INTRO_LINKS_MAX = 20,	/* percent of it in links */
};

/* ---- before the root ---------------------------------------------------- */

/* May a block that was dropped have the summary of an article? */
static bool may_have_lead(const struct cfs_page_block *k)
{
	if (k->hints & (CFS_HINT_CHROME | CFS_HINT_FRAME |
			CFS_HINT_COMMENTS | CFS_HINT_CAPTION))
		return false;
	return (k->hints & CFS_HINT_LEAD) ||
	       (k->tag == CFS_TAG_HEADER && (k->hints & CFS_HINT_CONTENT));
}

/* Chooses the running text of such a block, if it is one paragraph. */
static void choose_lead(struct choosing *c, uint32_t at)
{
	struct cfs_page_block *v = c->b->v;
	uint32_t found = 0, n = 0;

	if (!may_have_lead(&v[at]))
		return;
	for (uint32_t i = at; i < v[at].end; i++)
		if (prose_of(&v[i]) > 0) {
			found = i;
			n++;
		}
	if (n == 1 && v[found].tag != CFS_TAG_FIGCAPTION &&
	    !cfs_page_is_heading(v[found].tag) &&
	    !(v[found].hints & CFS_HINT_BYLINE))
		v[found].is_chosen = true;
}

/* True of running text that is side by side, without links. */
static bool is_in_one_place(const struct total *t)
{
	return t->prose > 0 && t->prose <= t->group &&
	       !exceeds(t->link, t->text, INTRO_LINKS_MAX);
}

/* Chooses the running text in a block.  Returns the last of its descendants. */
static uint32_t choose_prose(struct choosing *c, uint32_t at)
{
	struct cfs_page_block *v = c->b->v;

	for (uint32_t i = at; i < v[at].end; i++)
		v[i].is_chosen = !c->t[i].is_dropped && prose_of(&v[i]) > 0;
	return v[at].end - 1;
}

/* Chooses an introduction: running text, in one place and without links, before
 * the root or one of its nearest parents; that of a list is behind its
 * title. */
static void choose_intro(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;
	uint32_t at = c->root, title = 0;

	if (!c->is_article && c->title < c->root)
		title = c->title;

	for (unsigned level = 0; level < INTRO_LEVELS && at != 0; level++) {
		uint32_t up = v[at].parent;

		for (uint32_t j = up + 1; j < at; j++) {
			const struct total *t = &c->t[j];

			if (v[j].end <= title) {
				continue;
			} else if (t->is_dropped) {
				choose_lead(c, j);
				j = v[j].end - 1;
			} else if (is_byline(&v[j])) {
				j = v[j].end - 1;
			} else if (is_in_one_place(t)) {
				j = choose_prose(c, j);
			}
		}
		at = up;
	}
}

/* ---- behind it ---------------------------------------------------------- */

/* True of code, tables, definitions and quotations, which are content wherever
 * they are in an article. */
static bool is_of_article(const struct choosing *c, uint32_t i)
{
	const struct cfs_page_block *k = &c->b->v[i];

	return (cfs_page_block_is_code(k) || k->tag == CFS_TAG_TABLE ||
		k->tag == CFS_TAG_DL || k->tag == CFS_TAG_BLOCKQUOTE) &&
	       !exceeds(c->t[i].link, c->t[i].text, LINKS_MAX);
}

/* Chooses such blocks behind the root, up to the end of its <article>, each
 * with the heading before it. */
static void choose_rest_of_article(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;
	uint32_t at = c->root, heading = 0, end;

	while (at != 0 && v[at].tag != CFS_TAG_ARTICLE &&
	       v[at].tag != CFS_TAG_MAIN)
		at = v[at].parent;
	for (uint32_t i = v[c->root].end; at != 0 && i < v[at].end; i = end) {
		end = i + 1;
		if (c->t[i].is_dropped) {
			end = v[i].end;
		} else if (cfs_page_is_heading(v[i].tag)) {
			heading = i;
		} else if (is_of_article(c, i)) {
			end = v[i].end;
			for (uint32_t j = i; j < end; j++)
				v[j].is_chosen = !c->t[j].is_dropped;
			v[heading].is_chosen |= heading != 0;
			heading = 0;
		} else if (v[i].text > 0) {
			heading = 0;
		}
	}
}

/* ---- if there is nothing ------------------------------------------------ */

/* True if text is chosen besides headings of level 1. */
static bool is_any_chosen(const struct choosing *c)
{
	const struct cfs_page_block *v = c->b->v;
	uint32_t i = 0;

	while (i < c->b->n && (!v[i].is_chosen || v[i].text == 0 ||
			       v[i].tag == CFS_TAG_H1))
		i++;
	return i < c->b->n;
}

/* True of what frames every page, whatever it holds. */
static bool is_frame(const struct cfs_page_block *k)
{
	switch (k->tag) {
	case CFS_TAG_NAV: case CFS_TAG_HEADER: case CFS_TAG_FOOTER:
	case CFS_TAG_MENU: case CFS_TAG_ASIDE:
		return true;
	default:
		return (k->hints & CFS_HINT_FRAME) != 0;
	}
}

/* If nothing with text is chosen, chooses all that is not dropped, or else all
 * that frames no page, and of that, too, only images if there is no text. */
static void choose_rest(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;
	uint32_t end = 0;	/* of the frame */

	if (is_any_chosen(c))
		return;
	for (uint32_t i = 0; i < c->b->n; i++)
		v[i].is_chosen = !c->t[i].is_dropped;
	if (is_any_chosen(c))
		return;
	for (uint32_t i = 0; i < c->b->n; i++) {
		if (i >= end && is_frame(&v[i]))
			end = v[i].end;
		v[i].is_chosen = i >= end;
	}
	if (is_any_chosen(c))
		return;
	for (uint32_t i = 0; i < c->b->n; i++)
		v[i].is_chosen &= v[i].text == 0;
}

/* ---- all of it ---------------------------------------------------------- */

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
			 !cfs_page_is_heading(v[i].tag) && v[i].end < end)
			end = v[i].end;
	}
}

void cfs_main_content_mark(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;

	for (uint32_t i = c->root; i < v[c->root].end; i++)
		v[i].is_chosen = !c->t[i].is_dropped;
	if (c->is_article)
		choose_rest_of_article(c);
	if (!c->is_thread || c->is_article)
		choose_intro(c);
	choose_rest(c);
	find_title(c);
}

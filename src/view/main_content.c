/* main_content.c - chooses a page's main content (main_content.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "main_content.h"

#include <stdlib.h>

#include "class_words.h"

static unsigned VERSE_MIN = 300;
static unsigned SHARE_GROUP = 70;
static unsigned PROSE_MIN = 60;
static unsigned SHARE_CHROME = 40;
static unsigned SHARE_ARTICLE = 40;
static unsigned GROUP_ARTICLE = 1000;
static unsigned SHARE_PEER = 25;
static unsigned INTRO_LEVELS = 4;
static unsigned SHARE_MIN = 30;
static unsigned SHARE_ROOT = 85;
static unsigned LINKY = 50;
static unsigned PRUNE_PROSE = 20;
static unsigned LI_LINK = 12;
static unsigned LI_DIV = 4;
static unsigned TRIM_END = 7;
static unsigned BYL = 0;
static unsigned COMM = 75;
static unsigned INTRO_LINK = 20;
static unsigned PRUNE_P = 0;
static unsigned HEADEND = 0;
static void envs(void)
{
	static bool done; const char *e;
	if (done) return;
	done = true;
	if ((e = getenv("VERSE_MIN")) != NULL) VERSE_MIN = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("SHARE_GROUP")) != NULL) SHARE_GROUP = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("PROSE_MIN")) != NULL) PROSE_MIN = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("SHARE_CHROME")) != NULL) SHARE_CHROME = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("SHARE_ARTICLE")) != NULL) SHARE_ARTICLE = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("GROUP_ARTICLE")) != NULL) GROUP_ARTICLE = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("SHARE_PEER")) != NULL) SHARE_PEER = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("INTRO_LEVELS")) != NULL) INTRO_LEVELS = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("SHARE_MIN")) != NULL) SHARE_MIN = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("SHARE_ROOT")) != NULL) SHARE_ROOT = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("LINKY")) != NULL) LINKY = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("PRUNE_PROSE")) != NULL) PRUNE_PROSE = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("LI_LINK")) != NULL) LI_LINK = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("LI_DIV")) != NULL) LI_DIV = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("TRIM_END")) != NULL) TRIM_END = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("BYL")) != NULL) BYL = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("COMM")) != NULL) COMM = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("INTRO_LINK")) != NULL) INTRO_LINK = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("PRUNE_P")) != NULL) PRUNE_P = (unsigned)strtol(e, NULL, 10);
	if ((e = getenv("HEADEND")) != NULL) HEADEND = (unsigned)strtol(e, NULL, 10);
}

struct total {
	uint32_t text, link, marks, links;
	uint32_t prose;		/* weight of running text */
	uint32_t group;		/* the largest one of paragraphs side by
				 * side */
	bool is_dropped;
};

struct choosing {
	struct cfs_page_blocks *b;
	struct total *t;
	uint32_t root;
	bool is_article;
	unsigned comments, blurbs;	/* hints */
};

static uint32_t prose_of(const struct cfs_page_block *k)
{
	uint32_t plain = k->text - k->link;

	if (plain < PROSE_MIN || k->link * 100ull > k->text * (uint64_t)LINKY)
		return 0;
	if (k->marks == 0 && (plain < VERSE_MIN || k->link * 10 > k->text))
		return 0;
	return plain;
}

static void add_up(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;

	for (uint32_t i = 0; i < c->b->n; i++)
		c->t[i] = (struct total){
			.text = v[i].text, .link = v[i].link,
			.marks = v[i].marks, .links = v[i].links,
			.prose = prose_of(&v[i]),
			.is_dropped = c->t[i].is_dropped };
	for (uint32_t i = c->b->n; i-- > 1;) {
		struct total *up = &c->t[v[i].parent];

		if (c->t[i].is_dropped)
			continue;
		up->text += c->t[i].text;
		up->link += c->t[i].link;
		up->marks += c->t[i].marks;
		up->links += c->t[i].links;
		up->prose += c->t[i].prose;
	}
}

static void add_groups(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;

	if (!c->is_article)
		return;
	for (uint32_t i = 0; i < c->b->n; i++)
		c->t[i].group = 0;
	for (uint32_t i = c->b->n; i-- > 0;) {
		uint32_t own = prose_of(&v[i]);

		if (c->t[i].is_dropped || own == 0)
			continue;
		if (v[i].tag == CFS_TAG_LI && v[i].link * 100ull > v[i].text * (uint64_t)LI_LINK)
			own /= LI_DIV;
		c->t[i].group += own;
		c->t[v[i].parent].group += own;
	}
	for (uint32_t i = c->b->n; i-- > 1;) {
		struct total *up = &c->t[v[i].parent];

		if (!c->t[i].is_dropped && c->t[i].group > up->group)
			up->group = c->t[i].group;
	}
}

static bool is_chrome(const struct choosing *c, const struct cfs_page_block *k)
{
	if (k->hints & (CFS_HINT_CHROME | CFS_HINT_CAPTION | c->blurbs |
			c->comments))
		return true;
	switch (k->tag) {
	case CFS_TAG_NAV: case CFS_TAG_FOOTER: case CFS_TAG_ASIDE:
	case CFS_TAG_FORM: case CFS_TAG_MENU: case CFS_TAG_SEARCH:
	case CFS_TAG_HEADER: case CFS_TAG_FIELDSET:
	case CFS_TAG_NOSCRIPT: case CFS_TAG_FIGCAPTION:
		return true;
	default:
		return false;
	}
}

/* True of a block that is chrome by its class only, but has the page's longest
 * running text. */
static bool has_largest_group(const struct choosing *c, uint32_t i)
{
	const struct cfs_page_block *k = &c->b->v[i];

	if (k->tag == CFS_TAG_NAV || k->tag == CFS_TAG_FOOTER ||
	    k->tag == CFS_TAG_ASIDE || (k->hints & c->comments))
		return false;
	return (uint64_t)c->t[i].group * 100 >=
	       (uint64_t)c->t[0].group * SHARE_GROUP && c->t[i].group >= VERSE_MIN;
}

/* Drops what surrounds main content, as its names say, unless it holds much of
 * the page. */
static void drop_chrome(struct choosing *c)
{
	uint32_t all = c->t[0].prose;

	for (uint32_t i = 1; i < c->b->n; i++) {
		const struct cfs_page_block *k = &c->b->v[i];

		if (is_chrome(c, k) &&
		    (uint64_t)c->t[i].prose * 100 <
		    (uint64_t)all * SHARE_CHROME + 1 &&
		    !has_largest_group(c, i)) {
			for (uint32_t j = i; j < k->end; j++)
				c->t[j].is_dropped = true;
			i = k->end - 1;
		}
	}
}

static uint64_t worth(const struct choosing *c, uint32_t i)
{
	return c->is_article ? c->t[i].prose : c->t[i].text;
}

static uint64_t rank(const struct choosing *c, uint32_t i)
{
	return c->is_article ? c->t[i].group : c->t[i].text;
}

/* True if some other child than `best` has as much. */
static bool has_peer(const struct choosing *c, uint32_t at, uint32_t best)
{
	const struct cfs_page_block *v = c->b->v;

	for (uint32_t j = at + 1; j < v[at].end; j = v[j].end) {
		if (j == best || c->t[j].is_dropped || c->t[j].prose == 0)
			continue;
		if (v[j].kind == v[best].kind ||
		    (uint64_t)c->t[j].group * 100 >
		    (uint64_t)c->t[best].group * SHARE_PEER)
			return true;
	}
	return false;
}

/* Descends while one child has nearly all prose. */
static void find_root(struct choosing *c)
{
	uint32_t at = 0;

	for (;;) {
		uint32_t best = 0;

		for (uint32_t j = at + 1; j < c->b->v[at].end;
		     j = c->b->v[j].end)
			if (!c->t[j].is_dropped &&
			    (best == 0 || rank(c, j) > rank(c, best)))
				best = j;
		if (best == 0 || worth(c, best) == 0)
			break;
		if (worth(c, best) * 100 < worth(c, at) * SHARE_ROOT &&
		    (!c->is_article || worth(c, best) * 100 < worth(c, at) * SHARE_MIN ||
		     has_peer(c, at, best) ||
		     prose_of(&c->b->v[at]) * 100ull > c->t[best].group * (uint64_t)SHARE_PEER))
			break;
		at = best;
	}
	c->root = at;
}

/* Keeps an introduction: running text beside the root or one of its nearest
 * parents, before it. */
static void keep_intro(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;
	uint32_t at = c->root;

	for (unsigned level = 0; level < INTRO_LEVELS && at != 0; level++) {
		uint32_t up = v[at].parent;

		for (uint32_t j = up + 1; j < at; j = v[j].end) {
			const struct total *t = &c->t[j];

			if (t->is_dropped || t->prose == 0 ||
			    t->link * 100ull > t->text * (uint64_t)INTRO_LINK ||
			    t->prose > t->group)
				continue;
			for (uint32_t i = j; i < v[j].end; i++)
				v[i].is_chosen = !c->t[i].is_dropped &&
					prose_of(&v[i]) > 0;
		}
		at = up;
	}
}

/* Drops lists of links and the like below the root. */
static void prune(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;

	for (uint32_t i = c->root + 1; i < v[c->root].end; i++) {
		struct total *t = &c->t[i];

		if (t->is_dropped)
			continue;
		if (BYL && (v[i].hints & CFS_HINT_BYLINE) && !(BYL == 1 && (v[i].hints & CFS_HINT_CONTENT)) && t->prose * 20ull <= c->t[c->root].prose) {
			for (uint32_t j = i; j < v[i].end; j++)
				c->t[j].is_dropped = true;
			i = v[i].end - 1;
			continue;
		}
		if (t->link * 100ull > t->text * (uint64_t)LINKY && t->text > 0 &&
		    (!PRUNE_P || v[i].tag != CFS_TAG_P) && t->prose * 100ull <= c->t[c->root].prose * (uint64_t)PRUNE_PROSE) {
			for (uint32_t j = i; j < v[i].end; j++)
				c->t[j].is_dropped = true;
			i = v[i].end - 1;
		}
	}
}


static void judge_comments(struct choosing *c)
{
	uint64_t in = 0;

	for (uint32_t i = 1; i < c->b->n; i++)
		if (c->b->v[i].hints & CFS_HINT_COMMENTS) {
			in += c->t[i].prose;
			i = c->b->v[i].end - 1;
		}
	c->comments = in * 100 > (uint64_t)c->t[0].prose * COMM ? 0 :
		      CFS_HINT_COMMENTS;
}
#include <stdio.h>
static void debug_dump(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;
	if (getenv("MD_DEBUG") == NULL)
		return;
	fprintf(stderr, "root %u\n", c->root);
	for (uint32_t i = 0; i < c->b->n; i++) {
		unsigned d = 0;
		for (uint32_t j = i; j != 0; j = v[j].parent)
			d++;
		if (c->t[i].text == 0 && v[i].text == 0)
			continue;
		fprintf(stderr, "%*s%u %s%s h%x own %u/%u m%u l%u tot %u/%u prose %u%s%s\n",
			d, "", i, cfs_html_tag_name(v[i].tag),
			i == c->root ? "<ROOT>" : "", v[i].hints,
			v[i].text, v[i].link, v[i].marks, v[i].links,
			c->t[i].text, c->t[i].link, c->t[i].prose,
			c->t[i].is_dropped ? " DROP" : "",
			v[i].is_chosen ? " +" : "");
	}
}

static bool is_heading(uint8_t tag)
{
	return tag >= CFS_TAG_H1 && tag <= CFS_TAG_H6;
}

/* Drops bylines and other short lines before the first prose and after the
 * last. */
static void trim(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;
	uint32_t first = 0, last = 0;

	for (uint32_t i = c->root; i < v[c->root].end; i++)
		if (!c->t[i].is_dropped && prose_of(&v[i]) > 0) {
			first = first == 0 ? i : first;
			last = i;
		}
	if (first == 0)
		return;
	for (uint32_t i = c->root; i < first; i++)
		if (v[i].end <= first && !is_heading(v[i].tag))
			c->t[i].is_dropped = true;
	for (uint32_t i = last + 1; i < v[c->root].end; i++)
		if (!((TRIM_END & 1) && v[i].tag == CFS_TAG_LI) &&
		    !((TRIM_END & 2) && v[i].tag == CFS_TAG_P) &&
		    !((TRIM_END & 8) && v[i].tag == CFS_TAG_P && v[i].link * 5 < v[i].text && v[i].text > 20) &&
		    !((TRIM_END & 4) && v[i].tag == CFS_TAG_TD))
			c->t[i].is_dropped = true;
}

static void drop_all(struct choosing *c, unsigned blurbs)
{
	for (uint32_t i = 0; i < c->b->n; i++)
		c->t[i].is_dropped = false;
	c->blurbs = blurbs;
	c->is_article = true;
	add_up(c);
	judge_comments(c);
	add_groups(c);
	drop_chrome(c);
	add_up(c);
	add_groups(c);
}

static bool is_article(const struct choosing *c)
{
	const struct total *all = &c->t[0];

	return all->group >= GROUP_ARTICLE || all->prose * 100ull >=
		(all->text - all->link) * (uint64_t)SHARE_ARTICLE;
}

/* Finds the heading that is the title: the last of level 1 before the main
 * content. */
static void find_title(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;
	uint32_t first = 0;

	while (first < c->b->n && (!v[first].is_chosen ||
				   v[first].text == 0 ||
				   (is_heading(v[first].tag) &&
				    v[first].tag != CFS_TAG_H1)))
		first++;
	for (uint32_t i = 0; i <= first && i < c->b->n; i++)
		if (v[i].tag == CFS_TAG_H1 && v[i].text > v[i].link)
			c->b->title_block = i;
}

/* Chooses all that is not dropped, or else everything, where no text is
 * chosen. */
static void choose_rest(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;
	uint64_t chosen = 0, left = 0;

	for (uint32_t i = 0; i < c->b->n; i++) {
		chosen += v[i].is_chosen && v[i].tag != CFS_TAG_H1 ?
			  v[i].text : 0;
		left += c->t[i].is_dropped ? 0 : v[i].text;
	}
	if (chosen > 0)
		return;
	for (uint32_t i = 0; i < c->b->n; i++)
		v[i].is_chosen = left == 0 || !c->t[i].is_dropped;
}

static void choose(struct choosing *c)
{
	struct cfs_page_block *v = c->b->v;

	drop_all(c, CFS_HINT_BLURB);
	c->is_article = is_article(c);
	if (!c->is_article) {
		drop_all(c, 0);
		c->is_article = false;
	}
	find_root(c);
	if (c->is_article)
		prune(c), trim(c);
	for (uint32_t i = c->root; i < v[c->root].end; i++)
		v[i].is_chosen = !c->t[i].is_dropped;
	if (c->is_article)
		keep_intro(c);
	choose_rest(c);
	find_title(c);
	debug_dump(c);
}

int cfs_main_content_choose(struct cfs_page_blocks *b, struct cfs_error *err)
{
	struct choosing c = { .b = b };

	envs();

	c.t = calloc(b->n, sizeof(*c.t));
	if (c.t == NULL)
		return cfs_error_nomem(err);
	choose(&c);
	free(c.t);
	return CFS_OK;
}

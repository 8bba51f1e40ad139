/* main_content.c - chooses a page's main content (page_blocks.h).
 *
 * It goes by what blocks hold, and by the words of their names only second:
 *
 *  1. Blocks whose element or class says that they surround the content
 *     (navigation, advertising, comments) are dropped, unless they hold much of
 *     the page's running text: names lie where a theme wraps all of a page in
 *     one of them.  Footers at the end are dropped whatever they hold.
 *     Comments are what a page is there for if it says that it is a discussion
 *     (schema.org, or the class of its body), or has little else: no long
 *     article, and no word that it is one or a product (ogp.me).  Sections
 *     whose headings say that they point to other pages are dropped, too, and
 *     what little comes before the title.
 *  2. A page with little running text, or with its text in many places, is no
 *     article but a list, a shop or a front page: of these, pointers to other
 *     pages are the content, without bylines.
 *  3. From the whole page, of a list from <main>, it descends into the block
 *     with the longest running text, as long as what lies beside that is
 *     scattered: the root.
 *  4. Below the root of an article, bylines, and lists of links that no text
 *     announces, and that are not beside most of it, are dropped.  An
 *     introduction before the root is added, also one that was dropped with the
 *     article's header, and code, tables and quotations behind it up to the end
 *     of the <article>.
 *  5. A block with much running text that occurs again elsewhere is shown once,
 *     and so is a line that is that of the block before it.
 *
 * A page of which nothing is left shows all its text but that of menus, headers
 * and footers, if there is any: else a script would have made its content.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "choosing.h"

#include <stdlib.h>

/*
 * The thresholds for blocks: weights of text (page_blocks.h), and percentages.
 * Chosen on 300 pages of five kinds of sites in ten languages (articles,
 * forums, shops, lists, documentation); doc/performance.md has what comes of
 * them on other pages.  Around these values the results change little.
 */
enum {
	ITEM_LINKS_MAX = 12,	/* percent of an item's text in links, of one
				 * that is more than a pointer to a page */
	ITEM_DIVISOR = 6,	/* other items count for less */
	CHROME_MAX = 40,	/* percent of the page's running text in a block
				 * that may be dropped for its name */
	BESIDE_MAX = 85,	/* the same where the page's longest running
				 * text is elsewhere */
	COMMENTS_MAX = 75,	/* percent of the page's running text in
				 * comments; a page with more is a thread */
	CAPTIONS_MAX = 60,	/* likewise in captions; a page with more is a
				 * gallery */
	CAPTIONED_MAX = 30,	/* percent of all text in what is named so; a
				 * page with more names letters so */
	FRAME_MAX = 60,		/* the same in what frames every page, */
	FRAME_AT = 65,		/* but any amount behind this percentage of the
				 * page's blocks */
	FORM_PROSE_MIN = 50,	/* percent of a form that is running text, of
				 * one that is not for input */
	ARTICLE_SHARE = 40,	/* percent of the text without links, in running
				 * text, of an article; */
	ARTICLE_MIN = 1600,	/* one is so much in one place, whatever is
				 * beside it, */
	ARTICLE_SAID_MIN = 300,	/* likewise, of one that says that it is, */
	ARTICLE_PART = 30,	/* or this percentage of all text */
	ROOT_SHARE = 85,	/* percent that a block must hold of its
				 * parent's running text to be descended into */
	MAIN_MIN = 50,		/* percent of all text in the element <main> */
	ROOT_MIN = 30,		/* the same where the rest is scattered */
	PEER_SHARE = 25,	/* percent of the longest running text that
				 * makes another block as good */
	PEER_TEXT = 30,		/* so does this percentage of its text, with
				 * few links */
	KIN_SHARE = 5,		/* likewise for one of the same kind */
	PEERS_MIN = 6,		/* so many others are as good together */
	LIST_PROSE_MAX = 20,	/* percent of the root's running text in a list
				 * of links that is dropped */
	POINTERS_MAX = 50,	/* percent of a section in running text, of one
				 * of pointers to other pages */
	BEFORE_TITLE_MAX = 30,	/* percent of all text, */
	BEFORE_TITLE_PROSE = 10, /* and of the page's running text, before the
				 * title, that is dropped */
	BODY_SHARE = 50,	/* percent of the root's running text beside a
				 * list of links that is kept */
	BYLINE_PROSE_MAX = 5,	/* likewise in a byline */
	ITEM_BYLINE_MAX = 10,	/* percent of all text in a byline of what is
				 * listed */
	SENTENCE_LINKS_MAX = 80, /* percent of a paragraph in links that is no
				 * list of links itself */
	REPEATED_MIN = 100,	/* running text that is not shown twice, */
	TWIN_MIN = 3,		/* and text that is not shown twice in a row */
};

/* Texts that are remembered at a time, by their hash, to find those that occur
 * again: far more than a page has paragraphs. */
#define SEEN_MAX 4096u

/* Spreads the bits of a hash (2^32 divided by the golden ratio). */
#define HASH_FACTOR UINT32_C(0x9e3779b9)

/* True if `part` is at least `percent` of `whole`. */
static bool reaches(uint64_t part, uint64_t whole, unsigned percent)
{
	return part * 100 >= whole * percent;
}

/* ---- totals ------------------------------------------------------------- */

/* The part of a block's own running text that counts for its parent's group. */
static uint32_t group_of(const struct cfs_page_block *k)
{
	uint32_t own = prose_of(k);

	return k->tag == CFS_TAG_LI &&
	       exceeds(k->link, k->text, ITEM_LINKS_MAX) ?
	       own / ITEM_DIVISOR : own;
}

/* Adds the headings of a block to those of its parent. */
static void add_headings(const struct total *t, struct total *up)
{
	if (t->top == 0)
		return;
	if (t->top == up->top) {
		up->tops += t->tops;
	} else if (up->top == 0 || t->top < up->top) {
		up->top = t->top;
		up->tops = t->tops;
	}
}

static void add_up(struct choosing *c)
{
	const struct cfs_page_block *v = c->b->v;

	for (uint32_t i = 0; i < c->b->n; i++) {
		bool is_top = cfs_page_is_heading(v[i].tag) && v[i].text > 0;

		c->t[i] = (struct total){
			.text = v[i].text, .link = v[i].link,
			.prose = prose_of(&v[i]), .group = group_of(&v[i]),
			.hash = v[i].hash,
			.tops = is_top, .top = is_top ? v[i].tag : 0,
			.is_dropped = c->t[i].is_dropped };
	}
	for (uint32_t i = c->b->n; i-- > 1;) {
		struct total *up = &c->t[v[i].parent];

		if (c->t[i].is_dropped)
			continue;
		up->text += c->t[i].text;
		up->link += c->t[i].link;
		up->prose += c->t[i].prose;
		up->hash += c->t[i].hash * HASH_FACTOR;
		add_headings(&c->t[i], up);
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

/* Sums up the text of the blocks that tell says so of. */
static struct total sum_of(const struct choosing *c,
			   bool (*tell)(const struct cfs_page_block *))
{
	struct total sum = { 0 };

	for (uint32_t i = 1; i < c->b->n; i++)
		if (tell(&c->b->v[i])) {
			sum.text += c->t[i].text;
			sum.prose += c->t[i].prose;
			i = c->b->v[i].end - 1;
		}
	return sum;
}

static bool is_comment(const struct cfs_page_block *k)
{
	return (k->hints & CFS_HINT_COMMENTS) != 0;
}

static bool is_named_caption(const struct cfs_page_block *k)
{
	return k->tag != CFS_TAG_FIGCAPTION &&
	       (k->hints & CFS_HINT_CAPTION) != 0;
}

static bool is_caption(const struct cfs_page_block *k)
{
	return k->tag == CFS_TAG_FIGCAPTION || is_named_caption(k);
}

static bool is_in_comments(const struct choosing *c, uint32_t i)
{
	while (i != 0 && !is_comment(&c->b->v[i]))
		i = c->b->v[i].parent;
	return i != 0;
}

/* True if comments are what the page is there for: those of an article or a
 * product are not, however many there are. */
static bool find_thread(const struct choosing *c)
{
	if (c->b->is_forum)
		return true;
	if (c->b->is_of_one || (c->t[c->longest].group >= ARTICLE_MIN &&
				!is_in_comments(c, c->longest)))
		return false;
	return exceeds(sum_of(c, is_comment).prose, c->t[0].prose,
		       COMMENTS_MAX);
}

static bool surrounds_by_tag(const struct choosing *c, uint32_t i)
{
	const struct total *t = &c->t[i];

	switch (c->b->v[i].tag) {
	case CFS_TAG_ASIDE:
		return (c->b->v[i].hints & CFS_HINT_FOOTNOTE) == 0;
	case CFS_TAG_NAV: case CFS_TAG_FOOTER:
	case CFS_TAG_MENU: case CFS_TAG_SEARCH:
	case CFS_TAG_FIELDSET: case CFS_TAG_NOSCRIPT:
		return true;
	case CFS_TAG_FORM:	/* posts of a forum are in some */
		return !reaches(t->prose, t->text, FORM_PROSE_MIN);
	default:
		return false;
	}
}

/* True of a header that is that of a section, or of an article in a list, and
 * neither the page's nor the article's. */
static bool heads_section(const struct choosing *c, uint32_t i)
{
	const struct cfs_page_block *v = c->b->v;

	while (i != 0 && v[i].tag != CFS_TAG_SECTION &&
	       v[i].tag != CFS_TAG_ARTICLE && v[i].tag != CFS_TAG_MAIN)
		i = v[i].parent;
	return v[i].tag == CFS_TAG_SECTION ||
	       (v[i].tag == CFS_TAG_ARTICLE && !(c->chrome & CFS_HINT_BLURB));
}

/* The block with the most running text in paragraphs side by side. */
static uint32_t find_longest(const struct choosing *c)
{
	uint32_t at = 0;

	for (uint32_t i = 1; i < c->b->n; i++)
		if (c->t[i].group >= c->t[at].group &&
		    c->b->v[i].parent == at)
			at = i;
	return at;
}

static uint32_t find_heading(const struct choosing *c)
{
	const struct cfs_page_block *v = c->b->v;
	uint32_t at = 0;

	while (at < c->b->n && (c->t[at].is_dropped ||
				v[at].tag != CFS_TAG_H1 ||
				v[at].text <= v[at].link))
		at++;
	return at;
}

/* Is a block one that surrounds the content, by its element or its name? */
static bool surrounds(const struct choosing *c, uint32_t i)
{
	const struct cfs_page_block *k = &c->b->v[i];

	return (k->hints & c->chrome) || surrounds_by_tag(c, i) ||
	       (k->tag == CFS_TAG_HEADER && !heads_section(c, i)) ||
	       (k->tag == CFS_TAG_FIGCAPTION &&
		(c->chrome & CFS_HINT_CAPTION));
}

/* The percentage of the page's running text up to which such a block is
 * dropped.  before: the running text that is kept before it. */
static unsigned most_of(const struct choosing *c, uint32_t i, uint32_t before)
{
	const struct cfs_page_block *k = &c->b->v[i];
	bool is_frame = k->tag == CFS_TAG_FOOTER ||
			(k->hints & c->chrome & CFS_HINT_FRAME);

	if (k->hints & c->chrome & CFS_HINT_COMMENTS)
		return COMMENTS_MAX;
	if (is_frame && (before >= VERSE_MIN ||
			 reaches(i, c->b->n, FRAME_AT)))
		return 100;
	if (i > c->longest ||
	    (c->title < c->b->n && k->end <= c->title))
		return BESIDE_MAX;
	return is_frame ? FRAME_MAX : CHROME_MAX;
}

/* The section that a heading heads: the outermost block that begins with it and
 * has no other of its level or a higher one.  before: the last block with text
 * before it. */
static uint32_t section_of(const struct choosing *c, uint32_t i,
			   uint32_t before)
{
	const struct cfs_page_block *v = c->b->v;
	uint32_t at = i;

	while (v[at].parent > before && v[v[at].parent].text == 0 &&
	       c->t[v[at].parent].top == v[i].tag &&
	       c->t[v[at].parent].tops == 1)
		at = v[at].parent;
	return at;
}

/* Drops sections with little running text whose headings say that they point to
 * other pages. */
static void drop_pointers(struct choosing *c)
{
	const struct cfs_page_block *v = c->b->v;
	uint32_t before = 0, at;
	bool is_any_dropped = false;

	for (uint32_t i = 1; i < c->b->n; i++) {
		if (c->t[i].is_dropped || v[i].text == 0)
			continue;
		at = v[i].heads_pointers ? section_of(c, i, before) : i;
		if (c->t[at].text > c->t[i].text &&
		    !exceeds(c->t[at].prose, c->t[at].text, POINTERS_MAX) &&
		    !exceeds(c->t[at].prose, c->t[0].prose, LIST_PROSE_MAX)) {
			i = drop(c, at);
			is_any_dropped = true;
		} else {
			before = i;
		}
	}
	if (is_any_dropped)
		add_up(c);
}

/* Drops what surrounds the content.  hints: those that do so besides what
 * depends on the page: comments and captions. */
static void drop_chrome(struct choosing *c, unsigned hints)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < c->b->n; i++)
		c->t[i].is_dropped = false;
	add_up(c);
	c->title = find_heading(c);
	c->longest = find_longest(c);
	c->is_thread = find_thread(c);
	c->chrome = hints | CFS_HINT_FRAME;
	if (!c->is_thread)
		c->chrome |= CFS_HINT_COMMENTS;
	if (!exceeds(sum_of(c, is_caption).prose, c->t[0].prose,
		     CAPTIONS_MAX) &&
	    !exceeds(sum_of(c, is_named_caption).text, c->t[0].text,
		     CAPTIONED_MAX))
		c->chrome |= CFS_HINT_CAPTION;
	for (uint32_t i = 1; i < c->b->n; i++) {
		if (surrounds(c, i) &&
		    !exceeds(c->t[i].prose, c->t[0].prose,
			     most_of(c, i, before)))
			i = drop(c, i);
		else
			before += prose_of(&c->b->v[i]);
	}
	add_up(c);
	drop_pointers(c);
}

static bool has_article(const struct total *page)
{
	return reaches(page->prose, page->text - page->link, ARTICLE_SHARE);
}

/* True if the text is in many places, as on a front page.  A page that says
 * that it is an article or a product has less of its own beside other text. */
static bool is_scattered(const struct choosing *c)
{
	uint32_t most = c->t[0].group, least = ARTICLE_MIN;

	if (c->b->is_of_one)
		least = ARTICLE_SAID_MIN;
	return !c->is_thread && !reaches(most, c->t[0].text, ARTICLE_PART) &&
	       most < least;
}

/* Drops what is before the page's title: announcements, menus. */
static void drop_before_title(struct choosing *c)
{
	const struct cfs_page_block *v = c->b->v;
	uint64_t prose = 0, text = 0;
	uint32_t title = find_heading(c);

	for (uint32_t i = 0; i < title; i++)
		if (!c->t[i].is_dropped) {
			prose += prose_of(&v[i]);
			text += v[i].text;
		}
	if (text == 0 || title == c->b->n ||
	    exceeds(prose, c->t[0].prose, BEFORE_TITLE_PROSE) ||
	    exceeds(text, c->t[0].text, BEFORE_TITLE_MAX))
		return;
	for (uint32_t i = 1; i < title; i++)
		if (v[i].end <= title)
			i = drop(c, i);
	add_up(c);
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
 * kind, or with as much text in one place, or several others, or the parent's
 * own text. */
static bool has_peer(const struct choosing *c, uint32_t at, uint32_t best)
{
	const struct cfs_page_block *v = c->b->v;
	uint32_t most = c->t[best].group;
	unsigned n = 0;

	for (uint32_t j = at + 1; j < v[at].end; j = v[j].end) {
		if (j == best || c->t[j].is_dropped || c->t[j].prose == 0)
			continue;
		n++;
		if ((v[j].kind == v[best].kind &&
		     exceeds(c->t[j].group, most, KIN_SHARE)) ||
		    exceeds(c->t[j].group, most, PEER_SHARE) ||
		    (exceeds(c->t[j].text, c->t[best].text, PEER_TEXT) &&
		     !exceeds(c->t[j].link, c->t[j].text, ITEM_LINKS_MAX)))
			return true;
	}
	return n >= PEERS_MIN;
}

/* True of elements that are content as a whole: their form tells what is in
 * them. */
static bool is_whole(uint8_t tag)
{
	return tag == CFS_TAG_UL || tag == CFS_TAG_OL || tag == CFS_TAG_P ||
	       tag == CFS_TAG_BLOCKQUOTE || tag == CFS_TAG_PRE ||
	       tag == CFS_TAG_DL || cfs_page_is_heading(tag);
}

/* The element <main> of a page that is no article, if it has most of the text;
 * 0: none. */
static uint32_t find_main(const struct choosing *c)
{
	for (uint32_t i = 0; i < c->b->n && !c->is_article; i++)
		if (c->b->v[i].tag == CFS_TAG_MAIN &&
		    reaches(c->t[i].text, c->t[0].text, MAIN_MIN))
			return i;
	return 0;
}

static void find_root(struct choosing *c)
{
	uint32_t at = find_main(c), best;

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

/* True of a paragraph that says something besides its many links. */
static bool is_sentence(const struct cfs_page_block *k)
{
	return k->tag == CFS_TAG_P && k->text > k->link &&
	       !exceeds(k->link, k->text, SENTENCE_LINKS_MAX);
}

/* True of a heading, also in a wrapper of its own, of running text beside it:
 * it may link to the page that the text is from. */
static bool heads_text(const struct choosing *c, uint32_t i)
{
	const struct cfs_page_block *v = c->b->v;
	uint32_t last = v[i].end - 1;

	return cfs_page_is_heading(v[last].tag) &&
	       v[last].text == c->t[i].text && c->t[v[i].parent].prose > 0;
}

/* Is a block within the text none of it: a list of links, or a byline?  all:
 * the running text around it. */
static bool is_beside_text(const struct choosing *c, uint32_t i, uint32_t all)
{
	const struct cfs_page_block *k = &c->b->v[i];
	const struct total *t = &c->t[i];

	if (is_byline(k) && !exceeds(t->prose, all, BYLINE_PROSE_MAX))
		return true;
	return exceeds(t->link, t->text, LINKS_MAX) &&
	       !exceeds(t->prose, all, LIST_PROSE_MAX) && !is_sentence(k);
}

static bool is_list(uint8_t tag)
{
	return tag == CFS_TAG_UL || tag == CFS_TAG_OL || tag == CFS_TAG_DL;
}

/* Drops bylines of what is listed. */
static void prune_items(struct choosing *c)
{
	const struct cfs_page_block *v = c->b->v;
	uint32_t all = c->t[c->root].text;

	for (uint32_t i = c->root + 1; i < v[c->root].end; i++)
		if (!c->t[i].is_dropped && is_byline(&v[i]) &&
		    !exceeds(c->t[i].text, all, ITEM_BYLINE_MAX))
			i = drop(c, i);
}

/* True of a list that the text before it announces with a colon, or that stands
 * beside the paragraphs that most of the article is in. */
static bool is_list_of_text(const struct choosing *c, uint32_t i,
			    uint32_t before)
{
	const struct cfs_page_block *v = c->b->v;

	return is_list(v[i].tag) &&
	       (v[before].leads_on ||
		(v[i].parent == c->longest &&
		 reaches(c->t[c->longest].group, c->t[c->root].prose,
			 BODY_SHARE)));
}

/* Drops lists of links and bylines. */
static void prune(struct choosing *c)
{
	const struct cfs_page_block *v = c->b->v;
	uint32_t all = c->t[c->root].prose, before = c->root;

	for (uint32_t i = c->root + 1; i < v[c->root].end; i++) {
		if (c->t[i].is_dropped)
			continue;
		if (heads_text(c, i) || is_list_of_text(c, i, before))
			i = v[i].end - 1;
		else if (is_beside_text(c, i, all))
			i = drop(c, i);
		if (!c->t[i].is_dropped && v[i].text > 0)
			before = i;
	}
}

/* ---- what occurs again -------------------------------------------------- */

/* True of a line, no running text, that the block before it has, too, elsewhere
 * and of another kind: a card's title, and that of its picture. */
static bool is_twin(const struct choosing *c, uint32_t i, uint32_t before)
{
	const struct cfs_page_block *v = c->b->v;

	return v[i].text >= TWIN_MIN && prose_of(&v[i]) == 0 &&
	       v[i].text == v[before].text &&
	       v[i].hash == v[before].hash && v[i].kind != v[before].kind &&
	       v[i].parent != v[before].parent &&
	       v[i].text == c->t[i].text && v[before].end <= i &&
	       v[i].tag != CFS_TAG_TD && v[i].tag != CFS_TAG_TH;
}

/* True of a block with running text that occurs for the second time, in another
 * place.  at: the place of its hash among what was seen. */
static bool is_seen(const struct choosing *c, uint32_t i, uint32_t *at)
{
	const struct cfs_page_block *v = c->b->v;
	const struct total *t = &c->t[i], *was = &c->t[*at];

	if (t->prose < REPEATED_MIN)
		return false;
	if (*at > 0 && v[*at].end <= i && v[i].parent != v[*at].parent &&
	    t->hash == was->hash && t->text == was->text &&
	    t->link == was->link)
		return true;
	*at = i;
	return false;
}

/* Drops blocks with text, and without code, that occurs again: pages have some
 * of theirs twice, for narrow screens and for wide ones. */
static void drop_repeated(struct choosing *c)
{
	const struct cfs_page_block *v = c->b->v;
	uint32_t seen[SEEN_MAX] = { 0 }, code = 0, before = c->root;

	for (uint32_t i = c->root + 1; i < v[c->root].end; i++) {
		const struct total *t = &c->t[i];

		while (code < v[i].end &&
		       (code < i || !cfs_page_block_is_code(&v[code])))
			code++;
		if (t->is_dropped)
			continue;
		if (code >= v[i].end && is_twin(c, i, before))
			drop(c, cfs_page_is_heading(v[before].tag) ||
				!cfs_page_is_heading(v[i].tag) ? i : before);
		else if (code >= v[i].end &&
			 is_seen(c, i, &seen[t->hash % SEEN_MAX]))
			i = drop(c, i);
		if (!t->is_dropped && v[i].text > 0)
			before = i;
	}
}

/* ---- the choice --------------------------------------------------------- */

static void choose(struct choosing *c)
{
	drop_chrome(c, CFS_HINT_CHROME | CFS_HINT_BLURB);
	c->is_article = has_article(&c->t[0]);
	if (!c->is_article)
		drop_chrome(c, CFS_HINT_CHROME);
	else if (is_scattered(c))
		c->is_article = false;
	drop_before_title(c);
	find_root(c);
	if (c->is_article)
		prune(c);
	else
		prune_items(c);
	drop_repeated(c);
	cfs_main_content_mark(c);
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

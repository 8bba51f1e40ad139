/* page_compare.c - two captures side by side, with what changed between them.
 *
 * The texts (.txt, or .md) are compared by lines; where lines were replaced,
 * by words.  Lines that are equal are shown next to each other, long stretches
 * of them folded.
 *
 * Limits: TEXT_MAX and LINES_MAX of each text are compared; changes of more
 * than WORDS_BYTES_MAX are not compared by words; after WORK_MAX steps, what is
 * left counts as wholly different.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "base/ascii.h"
#include "base/textdiff.h"
#include "crawl/captures.h"
#include "crawl/content.h"
#include "crawl/tree.h"
#include "page_frame.h"
#include "routes.h"

/* Longer texts are compared up to there: the page would be too long for
 * browsers otherwise. */
#define TEXT_MAX ((size_t)1 << 20)
/* Each needs 60 bytes, and so does each word. */
#define LINES_MAX 200000u
#define WORDS_BYTES_MAX ((size_t)256 << 10)
/* Less than a second's work, for lines and for all words together. */
#define WORK_MAX ((uint64_t)100 << 20)
/* Equal lines that are shown beside a change, and beyond which they are
 * folded. */
#define CONTEXT 3u
#define FOLDED_MIN 4u
/* Longer changes are scrolled, so that the next one is not far. */
#define LONG_BYTES ((size_t)4 << 10)

struct compared {
	struct cfs_site_place place;
	struct cfs_buf path;		/* decoded */
	struct cfs_file_bytes text;
	struct cfs_slice shown;		/* the part that is compared */
	struct cfs_entry *entry;
	struct cfs_buf url;
	struct cfs_buf before, behind;	/* the paths of the captures next to
					 * it; empty: there is none */
};

struct compare_page {
	struct cfs_exchange *x;
	struct cfs_ctx ctx;
	struct compared a, b;
	enum cfs_view view;
	uint64_t work;
	struct cfs_strtab *table;	/* texts of items, to number them */
	struct cfs_diff_text lines_a, lines_b;
	uint64_t added, removed;	/* lines */
	uint64_t changes;		/* places where they differ */
};

/* ---- items --------------------------------------------------------------- */

/* The length of the word at the start of s: letters and digits; a character of
 * a script without blanks between words; blanks; or any other byte. */
static size_t word_length(struct cfs_slice s)
{
	size_t n = 1;

	if (s.p[0] >= 0xe3) {
		while (n < s.n && n < 4 && (s.p[n] & 0xc0) == 0x80)
			n++;
		return n;
	}
	if (s.p[0] == ' ' || s.p[0] == '\n') {
		while (n < s.n && s.p[n] == s.p[0])
			n++;
		return n;
	}
	if (!cfs_is_alnum(s.p[0]) && s.p[0] < 0x80)
		return 1;
	while (n < s.n && s.p[n] < 0xe3 &&
	       (cfs_is_alnum(s.p[n]) || s.p[n] >= 0x80))
		n++;
	return n;
}

static int split_into_words(struct cfs_slice text, struct cfs_diff_text *out,
			    struct cfs_strtab *table)
{
	int rc = CFS_OK;

	while (rc == CFS_OK && text.n > 0) {
		size_t n = word_length(text);

		rc = cfs_diff_text_add(out, cfs_slice_sub(text, 0, n));
		text = cfs_slice_from(text, n);
	}
	return rc == CFS_OK ? cfs_diff_text_number(out, table) : rc;
}

/* ---- changes ------------------------------------------------------------- */

/* Is an item within a change?  Blanks between two words that changed are, too,
 * for that is easier to read. */
static bool is_marked(const struct cfs_diff_text *t, size_t i)
{
	return t->differs[i] ||
	       (i > 0 && i + 1 < t->n && t->v[i].p[0] == ' ' &&
		t->differs[i - 1] && t->differs[i + 1]);
}

/* Appends text whose items that differ are within elements. */
static void mark_items(struct cfs_buf *out, const struct cfs_diff_text *t,
		       const char *element)
{
	bool is_open = false;

	for (size_t i = 0; i < t->n; i++) {
		bool marked = is_marked(t, i);

		if (marked != is_open)
			CFS_HTML(out, "<$$>", marked ? "" : "/", element);
		is_open = marked;
		cfs_html_text(out, t->v[i]);
	}
	if (is_open)
		CFS_HTML(out, "</$>", element);
}

/* The lines from one to another as one text. */
static struct cfs_slice stretch_of(const struct cfs_diff_text *lines,
				   size_t from, size_t to)
{
	const struct cfs_slice *last;

	if (from == to)
		return CFS_SLICE_EMPTY;
	last = &lines->v[to - 1];
	return cfs_slice_of(lines->v[from].p,
			    (size_t)(last->p + last->n - lines->v[from].p));
}

/* Appends the old or new lines of a change, those of the older or newer text;
 * words: as items, if they were compared so.  Many lines are scrolled, also by
 * the keyboard. */
static void change_side(struct cfs_buf *out, const char *class,
			struct cfs_slice text,
			const struct cfs_diff_text *words, const char *element)
{
	CFS_HTML(out, "<div class='$", class);
	if (text.n > LONG_BYTES)
		CFS_HTML(out, " long' tabindex='0' role='region' "
			 "aria-label='Lines of the $er", class);
	CFS_HTML(out, "'>");
	if (words->n > 0)
		mark_items(out, words, element);
	else if (text.n > 0)
		CFS_HTML(out, "<$>$</$>", element, text, element);
	CFS_HTML(out, "</div>");
}

/* Appends lines that were removed beside those that were added. */
static int compare_change(struct cfs_buf *out, struct compare_page *p,
			  struct cfs_slice old, struct cfs_slice new)
{
	struct cfs_diff_text a = { .n = 0 }, b = { .n = 0 };
	struct cfs_strtab *table = cfs_strtab_new(2 * TEXT_MAX + 2);
	int rc = table == NULL ? CFS_ENOMEM : CFS_OK;

	if (rc == CFS_OK && old.n > 0 && new.n > 0 &&
	    old.n + new.n <= WORDS_BYTES_MAX) {
		rc = split_into_words(old, &a, table);
		if (rc == CFS_OK)
			rc = split_into_words(new, &b, table);
		if (rc == CFS_OK)
			rc = cfs_diff_texts(&a, &b, &p->work, p->ctx);
	}
	if (rc == CFS_OK) {
		CFS_HTML(out, "<div class='change'>");
		change_side(out, "old", old, &a, "del");
		change_side(out, "new", new, &b, "ins");
		CFS_HTML(out, "</div>\n");
	}
	cfs_diff_text_release(&a);
	cfs_diff_text_release(&b);
	cfs_strtab_free(table);
	return rc == CFS_ENOMEM ? cfs_error_nomem(p->ctx.err) : rc;
}

static void equal_lines(struct cfs_buf *out, struct cfs_slice text)
{
	if (cfs_slice_trim(text).n > 0)
		CFS_HTML(out, "<div class='same'><div>$</div>"
			 "<div aria-hidden='true'>$</div></div>\n", text, text);
}

/* Appends equal lines, the middle of a long stretch folded; `before` and
 * `behind` say whether a change is there. */
static void compare_equal(struct cfs_buf *out,
			  const struct cfs_diff_text *lines, size_t from,
			  size_t to, bool before, bool behind)
{
	size_t head = before ? CONTEXT : 0;
	size_t tail = behind ? CONTEXT : 0;

	if (to - from < head + tail + FOLDED_MIN) {
		if (to > from)
			equal_lines(out, stretch_of(lines, from, to));
		return;
	}
	if (head > 0)
		equal_lines(out, stretch_of(lines, from, from + head));
	CFS_HTML(out, "<details><summary>$ equal lines</summary>\n",
		 cfs_html_figure(to - from - head - tail));
	equal_lines(out, stretch_of(lines, from + head, to - tail));
	CFS_HTML(out, "</details>\n");
	if (tail > 0)
		equal_lines(out, stretch_of(lines, to - tail, to));
}

/* Lines that differ: from i to to_i of the older text, beside those from j to
 * to_j of the newer. */
struct line_change {
	size_t i, j, to_i, to_j;
};

/* Moves c from the lines behind it to the next change.  False: there is none,
 * and c is at the end. */
static bool next_change(const struct compare_page *p, struct line_change *c)
{
	const struct cfs_diff_text *a = &p->lines_a, *b = &p->lines_b;

	while (c->to_i < a->n && c->to_j < b->n && !a->differs[c->to_i] &&
	       !b->differs[c->to_j]) {
		c->to_i++;
		c->to_j++;
	}
	c->i = c->to_i;
	c->j = c->to_j;
	while (c->to_i < a->n && a->differs[c->to_i])
		c->to_i++;
	while (c->to_j < b->n && b->differs[c->to_j])
		c->to_j++;
	return c->to_i > c->i || c->to_j > c->j;
}

/* Appends the ways from a change to the one before and the next. */
static void jump_links(struct cfs_buf *out, const struct compare_page *p,
		       uint64_t number)
{
	if (p->changes < 2)
		return;
	CFS_HTML(out, "<p class='jump' id='change-$'><span>Change $ of $</span>",
		 number, cfs_html_figure(number), cfs_html_figure(p->changes));
	if (number > 1)
		CFS_HTML(out, " <a href='#change-$'>Previous</a>", number - 1);
	if (number < p->changes)
		CFS_HTML(out, " <a href='#change-$'>Next</a>", number + 1);
	CFS_HTML(out, "</p>\n");
}

static int compare_lines(struct cfs_buf *out, struct compare_page *p)
{
	struct line_change c = { .i = 0 };
	uint64_t number = 0;
	bool has_next = true;
	int rc = CFS_OK;

	while (rc == CFS_OK && has_next) {
		size_t from = c.to_i;

		has_next = next_change(p, &c);
		compare_equal(out, &p->lines_a, from, c.i, number > 0,
			      has_next);
		if (!has_next)
			break;
		jump_links(out, p, ++number);
		rc = compare_change(out, p,
				    stretch_of(&p->lines_a, c.i, c.to_i),
				    stretch_of(&p->lines_b, c.j, c.to_j));
	}
	return rc;
}

/* ---- the page ------------------------------------------------------------ */

static bool is_picture(const struct compared *c)
{
	return cfs_slice_starts_nocase(c->entry->cap.mime,
				       CFS_SLICE_LIT("image/"));
}

/* Appends a link to the comparison with another capture in place of c. */
static void step_link(struct cfs_buf *out, struct compare_page *p,
		      const struct compared *c, struct cfs_slice path,
		      const char *text)
{
	struct cfs_slice a = cfs_buf_slice(&p->a.path);
	struct cfs_slice b = cfs_buf_slice(&p->b.path);

	if (c == &p->a)
		a = path;
	else
		b = path;
	if (path.n > 0)
		CFS_HTML(out, " <a href='?a=$&amp;b=$&amp;view=$'>$</a>",
			 cfs_html_query(a), cfs_html_query(b),
			 cfs_view_name(p->view), text);
}

static void compared_heading(struct cfs_buf *out, struct compare_page *p,
			 const struct compared *c, const char *name,
			 const char *as)
{
	const struct cfs_capture *cap = &c->entry->cap;
	struct cfs_slice path = cfs_buf_slice(&c->path);

	CFS_HTML(out, "<div><h2>$</h2>\n<p><a href='$'>$$</a>", name,
		 cfs_page_url(p->x->site, "page/", path),
		 cfs_html_time(cap->time),
		 cap->time != 0 ? "" : "of unknown time");
	step_link(out, p, c, cfs_buf_slice(&c->before), "one earlier");
	step_link(out, p, c, cfs_buf_slice(&c->behind), "one later");
	CFS_HTML(out, "</p>\n<p class='address'>$</p>\n<p class='note'>",
		 &c->url);
	if (cap->status != 0)
		CFS_HTML(out, "$ ", cap->status);
	CFS_HTML(out, "$ $ stored</p>\n", cap->mime,
		 cfs_html_size(cap->loc.length));
	if (is_picture(&p->a) && is_picture(&p->b))
		CFS_HTML(out, "<img alt='The $ picture' src='$'>\n", as,
			 cfs_page_url(p->x->site, "view/", path));
	CFS_HTML(out, "</div>\n");
}

static void compare_note(struct cfs_buf *out, struct compare_page *p)
{
	bool is_cut = p->a.shown.n < p->a.text.bytes.n ||
		      p->b.shown.n < p->b.text.bytes.n;
	struct cfs_slice a = p->a.entry->cap.digest;
	struct cfs_slice b = p->b.entry->cap.digest;

	CFS_HTML(out, "<p class='note ways' role='status'><span>");
	if (p->lines_a.n == 0 && p->lines_b.n == 0)
		CFS_HTML(out, "Neither capture has text to compare.");
	else if (p->added == 0 && p->removed == 0)
		CFS_HTML(out, "The text of both is the same.");
	else
		CFS_HTML(out, "$ of the older, $ of the newer are not in the "
			 "other.", cfs_html_count(p->removed, "line"),
			 cfs_html_figure(p->added));
	if (a.n > 0 && b.n > 0)
		CFS_HTML(out, "$", cfs_slice_eq(a, b) ?
			 " The digests of both are equal." :
			 " Their digests differ.");
	if (is_cut)
		CFS_HTML(out, " Only the beginning was compared: the texts "
			 "are too long.");
	if (p->work == 0)
		CFS_HTML(out, " They differ in so much that some equal parts "
			 "may be marked as well.");
	CFS_HTML(out, "</span>\n$</p>\n", CFS_HTML_IF(p->changes > 1,
		 "<a href='#change-1'>To the first change</a>\n"));
}

/* A link to the same comparison by the other view. */
static void view_link(struct cfs_buf *out, struct compare_page *p,
		      enum cfs_view view, const char *text)
{
	CFS_HTML(out, "<a href='?a=$&amp;b=$&amp;view=$'$>$</a>\n",
		 cfs_html_query(cfs_buf_slice(&p->a.path)),
		 cfs_html_query(cfs_buf_slice(&p->b.path)),
		 cfs_view_name(view),
		 CFS_HTML_IF(p->view == view, " aria-current='page'"), text);
}

static int compare_answer(struct compare_page *p)
{
	struct cfs_page_frame frame = { .kind = "Comparison",
		.search = CFS_SLICE_EMPTY };
	struct cfs_buf out;
	CFS_BUF(title, 2 * CFS_KEY_MAX + 128);
	struct line_change c = { .i = 0 };
	int rc;

	cfs_buf_adds(&title, "What changed: ");
	cfs_buf_add(&title, cfs_buf_slice(&p->b.url));
	frame.title = cfs_buf_slice(&title);
	cfs_page_begin(&out, p->x->site, &frame);
	CFS_HTML(&out, "<h1>What changed</h1>\n"
		 "<nav class='tabs' aria-label='View'>\n");
	view_link(&out, p, CFS_VIEW_TEXT, "Text");
	view_link(&out, p, CFS_VIEW_MARKDOWN, "Main content");
	CFS_HTML(&out, "</nav>\n");
	while (next_change(p, &c))
		p->changes++;
	compare_note(&out, p);
	CFS_HTML(&out, "<section class='diff'>\n<div class='sides'>\n");
	compared_heading(&out, p, &p->a, "Older", "older");
	compared_heading(&out, p, &p->b, "Newer", "newer");
	CFS_HTML(&out, "</div>\n");
	rc = compare_lines(&out, p);
	CFS_HTML(&out, "</section>\n");
	return cfs_page_end(p->x, rc, 200, &out);
}

/* ---- the request --------------------------------------------------------- */

/* Finds the capture that a parameter names. */
static int compared_find(struct compare_page *p, const char *name,
		     struct compared *c)
{
	CFS_BUF(sent, CFS_REPLY_HEAD_MAX);
	int rc = CFS_OK;

	if (!cfs_query_get(p->x->query, name, &c->path) ||
	    c->path.n == 0)
		rc = cfs_error_set(p->ctx.err, CFS_EUSAGE, "the parameter '%s' "
				   "is missing: it is the path of a page in "
				   "the tree", name);
	/* the walk takes paths with their escapes */
	if (rc == CFS_OK)
		rc = cfs_path_encode(cfs_buf_slice(&c->path), &sent);
	if (rc == CFS_OK)
		rc = cfs_site_walk(p->x->site, cfs_buf_slice(&sent),
				   &c->place, p->ctx);
	if (rc == CFS_ENOTFOUND ||
	    (rc == CFS_OK && (c->place.is_top ||
			      c->place.node.type == CFS_NODE_DIR)))
		rc = cfs_error_set(p->ctx.err, CFS_ENOTFOUND, "the parameter "
				   "'%s' names no page", name);
	return rc;
}

/* Appends the path of capture `number` of w->other. */
static int add_neighbour(struct compare_page *p, struct compared *c,
			 struct cfs_walk *w, const struct cfs_captures *all,
			 uint64_t number, struct cfs_buf *out)
{
	struct cfs_node file = c->place.node;
	int rc = cfs_captures_pos(w, all, &w->other, number, &file.pos);

	file.view = CFS_VIEW_RAW;
	if (rc == CFS_OK)
		rc = cfs_site_add_crawl(p->x->site, file.source, out);
	return rc == CFS_OK ? cfs_tree_path(w->c, &file, out, p->ctx) : rc;
}

/* Finds the captures next to one, in the order of the index. */
static int find_neighbours(struct compare_page *p, struct compared *c)
{
	const struct cfs_captures *all;
	struct cfs_walk *w = NULL;
	uint64_t number;
	int rc = cfs_walk_begin(&w, c->place.crawl, NULL, p->ctx);

	if (rc == CFS_OK)
		rc = cfs_index_split(w->c->index, c->entry->it.key, &w->other);
	if (rc == CFS_OK)
		rc = cfs_captures_get(w, &w->other, &all);
	if (rc == CFS_OK)
		rc = cfs_captures_number(w, all, &w->other, c->place.node.pos,
					 &number);
	if (rc == CFS_OK && number > 0)
		rc = add_neighbour(p, c, w, all, number - 1, &c->before);
	if (rc == CFS_OK && number + 1 < all->n)
		rc = add_neighbour(p, c, w, all, number + 1, &c->behind);
	cfs_walk_end(w);
	return rc;
}

static int compared_load(struct compare_page *p, struct compared *c)
{
	struct cfs_crawl *crawl = c->place.crawl;
	struct cfs_node file = c->place.node;
	struct cfs_entry *e = c->entry = cfs_entry_new(p->ctx.err);
	int rc = e == NULL ? CFS_ENOMEM :
		 cfs_entry_load(crawl, file.pos, e, p->ctx);

	if (rc == CFS_OK) {
		cfs_index_key_url(crawl->index, e->it.key, &e->cap,
				  &c->url);
		rc = find_neighbours(p, c);
	}
	if (rc == CFS_OK) {
		file.view = p->view;
		rc = cfs_content_load(crawl, &file, &crawl->view, &c->text,
				      p->ctx);
	}
	if (rc == CFS_OK)
		c->shown = cfs_slice_sub(c->text.bytes, 0, TEXT_MAX);
	return rc;
}

static int compare_texts(struct compare_page *p)
{
	int rc = CFS_ENOMEM;

	p->table = cfs_strtab_new(2 * TEXT_MAX + 2);
	if (p->table != NULL)
		rc = cfs_diff_text_lines(&p->a.shown, LINES_MAX,
					 &p->lines_a, p->table);
	if (rc == CFS_OK)
		rc = cfs_diff_text_lines(&p->b.shown, LINES_MAX,
					 &p->lines_b, p->table);
	if (rc != CFS_OK)
		return cfs_error_nomem(p->ctx.err);
	rc = cfs_diff_texts(&p->lines_a, &p->lines_b, &p->work, p->ctx);
	for (size_t i = 0; i < p->lines_a.n; i++)
		p->removed += p->lines_a.differs[i];
	for (size_t i = 0; i < p->lines_b.n; i++)
		p->added += p->lines_b.differs[i];
	return rc;
}

static int compare_take_view(struct compare_page *p)
{
	static const char *const names[] = { "txt", "md", "neither txt nor md" };
	static const enum cfs_view views[] = { CFS_VIEW_TEXT,
					       CFS_VIEW_MARKDOWN };
	unsigned i;
	int rc = cfs_page_choice(p->x->query, "view", names, 2, &i, p->ctx.err);

	p->view = views[i];
	return rc;
}

static int compare_make(struct compare_page *p)
{
	int rc = compare_take_view(p);

	if (rc == CFS_OK)
		rc = compared_find(p, "a", &p->a);
	if (rc == CFS_OK)
		rc = compared_find(p, "b", &p->b);
	if (rc == CFS_OK && !p->x->may_take_long)
		return CFS_ROUTE_TAKES_LONG;
	if (rc == CFS_OK)
		rc = compared_load(p, &p->a);
	if (rc == CFS_OK)
		rc = compared_load(p, &p->b);
	if (rc == CFS_OK)
		rc = compare_texts(p);
	return rc == CFS_OK ? compare_answer(p) : rc;
}

static void compared_init(struct compared *c)
{
	c->text.bytes = c->shown = CFS_SLICE_EMPTY;
	cfs_buf_init(&c->path, CFS_REPLY_HEAD_MAX);
	cfs_buf_init(&c->url, 2 * CFS_KEY_MAX + 64);
	cfs_buf_init(&c->before, CFS_REPLY_HEAD_MAX);
	cfs_buf_init(&c->behind, CFS_REPLY_HEAD_MAX);
}

static void compared_release(struct compared *c)
{
	cfs_file_bytes_release(&c->text);
	cfs_entry_free(c->entry);
	cfs_buf_release(&c->path);
	cfs_buf_release(&c->url);
	cfs_buf_release(&c->before);
	cfs_buf_release(&c->behind);
}

int cfs_answer_compare(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	struct compare_page p = { .x = x, .ctx = ctx, .work = WORK_MAX };
	int rc;

	compared_init(&p.a);
	compared_init(&p.b);
	rc = compare_make(&p);
	cfs_diff_text_release(&p.lines_a);
	cfs_diff_text_release(&p.lines_b);
	cfs_strtab_free(p.table);
	compared_release(&p.a);
	compared_release(&p.b);
	return rc;
}

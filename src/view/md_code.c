/* md_code.c - writes blocks of code, in Markdown as fences (markdown.h).
 *
 * A line of code may be a block of its own: a <div>, a row, an item.  Then the
 * line ends with it, whether a line end follows in the page or not.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "markdown_internal.h"

#include "page_blocks.h"

#define FENCE_MIN 3u

/* Takes the language of the block of code from an element of it.  That of the
 * first one counts, and more than those of elements around it. */
static void take_language(struct cfs_markdown *m, const struct cfs_html_el *el)
{
	struct cfs_buf *b = &m->language;
	size_t before = b->n;

	if (m->has_language || !cfs_page_code_language(el, b))
		return;
	m->has_language = true;
	b->n -= before;
	if (b->n > 0)
		memmove(b->p, b->p + before, b->n);
}

void cfs_markdown_code(struct cfs_markdown *m, const struct cfs_html_el *el)
{
	if (cfs_md_table_part(m, el->tag, el))
		return;
	if (m->pre > 0) {
		cfs_md_begin_in_code(m, el->tag);
		m->pre++;
		m->pre_elements += el->tag == CFS_TAG_PRE;
		take_language(m, el);
		return;
	}
	cfs_md_flush(m);
	m->pre = 1;
	m->pre_elements = el->tag == CFS_TAG_PRE;
	m->lines_due = 0;
	m->has_language = m->is_leaf = false;
	cfs_buf_empty(&m->pre_text);
	take_language(m, el);
}

static void put_fence(struct cfs_markdown *m, size_t n, struct cfs_slice word)
{
	if (m->is_plain)
		return;
	cfs_md_begin_line(m);
	for (size_t i = 0; i < n; i++)
		cfs_buf_addc(m->out, '`');
	cfs_buf_add(m->out, word);
	cfs_buf_addc(m->out, '\n');
}

/* Writes a fence that is longer than any in the code. */
static void put_code_block(struct cfs_markdown *m, struct cfs_slice s)
{
	size_t fence = FENCE_MIN, run = 0;

	for (size_t i = 0; i < s.n; i++) {
		run = s.p[i] == '`' ? run + 1 : 0;
		if (run >= fence)
			fence = run + 1;
	}
	cfs_md_begin_block(m, cfs_md_count_lines(m, s) + 2);
	put_fence(m, fence, cfs_buf_slice(&m->language));
	cfs_md_put_lines(m, s);
	put_fence(m, fence, CFS_SLICE_EMPTY);
}

void cfs_markdown_code_end(struct cfs_markdown *m, enum cfs_html_tag tag)
{
	struct cfs_slice s = cfs_buf_slice(&m->pre_text);

	if (cfs_md_table_part(m, tag, NULL) || m->pre == 0)
		return;
	m->pre_elements -= tag == CFS_TAG_PRE;
	if (--m->pre > 0) {
		cfs_md_end_in_code(m, tag);
		return;
	}
	while (s.n > 0 && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == ' '))
		s.n--;
	if (s.n > 0)
		put_code_block(m, s);
	cfs_buf_empty(&m->language);
}

/* ---- lines -------------------------------------------------------------- */

/* True of a block that is a line, or holds lines; cells are beside one
 * another. */
static bool is_line(enum cfs_html_tag tag)
{
	return tag != CFS_TAG_TD && tag != CFS_TAG_TH;
}

static bool is_at_line_start(const struct cfs_markdown *m)
{
	return m->pre_text.n == 0 || m->lines_due > 0 ||
	       m->pre_text.p[m->pre_text.n - 1] == '\n';
}

void cfs_md_begin_in_code(struct cfs_markdown *m, enum cfs_html_tag tag)
{
	if (!is_line(tag))
		return;
	m->is_leaf = true;
	m->leaf_at = m->pre_text.n;
	if (!is_at_line_start(m))
		m->lines_due = 1;
}

void cfs_md_end_in_code(struct cfs_markdown *m, enum cfs_html_tag tag)
{
	if (!is_line(tag) || !m->is_leaf)
		return;
	m->is_leaf = false;
	if (m->pre_text.n == m->leaf_at)	/* an empty line */
		m->lines_due++;
	else if (!is_at_line_start(m))
		m->lines_due = 1;
}

/* True of white space between the lines of code that are blocks elsewhere than
 * in <pre>, where it is not shown. */
static bool is_between_lines(const struct cfs_markdown *m, struct cfs_slice s)
{
	return m->pre_elements == 0 && cfs_slice_find(s, '\n') >= 0 &&
	       cfs_slice_trim(s).n == 0;
}

/* Code whose lines are spans shows them by a style. */
static bool is_shown_as_line(const struct cfs_html_el *el)
{
	struct cfs_slice v;

	return el->tag == CFS_TAG_SPAN &&
	       cfs_html_el_get(el, CFS_SLICE_LIT("style"), &v) &&
	       (cfs_slice_search(v, CFS_SLICE_LIT("display:block")) >= 0 ||
		cfs_slice_search(v, CFS_SLICE_LIT("display: block")) >= 0);
}

void cfs_md_inline_in_code(struct cfs_markdown *m,
			   const struct cfs_html_el *el)
{
	if (el->tag == CFS_TAG_BR)
		cfs_md_add_code(m, CFS_SLICE_LIT("\n"));
	else if (el->tag == CFS_TAG_CODE)
		take_language(m, el);
	else if (is_shown_as_line(el) && !is_at_line_start(m))
		m->lines_due = 1;
}

void cfs_md_add_code(struct cfs_markdown *m, struct cfs_slice s)
{
	if (is_between_lines(m, s))
		return;
	if (m->lines_due > 0 && s.n > 0) {
		for (; m->lines_due > 0; m->lines_due--)
			cfs_buf_addc(&m->pre_text, '\n');
		/* the line end that the page has there */
		if (s.p[0] == '\n')
			s = cfs_slice_from(s, 1);
	}
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
			c = ' ';
		cfs_buf_addc(&m->pre_text, c);
	}
}

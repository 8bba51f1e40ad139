/* md_code.c - writes blocks of code, in Markdown as fences (markdown.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "markdown_internal.h"

#include "base/ascii.h"

#define FENCE_MIN 3u

bool cfs_md_keeps_space(enum cfs_html_tag tag)
{
	return tag == CFS_TAG_PRE || tag == CFS_TAG_LISTING ||
	       tag == CFS_TAG_XMP || tag == CFS_TAG_PLAINTEXT;
}

/* Takes the language of a code block from a class "language-c". */
void cfs_md_find_language(struct cfs_markdown *m, const struct cfs_html_el *el)
{
	static const struct cfs_slice before[] = {
		CFS_SLICE_LIT("language-"), CFS_SLICE_LIT("lang-"),
		CFS_SLICE_LIT("highlight-source-"),
	};
	struct cfs_slice v;

	if (m->language.n > 0 ||
	    !cfs_html_el_get(el, CFS_SLICE_LIT("class"), &v))
		return;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		ptrdiff_t at = cfs_slice_search(v, before[i]);
		size_t n = 0;

		if (at < 0)
			continue;
		v = cfs_slice_from(v, (size_t)at + before[i].n);
		while (n < v.n && n < CFS_MD_LANGUAGE_MAX &&
		       (cfs_is_alnum(v.p[n]) || v.p[n] == '+' ||
			v.p[n] == '-' || v.p[n] == '#'))
			n++;
		cfs_buf_append(&m->language, v.p, n);
		return;
	}
}

void cfs_md_begin_pre(struct cfs_markdown *m, const struct cfs_html_el *el)
{
	cfs_md_flush(m);
	if (m->pre++ > 0)
		return;
	cfs_buf_reset(&m->pre_text);
	cfs_buf_reset(&m->language);
	cfs_md_find_language(m, el);
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

void cfs_md_end_pre(struct cfs_markdown *m)
{
	struct cfs_slice s = cfs_buf_slice(&m->pre_text);
	size_t fence = FENCE_MIN, run = 0;

	if (m->pre == 0 || --m->pre > 0)
		return;
	while (s.n > 0 && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == ' '))
		s.n--;
	if (s.n == 0)
		return;
	for (size_t i = 0; i < s.n; i++) {
		run = s.p[i] == '`' ? run + 1 : 0;
		if (run >= fence)
			fence = run + 1;
	}
	cfs_md_begin_block(m, cfs_md_count_lines(s) + 2);
	put_fence(m, fence, cfs_buf_slice(&m->language));
	cfs_md_put_lines(m, s);
	put_fence(m, fence, CFS_SLICE_EMPTY);
}

void cfs_md_add_code(struct cfs_markdown *m, struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
			c = ' ';
		cfs_buf_addc(&m->pre_text, c);
	}
}

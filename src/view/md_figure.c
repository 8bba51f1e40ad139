/* md_figure.c - captions of figures: titles of their pictures in Markdown,
 * lines in plain text (markdown.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "markdown.h"

#include <string.h>

#include "base/hash.h"

/* Appends a character of a title that stands in quotation marks. */
static void add_quoted(struct cfs_buf *b, uint8_t c)
{
	if (c == '<') {
		cfs_buf_adds(b, CFS_MD_LESS_THAN);
		return;
	}
	if (c == '"' || c == '\\' || c == '&' || c == '`')
		cfs_buf_addc(b, '\\');
	cfs_buf_addc(b, c);
}

void cfs_markdown_caption(struct cfs_markdown *m, struct cfs_slice s)
{
	struct cfs_buf *b = &m->caption;

	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if (c <= ' ' || c == 0x7f) {
			if (b->n > 0 && b->p[b->n - 1] != ' ')
				cfs_buf_addc(b, ' ');
		} else if (m->is_plain) {
			cfs_buf_addc(b, c);
		} else {
			add_quoted(b, c);
		}
	}
}

/* Inserts the title where the destination of the figure's last image ends. */
static void put_title(struct cfs_markdown *m, struct cfs_slice title)
{
	size_t at = m->image_at, n = m->out->n, more;

	cfs_buf_adds(m->out, " \"");
	cfs_buf_add(m->out, title);
	cfs_buf_addc(m->out, '"');
	more = m->out->n - n;
	if (m->out->failed != CFS_OK)
		return;
	memmove(m->out->p + at + more, m->out->p + at, n - at);
	memcpy(m->out->p + at, " \"", 2);
	memcpy(m->out->p + at + 2, title.p, title.n);
	m->out->p[at + more - 1] = '"';
}

/* In plain text a caption is a line; one that is known already, as that a
 * picture is an agency's, is not shown again. */
static void put_line(struct cfs_markdown *m, struct cfs_slice title)
{
	uint64_t hash = cfs_hash64(title, 0);
	uint64_t *at = &m->captions[hash % CFS_MD_CAPTIONS];

	if (*at != hash)
		cfs_md_line_text(&m->line, title);
	*at = hash;
}

void cfs_md_figure_end(struct cfs_markdown *m)
{
	struct cfs_slice title = cfs_slice_trim(cfs_buf_slice(&m->caption));

	if (m->is_plain)
		put_line(m, title);
	else if (m->image_at > 0 && title.n > 0)
		put_title(m, title);
	m->image_at = 0;
	cfs_buf_empty(&m->caption);
}

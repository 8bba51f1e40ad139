/* markdown.c - writes CommonMark (markdown.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "markdown.h"

#include "base/ascii.h"

#define LANGUAGE_MAX 32u	/* bytes of a code block's language */
#define FENCE_MIN 3u
#define ITEM_NUMBER_MAX 999999999u

void cfs_markdown_begin(struct cfs_markdown *m, struct cfs_buf *out,
			struct cfs_slice url, size_t bytes)
{
	*m = (struct cfs_markdown){ .out = out, .start = out->n,
				     .shallowest = SIZE_MAX,
				     .spare = CFS_MD_REPEATED_BYTES + bytes };
	cfs_md_line_init(&m->line, out->max);
	cfs_buf_init(&m->base_url, CFS_URLREF_MAX);
	cfs_buf_init(&m->target, CFS_URLREF_MAX);
	cfs_buf_init(&m->prefix, 16 * CFS_MD_NESTED_MAX);
	cfs_buf_init(&m->marker, 32);
	cfs_buf_init(&m->pre_text, out->max);
	cfs_buf_init(&m->language, LANGUAGE_MAX);
	cfs_buf_init(&m->row, out->max);
	cfs_url_base_init(&m->base, url);
}

/* ---- lines -------------------------------------------------------------- */

/* Bytes of the prefix without blanks at its end. */
static size_t bare_prefix(const struct cfs_markdown *m, size_t n)
{
	while (n > 0 && m->prefix.p[n - 1] == ' ')
		n--;
	return n;
}

/* True if a block that begins an item may follow the line before it directly:
 * in a list that goes on, or that an item holds.  Other lists than those that
 * begin with 1 cannot interrupt a paragraph. */
static bool follows_directly(const struct cfs_markdown *m)
{
	const struct cfs_md_container *list;

	if (m->marker.n == 0 || m->n_in < 2)
		return false;
	list = &m->in[m->n_in - 2];
	if (list->has_items)
		return true;
	return m->n_in > 2 && m->in[m->n_in - 3].tag == CFS_TAG_LI &&
	       (list->tag == CFS_TAG_UL || list->number == 2);
}

/* Appends n bytes of the prefix, as long as that is possible. */
static void put_prefix(struct cfs_markdown *m, size_t n)
{
	if (n > m->spare)
		n = 0;
	m->spare -= n;
	cfs_buf_append(m->out, m->prefix.p, n);
}

/* Begins a block: leaves an empty line between it and what is before it, except
 * between the items of a list. */
static void begin_block(struct cfs_markdown *m)
{
	size_t n = m->marker.n > 0 ? m->marker_at : m->prefix.n;

	if (m->shallowest < n)
		n = m->shallowest;
	m->shallowest = SIZE_MAX;
	m->last_list = CFS_TAG_OTHER;
	if (m->out->n == m->start || follows_directly(m))
		return;
	put_prefix(m, bare_prefix(m, n));
	cfs_buf_addc(m->out, '\n');
}

/* Writes what stands before a line. */
static void markdown_begin_line(struct cfs_markdown *m)
{
	if (m->marker.n > 0) {
		size_t inner = m->marker_at + m->marker.n;

		put_prefix(m, m->marker_at);
		cfs_buf_add(m->out, cfs_buf_slice(&m->marker));
		/* a quote that begins the item */
		cfs_buf_append(m->out, m->prefix.p + inner,
			       m->prefix.n - inner);
		cfs_buf_reset(&m->marker);
		if (m->n_in >= 2)
			m->in[m->n_in - 2].has_items = true;
	} else {
		put_prefix(m, m->prefix.n);
	}
}

/* Writes text that may have several lines. */
static void markdown_put_lines(struct cfs_markdown *m, struct cfs_slice s)
{
	while (s.n > 0) {
		struct cfs_slice line = cfs_slice_split(&s, '\n');

		if (line.n == 0 && m->marker.n == 0)
			put_prefix(m, bare_prefix(m, m->prefix.n));
		else
			markdown_begin_line(m);
		cfs_buf_add(m->out, line);
		cfs_buf_addc(m->out, '\n');
	}
}

/* The kind of the block that begins. */
static enum cfs_md_block block_kind(const struct cfs_markdown *m)
{
	if (m->columns > 0)
		return CFS_MD_CELL;
	return m->heading > 0 ? CFS_MD_HEADING : CFS_MD_PARAGRAPH;
}

static void put_heading(struct cfs_markdown *m, struct cfs_slice s)
{
	markdown_begin_line(m);
	for (unsigned i = 0; i < m->heading; i++)
		cfs_buf_addc(m->out, '#');
	cfs_buf_addc(m->out, ' ');
	cfs_buf_append(m->out, s.p, s.n - 1);
	/* else it would close the heading */
	if (s.p[s.n - 1] == '#')
		cfs_buf_addc(m->out, '\\');
	cfs_buf_addc(m->out, s.p[s.n - 1]);
	cfs_buf_addc(m->out, '\n');
}

/* Ends the block that is being written; true if it had text. */
static bool markdown_flush(struct cfs_markdown *m)
{
	struct cfs_slice s = cfs_md_line_end(&m->line, &m->spare);

	if (s.n > 0 && m->columns > 0) {
		if (m->row.n > 0 && m->row.p[m->row.n - 1] != ' ')
			cfs_buf_addc(&m->row, ' ');
		cfs_buf_add(&m->row, s);
	} else if (s.n > 0) {
		begin_block(m);
		if (m->heading > 0)
			put_heading(m, s);
		else
			markdown_put_lines(m, s);
	}
	cfs_md_line_begin(&m->line, block_kind(m));
	return s.n > 0;
}

/* ---- lists and quotes --------------------------------------------------- */

static struct cfs_md_container *innermost(struct cfs_markdown *m)
{
	return m->n_in > 0 ? &m->in[m->n_in - 1] : NULL;
}

static struct cfs_md_container *open_container(struct cfs_markdown *m,
				     enum cfs_html_tag tag)
{
	struct cfs_md_container *c = &m->in[m->n_in];

	if (m->too_deep > 0 || m->n_in == CFS_MD_NESTED_MAX) {
		m->too_deep++;
		return NULL;
	}
	*c = (struct cfs_md_container){ .tag = tag,
					.prefix_n = m->prefix.n };
	m->n_in++;
	if (m->prefix.n < m->shallowest)
		m->shallowest = m->prefix.n;
	return c;
}

static void close_container(struct cfs_markdown *m)
{
	if (m->too_deep > 0) {
		m->too_deep--;
		return;
	}
	if (m->n_in == 0)
		return;
	m->prefix.n = m->in[--m->n_in].prefix_n;
	if (m->prefix.n < m->shallowest)
		m->shallowest = m->prefix.n;
	if (m->marker.n > 0 && m->marker_at >= m->prefix.n)
		cfs_buf_reset(&m->marker);
}

static void begin_list(struct cfs_markdown *m, const struct cfs_html_el *el)
{
	struct cfs_md_container *c;
	enum cfs_html_tag last = m->last_list;
	struct cfs_slice v;
	uint64_t start;

	c = open_container(m, el->tag == CFS_TAG_OL ? CFS_TAG_OL : CFS_TAG_UL);
	if (c == NULL)
		return;
	c->is_other = last == c->tag && !m->last_was_other;
	c->number = 1;
	if (el->tag == CFS_TAG_OL &&
	    cfs_html_el_get(el, CFS_SLICE_LIT("start"), &v) &&
	    cfs_slice_parse_u64(v, ITEM_NUMBER_MAX, &start) == CFS_OK)
		c->number = (uint32_t)start;
}

static void begin_item(struct cfs_markdown *m)
{
	struct cfs_md_container *list = innermost(m), *c;

	if (m->too_deep > 0 || m->n_in == CFS_MD_NESTED_MAX) {
		m->too_deep++;
		return;
	}
	c = open_container(m, CFS_TAG_LI);
	if (list == NULL ||
	    (list->tag != CFS_TAG_UL && list->tag != CFS_TAG_OL))
		return;		/* an item without a list: a block */
	/* if an item begins another list, its marker stands alone */
	if (m->marker.n > 0) {
		begin_block(m);
		markdown_begin_line(m);
		cfs_buf_addc(m->out, '\n');
	}
	cfs_buf_reset(&m->marker);
	m->marker_at = c->prefix_n;
	if (list->tag == CFS_TAG_OL) {
		cfs_buf_addf(&m->marker, "%u%s ", list->number,
			     list->is_other ? ")" : ".");
		list->number += list->number < ITEM_NUMBER_MAX;
	} else {
		cfs_buf_adds(&m->marker, list->is_other ? "* " : "- ");
	}
	for (size_t i = 0; i < m->marker.n; i++)
		cfs_buf_addc(&m->prefix, ' ');
}

static void end_list(struct cfs_markdown *m)
{
	const struct cfs_md_container *c = innermost(m);
	enum cfs_html_tag tag = CFS_TAG_OTHER;
	bool was_other = false;

	if (m->too_deep == 0 && c != NULL && c->has_items) {
		tag = c->tag;
		was_other = c->is_other;
	}
	close_container(m);
	m->last_list = tag;
	m->last_was_other = was_other;
}

/* ---- code blocks -------------------------------------------------------- */

static bool markdown_keeps_space(enum cfs_html_tag tag)
{
	return tag == CFS_TAG_PRE || tag == CFS_TAG_LISTING ||
	       tag == CFS_TAG_XMP || tag == CFS_TAG_PLAINTEXT;
}

/* Takes the language of a code block from a class "language-c". */
static void find_language(struct cfs_markdown *m, const struct cfs_html_el *el)
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
		while (n < v.n && n < LANGUAGE_MAX &&
		       (cfs_is_alnum(v.p[n]) || v.p[n] == '+' ||
			v.p[n] == '-' || v.p[n] == '#'))
			n++;
		cfs_buf_append(&m->language, v.p, n);
		return;
	}
}

static void begin_pre(struct cfs_markdown *m, const struct cfs_html_el *el)
{
	markdown_flush(m);
	if (m->pre++ > 0)
		return;
	cfs_buf_reset(&m->pre_text);
	cfs_buf_reset(&m->language);
	find_language(m, el);
}

static void put_fence(struct cfs_markdown *m, size_t n, struct cfs_slice word)
{
	markdown_begin_line(m);
	for (size_t i = 0; i < n; i++)
		cfs_buf_addc(m->out, '`');
	cfs_buf_add(m->out, word);
	cfs_buf_addc(m->out, '\n');
}

static void end_pre(struct cfs_markdown *m)
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
	begin_block(m);
	put_fence(m, fence, cfs_buf_slice(&m->language));
	markdown_put_lines(m, s);
	put_fence(m, fence, CFS_SLICE_EMPTY);
}

static void add_pre_text(struct cfs_markdown *m, struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
			c = ' ';
		cfs_buf_addc(&m->pre_text, c);
	}
}

/* ---- tables ------------------------------------------------------------- */

static void begin_table(struct cfs_markdown *m, uint32_t columns)
{
	markdown_flush(m);
	m->columns = columns;
	m->column = 0;
	m->head_is_written = false;
	cfs_buf_reset(&m->row);
}

static void begin_row(struct cfs_markdown *m)
{
	markdown_flush(m);
	m->column = 0;
	cfs_buf_reset(&m->row);
}

static void begin_cell(struct cfs_markdown *m)
{
	cfs_md_line_begin(&m->line, CFS_MD_CELL);
	cfs_buf_adds(&m->row, m->column == 0 ? "| " : " | ");
	m->column++;
}

static void markdown_end_row(struct cfs_markdown *m)
{
	if (m->column == 0)
		return;
	markdown_flush(m);
	/* only the head must have all columns */
	for (; !m->head_is_written && m->column < m->columns; m->column++)
		cfs_buf_adds(&m->row, " |");
	cfs_buf_adds(&m->row, " |");
	if (!m->head_is_written)
		begin_block(m);
	markdown_begin_line(m);
	cfs_buf_add(m->out, cfs_buf_slice(&m->row));
	cfs_buf_addc(m->out, '\n');
	if (!m->head_is_written) {
		markdown_begin_line(m);
		for (uint32_t i = 0; i < m->columns; i++)
			cfs_buf_adds(m->out, i == 0 ? "| ---" : " | ---");
		cfs_buf_adds(m->out, " |\n");
	}
	m->head_is_written = true;
	m->column = 0;
	cfs_buf_reset(&m->row);
}

/* Handles an element of a table of data.  False: it is none of them. */
static bool table_part(struct cfs_markdown *m, enum cfs_html_tag tag,
		       bool begins)
{
	if (m->columns == 0)
		return false;
	switch (tag) {
	case CFS_TAG_TR:
		if (begins)
			begin_row(m);
		else
			markdown_end_row(m);
		return true;
	case CFS_TAG_TD: case CFS_TAG_TH:
		if (begins)
			begin_cell(m);
		else
			markdown_flush(m);
		return true;
	case CFS_TAG_TBODY: case CFS_TAG_THEAD: case CFS_TAG_TFOOT:
		return true;
	default:
		cfs_md_line_blank(&m->line);
		return tag != CFS_TAG_TABLE;
	}
}

/* ---- blocks ------------------------------------------------------------- */

static unsigned heading_level(enum cfs_html_tag tag)
{
	return tag >= CFS_TAG_H1 && tag <= CFS_TAG_H6 ?
	       (unsigned)(tag - CFS_TAG_H1) + 1 : 0;
}

void cfs_markdown_block(struct cfs_markdown *m, const struct cfs_html_el *el,
			unsigned level, uint32_t columns)
{
	if (table_part(m, el->tag, true))
		return;
	if (m->pre > 0) {
		m->pre += markdown_keeps_space(el->tag);
		return;
	}
	markdown_flush(m);
	if (heading_level(el->tag) > 0) {
		m->heading = level > 0 ? level : heading_level(el->tag);
		cfs_md_line_begin(&m->line, CFS_MD_HEADING);
		return;
	}
	switch (el->tag) {
	case CFS_TAG_BLOCKQUOTE:
		if (open_container(m, CFS_TAG_BLOCKQUOTE) != NULL)
			cfs_buf_adds(&m->prefix, "> ");
		break;
	case CFS_TAG_UL: case CFS_TAG_OL: case CFS_TAG_MENU: case CFS_TAG_DIR:
		begin_list(m, el);
		break;
	case CFS_TAG_LI:
		begin_item(m);
		break;
	case CFS_TAG_TABLE:
		if (columns > 0)
			begin_table(m, columns);
		break;
	default:
		if (markdown_keeps_space(el->tag))
			begin_pre(m, el);
		break;
	}
}

void cfs_markdown_block_end(struct cfs_markdown *m, enum cfs_html_tag tag)
{
	if (table_part(m, tag, false))
		return;
	if (m->pre > 0) {
		if (markdown_keeps_space(tag))
			end_pre(m);
		return;
	}
	markdown_flush(m);
	if (heading_level(tag) > 0) {
		m->heading = 0;
		cfs_md_line_begin(&m->line, CFS_MD_PARAGRAPH);
	}
	switch (tag) {
	case CFS_TAG_BLOCKQUOTE: case CFS_TAG_LI:
		close_container(m);
		break;
	case CFS_TAG_UL: case CFS_TAG_OL: case CFS_TAG_MENU: case CFS_TAG_DIR:
		end_list(m);
		break;
	case CFS_TAG_TABLE:
		m->columns = 0;
		cfs_md_line_begin(&m->line, CFS_MD_PARAGRAPH);
		break;
	default:
		break;
	}
}

/* ---- within a line ------------------------------------------------------ */

/* Sets m->target to the destination of a reference; false if it leads
 * nowhere. */
static bool markdown_resolve(struct cfs_markdown *m, struct cfs_slice ref)
{
	struct cfs_slice scheme;

	ref = cfs_slice_trim(ref);
	scheme = cfs_url_scheme(ref);
	return ref.n > 0 && ref.p[0] != '#' &&
	       !cfs_slice_eq_nocase(scheme, CFS_SLICE_LIT("javascript")) &&
	       !cfs_slice_eq_nocase(scheme, CFS_SLICE_LIT("data")) &&
	       cfs_url_resolve(&m->base, ref, &m->target);
}

static void take_base(struct cfs_markdown *m, const struct cfs_html_el *el)
{
	struct cfs_slice href;

	if (m->has_base || !cfs_html_el_get(el, CFS_SLICE_LIT("href"), &href) ||
	    !markdown_resolve(m, href))
		return;
	m->has_base = true;
	cfs_buf_reset(&m->base_url);
	cfs_buf_add(&m->base_url, cfs_buf_slice(&m->target));
	cfs_url_base_init(&m->base, cfs_buf_slice(&m->base_url));
}

/* Pages that load pictures late have the address in another attribute. */
static void put_image(struct cfs_markdown *m, const struct cfs_html_el *el)
{
	static const struct cfs_slice names[] = {
		CFS_SLICE_LIT("data-src"), CFS_SLICE_LIT("data-original"),
		CFS_SLICE_LIT("src"),
	};
	struct cfs_slice v, alt = CFS_SLICE_EMPTY;
	size_t i = 0;

	while (i < sizeof(names) / sizeof(names[0]) &&
	       !(cfs_html_el_get(el, names[i], &v) && markdown_resolve(m, v)))
		i++;
	if (i == sizeof(names) / sizeof(names[0]))
		return;
	cfs_html_el_get(el, CFS_SLICE_LIT("alt"), &alt);
	cfs_md_line_image(&m->line, cfs_buf_slice(&m->target),
			  cfs_slice_trim(alt));
}

void cfs_markdown_link(struct cfs_markdown *m, struct cfs_slice ref)
{
	if (ref.n > 0 && markdown_resolve(m, ref))
		cfs_md_line_link(&m->line, cfs_buf_slice(&m->target));
	else
		cfs_md_line_link(&m->line, CFS_SLICE_EMPTY);
}

static bool is_code(enum cfs_html_tag tag)
{
	return tag == CFS_TAG_CODE || tag == CFS_TAG_TT;
}

void cfs_markdown_inline(struct cfs_markdown *m, const struct cfs_html_el *el)
{
	struct cfs_slice href;

	if (el->tag == CFS_TAG_BASE) {
		take_base(m, el);
		return;
	}
	if (m->pre > 0) {
		if (el->tag == CFS_TAG_BR)
			cfs_buf_addc(&m->pre_text, '\n');
		else if (el->tag == CFS_TAG_CODE)
			find_language(m, el);
		return;
	}
	switch (el->tag) {
	case CFS_TAG_A:
		if (!cfs_html_el_get(el, CFS_SLICE_LIT("href"), &href))
			href = CFS_SLICE_EMPTY;
		cfs_markdown_link(m, href);
		break;
	case CFS_TAG_IMG:
		put_image(m, el);
		break;
	case CFS_TAG_BR:
		if (m->line.line_break && m->columns == 0)
			markdown_flush(m);
		else
			cfs_md_line_break(&m->line);
		break;
	case CFS_TAG_STRONG: case CFS_TAG_B:
		cfs_md_line_mark(&m->line, CFS_MD_STRONG, true);
		break;
	case CFS_TAG_EM: case CFS_TAG_I:
		cfs_md_line_mark(&m->line, CFS_MD_EM, true);
		break;
	default:
		if (is_code(el->tag))
			cfs_md_line_code(&m->line, true);
		break;
	}
}

void cfs_markdown_inline_end(struct cfs_markdown *m, enum cfs_html_tag tag)
{
	if (m->pre > 0)
		return;
	switch (tag) {
	case CFS_TAG_A:
		cfs_md_line_link(&m->line, CFS_SLICE_EMPTY);
		break;
	case CFS_TAG_STRONG: case CFS_TAG_B:
		cfs_md_line_mark(&m->line, CFS_MD_STRONG, false);
		break;
	case CFS_TAG_EM: case CFS_TAG_I:
		cfs_md_line_mark(&m->line, CFS_MD_EM, false);
		break;
	default:
		if (is_code(tag))
			cfs_md_line_code(&m->line, false);
		break;
	}
}

void cfs_markdown_text(struct cfs_markdown *m, struct cfs_slice s)
{
	if (m->pre > 0)
		add_pre_text(m, s);
	else
		cfs_md_line_text(&m->line, s);
}

void cfs_markdown_heading(struct cfs_markdown *m, struct cfs_slice text,
			  unsigned level)
{
	markdown_flush(m);
	m->heading = level;
	cfs_md_line_begin(&m->line, CFS_MD_HEADING);
	cfs_md_line_text(&m->line, text);
	markdown_flush(m);
	m->heading = 0;
	cfs_md_line_begin(&m->line, CFS_MD_PARAGRAPH);
}

int cfs_markdown_end(struct cfs_markdown *m)
{
	int rc = CFS_OK;

	if (m->pre > 0) {
		m->pre = 1;
		end_pre(m);
	}
	markdown_flush(m);
	if (m->line.text.failed != CFS_OK || m->line.code.failed != CFS_OK ||
	    m->line.href.failed != CFS_OK || m->pre_text.failed != CFS_OK ||
	    m->row.failed != CFS_OK)
		rc = CFS_ENOMEM;
	if (rc == CFS_OK)
		rc = m->out->failed;
	cfs_md_line_release(&m->line);
	cfs_buf_release(&m->base_url);
	cfs_buf_release(&m->target);
	cfs_buf_release(&m->prefix);
	cfs_buf_release(&m->marker);
	cfs_buf_release(&m->pre_text);
	cfs_buf_release(&m->language);
	cfs_buf_release(&m->row);
	return rc;
}

/* markdown.c - writes CommonMark, or plain text (markdown.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "markdown_internal.h"

#include <string.h>

#include "page_blocks.h"

#define ITEM_NUMBER_MAX 999999999u

void cfs_markdown_begin(struct cfs_markdown *m, struct cfs_buf *out,
			struct cfs_slice url, size_t bytes, bool is_plain)
{
	*m = (struct cfs_markdown){ .out = out, .is_plain = is_plain,
				     .start = out->n, .shallowest = SIZE_MAX,
				     .spare = CFS_MD_REPEATED_BYTES + bytes };
	cfs_md_line_init(&m->line, out->max);
	m->line.is_plain = is_plain;
	cfs_buf_init(&m->base_url, CFS_URLREF_MAX);
	cfs_buf_init(&m->target, CFS_URLREF_MAX);
	cfs_buf_init(&m->prefix, 16 * CFS_MD_NESTED_MAX);
	cfs_buf_init(&m->marker, 32);
	cfs_buf_init(&m->pre_text, out->max);
	cfs_buf_init(&m->language, 2 * CFS_CODE_LANGUAGE_MAX);
	cfs_buf_init(&m->row, out->max);
	cfs_buf_init(&m->caption, out->max);
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
	unsigned n = m->marker_in;

	if (m->marker.n == 0)
		return false;
	list = &m->in[n - 2];
	if (list->has_items)
		return true;
	/* a marker alone on its line would underline the one before it */
	if (n < m->n_in && m->in[m->n_in - 1].tag != CFS_TAG_BLOCKQUOTE &&
	    !m->is_plain)
		return false;
	return n > 2 && m->in[n - 3].tag == CFS_TAG_LI &&
	       (list->tag == CFS_TAG_UL || list->number == 2);
}

/* The same in plain text. */
static bool follows_as_line(const struct cfs_markdown *m)
{
	if (m->marker.n == 0)
		return m->n_in > 0 && m->in[m->n_in - 1].tag == CFS_TAG_DT;
	return !m->is_apart && follows_directly(m);
}

/* Appends n bytes of the prefix, for which there is room (cfs_md_make_room). */
static void put_prefix(struct cfs_markdown *m, size_t n)
{
	if (m->is_plain)
		return;
	if (n > m->spare)
		n = m->spare;
	m->spare -= n;
	cfs_buf_append(m->out, m->prefix.p, n);
}

/* Makes sure that so many lines can have their prefix.  If they cannot, what
 * follows is in no list and no quote: a part of a block outside of the list
 * that it is in would be another block, and code would be text.  True if that
 * happens now. */
bool cfs_md_make_room(struct cfs_markdown *m, size_t lines)
{
	if (m->is_plain || m->prefix.n == 0 ||
	    lines < m->spare / m->prefix.n)
		return false;
	m->too_deep += m->n_in + 1;	/* one that nothing ends */
	m->n_in = 0;
	m->shallowest = 0;
	cfs_buf_empty(&m->prefix);
	cfs_buf_empty(&m->marker);
	return true;
}

/* Begins a block of so many lines: leaves an empty line between it and what is
 * before it, except between the items of a list. */
void cfs_md_begin_block(struct cfs_markdown *m, size_t lines)
{
	bool follows = m->is_lone || m->out->n == m->start;
	size_t n;

	cfs_md_make_room(m, lines + 1);
	n = m->marker.n > 0 ? m->marker_at : m->prefix.n;
	if (m->shallowest < n)
		n = m->shallowest;
	m->shallowest = SIZE_MAX;
	m->last_list = CFS_TAG_OTHER;
	if (!follows)
		follows = m->is_plain ? follows_as_line(m) :
					follows_directly(m);
	m->is_lone = false;
	m->is_apart = !follows && m->marker.n == 0;
	if (follows)
		return;
	put_prefix(m, bare_prefix(m, n));
	cfs_buf_addc(m->out, '\n');
}

/* Writes the marker of an item, in the prefix. */
static void put_marker(struct cfs_markdown *m)
{
	size_t inner = m->marker_at + m->marker.n;

	put_prefix(m, m->marker_at);
	cfs_buf_add(m->out, cfs_buf_slice(&m->marker));
	/* a quote that begins the item */
	cfs_buf_append(m->out, m->prefix.p + inner, m->prefix.n - inner);
}

/* Writes what stands before a line. */
void cfs_md_begin_line(struct cfs_markdown *m)
{
	if (m->marker.n > 0) {
		if (!m->is_plain)
			put_marker(m);
		cfs_buf_empty(&m->marker);
		m->in[m->marker_in - 2].has_items = true;
	} else {
		put_prefix(m, m->prefix.n);
	}
}

size_t cfs_md_count_lines(const struct cfs_markdown *m, struct cfs_slice s)
{
	size_t n = 1;

	if (m->is_plain || m->prefix.n == 0)
		return n;
	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

/* Writes text that may have several lines. */
void cfs_md_put_lines(struct cfs_markdown *m, struct cfs_slice s)
{
	while (s.n > 0) {
		struct cfs_slice line = cfs_slice_split(&s, '\n');

		if (line.n == 0 && m->marker.n == 0)
			put_prefix(m, bare_prefix(m, m->prefix.n));
		else
			cfs_md_begin_line(m);
		cfs_buf_add(m->out, line);
		cfs_buf_addc(m->out, '\n');
	}
}

/* The kind of the block that begins. */
static enum cfs_md_block block_kind(const struct cfs_markdown *m)
{
	if (cfs_md_is_in_row(m))
		return CFS_MD_CELL;
	return m->heading > 0 ? CFS_MD_HEADING : CFS_MD_PARAGRAPH;
}

static void put_heading(struct cfs_markdown *m, struct cfs_slice s)
{
	cfs_md_begin_line(m);
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

/* Notes where the last image of a paragraph that was written ends, if it is on
 * the last line. */
static void note_image(struct cfs_markdown *m, struct cfs_slice s)
{
	size_t at = m->line.image_at;

	if (at > 0 && cfs_slice_find(cfs_slice_from(s, at), '\n') < 0)
		m->image_at = m->out->n - 1 - (s.n - at);
}

/* Ends the block that is being written; true if it had text. */
bool cfs_md_flush(struct cfs_markdown *m)
{
	struct cfs_slice s = cfs_md_line_end(&m->line, &m->spare);

	if (s.n > 0 && cfs_md_is_in_row(m)) {
		if (m->row.n > 0 && m->row.p[m->row.n - 1] > ' ')
			cfs_buf_addc(&m->row, ' ');
		cfs_buf_add(&m->row, s);
	} else if (s.n > 0) {
		cfs_md_begin_block(m, cfs_md_count_lines(m, s));
		if (m->heading > 0 && !m->is_plain)
			put_heading(m, s);
		else
			cfs_md_put_lines(m, s);
		if (m->heading == 0)
			note_image(m, s);
		m->head_is_written = false;
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
		cfs_buf_empty(&m->marker);
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
	c->is_of_terms = el->tag == CFS_TAG_DL;
	if (el->tag == CFS_TAG_OL &&
	    cfs_html_el_get(el, CFS_SLICE_LIT("start"), &v) &&
	    cfs_slice_parse_u64(v, ITEM_NUMBER_MAX, &start) == CFS_OK)
		c->number = (uint32_t)start;
}

/* An item that begins another list has its marker alone on a line; in plain
 * text nothing.  An empty line would end it. */
static void put_lone_marker(struct cfs_markdown *m)
{
	cfs_md_begin_block(m, 1);
	cfs_md_begin_line(m);
	if (!m->is_plain)
		cfs_buf_addc(m->out, '\n');
	m->is_lone = m->n_in > 0;
}

/* Begins an item of the innermost list. */
static void begin_item_of(struct cfs_markdown *m, size_t list_at)
{
	struct cfs_md_container *list = &m->in[list_at];

	if (m->marker.n > 0)
		put_lone_marker(m);
	if (m->n_in == 0)
		return;		/* there is no room for it */
	cfs_buf_empty(&m->marker);
	m->marker_at = m->in[list_at + 1].prefix_n;
	m->marker_in = (unsigned)list_at + 2;
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

static void begin_item(struct cfs_markdown *m)
{
	const struct cfs_md_container *list = innermost(m);

	if (open_container(m, CFS_TAG_LI) == NULL || list == NULL ||
	    (list->tag != CFS_TAG_UL && list->tag != CFS_TAG_OL))
		return;		/* an item without a list: a block */
	begin_item_of(m, m->n_in - 2);
}

/* A term of a definition list begins an item, and so does a definition without
 * one; the definitions behind a term belong to its item.  Other terms and
 * definitions, without a list, are blocks. */
static void begin_term(struct cfs_markdown *m, enum cfs_html_tag tag)
{
	const struct cfs_md_container *c = innermost(m);
	bool is_in_item = c != NULL && c->tag == CFS_TAG_DT;

	if (m->too_deep > 0 || (is_in_item && tag == CFS_TAG_DD))
		return;
	if (is_in_item)
		close_container(m);
	c = innermost(m);
	if (c != NULL && c->is_of_terms && m->n_in < CFS_MD_NESTED_MAX) {
		open_container(m, CFS_TAG_DT);
		begin_item_of(m, m->n_in - 2);
	}
}

static void end_term(struct cfs_markdown *m)
{
	const struct cfs_md_container *c = innermost(m);

	if (m->too_deep == 0 && c != NULL && c->tag == CFS_TAG_DT)
		close_container(m);
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

/* ---- blocks ------------------------------------------------------------- */

static unsigned heading_level(enum cfs_html_tag tag)
{
	return tag >= CFS_TAG_H1 && tag <= CFS_TAG_H6 ?
	       (unsigned)(tag - CFS_TAG_H1) + 1 : 0;
}

void cfs_markdown_block(struct cfs_markdown *m, const struct cfs_html_el *el,
			unsigned level, uint32_t columns)
{
	if (cfs_md_table_part(m, el->tag, el))
		return;
	if (m->pre > 0) {
		cfs_md_begin_in_code(m, el->tag);
		return;
	}
	cfs_md_flush(m);
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
	case CFS_TAG_DL:
		begin_list(m, el);
		break;
	case CFS_TAG_LI:
		begin_item(m);
		break;
	case CFS_TAG_DT: case CFS_TAG_DD:
		begin_term(m, el->tag);
		if (el->tag == CFS_TAG_DT)
			cfs_md_line_mark(&m->line, CFS_MD_STRONG, true);
		break;
	case CFS_TAG_FIGURE:
		m->image_at = 0;
		cfs_buf_empty(&m->caption);
		break;
	case CFS_TAG_TABLE:
		if (columns > 0)
			cfs_md_begin_table(m, columns);
		break;
	default:
		break;
	}
}

void cfs_markdown_block_end(struct cfs_markdown *m, enum cfs_html_tag tag)
{
	if (cfs_md_table_part(m, tag, NULL))
		return;
	if (m->pre > 0) {
		cfs_md_end_in_code(m, tag);
		return;
	}
	cfs_md_flush(m);
	if (heading_level(tag) > 0) {
		m->heading = 0;
		cfs_md_line_begin(&m->line, CFS_MD_PARAGRAPH);
	}
	switch (tag) {
	case CFS_TAG_BLOCKQUOTE: case CFS_TAG_LI:
		close_container(m);
		break;
	case CFS_TAG_DT:
		cfs_md_line_mark(&m->line, CFS_MD_STRONG, false);
		break;
	case CFS_TAG_DL:
		end_term(m);
		end_list(m);
		break;
	case CFS_TAG_UL: case CFS_TAG_OL: case CFS_TAG_MENU: case CFS_TAG_DIR:
		end_list(m);
		break;
	case CFS_TAG_FIGURE:
		cfs_md_figure_end(m);
		cfs_md_flush(m);
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
static bool find(struct cfs_markdown *m, struct cfs_slice ref)
{
	struct cfs_slice scheme;

	ref = cfs_slice_trim(ref);
	scheme = cfs_url_scheme(ref);
	return ref.n > 0 && ref.p[0] != '#' &&
	       !cfs_slice_eq_nocase(scheme, CFS_SLICE_LIT("javascript")) &&
	       !cfs_slice_eq_nocase(scheme, CFS_SLICE_LIT("data")) &&
	       cfs_url_resolve(&m->base, ref, &m->target);
}

/* The same for a reference that is written.  What the destination has of the
 * base is repeated. */
static bool resolve(struct cfs_markdown *m, struct cfs_slice ref)
{
	size_t repeated;

	if (m->is_plain || m->has_no_links || !find(m, ref))
		return false;
	repeated = m->target.n > ref.n ? m->target.n - ref.n : 0;
	/* no others are tried, since each costs as much as the base is long */
	m->has_no_links = repeated > m->spare;
	if (m->has_no_links)
		return false;
	m->spare -= repeated;
	return true;
}

static void take_base(struct cfs_markdown *m, const struct cfs_html_el *el)
{
	struct cfs_slice href;

	if (m->has_base || !cfs_html_el_get(el, CFS_SLICE_LIT("href"), &href) ||
	    !find(m, href))
		return;
	m->has_base = true;
	cfs_buf_empty(&m->base_url);
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
	       !(cfs_html_el_get(el, names[i], &v) && resolve(m, v)))
		i++;
	if (i == sizeof(names) / sizeof(names[0]))
		return;
	cfs_html_el_get(el, CFS_SLICE_LIT("alt"), &alt);
	cfs_md_line_image(&m->line, cfs_buf_slice(&m->target),
			  cfs_slice_trim(alt));
}

void cfs_markdown_link(struct cfs_markdown *m, struct cfs_slice ref)
{
	if (ref.n > 0 && resolve(m, ref))
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
		cfs_md_inline_in_code(m, el);
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
			cfs_md_flush(m);
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
		cfs_md_add_code(m, s);
	else
		cfs_md_line_text(&m->line, s);
}

void cfs_markdown_formula(struct cfs_markdown *m, struct cfs_slice tex,
			  bool is_display)
{
	if (m->pre > 0) {
		cfs_md_add_code(m, tex);
		return;
	}
	is_display = is_display && m->heading == 0 && !cfs_md_is_in_row(m);
	if (is_display)
		cfs_md_flush(m);
	cfs_md_line_formula(&m->line, tex, is_display);
	if (is_display)
		cfs_md_flush(m);
}

void cfs_markdown_heading(struct cfs_markdown *m, struct cfs_slice text,
			  unsigned level)
{
	cfs_md_flush(m);
	m->heading = level;
	cfs_md_line_begin(&m->line, CFS_MD_HEADING);
	cfs_md_line_text(&m->line, text);
	cfs_md_flush(m);
	m->heading = 0;
	cfs_md_line_begin(&m->line, CFS_MD_PARAGRAPH);
}

void cfs_markdown_title(struct cfs_markdown *m, struct cfs_slice text)
{
	cfs_markdown_heading(m, text, 1);
	m->title_end = m->out->n;
}

/* True if a text is not whole. */
static bool has_failed(const struct cfs_markdown *m)
{
	const struct cfs_buf *const texts[] = {
		&m->line.text, &m->line.code, &m->line.href,
		&m->pre_text, &m->row, &m->caption,
	};
	const struct cfs_buf *const limited[] = {
		&m->base_url, &m->target, &m->prefix, &m->marker, &m->language,
	};
	bool is_lost = false;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		is_lost |= texts[i]->failed != CFS_OK;
	for (size_t i = 0; i < sizeof(limited) / sizeof(limited[0]); i++)
		is_lost |= limited[i]->failed == CFS_ENOMEM;
	return is_lost;
}

int cfs_markdown_end(struct cfs_markdown *m)
{
	int rc = CFS_OK;

	if (m->pre > 0) {
		m->pre = m->pre_elements = 1;
		cfs_markdown_code_end(m, CFS_TAG_PRE);
	}
	cfs_md_flush(m);
	/* an empty list within a list leaves an empty line */
	if (m->is_plain && m->is_lone && m->out->n > m->start)
		m->out->n--;
	if (m->title_end > 0 && m->out->n <= m->title_end)
		m->out->n = m->start;
	if (has_failed(m))
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
	cfs_buf_release(&m->caption);
	return rc;
}

/* md_table.c - writes tables of data as GFM has them, or in plain text rows
 * with tabs between their cells (markdown.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "markdown_internal.h"

bool cfs_md_is_in_row(const struct cfs_markdown *m)
{
	return m->columns > 0 && m->is_in_row;
}

/* The line below the head is as wide as the widest row, which may have few
 * cells that span many columns. */
void cfs_md_begin_table(struct cfs_markdown *m, uint32_t columns)
{
	size_t bytes = columns * sizeof(" | ---");

	cfs_md_flush(m);
	if (bytes > m->spare)
		return;
	m->spare -= bytes;
	m->columns = columns;
	m->is_in_row = false;
	m->head_is_written = false;
	m->more_places = 0;
	cfs_table_grid_begin(&m->grid, columns);
	cfs_buf_empty(&m->row);
}

/* In plain text the first place has a tab, too, which is not written. */
static void put_place(struct cfs_markdown *m)
{
	if (m->is_plain)
		cfs_buf_addc(&m->row, '\t');
	else
		cfs_buf_adds(&m->row, m->row.n == 0 ? "| " : " | ");
}

/* Writes n places that a cell spans. */
static void put_spanned(struct cfs_markdown *m, uint32_t n)
{
	for (; n > 0 && m->spare >= 3; n--) {
		put_place(m);
		m->spare -= 3;
	}
}

static void put_row(struct cfs_markdown *m)
{
	cfs_buf_adds(&m->row, " |");
	if (cfs_md_make_room(m, 1))
		m->head_is_written = false;
	if (!m->head_is_written)
		cfs_md_begin_block(m, 2);
	cfs_md_begin_line(m);
	cfs_buf_add(m->out, cfs_buf_slice(&m->row));
	cfs_buf_addc(m->out, '\n');
	if (m->head_is_written)
		return;
	cfs_md_begin_line(m);
	for (uint32_t i = 0; i < m->columns; i++)
		cfs_buf_adds(m->out, i == 0 ? "| ---" : " | ---");
	cfs_buf_adds(m->out, " |\n");
	m->head_is_written = true;
}

/* Writes a row in plain text, without empty cells at its end. */
static void put_plain_row(struct cfs_markdown *m)
{
	struct cfs_slice s = cfs_buf_slice(&m->row);

	while (s.n > 0 && s.p[s.n - 1] == '\t')
		s.n--;
	if (s.n == 0)
		return;
	if (!m->head_is_written)
		cfs_md_begin_block(m, 1);
	cfs_md_begin_line(m);
	cfs_buf_add(m->out, cfs_slice_from(s, 1));
	cfs_buf_addc(m->out, '\n');
	m->head_is_written = true;
}

static void end_row(struct cfs_markdown *m)
{
	if (!m->is_in_row)
		return;
	cfs_md_flush(m);
	put_spanned(m, m->more_places);
	/* only the head must have all columns */
	for (uint32_t i = m->grid.column; !m->head_is_written && !m->is_plain &&
	     i < m->columns; i++)
		cfs_buf_adds(&m->row, " |");
	if (m->is_plain)
		put_plain_row(m);
	else
		put_row(m);
	m->is_in_row = false;
	m->more_places = 0;
	cfs_buf_empty(&m->row);
	cfs_md_line_begin(&m->line, CFS_MD_PARAGRAPH);
}

/* Text before the first cell of a row, or between rows, is a paragraph; rows
 * that follow it are a table of their own. */
static void begin_row(struct cfs_markdown *m)
{
	end_row(m);
	cfs_md_flush(m);
}

/* Text behind a cell belongs to it.  A place that a cell beside or above spans
 * is empty. */
static void begin_cell(struct cfs_markdown *m, const struct cfs_html_el *el)
{
	cfs_md_flush(m);
	put_spanned(m, m->more_places + cfs_table_grid_skip(&m->grid));
	put_place(m);
	m->more_places = cfs_table_grid_cell(&m->grid,
					     cfs_table_spans_of(el)) - 1;
	m->is_in_row = true;
	cfs_md_line_begin(&m->line, CFS_MD_CELL);
}

/* The caption of a table of data is a paragraph before it.  Rows that precede
 * it are a table of their own. */
static bool caption_of_table(struct cfs_markdown *m, bool begins)
{
	if (begins && m->columns > 0 && !m->is_in_row) {
		cfs_md_flush(m);
		m->of_caption = m->columns;
		m->columns = 0;
		m->head_is_written = false;
	} else if (!begins && m->of_caption > 0) {
		cfs_md_flush(m);
		m->columns = m->of_caption;
		m->of_caption = 0;
	}
	return m->columns > 0 || m->of_caption > 0;
}

static bool keeps_space(enum cfs_html_tag tag)
{
	return tag == CFS_TAG_PRE || tag == CFS_TAG_LISTING ||
	       tag == CFS_TAG_XMP;
}

/* Handles an element in a cell that is no part of its table.  What begins a
 * line is a blank there, and a block of code is code. */
static void in_cell(struct cfs_markdown *m, enum cfs_html_tag tag, bool begins)
{
	if (tag == CFS_TAG_TABLE && begins)
		m->inner_tables++;
	else if (tag == CFS_TAG_TABLE)
		m->inner_tables--;
	if (keeps_space(tag) && begins) {
		cfs_md_line_blank(&m->line);
		cfs_md_line_code(&m->line, true);
	} else if (keeps_space(tag)) {
		cfs_md_line_code(&m->line, false);
	}
	cfs_md_line_blank(&m->line);
}

/* Handles an element of a table of data; el: its start tag, NULL: it ends.
 * False: it is none of them. */
bool cfs_md_table_part(struct cfs_markdown *m, enum cfs_html_tag tag,
		       const struct cfs_html_el *el)
{
	if (tag == CFS_TAG_CAPTION && m->inner_tables == 0)
		return caption_of_table(m, el != NULL);
	if (m->columns == 0)
		return false;
	if (m->inner_tables > 0) {
		in_cell(m, tag, el != NULL);
		return true;
	}
	switch (tag) {
	case CFS_TAG_TR:
		if (el != NULL) {
			begin_row(m);
		} else {
			end_row(m);
			cfs_table_grid_row(&m->grid);
		}
		return true;
	case CFS_TAG_TD: case CFS_TAG_TH:
		if (el != NULL)
			begin_cell(m, el);
		else
			cfs_md_flush(m);
		return true;
	case CFS_TAG_TBODY: case CFS_TAG_THEAD: case CFS_TAG_TFOOT:
		end_row(m);
		cfs_table_grid_group(&m->grid);
		return true;
	case CFS_TAG_TABLE:
		if (el == NULL)
			end_row(m);
		else
			in_cell(m, tag, true);
		return el != NULL;
	default:
		in_cell(m, tag, el != NULL);
		return true;
	}
}

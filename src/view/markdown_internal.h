/* markdown_internal.h - shared declarations of the writer of Markdown
 * (markdown.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_MARKDOWN_INTERNAL_H
#define CFS_VIEW_MARKDOWN_INTERNAL_H

#include "markdown.h"

/* -- markdown.c: lines -- */

/* Makes sure that so many lines can have their prefix.  If they cannot, what
 * follows is in no list and no quote: a part of a block outside of the list
 * that it is in would be another block, and code would be text.  True if that
 * happens now. */
bool cfs_md_make_room(struct cfs_markdown *m, size_t lines);
/* Begins a block of so many lines: leaves an empty line between it and what is
 * before it, except between the items of a list. */
void cfs_md_begin_block(struct cfs_markdown *m, size_t lines);
/* Writes what stands before a line. */
void cfs_md_begin_line(struct cfs_markdown *m);
/* The lines of a text for begin_block: 1 where they have no prefix. */
size_t cfs_md_count_lines(const struct cfs_markdown *m, struct cfs_slice s);
/* Writes text that may have several lines. */
void cfs_md_put_lines(struct cfs_markdown *m, struct cfs_slice s);
/* Ends the block that is being written; true if it had text. */
bool cfs_md_flush(struct cfs_markdown *m);

/* -- md_code.c: blocks of code -- */

/* A block, or an element within a line, begins or ends in a block of code. */
void cfs_md_begin_in_code(struct cfs_markdown *m, enum cfs_html_tag tag);
void cfs_md_end_in_code(struct cfs_markdown *m, enum cfs_html_tag tag);
void cfs_md_inline_in_code(struct cfs_markdown *m,
			   const struct cfs_html_el *el);
void cfs_md_add_code(struct cfs_markdown *m, struct cfs_slice s);

/* -- md_table.c: tables of data -- */

/* True in a row of a table of data; text between its rows is no part of it. */
bool cfs_md_is_in_row(const struct cfs_markdown *m);
void cfs_md_begin_table(struct cfs_markdown *m, uint32_t columns);
/* Handles an element of a table of data; el: its start tag, NULL: it ends.
 * False: it is none of them. */
bool cfs_md_table_part(struct cfs_markdown *m, enum cfs_html_tag tag,
		       const struct cfs_html_el *el);

#endif

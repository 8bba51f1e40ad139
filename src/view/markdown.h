/* markdown.h - writes CommonMark from the events of an outline: headings,
 * paragraphs, lists, quotes, code blocks, pipe tables.
 *
 * The caller says which elements are blocks of the page that are shown; the
 * writer knows nothing of what was chosen.  Memory is that of one block and the
 * destination of one link, apart from the output.
 *
 * Form: CommonMark 0.31, with tables as GitHub has them.  No raw HTML.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_MARKDOWN_H
#define CFS_VIEW_MARKDOWN_H

#include "html/outline.h"
#include "md_line.h"
#include "url/urlref.h"

/* The most quotes and lists that are nested; what lies deeper belongs to the
 * innermost of these. */
#define CFS_MD_NESTED_MAX 12u
/* Bytes that may be written again and again, before each line of a list or
 * quote and behind each block of a link, besides as many as the page has.  When
 * they are used up, lists and quotes lose their form, and links end with their
 * block. */
#define CFS_MD_REPEATED_BYTES ((size_t)1 << 20)

struct cfs_md_container {
	enum cfs_html_tag tag;		/* BLOCKQUOTE, UL, OL, LI */
	size_t prefix_n;		/* bytes of the prefix around it */
	uint32_t number;		/* of the next item of an OL */
	bool is_other;			/* the list follows another one and has
					 * its markers differ */
	bool has_items;
};

struct cfs_markdown {
	struct cfs_buf *out;
	size_t start;			/* where in out it begins */
	size_t spare;			/* left of the bytes that may be
					 * repeated */
	struct cfs_md_line line;
	struct cfs_url_base base;
	struct cfs_buf base_url, target;
	bool has_base;
	/* The lists and quotes that are open, and those too deep to be
	 * written. */
	struct cfs_md_container in[CFS_MD_NESTED_MAX];
	unsigned n_in, too_deep;
	struct cfs_buf prefix;		/* before each line in them */
	struct cfs_buf marker;		/* before the next line instead: of an
					 * item; n 0: none */
	size_t marker_at;		/* bytes of the prefix before it */
	size_t shallowest;		/* bytes of the shortest prefix since
					 * the last line */
	enum cfs_html_tag last_list;	/* the list that has just ended */
	bool last_was_other;
	unsigned heading;		/* level; 0: none is open */
	unsigned pre;			/* open elements that keep blanks */
	struct cfs_buf pre_text, language;
	/* The table that is open; columns 0: none. */
	uint32_t columns, column;
	bool head_is_written;
	struct cfs_buf row;
};

/* Begins to write; url and bytes are the page's.  End it in any case. */
void cfs_markdown_begin(struct cfs_markdown *m, struct cfs_buf *out,
			struct cfs_slice url, size_t bytes);
/* 0; CFS_ENOMEM, CFS_ELIMIT. */
int cfs_markdown_end(struct cfs_markdown *m);

/* A block element begins.  level: of a heading, in place of its tag's; 0: by
 * its tag.  columns: of a TABLE of data, else 0. */
void cfs_markdown_block(struct cfs_markdown *m, const struct cfs_html_el *el,
			unsigned level, uint32_t columns);
void cfs_markdown_block_end(struct cfs_markdown *m, enum cfs_html_tag tag);
/* An element within a line begins or ends; also <br> and <base>. */
void cfs_markdown_inline(struct cfs_markdown *m, const struct cfs_html_el *el);
void cfs_markdown_inline_end(struct cfs_markdown *m, enum cfs_html_tag tag);
/* A link begins, or ends (ref empty), without an element. */
void cfs_markdown_link(struct cfs_markdown *m, struct cfs_slice ref);
void cfs_markdown_text(struct cfs_markdown *m, struct cfs_slice s);

/* Writes a heading with this text. */
void cfs_markdown_heading(struct cfs_markdown *m, struct cfs_slice text,
			  unsigned level);

#endif

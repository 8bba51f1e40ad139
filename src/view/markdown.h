/* markdown.h - writes CommonMark from the events of an outline: headings,
 * paragraphs, lists, quotes, code blocks, pipe tables.  Or the same blocks as
 * plain text.
 *
 * The caller says which elements are blocks of the page that are shown; the
 * writer knows nothing of what was chosen.  Memory is that of one block and the
 * destination of one link, apart from the output.
 *
 * Form: CommonMark 0.31, with tables as GitHub has them.  No raw HTML: outside
 * of code `<` is a character reference, since `\<` is an escape neither to the
 * autolinks of GFM (spec 6.9) nor to other Markdown than CommonMark.
 *
 * Plain text has the same blocks in the same order.  A paragraph, a heading, an
 * item, a row of a table and a caption are lines of their own; the cells of a
 * row have tabs between them.  Empty lines are where Markdown has them, but
 * also around items of several blocks, and not between a term and its
 * definitions.  There are no marks, no destinations of links and no images.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_MARKDOWN_H
#define CFS_VIEW_MARKDOWN_H

#include "html/outline.h"
#include "table_grid.h"
#include "url/urlref.h"

/* ---- one block (md_line.c) ---------------------------------------------- */

/*
 * The marks of an element are written with the first character that it holds,
 * Emphasis that CommonMark would not recognise beside what stands next to it
 * (section 6.2, flanking delimiter runs) loses its marks.
 */
enum cfs_md_mark { CFS_MD_STRONG, CFS_MD_EM, CFS_MD_MARKS };

#define CFS_MD_LESS_THAN "&lt;"

/* The kind of block that the text is for. */
enum cfs_md_block {
	CFS_MD_PARAGRAPH,
	CFS_MD_HEADING,		/* one line */
	CFS_MD_CELL,		/* one line, pipes are escaped */
};

struct cfs_md_line {
	enum cfs_md_block kind;
	bool is_plain;			/* text without marks and escapes;
					 * links, images and code elements
					 * leave nothing but their text */
	struct cfs_buf text;		/* the line so far */
	struct cfs_buf code;		/* the open code element's */
	struct cfs_buf href;		/* destination of the open link; n 0:
					 * no link is open */
	unsigned wanted[CFS_MD_MARKS];	/* open elements that ask for it */
	enum cfs_md_mark outer;		/* the outer one of two wanted marks */
	unsigned code_depth;		/* open code elements */
	size_t code_end;		/* text.n behind the last code */
	bool blank;			/* a blank is due before the next
					 * character */
	bool line_break;		/* a hard line break, likewise */
	bool escapes_dollars;		/* they are no formula where the page
					 * has others */
	size_t unsure;			/* text.n behind a character at the end
					 * that what follows makes special; 0:
					 * none */
	bool link_is_written;		/* its '[' is at link_at */
	size_t link_at;
	size_t image_at;		/* text.n behind the destination of the
					 * last image; 0: there is none */
	/* Marks that are written and open, outermost first. */
	struct cfs_md_open {
		enum cfs_md_mark mark;
		size_t at;		/* offset of the mark in text */
		bool needs_check;	/* punctuation follows it */
		bool is_of_three;	/* both marks began together */
	} open[CFS_MD_MARKS];
	unsigned n_open;
	/* The marks that were closed last, innermost first, if nothing follows
	 * them yet. */
	struct cfs_md_open closed[CFS_MD_MARKS];
	unsigned n_closed;
	size_t closed_end;		/* text.n behind them */
};

void cfs_md_line_init(struct cfs_md_line *l, size_t max_bytes);
void cfs_md_line_release(struct cfs_md_line *l);

/* Appends text, with white space folded. */
void cfs_md_line_text(struct cfs_md_line *l, struct cfs_slice s);
/* Appends a blank or a line break, if more text follows. */
void cfs_md_line_blank(struct cfs_md_line *l);
void cfs_md_line_break(struct cfs_md_line *l);

/* An element that asks for a mark begins or ends. */
void cfs_md_line_mark(struct cfs_md_line *l, enum cfs_md_mark mark,
		      bool begins);
/* The same for a code element. */
void cfs_md_line_code(struct cfs_md_line *l, bool begins);
/* A link begins, or ends (url empty). */
void cfs_md_line_link(struct cfs_md_line *l, struct cfs_slice url);
void cfs_md_line_image(struct cfs_md_line *l, struct cfs_slice url,
		       struct cfs_slice alt);

/* Appends a formula, in dollars.  What other readers than those of formulas
 * would take for something else is written as another command of TeX. */
void cfs_md_line_formula(struct cfs_md_line *l, struct cfs_slice tex,
			 bool is_display);

/* Ends the block: closes links and marks, which go on in the next one, and
 * lends the text, which is valid until the line is changed.  A link goes on as
 * long as *spare has room for its destination, which is taken from it. */
struct cfs_slice cfs_md_line_end(struct cfs_md_line *l, size_t *spare);
/* Begins the next block without the text before it: a line that was not ended
 * is forgotten, but for what its elements ask for. */
void cfs_md_line_begin(struct cfs_md_line *l, enum cfs_md_block kind);

/* ---- the document ------------------------------------------------------- */

/* The most quotes and lists that are nested; what lies deeper belongs to the
 * innermost of these. */
#define CFS_MD_NESTED_MAX 12u
/* Bytes that may be written again and again, before each line of a list or
 * quote, behind each block of a link and of the base in each link, and for the
 * places that a cell spans, besides as many as the page has.  When they are
 * used up, lists, quotes and tables lose their form, and links are text. */
#define CFS_MD_REPEATED_BYTES ((size_t)128 << 10)

/* Captions that are remembered, to write those that come again once. */
#define CFS_MD_CAPTIONS 64u

struct cfs_md_container {
	enum cfs_html_tag tag;		/* BLOCKQUOTE, UL, OL, LI; DT: an item
					 * of a UL that is of terms */
	size_t prefix_n;		/* bytes of the prefix around it */
	uint32_t number;		/* the next item's, in an OL */
	bool is_other;			/* the list follows another one and has
					 * its markers differ */
	bool has_items;
	bool is_of_terms;		/* a definition list */
};

struct cfs_markdown {
	struct cfs_buf *out;
	bool is_plain;			/* it writes plain text */
	size_t start;			/* where in out it begins */
	size_t title_end;		/* where the title ends, which is not
					 * written alone; 0: there is none */
	size_t spare;			/* left of the bytes that may be
					 * repeated */
	struct cfs_md_line line;
	struct cfs_url_base base;
	struct cfs_buf base_url, target;
	bool has_base;
	bool has_no_links;		/* they are text from here on */
	/* The lists and quotes that are open, and those too deep to be
	 * written. */
	struct cfs_md_container in[CFS_MD_NESTED_MAX];
	unsigned n_in, too_deep;
	struct cfs_buf prefix;		/* before each line in them */
	struct cfs_buf marker;		/* before the next line instead: of an
					 * item; n 0: none */
	size_t marker_at;		/* bytes of the prefix before it */
	unsigned marker_in;		/* open ones up to its item */
	bool is_lone;			/* the last line is only a marker */
	bool is_apart;			/* the last block has an empty line
					 * before it, and begins no item */
	size_t shallowest;		/* bytes of the shortest prefix since
					 * the last line */
	enum cfs_html_tag last_list;	/* the list that has just ended */
	bool last_was_other;
	unsigned heading;		/* level; 0: none is open */
	unsigned pre;			/* open blocks of code, nested */
	struct cfs_buf pre_text;
	struct cfs_buf language;	/* of the block of code that is open, or
					 * begins next */
	bool has_language;		/* it is that of an element in it */
	bool is_leaf;			/* no block was in the last one that is
					 * in the code */
	size_t leaf_at;			/* pre_text.n where that began */
	unsigned pre_elements;		/* open <pre> among these blocks */
	size_t lines_due;		/* before the next text of the code */
	/* The table that is open; columns 0: none. */
	uint32_t columns;
	bool is_in_row;
	unsigned inner_tables;		/* open in a cell of it */
	struct cfs_table_grid grid;
	uint32_t more_places;		/* that the last cell has, besides its
					 * first one */
	uint32_t of_caption;		/* columns of a table whose caption is
					 * open; 0: none is */
	bool head_is_written;
	struct cfs_buf row;
	/* The open figure's caption, and where the destination of its last
	 * image ends in out; 0: it has none. */
	struct cfs_buf caption;
	size_t image_at;
	uint64_t captions[CFS_MD_CAPTIONS];	/* hashes of those that plain
						 * text has, by these */
};

/* Begins to write Markdown, or plain text; url and bytes are the page's.  End
 * it in any case. */
void cfs_markdown_begin(struct cfs_markdown *m, struct cfs_buf *out,
			struct cfs_slice url, size_t bytes, bool is_plain);
/* 0; CFS_ENOMEM, CFS_ELIMIT. */
int cfs_markdown_end(struct cfs_markdown *m);

/* A block element begins.  level: of a heading, in place of its tag's; 0: by
 * its tag.  columns: of a TABLE of data, else 0. */
void cfs_markdown_block(struct cfs_markdown *m, const struct cfs_html_el *el,
			unsigned level, uint32_t columns);
void cfs_markdown_block_end(struct cfs_markdown *m, enum cfs_html_tag tag);
/* The same of a block whose text keeps its blanks and line ends. */
void cfs_markdown_code(struct cfs_markdown *m, const struct cfs_html_el *el);
void cfs_markdown_code_end(struct cfs_markdown *m, enum cfs_html_tag tag);
/* An element within a line begins or ends; also <br> and <base>. */
void cfs_markdown_inline(struct cfs_markdown *m, const struct cfs_html_el *el);
void cfs_markdown_inline_end(struct cfs_markdown *m, enum cfs_html_tag tag);
/* Text of the caption of the figure that is open, which becomes the title of
 * its last image, or a line. */
void cfs_markdown_caption(struct cfs_markdown *m, struct cfs_slice s);
/* The figure ends: its caption goes where it belongs (md_figure.c); in plain
 * text into the line, which the caller ends. */
void cfs_md_figure_end(struct cfs_markdown *m);
/* A link begins, or ends (ref empty), without an element. */
void cfs_markdown_link(struct cfs_markdown *m, struct cfs_slice ref);
void cfs_markdown_text(struct cfs_markdown *m, struct cfs_slice s);
/* A formula in TeX (outline.h).  One that is displayed is a paragraph, except
 * in headings and cells. */
void cfs_markdown_formula(struct cfs_markdown *m, struct cfs_slice tex,
			  bool is_display);

/* Writes a heading with this text. */
void cfs_markdown_heading(struct cfs_markdown *m, struct cfs_slice text,
			  unsigned level);
/* The same for the title of a page, which is left out if nothing follows. */
void cfs_markdown_title(struct cfs_markdown *m, struct cfs_slice text);

#endif

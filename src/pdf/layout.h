/* layout.h - the paragraphs of a document, from the lines of its pages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_PDF_LAYOUT_H
#define CFS_PDF_LAYOUT_H

#include <string>
#include <vector>

/* A line of a page.  Places are in points, from the page's top left corner. */
struct pdf_line {
	std::string text;	/* UTF-8, words with blanks between them */
	double left, top, right, bottom;
	double size;		/* of its letters */
	double column;		/* the right edge of its column */
	bool is_margin;		/* a running head or a page's number */
};

struct pdf_page {
	std::vector<pdf_line> lines;	/* in the order of reading */
	double height;
};

/* Marks the lines at the tops and bottoms of pages that come again on other
 * pages, numbers apart. */
void pdf_find_margins(std::vector<pdf_page> &pages);

/* The text of all lines that are no margins: lines of a paragraph joined,
 * hyphens at their ends undone, an empty line between paragraphs. */
std::string pdf_paragraphs(std::vector<pdf_page> &pages);

#endif

/* class_words.h - what the words in class, id and role attributes say about an
 * element's part in a page.
 *
 * Names such as "post-content" and "siteFooter" are taken apart at everything
 * that is no letter, and before capital letters that follow small ones.  Short
 * words beside digits, as in hashes, and amounts in brackets say nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_CLASS_WORDS_H
#define CFS_VIEW_CLASS_WORDS_H

#include "base/slice.h"

enum {				/* bits */
	CFS_HINT_CONTENT = 1,	/* the main content, or a part of it */
	CFS_HINT_CHROME = 2,	/* around the content: navigation,
				 * advertising */
	CFS_HINT_COMMENTS = 4,	/* the readers' comments */
	CFS_HINT_BYLINE = 8,	/* its author, date and keywords */
	CFS_HINT_BLURB = 32,	/* pointers to other pages */
	CFS_HINT_CAPTION = 16,	/* words about a picture */
	CFS_HINT_LEAD = 128,	/* the summary at the beginning of an article */
	CFS_HINT_FRAME = 64,	/* at the end of every page of a site, or in
				 * front of it until one agrees */
	CFS_HINT_FOOTNOTE = 256,	/* notes at the end of the content */
	CFS_HINT_PANEL = 512,	/* shown and hidden by its heading or tab */
	CFS_HINT_FORUM = 4096,	/* a discussion, if all of a page is */
};

/* Bytes of an attribute that are looked at; the rest is ignored. */
#define CFS_CLASS_BYTES_MAX 512u

/* The hints of all words of an attribute's value together. */
unsigned cfs_class_hints(struct cfs_slice value);

/* True of the first text of a heading that stands before pointers to other
 * pages, by its words: "Related products", "You may also like".  They are
 * English ones. */
bool cfs_heading_of_pointers(struct cfs_slice text);

#endif

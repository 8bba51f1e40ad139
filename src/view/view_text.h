/* view_text.h - makes the text of a document, and finds its title.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_VIEW_TEXT_H
#define CFS_VIEW_VIEW_TEXT_H

#include "doc.h"

/*
 * Appends the readable text of a document to out, as the .txt view has it.
 *
 * title  NULL; or the title of a page or feed is appended to it, on one line,
 *        as the text has it
 *
 * Codes as cfs_view_render; failed appends may be recorded in out and title
 * only.
 */
int cfs_text_of_doc(const struct cfs_doc *doc, struct cfs_buf *out,
		    struct cfs_buf *title, struct cfs_ctx ctx);

#endif

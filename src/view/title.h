/* title.h - finds the title of an HTML page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_TITLE_H
#define CFS_VIEW_TITLE_H

#include "doc.h"

/* The title is looked for in so many bytes of the page: with a few exceptions
 * it is in the first hundred. */
#define CFS_TITLE_BYTES_READ ((size_t)256 << 10)
/* Longer titles are cut. */
#define CFS_TITLE_MAX 4096u

/* Appends the text of the first <title>, in UTF-8, without white space at its
 * ends and with one blank for white space inside; nothing if there is none.
 * 0, CFS_ENOMEM or CFS_EINTR. */
int cfs_view_title(const struct cfs_doc *doc, struct cfs_buf *out,
		   struct cfs_ctx ctx);

#endif

/* main_content.h - chooses the blocks of a page that are its main content.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_MAIN_CONTENT_H
#define CFS_VIEW_MAIN_CONTENT_H

#include "page_blocks.h"

/* Sets is_chosen of the blocks whose own text is main content.  Time is linear
 * in their number, but for a factor that is the depth of a path.  0;
 * CFS_ENOMEM. */
int cfs_main_content_choose(struct cfs_page_blocks *b, struct cfs_error *err);

#endif

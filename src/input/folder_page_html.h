/* folder_page_html.h - parses folder listings in HTML.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INPUT_FOLDER_PAGE_HTML_H
#define CFS_INPUT_FOLDER_PAGE_HTML_H

#include "folder_page.h"

/* As cfs_folder_page_parse (folder_page_read.h). */
int cfs_folder_page_read_html(struct cfs_folder_page *l);

#endif

/* folder_page_read.h - parses a page that lists a folder, in HTML or JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INPUT_FOLDER_PAGE_READ_H
#define CFS_INPUT_FOLDER_PAGE_READ_H

#include "folder_page.h"

/* Maximum bytes of one page: 100,000 files of nginx take 17 MB. */
#define CFS_FOLDER_PAGE_PAGE_MAX ((size_t)64 << 20)

/*
 * Calls `each` for the entries of a page that lie below its folder, in their
 * order; a file may come several times.  Links that lead elsewhere, have a
 * query, or lead to a name that begins with a dot are left out, and so are
 * folders whose link text is not their name: those belong to a web page that is
 * not a listing.
 *
 * url   of the page, http: or https:, with a '/' at its end
 *
 * 0; the first result that is not 0; CFS_EFORMAT if the page is neither HTML
 * nor JSON; CFS_ENOMEM.
 */
int cfs_folder_page_parse(const char *url, struct cfs_slice page,
			  cfs_folder_page_each *each, void *arg,
			  struct cfs_error *err);

#endif

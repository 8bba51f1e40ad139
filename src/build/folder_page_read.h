/* folder_page_read.h - reads a page that lists a folder, whatever its kind.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_FOLDER_PAGE_READ_H
#define CFS_BUILD_FOLDER_PAGE_READ_H

#include "folder_page.h"

/* Of one page: 100,000 files of nginx take 17 MB. */
#define CFS_FOLDER_PAGE_PAGE_MAX ((size_t)64 << 20)

/*
 * Calls `each` with what a page lists that lies below its folder, in its order;
 * one file may come several times.  Links that lead elsewhere, have a query, or
 * go to a name that begins with a dot are left out, and so are folders whose
 * link is not called as they are: they belong to a web page that lists nothing.
 *
 * url   the page's, http: or https:, with a '/' at its end
 *
 * 0; the first result that is not 0; CFS_EFORMAT for what is neither HTML nor
 * JSON; CFS_ENOMEM.
 */
int cfs_folder_page_parse(const char *url, struct cfs_slice page,
			  cfs_folder_page_each *each, void *arg,
			  struct cfs_error *err);

#endif

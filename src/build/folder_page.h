/* folder_page.h - the files and folders that a server lists on a page of a
 * folder.
 *
 * Spec: doc/formats.md, "Web folders".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_FOLDER_PAGE_H
#define CFS_BUILD_FOLDER_PAGE_H

#include "base/buf.h"
#include "base/error.h"
#include "net/location.h"
#include "url/urlref.h"

#define CFS_FOLDER_PAGE_SIZE_UNKNOWN UINT64_MAX

struct cfs_listed {
	struct cfs_slice name;	/* below the page's folder, not encoded, without
				 * a '/' at its end; borrowed during the call */
	bool is_folder;
	uint64_t bytes;		/* if it is listed exactly */
	/* Of its size and time as they are listed: another number when they
	 * have changed.  0: there is no time. */
	uint32_t state;
};

/* What is not 0 ends the reading, and is its result. */
typedef int cfs_folder_page_each(void *arg, const struct cfs_listed *l);

/* The same number as the state of a listed file, for another text that changes
 * with the file; never 0. */
uint32_t cfs_folder_page_state(struct cfs_slice text);

/* Whether a file or folder below may be called so: components that do not begin
 * with a dot, no control characters. */
bool cfs_folder_page_is_name(struct cfs_slice name);

/* A page, and what is done with its entries. */
struct cfs_folder_page {
	struct cfs_slice text;
	struct cfs_location loc;	/* of the page */
	struct cfs_url_base base;
	struct cfs_buf folder;		/* path of the page, decoded */
	struct cfs_buf target, path;	/* of the link at hand */
	cfs_folder_page_each *each;
	void *arg;
	struct cfs_error *err;
};

/* Where a link leads: the name below the page's folder, borrowed until the next
 * link.  False: elsewhere. */
bool cfs_folder_page_find_name(struct cfs_folder_page *l, struct cfs_slice ref,
			       struct cfs_slice *name, bool *is_folder);

#endif

/* folder_page.h - parses the pages on which servers list the files of a folder,
 * in HTML or JSON: entries, and where links lead.
 *
 * Spec: doc/formats.md, "Web folders".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INPUT_FOLDER_PAGE_H
#define CFS_INPUT_FOLDER_PAGE_H

#include "base/buf.h"
#include "base/error.h"

#define CFS_FOLDER_PAGE_SIZE_UNKNOWN UINT64_MAX

struct cfs_listed {
	struct cfs_slice name;	/* below the page's folder, not encoded, without
				 * a '/' at its end; borrowed during the call */
	bool is_folder;
	uint64_t bytes;		/* CFS_FOLDER_PAGE_SIZE_UNKNOWN if rounded */
	/* Hash of the listed size and time, which differs when they have
	 * changed.  0: no time is listed. */
	uint32_t state;
};

/* Any result but 0 ends the parsing and is returned. */
typedef int cfs_folder_page_each(void *arg, const struct cfs_listed *l);

/* The state (as in struct cfs_listed) for another text that changes with the
 * file; never 0. */
uint32_t cfs_folder_page_state(struct cfs_slice text);

/* Checks the name of a file or folder: no component begins with a dot, and
 * there are no control characters. */
bool cfs_folder_page_is_name(struct cfs_slice name);

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

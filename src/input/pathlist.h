/* pathlist.h - reads lists of archives such as warc.paths.gz.
 *
 * Spec: doc/formats.md, "Path lists".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INPUT_PATHLIST_H
#define CFS_INPUT_PATHLIST_H

#include "source/source.h"

#define CFS_PATHLIST_MAX (64u << 20)	/* bytes, inflated; a crawl of 100,000
					 * files takes 14 MB */

/* True for a name that ends in .paths or .paths.gz. */
bool cfs_pathlist_is_name(const char *location);

/*
 * Calls `each` with every name of the list at `location` (a path or a URL), in
 * order, except blank lines.  Stops at the first result that is not 0 and
 * returns it.  CFS_EFORMAT for a line that is not a name: an absolute path,
 * `..`, a control byte, too long.
 */
int cfs_pathlist_read(const char *location,
		      int (*each)(void *arg, struct cfs_slice name), void *arg,
		      struct cfs_ctx ctx);

/* Does the same for the text of a list; `where` is for messages. */
int cfs_pathlist_parse(struct cfs_slice text, const char *where,
		       int (*each)(void *arg, struct cfs_slice name), void *arg,
		       struct cfs_error *err);

#endif

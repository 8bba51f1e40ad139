/* views.h - views by name: sets of them, and the suffixes of file names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_VIEWS_H
#define CFS_CRAWL_VIEWS_H

#include "view/view.h"

/* Which views a listing shows: bit 1 << view. */
typedef unsigned cfs_view_set;
#define CFS_VIEWS_DEFAULT \
	(1u << CFS_VIEW_RAW | 1u << CFS_VIEW_META | 1u << CFS_VIEW_TEXT)

/* A suffix of file names.  RECORD has two, for the archives of each format. */
struct cfs_suffix {
	enum cfs_view view;
	bool only_arc, only_warc;
};

/* The view that a whole suffix (".meta"; "" is RAW's) means.  False if it is
 * none. */
bool cfs_suffix_parse(struct cfs_slice suffix, struct cfs_suffix *out);

/* The suffix number i that is not empty, or an empty slice past the last. */
struct cfs_slice cfs_suffix_nth(unsigned i);

#endif

/* zipped.h - opens members of ZIP files as files:
 * "crawl.wacz#!/archive/x.warc.gz".
 *
 * A member that is stored is a range of its file.  One that is compressed
 * cannot be read from the middle: it is inflated once, into the cache folder if
 * that has room (inflated.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_ZIPPED_H
#define CFS_RECORD_ZIPPED_H

#include "wacz.h"

/* Splits a name at its first mark.  False if it has none: it names a file. */
bool cfs_zipped_split(struct cfs_slice name, struct cfs_slice *file,
		      struct cfs_slice *member);

/*
 * Opens a member of `file`, which it takes over; a path with further marks
 * leads to a member of a ZIP file in it.  The directory of a ZIP file is read
 * once for many members.
 *
 * cache_dir   the cache folder; if it is NULL or cannot be written, a
 *             compressed member is inflated into a file that is gone when *out
 *             is closed
 *
 * CFS_ENOTFOUND, CFS_EFORMAT, CFS_ELIMIT, CFS_EIO, CFS_ENOMEM, CFS_EINTR.
 */
int cfs_zipped_open(struct cfs_source **out, struct cfs_source *file,
		    struct cfs_slice member, const char *cache_dir,
		    struct cfs_ctx ctx);

#endif

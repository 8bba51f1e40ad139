/* charset_scan.h - tests of whole documents, however long.
 *
 * Each reads s once, in ranges of CFS_SPILL_STEP bytes or a few more, whose
 * pages are released behind it if `pages` says so.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_CHARSET_SCAN_H
#define CFS_VIEW_CHARSET_SCAN_H

#include "base/spill.h"

/* True if all bytes of s are below 0x80. */
bool cfs_charset_scan_ascii(struct cfs_slice s, enum cfs_pages pages);

/* True if all of s is well-formed UTF-8. */
bool cfs_charset_scan_utf8(struct cfs_slice s, enum cfs_pages pages);

/* True if s contains `what`, which is not empty. */
bool cfs_charset_scan_holds(struct cfs_slice s, enum cfs_pages pages,
			    struct cfs_slice what);

#endif

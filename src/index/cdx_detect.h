/* cdx_detect.h - is a file CDX, CDXJ or a cluster.idx, and can it be searched?
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_CDX_DETECT_H
#define CFS_INDEX_CDX_DETECT_H

#include "index.h"

/* What a file that begins with these bytes is: ZIPNUM, one of the CDXs, or
 * UNKNOWN.  head is as for cfs_index_detect. */
enum cfs_index_format cfs_cdx_detect(struct cfs_slice head);

#endif

/* cdx_detect.h - recognises CDX, CDXJ and cluster.idx files, and whether they
 * can be searched.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CDX_CDX_DETECT_H
#define CFS_CDX_CDX_DETECT_H

#include "cdx_line.h"
#include "index/index.h"

/* The format of a file that begins with these bytes: ZIPNUM, one of the CDXs,
 * or UNKNOWN.  head: as for cfs_index_detect. */
enum cfs_index_format cfs_cdx_detect(struct cfs_slice head);

/* The format of src, and its legend unless that is NULL; reads the beginning of
 * src.  0, CFS_EFORMAT (the legend has too many columns), CFS_EIO, CFS_ENOMEM,
 * CFS_EINTR. */
int cfs_cdx_look_at(struct cfs_source *src, enum cfs_index_format *look,
		    struct cfs_cdx_legend *legend, struct cfs_ctx ctx);

#endif

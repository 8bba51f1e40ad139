/* cdx.h - plain CDX and CDXJ files, and ZipNum clusters of them, as indexes.
 *
 * Spec: FORMATS.md 5.  Files are sorted bytewise (LC_ALL=C sort) by SURT key.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_CDX_H
#define CFS_INDEX_CDX_H

#include "index.h"

struct cfs_cdx_line;

/* Bytes of a file that are enough to know it by. */
#define CFS_CDX_LOOK_BYTES 16384u

enum cfs_cdx_look {
	CFS_CDX_LOOK_NONE,
	CFS_CDX_LOOK_CDX,	/* CDX or CDXJ, with SURT keys, in order */
	CFS_CDX_LOOK_CDX_OTHER,	/* its keys are no SURTs, or not in order:
				 * only good to make an index of */
	CFS_CDX_LOOK_CDX_GZ,	/* either of them, compressed */
	CFS_CDX_LOOK_CLUSTER,	/* the cluster.idx of a ZipNum index */
};

/* What kind of record a line is about, as far as it says. */
enum cfs_kind cfs_cdx_kind(const struct cfs_cdx_line *line,
			   struct cfs_slice name);

/* What a file that begins with these bytes is. */
enum cfs_cdx_look cfs_cdx_look(struct cfs_slice head);

/* Opens a plain file, or a small compressed one.  Takes src over, also on
 * failure.  CFS_EUNSUPPORTED for one that crawlfs index must convert. */
int cfs_cdx_open(struct cfs_index **out, struct cfs_source *src,
		 const struct cfs_index_opts *opts, struct cfs_error *err);

/* Opens a cluster.idx.  Shards are opened when they are needed, beside it or
 * where its .loc file says. */
int cfs_zipnum_open(struct cfs_index **out, struct cfs_source *src,
		    const struct cfs_index_opts *opts, struct cfs_error *err);

#endif

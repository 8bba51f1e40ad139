/* cdx_each.h - all lines of CDX files and ZipNum clusters, in the order in
 * which they stand.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_CDX_EACH_H
#define CFS_BUILD_CDX_EACH_H

#include "index/cdx_line.h"
#include "index/index.h"

/* What is called for the lines of a file. */
struct cfs_cdx_each {
	/* A capture, and its archive's name, tidied and without escapes.  Any
	 * result but CFS_OK ends the work and is returned. */
	int (*line)(void *arg, const struct cfs_cdx_line *line,
		    struct cfs_slice name);
	/* A line, or a whole block of them, that is damaged and left out. */
	void (*damaged)(void *arg, const struct cfs_error *what);
	void (*advanced)(void *arg, uint64_t bytes);	/* of the file */
	void *arg;
	const struct cfs_cancel *cancel;
};

/*
 * All captures of a CDX or CDXJ file in any order, plain or compressed, or of
 * the shards of a cluster.idx.  Takes src over.  0, what `line` returned, or
 * CFS_EFORMAT for another file, CFS_EIO, CFS_ENOMEM, CFS_EINTR.
 */
int cfs_cdx_for_each(struct cfs_source *src, const struct cfs_index_opts *opts,
		     const struct cfs_cdx_each *each, struct cfs_error *err);

#endif

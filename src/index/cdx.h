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

/* What goes through the lines of a file hears of them. */
struct cfs_cdx_each {
	/* A capture, and its archive's name, tidied and without escapes.  What
	 * it returns but CFS_OK ends the work and is returned. */
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

/* Opens a plain file, or a small compressed one.  Takes src over, also on
 * failure.  CFS_EUNSUPPORTED for one that crawlfs index must convert. */
int cfs_cdx_open(struct cfs_index **out, struct cfs_source *src,
		 const struct cfs_index_opts *opts, struct cfs_error *err);

/* Opens a cluster.idx.  Shards are opened when they are needed, beside it or
 * where its .loc file says. */
int cfs_zipnum_open(struct cfs_index **out, struct cfs_source *src,
		    const struct cfs_index_opts *opts, struct cfs_error *err);

#endif

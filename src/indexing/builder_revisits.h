/* builder_revisits.h - writes an index again once it is complete, with the
 * sizes of its revisits.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_BUILDER_REVISITS_H
#define CFS_INDEXING_BUILDER_REVISITS_H

#include "base/fileio.h"
#include "builder_opts.h"
#include "format/cfx/cfx_write.h"
#include "sort/extsort.h"

/*
 * Writes a crawlfs index again, with the sizes of revisits; does nothing if
 * `again` is empty.
 *
 * opts    of the build: sizer, base, at_hand, threads and cancel
 * file    the index, complete but not committed; replaced by the new one
 * again   positions of revisits from cfs_builder_refs_write, not merged yet
 * params  of the new index: those of the old one except fd
 * counts  captures and file_bytes are set, skipped is written
 *
 * 0, CFS_ENOMEM, CFS_EIO, CFS_EINTR, CFS_ELIMIT.
 */
int cfs_builder_revisits_write(const struct cfs_builder_opts *opts,
			       struct cfs_replacement *file,
			       struct cfs_extsort *again,
			       const struct cfs_cfx_params *params,
			       struct cfs_builder_counts *counts,
			       struct cfs_error *err);

#endif

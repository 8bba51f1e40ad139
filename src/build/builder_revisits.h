/* builder_revisits.h - the sizes of revisits, which are found once an index can
 * be asked what they refer to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_BUILDER_REVISITS_H
#define CFS_BUILD_BUILDER_REVISITS_H

#include "cfx_write.h"

/*
 * Writes a crawlfs index again, with the sizes of its revisits.
 *
 * opts    of the build: sizer, base, n_at_hand, threads and cancel
 * src     the index; taken over
 * params  of the new one: as they were for src
 * counts  as of cfs_cfx_writer_finish
 *
 * 0, CFS_ENOMEM, CFS_EIO, CFS_EINTR, CFS_ELIMIT.
 */
int cfs_builder_revisits_write(const struct cfs_builder_opts *opts,
			       struct cfs_source *src,
			       const struct cfs_cfx_params *params,
			       struct cfs_builder_counts *counts,
			       struct cfs_error *err);

#endif

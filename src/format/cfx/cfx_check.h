/* cfx_check.h - reads a whole crawlfs index and verifies its checksums.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CFX_CFX_CHECK_H
#define CFS_CFX_CFX_CHECK_H

#include "index/index.h"

/*
 * Checks every block of an index that cfs_cfx_open has opened: entries, their
 * order and number, the upper levels that lead to them, references, notes,
 * joindata, damage.  *n becomes the number of entries.  CFS_OK, CFS_EFORMAT
 * with the place of the damage, CFS_EIO, CFS_ENOMEM, CFS_EINTR.
 */
int cfs_cfx_check(struct cfs_index *ix, uint64_t *n, struct cfs_ctx ctx);

#endif

/* cdxj.h - captures as CDXJ lines.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_CDXJ_H
#define CFS_CLI_CDXJ_H

#include "index/index.h"

/* Appends "surt timestamp {json}" and a line feed.  CFS_ENOMEM, CFS_ELIMIT. */
int cfs_cdxj_line(struct cfs_slice url, const struct cfs_capture *cap,
		  struct cfs_slice archive_name, struct cfs_buf *out);

#endif

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

/*
 * Appends a plain SURT: host labels reversed, path and query in lower case,
 * the scheme's own port and user info and fragment dropped.  None of the
 * rewriting of full SURT libraries (www, session ids, order of arguments).
 */
void cfs_cdxj_surt(struct cfs_slice url, struct cfs_buf *out);

#endif

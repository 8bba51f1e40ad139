/* warc.h - parses WARC records, versions 0.17 to 1.1.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_WARC_H
#define CFS_RECORD_WARC_H

#include "record.h"

/* True for "WARC/1.0" and other versions, with little or nothing behind it. */
bool cfs_warc_is_version_line(struct cfs_slice line);

/* Parses a WARC record; s begins with the version line.  flags: CFS_PARSE_. */
int cfs_warc_parse(struct cfs_record *r, struct cfs_slice s, unsigned flags,
		   size_t *used, struct cfs_error *err);

#endif

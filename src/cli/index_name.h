/* index_name.h - derives the format of an index to write from its name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_INDEX_NAME_H
#define CFS_CLI_INDEX_NAME_H

#include "base/error.h"
#include "index/index.h"

/*
 * Finds out in which format `crawlfs index -o NAME` writes.
 *
 * name    what is to be written; an existing folder may have any name
 * format  in: the format asked for; CFS_INDEX_UNKNOWN means by the name, and a
 *         crawlfs index if the name says nothing.  Out: the format to write
 *
 * Returns 0, or CFS_EUSAGE with the reason if the name contradicts the format.
 */
int cfs_index_format_of(const char *name, enum cfs_index_format *format,
			struct cfs_error *err);

#endif

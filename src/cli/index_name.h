/* index_name.h - which format the name of an index stands for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_INDEX_NAME_H
#define CFS_CLI_INDEX_NAME_H

#include "base/error.h"
#include "index/index.h"

/*
 * Finds out what `crawlfs index -o NAME` writes.
 *
 * name    what is to be written; a folder that is there may have any name
 * format  what was asked for: CFS_INDEX_UNKNOWN stands for what the name says,
 *         a crawlfs index where it says nothing; set to what is written
 *
 * Returns 0; CFS_EUSAGE, with the reason, where the name says something else.
 */
int cfs_index_format_of(const char *name, enum cfs_index_format *format,
			struct cfs_error *err);

#endif

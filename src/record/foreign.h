/* foreign.h - what a file is that is no archive, for messages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_FOREIGN_H
#define CFS_RECORD_FOREIGN_H

#include "source/source.h"

/* A phrase such as "a gzip file of a tar archive", by the file's first bytes;
 * "neither an ARC ..." for what is not recognized. */
#define CFS_FOREIGN_BYTES 160u
void cfs_foreign_describe(struct cfs_source *src, char out[CFS_FOREIGN_BYTES],
			  const struct cfs_cancel *cancel);

#endif

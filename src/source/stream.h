/* stream.h - a remote source read from front to back: large ranges, fetched
 * ahead.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SOURCE_STREAM_H
#define CFS_SOURCE_STREAM_H

#include "source.h"

#define CFS_STREAM_BLOCK ((size_t)4 << 20)
#define CFS_STREAM_SLOTS 6u	/* blocks held: read, and fetched ahead */

/*
 * Wraps inner, which it takes over, also on failure.  Reads that follow each
 * other are served from whole blocks, the next ones being fetched meanwhile;
 * others go down as they are.  Holds CFS_STREAM_SLOTS blocks of memory at
 * most.  Its size is known (find_size is called).  Where reads cannot be
 * started, inner itself is given back.
 */
int cfs_source_open_stream(struct cfs_source **out, struct cfs_source *inner,
			   const struct cfs_cancel *cancel,
			   struct cfs_error *err);

#endif

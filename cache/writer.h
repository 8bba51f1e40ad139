/* writer.h - the thread that writes to disk what requests have brought.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_WRITER_H
#define CFS_CACHE_WRITER_H

#include "state.h"

/* Starts the writer of c.  CFS_ENOMEM: there can be no more threads. */
int cfs_writer_start(struct cfs_cache *c);

#endif

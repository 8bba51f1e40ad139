/* dirents.h - builds the body of a reply to READDIR or READDIRPLUS.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_DIRENTS_H
#define CFS_FUSE_DIRENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/slice.h"

/* The offset given with the last name of each listing.  Nothing follows it, so
 * the request by which the kernel makes sure of the end is answered without a
 * look at the crawl. */
#define CFS_DIRENTS_END INT64_MAX

struct cfs_dirents {
	uint8_t *buf;		/* the caller's, of `size` bytes */
	size_t size, used;
	bool plus;		/* READDIRPLUS: room for a node before each
				 * name */
	size_t last;		/* offset of the latest entry, if used > 0 */
};

/*
 * Adds a name, its type, and the offset to resume at after it.  node:
 * attributes for the node that the kernel gets with the name (READDIRPLUS only)
 * and may keep for attr_secs; NULL: no node.  False if there is no room.
 */
bool cfs_dirents_add(struct cfs_dirents *d, struct cfs_slice name, uint64_t ino,
		     mode_t type, int64_t next, const struct stat *node,
		     uint64_t attr_secs);

/* Removes the node of the entry at `at` (a value of `last`); the name stays. */
void cfs_dirents_take_node_back(struct cfs_dirents *d, size_t at);

/* Marks the latest entry as the last one of the directory. */
void cfs_dirents_end(struct cfs_dirents *d);

#endif

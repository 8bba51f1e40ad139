/* dirents.h - the body of a reply to READDIR or READDIRPLUS, in its making.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_DIRENTS_H
#define CFS_FUSE_DIRENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/slice.h"

/* The offset of the last name of each listing: nothing follows it, so the
 * request with which the kernel makes sure of that needs no look at the
 * crawl. */
#define CFS_DIRENTS_END INT64_MAX

struct cfs_dirents {
	uint8_t *buf;		/* the caller's, of `size` bytes */
	size_t size, used;
	bool plus;		/* READDIRPLUS: room for a node before each
				 * name */
	size_t last;		/* where the latest entry is, if used > 0 */
};

/*
 * Adds a name, its type, and where to resume after it.  node: the attributes of
 * the node that the kernel gets with it (READDIRPLUS only), or NULL; it may
 * keep them for attr_secs.  False if there is no room.
 */
bool cfs_dirents_add(struct cfs_dirents *d, struct cfs_slice name, uint64_t ino,
		     mode_t type, int64_t next, const struct stat *node,
		     uint64_t attr_secs);

/* Takes the node of the entry at `at` (a value of `last`) back. */
void cfs_dirents_take_node_back(struct cfs_dirents *d, size_t at);

/* The directory has no name after the latest one. */
void cfs_dirents_end(struct cfs_dirents *d);

#endif

/* surt_ports.h - the ranges of an index with SURT keys.
 *
 * A host's folder holds its keys of all ports, which are not neighbours; the
 * ports that a host has are found by seeks, and remembered.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_SURT_PORTS_H
#define CFS_INDEX_SURT_PORTS_H

#include "base/memo.h"
#include "index.h"

/* The ranges of an index with SURT keys, as cfs_index_ranges.  ports: of
 * cfs_surt_ports_memo_new, owned by the caller; remembers the ports of hosts
 * that seeks in ix have found. */
int cfs_surt_index_ranges(struct cfs_index *ix, struct cfs_memo *ports,
			  const struct cfs_path *path, enum cfs_below below,
			  struct cfs_ranges *out);
struct cfs_memo *cfs_surt_ports_memo_new(void);	/* NULL: out of memory */

#endif

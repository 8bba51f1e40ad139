/* ops_lookup.h - LOOKUP and FORGET.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_OPS_LOOKUP_H
#define CFS_FUSE_OPS_LOOKUP_H

#include "reply.h"

void cfs_op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void cfs_op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t n);
void cfs_op_forget_multi(fuse_req_t req, size_t count,
			 struct fuse_forget_data *forgets);

#endif

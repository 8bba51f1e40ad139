/* session.h - the table of operations for libfuse, and the features agreed with
 * the kernel.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_SESSION_H
#define CFS_FUSE_SESSION_H

#include "reply.h"

/* The session's user data is a struct cfs_fs. */
extern const struct fuse_lowlevel_ops cfs_session_ops;

/* Replaces the session's I/O functions, once it is mounted.  0 or CFS_EIO. */
int cfs_session_attach(struct fuse_session *se);

#endif

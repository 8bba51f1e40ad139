/* mount.h - opens the sources, mounts them and serves requests until unmounted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_MOUNT_H
#define CFS_FUSE_MOUNT_H

#include "fs.h"

/* The contents of a mount, for the line that reports them. */
struct cfs_mount_shown {
	uint64_t captures;		/* 0: not known */
	uint64_t absent, cut;		/* without a body, with a part of it:
					 * as far as the indexes know */
	bool is_picked;			/* only some of them are shown */
	bool sizes_are_exact;		/* else stat(2) shows estimates */
	struct cfs_damage_sum damage;	/* that the indexes record */
};

struct cfs_mount_opts {
	struct cfs_served_opts served;
	const char *mountpoint;
	bool debug;			/* libfuse reports every request */
	unsigned threads;		/* 0: by the number of processors */
	struct cfs_fs_opts fs;
	const char *kernel;		/* further -o options for the kernel and
					 * libfuse ("allow_other,nodev"), or
					 * NULL */
	/* Called when the sources are open, before signal handlers are set
	 * (libfuse leaves alone signals that have a handler).  This and `ready`
	 * may be NULL. */
	void (*opened)(void *arg);
	/* Called when the mount stands, before serving; a failure ends
	 * the mount. */
	int (*ready)(void *arg, const struct cfs_mount_shown *shown,
		     struct cfs_error *err);
	/* Called when a signal ended serving and the mount still stands, to
	 * unmount what `ready` has mounted elsewhere.  May be NULL. */
	void (*ending)(void *arg);
	void *arg;
};

/* Mounts and serves; returns when unmounted.  0 or a failure. */
int cfs_mount_run(const struct cfs_mount_opts *opts, struct cfs_error *err);

#endif

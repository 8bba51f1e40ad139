/* mount.h - opens the sources, mounts, serves until unmounted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_MOUNT_H
#define CFS_FUSE_MOUNT_H

#include "fs.h"
#include "net/http_settings.h"

struct cfs_mount_opts {
	const char *const *sources;
	unsigned n_sources;
	bool merge;			/* all of them are one tree */
	const char *mountpoint;
	bool debug;			/* libfuse reports every request */
	unsigned threads;		/* 0: by the machine */
	struct cfs_http_config http;	/* its `parallel` is the next one */
	unsigned parallel;		/* requests at a time to one server, and
					 * records read ahead; 0: default */
	bool no_readahead;
	bool missing_ok;		/* archives are not looked for */
	struct cfs_crawl_opts crawl;
	struct cfs_fs_opts fs;
	const char *own_words;	/* for .crawlfs/config, a line each; or NULL */
	const char *kernel;		/* further -o options for the kernel and
					 * libfuse ("allow_other,nodev"), or
					 * NULL */
	/* Called when the sources are open, before signal handlers are set
	 * (libfuse leaves alone the signals somebody else handles).  May be
	 * NULL, as may ready. */
	void (*opened)(void *arg);
	/* Called when the mount stands, before serving; a failure stops. */
	int (*ready)(void *arg, struct cfs_error *err);
	/* Called when a signal ended it and it still stands, to unmount what
	 * `ready` has put elsewhere.  May be NULL. */
	void (*ending)(void *arg);
	void *arg;
};

/* 0 or a failure. */
int cfs_mount_run(const struct cfs_mount_opts *opts, struct cfs_error *err);

#endif

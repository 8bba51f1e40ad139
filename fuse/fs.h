/* fs.h - a mounted file system: one or more crawls, options, counters.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_FS_H
#define CFS_FUSE_FS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "crawl/tree.h"
#include "failures.h"
#include "handles.h"
#include "ino.h"
#include "net/http_settings.h"

/* Inode numbers below every node's (a node's level is never 0). */
enum {
	CFS_INO_ROOT = 1,
	CFS_INO_CONTROL = 2,	/* .crawlfs */
	CFS_INO_STATS = 3,
	CFS_INO_CONFIG = 4,
	CFS_INO_VERSION = 5,
	CFS_INO_URL_DIR = 6,	/* .crawlfs/url: an inode number -> its URL */
	CFS_INO_WWW = 7,	/* the links `www` to `.`, all of them */
	CFS_INO_SOURCES = 16,	/* + source: its root, when there are several */
};

enum cfs_op {
	CFS_OP_LOOKUP, CFS_OP_GETATTR, CFS_OP_OPEN, CFS_OP_READ, CFS_OP_READDIR,
	CFS_OP_READDIRPLUS, CFS_OP_FORGET, CFS_OP_XATTR, CFS_OP_ERRORS,
	CFS_OP_BYTES, CFS_OP_COUNT
};

struct cfs_fs_opts {
	cfs_view_set views;
	bool xattr;
	bool size_exact;	/* -o size=exact: stat opens */
	struct cfs_view_opts view;
};

#define CFS_STATTERS 4096u
#define CFS_KNOWN_DIRS 65536u

struct cfs_fs {
	struct cfs_fs_opts opts;
	struct cfs_crawl *crawls[CFS_SOURCES_MAX];
	struct cfs_readahead *ahead[CFS_SOURCES_MAX];	/* NULL: local */
	char *names[CFS_SOURCES_MAX];	/* top-level names; NULL for one source */
	unsigned n_crawls;
	unsigned timeout_ms;		/* of one request of the kernel; 0: none,
					 * since no crawl is on a server */
	struct cfs_handles *handles;
	struct cfs_failures failures;	/* of LOOKUP, OPEN, READ, READDIR */
	char *config;			/* JSON, for .crawlfs/config */
	uid_t uid;
	gid_t gid;
	int64_t mounted_at;
	void *session;			/* struct fuse_session */
	_Atomic uint64_t ops[CFS_OP_COUNT];
	/* Processes that have looked up a file: their listings carry
	 * attributes (DESIGN section 3, adaptive READDIRPLUS). */
	_Atomic uint32_t statters[CFS_STATTERS];
	/* Directories whose listings carried attributes: their names may be
	 * kept by the kernel, it has the nodes too.  A lossy memo. */
	_Atomic uint64_t known_dirs[CFS_KNOWN_DIRS];
};

/* Sets top-level names: base names without suffixes, ~2 for repeats. */
int cfs_fs_name_sources(struct cfs_fs *fs, const char *const *sources,
			struct cfs_error *err);

/* Appends the text of a control file; CFS_ENOTFOUND if ino is none. */
int cfs_fs_control_text(struct cfs_fs *fs, uint64_t ino, struct cfs_buf *out);

struct fuse_lowlevel_ops;
extern const struct fuse_lowlevel_ops cfs_fs_ops;	/* ops.c */

/* The one table from library codes to errno. */
int cfs_errno(int code);

struct cfs_mount_opts {
	const char *const *sources;
	unsigned n_sources;
	const char *mountpoint;
	bool foreground, debug;
	unsigned threads;		/* 0: by the machine */
	struct cfs_http_config http;	/* its `parallel` is the next one */
	unsigned parallel;		/* requests at a time to one server, and
					 * records read ahead; 0: default */
	bool no_readahead;
	struct cfs_crawl_opts crawl;
	struct cfs_fs_opts fs;
	const char *kernel;		/* further -o options for the kernel and
					 * libfuse ("allow_other,nodev"), or NULL */
	/* Called when the sources are open, before signal handlers are set
	 * (libfuse leaves alone the signals somebody else handles).  May be
	 * NULL, as may ready. */
	void (*opened)(void *arg);
	/* Called when the mount stands, before serving; nonzero stops. */
	int (*ready)(void *arg);
	void *arg;
};

/* Opens, mounts, serves until unmounted.  0 or a failure. */
int cfs_mount_run(const struct cfs_mount_opts *opts, struct cfs_error *err);

#endif

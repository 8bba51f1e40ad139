/* fs.h - a mounted file system: its crawls, options and counters, and which
 * node of them has which inode number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_FS_H
#define CFS_FUSE_FS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/strtab.h"
#include "crawl/ino.h"
#include "crawl/searches.h"
#include "crawl/served.h"

/* Inode numbers of what is no node; all are below CFS_INO_NODES. */
enum {
	CFS_INO_ROOT = 1,
	CFS_INO_CONTROL = 2,	/* .crawlfs */
	CFS_INO_STATS = 3,	/* + 256 * a number: its text when looked up */
	CFS_INO_CONFIG = 4,
	CFS_INO_VERSION = 5,
	CFS_INO_URL_DIR = 6,	/* .crawlfs/url: inode numbers as names */
	CFS_INO_WWW = 7,	/* every link `www` to `.` */
	CFS_INO_RECORDS = 8,	/* .crawlfs/records; + 256 * a number: a folder
				 * in it (records.h) */
	CFS_INO_ERRORS = 9,	/* as CFS_INO_STATS */
	CFS_INO_METRICS = 10,	/* likewise */
	CFS_INO_SEARCH = 11,	/* .crawlfs/search */
	CFS_INO_README = 12,
	CFS_INO_SOURCES = 16,	/* + source: the root of one of
				 * several sources */
};

enum cfs_op {
	CFS_OP_LOOKUP, CFS_OP_GETATTR, CFS_OP_OPEN, CFS_OP_READ, CFS_OP_READDIR,
	CFS_OP_READDIRPLUS, CFS_OP_FORGET, CFS_OP_XATTR, CFS_OP_ERRORS,
	CFS_OP_BYTES, CFS_OP_STORED, CFS_OP_LISTED_AHEAD,
	CFS_OP_SIZES_CORRECTED, CFS_OP_COUNT
};

#define CFS_COUNT(fs, op, n) \
	atomic_fetch_add_explicit(&(fs)->ops[op], (n), memory_order_relaxed)

struct cfs_fs_opts {
	cfs_view_set views;
	bool xattr;
	bool size_exact;	/* -o size=exact: stat loads the file */
	struct cfs_dates dates;	/* the limits of the crawls, for .crawlfs */
	struct cfs_view_opts view;	/* set by cfs_mount_run */
	/* For .crawlfs/config; borrowed, and but for the words set by
	 * cfs_mount_run. */
	const char *words;	/* options, one a line; or NULL */
	const struct cfs_served_opts *served;
	const char *mountpoint;
};

#define CFS_SNAPSHOTS_KEPT 16u

struct cfs_fs {
	struct cfs_fs_opts opts;
	struct cfs_crawl *crawls[CFS_SOURCES_MAX];
	struct cfs_readahead *ahead[CFS_SOURCES_MAX];	/* NULL: nothing is
							 * read ahead */
	char *names[CFS_SOURCES_MAX];	/* top-level names; NULL for one
					 * source */
	unsigned n_crawls;
	unsigned timeout_ms;		/* for one request of the kernel; 0:
					 * none, as no crawl is on a server */
	struct cfs_budget *budget;	/* for all memory of the mount */
	struct cfs_handles *handles;
	struct cfs_loads *loads;
	/* The kernel is given exact sizes only: the few that an index does not
	 * have are measured before.  Files then need not be opened, and the
	 * kernel is told so if it has that feature. */
	bool sizes_are_exact, can_skip_open;
	bool can_look_up_together;	/* see write_reply in mount.c */
	bool can_store;			/* several threads serve (loads.h) */
	_Atomic bool has_replied;
	/* Keep the latest texts of .crawlfs/stats, metrics and errors for
	 * their readers. */
	_Atomic uint64_t snapshot_count;
	struct cfs_handle *_Atomic snapshots[CFS_SNAPSHOTS_KEPT];
	struct cfs_strtab *record_paths;	/* paths in .crawlfs/records
						 * (records.h) */
	struct cfs_damage_sum damage;	/* that the indexes record */
	struct cfs_searches *searches;
	struct cfs_failures *failures;	/* of LOOKUP, OPEN, READ, READDIR */
	uid_t uid;
	gid_t gid;
	int64_t mounted_at;
	void *session;			/* struct fuse_session */
	_Atomic uint64_t ops[CFS_OP_COUNT];
	struct cfs_listings *listings;
	bool can_skip_opendir;		/* the kernel can do without OPENDIR */
};

/* Is ino the top folder, which holds the roots of several sources? */
static inline bool cfs_fs_is_top(const struct cfs_fs *fs, uint64_t ino)
{
	return ino == CFS_INO_ROOT && fs->n_crawls > 1;
}

/* False for control files, the top of several sources, and invalid numbers. */
bool cfs_fs_node(const struct cfs_fs *fs, uint64_t ino, struct cfs_node *out);
uint64_t cfs_fs_ino(const struct cfs_fs *fs, const struct cfs_node *n);

#endif

/* ino.h - the meaning of inode numbers: nodes of the tree, and what is beside
 * it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_INO_H
#define CFS_FUSE_INO_H

#include "crawl/node.h"
#include "crawl/source_names.h"

/*
 * Inode numbers of nodes:
 *
 *     bits 0-47 position, 48-57 depth or view, 58 directory, 59-63 source
 *
 * so there is no inode table.  The root of a source has no first entry if the
 * source is empty; it would be depth 0, and gets a number below every node's,
 * as the control files do.
 */
uint64_t cfs_ino_of(const struct cfs_node *n);
/* False for a number that no node can have. */
bool cfs_ino_node(uint64_t ino, struct cfs_node *out);

/*
 * Inode numbers of folders of a search, whose files have those of the tree:
 *
 *     bits 0-27 first hit, 28-42 number of the query, 43-52 depth, 53 set,
 *     54-58 not, 59-63 source
 *
 * Of several sources the folder of the query itself, where their folders are,
 * has the hit CFS_INO_SEARCH_TOP and depth 0.
 */
#define CFS_INO_SEARCH_TOP ((UINT64_C(1) << 28) - 1)
uint64_t cfs_ino_of_search(const struct cfs_node *n);
/* Gets depth, source, and numbers of hit and query.  False for any other
 * number. */
bool cfs_ino_search(uint64_t ino, struct cfs_node *out);

/* Every node's number is at least this, as a node's level is never 0. */
#define CFS_INO_NODES (UINT64_C(1) << 48)
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

#endif

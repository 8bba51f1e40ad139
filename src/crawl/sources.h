/* sources.h - what one SOURCE may stand for that is several.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_SOURCES_H
#define CFS_CRAWL_SOURCES_H

#include "crawl.h"

/* Strings that are owned.  {0} is an empty list. */
struct cfs_sources {
	char **v;
	size_t n, room;
};
#define CFS_SOURCES_OF_ONE_MAX 4096u

void cfs_sources_release(struct cfs_sources *s);

/*
 * Appends what a SOURCE stands for:
 *
 *     A,B,C           each of them; a file of that very name goes first
 *     CC-MAIN-2023-*  the crawls of that pattern, by the list of collections,
 *                     in the order of their names
 *     FOLDER          the indexes in it (.cfx, .cdx, .cdxj, the last two .gz
 *                     too, cluster.idx), if it holds any, and no archive
 *     anything else   itself
 *
 * CFS_ENOTFOUND for a pattern of no crawl; CFS_ELIMIT; CFS_ENOMEM; CFS_EIO.
 */
int cfs_sources_add(struct cfs_sources *s, const char *source,
		    const struct cfs_crawl_opts *opts, struct cfs_error *err);

/* Splits a list such as that of -o data; a file or folder of that very name is
 * one word. */
int cfs_sources_split(struct cfs_sources *s, const char *list,
		      struct cfs_error *err);

#endif

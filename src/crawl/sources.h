/* sources.h - resolves one SOURCE argument into the sources it stands for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_SOURCES_H
#define CFS_CRAWL_SOURCES_H

#include "crawl.h"

/* A list of owned strings.  {0} is an empty list. */
struct cfs_sources {
	char **v;
	size_t n, room;
};
#define CFS_SOURCES_OF_ONE_MAX 4096u

void cfs_sources_release(struct cfs_sources *s);

/*
 * Appends what a SOURCE stands for:
 *
 *     A,B,C           each of them; a file of that very name has priority
 *     CC-MAIN-2023-*  the crawls of that pattern, by the list of collections,
 *                     in the order of their names
 *     CC-NEWS-2024    its months whose lists are there
 *     FOLDER          the indexes in it (.cfx, .cdx, .cdxj, the last two .gz
 *                     too, cluster.idx), if it holds any, and no archive
 *     anything else   itself
 *
 * CFS_ENOTFOUND if no crawl matches a pattern, or for a path that is not there;
 * CFS_ELIMIT; CFS_ENOMEM; CFS_EIO.
 */
int cfs_sources_add(struct cfs_sources *s, const char *source,
		    const struct cfs_crawl_opts *opts, struct cfs_error *err);

/* True for a pattern of crawls' names. */
bool cfs_sources_is_pattern(const char *name);

/* Splits a list such as that of -o data; the name of an existing file or folder
 * is not split. */
int cfs_sources_split(struct cfs_sources *s, const char *list,
		      struct cfs_error *err);

#endif

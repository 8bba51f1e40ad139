/* source_names.h - the names of the folders that several sources have when they
 * are shown side by side, as directories of one tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_SOURCE_NAMES_H
#define CFS_CRAWL_SOURCE_NAMES_H

#include "base/error.h"

/* Most sources side by side: an inode number has five bits for the source
 * (fuse/ino.h). */
#define CFS_SOURCES_MAX 32u

/*
 * Names the folders of n sources: base names without suffixes, with ~2 and so
 * on for repeats.
 *
 * names  n pointers, NULL at first; receive malloced strings, which the caller
 *        frees, also after a failure
 *
 * Returns 0 or CFS_ENOMEM.
 */
int cfs_source_names(char **names, unsigned n, const char *const *sources,
		     struct cfs_error *err);

#endif

/* cuts.h - finds the components that cut names stand for, by their hashes.
 *
 * A cut name has the beginning of a component and a hash of the whole
 * (names.h), which no index can search for: the folder is read until the
 * component is found.  What has been read is kept in stretches of entries, each
 * a table of hashes and positions, so that looking up all names of a folder
 * reads it once.  A look-up reads no further than the end of the stretch with
 * its name, which is no longer than all stretches before it and CFS_CUTS_FIRST
 * entries more.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_CUTS_H
#define CFS_CRAWL_CUTS_H

#include "names.h"
#include "walk.h"

/* Entries of the first stretch; each stretch has twice as many as the one
 * before, up to CFS_CUTS_MAX. */
#define CFS_CUTS_FIRST 64u
#define CFS_CUTS_MAX 65536u

/* Makes the cache of a crawl's stretches, given its memory.  NULL: out of
 * memory. */
struct cfs_lru *cfs_cuts_cache_new(uint64_t mem_bytes);

/* Copies the component of w->dir that a cut name stands for into w->child.  0;
 * CFS_ENOTFOUND; a failure.  Moves w->below and w->probe. */
int cfs_cuts_find(struct cfs_walk *w, const struct cfs_name *name,
		  enum cfs_zone zone);

#endif

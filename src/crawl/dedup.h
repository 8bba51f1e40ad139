/* dedup.h - finds the captures of a crawl whose payload an earlier one has.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_DEDUP_H
#define CFS_CRAWL_DEDUP_H

#include "crawl.h"
#include "index/picked.h"

/*
 * Reads all captures that ix shows, in its order, and adds to *hidden each one
 * with the payload digest of one before it.  A capture without a digest is not
 * hidden.  Uses a share of opts->mem_bytes, and temporary files.
 *
 * 0; CFS_EUNSUPPORTED if none of the first captures has a digest, with what to
 * do; CFS_ELIMIT (more than CFS_HIDDEN_MAX); CFS_ENOMEM, CFS_EINTR, failures of
 * reading and of temporary files.
 */
int cfs_dedup_find(struct cfs_index *ix, struct cfs_hidden *hidden,
		   const struct cfs_crawl_opts *opts, struct cfs_error *err);

#endif

/* archives.h - the archives of a crawl by name, opened once and kept open.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_ARCHIVES_H
#define CFS_RECORD_ARCHIVES_H

#include "base/lru.h"
#include "finder.h"
#include "parked.h"

struct cfs_archive {
	struct cfs_source *src;
	struct cfs_parking streams;
	atomic_bool warned;	/* that many records share a member */
	/* -1: not looked at yet; see cfs_archive_is_common_crawl */
	atomic_int is_common_crawl;
};

struct cfs_archives {		/* threads share it */
	struct cfs_finder finder;
	struct cfs_lru *open;
};

/* Parameters and codes as cfs_finder_init. */
int cfs_archives_init(struct cfs_archives *a, const char *const *bases,
		      size_t n_bases, const struct cfs_opener *opener);
void cfs_archives_release(struct cfs_archives *a);

/* Finds, opens and pins the archive of q: *out holds a struct cfs_archive
 * until cfs_lru_put.  Codes as cfs_finder_open; CFS_EFORMAT for its name. */
int cfs_archives_get(struct cfs_archives *a, const struct cfs_archive_query *q,
		     struct cfs_lru_ref **out, const struct cfs_cancel *cancel,
		     struct cfs_error *err);

/* Whether it is one of Common Crawl's own ARC files, by its name or its start
 * (CFS_PARSE_COMMON_CRAWL): read once.  0, or a failure to read. */
int cfs_archive_is_common_crawl(struct cfs_archive *a, bool *yes,
				const struct cfs_cancel *cancel,
				struct cfs_error *err);

#endif

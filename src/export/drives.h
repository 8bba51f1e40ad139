/* drives.h - what can be exported: archives, in their own order, and an opened
 * crawl, in the order of its index or of its archives.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_DRIVES_H
#define CFS_EXPORT_DRIVES_H

#include "crawl/crawl.h"
#include "export.h"
#include "index/conditions.h"
#include "index/part.h"
#include "net/open_location.h"

/* ---- archives: each is read once, from front to back (archive_rows.c) ---- */

struct cfs_spool;			/* spool.h */

struct cfs_archive_rows_opts {
	/* Archives, folders of them, lists and URLs, as crawlfs index takes
	 * them; borrowed during the call. */
	const char *const *inputs;
	size_t n_inputs;
	const struct cfs_opener *opener;	/* copied; NULL:
						 * cfs_location_open */
	const char *cache_dir;		/* as for cfs_zipped_open, or NULL */
	const char *list_base;		/* folder that names in lists are below;
					 * NULL: Common Crawl's */
	const char *stdin_path;		/* the input that is standard input: its
					 * archive is called "-"; NULL: none */
	struct cfs_spool *spool;	/* it is an archive that still comes;
					 * NULL: it is whole.  Borrowed, as
					 * spill_dir */
	uint64_t max_record_bytes;	/* 0: default */
	uint64_t memory_bytes;		/* as in struct cfs_scan_opts, as is */
	const char *spill_dir;		/* borrowed */
	struct cfs_budget *budget;	/* for what is made of long records;
					 * borrowed */
	/* The K-th of N parts, which are cut by bytes, and by archives where
	 * sizes are not known; n 0: all. */
	struct cfs_part part;
	const struct cfs_conditions *conditions;	/* only captures that
							 * meet them */
	/* Only captures below these, in any of their readings, ended by NULL;
	 * none: all. */
	char **prefixes;
	const struct cfs_cancel *cancel;
};

/* Facts about the archives. */
struct cfs_archive_rows_facts {
	uint64_t state;		/* a hash of their names, sizes and times */
	int64_t time;		/* when the last one was changed, Unix
				 * seconds */
	bool any_remote;	/* an archive is on a server */
};

/* Lists the archives.  0; CFS_ENOTFOUND if there are none; CFS_EUSAGE for a
 * prefix; failures as of cfs_indexer_list. */
int cfs_archive_rows_new(struct cfs_export_drive **out,
			 const struct cfs_archive_rows_opts *opts,
			 struct cfs_archive_rows_facts *facts,
			 struct cfs_error *err);

/* ---- a crawl, in the order of the tree or of archives (index_rows.c) ----- */

struct cfs_index_rows_opts {
	struct cfs_crawl *crawl;	/* borrowed, as all pointers are */
	/* The captures below them, prefix by prefix, ended by NULL; none, or
	 * NULL: all.  The texts are modified. */
	char **prefixes;
	cfs_export_set fields;
	/* In the order of archives, of which each is read from front to back,
	 * and not of the index. */
	bool by_archive;
	/* So many captures at a time, in the order of the index, so that the
	 * first rows do not wait for the whole walk; 0: all. */
	uint64_t window;
	/* The part that is wanted.  With prefixes, or by_archive, `crawl` is
	 * opened whole, and what is picked is divided; else `crawl` is that
	 * part. */
	struct cfs_part part;
	const char *temp_dir;		/* for these parts and orders */
	size_t sort_bytes;		/* memory for them */
};

/* 0; CFS_ENOMEM; failures to read the index. */
int cfs_index_rows_new(struct cfs_export_drive **out,
		       const struct cfs_index_rows_opts *opts,
		       struct cfs_ctx ctx);

#endif

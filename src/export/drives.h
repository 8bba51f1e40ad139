/* drives.h - what can be exported: archives, in their own order, and an opened
 * crawl, in the order of its index; and standard input as an archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_DRIVES_H
#define CFS_EXPORT_DRIVES_H

#include "crawl/prefixes.h"
#include "export.h"
#include "index/conditions.h"
#include "index/part.h"
#include "net/open_location.h"

/* ---- archives: each is read once, from front to back (archive_rows.c) ---- */

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
	uint64_t max_record_bytes;	/* 0: default */
	/* Records of more bytes are read into files in spill_dir, or memory of
	 * a budget; 0: all are held in memory. */
	uint64_t hold_bytes;
	const char *spill_dir;
	struct cfs_budget *budget;	/* borrowed, as spill_dir */
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

/* What is known of the archives. */
struct cfs_archive_rows_facts {
	uint64_t state;		/* a hash of their names, sizes and times */
	int64_t time;		/* when the last one was changed, Unix
				 * seconds */
	bool lacks_some;	/* an input could not be read, which was
				 * logged */
	bool any_remote;	/* an archive is on a server */
};

/* Lists the archives.  0; CFS_ENOTFOUND if there are none; CFS_EUSAGE for a
 * prefix; failures as of cfs_indexer_list. */
int cfs_archive_rows_new(struct cfs_export_drive **out,
			 const struct cfs_archive_rows_opts *opts,
			 struct cfs_archive_rows_facts *facts,
			 struct cfs_error *err);

/* ---- a crawl, in the order of the tree (index_rows.c) -------------------- */

/*
 * crawl     borrowed, with the part of it that is wanted
 * prefixes  the captures below them, prefix by prefix; without any, all.
 *           Borrowed
 *
 * 0; CFS_ENOMEM; failures to read the index.
 */
int cfs_index_rows_new(struct cfs_export_drive **out, struct cfs_crawl *crawl,
		       const struct cfs_prefixes *prefixes,
		       cfs_export_set fields, struct cfs_ctx ctx);

/* ---- standard input as a file (spool.c) ---------------------------------- */

struct cfs_spool;

/* Copies a pipe to its end into a file in `dir` that has no name, because
 * archives are read at offsets; a file that is standard input is not copied.
 * 0; CFS_EIO, also if dir is NULL or full; CFS_EINTR; CFS_ENOMEM. */
int cfs_spool_stdin(struct cfs_spool **out, const char *dir,
		    struct cfs_ctx ctx);

/* A path by which the file can be opened; lent.  NULL for NULL. */
const char *cfs_spool_path(const struct cfs_spool *s);

void cfs_spool_free(struct cfs_spool *s);	/* accepts NULL */

#endif

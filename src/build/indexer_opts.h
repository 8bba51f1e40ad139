/* indexer_opts.h - what an index is to be made of, and how.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_INDEXER_OPTS_H
#define CFS_BUILD_INDEXER_OPTS_H

#include "index/part.h"
#include "merge_input.h"
#include "net/open_location.h"
#include "record/scan.h"

/* Bump when the indexer's output changes: kept indexes are then rebuilt. */
#define CFS_INDEXER_VERSION 10u

struct cfs_web_folder;

/* Finds the sizes of the views of a record, on any thread.  0; CFS_ELIMIT: it
 * has none; a failure that ends the build. */
typedef int cfs_indexer_measure(const struct cfs_scan_item *item,
				const char *archive, uint64_t *meta_bytes,
				uint64_t *text_bytes,
				const struct cfs_cancel *cancel,
				struct cfs_error *err);

struct cfs_indexer_progress {
	uint64_t bytes_done, bytes_total;	/* of input files */
	uint64_t captures;
	bool is_names;			/* bytes are those of CDX files, whose
					 * archives' names are looked for */
	bool is_query;			/* bytes do not count, `share` does */
	double share;			/* of the query that is done */
	uint64_t merged, merge_total;		/* second phase; 0 before it */
};

struct cfs_indexer_opts {
	/* Files and directories, URLs of archives, and lists of archives
	 * (pathlist.h), whose names are below `base` or else Common Crawl's
	 * public folder. */
	const char *const *inputs;
	size_t n_inputs;
	/* Of the only input, a web folder, if it has been read already; else
	 * NULL.  What it does not say is asked for, and put into it. */
	struct cfs_web_folder *web;
	/* Not 0: about so many bytes of that are read now, a few archives at
	 * least, and what is left for an update of the index is counted
	 * there. */
	uint64_t web_batch_bytes;
	const char *output;
	/* Folder or URL that archive names are made relative to; NULL:
	 * output's. */
	const char *base;
	/* How WACZ files on servers are opened, NULL: cfs_location_open; and
	 * the cache folder, for archives that are compressed in them, or
	 * NULL. */
	const struct cfs_opener *opener;
	const char *cache_dir;
	/* Folder or URL that the archives of selections are below, NULL:
	 * Common Crawl's; and where they are now, for rows without a URL, NULL:
	 * there. */
	const char *selection_base, *selection_data;
	/* A SELECT whose rows are a selection too, NULL: none; and the folders
	 * that it may read files of beside the current one, a line each. */
	const char *sql, *sql_folders;
	enum cfs_index_format format;	/* a PB-tree can name few archives */
	unsigned shards;		/* of a ZipNum cluster, 0: by size */
	size_t memory_bytes;		/* 0: default */
	unsigned threads;		/* 0: one a processor */
	uint64_t max_record_bytes;	/* 0: default */
	/* NULL: the index has no sizes of views.  view_version names the code
	 * that makes the views. */
	cfs_indexer_measure *view_bytes;
	uint32_t view_version;
	const struct cfs_builder_sizer *revisits;	/* likewise */
	/* Crawlfs indexes that go into this one too; `numbers` are set. */
	struct cfs_merge_input *indexes;
	size_t n_indexes;
	/* Of the one index, which was made of `inputs` as they were then: what
	 * has not changed is not read again, and what is gone is left out. */
	bool is_update;
	/* cfs_make_index: the index to update, which need not be there; names
	 * in it are relative to the same folder.  NULL: no update. */
	const char *update_of;
	bool no_joins;		/* leave out what later inputs are joined by */
	/* A crawlfs index that no file is to be made of: it goes into this, and
	 * lacks joins and sizes of revisits.  NULL: into output. */
	struct cfs_buf *memory;
	struct cfs_pick *pick;	/* the captures it is to have; or NULL */
	/* What `pick` was made of, for the seal of a share; NULL: nothing. */
	const struct cfs_pick_opts *pick_asked;
	/* n not 0: only the k-th of n shares of the inputs (shares.h).  output
	 * is a part's file, which cfs_merge_shares takes.  A whole one that is
	 * there already is left alone, unless is_again. */
	struct cfs_part share;
	bool is_again;
	const struct cfs_cancel *cancel;
	/* Called with arg, beside the log, for an archive that cannot be read
	 * or is a damaged ZIP file; why->where is what it is.  May be NULL. */
	void (*refused)(void *arg, const struct cfs_error *why);
	/* Called about ten times a second from some thread.  May be NULL. */
	void (*progress)(void *arg, const struct cfs_indexer_progress *p);
	void *arg;
};

#endif

/* indexer.h - archives in, index out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_INDEXER_H
#define CFS_BUILD_INDEXER_H

#include "builder_revisits.h"
#include "indexer_record.h"

/* Bump when the indexer's output changes: kept indexes are then rebuilt. */
#define CFS_INDEXER_VERSION 4u

struct cfs_indexer_progress {
	uint64_t bytes_done, bytes_total;	/* of input files */
	uint64_t captures;
	uint64_t merged, merge_total;		/* second phase; 0 before it */
};

struct cfs_indexer_opts {
	/* Files and directories, URLs of archives, and lists of archives
	 * (pathlist.h), whose names are below `base` or else Common Crawl's
	 * public folder. */
	const char *const *inputs;
	size_t n_inputs;
	const char *output;
	/* Folder or URL that archive names are made relative to; NULL:
	 * output's. */
	const char *base;
	enum cfs_index_format format;
	size_t memory_bytes;		/* 0: default */
	unsigned threads;		/* 0: one a processor */
	uint64_t max_record_bytes;	/* 0: default */
	/* NULL: the index has no sizes of views.  view_code names the code
	 * that makes the views. */
	cfs_indexer_measure *view_bytes;
	uint32_t view_code;
	const struct cfs_builder_sizer *revisits;	/* likewise */
	const struct cfs_cancel *cancel;
	/* Called about ten times a second from some thread.  May be NULL. */
	void (*progress)(void *arg, const struct cfs_indexer_progress *p);
	void *arg;
};

struct cfs_indexer_report {
	struct cfs_builder_counts built;
	uint64_t files, files_skipped;		/* archives; other files */
	uint64_t files_damaged, damages;
	uint64_t records;			/* of every type */
	uint64_t not_in_tree;			/* requests, dns:, warcinfo, ... */
	uint64_t not_archived;			/* metadata of failed fetches */
	uint64_t input_bytes, inflated_bytes;
	double seconds;
};

/*
 * Folders are walked recursively; files that are not archives are skipped and
 * counted.  The crawl's own text and metadata (WET and WAT files, textData-*
 * and metadata-* of 2012) are joined to their captures (join.h).  Damage is
 * logged (base/log.h) with file and offset, and the rest is indexed.  0;
 * CFS_ENOTFOUND when nothing could be indexed; CFS_EINTR; failures of reading
 * or writing.  report may be NULL.
 */
int cfs_indexer_run(const struct cfs_indexer_opts *opts,
		    struct cfs_indexer_report *report, struct cfs_error *err);

#endif

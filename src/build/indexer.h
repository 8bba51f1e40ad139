/* indexer.h - archives in, index out: walks inputs, scans them with threads,
 * feeds the builder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_INDEXER_H
#define CFS_BUILD_INDEXER_H

#include "builder.h"
#include "record/scan.h"

/* Of what an index of the same files holds: another number where kept ones are
 * of no more use. */
#define CFS_INDEXER_VERSION 2u

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
	/* Renders the views of a record for their sizes, on any thread; NULL:
	 * the index has none.  view_code names the code that does.  0;
	 * CFS_ELIMIT: this record has none; a failure that ends the run. */
	int (*view_bytes)(const struct cfs_scan_item *item, const char *archive,
			  uint64_t *meta_bytes, uint64_t *text_bytes,
			  const struct cfs_cancel *cancel,
			  struct cfs_error *err);
	uint32_t view_code;
	const struct cfs_cancel *cancel;
	/* Called about ten times a second from some thread.  May be NULL. */
	void (*progress)(void *arg, const struct cfs_indexer_progress *p);
	void *arg;
};

struct cfs_indexer_report {
	struct cfs_builder_counts built;
	uint64_t files, files_skipped;		/* archives; no archives */
	uint64_t files_damaged, damages;
	uint64_t records;			/* of every type */
	uint64_t not_in_tree;			/* requests, dns:, warcinfo, ... */
	uint64_t not_archived;			/* metadata of failed fetches */
	uint64_t input_bytes, inflated_bytes;
	double seconds;
};

/*
 * Directories are walked recursively; what is no archive is skipped and
 * counted.  The crawl's own text and metadata (WET and WAT files, textData-*
 * and metadata-* of 2012) are joined to their captures (index/join.h).  Damage is logged (base/log.h) with file and offset and the rest
 * is indexed.  0; CFS_ENOTFOUND when nothing could be indexed; CFS_EINTR;
 * failures of reading or writing.
 */
int cfs_indexer_run(const struct cfs_indexer_opts *opts,
		    struct cfs_indexer_report *report, struct cfs_error *err);

/* What an index keeps of a record; slices are those of the record.  The
 * archive is 0, and fields of a PB-tree and the sizes of views are not there.
 * False: it has no place in the tree. */
bool cfs_indexer_capture(const struct cfs_scan_item *item,
			 struct cfs_builder_capture *c);

#endif

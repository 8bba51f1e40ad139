/* indexer.h - builds an index from archives, CDX files and selections.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_INDEXER_H
#define CFS_INDEXING_INDEXER_H

#include "indexer_opts.h"
#include "schemes.h"

struct cfs_indexer_report {
	struct cfs_builder_counts built;
	uint64_t files, files_skipped;		/* archives; other files */
	uint64_t files_current;	/* archives not read: an index has them
				 * unchanged */
	bool is_current;	/* an update found nothing to do */
	uint64_t files_damaged, damages;
	uint64_t missing;	/* of these, blocks of indexes, with captures
				 * that are missing then */
	uint64_t files_refused;	/* archives that could not be read, but perhaps
				 * when they are read again */
	uint64_t files_away;	/* of these, archives on servers */
	uint64_t files_gone;	/* archives that are named, and not there */
	uint64_t files_unread;	/* those refused that an update reads again */
	uint64_t records;			/* of every type */
	uint64_t not_in_tree;			/* warcinfo, for example */
	struct cfs_schemes schemes;		/* of URLs without a place */
	uint64_t not_archived;			/* metadata of failed fetches */
	uint64_t nameless;			/* pages without a URL */
	uint64_t digests[2];	/* kept: computed of records, and stated */
	uint64_t segments;	/* continuation segments without a place */
	uint64_t repeated;			/* found in several indexes */
	bool is_there;		/* the part existed already */
	bool are_parts;		/* `files` counts parts of an index */
	bool is_other_base;	/* names are relative to another folder than the
				 * index's or opts.base; this was logged */
	uint64_t not_picked;			/* left out by opts.pick */
	uint64_t input_bytes, inflated_bytes;
	double seconds;
};

/*
 * Builds the index.  Folders are walked recursively; files that are not
 * archives are skipped and counted.  The crawl's own text and metadata (WET and
 * WAT files, textData-* and metadata-* of 2012) are joined to their captures
 * (join.h).  Damage is logged (base/log.h) with file and offset, and the rest
 * is indexed.  0; CFS_ENOTFOUND when nothing could be indexed; CFS_EINTR;
 * failures of reading or writing.  report may be NULL.
 */
int cfs_indexer_run(const struct cfs_indexer_opts *opts,
		    struct cfs_indexer_report *report, struct cfs_error *err);

#endif

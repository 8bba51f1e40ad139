/* indexer_scan.h - one part of the inputs of an index, scanned: its records go
 * to the builder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_INDEXER_SCAN_H
#define CFS_BUILD_INDEXER_SCAN_H

#include <stdatomic.h>

#include "base/strtab.h"
#include "builder.h"
#include "indexer_opts.h"
#include "indexer_record.h"
#include "schemes.h"

/* A file, or a stretch of a large gzip file. */
struct cfs_indexer_part {
	uint32_t file;
	/* Of a WACZ: what the part is of; else NULL.  Borrowed. */
	const struct cfs_wacz_member *member;
	uint64_t from, to;	/* both 0: all of it */
	uint64_t bytes;
};

/* What the scans of all parts share; pointers are borrowed. */
struct cfs_indexer_scans {
	const struct cfs_indexer_files *files;
	const struct cfs_places *places;
	struct cfs_builder *builder;
	const struct cfs_indexer_opts *opts;	/* but for `cancel` */
	struct cfs_strtab *names;	/* of archives in CDX files, numbered
					 * from files->n on */
	uint32_t n_names;		/* known to the builder */
	const struct cfs_cancel *cancel;
	/* So far, of all parts: */
	atomic_uint_least64_t bytes, captures, sides;
	atomic_bool missed;		/* a cut was in the wrong place */
};

/* What was found in one part. */
struct cfs_indexer_tally {
	uint64_t records, not_in_tree, not_archived, damages, inflated;
	uint64_t not_picked;
	bool is_unread;		/* another run may be able to */
	/* Pages without a URL, records without a valid date, records whose
	 * length counts what separates records, and where the first of each
	 * is: */
	uint64_t nameless, undated, long_lengths;
	uint64_t nameless_at, undated_at, long_lengths_at;
	uint64_t segments;	/* which continue records: left out */
	struct cfs_schemes schemes;	/* of URLs without a place */
};

/* Has a URL a place in an index of the format, by its scheme?  If not, it is
 * counted. */
bool cfs_indexer_has_place(enum cfs_index_format format, struct cfs_slice url,
			   struct cfs_indexer_tally *tally);

/* Scans a part on the thread of that feeder.  Damage is logged and counted,
 * also when the whole file is not readable.  0, or a failure that ends the
 * build: of the builder, of memory, of reading a remote file, CFS_EINTR. */
int cfs_indexer_scan(struct cfs_indexer_scans *s, unsigned feeder,
		     const struct cfs_indexer_part *part,
		     struct cfs_indexer_tally *tally, struct cfs_error *err);

#endif

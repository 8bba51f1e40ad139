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
#include "indexer_parts.h"
#include "indexer_record.h"
#include "indexer_sides.h"

/* What the scans of all parts share; pointers are borrowed. */
struct cfs_indexer_scans {
	const struct cfs_indexer_files *files;
	const struct cfs_places *places;
	struct cfs_builder *builder;
	enum cfs_index_format format;
	uint64_t max_record_bytes;	/* 0: default */
	cfs_indexer_measure *measure;	/* NULL: sizes of views are not kept */
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
};

/* Scans a part on the thread of that feeder.  Damage is logged and counted,
 * also when the whole file is not readable.  0, or a failure that ends the
 * build: of the builder, of memory, of reading a remote file, CFS_EINTR. */
int cfs_indexer_scan(struct cfs_indexer_scans *s, unsigned feeder,
		     const struct cfs_indexer_part *part,
		     struct cfs_indexer_tally *tally, struct cfs_error *err);

#endif

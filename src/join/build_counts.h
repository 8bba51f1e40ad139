/* build_counts.h - what building an index counts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_JOIN_BUILD_COUNTS_H
#define CFS_JOIN_BUILD_COUNTS_H

#include "index/archive_row.h"

struct cfs_builder_counts {
	uint64_t captures;	/* in the index */
	/* Texts and metadata: joined, pages of their own, left out as
	 * ambiguous. */
	uint64_t texts, metas, text_pages, meta_pages, unclear;
	uint64_t repeated;	/* captures left out as repeated */
	uint64_t not_picked;	/* entries of opts.inputs left out by
				 * opts.pick */
	uint64_t lone_annexes;	/* left out: see opts.no_lone_annexes */
	/* Related records: joined; become pages, as nothing else of the page is
	 * there; left out, without a page or not the first of their kind. */
	uint64_t related, related_pages, unrelated;
	/* Those of `related` and `unrelated` left out for good: not in the
	 * joindata. */
	uint64_t related_kept_out, unrelated_kept_out;
	/* Continuation segments: joined; without a record, or behind a missing
	 * segment.  New records that lack segments. */
	uint64_t segments, lone_segments, incomplete;
	/* In the index: revisits whose original is not in its archives, other
	 * captures whose body was cut off. */
	uint64_t absent, cut;
	uint64_t skipped[CFS_SKIPPED_KINDS];
	uint64_t file_bytes;
};

#endif

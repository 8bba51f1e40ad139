/* capture_input.h - what the indexer hands over for an index: captures, and the
 * texts, metadata and related records to be joined to them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_JOIN_CAPTURE_INPUT_H
#define CFS_JOIN_CAPTURE_INPUT_H

#include "related_record.h"

/* The place of a file in the crawl of 2012, by which texts and metadata are
 * joined (join.h), from its name: a hash of its folder, the folder's number (0:
 * it has none), and the file's number there plus 1 (0: it has none).  has_date:
 * it is an archive whose name has a date, in milliseconds. */
struct cfs_builder_origin {
	uint64_t folder, segment;
	uint32_t partition_1;
	bool has_date;
	uint64_t date_ms;
};

/* One capture to index.  Slices are copied. */
struct cfs_builder_capture {
	struct cfs_slice url;
	enum cfs_kind kind;
	int64_t time;
	uint16_t status;
	struct cfs_slice mime;
	struct cfs_slice languages;	/* may be empty: not known, or not
					 * kept; at most
					 * CFS_LANGUAGES_BYTES */
	struct cfs_slice kept_digest;	/* of the payload, in its normal form,
					 * for the index; empty: not known, or
					 * not kept */
	uint32_t archive;	/* index into opts.archives */
	struct cfs_span span;	/* .file is not set */
	bool body_is_exact;
	bool is_segmented;	/* the first segment of its record */
	uint64_t body_bytes;
	/* From WARC records only, else empty: WARC-Record-ID and
	 * WARC-Payload-Digest of this record, and the record id it refers to,
	 * if it is a revisit or the text of another record (a conversion). */
	struct cfs_slice record_id, digest, refers_to;
	struct cfs_slice concurrent_to;	/* WARC-Concurrent-To, or empty */
	/* Only with opts.view_version.  The size of the metadata is that
	 * without the notes. */
	struct cfs_view_bytes views;
	/* One JSON object, at most CFS_NOTES_MAX bytes, whose members the
	 * metadata view shows; n 0: none.  A PB-tree has no place for it. */
	struct cfs_slice notes;
	/* For lines only (builder_lines.h), or empty: further members of the
	 * line, and the object of the CDXJ line that the capture was read
	 * from. */
	struct cfs_slice mime_detected, truncated, redirect, line;
	/* For a PB-tree only, of an entry of another one: its key (n 0: the
	 * key is made of the URL), and, if the order of equal keys is kept, its
	 * position plus 1. */
	struct cfs_slice pb_key;
	uint64_t pb_order;
	/* Unless NULL, *left_out becomes a phrase if the capture has no place
	 * in the tree. */
	const char **left_out;
};

/* A text or metadata record of the crawl, or a related record
 * (related_record.h), to be joined to its capture. */
struct cfs_builder_annex {
	struct cfs_slice url;
	bool is_meta, is_related;
	bool is_one_member;	/* as in struct cfs_companion */
	struct cfs_related_record related;	/* if is_related; its URL is not
						 * used */
	enum cfs_companion_kind container;
	uint32_t archive;	/* index into opts.archives */
	struct cfs_span span; /* as in struct cfs_companion; .file is not set */
	uint64_t bytes;
	/* The keys of its capture (join.h) besides the URL: the id of a WARC
	 * record, or for metadata of 2012 the date, the partition and the
	 * segment of an archive, as in its origin (segment 0: not known), and
	 * the offset in it.  For a related record the capture may state the
	 * reference instead, by this record's own id. */
	struct cfs_slice refers_to, record_id;
	bool has_place;
	uint64_t place_date_ms, place_segment, place_offset;
	uint32_t place_partition;
	/* For the page that it becomes if it has no capture. */
	int64_t time;
	uint16_t status;
};

/* ---- what building an index counts ---- */

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
	/* The list of words: its bytes, 0: none was made; words; captures
	 * whose text could not be read. */
	uint64_t words_bytes, words, texts_unread;
};

#endif

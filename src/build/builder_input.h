/* builder_input.h - what an index is built from (archives, captures, the
 * crawl's own text and metadata), the options of a build, and its counts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_BUILDER_INPUT_H
#define CFS_BUILD_BUILDER_INPUT_H

#include "related_record.h"

struct cfs_merge_input;
struct cfs_pick;

/* Why a capture has no place in an index. */
enum cfs_skipped_kind { CFS_SKIPPED_SCHEME, CFS_SKIPPED_LONG, CFS_SKIPPED_DEEP,
			CFS_SKIPPED_NUL, CFS_SKIPPED_KINDS };

/* One archive named in the index. */
struct cfs_builder_archive {
	const char *name;	/* relative to the index file's folder */
	uint64_t size;		/* file bytes and modification time: an index */
	int64_t mtime;		/* is reused only while both hold */
	uint32_t mtime_nsec;
	uint64_t skipped[CFS_SKIPPED_KINDS];	/* as another index says */
	struct cfs_slice damage;	/* likewise: the archive's report
					 * (cfx_damage.h) */
	bool is_indexed;	/* another index has read it, so it can be
				 * read */
};

/* The place of an archive of 2012, by which its texts are joined (join.h): a
 * hash of its file's folder, and the file's number there plus 1, 0 if it has
 * none. */
struct cfs_builder_origin {
	uint64_t folder;
	uint32_t partition_1;
};

/* One capture to index.  Slices are copied. */
struct cfs_builder_capture {
	struct cfs_slice url;
	enum cfs_kind kind;
	int64_t time;
	uint16_t status;
	struct cfs_slice mime;
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
	bool has_view_bytes;	/* only with opts.view_version */
	uint64_t meta_bytes, text_bytes;	/* without the notes */
	/* One JSON object, at most CFS_NOTES_MAX bytes, whose members the
	 * metadata view shows; n 0: none.  A PB-tree has no place for it. */
	struct cfs_slice notes;
	/* For lines only (builder_lines.h), or empty: further members of the
	 * line, and the object of the CDXJ line that the capture was read
	 * from. */
	struct cfs_slice mime_detected, truncated, redirect, line;
	/* For a PB-tree only: the record's place as the 2012 crawl names it. */
	uint64_t pb_segment, pb_date_ms;
	uint32_t pb_partition;
};

/* A text or metadata record of the crawl, or a related record
 * (related_record.h), to be joined to its capture. */
struct cfs_builder_side {
	struct cfs_slice url;
	bool is_meta, is_related;
	bool is_one_member;	/* as in struct cfs_companion */
	struct cfs_related_record related;	/* if is_related; its URL is not
						 * used */
	enum cfs_companion_kind container;
	uint32_t archive;	/* index into opts.archives */
	struct cfs_span span; /* as in struct cfs_companion; .file is not set */
	uint64_t bytes;
	/* What identifies its capture (join.h) besides the URL: the id of a
	 * WARC record, or archive and offset.  For a related record the capture
	 * may state the reference instead, by this record's own id. */
	struct cfs_slice refers_to, record_id;
	bool has_place;
	uint32_t place_archive;
	uint64_t place_offset;
	/* For the page that it becomes if it has no capture. */
	int64_t time;
	uint16_t status;
};

struct cfs_builder_sizes {
	uint64_t body, text, meta;
};

/* Finds the sizes of revisits; implemented by what serves pages, above. */
struct cfs_builder_sizer {
	/* Opens an index from src, which it takes over; archives are below the
	 * folder base.  *ix is lent until close. */
	int (*open)(void **sizer, struct cfs_index **ix, struct cfs_source *src,
		    const char *base, struct cfs_error *err);
	/* Finds the sizes of the page at pos, on any thread.  0; CFS_EINTR or
	 * CFS_ENOMEM; after another failure the sizes are unknown. */
	int (*find)(void *sizer, cfs_pos pos, struct cfs_builder_sizes *out,
		    const struct cfs_cancel *cancel, struct cfs_error *err);
	void (*close)(void *sizer);		/* accepts NULL */
};

struct cfs_share_writer;

struct cfs_builder_opts {
	const char *path;
	/* NULL: writes a file.  Else a crawlfs index, without sizes of
	 * revisits, goes into this buffer, and `path` is its name for
	 * messages. */
	struct cfs_buf *memory;
	enum cfs_index_format format;
	unsigned shards;	/* of a ZipNum cluster (zipnum_write.h) */
	size_t memory_bytes;	/* for all runs together; 0: a default */
	unsigned threads;	/* feeders, at least 1 */
	const char *tmp_dir;	/* for sorted runs; NULL: beside path */
	const struct cfs_builder_archive *archives;	/* borrowed until
							 * finish */
	uint32_t n_archives;
	/* One for each archive; borrowed likewise.  NULL: none is known. */
	const struct cfs_builder_origin *origins;
	uint32_t view_version;	/* of the captures' view sizes; 0: they have
				 * none */
	const char *home;	/* as in struct cfs_index; borrowed until
				 * finish */
	bool drops_repeats;	/* keep one capture of a URL per place and time,
				 * whatever its length */
	/* Crawlfs indexes that are merged into the new one, and which of their
	 * captures to take; their archives are among `archives`.  Borrowed
	 * until finish. */
	const struct cfs_merge_input *inputs;
	size_t n_inputs;
	const struct cfs_pick *pick;
	bool keeps_joins;	/* write the joindata */
	/* Leave out texts and metadata without a capture in the index, which
	 * would become pages of their own. */
	bool no_lone_sides;
	/* Creates the temporary file only in finish, for a program that may be
	 * killed long before. */
	bool is_late;
	/* Finds the sizes of revisits; NULL: they have none.  `base` is the
	 * folder of the archives; the first n_at_hand of them can be read. */
	const struct cfs_builder_sizer *sizer;
	const char *base;
	uint32_t n_at_hand;
	/* NULL, or takes all pairs of the sort, in order, and makes the index a
	 * part's file.  Archives then keep their numbers. */
	struct cfs_share_writer *share;
	const bool *at_hand;	/* by archive of the index: can it be read; set
				 * by the builder */
	const struct cfs_cancel *cancel;
	/* Reports the number of entries merged so far, now and then during
	 * finish.  May be NULL. */
	void (*merged)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

struct cfs_builder_counts {
	uint64_t captures;	/* in the index */
	/* Texts and metadata: joined, pages of their own, left out as
	 * ambiguous. */
	uint64_t texts, metas, text_pages, meta_pages, unclear;
	uint64_t repeated;	/* captures left out as repeated */
	uint64_t not_picked;	/* entries of opts.inputs left out by
				 * opts.pick */
	uint64_t lone_sides;	/* left out: see opts.no_lone_sides */
	/* Related records: joined; become pages, as nothing else of the page is
	 * there; left out, without a page or not the first of their kind. */
	uint64_t related, related_pages, unrelated;
	/* Continuation segments: joined; without a record, or behind a missing
	 * segment.  New records that lack segments. */
	uint64_t segments, lone_segments, incomplete;
	uint64_t skipped_scheme, skipped_long, skipped_deep, skipped_nul;
	uint64_t file_bytes;
};

#endif

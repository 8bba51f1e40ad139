/* join.h - joins the crawl's own text and metadata to the captures of one key.
 *
 * Text and metadata records come through the sort under the key of their page.
 * The capture of the page that each one belongs to is found by, in this order:
 *
 *     id       of the record they were made from (WARC-Refers-To)
 *     place    archive and offset of it (archiveInfo of 2012); of several
 *              archives with that date and number, the one in the metadata
 *              file's folder or else in the segment that is named
 *     URL      byte for byte, with the crawl's partition: a textData file and
 *              the ARC files of its folder and number were written by one
 *              task, in one order
 *
 *     date     metadata (WAT) that has none of these: URL and second, if one
 *              capture has them
 *
 * Several captures of one URL in one partition are paired with texts in their
 * order, if there are as many texts as captures; else the texts are left out,
 * because they are ambiguous.  A text or metadata record without a capture
 * becomes a page itself (CFS_KIND_ANNEX; a WET record is one anyway).
 *
 * Related records (related_record.h) are joined by, in this order:
 *
 *     id       that one of the two states of the other (WARC-Concurrent-To),
 *              in one archive
 *     place    request and metadata: URL, archive and second, then the record
 *              that lies next to it
 *     id       in any archives
 *     time     the others: the capture of the URL that is nearest in time, or
 *              if there is none, that of the key
 *
 * A capture has one related record of each kind.  Requests and metadata without
 * a capture are left out; the others become a page.
 *
 * Segments that continue a record are joined by its id
 * (WARC-Segment-Origin-ID), in the order of their numbers, up to the first
 * missing one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_JOIN_JOIN_H
#define CFS_JOIN_JOIN_H

#include "capture_input.h"
#include "format/cfx/cfx_write.h"

/* By record id, and by digest. */
#define CFS_JOIN_ASKED_MAX 2u

enum cfs_join_what { CFS_JOIN_PAGE, CFS_JOIN_CONVERSION, CFS_JOIN_TEXT,
		     CFS_JOIN_META, CFS_JOIN_RELATED };

/* An item that came under the key: a page's entry, or the entry that a
 * conversion, text or metadata record becomes if it is not joined. */
struct cfs_join_item {
	enum cfs_join_what what;
	struct cfs_capture e;
	struct cfs_slice notes;		/* of e */
	enum cfs_companion_kind
		container; /* TEXT, META: the kind of file that e's place is
			    * in */
	uint64_t id;	/* hash of a record id: a page's own, else the one it
			 * refers to; 0: none */
	uint64_t ref[2];	/* PAGE: hashes for references
				 * (sort_value.h) */
	/* META: where its capture is, 0: not known: cfs_join_arc_place, and the
	 * number of the segment. */
	uint64_t arc_place, arc_segment;
	/* PAGE, RELATED: hashes of its own record id, and of the id of the
	 * record it states that it belongs to; 0: none. */
	uint64_t own, concurrent;
	struct cfs_related_record related;	/* RELATED; without a URL */
	uint64_t bytes;			/* RELATED: size of the record's
					 * block */
	bool is_one_member;		/* RELATED: as in struct
					 * cfs_companion */
	uint32_t slots[CFS_RELATED_KINDS];	/* PAGE: its related records, as
						 * item numbers plus 1; of a
						 * segment: the next one */
	bool is_segmented;	/* PAGE: the first segment of its record */
	bool was_segmented;	/* PAGE: the same, in an index that is merged;
				 * then only counted */
	bool is_whole;		/* all the other segments were joined */
	bool is_longer;		/* PAGE: segments were joined, so its sizes are
				 * too small */
	bool is_dropped;	/* joined to another, or left out: not an
				 * entry */
	/* RELATED: number plus 1 of the page it was joined to; 0: none. */
	uint32_t given_1;
	/* For an entry of another index, in which e keeps what was joined
	 * there: hashes by which its revisits refer to it. */
	uint64_t asked[CFS_JOIN_ASKED_MAX];
	unsigned n_asked;
	unsigned had;		/* records already joined there:
				 * CFS_CFX_ID_TEXT, _META, _RELATED */
	unsigned input;		/* number of the input it came from */
	bool is_kept;		/* goes into the joindata (cfs_join_keep) */
	struct cfs_slice raw;	/* its value (sort_value.h) */
};

/* Sets is_kept of all items that are not pages, if a record added later could
 * change what they are joined to.  A request or metadata joined to a capture in
 * its own archive stays with it.  Call it after cfs_join, before items move. */
void cfs_join_keep(struct cfs_join_item *items, size_t n);

/* Returns the hash of a record's place, never 0. */
uint64_t cfs_join_place(uint32_t archive, uint64_t offset);
/* The same for a record of 2012, by what the name of its archive says: the same
 * in all indexes, whether they have the archive or not. */
uint64_t cfs_join_arc_place(uint64_t date_ms, uint32_t partition,
			    uint64_t offset);

/* Joins items that came under one key.  Those without is_dropped are then the
 * key's entries.  origins: by archive, may be NULL.  lists: set to the lists of
 * related records, which entries then borrow.  Counts of texts, metadata and
 * related records are added to counts.  0 or CFS_ENOMEM. */
int cfs_join(struct cfs_join_item *items, size_t n,
	     const struct cfs_builder_origin *origins, struct cfs_buf *lists,
	     struct cfs_builder_counts *counts);

#endif

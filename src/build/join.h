/* join.h - gives the captures of one key the crawl's own text and metadata.
 *
 * Text and metadata records come through the sort under the key of their
 * page.  Which capture of the page each belongs to is decided by, in this
 * order:
 *
 *     id       of the record they were made from (WARC-Refers-To)
 *     place    archive and offset of it (archiveInfo of 2012)
 *     URL      byte for byte, with the crawl's partition: a textData file and
 *              the ARC files of its folder and number were written by one
 *              task, in one order
 *
 * Several captures of one URL in one partition are taken in their order, if
 * there are as many texts as captures; else the texts are left out, because
 * which is whose cannot be known.  What belongs to no capture at hand becomes
 * a page itself (CFS_KIND_SIDE; a WET record is one anyway).
 *
 * Related records (related_record.h) are joined by, in this order:
 *
 *     id       that one of the two says of the other (WARC-Concurrent-To), in
 *              one archive
 *     place    request and metadata: URL, archive and second, then the record
 *              that lies next to it
 *     id       in whatever archives
 *     time     the others: the capture of the URL that is nearest in time, or
 *              if there is none, that of the key
 *
 * A capture has one of a kind.  Requests and metadata without a capture are
 * left out; the others become a page.
 *
 * Segments that continue a record are joined by its id
 * (WARC-Segment-Origin-ID), in the order of their numbers, up to the first that
 * is missing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_JOIN_H
#define CFS_BUILD_JOIN_H

#include "cfx_write.h"

/* By its record id, and by its digest. */
#define CFS_JOIN_ASKED_MAX 2u

enum cfs_join_what { CFS_JOIN_PAGE, CFS_JOIN_CONVERSION, CFS_JOIN_TEXT,
		     CFS_JOIN_META, CFS_JOIN_RELATED };

/* One thing that came under the key: a page's entry, or the entry that a
 * conversion, text or metadata record becomes if it stays alone. */
struct cfs_join_item {
	enum cfs_join_what what;
	struct cfs_capture e;
	struct cfs_slice notes;		/* of e */
	enum cfs_companion_kind
		container; /* TEXT, META: what e's place is in */
	uint64_t id;	/* hash of the record id: its own, of all but pages
			 * the one referred to; 0: none */
	uint64_t ref[2];	/* of a page, for the builder */
	uint64_t place;		/* META: cfs_join_place; 0: none */
	/* PAGE and RELATED: hashes of its own record id, and of that of the
	 * record it says it belongs to; 0: none. */
	uint64_t own, concurrent;
	struct cfs_related_record related;	/* RELATED; without a URL */
	uint64_t bytes;			/* RELATED: of the record's block */
	bool is_one_member;		/* RELATED: of struct cfs_companion */
	uint32_t slots[CFS_RELATED_KINDS];	/* its related records: their
						 * numbers plus 1; of a segment,
						 * the next one */
	bool is_segmented;	/* PAGE: the first segment of its record */
	bool is_whole;		/* and the others were joined to it */
	bool is_longer;		/* PAGE: its sizes are those of a part of it */
	bool is_dropped;	/* joined to another, or left out: no entry */
	/* RELATED: the page it was given to, its number plus 1; 0: none. */
	uint32_t given_1;
	/* Of an entry of another index: e has what it had there, which is not
	 * undone.  Hashes by which its revisits refer to it. */
	uint64_t asked[CFS_JOIN_ASKED_MAX];
	unsigned n_asked;
	unsigned had;		/* what that is: CFS_CFX_ID_TEXT, _META,
				 * _RELATED */
	unsigned input;		/* number of what it came from */
	bool is_kept;		/* later inputs need it (cfs_join_keep) */
	struct cfs_slice raw;	/* its value (builder_value.h) */
};

/* After cfs_join, before items move: sets is_kept of those that are no page, as
 * far as a record that is added later could make something else of them.  A
 * request or metadata that has a capture in its own archive stays with it. */
void cfs_join_keep(struct cfs_join_item *items, size_t n);

/* The hash of a record's place, never 0. */
uint64_t cfs_join_place(uint32_t archive, uint64_t offset);

/* Joins items that came under one key.  Those not is_dropped in the end are
 * the key's entries.  origins: by archive, may be NULL.  lists: set to the
 * related records that entries then borrow.  What became of texts, metadata
 * and related records is added to counts.  0 or CFS_ENOMEM. */
int cfs_join(struct cfs_join_item *items, size_t n,
	     const struct cfs_builder_origin *origins, struct cfs_buf *lists,
	     struct cfs_builder_counts *counts);

#endif

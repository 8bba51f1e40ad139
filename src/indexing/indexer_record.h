/* indexer_record.h - decides which records are indexed, and extracts captures
 * and the crawl's own text and metadata.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_INDEXER_RECORD_H
#define CFS_INDEXING_INDEXER_RECORD_H

#include "indexer_files.h"
#include "record/scan.h"

/* True for a type of record that has a place in the tree, if its URL has
 * one. */
bool cfs_indexer_is_page(const struct cfs_record *r);

/* Extracts a capture; slices borrow from the record.  The archive is set to 0;
 * the fields of a PB-tree and the sizes of views are not set.  False: the
 * record has no place in the tree, because of its type or URL. */
bool cfs_indexer_capture(const struct cfs_scan_item *item,
			 struct cfs_builder_capture *c);

/* Adds the further members of a CDX line (builder_lines.h).  A missing digest
 * is computed and a redirect resolved, in buffers that c then borrows from.  0
 * or CFS_ENOMEM. */
int cfs_indexer_line(const struct cfs_scan_item *item,
		     struct cfs_builder_capture *c, struct cfs_buf *digest,
		     struct cfs_buf *redirect);

/* Extracts a related record (related_record.h), except the archive; slices
 * borrow from the record.  False: it is not one. */
bool cfs_companion_of_page(const struct cfs_scan_item *item,
			   struct cfs_builder_annex *out);

/* Extracts the text or metadata of a WAT record, except its place; slices
 * borrow from the record, or from `url`, a buffer for its URL.  False if it
 * does not describe a capture, but a request or the WAT file itself
 * (doc/formats.md, "WAT records"). */
bool cfs_companion_of_wat(const struct cfs_record *r, struct cfs_buf *url,
			  struct cfs_builder_annex *out);

/* Does the same for the JSON text in a metadata file of 2012 (doc/formats.md,
 * "Metadata of 2012").  False for a fetch that was not archived. */
bool cfs_companion_of_2012(struct cfs_slice json,
			   struct cfs_builder_annex *out);

/* The time for a text, which does not state one: its segment's, else its
 * file's. */
int64_t cfs_companion_file_time(const struct cfs_indexer_file *file);

#endif

/* indexer_record.h - which records get into an index, and what it keeps of
 * them: captures, and the crawl's own text and metadata.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_INDEXER_RECORD_H
#define CFS_BUILD_INDEXER_RECORD_H

#include "indexer_files.h"
#include "record/scan.h"

/* True for a record that has a place in the tree if its URL has one. */
bool cfs_indexer_is_page(const struct cfs_record *r);

/* What an index keeps of a record; slices are those of the record.  The
 * archive is 0; the fields of a PB-tree and the sizes of views are not set.
 * False: the record has no place in the tree, by its kind or its URL. */
bool cfs_indexer_capture(const struct cfs_scan_item *item,
			 struct cfs_builder_capture *c);

/* What its line in a CDX file says besides (builder_lines.h): a digest that the
 * record does not have is found, and where it redirects to, both in buffers
 * that c then borrows from.  0 or CFS_ENOMEM. */
int cfs_indexer_line(const struct cfs_scan_item *item,
		     struct cfs_builder_capture *c, struct cfs_buf *digest,
		     struct cfs_buf *redirect);

/* A record that belongs to a page beside its capture (related_record.h): all
 * but the archive; slices borrow from it.  False: it is none. */
bool cfs_companion_of_page(const struct cfs_scan_item *item,
			   struct cfs_builder_side *out);

/* The archives of 2012 among the files, by the numbers in their names. */
struct cfs_arc_place {
	uint64_t date_ms;
	uint32_t partition, file;
};
struct cfs_places {
	const struct cfs_indexer_files *files;	/* borrowed */
	struct cfs_arc_place *v;			/* sorted */
	size_t n;
};
/* 0 or CFS_ENOMEM. */
int cfs_places_init(struct cfs_places *p, const struct cfs_indexer_files *f);
void cfs_places_release(struct cfs_places *p);

/* Fills in all but the place of the record; slices borrow from the record.
 * False for one that is about no capture, but about a request or the WAT file
 * itself (doc/formats.md, "WAT records"). */
bool cfs_companion_of_wat(const struct cfs_record *r,
			  struct cfs_builder_side *out);

/* As cfs_companion_of_wat for the JSON text of a metadata file of 2012
 * (doc/formats.md, "Metadata of 2012").  False for a fetch of which nothing
 * was archived. */
bool cfs_companion_of_2012(struct cfs_slice json,
			   const struct cfs_places *places,
			   const struct cfs_indexer_file *file,
			   struct cfs_builder_side *out);

/* The time of a text, which does not say it: that of its segment, else of
 * its file. */
int64_t cfs_companion_file_time(const struct cfs_indexer_file *file);

#endif

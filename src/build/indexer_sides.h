/* indexer_sides.h - the crawl's own text and metadata, on their way into an
 * index: what a record of a WAT file or of a metadata file says about its page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_INDEXER_SIDES_H
#define CFS_BUILD_INDEXER_SIDES_H

#include "indexer_files.h"
#include "record/record.h"

/* The archives of 2012 among the files, by the numbers in their names. */
struct cfs_place {
	uint64_t date_ms;
	uint32_t partition, file;
};
struct cfs_places {
	const struct cfs_indexer_files *files;	/* borrowed */
	struct cfs_place *v;			/* sorted */
	size_t n;
};
/* 0 or CFS_ENOMEM. */
int cfs_places_init(struct cfs_places *p, const struct cfs_indexer_files *f);
void cfs_places_release(struct cfs_places *p);

/* Fills in all but the place of the record; slices borrow from the record.
 * False for one that is about no capture, but about a request or the WAT file
 * itself (doc/formats.md, "WAT records"). */
bool cfs_side_of_wat(const struct cfs_record *r, struct cfs_builder_side *out);

/* True for a text record (WET) that says which record it is the text of. */
bool cfs_side_is_wet(const struct cfs_record *r);

/* As cfs_side_of_wat for the JSON text of a metadata file of 2012
 * (doc/formats.md, "Metadata of 2012").  False for a fetch of which nothing
 * was archived. */
bool cfs_side_of_2012(struct cfs_slice json, const struct cfs_places *places,
		      const struct cfs_indexer_file *file,
		      struct cfs_builder_side *out);

/* The time of a text, which does not say it: that of its segment, else of
 * its file. */
int64_t cfs_side_file_time(const struct cfs_indexer_file *file);

#endif

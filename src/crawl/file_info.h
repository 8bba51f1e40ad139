/* file_info.h - a file's size and time, known without reading the file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_FILE_INFO_H
#define CFS_CRAWL_FILE_INFO_H

#include "entry.h"
#include "node.h"

/* How reliable a size is.  See doc/kernel.md, "Sizes". */
enum cfs_size_kind {
	CFS_SIZE_GUESS,		/* an estimate */
	CFS_SIZE_LIKELY,	/* from the gzip trailer: right unless the
				 * record is odd; opening decides */
	CFS_SIZE_EXACT,		/* the index says so */
};

struct cfs_file_info {
	uint64_t size;
	enum cfs_size_kind size_kind;
	int64_t mtime;
};

/* Finds what `stat` shows, reading at most the beginning of a local record.
 * Assumes that views are rendered as c->view says. */
int cfs_file_info_get(struct cfs_crawl *c, const struct cfs_node *file,
		      struct cfs_file_info *out, struct cfs_ctx ctx);

/* True if the index states exact sizes for all files of these views; or for all
 * but one in CFS_UNSIZED_PART, and sizing those fetches nothing. */
#define CFS_UNSIZED_PART 100u
bool cfs_file_sizes_are_exact(const struct cfs_crawl *c, cfs_view_set views);

/* Gets the size of a view from the index: of the crawl's own, or of one
 * rendered by this version of the code.  False: the index does not have it. */
bool cfs_file_info_indexed(struct cfs_crawl *c, const struct cfs_entry *e,
			   enum cfs_view view, const struct cfs_view_opts *opts,
			   uint64_t *size);

/* Kept sizes: those that the index lacks and that reading the files has shown
 * are kept in the cache folder for the next mount (cache/sizes.h). */

/* Opens the kept sizes of c; opts are those it was opened with.  None are kept
 * without a cache folder, or for an index that could change unnoticed.  0 or
 * CFS_ENOMEM. */
int cfs_kept_sizes_open(struct cfs_crawl *c, const struct cfs_crawl_opts *opts,
			struct cfs_error *err);

/* Gets the kept size of a file, rendered as c->view says.  False: not known. */
bool cfs_kept_sizes_size(const struct cfs_crawl *c, const struct cfs_node *file,
			 uint64_t *size);

/* Keeps the size of a file that was read. */
void cfs_kept_sizes_note(const struct cfs_crawl *c, const struct cfs_node *file,
			 uint64_t size);

#endif

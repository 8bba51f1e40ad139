/* file_info.h - what is known of a file without reading it: size, time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_FILE_INFO_H
#define CFS_CRAWL_FILE_INFO_H

#include "entry.h"
#include "node.h"

/* How sure a size is.  doc/design.md, "Sizes". */
enum cfs_size_kind {
	CFS_SIZE_GUESS,		/* provisional */
	CFS_SIZE_LIKELY,	/* from the gzip trailer: right unless the
				 * record is odd; opening decides */
	CFS_SIZE_EXACT,		/* the index says so */
};

struct cfs_file_info {
	uint64_t size;
	enum cfs_size_kind size_kind;
	int64_t mtime;
};

/* What `stat` shows, without reading more than the head of a local record.
 * Views are taken to be rendered as c->view says. */
int cfs_file_info_get(struct cfs_crawl *c, const struct cfs_node *file,
		      struct cfs_file_info *out,
		      const struct cfs_cancel *cancel, struct cfs_error *err);

/* True if that is an exact size for all files of these views, by the word of
 * the index; or for all but one in CFS_UNSIZED_SHARE, where finding these out
 * fetches nothing. */
#define CFS_UNSIZED_SHARE 100u
bool cfs_file_sizes_are_exact(const struct cfs_crawl *c, cfs_view_set views);

/* The size of a view as the index knows it: of the crawl's own, or of one
 * that this very code would compute.  False: it does not. */
bool cfs_file_info_indexed(struct cfs_crawl *c, const struct cfs_entry *e,
			   enum cfs_view view, const struct cfs_view_opts *opts,
			   uint64_t *size);

/* Sizes that the index does not have and that reading the files has shown are
 * kept in the cache folder for the next mount (cache/sizes.h). */

/* Opens what is kept for c; opts are those it was opened with.  None is kept
 * without a cache folder, and of an index that could change without notice.
 * 0 or CFS_ENOMEM. */
int cfs_kept_sizes_open(struct cfs_crawl *c, const struct cfs_crawl_opts *opts,
			struct cfs_error *err);

/* The size of a file, rendered as c->view says, as a mount has seen it.  False:
 * not known. */
bool cfs_kept_sizes_size(const struct cfs_crawl *c, const struct cfs_node *file,
			 uint64_t *size);

/* Keeps the size of a file that was read. */
void cfs_kept_sizes_note(const struct cfs_crawl *c, const struct cfs_node *file,
			 uint64_t size);

#endif

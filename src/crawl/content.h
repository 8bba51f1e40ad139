/* content.h - the bytes of a file node.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_CONTENT_H
#define CFS_CRAWL_CONTENT_H

#include "entry.h"
#include "node.h"

/*
 * Loads a file's bytes: fetches, inflates and parses the record, checks that
 * it is the record of this entry's URL, undoes a revisit, renders the view.
 * The crawl's own text and metadata are served instead where the index knows
 * of them: if they cannot be read that is an error, and not another text.
 * Of a record that its archive ends inside of, the body and the member are what
 * is there, and out->is_cut_off is set.
 * CFS_EFORMAT and CFS_EIO name archive and offset.
 */
int cfs_content_load(struct cfs_crawl *c, const struct cfs_node *file,
		     const struct cfs_view_opts *opts,
		     struct cfs_file_bytes *out,
		     const struct cfs_cancel *cancel, struct cfs_error *err);

/* The same, except that of a long record no view is computed: the answer is
 * then CFS_CONTENT_TAKES_LONG, and nothing is loaded.  What else is slow is
 * waiting for a server. */
#define CFS_CONTENT_TAKES_LONG 1
int cfs_content_load_quickly(struct cfs_crawl *c, const struct cfs_node *file,
			     const struct cfs_view_opts *opts,
			     struct cfs_file_bytes *out,
			     const struct cfs_cancel *cancel,
			     struct cfs_error *err);

/* Reports that no more than b is there of a file that is cut off: CFS_EFORMAT
 * with archive and offset. */
int cfs_content_cut_off(struct cfs_crawl *c, const struct cfs_node *file,
			const struct cfs_file_bytes *b, struct cfs_error *err);

/* Pins the record of a file, checked to be its own.  cfs_stored_put ends it. */
int cfs_content_record(struct cfs_crawl *c, const struct cfs_node *file,
		       struct cfs_stored **out, const struct cfs_cancel *cancel,
		       struct cfs_error *err);

/* Is a .txt or .meta the crawl's own, or computed? */
int cfs_content_is_own(struct cfs_crawl *c, const struct cfs_node *file,
		       bool *yes, const struct cfs_cancel *cancel,
		       struct cfs_error *err);

#endif

/* content.h - the bytes of a file node, and what is known of their number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_CONTENT_H
#define CFS_CRAWL_CONTENT_H

#include "tree.h"

/* The bytes of one file.  `bytes` borrows from the pinned record or from
 * `own`, and lives until release. */
struct cfs_content {
	struct cfs_slice bytes;
	struct cfs_stored *record;	/* pinned; may be NULL */
	struct cfs_stored *body;	/* of a revisit: the record with the body */
	struct cfs_pinned_unit *unit;	/* of a SequenceFile; may be NULL */
	struct cfs_buf own;
};

/*
 * Loads a file's bytes: fetches, inflates and parses the record, checks that
 * it is the record of this entry's URL, undoes a revisit, renders the view.
 * The crawl's own text and metadata are served instead where the index knows
 * of them: if they cannot be read that is an error, and not another text.
 * CFS_EFORMAT and CFS_EIO name archive and offset.
 */
int cfs_content_load(struct cfs_crawl *c, const struct cfs_node *file,
		     const struct cfs_view_opts *opts, struct cfs_content *out,
		     const struct cfs_cancel *cancel, struct cfs_error *err);
void cfs_content_release(struct cfs_content *content);

/* How sure a size is. */
enum cfs_size_kind {
	CFS_SIZE_GUESS,		/* provisional (DESIGN section 7) */
	CFS_SIZE_LIKELY,	/* from the gzip trailer: right unless the
				 * record is odd; opening decides */
	CFS_SIZE_EXACT,		/* the index says so */
};

struct cfs_file_info {
	uint64_t size;
	enum cfs_size_kind size_kind;
	int64_t mtime;
	bool is_arc;
};

/* What `stat` shows, without reading more than the head of a local record.
 * Views are taken to be rendered as c->view says. */
int cfs_content_info(struct cfs_crawl *c, const struct cfs_node *file,
		     struct cfs_file_info *out, const struct cfs_cancel *cancel,
		     struct cfs_error *err);

/* Pins the record of a file, checked to be its own.  cfs_stored_put ends it. */
int cfs_content_record(struct cfs_crawl *c, const struct cfs_node *file,
		       struct cfs_stored **out, const struct cfs_cancel *cancel,
		       struct cfs_error *err);

/* Is a .txt or .meta the crawl's own, or computed? */
int cfs_content_is_own(struct cfs_crawl *c, const struct cfs_node *file,
		       bool *yes, const struct cfs_cancel *cancel,
		       struct cfs_error *err);

#endif

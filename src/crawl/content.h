/* content.h - loads the bytes of a file of the tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_CONTENT_H
#define CFS_CRAWL_CONTENT_H

#include "entry.h"
#include "node.h"

/*
 * Loads a file's bytes: fetches, inflates and parses the record, checks that it
 * belongs to this entry's URL, resolves a revisit, renders the view.  The
 * crawl's own text and metadata are served instead where the index has them; if
 * they cannot be read that is an error, not a reason to compute them.  If the
 * archive ends inside the record, body and member hold what is there, and
 * out->is_cut_off is set.  CFS_EFORMAT and CFS_EIO name archive and offset.
 */
int cfs_content_load(struct cfs_crawl *c, const struct cfs_node *file,
		     const struct cfs_view_opts *opts,
		     struct cfs_file_bytes *out, struct cfs_ctx ctx);

/* The same, but computes no view of a long record: it then loads nothing and
 * returns CFS_CONTENT_TAKES_LONG.  It may still wait for a server. */
#define CFS_CONTENT_TAKES_LONG 1
int cfs_content_load_quickly(struct cfs_crawl *c, const struct cfs_node *file,
			     const struct cfs_view_opts *opts,
			     struct cfs_file_bytes *out, struct cfs_ctx ctx);

/* The same for a file of a loaded entry, which may be changed, and on a thread
 * that has others' requests to answer: whatever takes more than a millisecond
 * or so is CFS_CONTENT_TAKES_LONG.  It does not wait if ctx.cancel says so. */
int cfs_content_load_at_once(struct cfs_crawl *c, struct cfs_entry *e,
			     enum cfs_view view,
			     const struct cfs_view_opts *opts,
			     struct cfs_file_bytes *out, struct cfs_ctx ctx);

/*
 * Computes the sizes of the views of a page whose body was loaded, for options
 * of 0, and its languages, all at once (cfs_view_measure).
 *
 * body   the page's raw view
 * taker  is given the text (view/view_make.h), or NULL
 *
 * CFS_CONTENT_TAKES_LONG, and nothing is known: the views are not all made of
 * the record, or it is so long that they have to be made one by one.
 */
int cfs_content_measure(struct cfs_crawl *c, cfs_pos pos,
			const struct cfs_file_bytes *body, uint32_t slots,
			const struct cfs_text_taker *taker,
			struct cfs_view_bytes *out,
			struct cfs_languages *languages, struct cfs_ctx ctx);

/* Reports that a cut-off file ends after the bytes in b: CFS_EFORMAT with
 * archive and offset. */
int cfs_content_cut_off(struct cfs_crawl *c, const struct cfs_node *file,
			const struct cfs_file_bytes *b, struct cfs_error *err);

/* Pins the record of a file, after checking that it is the file's own.  Release
 * it with cfs_stored_put. */
int cfs_content_record(struct cfs_crawl *c, const struct cfs_node *file,
		       struct cfs_stored **out, struct cfs_ctx ctx);

/* Sets *yes if the file's .txt or .meta is the crawl's own, not computed. */
int cfs_content_is_own(struct cfs_crawl *c, const struct cfs_node *file,
		       bool *yes, struct cfs_ctx ctx);

#endif

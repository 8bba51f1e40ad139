/* file_answer.h - a file of the tree as the answer to GET: its type, its
 * validators, and its bytes or a range of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_FILE_ANSWER_H
#define CFS_SERVE_FILE_ANSWER_H

#include "crawl/entry.h"
#include "exchange.h"
#include "ranges.h"

/* Finds what a file is known by.  The entry must have been loaded.  The tag
 * stands for the place of the record, the view, and how views are made: what
 * is there may not change without it. */
void cfs_file_validators(struct cfs_crawl *c, const struct cfs_node *file,
			 const struct cfs_entry *e, struct cfs_validators *out);

/* Appends the media type of a file as far as it is known without its record: of
 * a page it lacks the charset. */
void cfs_file_known_type(struct cfs_crawl *c, const struct cfs_node *file,
			 const struct cfs_entry *e, struct cfs_buf *out);

/* Answers with a file: 200, 206, 304 or 416; a file that is cut off is a
 * failure, unless the range is before the cut.  As a route (routes.h). */
int cfs_file_answer(struct cfs_exchange *x, const struct cfs_site_place *p,
		    struct cfs_ctx ctx);

/* Adds Content-Range, and finds the status for a file of `size` bytes: 200, 206
 * or 416, for which it makes the reply. */
unsigned cfs_file_range(struct cfs_exchange *x, const struct cfs_validators *v,
			uint64_t size, uint64_t *from, uint64_t *bytes);

#endif

/* file_answer.h - a file of the tree as the answer to GET: its type, its
 * validators, and its bytes or a range of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_FILE_ANSWER_H
#define CFS_SERVE_FILE_ANSWER_H

#include "exchange.h"

/* Appends the media type of a file whose bytes are loaded. */
void cfs_file_type(struct cfs_crawl *c, const struct cfs_node *file,
		   const struct cfs_entry *e, const struct cfs_file_bytes *b,
		   struct cfs_buf *out);

/* The same without the bytes.  False: it cannot be told without them. */
bool cfs_file_known_type(struct cfs_crawl *c, const struct cfs_node *file,
			 const struct cfs_entry *e, struct cfs_buf *out);

/* Answers with a file: 200, 206, 304, 412 or 416; a file that is cut off is a
 * failure, unless the range is before the cut.  As a route (routes.h). */
int cfs_file_answer(struct cfs_exchange *x, const struct cfs_site_place *p,
		    struct cfs_ctx ctx);

/* Looks at the conditions of a request that is about a file and is not GET.  0:
 * x->status is set if they are the answer; or a failure. */
int cfs_file_condition(struct cfs_exchange *x, const struct cfs_site_place *p,
		       struct cfs_ctx ctx);

/* Adds Content-Range, and finds the status for a file of `size` bytes: 200, 206
 * or 416, for which it makes the reply. */
unsigned cfs_file_range(struct cfs_exchange *x, const struct cfs_validators *v,
			uint64_t size, uint64_t *from, uint64_t *bytes);

#endif

/* robots.h - what a page says of its use: X-Robots-Tag, <meta name="robots">,
 * TDMRep and Content-Usage.
 *
 * A statement has a source, an agent (the program it is for; "*": all) and
 * rules.  Statements are kept one behind the other as four texts that end with
 * a NUL: "header" or "meta"; the name of the field or element; the agent; the
 * rules, each ended by a line end.
 *
 *     X-Robots-Tag: googlebot: noindex, nofollow
 *     header \0 x-robots-tag \0 googlebot \0 noindex \n nofollow \n \0
 *
 * Sources: developers.google.com/search/docs/crawling-indexing/robots-meta-tag;
 * TDM Reservation Protocol (W3C Community Group, 2024), sections 5 and 6;
 * draft-ietf-aipref-attach for Content-Usage.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_ROBOTS_H
#define CFS_VIEW_ROBOTS_H

#include "base/buf.h"
#include "record/http_head.h"

/* Appends the statements of the fields of an HTTP head, in their order.
 * Failures are recorded in out; time is linear. */
void cfs_robots_of_head(const struct cfs_fields *head, struct cfs_buf *out);

/* Appends the statement of a <meta> with that name, if it is one. */
void cfs_robots_of_meta(struct cfs_slice name, struct cfs_slice content,
			struct cfs_buf *out);

struct cfs_robots_item {
	struct cfs_slice source, name, agent, rules;
};

/* Takes the next statement off the front of *s.  False: there is none. */
bool cfs_robots_next(struct cfs_slice *s, struct cfs_robots_item *out);

#endif

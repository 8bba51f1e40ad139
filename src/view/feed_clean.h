/* feed_clean.h - turns malformed XML into XML that a parser can read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_FEED_CLEAN_H
#define CFS_VIEW_FEED_CLEAN_H

#include "base/buf.h"

#define CFS_FEED_DEPTH_MAX 100	/* nested elements */
#define CFS_FEED_ATTRS_MAX 64	/* attributes of one element */
#define CFS_FEED_NAME_MAX 128	/* bytes of a name with its prefix */

struct cfs_feed_open {
	struct cfs_slice name;
	unsigned n_ns;		/* number of namespaces it declares */
};

/* The state of cleaning a document, whose bytes are borrowed. */
struct cfs_feed_clean {
	struct cfs_slice rest;
	size_t cdata;		/* bytes of rest that are in a CDATA section */
	struct cfs_feed_open open[CFS_FEED_DEPTH_MAX];
	unsigned n_open;
	unsigned n_ns;		/* namespaces in scope */
	size_t too_deep;	/* open elements beyond the depth limit */
	bool had_root, had_doctype, done;
	struct cfs_buf out;	/* output; not yet read from out_at on */
	size_t out_at;
};

/* utf8 must be well-formed UTF-8. */
void cfs_feed_clean_init(struct cfs_feed_clean *c, struct cfs_slice utf8);
void cfs_feed_clean_release(struct cfs_feed_clean *c);

/* Reads the next bytes of the cleaned document, at most n.  Returns how many; 0
 * at its end, or after a failure (c->out.failed). */
size_t cfs_feed_clean_read(struct cfs_feed_clean *c, void *p, size_t n);

/* The length of a declaration such as <!DOCTYPE a [ <!ENTITY b "c>"> ]> at the
 * start of s; 0 if it does not end. */
size_t cfs_feed_doctype_len(struct cfs_slice s);

#endif

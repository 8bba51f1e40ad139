/* feed_clean.h - XML as the web writes it, made fit for an XML parser.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_FEED_CLEAN_H
#define CFS_VIEW_FEED_CLEAN_H

#include "base/buf.h"

#define CFS_FEED_DEPTH_MAX 100	/* elements in one another */
#define CFS_FEED_ATTRS_MAX 64	/* of one element */
#define CFS_FEED_NAME_MAX 128	/* bytes of a name with its prefix */

struct cfs_feed_open {
	struct cfs_slice name;
	unsigned n_ns;		/* namespaces it declares */
};

/* A document on its way to the parser; borrows its bytes. */
struct cfs_feed_clean {
	struct cfs_slice rest;
	size_t cdata;		/* bytes of rest inside <![CDATA[ */
	struct cfs_feed_open open[CFS_FEED_DEPTH_MAX];
	unsigned n_open;
	unsigned n_ns;		/* namespaces in scope */
	size_t too_deep;	/* open elements below those */
	bool had_root, had_doctype, done;
	struct cfs_buf out;	/* not read yet, from out_at */
	size_t out_at;
};

/* utf8: well-formed UTF-8 */
void cfs_feed_clean_init(struct cfs_feed_clean *c, struct cfs_slice utf8);
void cfs_feed_clean_release(struct cfs_feed_clean *c);

/* The next bytes of the cleaned document, at most n; 0 at its end, or when
 * memory runs out (c->out.failed then says so). */
size_t cfs_feed_clean_read(struct cfs_feed_clean *c, void *p, size_t n);

/* "<!DOCTYPE a [ <!ENTITY b "c>"> ]>" at s: its length, 0 if it does not
 * end. */
size_t cfs_feed_doctype_len(struct cfs_slice s);

#endif

/* replayed.h - an archived page of HTML as a frame of this server shows it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_REPLAYED_H
#define CFS_SERVE_REPLAYED_H

#include "crawl/crawl.h"
#include "site.h"

/* The sandbox of the frame, and of the document in it: it runs no script, as
 * scripts are not allowed.  It is of this origin, so that it may have pictures
 * of the crawl, and leads the whole window to where a link points. */
#define CFS_REPLAYED_SANDBOX \
	"allow-same-origin allow-top-navigation-by-user-activation"

/* The capture that is shown. */
struct cfs_replayed {
	struct cfs_site *site;
	struct cfs_slice url;		/* the page's; borrowed */
	int64_t time;			/* of the capture; 0: not known */
};

/*
 * Appends a document in UTF-8 as it is shown: written anew with the elements
 * and attributes that are known to be harmless, and no others.  Links lead to
 * captures near its own, and those to what no crawl has say so; pictures and
 * style sheets are those of the crawl.
 *
 * 0; CFS_EINTR, CFS_ENOMEM, CFS_ETIMEOUT.
 */
int cfs_replayed_write(struct cfs_buf *out, const struct cfs_replayed *r,
		       struct cfs_slice utf8, struct cfs_ctx ctx);

/* True for a type of documents that can be shown so. */
bool cfs_replayed_is_type(struct cfs_slice mime);

/* Looks for URLs that links point to. */
struct cfs_link_finder {
	struct cfs_site *site;
	unsigned left;			/* look-ups until no more are made */
};

/* Makes as many look-ups as a page may have; none where a crawl is on a
 * server, which each of them would wait for. */
void cfs_link_finder_init(struct cfs_link_finder *f, struct cfs_site *site);

/* Sets *absent if it is known that no crawl has a URL.  0; CFS_EINTR,
 * CFS_ENOMEM, CFS_ETIMEOUT: a failure to find out leaves it false. */
int cfs_link_is_absent(struct cfs_link_finder *f, const char *url, bool *absent,
		       struct cfs_ctx ctx);

#endif

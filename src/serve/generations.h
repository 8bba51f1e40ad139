/* generations.h - opens the crawls of a server again while it runs.
 *
 * Requests use the site that was newest when they came, until their replies are
 * sent; a site that no request uses any more is closed.  So no reply is made of
 * two states of a crawl.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_GENERATIONS_H
#define CFS_SERVE_GENERATIONS_H

#include "site.h"

/* How crawls are opened again. */
struct cfs_reopening {
	/* Opens them all.  0 or a failure, which is logged: requests then go
	 * on with what there is. */
	int (*open)(void *arg, struct cfs_site **out, struct cfs_ctx ctx);
	/* True if the user has asked for it since the last call. */
	bool (*is_asked)(void *arg);
	/* Called when it has been done. */
	void (*done)(void *arg);
	void *arg;
	const char *const *sources;	/* indexes among them, and in folders
					 * among them, are watched */
	unsigned n_sources;
};

struct cfs_generations;		/* threads share it */

/* Starts the thread that watches the sources and opens them again.  The site
 * belongs to *out from now on, also after a failure; `how` and the counters are
 * borrowed.  0 or CFS_ENOMEM, CFS_EIO. */
int cfs_generations_begin(struct cfs_generations **out, struct cfs_site *site,
			  struct cfs_site_counters *counters,
			  const struct cfs_reopening *how, struct cfs_ctx ctx);
/* Ends the thread, and closes all sites: nobody uses one any more.  ctx.cancel
 * of the beginning should have been raised.  Accepts NULL. */
void cfs_generations_end(struct cfs_generations *g);

/* The newest site, which stays open until it is left. */
struct cfs_site *cfs_generations_use(struct cfs_generations *g);
void cfs_generations_leave(struct cfs_generations *g, struct cfs_site *site);

#endif

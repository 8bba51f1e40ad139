/* server.h - the HTTP server: connections in, replies of the routes out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_SERVER_H
#define CFS_SERVE_SERVER_H

#include "generations.h"
#include "listener.h"

struct cfs_server_opts {
	unsigned threads;	/* that answer requests; 0: by the number of
				 * processors, or more with a crawl on a
				 * server */
	/* Called once requests are answered.  May be NULL. */
	void (*ready)(void *arg, const char *url);
	void *arg;
	struct cfs_reopening reopening;
};

/* The version of the HTTP library; NULL: crawlfs was built without it. */
const char *cfs_server_library(void);

/* Serves until ctx.cancel is raised, which is then no failure.  The site and
 * the listener's socket belong to the server from now on.  0; CFS_EUNSUPPORTED
 * without an HTTP library; CFS_ENOMEM, CFS_EIO. */
int cfs_server_run(struct cfs_site *site, struct cfs_listener *listener,
		   const struct cfs_server_opts *opts, struct cfs_ctx ctx);

#endif

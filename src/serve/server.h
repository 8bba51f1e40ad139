/* server.h - the HTTP server: connections in, replies of the routes out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_SERVER_H
#define CFS_SERVE_SERVER_H

#include "site.h"

/* ---- the socket that it listens on (listener.c) ---- */

#define CFS_LISTEN_DEFAULT "127.0.0.1:8080"
/* A name of the system's longest, brackets, a colon and a port. */
#define CFS_LISTEN_MAX 300u

struct cfs_listener {
	int fd;				/* listens, does not block; or -1 */
	char host[256];			/* as given, without brackets */
	/* Where clients on this machine reach it: "http://127.0.0.1:8080/". */
	char url[CFS_LISTEN_MAX];
};

/*
 * Listens on an address: HOST:PORT, [IPV6]:PORT, or :PORT for all addresses of
 * the machine; port 0 is any that is free.  A socket that a service manager
 * passes (sd_listen_fds(3)) is used instead.
 *
 * 0; CFS_EUSAGE if the address cannot be listened on, with the reason.
 */
int cfs_listener_open(struct cfs_listener *out, const char *address,
		      struct cfs_error *err);
/* Accepts a listener whose fd is -1. */
void cfs_listener_close(struct cfs_listener *l);

/* ---- the server ---- */

struct cfs_server_opts {
	unsigned threads;	/* that answer requests; 0: by the number of
				 * processors, or more with a crawl on a
				 * server */
	/* Called once requests are answered.  May be NULL. */
	void (*ready)(void *arg, const char *url);
	void *arg;
};

/* The version of the HTTP library; NULL: crawlfs was built without it. */
const char *cfs_server_library(void);

/* Serves until ctx.cancel is raised, which is then no failure.  The listener's
 * socket belongs to the server from now on.  0; CFS_EUNSUPPORTED without an
 * HTTP library; CFS_ENOMEM, CFS_EIO. */
int cfs_server_run(struct cfs_site *site, struct cfs_listener *listener,
		   const struct cfs_server_opts *opts, struct cfs_ctx ctx);

#endif

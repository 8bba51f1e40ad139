/* listener.h - the socket that the server listens on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_LISTENER_H
#define CFS_SERVE_LISTENER_H

#include "base/error.h"

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

#endif

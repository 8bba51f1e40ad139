/* address.h - classes of IP addresses (public, private, this machine, ...), and
 * which redirections of a request are followed.
 *
 * Spec: the registries of special-purpose addresses, RFC 6890 and its updates.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_ADDRESS_H
#define CFS_NET_ADDRESS_H

#include <curl/curl.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "base/slice.h"

enum cfs_address_class {
	CFS_ADDRESS_PUBLIC,
	CFS_ADDRESS_LOOPBACK,	/* this machine */
	CFS_ADDRESS_LINK,	/* this link; includes the metadata services
				 * of clouds */
	CFS_ADDRESS_PRIVATE,	/* this site: private, unique local, shared */
	CFS_ADDRESS_SPECIAL,	/* unspecified, multicast, reserved, examples */
};

/* The class of an address; an IPv6 address that embeds an IPv4 address has the
 * class of that. */
enum cfs_address_class cfs_address_of(const struct sockaddr *address);

/* The class of an address in text, for IPv6 without brackets, perhaps with
 * "%zone".  False if it is not an address. */
bool cfs_address_parse(const char *text, enum cfs_address_class *out);

/* The class of a URL's host, if the name itself determines it: an address, in
 * any form that inet_aton(3) reads, or localhost and names below it (RFC 6761).
 * False for other names. */
bool cfs_address_of_host(struct cfs_slice host, enum cfs_address_class *out);

/* Returns "a private address" and the like. */
const char *cfs_address_name(enum cfs_address_class c);

/* ---- redirections (redirect.c) ----
 *
 * A redirection is followed unless it leads from https to http, to a URL with a
 * user name, or to an address of this machine, link or site, or a special one,
 * if the source itself has no such address.  What counts is the address
 * connected to, whatever its name.  A proxy resolves names itself, so only what
 * the host's name shows can be judged then.
 */

/* The state of one request.  Used by the thread that makes it. */
struct cfs_redirect {
	CURL *easy;
	unsigned followed;		/* redirections so far */
	bool is_by_pattern;		/* the source must be public
					 * (reach.h) */
	bool was_https;			/* some URL on the way was https */
	enum cfs_address_class source;	/* class of the source,
					 * once connected */
	char from[96];			/* scheme://host of the source */
	char refusal[200];		/* why one was not followed, or empty */
};

/* Prepares a handle to request `url`; `follows` false: without redirections.
 * The handle uses r until its request has ended, or it is set up again. */
void cfs_redirect_setup(struct cfs_redirect *r, CURL *easy, const char *url,
			bool follows);

/* Notes a head that redirects to `location`, the value of its field. */
void cfs_redirect_next(struct cfs_redirect *r, const char *location);

/* May a request to a source of one class be redirected to a host?  With a
 * proxy the host's name is judged, else the address.  *refused: the class that
 * was judged. */
bool cfs_redirect_may_lead(enum cfs_address_class source,
			   enum cfs_address_class address,
			   struct cfs_slice to_host, bool proxied,
			   enum cfs_address_class *refused);

#endif

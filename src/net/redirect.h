/* redirect.h - decides which redirections of a request are followed.
 *
 * A redirection is followed unless it leads from https to http, to a URL with a
 * user name, or to an address of this machine, link or site, or a special one,
 * if the source itself has no such address.  What counts is the address
 * connected to, whatever its name.  A proxy resolves names itself, so only what
 * the host's name shows can be judged then.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_REDIRECT_H
#define CFS_NET_REDIRECT_H

#include <curl/curl.h>

#include "address.h"

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
 * The handle uses r until its request has ended, or it is prepared again. */
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

/* redirect.h - where a server may lead a request to.
 *
 * A redirection is followed unless it leads from https to http, to a user's
 * name in its URL, or to an address of this machine, link or site, or a special
 * one, where the source itself is not.  Judged is the address that is connected
 * to, whatever name it has.  Through a proxy, which resolves names itself, only
 * what the name of the host says can be judged.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_REDIRECT_H
#define CFS_NET_REDIRECT_H

#include <curl/curl.h>

#include "address.h"

/* Of one request.  Used by the thread that makes it. */
struct cfs_redirect {
	CURL *easy;
	unsigned followed;		/* redirections up to now */
	bool is_by_pattern;		/* the source must be public
					 * (reach.h) */
	bool was_https;			/* one of those that led here */
	enum cfs_address_class source;	/* once that is connected to */
	char from[96];			/* scheme://host of the source */
	char refusal[200];		/* why it is not followed; or empty */
};

/* Sets a handle up to request `url`; `follows` false: no redirection is.  r is
 * the handle's until its request has ended, or it is set up again. */
void cfs_redirect_setup(struct cfs_redirect *r, CURL *easy, const char *url,
			bool follows);

/* A head has come that redirects to `location`, its field's value. */
void cfs_redirect_next(struct cfs_redirect *r, const char *location);

/* May a request to a source of one class be redirected to a host?  Where it is
 * proxied the host's name is judged, else the address.  *refused: the class of
 * what was judged. */
bool cfs_redirect_may_lead(enum cfs_address_class source,
			   enum cfs_address_class address,
			   struct cfs_slice to_host, bool proxied,
			   enum cfs_address_class *refused);

#endif

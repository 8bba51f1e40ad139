/* wildcard.h - patterns that stand for one prefix, such as *.example.org.
 *
 *     *.D      domain D and its subdomains; also as the host of a URL, and with
 *              a slash, or a slash and a star, behind it
 *     H/P*     URLs of host H that begin so
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_WILDCARD_H
#define CFS_URL_WILDCARD_H

#include "base/buf.h"

/* True if the text has a star where a URL or PREFIX (crawl/target.h) has
 * none. */
bool cfs_wildcard_is(struct cfs_slice typed);

/*
 * Appends reading number i, from 0, of such a text: the PREFIX, or the URL with
 * `*` at its end, that it stands for.  H is read as a host in its usual order
 * first, then as a reversed one.  False if there are no more, for other texts,
 * or if memory runs out (out has failed).
 */
bool cfs_wildcard_read(struct cfs_slice typed, unsigned i, struct cfs_buf *out);

#endif

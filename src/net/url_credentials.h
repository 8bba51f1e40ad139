/* url_credentials.h - names and passwords for servers, taken out of the URLs
 * that they were typed in, so that no URL in the program has any; and queries,
 * which stay in them, but are not left where ps shows them.
 *
 * Not for threads: users are taken before any is started, and only looked up
 * from then on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_URL_CREDENTIALS_H
#define CFS_NET_URL_CREDENTIALS_H

#include "location.h"

/*
 * Keeps "name:password@" of every URL in an argument of the program, and takes
 * it out of `text`; the bytes that become free at its end are NULs, so that ps
 * does not show it either.  s3: URLs have none.  0 or CFS_ENOMEM.
 */
int cfs_credentials_take(char *text);

/*
 * The text of an argument of the program without the queries of its http: and
 * https: URLs, which may be keys: *out is the argument as it was, malloced, and
 * in `text` dots take their place, for ps.  Where there is none, *out is NULL,
 * and text is as it was.  Among the words after -o (text is neither an option
 * nor a URL) a comma ends a URL, unless a backslash is before it.  0 or
 * CFS_ENOMEM.
 */
int cfs_credentials_hide_queries(char *text, char **out);

/* "name:password", as it was typed, for a URL that has none itself: that which
 * was typed with another URL of the same server, of several the one whose path
 * is nearest.  Empty if there is none. */
struct cfs_slice cfs_credentials_find(const struct cfs_location *loc);

/* Forgets all. */
void cfs_credentials_release(void);

#endif

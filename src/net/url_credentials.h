/* url_credentials.h - takes names and passwords out of URLs that the user
 * typed, so that no URL in the program has any, and hides queries from ps(1).
 *
 * Not thread-safe: users are taken before any thread is started, and only
 * looked up afterwards.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_URL_CREDENTIALS_H
#define CFS_NET_URL_CREDENTIALS_H

#include "location.h"

/*
 * Stores "name:password@" of every URL in an argument of the program, and
 * removes it from `text`; the freed bytes at its end become NUL, so that ps
 * does not show them either.  Leaves s3: URLs alone, which have none.  0 or
 * CFS_ENOMEM.
 */
int cfs_credentials_take(char *text);

/*
 * Hides the queries of http: and https: URLs in an argument of the program from
 * ps, as they may be secrets: *out is a malloced copy of the argument, and in
 * `text` dots replace the queries.  Without any query *out is NULL and text is
 * unchanged.  Among the words after -o (text is neither an option nor a URL) a
 * comma ends a URL, unless a backslash precedes it.  0 or CFS_ENOMEM.
 */
int cfs_credentials_hide_queries(char *text, char **out);

/* "name:password", as typed, for a URL that has none: from another URL of the
 * same server, if there are several the one whose path is nearest.  Empty if
 * there is none. */
struct cfs_slice cfs_credentials_find(const struct cfs_location *loc);

/* Forgets all of them. */
void cfs_credentials_release(void);

#endif

/* reach.h - decides which other servers a URL read from a server may lead to.
 *
 * A list, a selection or an index on a server contains URLs that a stranger
 * wrote.  They may lead to that server, and to others that the user named: in a
 * URL of the command line, or in a list of hosts.  Files on this machine are
 * the user's own and may lead anywhere.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_REACH_H
#define CFS_NET_REACH_H

#include "location.h"

/* Notes the hosts and buckets of the URLs in an argument of the program.  Call
 * it before any thread is started.  0 or CFS_ENOMEM. */
int cfs_reach_name(const char *text);

/* Allows further hosts: names with ',' or ':' between them, "*.NAME" for all
 * below a name, "*" for all.  NULL: none.  Copied; from any thread.  CFS_EUSAGE
 * if it is not a list of hosts; CFS_ENOMEM. */
int cfs_reach_allow(const char *list, struct cfs_error *err);

/*
 * May what was read at `from`, a path or URL, lead to the URL `to`?  NULL: yes;
 * else a phrase that says why not.  Never from https to http; to a bucket of S3
 * only from that bucket, or if the user named it; to a host that only a pattern
 * allows, unless its name shows that it is on this machine or site.  Always to
 * Common Crawl's public server.
 */
const char *cfs_reach_refusal(const char *from, const char *to);

/* True for a host that only a pattern allows: it must have a public address. */
bool cfs_reach_is_by_pattern(struct cfs_slice host);

/* Forgets all. */
void cfs_reach_release(void);

#endif

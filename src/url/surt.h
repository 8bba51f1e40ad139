/* surt.h - sort-friendly URLs: the keys of ZipNum, CDX and CDXJ files.
 *
 *     http://www.example.com:8080/a/b?q   com,example:8080)/a/b?q
 *
 *     key  = host [':' port] ')' path
 *     host = label *(',' label), outermost first; or an IPv6 address whole
 *     path = '/' and what follows it, with the query
 *
 * Rules: doc/formats.md, "SURT keys".  In the tree a port is not a component:
 * all ports of a host share one path space, and a path is found in one run of
 * keys for the host and one more for each port.  What follows ':' is a port if
 * it begins with a digit and holds no other ':'.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_SURT_H
#define CFS_URL_SURT_H

#include "path.h"

/* Appends the key of a URL, as the crawlers make it: without scheme, user
 * info, `www` and fragment, in lower case, its query sorted.
 * CFS_ENOTFOUND for schemes but http, https and ftp, no host, a NUL, or more
 * than CFS_URL_MAX bytes (CFS_KEY_MAX once escaped). */
int cfs_surt_encode(struct cfs_slice url, struct cfs_buf *out);

/* Takes a key apart.  CFS_ENOTFOUND for what is not the SURT
 * of a page. */
int cfs_surt_split(struct cfs_slice key, struct cfs_path *out);

/* Appends a URL whose key this is. */
int cfs_surt_url(struct cfs_slice key, struct cfs_buf *out);

/* Ports under which one host has keys, ascending as text. */
#define CFS_SURT_PORTS_MAX (CFS_RANGES_MAX - 2)
#define CFS_SURT_PORT_BYTES 8u
struct cfs_surt_ports {
	unsigned n;
	bool more;		/* others, that are not less than `rest` */
	uint8_t len[CFS_SURT_PORTS_MAX];
	uint8_t text[CFS_SURT_PORTS_MAX][CFS_SURT_PORT_BYTES];
	uint8_t rest_len;
	uint8_t rest[CFS_SURT_PORT_BYTES];
};

/* Puts an international host in ASCII, in place; one that cannot be stays as it
 * is. */
void cfs_surt_ascii_host(struct cfs_buf *host);

/* True if the ports of the host must be known for its ranges. */
bool cfs_surt_needs_ports(const struct cfs_path *path);

/* The runs of keys below (or of) a path; `ports` may be NULL where they are
 * not needed.  CFS_ENOTFOUND when no key has that path; CFS_ENOMEM. */
int cfs_surt_ranges(const struct cfs_path *path, enum cfs_below below,
		    const struct cfs_surt_ports *ports,
		    struct cfs_ranges *out);

#endif

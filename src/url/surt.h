/* surt.h - SURTs, sort-friendly URLs: the keys of ZipNum, CDX and CDXJ files.
 *
 *     http://www.example.com:8080/a/b?q   com,example:8080)/a/b?q
 *
 *     key  = host [':' port] ')' path
 *     host = label *(',' label), outermost first; or an IPv6 address whole
 *     path = '/' and what follows it, with the query
 *
 * Rules: doc/formats.md, "SURT keys".  In the tree a port is not a component:
 * all ports of a host share one path space, and a path is found in one range of
 * keys for the host and one more for each port.  The text behind ':' is a port
 * if it begins with a digit and contains no other ':'.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_SURT_H
#define CFS_URL_SURT_H

#include "path.h"

/* Appends the key of a URL, as crawlers make it: without scheme, user info,
 * `www` and fragment, in lower case, with its query sorted.
 * CFS_ENOTFOUND for schemes other than http, https and ftp, no host, a NUL, or
 * more than CFS_URL_MAX bytes (CFS_KEY_MAX once escaped). */
int cfs_surt_encode(struct cfs_slice url, struct cfs_buf *out);

/* Splits a key into components.  CFS_ENOTFOUND if it is not the SURT of a
 * page. */
int cfs_surt_split(struct cfs_slice key, struct cfs_path *out);

/* Appends a URL that has this key.  0 or CFS_ENOTFOUND. */
int cfs_surt_url(struct cfs_slice key, struct cfs_buf *out);

/* Ports under which one host has keys, ascending as text. */
#define CFS_SURT_PORTS_MAX (CFS_RANGES_MAX - 2)
#define CFS_SURT_PORT_BYTES 8u
struct cfs_surt_ports {
	unsigned n;
	bool more;		/* further ports, from `rest` on */
	uint8_t len[CFS_SURT_PORTS_MAX];
	uint8_t text[CFS_SURT_PORTS_MAX][CFS_SURT_PORT_BYTES];
	uint8_t rest_len;
	uint8_t rest[CFS_SURT_PORT_BYTES];
};

/* Converts an internationalized host to ASCII, in place; it stays unchanged if
 * that fails. */
void cfs_surt_ascii_host(struct cfs_buf *host);

/* True if cfs_surt_ranges needs the ports of the host for this path. */
bool cfs_surt_needs_ports(const struct cfs_path *path);

/* Finds the ranges of keys below (or of) a path; `ports` may be NULL if they
 * are not needed.  0, CFS_ENOTFOUND if no key can have that path, or
 * CFS_ENOMEM. */
int cfs_surt_ranges(const struct cfs_path *path, enum cfs_below below,
		    const struct cfs_surt_ports *ports, struct cfs_ranges *out);

#endif

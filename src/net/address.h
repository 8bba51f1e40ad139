/* address.h - classes of IP addresses: public, private, this machine, ...
 *
 * Spec: the registries of special-purpose addresses, RFC 6890 and its updates.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_ADDRESS_H
#define CFS_NET_ADDRESS_H

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

#endif

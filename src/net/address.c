/* address.c - tables of address blocks and their classes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#define V6_BYTES 16u

/* All addresses that share the first `bits` bits of prefix.  The first row that
 * matches counts. */
struct address_block {
	uint8_t prefix[V6_BYTES];
	unsigned bits;
	enum cfs_address_class class;
};

static const struct address_block v4_blocks[] = {
	{ { 0 }, 8, CFS_ADDRESS_SPECIAL },		/* this network */
	{ { 10 }, 8, CFS_ADDRESS_PRIVATE },
	{ { 100, 64 }, 10, CFS_ADDRESS_PRIVATE },	/* shared, RFC 6598 */
	{ { 127 }, 8, CFS_ADDRESS_LOOPBACK },
	{ { 169, 254 }, 16, CFS_ADDRESS_LINK },
	{ { 172, 16 }, 12, CFS_ADDRESS_PRIVATE },
	{ { 192, 0, 0 }, 24, CFS_ADDRESS_SPECIAL },	/* for protocols */
	{ { 192, 0, 2 }, 24, CFS_ADDRESS_SPECIAL },	/* examples */
	{ { 192, 88, 99 }, 24, CFS_ADDRESS_SPECIAL },	/* 6to4 relays */
	{ { 192, 168 }, 16, CFS_ADDRESS_PRIVATE },
	{ { 198, 18 }, 15, CFS_ADDRESS_SPECIAL },	/* benchmarks */
	{ { 198, 51, 100 }, 24, CFS_ADDRESS_SPECIAL },	/* examples */
	{ { 203, 0, 113 }, 24, CFS_ADDRESS_SPECIAL },	/* examples */
	{ { 224 }, 4, CFS_ADDRESS_SPECIAL },		/* multicast */
	{ { 240 }, 4, CFS_ADDRESS_SPECIAL },		/* reserved,
							 * broadcast */
};

static const struct address_block v6_blocks[] = {
	{ { 0 }, 128, CFS_ADDRESS_SPECIAL },		/* :: */
	{ { [15] = 1 }, 128, CFS_ADDRESS_LOOPBACK },	/* ::1 */
	{ { 0x00, 0x64, 0xff, 0x9b, 0x00, 0x01 }, 48, CFS_ADDRESS_PRIVATE },
	{ { 0x01 }, 64, CFS_ADDRESS_SPECIAL },		/* discarded */
	{ { 0x20, 0x01, 0x0d, 0xb8 }, 32, CFS_ADDRESS_SPECIAL },  /* examples */
	{ { 0x20, 0x01 }, 23, CFS_ADDRESS_SPECIAL },	/* for protocols,
							 * Teredo */
	{ { 0x3f, 0xff }, 20, CFS_ADDRESS_SPECIAL },	/* examples */
	{ { 0x5f, 0x00 }, 16, CFS_ADDRESS_SPECIAL },	/* segment routing */
	{ { 0xfc }, 7, CFS_ADDRESS_PRIVATE },		/* unique local */
	{ { 0xfe, 0x80 }, 10, CFS_ADDRESS_LINK },
	{ { 0xfe, 0xc0 }, 10, CFS_ADDRESS_PRIVATE },	/* site-local */
	{ { 0xff }, 8, CFS_ADDRESS_SPECIAL },		/* multicast */
};

/* IPv6 addresses whose bits behind the prefix are an IPv4 address. */
static const struct address_block v4_in_v6[] = {
	{ { 0 }, 96, CFS_ADDRESS_PUBLIC },		/* compatible */
	{ { [10] = 0xff, 0xff }, 96, CFS_ADDRESS_PUBLIC },	/* mapped */
	{ { [8] = 0xff, 0xff }, 96, CFS_ADDRESS_PUBLIC },	/* translated */
	{ { 0x00, 0x64, 0xff, 0x9b }, 96, CFS_ADDRESS_PUBLIC },	/* NAT64 */
	{ { 0x20, 0x02 }, 16, CFS_ADDRESS_PUBLIC },	/* 6to4 */
};

static bool address_is_in(const uint8_t *address, const struct address_block *b)
{
	size_t whole = b->bits / 8;
	unsigned rest = b->bits % 8;

	return memcmp(address, b->prefix, whole) == 0 &&
	       (rest == 0 ||
		(address[whole] ^ b->prefix[whole]) >> (8 - rest) == 0);
}

static const struct address_block *address_find(const struct address_block *v,
						size_t n,
						const uint8_t *address)
{
	for (size_t i = 0; i < n; i++)
		if (address_is_in(address, &v[i]))
			return &v[i];
	return NULL;
}
#define FIND(v, address) address_find(v, sizeof(v) / sizeof((v)[0]), address)

static enum cfs_address_class class_of_v4(const uint8_t *address)
{
	const struct address_block *b = FIND(v4_blocks, address);

	return b != NULL ? b->class : CFS_ADDRESS_PUBLIC;
}

static enum cfs_address_class class_of_v6(const uint8_t *address)
{
	const struct address_block *b = FIND(v6_blocks, address);

	if (b != NULL)
		return b->class;
	b = FIND(v4_in_v6, address);
	return b != NULL ? class_of_v4(address + b->bits / 8) :
			   CFS_ADDRESS_PUBLIC;
}

enum cfs_address_class cfs_address_of(const struct sockaddr *address)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (address->sa_family == AF_INET) {
		memcpy(&v4, address, sizeof(v4));
		return class_of_v4((const uint8_t *)&v4.sin_addr);
	}
	if (address->sa_family == AF_INET6) {
		memcpy(&v6, address, sizeof(v6));
		return class_of_v6((const uint8_t *)&v6.sin6_addr);
	}
	return CFS_ADDRESS_SPECIAL;
}

bool cfs_address_parse(const char *text, enum cfs_address_class *out)
{
	char plain[INET6_ADDRSTRLEN];
	size_t n = strcspn(text, "%");
	uint8_t address[V6_BYTES];

	if (n >= sizeof(plain))
		return false;
	memcpy(plain, text, n);
	plain[n] = '\0';
	if (inet_pton(AF_INET6, plain, address) == 1)
		*out = class_of_v6(address);
	else if (text[n] == '\0' && inet_pton(AF_INET, plain, address) == 1)
		*out = class_of_v4(address);
	else
		return false;
	return true;
}

static bool is_localhost(struct cfs_slice host)
{
	const struct cfs_slice name = CFS_SLICE_LIT("localhost");
	struct cfs_slice last;

	if (host.n < name.n)
		return false;
	last = cfs_slice_from(host, host.n - name.n);
	return cfs_slice_eq_nocase(last, name) &&
	       (host.n == name.n || host.p[host.n - name.n - 1] == '.');
}

bool cfs_address_of_host(struct cfs_slice host, enum cfs_address_class *out)
{
	char text[256];
	struct in_addr v4;

	if (host.n > 1 && host.p[0] == '[' && host.p[host.n - 1] == ']')
		host = cfs_slice_sub(host, 1, host.n - 2);
	if (host.n > 0 && host.p[host.n - 1] == '.')	/* the root's dot */
		host.n--;
	if (host.n == 0 || host.n >= sizeof(text))
		return false;
	memcpy(text, host.p, host.n);
	text[host.n] = '\0';
	if (is_localhost(host)) {
		*out = CFS_ADDRESS_LOOPBACK;
		return true;
	}
	if (inet_aton(text, &v4) != 0) {
		*out = class_of_v4((const uint8_t *)&v4);
		return true;
	}
	return cfs_address_parse(text, out);
}

const char *cfs_address_name(enum cfs_address_class c)
{
	static const char *const names[] = {
		[CFS_ADDRESS_PUBLIC] = "a public address",
		[CFS_ADDRESS_LOOPBACK] = "an address of this machine",
		[CFS_ADDRESS_LINK] = "a link-local address",
		[CFS_ADDRESS_PRIVATE] = "a private address",
		[CFS_ADDRESS_SPECIAL] = "a special address",
	};

	return names[c];
}

/* address_test.c - the classes of addresses, and where redirections may lead.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "net/address.h"

#define PUBLIC CFS_ADDRESS_PUBLIC
#define LOOPBACK CFS_ADDRESS_LOOPBACK
#define LINK CFS_ADDRESS_LINK
#define PRIVATE CFS_ADDRESS_PRIVATE
#define SPECIAL CFS_ADDRESS_SPECIAL
#define NONE -1

struct address_case {
	const char *name;		/* the address */
	int class;
};
static struct address_case address_cases[] = {
	{ "0.0.0.0", SPECIAL }, { "0.255.255.255", SPECIAL },
	{ "1.0.0.0", PUBLIC }, { "9.255.255.255", PUBLIC },
	{ "10.0.0.0", PRIVATE }, { "10.255.255.255", PRIVATE },
	{ "11.0.0.0", PUBLIC }, { "100.63.255.255", PUBLIC },
	{ "100.64.0.0", PRIVATE }, { "100.127.255.255", PRIVATE },
	{ "100.128.0.0", PUBLIC }, { "126.255.255.255", PUBLIC },
	{ "127.0.0.0", LOOPBACK }, { "127.255.255.255", LOOPBACK },
	{ "128.0.0.0", PUBLIC }, { "169.253.255.255", PUBLIC },
	/* Holds U61. */
	{ "169.254.0.0", LINK }, { "169.254.169.254", LINK },
	{ "169.255.0.0", PUBLIC }, { "172.15.255.255", PUBLIC },
	{ "172.16.0.0", PRIVATE }, { "172.31.255.255", PRIVATE },
	{ "172.32.0.0", PUBLIC }, { "192.0.0.8", SPECIAL },
	{ "192.0.1.0", PUBLIC }, { "192.0.2.1", SPECIAL },
	{ "192.88.99.1", SPECIAL }, { "192.167.255.255", PUBLIC },
	{ "192.168.0.0", PRIVATE }, { "192.168.255.255", PRIVATE },
	{ "192.169.0.0", PUBLIC }, { "198.17.255.255", PUBLIC },
	{ "198.18.0.0", SPECIAL }, { "198.19.255.255", SPECIAL },
	{ "198.20.0.0", PUBLIC }, { "198.51.100.1", SPECIAL },
	{ "203.0.113.1", SPECIAL }, { "223.255.255.255", PUBLIC },
	{ "224.0.0.1", SPECIAL }, { "240.0.0.1", SPECIAL },
	{ "255.255.255.255", SPECIAL },
	{ "::", SPECIAL }, { "::1", LOOPBACK }, { "::2", SPECIAL },
	{ "::127.0.0.1", LOOPBACK }, { "::8.8.8.8", PUBLIC },
	{ "::ffff:10.0.0.1", PRIVATE }, { "::ffff:8.8.8.8", PUBLIC },
	{ "::ffff:0:10.0.0.1", PRIVATE },
	{ "64:ff9b::10.0.0.1", PRIVATE }, { "64:ff9b::8.8.8.8", PUBLIC },
	{ "64:ff9b:1::1", PRIVATE }, { "100::1", SPECIAL },
	{ "2001::1", SPECIAL }, { "2001:1ff::1", SPECIAL },
	{ "2001:200::1", PUBLIC }, { "2001:db8::1", SPECIAL },
	{ "2002:7f00:1::", LOOPBACK }, { "2002:808:808::", PUBLIC },
	{ "2600::1", PUBLIC }, { "3fff::1", SPECIAL }, { "3fff:1000::", PUBLIC },
	{ "5f00::1", SPECIAL }, { "fbff::1", PUBLIC }, { "fc00::1", PRIVATE },
	{ "fdff::1", PRIVATE }, { "fe00::1", PUBLIC }, { "fe80::1", LINK },
	{ "fe80::1%lo", LINK }, { "febf::1", LINK }, { "fec0::1", PRIVATE },
	{ "feff::1", PRIVATE }, { "ff02::1", SPECIAL },
	{ "", NONE }, { "1.2.3", NONE }, { "a.org", NONE }, { "1.2.3.4%lo", NONE },
	{ "1:2:3:4:5:6:7:8:9", NONE }, { "[::1]", NONE },
};

static void address_case(void **state)
{
	const struct address_case *tc = *state;
	enum cfs_address_class found = CFS_ADDRESS_PUBLIC;
	bool is_one = cfs_address_parse(tc->name, &found);

	assert_int_equal(is_one, tc->class != NONE);
	if (is_one)
		assert_int_equal(found, tc->class);
}

static struct address_case host_cases[] = {
	{ "localhost", LOOPBACK }, { "LocalHost.", LOOPBACK },
	{ "a.localhost", LOOPBACK }, { "alocalhost", NONE },
	{ "localhost.example", NONE }, { "127.1", LOOPBACK },
	{ "2130706433", LOOPBACK }, { "0x7f.0.0.1", LOOPBACK },
	{ "0177.0.0.1", LOOPBACK }, { "127.0.0.1.", LOOPBACK },
	{ "[::1]", LOOPBACK }, { "[::ffff:7f00:1]", LOOPBACK },
	{ "[fe80::1%25lo]", LINK }, { "10.0.0.1", PRIVATE },
	{ "8.8.8.8", PUBLIC }, { "a.org", NONE }, { ".", NONE },
};

static void host_case(void **state)
{
	const struct address_case *tc = *state;
	enum cfs_address_class found = CFS_ADDRESS_PUBLIC;
	bool is_one = cfs_address_of_host(cfs_slice_str(tc->name), &found);

	assert_int_equal(is_one, tc->class != NONE);
	if (is_one)
		assert_int_equal(found, tc->class);
}

/* From each class to each: to public addresses, and to those of the same. */
/* Holds U61. */
static void leads(void **state)
{
	const struct cfs_slice host = CFS_SLICE_LIT("a.org");

	(void)state;
	for (int from = PUBLIC; from <= SPECIAL; from++)
		for (int to = PUBLIC; to <= SPECIAL; to++) {
			enum cfs_address_class refused;
			bool may = cfs_redirect_may_lead(
				(enum cfs_address_class)from,
				(enum cfs_address_class)to, host, false,
				&refused);

			assert_int_equal(may, to == PUBLIC || to == from);
			assert_int_equal(refused, to);
			assert_true(cfs_redirect_may_lead(
				(enum cfs_address_class)from,
				(enum cfs_address_class)to, host, true,
				&refused));
			assert_int_equal(cfs_redirect_may_lead(
				(enum cfs_address_class)from, PUBLIC,
				CFS_SLICE_LIT("10.0.0.1"), true, &refused),
				from == PRIVATE);
		}
}

UNIT_PROGRAM
{
	UNIT_ROWS(address_cases, address_case);
	UNIT_ROWS(host_cases, host_case);
	UNIT_TEST(leads);
	return unit_run("address");
}

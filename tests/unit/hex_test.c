/* hex_test.c - hexadecimal digits and percent escapes, there and back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/hex.h"

static struct read_case {
	const char *name, *text;
	bool is_good;
} reads[] = {
	{ "both cases", "00fFa9", true },
	{ "a digit less", "00fFa", false },
	{ "a digit more", "00fFa90", false },
	{ "no digit", "00fFg9", false },
	{ "a sign", "+0fFa9", false },
	{ "nothing", "", false },
};

static void read_case(void **state)
{
	const struct read_case *tc = *state;
	static const uint8_t want[] = { 0, 0xff, 0xa9 };
	uint8_t got[3];

	assert_int_equal(cfs_hex_read(cfs_slice_str(tc->text), got, 3),
			 tc->is_good);
	if (tc->is_good)
		assert_memory_equal(got, want, 3);
}

static struct decode_case {
	const char *name, *text, *path, *query;
} decodes[] = {
	{ "an escape", "a%2Fb%2fc", "a/b/c", "a/b/c" },
	{ "plus", "a+b%2B", "a+b+", "a b+" },
	{ "not valid", "%%41%4g%4", "%A%4g%4", "%A%4g%4" },
	{ "made by another", "%2541", "%41", "%41" },
	{ "at the end", "x%", "x%", "x%" },
};

static void decode_case(void **state)
{
	const struct decode_case *tc = *state;
	struct cfs_buf b;

	cfs_buf_init(&b, 100);
	cfs_percent_decode(cfs_slice_str(tc->text), false, &b);
	assert_string_equal(cfs_buf_str(&b), tc->path);
	cfs_buf_reset(&b);
	cfs_percent_decode(cfs_slice_str(tc->text), true, &b);
	assert_string_equal(cfs_buf_str(&b), tc->query);
	cfs_buf_release(&b);
}

/* printf(3) writes all bytes the same. */
static void all_bytes(void **state)
{
	struct cfs_buf hex, escapes, kept, back;
	char want[3 * 256 + 1], two[3];
	uint8_t all[256];

	(void)state;
	cfs_buf_init(&hex, 1000);
	cfs_buf_init(&escapes, 1000);
	cfs_buf_init(&kept, 1000);
	cfs_buf_init(&back, 1000);
	for (unsigned i = 0; i < 256; i++) {
		all[i] = (uint8_t)i;
		snprintf(want + 2 * i, 3, "%02x", i);
	}
	cfs_hex_add(&hex, all, sizeof(all));
	assert_string_equal(cfs_buf_str(&hex), want);
	for (unsigned i = 0; i < 256; i++) {
		cfs_percent_add(&escapes, (uint8_t)i);
		snprintf(want + 3 * i, 4, "%%%02X", i);
		cfs_hex_put(all + i, 1, two);
		assert_memory_equal(two, hex.p + 2 * i, 2);
	}
	assert_string_equal(cfs_buf_str(&escapes), want);
	cfs_percent_encode(cfs_slice_of(all, 256), "-/", &kept);
	/* 62 letters and digits, '-' and '/' */
	assert_int_equal(kept.n, 256 + 2 * (256 - 64));
	cfs_percent_decode(cfs_buf_slice(&kept), false, &back);
	assert_int_equal(back.n, 256);
	assert_memory_equal(back.p, all, 256);
	cfs_buf_release(&hex);
	cfs_buf_release(&escapes);
	cfs_buf_release(&kept);
	cfs_buf_release(&back);
}

UNIT_PROGRAM
{
	UNIT_ROWS(reads, read_case);
	UNIT_ROWS(decodes, decode_case);
	UNIT_TEST(all_bytes);
	return unit_run("hex");
}

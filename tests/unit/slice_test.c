/* slice_test.c - borrowed bytes and the cursor over them (base/slice.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/slice.h"

struct u64_case {
	const char *name, *text;
	uint64_t max;
	int rc;
	uint64_t value;
};
static struct u64_case u64_cases[] = {
	{ "at the limit", "100", 100, CFS_OK, 100 },
	{ "one past it", "101", 100, CFS_ELIMIT, 0 },
	{ "digit over limit", "9", 5, CFS_ELIMIT, 0 },
	{ "trailing byte", "42x", 100, CFS_EFORMAT, 0 },
	{ "empty", "", 100, CFS_EFORMAT, 0 },
	{ "sign", "-1", 100, CFS_EFORMAT, 0 },
	{ "leading zeros", "000042", 100, CFS_OK, 42 },
	{ "zero", "0", 0, CFS_OK, 0 },
	{ "largest", "18446744073709551615", UINT64_MAX, CFS_OK, UINT64_MAX },
	{ "one too large", "18446744073709551616", UINT64_MAX, CFS_ELIMIT, 0 },
	{ "far too large", "99999999999999999999999999", UINT64_MAX, CFS_ELIMIT, 0 },
};

static void u64_case(void **state)
{
	const struct u64_case *tc = *state;
	uint64_t got = 0;

	assert_int_equal(cfs_slice_parse_u64(cfs_slice_str(tc->text), tc->max, &got), tc->rc);
	assert_int_equal(got, tc->value);
}

struct cmp_case {
	const char *a, *b;
	int sign;
	size_t common;
};
static struct cmp_case cmp_cases[] = {
	{ "", "", 0, 0 },
	{ "", "a", -1, 0 },
	{ "a", "ab", -1, 1 },
	{ "b", "ab", 1, 0 },
	{ "a\xff", "a\x01", 1, 1 },		/* unsigned */
	{ "0123456789abcdef", "0123456789abcdef", 0, 16 },
	{ "0123456789abcdeX", "0123456789abcdef", -1, 15 },
	{ "0123456Xxxxxxxxx", "0123456789abcdef", 1, 7 },
	{ "01234567", "012345678", -1, 8 },
};

static void cmp_case(void **state)
{
	const struct cmp_case *tc = *state;
	struct cfs_slice a = cfs_slice_str(tc->a), b = cfs_slice_str(tc->b);
	int c = cfs_slice_cmp(a, b), d = cfs_slice_cmp(b, a);

	assert_int_equal((c > 0) - (c < 0), tc->sign);
	assert_int_equal((d > 0) - (d < 0), -tc->sign);
	assert_int_equal(cfs_slice_eq(a, b), tc->sign == 0);
	assert_int_equal(cfs_slice_common(a, b), tc->common);
	assert_int_equal(cfs_slice_common(b, a), tc->common);
	assert_int_equal(cfs_slice_starts(b, a), tc->common == a.n);
}

static void parts(void **state)
{
	struct cfs_slice s = CFS_SLICE_LIT("hello");

	(void)state;
	assert_true(cfs_slice_eq(cfs_slice_sub(s, 1, 3), CFS_SLICE_LIT("ell")));
	assert_true(cfs_slice_eq(cfs_slice_sub(s, 3, 99), CFS_SLICE_LIT("lo")));
	assert_true(cfs_slice_eq(cfs_slice_sub(s, 3, SIZE_MAX), CFS_SLICE_LIT("lo")));
	assert_int_equal(cfs_slice_sub(s, 99, 1).n, 0);
	assert_int_equal(cfs_slice_from(s, SIZE_MAX).n, 0);
	assert_non_null(cfs_slice_of(NULL, 7).p);
	assert_int_equal(cfs_slice_of(NULL, 7).n, 0);
}

static void searching(void **state)
{
	struct cfs_slice s = CFS_SLICE_LIT("a/b/c\0d"), e = CFS_SLICE_EMPTY;
	struct cfs_slice word;

	(void)state;
	assert_int_equal(cfs_slice_find(s, '/'), 1);
	assert_int_equal(cfs_slice_rfind(s, '/'), 3);
	assert_int_equal(cfs_slice_find(s, 0), 5);
	assert_int_equal(cfs_slice_find(s, 'x'), -1);
	assert_int_equal(cfs_slice_find(e, 'x'), -1);
	assert_int_equal(cfs_slice_rfind(e, 'x'), -1);
	assert_int_equal(cfs_slice_search(s, CFS_SLICE_LIT("b/c")), 2);
	assert_int_equal(cfs_slice_search(s, CFS_SLICE_LIT("c\0d")), 4);
	assert_int_equal(cfs_slice_search(s, CFS_SLICE_LIT("dd")), -1);
	assert_int_equal(cfs_slice_search(e, CFS_SLICE_LIT("d")), -1);
	assert_int_equal(cfs_slice_search(s, e), 0);
	assert_int_equal(cfs_slice_search_nocase(s, CFS_SLICE_LIT("B/C")), 2);
	assert_int_equal(cfs_slice_search_nocase(e, CFS_SLICE_LIT("B")), -1);
	assert_true(cfs_slice_eq_nocase(CFS_SLICE_LIT("aZ[@"), CFS_SLICE_LIT("Az[@")));
	assert_false(cfs_slice_eq_nocase(CFS_SLICE_LIT("["), CFS_SLICE_LIT("{")));
	assert_false(cfs_slice_eq_nocase(CFS_SLICE_LIT("a"), CFS_SLICE_LIT("ab")));
	assert_true(cfs_slice_ends(s, CFS_SLICE_LIT("\0d")));
	assert_false(cfs_slice_ends(CFS_SLICE_LIT("d"), s));
	assert_true(cfs_slice_eq(cfs_slice_trim(CFS_SLICE_LIT(" \t\r\n a b \r\n")), CFS_SLICE_LIT("a b")));
	assert_int_equal(cfs_slice_trim(CFS_SLICE_LIT(" \n ")).n, 0);
	s = CFS_SLICE_LIT("a,,bc");
	assert_true(cfs_slice_eq(cfs_slice_split(&s, ','), CFS_SLICE_LIT("a")));
	assert_int_equal(cfs_slice_split(&s, ',').n, 0);
	assert_true(cfs_slice_eq(cfs_slice_split(&s, ','), CFS_SLICE_LIT("bc")));
	assert_int_equal(s.n, 0);
	assert_int_equal(cfs_slice_split(&s, ',').n, 0);
	s = CFS_SLICE_LIT(" \n a\tbc ");
	assert_true(cfs_slice_next_word(&s, &word));
	assert_true(cfs_slice_eq(word, CFS_SLICE_LIT("a")));
	assert_true(cfs_slice_next_word(&s, &word));
	assert_true(cfs_slice_eq(word, CFS_SLICE_LIT("bc")));
	assert_false(cfs_slice_next_word(&s, &word));
	s = CFS_SLICE_LIT("monut");
	assert_int_equal(cfs_slice_distance(s, CFS_SLICE_LIT("mount"), false), 2);
	assert_int_equal(cfs_slice_distance(s, CFS_SLICE_LIT("Monu"), false), 2);
	assert_int_equal(cfs_slice_distance(s, CFS_SLICE_LIT("Monu"), true), 1);
	assert_int_equal(cfs_slice_distance(e, s, true), 5);
	assert_true(cfs_slice_in_words(CFS_SLICE_LIT("B"), "a b cd"));
	assert_true(cfs_slice_in_words(CFS_SLICE_LIT("cd"), "a b cd"));
	assert_false(cfs_slice_in_words(CFS_SLICE_LIT("c"), "a b cd"));
	assert_false(cfs_slice_in_words(CFS_SLICE_LIT("a b"), "a b cd"));
	assert_false(cfs_slice_in_words(CFS_SLICE_EMPTY, "a b cd"));
}

/* ---- cursor ---- */

static void cursor_stops(void **state)
{
	struct cfs_cursor c = { CFS_SLICE_LIT("\x01\x02\x03"), false };

	(void)state;
	assert_int_equal(cfs_cursor_le16(&c), 0x0201);
	assert_int_equal(cfs_cursor_le16(&c), 0);
	assert_true(c.bad);
	assert_int_equal(c.rest.n, 1);		/* a short read takes nothing */
	assert_int_equal(cfs_cursor_u8(&c), 0);	/* and every one after it fails */
	assert_int_equal(cfs_cursor_take(&c, 0).n, 0);
	c = (struct cfs_cursor){ CFS_SLICE_LIT("abc"), false };
	assert_int_equal(cfs_cursor_take(&c, SIZE_MAX).n, 0);
	assert_true(c.bad);
}

static void integers(void **state)
{
	uint8_t p[14];
	struct cfs_cursor c = { { p, sizeof(p) }, false };

	(void)state;
	cfs_le16_put(p, 0x1234);
	cfs_le32_put(p + 2, 0x89abcdef);
	cfs_le64_put(p + 6, 0xfedcba9876543210u);
	assert_int_equal(p[0], 0x34);
	assert_int_equal(p[5], 0x89);
	assert_int_equal(p[13], 0xfe);
	assert_int_equal(cfs_cursor_le16(&c), 0x1234);
	assert_int_equal(cfs_cursor_le32(&c), 0x89abcdef);
	assert_true(cfs_cursor_le64(&c) == 0xfedcba9876543210u);
	assert_false(c.bad);
}

static void varints(void **state)
{
	static const uint64_t values[] = { 0, 1, 127, 128, 16383, 16384, UINT32_MAX, INT64_MAX, UINT64_MAX };
	uint8_t p[CFS_VARINT_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) {
		size_t n = cfs_varint_put(p, values[i]);
		struct cfs_cursor c = { { p, n }, false };

		assert_true(n <= CFS_VARINT_MAX);
		assert_true(cfs_cursor_varint(&c) == values[i]);
		assert_false(c.bad);
		assert_int_equal(c.rest.n, 0);
		for (size_t cut = 0; cut < n; cut++) {	/* every prefix */
			uint8_t *exact = malloc(cut + 1);

			memcpy(exact, p, cut);
			c = (struct cfs_cursor){ { exact, cut }, false };
			assert_int_equal(cfs_cursor_varint(&c), 0);
			assert_true(c.bad);
			free(exact);
		}
	}
}

struct bad_varint {
	const char *name, *bytes;
	size_t n;
};
static struct bad_varint bad_varints[] = {
	{ "overlong zero", "\x80\x00", 2 },
	{ "overlong one", "\x81\x80\x00", 3 },
	{ "65 bits", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10 },
	{ "eleven bytes", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11 },
};

static void bad_varint(void **state)
{
	const struct bad_varint *tc = *state;
	struct cfs_cursor c = { cfs_slice_of(tc->bytes, tc->n), false };

	assert_int_equal(cfs_cursor_varint(&c), 0);
	assert_true(c.bad);
	assert_int_equal(c.rest.n, tc->n);
}

/* The published test values of XXH64: the empty string with seed 0 and with
 * the seed of its own test suite. */
static void hashes(void **state)
{
	(void)state;
	assert_true(cfs_hash64(CFS_SLICE_EMPTY, 0) == 0xEF46DB3751D8E999u);
	assert_true(cfs_hash64(CFS_SLICE_EMPTY, 2654435761u) == 0xAC75FDA2929B17EFu);
}

UNIT_PROGRAM
{
	UNIT_ROWS(u64_cases, u64_case);
	UNIT_ROWS_BY(cmp_cases, a, cmp_case);
	UNIT_ROWS(bad_varints, bad_varint);
	UNIT_TEST(parts);
	UNIT_TEST(searching);
	UNIT_TEST(cursor_stops);
	UNIT_TEST(integers);
	UNIT_TEST(varints);
	UNIT_TEST(hashes);
	return unit_run("slice");
}

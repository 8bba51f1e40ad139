/* simhash_test.c - text_simhash against values that others computed.
 *
 * The vectors of doc/formats.md, "Simhash", come from the original Java; the
 * rest from simhash_ref.py, which follows the description there bit by bit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <inttypes.h>

#include "view/simhash.h"

struct print_case {
	const char *name, *bytes;
	size_t n;
	uint64_t want;
};

static struct print_case prints[] = {
	{ "nul", "", 1, 0x768a3e256ad179a7u },
	{ "a", "a", 1, 0x790d8448bd0ce884u },
	{ "abc", "abc", 3, 0xbc4adeef25eed57fu },
	{ "a window", "\0a\0b\0c\0d", 8, 0x3f376209e49ef4dfu },
};

static void print_case(void **state)
{
	const struct print_case *tc = *state;

	assert_true(cfs_simhash_print(cfs_slice_of(tc->bytes, tc->n)) == tc->want);
}

struct hash_case {
	const char *name, *bytes;
	size_t n;
	bool is_latin1, has_bom;
	int64_t want;
};

#define TEXT(s) s, sizeof(s) - 1
static struct hash_case hashes[] = {
	{ "nothing", TEXT(""), false, false, 0 },
	{ "3 units", TEXT("abc"), false, false, 0 },
	{ "4 units", TEXT("abcd"), false, false, 4555217342738396383 },
	{ "5 units", TEXT("abcde"), false, false, 2748145790002434242 },
	{ "a sentence", TEXT("The quick brown fox jumps over the lazy dog"),
	  false, false, 1585431285293299119 },
	{ "markup counts", TEXT("<html><body>hello</body></html>"), false, false,
	  3451872033455310854 },
	{ "not ASCII", TEXT("\xc3\xa9t\xc3\xa9 \xe4\xb8\xad\xe6\x96\x87 test"),
	  false, false, -4581562989588358559 },
	{ "beyond U+FFFF", TEXT("a\xf0\x9f\x98\x80" "b\xf0\x90\x80\x80\xef\xbf\xbf"
	  "\xe0\xa0\x80\xdf\xbf\xc2\x80z"), false, false, -6465898852854529724 },
	{ "only NULs", TEXT("\0\0\0\0\0\0\0\0"), false, false,
	  -3254857143908235834 },
	{ "NULs and letters", TEXT("\0\0\0\0\0\0\0\0abc"), false, false,
	  6054320625653126279 },
	{ "byte order mark, 4 units", TEXT("abc"), false, true,
	  2613011997942250738 },
	{ "byte order mark, 5 units", TEXT("abcd"), false, true,
	  2594988184409371858 },
	{ "no UTF-8", TEXT("ab\xff\xc3" "cd"), false, false,
	  6254237994126369887 },
	/* the 255 bytes of factorial.c (modperlbook.org), whose text_simhash
	 * the crawl itself published */
	{ "as published", TEXT(
	  "double factorial_recursive_c(int x) {\n"
	  "    if (x < 2)  return 1;\n"
	  "    return x * factorial_recursive_c(x - 1);\n"
	  "}\n"
	  "\n"
	  "double factorial_iterative_c(int x) {\n"
	  "    int i;\n"
	  "    double result = 1;\n"
	  "    for (i = 2; i <= x; i++)\n"
	  "        result *= i;\n"
	  "    return result;\n"
	  "}\n"), false, false, 9038713472201461940 },
};

static int64_t hash_of(const void *bytes, size_t n, bool is_latin1, bool has_bom)
{
	struct cfs_simhash_text text = { cfs_slice_of(bytes, n), is_latin1,
					 has_bom };
	int64_t got = 1;

	assert_int_equal(cfs_simhash(&text, &got, CFS_CTX(NULL, NULL)), CFS_OK);
	return got;
}

static void hash_case(void **state)
{
	const struct hash_case *tc = *state;
	uint8_t *exact = malloc(tc->n + (tc->n == 0));

	assert_non_null(exact);
	memcpy(exact, tc->bytes, tc->n);	/* ASan sees an over-read */
	assert_true(hash_of(exact, tc->n, tc->is_latin1, tc->has_bom) == tc->want);
	free(exact);
}

static void latin1(void **state)
{
	uint8_t all[256];

	(void)state;
	for (unsigned i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	assert_true(hash_of(all, 256, true, false) == -4748280469167726527);
}

/* n bytes of `letters` kinds, from `first` on, as simhash_ref.py's author
 * made them too: x = (1103515245 x + 12345) mod 2^31, letter x >> 16. */
static char *letters_of(size_t n, unsigned letters, char first)
{
	char *p = malloc(n);
	uint32_t x = 12345;

	assert_non_null(p);
	for (size_t i = 0; i < n; i++) {
		x = (x * 1103515245u + 12345u) & 0x7fffffff;
		p[i] = (char)((unsigned char)first + (x >> 16) % letters);
	}
	return p;
}

struct long_case {
	const char *name;
	size_t n;
	unsigned letters;
	char first;
	int64_t want;
};

static struct long_case longs[] = {
	{ "5,000 letters", 5000, 26, 'a', -8837978844866399292 },
	{ "windows that come again", 6000, 6, 'a', 2490567294485994563 },
	{ "more of them", 30000, 9, 'a', -7515794364995717647 },
	{ "300,000 letters", 300000, 95, ' ', 1645197818507964321 },
	{ "more windows than one table holds", 1000000, 95, ' ', -7857977295008953147 },
};

static void long_case(void **state)
{
	const struct long_case *tc = *state;
	char *p = letters_of(tc->n, tc->letters, tc->first);

	assert_true(hash_of(p, tc->n, false, false) == tc->want);
	assert_true(hash_of(p, tc->n, true, false) == tc->want);
	free(p);
}

/* The same of units from U+0400 on, which are two bytes each; every seventh,
 * where ascii is set, else all. */
static int64_t hash_of_units(unsigned kinds, size_t n, bool ascii)
{
	uint8_t *p = malloc(2 * n);
	uint32_t x = 12345, y;
	size_t bytes = 0;
	int64_t got;

	assert_non_null(p);
	for (size_t i = 0; i < n; i++) {
		unsigned unit;

		x = (x * 1103515245u + 12345u) & 0x7fffffff;
		y = x >> 16;
		unit = 0x400 + y % kinds;
		if (ascii && i % 7 != 6) {
			p[bytes++] = (uint8_t)(0x20 + y % 95);
			continue;
		}
		p[bytes++] = (uint8_t)(0xc0 | unit >> 6);
		p[bytes++] = (uint8_t)(0x80 | (unit & 0x3f));
	}
	got = hash_of(p, bytes, false, false);
	free(p);
	return got;
}

/* A text of up to 127 units beside ASCII goes one way, of more another. */
static void many_units(void **state)
{
	(void)state;
	assert_true(hash_of_units(127, 3000, false) ==
		    1239503288619099537);
	assert_true(hash_of_units(128, 3000, false) ==
		    -8059366930465082856);
	assert_true(hash_of_units(129, 3000, false) ==
		    3020931101603194644);
	assert_true(hash_of_units(1000, 3000, false) ==
		    -6839856506565935151);
	assert_true(hash_of_units(32, 20000, true) ==
		    -4223611909425198685);
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The hash by a sorted list of all windows. */
static int64_t sorted_hash(const char *p, size_t n)
{
	uint32_t *v = malloc((n - 3) * sizeof(*v));
	size_t kept = 0, counts[64] = { 0 };
	int64_t out = 0;

	assert_non_null(v);
	for (size_t i = 0; i < n - 3; i++)
		memcpy(&v[i], p + i, sizeof(*v));
	qsort(v, n - 3, sizeof(*v), by_value);
	for (size_t i = 0; i < n - 3; i++) {
		uint8_t units[8] = { 0 };
		uint64_t print;

		if (i > 0 && v[i] == v[i - 1])
			continue;
		for (unsigned k = 0; k < 4; k++)
			units[2 * k + 1] = (uint8_t)(v[i] >> 8 * k);
		print = cfs_simhash_print(cfs_slice_of(units, 8));
		for (unsigned bit = 0; bit < 64; bit++)
			counts[bit] += print >> bit & 1;
		kept++;
	}
	for (unsigned bit = 0; bit < 64; bit++)
		if (counts[bit] > kept - counts[bit])
			out |= (int64_t)((uint64_t)1 << bit);
	free(v);
	return out;
}

/* A window that is counted twice seldom changes a hash: many texts, short ones
 * whose bits are nearly balanced, and two long ones, of which the second is read
 * in parts.  Some have the window of four NULs. */
static void each_window_once(void **state)
{
	(void)state;
	for (unsigned i = 0; i <= 401; i++) {
		size_t n = i < 400 ? 20 + 7 * i : 1300000;
		char *p = letters_of(n, i > 400 ? 95 : 8 + i % 80, ' ');
		struct cfs_simhash_text text = {
			cfs_slice_of(p, n), false, false
		};
		int64_t got;

		if (i % 4 == 1)
			memset(p + n / 2, 0, 8);
		assert_int_equal(cfs_simhash(&text, &got, CFS_CTX(NULL, NULL)),
				 CFS_OK);
		assert_int_equal(got, sorted_hash(p, n));
		free(p);
	}
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static void cancelled(void **state)
{
	char *p = letters_of(100000, 95, ' ');
	struct cfs_simhash_text text = { cfs_slice_of(p, 100000), false, false };
	struct cfs_cancel cancel = { .asked = always };
	int64_t got;

	(void)state;
	assert_int_equal(cfs_simhash(&text, &got,
				     CFS_CTX(&cancel, NULL)), CFS_EINTR);
	free(p);
}

UNIT_PROGRAM
{
	UNIT_ROWS(prints, print_case);
	UNIT_ROWS(hashes, hash_case);
	UNIT_ROWS(longs, long_case);
	UNIT_TEST(latin1);
	UNIT_TEST(many_units);
	UNIT_TEST(each_window_once);
	UNIT_TEST(cancelled);
	return unit_run("simhash");
}

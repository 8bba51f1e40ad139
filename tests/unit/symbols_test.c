/* symbols_test.c - the symbol table (symbols.h): round trips, size, damage.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/error.h"
#include "codec/symbols.h"
#include "rng.h"

static void sample_add(struct cfs_buf *b, struct cfs_slice s)
{
	cfs_buf_le16(b, (uint16_t)s.n);
	cfs_buf_add(b, s);
}

/* Text that repeats, as names in a crawl do. */
static size_t make_text(uint64_t *rng, char *out, size_t cap)
{
	static const char *const parts[] = { "/archive/", "2012", "/index", ".html", "?page=", "blog", "img", "-", "x" };
	size_t n = 0, k = 1 + rng_below(rng, 8);

	while (k-- > 0)
		n += (size_t)snprintf(out + n, cap - n, "%s", parts[rng_below(rng, 9)]);
	return n + (size_t)snprintf(out + n, cap - n, "%llu", (unsigned long long)rng_below(rng, 1000));
}

static void check_round_trip(const struct cfs_symbols *s, struct cfs_symbol_encoder *e, struct cfs_slice text,
			     size_t *coded)
{
	uint8_t *codes = malloc(2 * text.n + 1), *back = malloc(text.n + 1), *exact;
	size_t n = cfs_symbols_encode(e, text, codes), m = 0;

	assert_true(n <= 2 * text.n);
	exact = malloc(n + 1);
	memcpy(exact, codes, n);
	/* into exactly enough, and into one byte less */
	assert_int_equal(cfs_symbols_decode(s, cfs_slice_of(exact, n), back, text.n, &m), 0);
	assert_int_equal(m, text.n);
	assert_memory_equal(back, text.p, text.n);
	if (text.n > 0)
		assert_int_equal(cfs_symbols_decode(s, cfs_slice_of(exact, n), back, text.n - 1, &m), CFS_ELIMIT);
	*coded += n;
	free(codes);
	free(back);
	free(exact);
}

static void round_trips(void **state)
{
	static struct cfs_symbols s, read;
	struct cfs_symbol_encoder *e;
	struct cfs_buf sample, table;
	uint64_t rng = 77;
	size_t raw = 0, coded = 0;
	char text[200];

	(void)state;
	cfs_buf_init(&sample, 1 << 20);
	cfs_buf_init(&table, CFS_SYMBOLS_TABLE_MAX);
	for (unsigned i = 0; i < 3000; i++)
		sample_add(&sample, cfs_slice_of(text, make_text(&rng, text, sizeof(text))));
	assert_int_equal(cfs_symbols_train(cfs_buf_slice(&sample), 1, &s), 0);
	assert_true(s.n > 255);		/* so that both lengths of code are used */
	assert_int_equal(cfs_symbols_write(&s, &table), 0);
	assert_int_equal(cfs_symbols_parse(cfs_buf_slice(&table), &read), 0);
	assert_memory_equal(&s, &read, sizeof(s));
	/* every prefix of the table is refused */
	for (size_t n = 0; n < table.n; n++) {
		uint8_t *p = malloc(n + 1);

		memcpy(p, table.p, n);
		assert_int_equal(cfs_symbols_parse(cfs_slice_of(p, n), &read), CFS_EFORMAT);
		free(p);
	}
	e = cfs_symbol_encoder_new(&s);
	for (unsigned i = 0; i < 3000; i++) {
		size_t n = make_text(&rng, text, sizeof(text));

		raw += n;
		check_round_trip(&s, e, cfs_slice_of(text, n), &coded);
	}
	assert_true(coded * 3 < raw);
	for (unsigned i = 0; i < 3000; i++) {	/* bytes never seen */
		size_t n = rng_below(&rng, 100);

		for (size_t j = 0; j < n; j++)
			text[j] = (char)rng_next(&rng);
		check_round_trip(&s, e, cfs_slice_of(text, n), &coded);
	}
	cfs_symbol_encoder_free(e);
	cfs_buf_release(&sample);
	cfs_buf_release(&table);
}

static void same_table_twice(void **state)
{
	static struct cfs_symbols a, b;
	struct cfs_buf sample;
	uint64_t rng = 5;
	char text[200];

	(void)state;
	cfs_buf_init(&sample, 1 << 20);
	for (unsigned i = 0; i < 500; i++)
		sample_add(&sample, cfs_slice_of(text, make_text(&rng, text, sizeof(text))));
	assert_int_equal(cfs_symbols_train(cfs_buf_slice(&sample), 1, &a), 0);
	assert_int_equal(cfs_symbols_train(cfs_buf_slice(&sample), 1, &b), 0);
	assert_memory_equal(&a, &b, sizeof(a));
	cfs_buf_release(&sample);
}

/* No table, no sample: everything is escaped. */
static void no_symbols(void **state)
{
	static struct cfs_symbols s;
	struct cfs_symbol_encoder *e;
	uint8_t codes[8], back[8];
	size_t n;

	(void)state;
	assert_int_equal(cfs_symbols_train(CFS_SLICE_EMPTY, 1, &s), 0);
	assert_int_equal(s.n, 0);
	assert_int_equal(s.ones, 255);
	e = cfs_symbol_encoder_new(&s);
	assert_int_equal(cfs_symbols_encode(e, CFS_SLICE_LIT("ab"), codes), 4);
	assert_memory_equal(codes, "\xff" "a\xff" "b", 4);
	cfs_symbol_encoder_free(e);
	assert_int_equal(cfs_symbols_decode(&s, cfs_slice_of(codes, 0), back, 0, &n), 0);
	assert_int_equal(n, 0);
}

static void bad_codes(void **state)
{
	static struct cfs_symbols s;
	/* 256 symbols: 254 codes of one byte, then two behind 254 */
	struct cfs_buf t;
	uint8_t back[16];
	size_t n;

	(void)state;
	cfs_buf_init(&t, CFS_SYMBOLS_TABLE_MAX);
	cfs_buf_le16(&t, 256);
	for (unsigned i = 0; i < 256; i++) {
		cfs_buf_addc(&t, 2);
		cfs_buf_addc(&t, (uint8_t)i);
		cfs_buf_addc(&t, '!');
	}
	assert_int_equal(cfs_symbols_parse(cfs_buf_slice(&t), &s), 0);
	assert_int_equal(s.ones, 254);
	for (size_t room = 4; room <= 16; room += 12) {	/* with and without whole words */
		assert_int_equal(cfs_symbols_decode(&s, CFS_SLICE_LIT("\xfe\x01" "A"), back, room, &n), 0);
		assert_int_equal(n, 4);
		assert_memory_equal(back, "\xff!A!", 4);
		assert_int_equal(cfs_symbols_decode(&s, CFS_SLICE_LIT("\xfe\x02"), back, room, &n), CFS_EFORMAT);
		assert_int_equal(cfs_symbols_decode(&s, CFS_SLICE_LIT("\xfe"), back, room, &n), CFS_EFORMAT);
		assert_int_equal(cfs_symbols_decode(&s, CFS_SLICE_LIT("\xff"), back, room, &n), CFS_EFORMAT);
		assert_int_equal(cfs_symbols_decode(&s, CFS_SLICE_LIT("aaaaaaaaa"), back, room, &n), CFS_ELIMIT);
	}
	t.p[2] = 9;	/* a symbol of nine bytes */
	assert_int_equal(cfs_symbols_parse(cfs_buf_slice(&t), &s), CFS_EFORMAT);
	t.p[2] = 0;
	assert_int_equal(cfs_symbols_parse(cfs_buf_slice(&t), &s), CFS_EFORMAT);
	t.p[1] = 0xff;	/* too many */
	assert_int_equal(cfs_symbols_parse(cfs_buf_slice(&t), &s), CFS_EFORMAT);
	cfs_buf_release(&t);
}

/* How many codes of one byte are left: all must have a place, no code is for
 * nothing. */
static void ones(void **state)
{
	static const unsigned numbers[][2] = {
		{ 0, 255 }, { 255, 255 }, { 256, 254 }, { 510, 254 }, { 511, 253 }, { 4096, 239 },
	};
	static struct cfs_symbols s;

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct cfs_buf t;

		cfs_buf_init(&t, CFS_SYMBOLS_TABLE_MAX);
		cfs_buf_le16(&t, (uint16_t)numbers[i][0]);
		for (unsigned j = 0; j < numbers[i][0]; j++)
			cfs_buf_append(&t, "\1x", 2);
		assert_int_equal(cfs_symbols_parse(cfs_buf_slice(&t), &s), 0);
		assert_int_equal(s.ones, numbers[i][1]);
		cfs_buf_release(&t);
	}
}

UNIT_PROGRAM
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(same_table_twice),
		cmocka_unit_test(no_symbols),
		cmocka_unit_test(bad_codes),
		cmocka_unit_test(ones),
	};

	return cmocka_run_group_tests_name("symbols", t, NULL, NULL);
}

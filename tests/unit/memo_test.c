/* memo_test.c - lossy tables of recent results (base/memo.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/memo.h"

#define BITS 16u

/* How many of n keys have lost their slot to a later one. */
static unsigned lost(uint64_t (*key)(unsigned i), unsigned n)
{
	_Atomic uint64_t *slots = calloc(1u << BITS, sizeof(*slots));
	unsigned count = 0;

	assert_non_null(slots);
	for (unsigned i = 0; i < n; i++)
		cfs_memo_add(slots, BITS, key(i));
	for (unsigned i = 0; i < n; i++)
		count += !cfs_memo_has(slots, BITS, key(i));
	free(slots);
	return count;
}

/* Inode numbers as those of folders of a hundred files each, in two blocks of
 * an index.  The distance between the blocks, times the golden ratio in 64 bits,
 * is close to 0 modulo 2^64. */
static uint64_t folder_of_100(unsigned i)
{
	static const uint64_t firsts[2] = { UINT64_C(0x4050000000200d2),
					    UINT64_C(0x405000000050014) };

	return firsts[i % 2] + i / 2 * UINT64_C(100);
}

static uint64_t one_a_block(unsigned i)
{
	return (uint64_t)i << 16;
}

static uint64_t in_order(unsigned i)
{
	return i + 1;
}

static uint64_t offset_of_member(unsigned i)
{
	return (uint64_t)(i + 1) * 12345 << 12;
}

/* 30 of 2,000 keys would be lost if they fell at random into 65,536 slots. */
static void test_even_distances(void **state)
{
	uint64_t (*const keys[])(unsigned) = { folder_of_100, one_a_block,
					       in_order, offset_of_member };

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_int_in_range(lost(keys[i], 2000), 0, 60);
}

static void test_add_and_remove(void **state)
{
	_Atomic uint64_t slots[1u << 4] = { 0 };

	(void)state;
	assert_false(cfs_memo_has(slots, 4, 7));
	cfs_memo_add(slots, 4, 7);
	assert_true(cfs_memo_has(slots, 4, 7));
	cfs_memo_remove(slots, 4, 8);
	assert_true(cfs_memo_has(slots, 4, 7));
	cfs_memo_remove(slots, 4, 7);
	assert_false(cfs_memo_has(slots, 4, 7));
}

static void test_values(void **state)
{
	struct cfs_memo *m = cfs_memo_new(8, sizeof(uint32_t));
	uint32_t value = 5;

	(void)state;
	assert_non_null(m);
	assert_false(cfs_memo_get(m, 0, &value));
	cfs_memo_put(m, 0, &value);
	value = 6;
	cfs_memo_put(m, 1, &value);
	assert_true(cfs_memo_get(m, 0, &value));
	assert_int_equal(value, 5);
	assert_true(cfs_memo_get(m, 1, &value));
	assert_int_equal(value, 6);
	/* the key that no slot can tell from an empty one */
	cfs_memo_put(m, UINT64_MAX, &value);
	assert_false(cfs_memo_get(m, UINT64_MAX, &value));
	cfs_memo_free(m);
	cfs_memo_free(NULL);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_even_distances),
		cmocka_unit_test(test_add_and_remove),
		cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

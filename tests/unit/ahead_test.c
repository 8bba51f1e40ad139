/* ahead_test.c - what a scan of blocks on a server is told to fetch: each block
 * once it is clear that it is a scan, several at a time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "index/ahead.h"
#include "rng.h"

#define BLOCKS 400u

struct scan {
	unsigned at;		/* the next block to load */
	unsigned told;		/* the block after the last one told */
	unsigned times;		/* that blocks were told */
};

static unsigned load_block(struct cfs_ahead *a, uint32_t number,
			   uint32_t behind, uint64_t bytes)
{
	return cfs_ahead_blocks(a, (struct cfs_ahead_block){
		.number = number, .next = number + 1, .behind = behind,
		.bytes = bytes });
}

static void load(struct cfs_ahead *a, struct scan *s)
{
	unsigned number = s->at++;
	unsigned n = load_block(a, number, UINT32_MAX, 1 << 16);

	assert_in_range(n, 0, CFS_AHEAD_MAX);
	if (n == 0)
		return;
	/* the blocks from the next one on, of which none is left out */
	assert_true(s->told == 0 || s->told >= number + 1);
	assert_true(number + 1 + n > s->told);
	s->told = number + 1 + n;
	s->times++;
}

static void one_scan(void **state)
{
	struct cfs_ahead a = { .turn = 0 };
	struct scan s = { .at = 1 };

	(void)state;
	for (unsigned i = 0; i < BLOCKS; i++) {
		load(&a, &s);
		if (i >= 3)
			assert_true(s.told > s.at);
	}
	assert_in_range(s.times, 2, BLOCKS / (CFS_AHEAD_WINDOW / 2) + 5);
}

static void several_scans(void **state)
{
	struct cfs_ahead a = { .turn = 0 };
	struct scan s[CFS_AHEAD_SCANS];

	(void)state;
	for (unsigned k = 0; k < CFS_AHEAD_SCANS; k++)
		s[k] = (struct scan){ .at = 1 + k * 10000 };
	for (unsigned i = 0; i < BLOCKS; i++)
		for (unsigned k = 0; k < CFS_AHEAD_SCANS; k++) {
			load(&a, &s[k]);
			if (i >= 3)
				assert_true(s[k].told > s[k].at);
		}
	for (unsigned k = 0; k < CFS_AHEAD_SCANS; k++)
		assert_in_range(s[k].times, 2,
				BLOCKS / (CFS_AHEAD_WINDOW / 2) + 5);
}

static void no_scan(void **state)
{
	struct cfs_ahead a = { .turn = 0 };
	uint64_t r = 7;

	(void)state;
	for (unsigned i = 0; i < BLOCKS; i++) {
		unsigned number = (unsigned)rng_below(&r, 1000) * 1000 + 1;

		assert_int_equal(load_block(&a, number, UINT32_MAX, 1), 0);
	}
}

/* Small blocks: more of them, but no more than half of what was loaded. */
static void window_of_bytes(void **state)
{
	struct cfs_ahead a = { .turn = 0 };
	unsigned told = 0, times = 0, most = 0;

	(void)state;
	for (unsigned i = 1; i <= 10 * BLOCKS; i++) {
		unsigned n = load_block(&a, i, UINT32_MAX, 4096);

		times += n > 0;
		told = n > 0 ? i + 1 + n : told;
		if (told > i + 1 && told - i - 1 > most)
			most = told - i - 1;
		if (i > 100)
			assert_in_range(told - i - 1, i / 2 < 256 ? i / 2 - 1 :
					256, i - 1);
	}
	assert_int_equal(most, CFS_AHEAD_MAX_BYTES / 4096);
	assert_in_range(times, 10 * BLOCKS / 128, 10 * BLOCKS / 128 + 20);
}

/* Blocks that cannot be fetched yet are told once they can be. */
static void known_later(void **state)
{
	struct cfs_ahead a = { .turn = 0 };
	unsigned told = 1;

	(void)state;
	for (unsigned i = 1; i <= BLOCKS; i++) {
		unsigned edge = (i / 50 + 1) * 50;	/* first unknown */
		unsigned n = load_block(&a, i, edge - i - 1, 1 << 16);

		assert_true(i + 1 + n <= edge);
		if (n > 0) {
			assert_true(told <= i + 1 || i + 1 + n > told);
			told = i + 1 + n;
		}
		if (i > 3)
			assert_true(told > i + 1 || i + 1 == edge);
	}
}

UNIT_PROGRAM
{
	UNIT_TEST(one_scan);
	UNIT_TEST(several_scans);
	UNIT_TEST(no_scan);
	UNIT_TEST(window_of_bytes);
	UNIT_TEST(known_later);
	return unit_run("ahead");
}

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

static void load(struct cfs_ahead *a, struct scan *s)
{
	unsigned number = s->at++;
	unsigned n = cfs_ahead_blocks(a, number, number + 1);

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

		assert_int_equal(cfs_ahead_blocks(&a, number, number + 1), 0);
	}
}

UNIT_PROGRAM
{
	UNIT_TEST(one_scan);
	UNIT_TEST(several_scans);
	UNIT_TEST(no_scan);
	return unit_run("ahead");
}

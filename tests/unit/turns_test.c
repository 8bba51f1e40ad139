/* turns_test.c - a thread that does something now and then (base/sync.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/sync.h"

/* Longer than any test takes: a pause that is not cut short is noticed. */
#define LONG_MS 600000

struct counted {
	struct cfs_turns turns;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned done;			/* guarded by lock */
	unsigned may_do;		/* a turn waits for more; likewise */
	unsigned again;			/* turns that are followed by another
					 * at once */
	int64_t then;			/* the result of the others */
};

static int64_t count_turn(void *arg)
{
	struct counted *c = arg;
	int64_t pause;

	pthread_mutex_lock(&c->lock);
	while (c->done == c->may_do)
		pthread_cond_wait(&c->changed, &c->lock);
	c->done++;
	pause = c->done <= c->again ? 0 : c->then;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	return pause;
}

static void begin(struct counted *c, unsigned may_do, unsigned again,
		  int64_t then)
{
	*c = (struct counted){ .may_do = may_do, .again = again, .then = then };
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	cfs_turns_init(&c->turns, count_turn, c);
}

static void wait_for(struct counted *c, unsigned done)
{
	pthread_mutex_lock(&c->lock);
	while (c->done < done)
		pthread_cond_wait(&c->changed, &c->lock);
	assert_int_equal(c->done, done);
	pthread_mutex_unlock(&c->lock);
}

static void allow(struct counted *c, unsigned may_do)
{
	pthread_mutex_lock(&c->lock);
	c->may_do = may_do;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

static void end(struct counted *c, unsigned done)
{
	cfs_turns_end(&c->turns);
	assert_int_equal(c->done, done);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
}

static void test_no_thread_before_wanted(void **state)
{
	struct counted c;

	(void)state;
	begin(&c, 9, 0, CFS_TURNS_REST);
	assert_false(c.turns.has_thread);
	end(&c, 0);
}

/* One that is wanted while it rests is done; so is one that is wanted during
 * another, whose turn may have passed what it is wanted for. */
static void test_wanted(void **state)
{
	struct counted c;

	(void)state;
	begin(&c, 1, 0, CFS_TURNS_REST);
	for (unsigned i = 1; i <= 50; i++) {
		assert_true(cfs_turns_want(&c.turns));
		allow(&c, i);
		wait_for(&c, i);
	}
	end(&c, 50);
}

static void test_goes_on_by_itself(void **state)
{
	struct counted c;

	(void)state;
	begin(&c, 99, 5, LONG_MS);
	assert_true(cfs_turns_want(&c.turns));
	wait_for(&c, 6);
	/* a pause is neither cut short by what is wanted, nor waited for by
	 * the end */
	assert_true(cfs_turns_want(&c.turns));
	end(&c, 6);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_thread_before_wanted),
		cmocka_unit_test(test_wanted),
		cmocka_unit_test(test_goes_on_by_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

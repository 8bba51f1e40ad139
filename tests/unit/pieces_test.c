/* pieces_test.c - the small pieces of base/: arrays, memos, timed waits,
 * pools, ASCII classes, limits, replaced files, paths.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <signal.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/cancel.h"
#include "base/clamp.h"
#include "base/error.h"
#include "base/fileio.h"
#include "base/memo.h"
#include "base/pool.h"
#include "base/sync.h"

static void array_grows_to_its_limit(void **state)
{
	size_t room = 0, last = 0;
	uint32_t *v = NULL;

	(void)state;
	for (size_t n = 1; n <= 1000; n++) {
		assert_int_equal(cfs_array_reserve((void **)&v, &room, n,
						   sizeof(*v), 1000), CFS_OK);
		assert_true(room >= n && room <= 1000 && room >= last);
		last = room;
		v[n - 1] = (uint32_t)n;
	}
	assert_int_equal(cfs_array_reserve((void **)&v, &room, 1001,
					   sizeof(*v), 1000), CFS_ELIMIT);
	assert_int_equal(room, 1000);
	for (uint32_t n = 1; n <= 1000; n++)
		assert_int_equal(v[n - 1], n);
	free(v);
}

static void array_refuses_what_overflows(void **state)
{
	size_t room = 0;
	void *v = NULL;

	(void)state;
	assert_int_equal(cfs_array_reserve(&v, &room, SIZE_MAX / 4, 8,
					   SIZE_MAX), CFS_ENOMEM);
	assert_null(v);
	assert_int_equal(room, 0);
}

static void memo_forgets_but_never_errs(void **state)
{
	struct cfs_memo *m = cfs_memo_new(4, sizeof(uint64_t));
	unsigned found = 0;
	uint64_t v;

	(void)state;
	assert_false(cfs_memo_get(m, 0, &v));
	for (uint64_t k = 0; k < 100; k++) {
		v = k * 3;
		cfs_memo_put(m, k, &v);
		assert_true(cfs_memo_get(m, k, &v));
	}
	for (uint64_t k = 0; k < 200; k++)
		if (cfs_memo_get(m, k, &v)) {
			assert_int_equal(v, k * 3);
			found++;
		}
	assert_true(found > 0 && found <= 16);
	assert_false(cfs_memo_get(m, UINT64_MAX, &v));
	cfs_memo_free(m);
	cfs_memo_free(NULL);
}

static void memo_set(void **state)
{
	_Atomic uint64_t slots[8] = { 0 };

	(void)state;
	assert_false(cfs_memo_has(slots, 3, 7));
	cfs_memo_add(slots, 3, 7);
	assert_true(cfs_memo_has(slots, 3, 7));
	assert_false(cfs_memo_has(slots, 3, 8));
}

static void waits_by_the_monotonic_clock(void **state)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond;
	int64_t before = cfs_monotonic_ms();

	(void)state;
	cfs_cond_init(&cond);
	pthread_mutex_lock(&lock);
	assert_true(cfs_cond_wait_until(&cond, &lock, 0));
	assert_true(cfs_cond_wait_until(&cond, &lock, before - 1));
	while (!cfs_cond_wait_ms(&cond, &lock, 20))
		;
	pthread_mutex_unlock(&lock);
	assert_true(cfs_monotonic_ms() >= before + 20);
	pthread_cond_destroy(&cond);
}

struct job {
	atomic_uint next, done[500];
};

static void work(void *arg)
{
	struct job *j = arg;
	sigset_t blocked;
	unsigned i;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	assert_true(sigismember(&blocked, SIGTERM));
	while ((i = atomic_fetch_add(&j->next, 1)) < 500)
		atomic_fetch_add(&j->done[i], 1);
}

static void pool_shares_a_job(void **state)
{
	static struct job j;
	struct cfs_pool pool;

	(void)state;
	assert_int_equal(cfs_pool_start(&pool, 7, work, &j), 7);
	cfs_pool_join(&pool);
	for (unsigned i = 0; i < 500; i++)
		assert_int_equal(j.done[i], 1);
	assert_int_equal(cfs_pool_start(&pool, 0, work, &j), 0);
	cfs_pool_join(&pool);
	assert_true(cfs_processors() >= 1);
}

/* Calls of cfs_pool_each, one of which may fail. */
struct calls {
	atomic_uint done[500], count, shown;
	atomic_uint busy[8];		/* calls at a time, by thread */
	size_t failing;			/* 500: none */
	atomic_bool is_cancelled;
	bool others_wait;		/* until they are asked to stop */
};

static bool is_cancelled(void *arg)
{
	struct calls *c = arg;

	return atomic_load(&c->is_cancelled);
}

static int one_call(void *arg, size_t i, unsigned thread, struct cfs_ctx ctx)
{
	struct calls *c = arg;
	int64_t until = cfs_monotonic_ms() + 20000;

	assert_true(thread < 8);
	assert_int_equal(atomic_fetch_add(&c->busy[thread], 1), 0);
	atomic_fetch_add(&c->done[i], 1);
	atomic_fetch_add(&c->count, 1);
	if (i != c->failing)
		while (c->others_wait && !cfs_cancelled(ctx.cancel))
			assert_true(cfs_monotonic_ms() < until);
	atomic_fetch_sub(&c->busy[thread], 1);
	return i != c->failing ? CFS_OK :
	       cfs_error_set(ctx.err, CFS_EIO, "call %zu", i);
}

static void show_calls(void *arg)
{
	struct calls *c = arg;

	atomic_fetch_add(&c->shown, 1);
	if (atomic_load(&c->count) > 0 && c->others_wait && c->failing == 500)
		atomic_store(&c->is_cancelled, true);
}

/* Eight threads, with and without progress: every call is made once. */
static void each_call_is_made(void **state)
{
	static struct calls c[3];
	struct cfs_pool_calls calls = { .threads = 8, .n = 500,
					.one = one_call, .every_ms = 1 };
	const unsigned threads[] = { 8, 8, 0 };

	(void)state;
	for (int k = 0; k < 3; k++) {
		c[k].failing = 500;
		calls.arg = &c[k];
		calls.threads = threads[k];
		calls.show = k == 1 ? show_calls : NULL;
		assert_int_equal(cfs_pool_each(&calls,
					       CFS_CTX(NULL, NULL)), CFS_OK);
		for (unsigned i = 0; i < 500; i++)
			assert_int_equal(c[k].done[i], 1);
		assert_int_equal(c[k].shown > 0, k == 1);
	}
	calls.n = 0;
	assert_int_equal(cfs_pool_each(&calls, CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(c[2].count, 500);
}

/* After a failure no call is begun, and those under way are asked to stop. */
static void first_failure_ends_calls(void **state)
{
	static struct calls c[2];
	struct cfs_pool_calls calls = { .threads = 8, .n = 500,
					.one = one_call, .every_ms = 1 };

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct cfs_error err = CFS_ERROR_INIT;

		c[k].failing = 5;
		c[k].others_wait = true;
		calls.arg = &c[k];
		calls.show = k == 1 ? show_calls : NULL;
		assert_int_equal(cfs_pool_each(&calls,
					       CFS_CTX(NULL, &err)), CFS_EIO);
		assert_string_equal(err.text, "call 5");
		assert_true(c[k].count >= 6 && c[k].count <= 8);
	}
}

static void cancelling_ends_calls(void **state)
{
	static struct calls c = { .failing = 500, .others_wait = true };
	const struct cfs_cancel cancel = { .asked = is_cancelled, .arg = &c };
	const struct cfs_pool_calls calls = { .threads = 8, .n = 500,
		.one = one_call, .arg = &c, .show = show_calls,
		.every_ms = 1 };
	struct cfs_error err = CFS_ERROR_INIT;

	(void)state;
	assert_int_equal(cfs_pool_each(&calls,
				       CFS_CTX(&cancel, &err)), CFS_EINTR);
	assert_string_equal(err.text, "interrupted");
	assert_true(c.count <= 8);
}

static void ascii_classes(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++) {
		uint8_t b = (uint8_t)c;
		bool upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z';
		bool digit = c >= '0' && c <= '9';
		const char *hex = "0123456789abcdef", *at = NULL;

		if (c != 0)
			at = strchr(hex, upper ? c + 32 : c);
		assert_int_equal(cfs_is_digit(b), digit);
		assert_int_equal(cfs_is_alpha(b), upper || lower);
		assert_int_equal(cfs_is_alnum(b), upper || lower || digit);
		assert_int_equal(cfs_ascii_lower(b), upper ? c + 32 : c);
		assert_int_equal(cfs_xdigit_value(b), at ? at - hex : -1);
		assert_int_equal(cfs_is_space(b),
				 c == 32 || c == 9 || c == 10 || c == 12 ||
				 c == 13);
		assert_int_equal(cfs_is_blank(b), c == 32 || c == 9);
	}
}

static void expect_text(const char *path, const char *want)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(fread(got, 1, sizeof(got) - 1, f) == strlen(want));
	assert_string_equal(got, want);
	fclose(f);
}

static void replaces_whole_files(void **state)
{
	char dir[] = "/tmp/crawlfs-pieces-XXXXXX", path[64], deep[64];
	struct cfs_replacement r;
	struct cfs_error err = CFS_ERROR_INIT;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(deep, sizeof(deep), "%s/a/b", dir);
	assert_int_equal(cfs_file_replace(path, cfs_slice_str("one"), 0600,
					  &err), CFS_OK);
	expect_text(path, "one");
	assert_int_equal(cfs_replacement_open(&r, path, 0600, &err), CFS_OK);
	assert_int_equal(cfs_write_at(r.fd, "two", 3, 0), 3);
	expect_text(path, "one");
	assert_int_equal(cfs_replacement_commit(&r, &err), CFS_OK);
	expect_text(path, "two");
	cfs_replacement_drop(&r);
	assert_int_equal(cfs_replacement_open(&r, path, 0600, &err), CFS_OK);
	assert_int_equal(cfs_write_at(r.fd, "three", 5, 0), 5);
	cfs_replacement_drop(&r);
	expect_text(path, "two");
	assert_int_equal(cfs_make_folders(deep, 0700), 0);
	assert_int_equal(cfs_make_folders(deep, 0700), 0);
	assert_int_equal(stat(deep, &st), 0);
	rmdir(deep);
	deep[strlen(deep) - 2] = '\0';
	rmdir(deep);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);	/* nothing else was left in it */
	assert_int_equal(cfs_file_replace(path, cfs_slice_str("x"), 0600, &err),
			 CFS_EIO);
	assert_string_equal(err.where, path);
}

struct path_case {
	const char *name, *path, *folder;
	bool is_in;
};
static const struct path_case path_cases[] = {
	{ "below", "/a/b", "/a", true },
	{ "deep below", "/a/b/c/d", "/a/b", true },
	{ "itself", "/a", "/a", true },
	{ "a slash at the end of the folder", "/a/b", "/a/", true },
	{ "itself with a slash", "/a", "/a/", true },
	{ "a name that begins alike", "/ab", "/a", false },
	{ "beside", "/b/a", "/a", false },
	{ "above", "/a", "/a/b", false },
	{ "anything is below the root", "/a", "/", true },
	{ "the root itself", "/", "/", true },
	{ "another root", "/", "/a", false },
};

static void paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(path_cases) / sizeof(*path_cases); i++) {
		const struct path_case *c = &path_cases[i];

		if (cfs_path_is_in(c->path, c->folder) != c->is_in)
			fail_msg("%s", c->name);
	}
}

static void names_below_a_folder(void **state)
{
	static const struct {
		const char *name, *text;
		bool stays_below;
	} t[] = {
		{ "a name", "a", true },
		{ "deep", "a/b/c.d", true },
		{ "points are only points", "...", true },
		{ "points at the ends", "..a/b..", true },
		{ "empty", "", false },
		{ "absolute", "/a", false },
		{ "the folder above", "..", false },
		{ "out at once", "../a", false },
		{ "out later", "a/../../b", false },
		{ "out at the end", "a/..", false },
		{ "an empty component", "a//b", false },
		{ "a slash at the end", "a/", false },
	};
	struct cfs_slice nul = CFS_SLICE_LIT("a\0b");
	char *longest = malloc(CFS_NAME_BYTES_MAX + 1);

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		if (cfs_name_stays_below(cfs_slice_str(t[i].text)) !=
		    t[i].stays_below)
			fail_msg("%s", t[i].name);
	assert_false(cfs_name_stays_below(nul));
	assert_non_null(longest);
	memset(longest, 'a', CFS_NAME_BYTES_MAX + 1);
	assert_true(cfs_name_stays_below(cfs_slice_of(longest,
						      CFS_NAME_BYTES_MAX)));
	assert_false(cfs_name_stays_below(
			cfs_slice_of(longest, CFS_NAME_BYTES_MAX + 1)));
	free(longest);
}

static void errors_are_handed_on(void **state)
{
	struct cfs_error first = CFS_ERROR_INIT, second = CFS_ERROR_INIT;

	(void)state;
	assert_int_equal(cfs_error_nomem(&first), CFS_ENOMEM);
	assert_string_equal(first.text, "out of memory");
	assert_int_equal(cfs_error_nomem(NULL), CFS_ENOMEM);
	cfs_error_set(&second, CFS_EIO, "second");
	assert_int_equal(cfs_error_pass(&first, &second, CFS_EIO), CFS_EIO);
	assert_int_equal(first.code, CFS_ENOMEM);	/* it keeps its own */
	assert_int_equal(cfs_error_pass(NULL, &second, CFS_EIO), CFS_EIO);
	cfs_error_clear(&first);
	assert_int_equal(cfs_error_pass(&first, &second, CFS_OK), CFS_OK);
	assert_int_equal(cfs_error_pass(&first, &second, CFS_END), CFS_END);
	assert_int_equal(first.code, CFS_OK);		/* nothing failed */
	cfs_error_pass(&first, &second, CFS_EIO);
	assert_string_equal(first.text, "second");
	cfs_error_clear(&first);
	cfs_error_clear(&second);
	/* a failure without a report stays a failure */
	assert_int_equal(cfs_error_pass(&first, &second, CFS_EIO), CFS_EIO);
}

static void clamps(void **state)
{
	static const int expected[] = { 2, 2, 2, 3, 4, 5, 5, 5 };

	(void)state;
	for (int i = 0; i < 8; i++) {
		assert_int_equal(cfs_clamp_u64((uint64_t)i, 2, 5), expected[i]);
		assert_true(cfs_clamp_i64(i - 4, -2, 1) == expected[i] - 4);
	}
	assert_int_equal(cfs_clamp_u64(UINT64_MAX, 2, 5), 5);
	assert_int_equal(cfs_clamp_u64(9, 4, 4), 4);
	assert_true(cfs_clamp_i64(INT64_MIN, -3, 3) == -3);
	assert_true(cfs_clamp_i64(INT64_MAX, -3, 3) == 3);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(array_grows_to_its_limit),
		cmocka_unit_test(array_refuses_what_overflows),
		cmocka_unit_test(memo_forgets_but_never_errs),
		cmocka_unit_test(memo_set),
		cmocka_unit_test(waits_by_the_monotonic_clock),
		cmocka_unit_test(pool_shares_a_job),
		cmocka_unit_test(each_call_is_made),
		cmocka_unit_test(first_failure_ends_calls),
		cmocka_unit_test(cancelling_ends_calls),
		cmocka_unit_test(ascii_classes),
		cmocka_unit_test(clamps),
		cmocka_unit_test(replaces_whole_files),
		cmocka_unit_test(paths),
		cmocka_unit_test(names_below_a_folder),
		cmocka_unit_test(errors_are_handed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

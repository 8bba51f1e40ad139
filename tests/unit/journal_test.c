/* journal_test.c - journals: lines come back, damage is seen, one process
 * writes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/fileio.h"
#include "base/journal.h"
#include "base/pool.h"

#define MARK "test-journal "
#define FIRST MARK "1\n"
#define SEED 7

static const char *const lines[] = { "1 one", "2 two", "3 three and more" };

static int set_up(void **state)
{
	static char dir[] = "/tmp/crawlfs-journal-XXXXXX";

	*state = dir;
	return mkdtemp(dir) != NULL && chdir(dir) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	unlink("j");
	return chdir("/") == 0 && rmdir(*state) == 0 ? 0 : -1;
}

static void open_it(struct cfs_journal *j)
{
	assert_int_equal(cfs_journal_open(j, "j", MARK, 0600, "it", NULL),
			 CFS_OK);
}

/* Writes a new journal of the lines, and closes it. */
static void leave(void)
{
	struct cfs_journal j;

	unlink("j");
	open_it(&j);
	assert_int_equal(cfs_journal_begin(&j, SEED, FIRST, NULL), CFS_OK);
	for (int i = 0; i < 3; i++)
		assert_int_equal(cfs_journal_add(&j, lines[i], NULL), CFS_OK);
	cfs_journal_close(&j);
	cfs_journal_close(&j);
}

/* Reads the journal.  Returns how many lines agree with their checks, sets
 * *whole to the bytes of all whole lines, and *bad to how many of these do
 * not. */
static unsigned good_lines(uint64_t seed, unsigned *bad, uint64_t *whole)
{
	struct cfs_slice rest, words;
	struct cfs_buf text;
	unsigned n = 0;
	int rc;

	*bad = 0;
	cfs_buf_init(&text, 1 << 20);
	assert_int_equal(cfs_journal_read("j", &text, NULL), CFS_OK);
	rest = cfs_buf_slice(&text);
	if (cfs_slice_find(rest, '\n') >= 0)
		cfs_slice_split(&rest, '\n');
	while ((rc = cfs_journal_next(&rest, seed, &words)) != CFS_END) {
		*bad += rc == CFS_EFORMAT;
		n += rc == CFS_OK;
	}
	*whole = text.n - rest.n;
	cfs_buf_release(&text);
	return n;
}

static void lines_come_back(void **state)
{
	struct cfs_slice rest, words;
	struct cfs_buf text;

	(void)state;
	leave();
	cfs_buf_init(&text, 1 << 20);
	assert_int_equal(cfs_journal_read("j", &text, NULL), CFS_OK);
	rest = cfs_buf_slice(&text);
	assert_true(cfs_slice_eq(cfs_slice_split(&rest, '\n'),
				 CFS_SLICE_LIT(MARK "1")));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(cfs_journal_next(&rest, SEED, &words), CFS_OK);
		assert_true(cfs_slice_eq(words, cfs_slice_str(lines[i])));
	}
	assert_int_equal(cfs_journal_next(&rest, SEED, &words), CFS_END);
	cfs_buf_release(&text);
}

static void no_journal_is_an_empty_one(void **state)
{
	struct cfs_buf text;

	(void)state;
	unlink("j");
	cfs_buf_init(&text, 1 << 20);
	assert_int_equal(cfs_journal_read("j", &text, NULL), CFS_OK);
	assert_int_equal(text.n, 0);
	cfs_buf_release(&text);
	leave();
	cfs_buf_init(&text, 10);
	assert_int_equal(cfs_journal_read("j", &text, NULL), CFS_ELIMIT);
	cfs_buf_release(&text);
}

/* Any byte behind the first line changed: no line is taken that was changed,
 * and no other one is lost but the one behind a line feed. */
static void damage_is_seen(void **state)
{
	struct stat st;
	uint64_t whole;
	unsigned bad;

	(void)state;
	leave();
	assert_int_equal(good_lines(SEED, &bad, &whole), 3);
	assert_int_equal(bad, 0);
	assert_int_equal(good_lines(SEED + 1, &bad, &whole), 0);
	assert_int_equal(bad, 3);
	assert_int_equal(stat("j", &st), 0);
	for (off_t at = (off_t)strlen(FIRST); at < st.st_size; at++) {
		int fd = open("j", O_RDWR | O_CLOEXEC);
		uint8_t c, changed;
		unsigned n;

		assert_int_equal(pread(fd, &c, 1, at), 1);
		changed = c ^ 1;
		assert_int_equal(pwrite(fd, &changed, 1, at), 1);
		n = good_lines(SEED, &bad, &whole);
		assert_true(n == 2 || (c == '\n' && n == 1));
		assert_int_equal(pwrite(fd, &c, 1, at), 1);
		close(fd);
	}
}

/* Cut off anywhere and resumed, all lines are good, the new one as well. */
static void resumes_behind_whole_lines(void **state)
{
	struct cfs_journal j;
	struct stat st;
	uint64_t whole;
	unsigned bad;
	off_t end;

	(void)state;
	leave();
	assert_int_equal(stat("j", &st), 0);
	end = st.st_size;
	for (off_t n = (off_t)strlen(FIRST); n <= end; n++) {
		unsigned before;

		leave();
		assert_int_equal(truncate("j", n), 0);
		before = good_lines(SEED, &bad, &whole);
		open_it(&j);
		assert_int_equal(cfs_journal_keep(&j, SEED, whole, NULL),
				 CFS_OK);
		assert_int_equal(cfs_journal_add(&j, "new", NULL), CFS_OK);
		cfs_journal_close(&j);
		assert_int_equal(good_lines(SEED, &bad, &whole), before + 1);
		assert_int_equal(bad, 0);
		assert_int_equal(stat("j", &st), 0);
		assert_int_equal(st.st_size, whole);
	}
}

static void beginning_empties_it(void **state)
{
	struct cfs_journal j;
	struct stat st;

	(void)state;
	leave();
	open_it(&j);
	assert_int_equal(cfs_journal_begin(&j, SEED, FIRST, NULL), CFS_OK);
	cfs_journal_close(&j);
	assert_int_equal(stat("j", &st), 0);
	assert_int_equal(st.st_size, strlen(FIRST));
}

static void one_process_writes(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_journal j, other;

	(void)state;
	leave();
	open_it(&j);
	assert_int_equal(cfs_journal_open(&other, "j", MARK, 0600, "it", &err),
			 CFS_EIO);
	assert_string_equal(err.text, "'it' is being written by another "
			    "process");
	cfs_journal_close(&other);
	cfs_journal_close(&j);
	open_it(&j);
	cfs_journal_close(&j);
}

static void other_files_are_left_alone(void **state)
{
	struct cfs_journal j;
	struct cfs_buf text;

	(void)state;
	assert_int_equal(cfs_file_replace("j", CFS_SLICE_LIT("my text"), 0600,
					  NULL), CFS_OK);
	assert_int_equal(cfs_journal_open(&j, "j", MARK, 0600, "it", NULL),
			 CFS_EIO);
	cfs_journal_close(&j);
	cfs_buf_init(&text, 100);
	assert_int_equal(cfs_file_read("j", &text), CFS_OK);
	assert_true(cfs_slice_eq(cfs_buf_slice(&text),
				 CFS_SLICE_LIT("my text")));
	cfs_buf_release(&text);
}

/* A line that was written in part, as on a full disk, is overwritten. */
static void failed_line_is_overwritten(void **state)
{
	char longest[CFS_JOURNAL_WORDS_MAX + 2];
	struct rlimit before, limit;
	struct cfs_journal j;
	uint64_t whole;
	unsigned bad;

	(void)state;
	leave();
	(void)good_lines(SEED, &bad, &whole);
	open_it(&j);
	assert_int_equal(cfs_journal_keep(&j, SEED, whole, NULL), CFS_OK);
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(cfs_journal_add(&j, longest, NULL), CFS_ELIMIT);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = whole + 100;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(cfs_journal_add(&j, longest + 1, NULL), CFS_EIO);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(cfs_journal_add(&j, "new", NULL), CFS_OK);
	assert_int_equal(cfs_journal_add(&j, longest + 1, NULL), CFS_OK);
	cfs_journal_close(&j);
	assert_int_equal(good_lines(SEED, &bad, &whole), 5);
	assert_int_equal(bad, 0);
}

static int add_one(void *arg, size_t i, unsigned thread, struct cfs_ctx ctx)
{
	char words[64];

	snprintf(words, sizeof(words), "%zu %u", i, thread);
	return cfs_journal_add(arg, words, ctx.err);
}

static void threads_add_lines(void **state)
{
	struct cfs_pool_calls calls = { .threads = 8, .n = 20000,
					.one = add_one };
	struct cfs_journal j;
	uint64_t whole;
	unsigned bad;

	(void)state;
	unlink("j");
	open_it(&j);
	assert_int_equal(cfs_journal_begin(&j, SEED, FIRST, NULL), CFS_OK);
	calls.arg = &j;
	assert_int_equal(cfs_pool_each(&calls, CFS_CTX(NULL, NULL)), CFS_OK);
	cfs_journal_close(&j);
	assert_int_equal(good_lines(SEED, &bad, &whole), 20000);
	assert_int_equal(bad, 0);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_back),
		cmocka_unit_test(no_journal_is_an_empty_one),
		cmocka_unit_test(damage_is_seen),
		cmocka_unit_test(resumes_behind_whole_lines),
		cmocka_unit_test(beginning_empties_it),
		cmocka_unit_test(one_process_writes),
		cmocka_unit_test(other_files_are_left_alone),
		cmocka_unit_test(failed_line_is_overwritten),
		cmocka_unit_test(threads_add_lines),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

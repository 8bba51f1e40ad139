/* buf_test.c - growable bytes with a ceiling, error reports and the log
 * (base/buf.h, error.h, log.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/text.h"

static void grows(void **state)
{
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, 100000);
	for (unsigned i = 0; i < 100000; i++)
		assert_int_equal(cfs_buf_addc(&b, (uint8_t)i), 0);
	assert_int_equal(b.n, 100000);
	assert_true(b.cap <= b.max);
	for (unsigned i = 0; i < 100000; i++)
		assert_int_equal(b.p[i], (uint8_t)i);
	cfs_buf_release(&b);
	assert_int_equal(b.max, 100000);	/* may be used again */
	assert_int_equal(cfs_buf_adds(&b, "x"), 0);
	cfs_buf_release(&b);
}

static void ceiling(void **state)
{
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, 10);
	assert_int_equal(cfs_buf_adds(&b, "0123456789"), 0);
	assert_int_equal(cfs_buf_append(&b, "", 0), 0);
	assert_int_equal(cfs_buf_addc(&b, 'x'), CFS_ELIMIT);
	assert_int_equal(b.failed, CFS_ELIMIT);
	assert_int_equal(b.n, 10);
	cfs_buf_reset(&b);
	assert_int_equal(cfs_buf_adds(&b, "01234"), 0);
	assert_int_equal(cfs_buf_adds(&b, "012345"), CFS_ELIMIT);
	assert_int_equal(cfs_buf_addc(&b, 'x'), CFS_ELIMIT);	/* sticky */
	assert_int_equal(b.n, 5);
	cfs_buf_reset(&b);
	assert_int_equal(cfs_buf_reserve(&b, SIZE_MAX), CFS_ELIMIT);
	cfs_buf_release(&b);
}

static void strings(void **state)
{
	struct cfs_buf b;
	char big[1000];

	(void)state;
	cfs_buf_init(&b, 4096);
	assert_string_equal(cfs_buf_str(&b), "");
	assert_int_equal(cfs_buf_addf(&b, "%s-%d", "a", 7), 0);
	assert_string_equal(cfs_buf_str(&b), "a-7");
	assert_int_equal(b.n, 3);	/* the NUL does not count */
	memset(big, 'y', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	assert_int_equal(cfs_buf_addf(&b, "%s!", big), 0);
	assert_int_equal(b.n, 3 + 999 + 1);
	assert_int_equal(b.p[b.n - 1], '!');
	cfs_buf_release(&b);
	cfs_buf_init(&b, 3);
	cfs_buf_adds(&b, "abc");
	assert_string_equal(cfs_buf_str(&b), "");	/* no room for the NUL */
	cfs_buf_release(&b);
}

static void integers(void **state)
{
	struct cfs_cursor c;
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, 100);
	cfs_buf_le16(&b, 0x1234);
	cfs_buf_le32(&b, 0x12345678);
	cfs_buf_le64(&b, UINT64_MAX - 1);
	cfs_buf_varint(&b, 300);
	c = (struct cfs_cursor){ cfs_buf_slice(&b), false };
	assert_int_equal(cfs_cursor_le16(&c), 0x1234);
	assert_int_equal(cfs_cursor_le32(&c), 0x12345678);
	assert_true(cfs_cursor_le64(&c) == UINT64_MAX - 1);
	assert_int_equal(cfs_cursor_varint(&c), 300);
	assert_int_equal(c.rest.n, 0);
	cfs_buf_release(&b);
}

/* ---- errors ---- */

static void first_report(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	char line[600], tiny[8];

	(void)state;
	assert_int_equal(cfs_error_set(&err, CFS_EIO, "cause %d", 1), CFS_EIO);
	assert_int_equal(cfs_error_at(&err, CFS_EFORMAT, "f", 5, "later"), CFS_EFORMAT);
	assert_int_equal(err.code, CFS_EIO);
	assert_string_equal(err.text, "cause 1");
	cfs_error_where(&err, "file", 12);
	cfs_error_where(&err, "other", 13);
	assert_string_equal(err.where, "file");
	cfs_error_line(&err, line, sizeof(line));
	assert_string_equal(line, "file: offset 12: cause 1");
	cfs_error_line(&err, tiny, sizeof(tiny));
	assert_string_equal(tiny, "file: o");
	cfs_error_clear(&err);
	assert_int_equal(err.code, 0);
	assert_int_equal(cfs_error_set(NULL, CFS_EIO, "x"), CFS_EIO);
	cfs_error_where(NULL, "x", 1);
	cfs_error_clear(NULL);
	for (int i = CFS_EACCESS; i <= CFS_END; i++)
		assert_string_not_equal(cfs_code_name(i), "unknown");
	assert_string_equal(cfs_code_name(-99), "unknown");
}

static void long_place(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	char where[2000];

	(void)state;
	memset(where, 'w', sizeof(where) - 1);
	where[sizeof(where) - 1] = '\0';
	cfs_error_at(&err, CFS_EIO, where, 0, "%s", where);
	assert_int_equal(strlen(err.where), sizeof(err.where) - 1);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static char logged[700];
static unsigned n_logged;

static void keep(enum cfs_log_level level, const char *line, void *arg)
{
	(void)level;
	assert_ptr_equal(arg, &n_logged);
	snprintf(logged, sizeof(logged), "%s", line);
	n_logged++;
}

static void logging(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;

	(void)state;
	cfs_log(CFS_LOG_ERROR, "into nowhere");
	cfs_log_to(keep, &n_logged, CFS_LOG_WARNING);
	cfs_log(CFS_LOG_INFO, "too low");
	assert_int_equal(n_logged, 0);
	cfs_log(CFS_LOG_WARNING, "bad\x1b[2J\n%d", 5);
	assert_string_equal(logged, "bad?[2J?5");
	cfs_error_at(&err, CFS_EIO, "a\nb", 0, "text");
	cfs_log_error(CFS_LOG_ERROR, &err);
	assert_string_equal(logged, "a?b: text");
	assert_int_equal(n_logged, 2);
	cfs_log_to(NULL, NULL, CFS_LOG_DEBUG);
	cfs_log(CFS_LOG_ERROR, "into nowhere");
	assert_int_equal(n_logged, 2);
}

static const struct { const char *text, *shown; size_t room; } queries[] = {
	{ "", "", 9 },
	{ "no URL?x", "no URL?x", 99 },
	{ "http://a/b?KEY", "http://a/b?...", 99 },
	{ "HTTPS://a?KEY", "HTTPS://a?...", 99 },
	{ "http://a/b?", "http://a/b?", 99 },
	{ "http://a/b?...", "http://a/b?...", 99 },
	{ "http://a/b?K", "http://a/b?...", 99 },
	{ "http://a/b?KEY: is gone", "http://a/b?...: is gone", 99 },
	{ "'http://a/b?k='E'Y': no", "'http://a/b?...': no", 99 },
	{ "(http://a/b?KEY), http://c?K", "(http://a/b?...), http://c?...", 99 },
	{ "http://a?KEY,s3://b/c?d", "http://a?...,s3://b/c?d", 99 },
	{ "http://a?KEY,http://b?KEY", "http://a?...,http://b?...", 99 },
	{ "http://a?K,EY", "http://a?...", 99 },
	{ "http://a.wacz?KEY#!/x.warc", "http://a.wacz?...#!/x.warc", 99 },
	{ "http://a why? KEY", "http://a why? KEY", 99 },
	{ "x: http://a?http://b?KEY", "x: http://a?...", 99 },
	{ "./a?KEY: is gone", "./a?...: is gone", 99 },
	{ "in ./a?b", "in ./a?b", 99 },
	{ "ftp://a?b", "ftp://a?b", 99 },
	{ "http://a?KEY", "http://a?..", 12 },
	{ "http://a?KEY", "http://a?", 10 },
	{ "http://a?KEY", "http:/", 7 },
};

static void hidden_queries(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		size_t room = queries[i].room;
		char *out = malloc(room);	/* exact, for the sanitizer */

		assert_non_null(out);
		cfs_text_hide_queries(out, room, queries[i].text);
		assert_string_equal(out, queries[i].shown);
		free(out);
	}
}

/* Neither a place nor a line of the log shows a query. */
static void hidden_places(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;

	(void)state;
	n_logged = 0;
	cfs_error_at(&err, CFS_EIO, "https://a/b?KEY", 7, "text");
	assert_string_equal(err.where, "https://a/b?...");
	cfs_log_to(keep, &n_logged, CFS_LOG_WARNING);
	cfs_log(CFS_LOG_ERROR, "%s: cannot", "https://a/b?KEY");
	assert_string_equal(logged, "https://a/b?...: cannot");
	cfs_log_to(NULL, NULL, CFS_LOG_DEBUG);
}

UNIT_PROGRAM
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(grows), cmocka_unit_test(ceiling),
		cmocka_unit_test(strings), cmocka_unit_test(integers), cmocka_unit_test(first_report),
		cmocka_unit_test(long_place), cmocka_unit_test(logging),
		cmocka_unit_test(hidden_queries), cmocka_unit_test(hidden_places),
	};

	return cmocka_run_group_tests_name("buf", t, NULL, NULL);
}

/* pathlist_test.c - lists of archives.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/buf.h"
#include "base/fileio.h"
#include "codec/gzip.h"
#include "input/pathlist.h"

static int collect(void *arg, struct cfs_slice name)
{
	struct cfs_buf *b = arg;

	cfs_buf_addc(b, '<');
	cfs_buf_add(b, name);
	cfs_buf_addc(b, '>');
	return cfs_slice_eq(name, CFS_SLICE_LIT("stop")) ? CFS_EINTR : CFS_OK;
}

static const struct { const char *text, *names; int rc; } lists[] = {
	{ "a\nb/c.warc.gz\n", "<a><b/c.warc.gz>", CFS_OK },
	{ "a\r\n\n  \n b", "<a><b>", CFS_OK },
	{ "", "", CFS_OK },
	{ "a..b/..c/d..\n", "<a..b/..c/d..>", CFS_OK },
	{ "a\n../b\n", "<a>", CFS_EFORMAT },
	{ "a/..\n", "", CFS_EFORMAT },
	{ "a/../b\n", "", CFS_EFORMAT },
	{ "/etc/passwd\n", "", CFS_EFORMAT },
	{ "a\001b\n", "", CFS_EFORMAT },
	{ "a\nstop\nb\n", "<a><stop>", CFS_EINTR },
};

static void parse(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_buf b;
		/* an exact copy, so that a read past it is seen */
		size_t n = strlen(lists[i].text);
		char *copy = malloc(n + 1);
		int rc;

		memcpy(copy, lists[i].text, n);
		copy = realloc(copy, n > 0 ? n : 1);
		cfs_buf_init(&b, 10000);
		rc = cfs_pathlist_parse(cfs_slice_of(copy, n), "list", collect,
					&b, &err);
		if (rc != lists[i].rc ||
		    strcmp(cfs_buf_str(&b), lists[i].names) != 0)
			fail_msg("%s: %d %s", lists[i].text, rc,
				 cfs_buf_str(&b));
		if (rc == CFS_EFORMAT)
			assert_string_equal(err.where, "list");
		cfs_buf_release(&b);
		free(copy);
	}
}

static void long_line(void **state)
{
	static char text[CFS_NAME_BYTES_MAX + 1];
	struct cfs_buf b;

	(void)state;
	memset(text, 'x', sizeof(text));
	cfs_buf_init(&b, 10000);
	assert_int_equal(cfs_pathlist_parse(cfs_slice_of(text, sizeof(text) - 1),
					    "l", collect, &b, NULL), CFS_OK);
	assert_int_equal(cfs_pathlist_parse(cfs_slice_of(text, sizeof(text)),
					    "l", collect, &b, NULL),
			 CFS_EFORMAT);
	cfs_buf_release(&b);
}

static void write_list(char *path, struct cfs_slice s)
{
	int fd;

	snprintf(path, 64, "/tmp/cfs-list.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, s.p, s.n), (ssize_t)s.n);
	close(fd);
}

static int read_list(struct cfs_slice bytes, struct cfs_buf *names)
{
	char path[64];
	int rc;

	write_list(path, bytes);
	rc = cfs_pathlist_read(path, collect, names, CFS_CTX(NULL, NULL));
	unlink(path);
	return rc;
}

static void files(void **state)
{
	struct cfs_buf gz, names;

	(void)state;
	cfs_buf_init(&gz, 10000);
	cfs_buf_init(&names, 10000);
	assert_int_equal(read_list(CFS_SLICE_LIT("a\nb\n"), &names), CFS_OK);
	assert_int_equal(cfs_gz_compress(CFS_SLICE_LIT("c\nd"), &gz, NULL),
			 CFS_OK);
	assert_int_equal(cfs_gz_compress(CFS_SLICE_LIT("e\n"), &gz, NULL),
			 CFS_OK);
	assert_int_equal(read_list(cfs_buf_slice(&gz), &names), CFS_OK);
	assert_string_equal(cfs_buf_str(&names), "<a><b><c><de>");
	gz.n -= 4;		/* cut off */
	assert_int_equal(read_list(cfs_buf_slice(&gz), &names), CFS_EFORMAT);
	assert_int_equal(cfs_pathlist_read("/nowhere/x.paths", collect, &names,
					   CFS_CTX(NULL, NULL)), CFS_ENOTFOUND);
	cfs_buf_release(&gz);
	cfs_buf_release(&names);
}

static void names(void **state)
{
	(void)state;
	assert_true(cfs_pathlist_is_name("warc.paths.gz"));
	assert_true(cfs_pathlist_is_name("http://h/x.paths"));
	assert_false(cfs_pathlist_is_name("paths"));
	assert_false(cfs_pathlist_is_name("x.paths.xz"));
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse),
		cmocka_unit_test(long_line),
		cmocka_unit_test(files),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

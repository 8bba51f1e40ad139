/* dirents_test.c - replies to READDIR and READDIRPLUS are what libfuse makes,
 * and can be changed; listings without nodes are taken back in time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define FUSE_USE_VERSION 314
#include "unit.h"

#include <fuse_lowlevel.h>
#include <stdlib.h>

#include "fuse/dirents.h"
#include "fuse/listings.h"

#define SECS 1000000000

static struct stat some_stat(uint64_t ino)
{
	return (struct stat){
		.st_ino = ino, .st_mode = S_IFREG | 0444, .st_nlink = 1,
		.st_uid = 1000, .st_gid = 100, .st_size = INT64_C(1) << 40,
		.st_blocks = INT64_C(1) << 31, .st_blksize = 65536,
		.st_atime = 1, .st_mtime = -2, .st_ctime = 1700000000,
	};
}

/* The bytes that libfuse would add at buf. */
static size_t libfuse_adds(char *buf, size_t size, bool plus, const char *name,
			   const struct stat *node, uint64_t ino, mode_t type,
			   off_t next)
{
	struct fuse_entry_param e = { .attr = { .st_ino = ino,
						.st_mode = type } };

	if (!plus)
		return fuse_add_direntry(NULL, buf, size, name, &e.attr, next);
	if (node != NULL)
		e = (struct fuse_entry_param){ .ino = ino, .attr = *node,
					       .attr_timeout = SECS,
					       .entry_timeout = SECS };
	return fuse_add_direntry_plus(NULL, buf, size, name, &e, next);
}

/* Names of all lengths: both make the same bytes, and stop at the same size. */
static void as_libfuse(bool plus, bool with_node)
{
	char name[256] = "", theirs[4096];
	uint8_t ours[4096];
	struct cfs_dirents d = { .buf = ours, .size = sizeof(ours),
				 .plus = plus };
	struct stat st = some_stat(77);
	size_t used = 0;

	for (size_t n = 1; n < sizeof(name); n++) {
		size_t more;

		memset(name, 'n', n);
		memset(ours + d.used, 0xAA, sizeof(ours) - d.used);
		more = libfuse_adds(theirs + used, sizeof(theirs) - used, plus,
				    name, with_node ? &st : NULL, 77, S_IFREG,
				    (off_t)(n + 3));
		assert_int_equal(cfs_dirents_add(&d, cfs_slice_str(name), 77,
						 S_IFREG, (off_t)(n + 3),
						 with_node ? &st : NULL, SECS),
				 more <= sizeof(theirs) - used);
		if (more > sizeof(theirs) - used)
			break;
		used += more;
		assert_int_equal(d.used, used);
	}
	assert_true(used > 3000);
	if (plus && !with_node)		/* theirs has a mode there as well */
		return;
	assert_memory_equal(ours, theirs, used);
}

static void names(void **state)
{
	(void)state;
	as_libfuse(false, false);
}

static void names_with_nodes(void **state)
{
	(void)state;
	as_libfuse(true, true);
	as_libfuse(true, false);
}

/* Where entry 0 begins, READDIRPLUS: the node's number, then the rest. */
static uint64_t word(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void changes(void **state)
{
	uint8_t buf[4096] = { 0 };
	struct cfs_dirents d = { .buf = buf, .size = sizeof(buf), .plus = true };
	struct stat st = some_stat(5);
	size_t first, second;

	(void)state;
	cfs_dirents_end(&d);		/* of an empty one: nothing */
	assert_int_equal(d.used, 0);
	assert_true(cfs_dirents_add(&d, CFS_SLICE_LIT("a"), 5, S_IFREG, 9, &st,
				    SECS));
	first = d.last;
	assert_true(cfs_dirents_add(&d, CFS_SLICE_LIT("b"), 6, S_IFDIR, 10, &st,
				    SECS));
	second = d.last;
	cfs_dirents_take_node_back(&d, first);
	cfs_dirents_end(&d);
	assert_int_equal(word(buf + first), 0);
	assert_int_equal(word(buf + first + 128), 5);
	assert_int_equal(word(buf + first + 136), 9);
	assert_int_equal(word(buf + second), 5);
	assert_true(word(buf + second + 136) == (uint64_t)CFS_DIRENTS_END);
}

static unsigned look_up(struct cfs_listings *l, uint64_t folder, unsigned n)
{
	unsigned times = 0;

	while (n-- > 0)
		times += cfs_listings_note_look_up(l, 100, folder);
	return times;
}

static void taken_back(void **state)
{
	struct cfs_listings *l = cfs_listings_new();
	size_t at = 0;

	(void)state;
	assert_false(cfs_listings_is_statter(l, 100));
	cfs_listings_note_nodes(l, 1);
	assert_int_equal(look_up(l, 1, 1000), 0);
	assert_true(cfs_listings_is_statter(l, 100));
	assert_false(cfs_listings_is_statter(l, 101));

	cfs_listings_note_bare(l, 2);
	cfs_listings_note_bare(l, 3);
	cfs_listings_note_nodes(l, 3);
	assert_int_equal(look_up(l, 1, 1000), 0);	/* the kernel has those */
	assert_int_equal(look_up(l, 3, 1000), 0);
	assert_int_equal(look_up(l, 2, 10), 0);		/* opened by name */
	assert_int_equal(look_up(l, 2, 100), 1);
	assert_int_equal(cfs_listings_take_back(l, &at), 2);
	assert_int_equal(cfs_listings_take_back(l, &at), 0);
	assert_int_equal(look_up(l, 2, 1000), 0);
	cfs_listings_free(l);
}

static void subfolders(void **state)
{
	struct cfs_listings *l = cfs_listings_new();

	(void)state;
	assert_int_equal(cfs_listings_subfolders(l, 7), 0);
	cfs_listings_note_subfolders(l, 7, 200);
	assert_int_equal(cfs_listings_subfolders(l, 7), 200);
	assert_int_equal(cfs_listings_subfolders(l, 8), 0);
	cfs_listings_free(l);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(names_with_nodes),
		cmocka_unit_test(changes),
		cmocka_unit_test(taken_back),
		cmocka_unit_test(subfolders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* spool_test.c - remote files that are read more than once are fetched once;
 * the bytes are right wherever nothing can be kept.
 *
 * The linker sends cfs_location_open here: URLs are far objects by number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "cache_source.h"
#include "input/local_copy.h"
#include "net/open_location.h"
#include "rng.h"

#define FILES 3u
#define BYTES (3u << 20)
#define SLACK (256u << 10)	/* the first reads, by themselves */

int __real_cfs_location_open(struct cfs_source **out, const char *location,
			     struct cfs_error *err);
int __wrap_cfs_location_open(struct cfs_source **out, const char *location,
			     struct cfs_error *err);

static struct far far[FILES];

int __wrap_cfs_location_open(struct cfs_source **out, const char *location,
			     struct cfs_error *err)
{
	if (strncmp(location, "http://", 7) != 0)
		return __real_cfs_location_open(out, location, err);
	*out = far_open(&far[location[strlen(location) - 1] - '0']);
	return CFS_OK;
}

/* ---- a spool ------------------------------------------------------------ */

static struct cfs_local_copy *spool;
static uint8_t buf[BYTES];

static int set_up_in(const char *dir)
{
	for (unsigned i = 0; i < FILES; i++)
		far[i] = (struct far){ .size = BYTES, .can_pin = true };
	spool = cfs_local_copy_new(dir);
	return spool != NULL ? 0 : -1;
}

static int set_up(void **state)
{
	(void)state;
	return set_up_in("/tmp");
}

/* Where no file can be made. */
static int set_up_nowhere(void **state)
{
	(void)state;
	return set_up_in("/nonexistent/folder");
}

static int tear_down(void **state)
{
	(void)state;
	cfs_local_copy_free(spool);
	return 0;
}

static struct cfs_source *open_file(unsigned i)
{
	char url[] = "http://far/0";
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;

	url[sizeof(url) - 2] = (char)('0' + i);
	if (cfs_local_copy_open(spool, url, &src,
				CFS_CTX(NULL, &err)) != CFS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(src->size, far[i].size);
	return src;
}

static int read_at(struct cfs_source *src, size_t n, uint64_t off)
{
	return cfs_source_read(src, buf, n, off, CFS_CTX(NULL, NULL));
}

static void check_read(struct cfs_source *src, size_t n, uint64_t off)
{
	assert_int_equal(read_at(src, n, off), CFS_OK);
	assert_true(far_same(buf, off, n, 0));
}

static void read_all(struct cfs_source *src)
{
	for (uint64_t off = 0; off < BYTES; off += 50000)
		check_read(src, BYTES - off < 50000 ? BYTES - off : 50000, off);
}

/* ---- cases -------------------------------------------------------------- */

static void twice_is_fetched_once(void **state)
{
	struct cfs_source *src = open_file(0), *again;

	(void)state;
	read_all(src);
	assert_true(far[0].bytes <= BYTES + SLACK);
	far[0].down = true;		/* the reads below need no answer */
	read_all(src);
	again = open_file(0);
	cfs_source_close(src);
	read_all(again);
	check_read(again, 10, BYTES / 2);
	assert_int_equal(read_at(again, 11, BYTES - 10), CFS_EFORMAT);
	cfs_source_close(again);
}

/* Each of several files read in turns is kept as far as it was read. */
static void in_turns(void **state)
{
	struct cfs_source *src[FILES];

	(void)state;
	for (unsigned i = 0; i < FILES; i++)
		src[i] = open_file(i);
	for (uint64_t off = 0; off + 500000 <= BYTES; off += 500000)
		for (unsigned i = 0; i < FILES; i++)
			check_read(src[i], 500000, off);
	for (unsigned i = 0; i < FILES; i++) {
		far[i].down = true;
		check_read(src[i], 3000000, 0);
		cfs_source_close(src[i]);
	}
}

static void in_any_order(void **state)
{
	struct cfs_source *src = open_file(0);
	uint64_t seed = 3;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		size_t n = 1 + rng_below(&seed, 40000);

		check_read(src, n, rng_below(&seed, BYTES - n));
	}
	cfs_source_close(src);
}

/* A look at the end does not fetch all that is before it. */
static void far_ahead(void **state)
{
	struct cfs_source *src = open_file(0);

	(void)state;
	check_read(src, 100, BYTES - 100);
	assert_true(far[0].bytes <= SLACK);
	read_all(src);
	cfs_source_close(src);
}

static void changed_meanwhile(void **state)
{
	struct cfs_source *src = open_file(0);

	(void)state;
	check_read(src, 1000, 0);
	cfs_source_close(src);
	check_read(src = open_file(1), 1000, 0);	/* ends the fetch of 0 */
	cfs_source_close(src);
	far[0].version = 1;
	src = open_file(0);
	check_read(src, 1000, 0);			/* was kept */
	assert_int_equal(read_at(src, 1000, BYTES / 2), CFS_ECHANGED);
	cfs_source_close(src);
}

static void failures_pass(void **state)
{
	struct cfs_source *src = open_file(0);

	(void)state;
	check_read(src, 1000, 0);
	far[0].down = true;
	assert_int_equal(read_at(src, BYTES, 0), CFS_EIO);
	far[0].down = false;
	read_all(src);
	cfs_source_close(src);
}

static void paths_are_opened_as_they_are(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;

	(void)state;
	assert_int_equal(cfs_local_copy_open(spool, "/proc/self/exe", &src,
					     CFS_CTX(NULL, &err)),
			 CFS_OK);
	assert_int_equal(read_at(src, 4, 0), CFS_OK);
	assert_memory_equal(buf, "\177ELF", 4);
	cfs_source_close(src);
	assert_int_equal(cfs_local_copy_open(spool, "/nonexistent", &src,
					     CFS_CTX(NULL, &err)),
			 CFS_ENOTFOUND);
	assert_null(src);
}

static void nowhere_to_keep(void **state)
{
	struct cfs_source *src = open_file(0);

	(void)state;
	read_all(src);
	read_all(src);
	check_read(src, 1000, 0);
	cfs_source_close(src);
	cfs_local_copy_free(NULL);
}

UNIT_PROGRAM
{
	unit_add_with("twice is fetched once", twice_is_fetched_once, set_up,
		      tear_down);
	unit_add_with("in turns", in_turns, set_up, tear_down);
	unit_add_with("in any order", in_any_order, set_up, tear_down);
	unit_add_with("far ahead", far_ahead, set_up, tear_down);
	unit_add_with("changed meanwhile", changed_meanwhile, set_up, tear_down);
	unit_add_with("failures pass", failures_pass, set_up, tear_down);
	unit_add_with("paths", paths_are_opened_as_they_are, set_up, tear_down);
	unit_add_with("nowhere to keep", nowhere_to_keep, set_up_nowhere,
		      tear_down);
	return unit_run("spool");
}

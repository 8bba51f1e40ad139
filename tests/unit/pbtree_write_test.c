/* pbtree_write_test.c - PB-tree files are written as the reference does.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pbtree_fixture.h"

/* --- writer ------------------------------------------------------------------- */

/* doc/formats.md, "PB-tree index blocks": blocks of 10 bytes, separators b and
 * c. */
static void worked_example(void **state)
{
	static const char want[] =
		"\x0a\0\0\0\x03\0\0\0"
		"\x01\0\0\0c\0\x02\0\0\0"
		"\x03\0\0\0b\0\x04\0\0\0"
		"\x04\0\0\0c\0\x05\0\0\0"
		"a\0\0\0\0\0\0\0\0\0" "b\0\1\0\0\0\0\0\0\0"
		"c\0\2\0\0\0\0\0\0\0";
	struct cfs_slice got;
	struct cfs_index *ix;
	struct items s;

	(void)state;
	items_init(&s, 3, 100);
	items_add(&s, CFS_SLICE_LIT("a"), 8);
	items_add(&s, CFS_SLICE_LIT("b"), 8);
	items_add(&s, CFS_SLICE_LIT("c"), 8);
	got = tree_of(&s, 10, 8);
	assert_int_equal(got.n, sizeof(want) - 1);
	assert_memory_equal(got.p, want, got.n);
	ix = open_bytes(got, 8, NULL);
	free(check_walk(ix, &s));
	cfs_index_close(ix);
	if (have_python())
		check_like_ref(&s, 10, 8);
	release(got);
	items_release(&s);
}

static void empty_tree(void **state)
{
	static const char want[] = "\x14\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0"
				   "\0\0\0\0\0\0\0\0\0\0\0\0";
	struct cfs_index_stats stats;
	struct cfs_slice got;
	struct cfs_index *ix;
	struct items s;

	(void)state;
	items_init(&s, 1, 1);
	got = tree_of(&s, 20, 8);
	assert_int_equal(got.n, sizeof(want) - 1);
	assert_memory_equal(got.p, want, got.n);
	ix = open_bytes(got, 32, NULL);
	free(check_walk(ix, &s));
	cfs_index_get_stats(ix, &stats);
	assert_int_equal(stats.blocks, 0);
	cfs_index_close(ix);
	release(got);
	if (have_python())
		check_like_ref(&s, 20, 8);
	items_release(&s);
}

static void like_ref_random(void **state)
{
	static const struct { uint32_t block, value, n, key_max; } cases[] = {
		{ 24, 8, 12, 4 }, { 30, 1, 200, 6 }, { 40, 8, 300, 20 },
		{ 64, 32, 500, 20 }, { 100, 32, 3000, 50 },
		{ 512, 8, 5000, 300 }, { 4096, 32, 5000, 300 },
		{ 65536, 32, 5000, 300 }, { 33, 4, 300, 3 },
	};

	(void)state;
	need_python();
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct items s;

		random_items(&s, cases[i].n, cases[i].key_max, cases[i].value,
			     77 + i);
		check_like_ref(&s, cases[i].block, cases[i].value);
		items_release(&s);
	}
}

/* Items that fill their blocks to the last byte. */
static void exactly_full(void **state)
{
	struct cfs_slice tree;
	struct cfs_index *ix;
	struct items s;

	(void)state;
	items_init(&s, 60, 4000);
	for (unsigned i = 0; i < 60; i++) {
		char key[8];

		snprintf(key, sizeof(key), "%07u", i);
		items_add(&s, cfs_slice_of(key, 7), 12);	/* 20 bytes */
	}
	tree = tree_of(&s, 60, 12);
	assert_int_equal((tree.n - 8) / 60 - cfs_le32_get(tree.p + 4), 20);
	ix = open_bytes(tree, 12, NULL);
	free(check_walk(ix, &s));
	cfs_index_close(ix);
	release(tree);
	if (have_python())
		check_like_ref(&s, 60, 12);
	items_release(&s);
}

static void read_lines(struct items *s, const char *path, size_t key_max,
		       size_t value_bytes)
{
	struct cfs_slice all = read_whole(path), rest = all;

	items_init(s, 20000, all.n + 20000 * value_bytes);
	while (rest.n > 0) {
		ptrdiff_t nl = cfs_slice_find(rest, '\n');
		size_t n = nl < 0 ? rest.n : (size_t)nl;

		if (n > 0 && n <= key_max)
			items_add(s, cfs_slice_sub(rest, 0, n), value_bytes);
		rest = cfs_slice_from(rest, n + 1);
	}
	release(all);
	items_sort(s);
}

static void like_ref_urls(void **state)
{
	static const uint32_t blocks[] = { 65536, 4096, 512 };
	static const uint32_t values[] = { 8, 32 };
	char path[1024];

	(void)state;
	need_python();
	data_path("common_crawl_index/sorted_urls.txt", path, sizeof(path));
	for (size_t i = 0; i < COUNT(blocks); i++) {
		for (size_t j = 0; j < COUNT(values); j++) {
			struct items s;

			read_lines(&s, path, blocks[i] - values[j] - 1,
				   values[j]);
			assert_true(s.n > 18000);
			check_like_ref(&s, blocks[i], values[j]);
			items_release(&s);
		}
	}
}

static int try_add(struct cfs_pbtree_writer *w, const char *key, size_t value_n)
{
	static const uint8_t zero[64];

	return cfs_pbtree_writer_add(w, cfs_slice_str(key),
				     cfs_slice_of(zero, value_n), NULL);
}

static void writer_refuses(void **state)
{
	struct cfs_pbtree_writer *w;
	uint64_t bytes;
	int fd = open(path_of("out"), O_RDWR | O_CREAT | O_TRUNC, 0600);

	(void)state;
	assert_int_equal(cfs_pbtree_writer_new(&w, fd, 7, 1, NULL, NULL),
			 CFS_EUSAGE);
	assert_int_equal(cfs_pbtree_writer_new(&w, fd, CFS_PBTREE_BLOCK_MAX + 1,
					       1, NULL, NULL), CFS_EUSAGE);
	assert_int_equal(cfs_pbtree_writer_new(&w, fd, 32, 32, NULL, NULL),
			 CFS_EUSAGE);
	assert_null(w);
	assert_int_equal(cfs_pbtree_writer_new(&w, fd, 40, 32, NULL, NULL), 0);
	assert_int_equal(try_add(w, "b", 32), CFS_OK);
	assert_int_equal(try_add(w, "a", 32), CFS_EUSAGE);
	assert_int_equal(try_add(w, "", 32), CFS_EUSAGE);
	assert_int_equal(try_add(w, "c", 31), CFS_EUSAGE);
	assert_int_equal(try_add(w, "ccccccc", 32), CFS_OK);
	assert_int_equal(try_add(w, "cccccccc", 32), CFS_ELIMIT);
	assert_int_equal(cfs_pbtree_writer_add(w, cfs_slice_of("d\0d", 3),
			 cfs_slice_of("01234567890123456789012345678901", 32),
			 NULL), CFS_EUSAGE);
	assert_int_equal(try_add(w, "d", 32), CFS_OK);
	assert_int_equal(cfs_pbtree_writer_finish(w, &bytes, NULL), CFS_OK);
	assert_int_equal(bytes, 8 + 4 * 40);
	assert_int_equal(try_add(w, "e", 32), CFS_EIO);
	assert_int_equal(cfs_pbtree_writer_finish(w, &bytes, NULL), CFS_EIO);
	cfs_pbtree_writer_free(w);
	close(fd);
}

/* A block of 10 bytes has one separator: every block adds a level. */
static void too_high(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct items s;

	(void)state;
	items_init(&s, 100, 2000);
	for (unsigned i = 0; i < 100; i++) {
		uint8_t c = (uint8_t)(i + 1);

		items_add(&s, cfs_slice_of(&c, 1), 8);
	}
	assert_int_equal(write_tree(&s, 10, 8, path_of("out"), &err),
			 CFS_ELIMIT);
	assert_non_null(strstr(err.text, "levels"));
	s.n = CFS_PBTREE_LEVELS_MAX;
	if (have_python())
		check_like_ref(&s, 10, 8);
	items_release(&s);
}

static void too_many_slots(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_slice tree;
	struct cfs_index *ix;
	struct items s;

	(void)state;
	items_init(&s, CFS_SLOTS_MAX + 1, 8 * (CFS_SLOTS_MAX + 1));
	for (unsigned i = 0; i <= CFS_SLOTS_MAX; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%06u", i);
		items_add(&s, cfs_slice_of(key, 6), 1);
	}
	assert_int_equal(write_tree(&s, 1 << 20, 1, path_of("out"), &err),
			 CFS_ELIMIT);
	s.n--;
	tree = tree_of(&s, 1 << 20, 1);
	ix = open_bytes(tree, 1, NULL);
	free(check_walk(ix, &s));
	cfs_index_close(ix);
	release(tree);
	items_release(&s);
}

/* The same, written by somebody without that limit. */
static void too_many_slots_read(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	const uint32_t block = 3 * (CFS_SLOTS_MAX + 1);
	size_t n = 8 + 2 * (size_t)block;
	uint8_t *t = calloc(1, n);
	struct cfs_index *ix;
	struct cfs_iter it;

	(void)state;
	assert_non_null(t);
	cfs_le32_put(t, block);
	cfs_le32_put(t + 4, 1);
	cfs_le32_put(t + 8, 1);
	for (uint32_t i = 0; i <= CFS_SLOTS_MAX; i++)
		t[8 + block + 3 * i] = 'k';
	ix = open_bytes(cfs_slice_of(t, n), 1, NULL);
	cfs_iter_init(&it);
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_EMPTY, &it,
					CFS_CTX(NULL, &err)),
			 CFS_ELIMIT);
	assert_int_equal(err.offset, 8 + block + 3 * CFS_SLOTS_MAX);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	t[n - 3] = '\0';			/* one less is right */
	ix = open_bytes(cfs_slice_of(t, n), 1, NULL);
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_EMPTY, &it,
					CFS_CTX(NULL, NULL)),
			 CFS_OK);
	assert_int_equal(cfs_index_at(ix, CFS_SLOTS_MAX - 1, &it,
				      CFS_CTX(NULL, NULL)),
			 CFS_OK);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	free(t);
}

static void writer_cannot_write(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_pbtree_writer *w;
	int fd = open(path_of("out"), O_RDONLY | O_CREAT, 0600);
	uint64_t bytes;

	(void)state;
	assert_int_equal(cfs_pbtree_writer_new(&w, fd, 40, 32, dir, &err), 0);
	assert_int_equal(try_add(w, "a", 32), CFS_OK);
	assert_int_equal(cfs_pbtree_writer_finish(w, &bytes, &err), CFS_EIO);
	assert_int_equal(err.code, CFS_EIO);
	cfs_pbtree_writer_free(w);
	cfs_error_clear(&err);
	assert_int_equal(cfs_pbtree_writer_new(&w, fd, 40, 32, "/nonexistent",
					       &err), 0);
	assert_int_equal(try_add(w, "aaaa", 32), CFS_OK);
	assert_int_equal(cfs_pbtree_writer_add(w, CFS_SLICE_LIT("bbbb"),
			 cfs_slice_of("01234567890123456789012345678901", 32),
			 &err), CFS_EIO);
	assert_non_null(strstr(err.text, "/nonexistent"));
	assert_int_equal(try_add(w, "c", 32), CFS_EIO);
	assert_int_equal(cfs_pbtree_writer_finish(w, &bytes, NULL), CFS_EIO);
	cfs_pbtree_writer_free(w);
	close(fd);
}

UNIT_PROGRAM
{
	UNIT_TEST(worked_example);
	UNIT_TEST(empty_tree);
	UNIT_TEST(like_ref_random);
	UNIT_TEST(exactly_full);
	UNIT_TEST(like_ref_urls);
	UNIT_TEST(writer_refuses);
	UNIT_TEST(too_high);
	UNIT_TEST(too_many_slots);
	UNIT_TEST(too_many_slots_read);
	UNIT_TEST(writer_cannot_write);
	return unit_run_with("pbtree_write", make_dir, remove_dir);
}

/* pbtree_test.c - PB-tree files: written as the reference does, read whatever
 * they hold.  Keys and runs are tested in pbtree_key_test.c.
 *
 * The reference is tests/pbtree_ref.py, run by python3.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc_fail.h"
#include "base/log.h"
#include "build/pbtree_write.h"
#include "index/pbtree.h"
#include "index/pbtree_format.h"
#include "index/pbtree_value.h"
#include "url/urlkey.h"
#include "rng.h"
#include "source/fault.h"
#include "url/pbtree_key.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define CACHE (1u << 20)

/* --- items ------------------------------------------------------------------ */

struct item {
	struct cfs_slice key, value;
};

/* Sorted items; their bytes lie in one arena. */
struct items {
	struct item *v;
	size_t n, max;
	uint8_t *arena;
	size_t used, room;
};

static void items_init(struct items *s, size_t max, size_t room)
{
	*s = (struct items){ .max = max, .room = room };
	s->v = calloc(max, sizeof(*s->v));
	s->arena = malloc(room);
	assert_true(s->v != NULL && s->arena != NULL);
}

static void items_release(struct items *s)
{
	free(s->v);
	free(s->arena);
}

static struct cfs_slice keep(struct items *s, const void *p, size_t n)
{
	uint8_t *at = s->arena + s->used;

	assert_true(n <= s->room - s->used);
	memcpy(at, p, n);
	s->used += n;
	return cfs_slice_of(at, n);
}

/* Adds a key with a value made from its number. */
static void items_add(struct items *s, struct cfs_slice key, size_t value_bytes)
{
	uint8_t value[256];
	uint64_t x = s->n;

	assert_true(s->n < s->max && value_bytes <= sizeof(value));
	for (size_t i = 0; i < value_bytes; i++)
		value[i] = i < 8 ? (uint8_t)(x >> (8 * i))
				 : (uint8_t)rng_next(&x);
	s->v[s->n].key = keep(s, key.p, key.n);
	s->v[s->n].value = keep(s, value, value_bytes);
	s->n++;
}

static int by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c = cfs_slice_cmp(x->key, y->key);

	return c != 0 ? c : x->value.p < y->value.p ? -1 : 1;
}

static void items_sort(struct items *s)
{
	qsort(s->v, s->n, sizeof(*s->v), by_key);
}

/* Keys that share beginnings and repeat, as those of URLs do. */
static void random_items(struct items *s, size_t n, size_t key_max,
			 size_t value_bytes, uint64_t seed)
{
	static const char bytes[] = "aab./:-0z\x01\x7f\xff";
	uint8_t key[512] = { 'k' };
	size_t key_n = 1;

	assert_true(key_max <= sizeof(key));
	items_init(s, n, n * (key_max + value_bytes));
	while (s->n < n) {
		if (rng_below(&seed, 8) > 0) {
			key_n = 1 + rng_below(&seed, key_n);
			while (key_n < key_max && rng_below(&seed, 4) > 0)
				key[key_n++] = (uint8_t)bytes[
					rng_below(&seed, sizeof(bytes) - 1)];
		}
		items_add(s, cfs_slice_of(key, key_n), value_bytes);
	}
	items_sort(s);
}

/* --- files -------------------------------------------------------------------- */

static char dir[] = "/tmp/crawlfs-pbtree-XXXXXX";
static const char *const files[] = { "items", "c.pbt", "ref.pbt", "out" };

static const char *path_of(const char *name)
{
	static char path[2][256];
	static unsigned i;

	i ^= 1;
	snprintf(path[i], sizeof(path[i]), "%s/%s", dir, name);
	return path[i];
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) != NULL ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(files); i++)
		unlink(path_of(files[i]));
	return rmdir(dir);
}

static struct cfs_slice read_whole(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	uint8_t *p;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	p = malloc((size_t)st.st_size + 1);
	assert_non_null(p);
	assert_int_equal(read(fd, p, (size_t)st.st_size), st.st_size);
	close(fd);
	return cfs_slice_of(p, (size_t)st.st_size);
}

static void release(struct cfs_slice s)
{
	free((void *)(uintptr_t)s.p);
}

static int write_tree(const struct items *s, uint32_t block, uint32_t value,
		      const char *path, struct cfs_error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), rc;
	struct cfs_pbtree_writer *w;
	uint64_t bytes = 0;
	struct stat st;

	assert_true(fd >= 0);
	rc = cfs_pbtree_writer_new(&w, fd, block, value, dir, err);
	for (size_t i = 0; rc == CFS_OK && i < s->n; i++)
		rc = cfs_pbtree_writer_add(w, s->v[i].key, s->v[i].value, err);
	if (rc == CFS_OK)
		rc = cfs_pbtree_writer_finish(w, &bytes, err);
	cfs_pbtree_writer_free(w);
	assert_int_equal(fstat(fd, &st), 0);
	if (rc == CFS_OK)
		assert_int_equal(st.st_size, bytes);
	close(fd);
	return rc;
}

static bool have_python(void)
{
	static int found = -1;

	if (found < 0)
		found = system("python3 -c 'import struct' 2>/dev/null") == 0;
	return found;
}

/* pbtree_ref.py VERB BLOCK VALUE FILES... */
static void run_ref(const char *verb, uint32_t block, uint32_t value,
		    const char *args)
{
	const char *top = getenv("CFS_SRCDIR");
	char command[4096];

	snprintf(command, sizeof(command), "python3 '%s/tests/pbtree_ref.py' "
		 "%s %" PRIu32 " %" PRIu32 " %s",
		 top != NULL ? top : CFS_TOP_SRCDIR, verb, block, value, args);
	assert_int_equal(system(command), 0);
}

static void write_items(const struct items *s, const char *path)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	for (size_t i = 0; i < s->n; i++) {
		uint8_t n[4];

		cfs_le32_put(n, (uint32_t)s->v[i].key.n);
		fwrite(n, 1, 4, f);
		fwrite(s->v[i].key.p, 1, s->v[i].key.n, f);
		fwrite(s->v[i].value.p, 1, s->v[i].value.n, f);
	}
	assert_int_equal(fclose(f), 0);
}

/* The items of a file that the reference has written. */
static void read_items(struct items *s, const char *path, size_t value_bytes)
{
	struct cfs_slice all = read_whole(path);
	struct cfs_cursor c = { all, false };

	items_init(s, all.n / (4 + value_bytes) + 1, all.n + 1);
	while (c.rest.n > 0) {
		struct cfs_slice key = cfs_cursor_take(&c, cfs_cursor_le32(&c));
		struct cfs_slice value = cfs_cursor_take(&c, value_bytes);

		assert_false(c.bad);
		s->v[s->n].key = keep(s, key.p, key.n);
		s->v[s->n++].value = keep(s, value.p, value.n);
	}
	release(all);
}

/* The C writer's file is the reference's, byte for byte. */
static void check_like_ref(const struct items *s, uint32_t block,
			   uint32_t value)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_slice got, want;
	char args[600];

	if (write_tree(s, block, value, path_of("c.pbt"), &err) != CFS_OK)
		fail_msg("%s", err.text);
	write_items(s, path_of("items"));
	snprintf(args, sizeof(args), "%s/items %s/ref.pbt", dir, dir);
	run_ref("build", block, value, args);
	got = read_whole(path_of("c.pbt"));
	want = read_whole(path_of("ref.pbt"));
	assert_int_equal(got.n, want.n);
	assert_memory_equal(got.p, want.p, got.n);
	release(got);
	release(want);
}

/* A file of the tests' shared data; skips the test if there is none. */
static void data_path(const char *name, char *out, size_t n)
{
	const char *data = getenv("CFS_DATA");

	snprintf(out, n, "%s/pbtree/%s", data != NULL ? data : "", name);
	if (data == NULL || access(out, R_OK) != 0) {
		printf("SKIP no shared data: pbtree/%s\n", name);
		skip();
	}
}

/* --- a tree in memory --------------------------------------------------------- */

static struct cfs_index *open_bytes(struct cfs_slice bytes, uint32_t value,
				    const struct cfs_fault *fault)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;
	struct cfs_index *ix;

	assert_int_equal(cfs_source_open_memory(&src, bytes, "tree", &err), 0);
	if (fault != NULL)
		assert_int_equal(cfs_source_open_fault(&src, src, fault, &err),
				 0);
	if (cfs_pbtree_open_sized(&ix, src, CACHE, value, &err) != CFS_OK)
		fail_msg("%s", err.text);
	return ix;
}

static struct cfs_slice tree_of(const struct items *s, uint32_t block,
				uint32_t value)
{
	struct cfs_error err = CFS_ERROR_INIT;

	if (write_tree(s, block, value, path_of("c.pbt"), &err) != CFS_OK)
		fail_msg("%s", err.text);
	return read_whole(path_of("c.pbt"));
}

/* Index of the first item whose key is >= key. */
static size_t model_seek(const struct items *s, struct cfs_slice key)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (cfs_slice_cmp(s->v[mid].key, key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void check_item(const struct cfs_iter *it, const struct item *want)
{
	assert_int_equal(it->key.n, want->key.n);
	assert_memory_equal(it->key.p, want->key.p, want->key.n);
	assert_int_equal(it->value.n, want->value.n);
	assert_memory_equal(it->value.p, want->value.p, want->value.n);
}

/* Reads all entries in order; remembers where they are. */
static cfs_pos *check_walk(struct cfs_index *ix, const struct items *s)
{
	cfs_pos *pos = calloc(s->n + 1, sizeof(*pos));
	struct cfs_iter it;
	int rc;

	assert_non_null(pos);
	cfs_iter_init(&it);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, NULL, NULL);
	for (size_t i = 0; i < s->n; i++) {
		assert_int_equal(rc, CFS_OK);
		check_item(&it, &s->v[i]);
		pos[i] = it.pos;
		rc = cfs_index_next(&it, NULL, NULL);
	}
	assert_int_equal(rc, CFS_END);
	assert_int_equal(it.pos, CFS_POS_NONE);
	assert_int_equal(cfs_index_next(&it, NULL, NULL), CFS_END);
	for (size_t i = s->n; i-- > 0;) {
		assert_int_equal(cfs_index_at(ix, pos[i], &it, NULL, NULL),
				 CFS_OK);
		check_item(&it, &s->v[i]);
	}
	if (s->n > 0)
		assert_int_equal(cfs_index_at(ix, pos[s->n - 1] + 1, &it, NULL,
					      NULL), CFS_ENOTFOUND);
	assert_int_equal(cfs_index_at(ix, (cfs_pos)UINT32_MAX << 16, &it, NULL,
				      NULL), CFS_ENOTFOUND);
	assert_int_equal(cfs_index_at(ix, CFS_POS_NONE, &it, NULL, NULL),
			 CFS_ENOTFOUND);
	cfs_iter_release(&it);
	return pos;
}

/* A key of the tree, or one like it. */
static struct cfs_slice random_target(const struct items *s, uint64_t *rng,
				      uint8_t buf[1024])
{
	struct cfs_slice key = s->v[rng_below(rng, s->n)].key;
	size_t n = key.n;

	memcpy(buf, key.p, n);
	switch (rng_below(rng, 5)) {
	case 0:
		n = rng_below(rng, n + 1);
		break;
	case 1:
		buf[n++] = (uint8_t)rng_next(rng);
		break;
	case 2:
		buf[n - 1] = (uint8_t)(buf[n - 1] + 1);
		break;
	case 3:
		buf[rng_below(rng, n)] = (uint8_t)rng_next(rng);
		break;
	}
	return cfs_slice_of(buf, n);
}

/* Seeks with `it`; fails unless it is the first item >= key. */
static void check_seek(struct cfs_index *ix, const struct items *s,
		       const cfs_pos *pos, struct cfs_slice key,
		       struct cfs_iter *it)
{
	struct cfs_error err = CFS_ERROR_INIT;
	size_t want = model_seek(s, key);
	int rc = cfs_index_seek(ix, key, it, NULL, &err);

	if (want == s->n) {
		assert_int_equal(rc, CFS_END);
		return;
	}
	if (rc != CFS_OK)
		fail_msg("%s at %" PRIu64, err.text, err.offset);
	assert_int_equal(it->pos, pos[want]);
	check_item(it, &s->v[want]);
}

static void check_seeks(struct cfs_index *ix, const struct items *s,
			const cfs_pos *pos, unsigned times, uint64_t rng)
{
	struct cfs_iter it, fresh;
	uint8_t buf[1024];

	cfs_iter_init(&it);
	for (unsigned i = 0; i < times; i++) {
		struct cfs_slice key = random_target(s, &rng, buf);

		cfs_iter_init(&fresh);
		check_seek(ix, s, pos, key, &fresh);
		cfs_iter_release(&fresh);
		check_seek(ix, s, pos, key, &it);
	}
	for (size_t i = 0; i < s->n; i += 1 + rng_below(&rng, 40))
		check_seek(ix, s, pos, s->v[i].key, &it);
	cfs_iter_release(&it);
}

/* --- writer ------------------------------------------------------------------- */

/* FORMATS.md 2.2: blocks of 10 bytes, separators b and c. */
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

static void need_python(void)
{
	if (have_python())
		return;
	printf("SKIP no python3 to run the reference\n");
	skip();
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
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, NULL, &err),
			 CFS_ELIMIT);
	assert_int_equal(err.offset, 8 + block + 3 * CFS_SLOTS_MAX);
	cfs_index_close(ix);
	t[n - 3] = '\0';			/* one less is right */
	ix = open_bytes(cfs_slice_of(t, n), 1, NULL);
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, NULL, NULL),
			 CFS_OK);
	assert_int_equal(cfs_index_at(ix, CFS_SLOTS_MAX - 1, &it, NULL, NULL),
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

/* --- reader ------------------------------------------------------------------- */

static const struct shape { uint32_t block, value, n, key_max; } shapes[] = {
	{ 16, 1, 40, 2 }, { 40, 8, 300, 20 }, { 48, 32, 200, 10 },
	{ 64, 32, 500, 20 }, { 100, 32, 3000, 50 }, { 512, 32, 4000, 300 },
	{ 4096, 32, 4000, 300 }, { 65536, 32, 4000, 300 },
};

static void seeks_and_steps(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(shapes); i++) {
		const struct shape *p = &shapes[i];
		struct cfs_slice tree;
		struct cfs_index *ix;
		struct items s;
		cfs_pos *pos;

		random_items(&s, p->n, p->key_max, p->value, i);
		tree = tree_of(&s, p->block, p->value);
		ix = open_bytes(tree, p->value, NULL);
		pos = check_walk(ix, &s);
		check_seeks(ix, &s, pos, 2000, i);
		cfs_index_close(ix);

		/* a source that gives three bytes at a time */
		ix = open_bytes(tree, p->value,
				&(struct cfs_fault){ .max_read = 3 });
		check_seeks(ix, &s, pos, 50, i);
		cfs_index_close(ix);
		free(pos);
		release(tree);
		items_release(&s);
	}
}

/* Many equal keys, over several blocks: always the first is found. */
static void duplicates(void **state)
{
	struct cfs_slice tree;
	struct cfs_index *ix;
	struct items s;
	cfs_pos *pos;

	(void)state;
	items_init(&s, 400, 40000);
	for (unsigned i = 0; i < 400; i++) {
		char key[16];

		snprintf(key, sizeof(key), "key%u", i < 100 ? i % 10 / 9 :
			 i < 300 ? 2 : 3);
		items_add(&s, cfs_slice_str(key), 32);
	}
	items_sort(&s);
	tree = tree_of(&s, 128, 32);
	ix = open_bytes(tree, 32, NULL);
	pos = check_walk(ix, &s);
	check_seeks(ix, &s, pos, 2000, 5);
	free(pos);
	cfs_index_close(ix);
	release(tree);
	items_release(&s);
}

/* Levels of index blocks, by the first pointers. */
static unsigned levels_of(struct cfs_slice tree)
{
	uint32_t block = cfs_le32_get(tree.p), n = cfs_le32_get(tree.p + 4);
	unsigned levels = 1;

	for (uint32_t b = 0; (b = cfs_le32_get(tree.p + 8 + b * block)) < n;)
		levels++;
	return levels;
}

/* The number of reads that one seek costs, nothing cached but the root. */
static uint64_t seek_cost(struct cfs_slice tree, struct cfs_slice key)
{
	struct cfs_index *ix = open_bytes(tree, 32, &(struct cfs_fault){ 0 });
	uint64_t before = cfs_source_fault_reads(ix->src);
	struct cfs_iter it;

	assert_int_equal(before, 1);		/* header and root at once */
	cfs_iter_init(&it);
	assert_in_range(cfs_index_seek(ix, key, &it, NULL, NULL), 0, 1);
	before = cfs_source_fault_reads(ix->src) - before;
	cfs_iter_release(&it);
	cfs_index_close(ix);
	return before;
}

static void cold_reads(void **state)
{
	struct cfs_slice tree;
	unsigned levels, ones = 0;
	uint64_t rng = 3;
	struct items s;

	(void)state;
	random_items(&s, 20000, 40, 32, 8);
	tree = tree_of(&s, 256, 32);
	levels = levels_of(tree);
	assert_true(levels >= 3);
	for (unsigned i = 0; i < 500; i++) {
		uint8_t buf[1024];
		uint64_t n = seek_cost(tree, random_target(&s, &rng, buf));

		assert_in_range(n, 1, levels - 1 + 2);
		ones += n <= levels - 1 + 1;
	}
	assert_true(ones > 300);	/* mostly one data block is enough */
	release(tree);
	items_release(&s);
}

/* --- pointers that lead astray --------------------------------------------- */

enum harm {
	HARM_NONE, HARM_LATE, HARM_EARLY, HARM_PAST_END, HARM_LOOP, HARM_SELF,
	HARM_FIRST, HARM_RANDOM, HARM_NO_END, HARM_ZERO, HARM_KINDS
};

static uint32_t bad_pointer(enum harm harm, uint32_t p, uint32_t block,
			    uint32_t n, uint32_t all, uint64_t *rng)
{
	switch (harm) {
	case HARM_LATE:
		return p < n ? p : p + 14 < all ? p + 14 : all - 1;
	case HARM_EARLY:
		return p < n ? p : p - n >= 14 ? p - 14 : n;
	case HARM_PAST_END:
		return UINT32_MAX - (uint32_t)rng_below(rng, 3);
	case HARM_LOOP:
		return 0;
	case HARM_SELF:
		return block;
	case HARM_FIRST:
		return n;
	case HARM_RANDOM:
		return (uint32_t)rng_below(rng, all + 5);
	default:
		return p;
	}
}

/* Changes every pointer of the index part. */
static struct cfs_slice harmed(struct cfs_slice tree, enum harm harm)
{
	uint32_t size = cfs_le32_get(tree.p), n = cfs_le32_get(tree.p + 4);
	uint32_t all = (uint32_t)((tree.n - 8) / size);
	uint8_t *t = malloc(tree.n);
	uint64_t rng = 11;

	assert_non_null(t);
	memcpy(t, tree.p, tree.n);
	for (uint32_t b = 0; b < n; b++) {
		uint8_t *p = t + 8 + (size_t)b * size, *end = p + size;

		if (harm == HARM_NO_END || harm == HARM_ZERO) {
			memset(p, harm == HARM_ZERO ? 0 : 0xff, size);
			continue;
		}
		do {
			cfs_le32_put(p, bad_pointer(harm, cfs_le32_get(p), b, n,
						    all, &rng));
			p += 4;
			if (p == end || *p == '\0')
				break;
			p = memchr(p, '\0', (size_t)(end - p));
			p++;
		} while (true);
	}
	return cfs_slice_of(t, tree.n);
}

static void astray(void **state)
{
	static const struct shape trees[] = {
		{ 48, 32, 300, 10 }, { 256, 32, 2000, 40 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(trees); i++) {
		const struct shape *p = &trees[i];
		struct cfs_slice tree;
		struct items s;
		cfs_pos *pos;

		random_items(&s, p->n, p->key_max, p->value, 50 + i);
		tree = tree_of(&s, p->block, p->value);
		for (int harm = 0; harm < HARM_KINDS; harm++) {
			struct cfs_slice bad = harmed(tree, (enum harm)harm);
			struct cfs_index *ix = open_bytes(bad, p->value, NULL);

			pos = check_walk(ix, &s);
			check_seeks(ix, &s, pos, 1000, (uint64_t)harm);
			free(pos);
			cfs_index_close(ix);
			release(bad);
		}
		release(tree);
		items_release(&s);
	}
}

/* Mending a pointer that is 14 blocks off must not cost a full bisection. */
static void astray_cost(void **state)
{
	struct cfs_slice tree, late, early;
	uint64_t rng = 3, sum = 0;
	unsigned levels;
	struct items s;

	(void)state;
	random_items(&s, 60000, 40, 32, 8);
	tree = tree_of(&s, 512, 32);
	late = harmed(tree, HARM_LATE);
	early = harmed(tree, HARM_EARLY);
	levels = levels_of(tree);
	for (unsigned i = 0; i < 300; i++) {
		uint8_t buf[1024];
		struct cfs_slice key = random_target(&s, &rng, buf);
		uint64_t a = seek_cost(late, key), b = seek_cost(early, key);

		/* two blocks, four doublings, four halvings, the block */
		assert_in_range(a, 1, levels - 1 + 12);
		assert_in_range(b, 1, levels - 1 + 12);
		sum += a + b;
	}
	assert_true(sum / 600 < levels + 10);
	release(tree);
	release(late);
	release(early);
	items_release(&s);
}

static void count_lines(enum cfs_log_level level, const char *line, void *arg)
{
	unsigned *n = arg;

	assert_int_equal(level, CFS_LOG_WARNING);
	if (strstr(line, "tree: ") != NULL && strstr(line, "offset") != NULL &&
	    strstr(line, "bad pointer") != NULL)
		++*n;
}

/* An index that leads in circles is told of, once. */
static void astray_is_told(void **state)
{
	static const enum harm circles[] = { HARM_LOOP, HARM_SELF, HARM_NONE };
	struct cfs_slice tree;
	struct items s;

	(void)state;
	random_items(&s, 300, 10, 32, 50);
	tree = tree_of(&s, 48, 32);
	for (size_t i = 0; i < COUNT(circles); i++) {
		struct cfs_slice bad = harmed(tree, circles[i]);
		struct cfs_index *ix;
		unsigned told = 0;
		cfs_pos *pos;

		cfs_log_to(count_lines, &told, CFS_LOG_WARNING);
		ix = open_bytes(bad, 32, NULL);
		pos = check_walk(ix, &s);
		check_seeks(ix, &s, pos, 100, 1);
		cfs_log_to(NULL, NULL, CFS_LOG_ERROR);
		assert_int_equal(told, circles[i] == HARM_NONE ? 0 : 1);
		free(pos);
		cfs_index_close(ix);
		release(bad);
	}
	release(tree);
	items_release(&s);
}

/* --- damage ------------------------------------------------------------------- */

/* Uses everything of a tree that may be damaged: no crash, no endless loop,
 * and an error has a place in the file. */
static void use_tree(struct cfs_slice bytes, uint32_t value)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_index *ix = NULL;
	struct cfs_source *src;
	struct cfs_iter it;
	size_t steps = 0;
	int rc;

	assert_int_equal(cfs_source_open_memory(&src, bytes, "bad", NULL), 0);
	rc = cfs_pbtree_open_sized(&ix, src, CACHE, value, &err);
	cfs_iter_init(&it);
	if (rc == CFS_OK)
		rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, NULL, &err);
	while (rc == CFS_OK && steps++ <= bytes.n)
		rc = cfs_index_next(&it, NULL, &err);
	assert_true(steps <= bytes.n);
	for (unsigned i = 0; ix != NULL && i < 4; i++) {
		static const char *const keys[] = { "a", "k", "kb", "\xff" };
		struct cfs_slice key = cfs_slice_str(keys[i]);

		if (rc < 0) {
			assert_in_range(-rc, 2, 3);
			assert_string_equal(err.where, "bad");
			assert_true(err.offset <= bytes.n);
			assert_int_equal(it.pos, CFS_POS_NONE);
		}
		cfs_error_clear(&err);
		rc = cfs_index_seek(ix, key, &it, NULL, &err);
		if (rc == CFS_OK)
			assert_true(cfs_slice_cmp(it.key, key) >= 0);
	}
	cfs_iter_release(&it);
	cfs_index_close(ix);
}

static void damaged_bytes(void **state)
{
	static const uint8_t xors[] = { 0xff, 0x01, 0x80 };
	struct cfs_slice tree;
	struct items s;
	uint8_t *t;

	(void)state;
	random_items(&s, 30, 10, 8, 4);
	tree = tree_of(&s, 40, 8);
	t = malloc(tree.n);
	assert_non_null(t);
	for (size_t i = 0; i < tree.n; i++) {
		memcpy(t, tree.p, tree.n);
		for (size_t j = 0; j < COUNT(xors); j++) {
			t[i] = tree.p[i] ^ xors[j];
			use_tree(cfs_slice_of(t, tree.n), 8);
		}
		t[i] = 0;
		use_tree(cfs_slice_of(t, tree.n), 8);
	}
	free(t);
	release(tree);
	items_release(&s);
}

static void truncated(void **state)
{
	struct cfs_slice tree;
	struct items s;
	uint32_t n;

	(void)state;
	random_items(&s, 30, 10, 8, 4);
	tree = tree_of(&s, 40, 8);
	n = cfs_le32_get(tree.p + 4);
	for (size_t i = 0; i < tree.n; i++) {
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_source *src;
		struct cfs_index *ix;
		bool whole = i >= 8 + n * 40u && (i - 8) % 40 == 0;
		int rc;

		use_tree(cfs_slice_sub(tree, 0, i), 8);
		assert_int_equal(cfs_source_open_memory(&src,
				 cfs_slice_sub(tree, 0, i), "cut", NULL), 0);
		rc = cfs_pbtree_open_sized(&ix, src, CACHE, 8, &err);
		assert_int_equal(rc, whole ? CFS_OK : CFS_EFORMAT);
		if (!whole)
			assert_string_equal(err.where, "cut");
		if (i > 8 + n * 40u && !whole) {
			assert_int_equal(err.offset, 8 + (i - 8) / 40 * 40);
			assert_non_null(strstr(err.text, "cut short"));
		}
		cfs_index_close(ix);
	}
	release(tree);
	items_release(&s);
}

/* What a damaged data block is called, and that others still serve. */
static void damaged_block(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_slice tree;
	struct cfs_index *ix;
	struct cfs_iter it;
	struct items s;
	uint8_t *t;
	size_t at;

	(void)state;
	items_init(&s, 90, 10000);
	for (unsigned i = 0; i < 90; i++) {
		char key[16];

		snprintf(key, sizeof(key), "key%02u", i + 10);
		items_add(&s, cfs_slice_str(key), 32);
	}
	tree = tree_of(&s, 128, 32);		/* 3 items in a block */
	t = (uint8_t *)(uintptr_t)tree.p;
	at = 8 + (cfs_le32_get(tree.p + 4) + 10) * (size_t)128;
	assert_memory_equal(t + at + 38, "key41", 5);
	t[at + 38 + 3] = '0';			/* the second is key01 */
	ix = open_bytes(tree, 32, NULL);
	cfs_iter_init(&it);
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_LIT("key41"), &it, NULL,
					&err), CFS_EFORMAT);
	assert_string_equal(err.where, "tree");
	assert_int_equal(err.offset, at + 38);
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_LIT("key39"), &it, NULL,
					NULL), CFS_OK);
	assert_int_equal(cfs_index_next(&it, NULL, NULL), CFS_EFORMAT);
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_LIT("key44"), &it, NULL,
					NULL), CFS_OK);
	assert_memory_equal(it.key.p, "key44", 5);

	/* and where a block is in the wrong place */
	t[at + 38 + 3] = '4';
	t[at + 3] = t[at + 41] = t[at + 79] = '2';
	cfs_iter_release(&it);
	cfs_index_close(ix);
	ix = open_bytes(tree, 32, NULL);
	assert_int_equal(cfs_index_at(ix, cfs_pos_make(9, 2), &it, NULL, NULL),
			 CFS_OK);
	cfs_error_clear(&err);
	assert_int_equal(cfs_index_next(&it, NULL, &err), CFS_EFORMAT);
	assert_int_equal(err.offset, at);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	release(tree);
	items_release(&s);
}

/* --- failures below and beside ------------------------------------------------ */

/* Opens, seeks and steps; the first failure, or CFS_OK. */
static int use_source(struct cfs_source *src, const struct items *s,
		      struct cfs_error *err)
{
	struct cfs_index *ix;
	struct cfs_iter it;
	int rc = cfs_pbtree_open_sized(&ix, src, CACHE, 32, err);

	cfs_iter_init(&it);
	for (size_t i = 0; rc == CFS_OK && i < s->n; i += s->n / 7) {
		rc = cfs_index_seek(ix, s->v[i].key, &it, NULL, err);
		for (unsigned j = 0; rc == CFS_OK && j < 4; j++)
			rc = cfs_index_next(&it, NULL, err);
		if (rc < 0) {
			/* a failure is not remembered */
			assert_int_equal(cfs_index_seek(ix, s->v[i].key, &it,
							NULL, NULL), CFS_OK);
		}
		if (rc == CFS_END)
			rc = CFS_OK;
	}
	cfs_iter_release(&it);
	cfs_index_close(ix);
	return rc;
}

static void reads_fail(void **state)
{
	struct cfs_slice tree;
	uint64_t n = 0;
	struct items s;
	int rc;

	(void)state;
	random_items(&s, 500, 30, 32, 21);
	tree = tree_of(&s, 256, 32);
	do {
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_source *src;

		assert_int_equal(cfs_source_open_memory(&src, tree, "t", NULL),
				 0);
		assert_int_equal(cfs_source_open_fault(&src, src,
				 &(struct cfs_fault){ .fail_read = ++n }, NULL),
				 0);
		rc = use_source(src, &s, &err);
		if (rc != CFS_OK) {
			assert_int_equal(rc, CFS_EIO);
			assert_int_equal(err.code, CFS_EIO);
			assert_string_equal(err.where, "t");
		}
	} while (rc != CFS_OK);
	assert_true(n > 10);
	release(tree);
	items_release(&s);
}

static void file_shrinks(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_slice tree;
	struct cfs_index *ix;
	struct cfs_iter it;
	struct items s;

	(void)state;
	random_items(&s, 500, 30, 32, 21);
	tree = tree_of(&s, 256, 32);
	ix = open_bytes(tree, 32, &(struct cfs_fault){ 0 });
	*cfs_source_fault_plan(ix->src) = (struct cfs_fault){
		.size_set = true, .size = tree.n - 100 };
	cfs_iter_init(&it);
	assert_int_equal(cfs_index_seek(ix, s.v[0].key, &it, NULL, &err), 0);
	assert_int_equal(cfs_index_seek(ix, s.v[s.n - 1].key, &it, NULL, &err),
			 CFS_EFORMAT);
	assert_int_equal(err.offset, tree.n - 256);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	release(tree);
	items_release(&s);
}

static bool yes(void *arg)
{
	(void)arg;
	return true;
}

static void interrupted(void **state)
{
	struct cfs_cancel cancel = { .asked = yes };
	struct cfs_slice tree;
	struct cfs_index *ix;
	struct cfs_iter it;
	struct items s;

	(void)state;
	random_items(&s, 500, 30, 32, 21);
	tree = tree_of(&s, 256, 32);
	ix = open_bytes(tree, 32, NULL);
	cfs_iter_init(&it);
	assert_int_equal(cfs_index_seek(ix, s.v[9].key, &it, &cancel, NULL),
			 CFS_EINTR);
	assert_int_equal(cfs_index_seek(ix, s.v[9].key, &it, NULL, NULL), 0);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	release(tree);
	items_release(&s);
}

static void memory_fails(void **state)
{
	struct cfs_slice tree;
	unsigned failed = 0;
	bool reached = true;
	struct items s;

	(void)state;
	random_items(&s, 300, 30, 32, 21);
	tree = tree_of(&s, 256, 32);
	for (uint64_t n = 1; reached; n++) {
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_source *src;
		int rc;

		assert_int_equal(cfs_source_open_memory(&src, tree, "t", NULL),
				 0);
		countdown = (long)n - 1;
		rc = use_source(src, &s, &err);
		reached = countdown < 0;
		countdown = -1;
		/* memory that only was to be given back may be kept */
		assert_true(rc == CFS_OK || rc == CFS_ENOMEM);
		assert_int_equal(err.code, rc);
		failed += rc != CFS_OK;
	}
	assert_true(failed > 20);
	reached = true;
	for (uint64_t n = 1; reached; n++) {
		struct cfs_error err = CFS_ERROR_INIT;
		int rc;

		countdown = (long)n - 1;
		rc = write_tree(&s, 256, 32, path_of("out"), &err);
		reached = countdown < 0;
		countdown = -1;
		assert_int_equal(rc, reached ? CFS_ENOMEM : CFS_OK);
		assert_int_equal(err.code, rc);
	}
	release(tree);
	items_release(&s);
}

/* --- threads --------------------------------------------------------------- */

struct crowd {
	struct cfs_index *ix;
	const struct items *s;
	const cfs_pos *pos;
	uint64_t seed;
	unsigned wrong;
};

/* cmocka's assertions belong to the main thread: count instead. */
static void *seek_about(void *arg)
{
	struct crowd *c = arg;
	struct cfs_iter it;
	uint8_t buf[1024];

	cfs_iter_init(&it);
	for (unsigned i = 0; i < 3000; i++) {
		struct cfs_slice key = random_target(c->s, &c->seed, buf);
		size_t want = model_seek(c->s, key);
		int rc = cfs_index_seek(c->ix, key, &it, NULL, NULL);

		for (unsigned j = 0; j < 3 && rc == CFS_OK; j++, want++) {
			c->wrong += want >= c->s->n || it.pos != c->pos[want];
			rc = cfs_index_next(&it, NULL, NULL);
		}
		c->wrong += rc != CFS_OK && want != c->s->n;
	}
	cfs_iter_release(&it);
	return NULL;
}

static void threads(void **state)
{
	struct crowd crowd[4];
	pthread_t thread[4];
	struct cfs_source *src;
	struct cfs_slice tree;
	struct cfs_index *ix;
	struct items s;
	cfs_pos *pos;

	(void)state;
	random_items(&s, 4000, 40, 32, 31);
	tree = tree_of(&s, 512, 32);
	assert_int_equal(cfs_source_open_memory(&src, tree, "t", NULL), 0);
	/* a cache too small for the tree, so that blocks come and go */
	assert_int_equal(cfs_pbtree_open(&ix, src, 40000, NULL), 0);
	pos = check_walk(ix, &s);
	for (unsigned i = 0; i < COUNT(thread); i++) {
		crowd[i] = (struct crowd){ ix, &s, pos, i, 0 };
		assert_int_equal(pthread_create(&thread[i], NULL, seek_about,
						&crowd[i]), 0);
	}
	for (unsigned i = 0; i < COUNT(thread); i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(crowd[i].wrong, 0);
	}
	free(pos);
	cfs_index_close(ix);
	release(tree);
	items_release(&s);
}

/* --- the tree of names ------------------------------------------------------- */

static const char *const tokens[] = {
	".", "/", "?", ":", "a", "%2E", "@", "8", "_", "#", "-", "0", "..",
	"/", "/", "/.", "/..", "/%2E", "/%2E%2E", "a.", "b/", "a/",
};
static const char *const ends[] = {
	":http", ":http", ":80:http", ":8:https", ":a@b:http", ":ftp", "::http",
	":x", "",
};

static void hostile_items(struct items *s, unsigned n, uint64_t rng)
{
	items_init(s, n, n * 100);
	while (s->n < n) {
		unsigned parts = (unsigned)rng_below(&rng, 7);
		struct cfs_buf key;

		cfs_buf_init(&key, 100);
		if (rng_below(&rng, 4) > 0)
			cfs_buf_adds(&key, rng_below(&rng, 2) ? "a" : "a.b");
		while (parts-- > 0)
			cfs_buf_adds(&key, tokens[rng_below(&rng,
							    COUNT(tokens))]);
		cfs_buf_adds(&key, ends[rng_below(&rng, COUNT(ends))]);
		if (key.n > 0)
			items_add(s, cfs_buf_slice(&key), 32);
		cfs_buf_release(&key);
	}
	items_sort(s);
}

/* Whether an entry's path extends (or is) the first n components of `of`. */
static bool belongs(const struct cfs_path *e, const struct cfs_path *of,
		    enum cfs_below below)
{
	if (below == CFS_BELOW_DIR ? e->n <= of->n : e->n != of->n)
		return false;
	if (of->host_n < of->n ? e->host_n != of->host_n : e->host_n < of->n)
		return false;
	for (unsigned i = 0; i < of->n; i++)
		if (!cfs_slice_eq(e->comp[i], of->comp[i]))
			return false;
	return true;
}

/* Counts what belongs to `of` in its runs, and checks that it ascends. */
static unsigned count_in_runs(struct cfs_index *ix, const struct cfs_path *of,
			      enum cfs_below below, struct cfs_ranges *r)
{
	static struct cfs_path path;
	cfs_pos last = 0;
	struct cfs_iter it;
	unsigned n = 0;
	int rc;

	assert_int_equal(cfs_index_ranges(ix, of, below, r), CFS_OK);
	cfs_iter_init(&it);
	for (unsigned i = 0; i < r->n; i++) {
		rc = cfs_index_seek(ix, r->v[i].lo, &it, NULL, NULL);
		while (rc == CFS_OK && (r->v[i].hi_open ||
		       cfs_slice_cmp(it.key, r->v[i].hi) < 0)) {
			assert_true(n == 0 || it.pos > last);
			if (cfs_index_split(ix, it.key, &path) == CFS_OK &&
			    belongs(&path, of, below)) {
				last = it.pos;
				n++;
			}
			rc = cfs_index_next(&it, NULL, NULL);
		}
		assert_in_range(rc, 0, 1);
	}
	cfs_iter_release(&it);
	return n;
}

static void check_level(struct cfs_index *ix, const struct cfs_path *paths,
			size_t n_paths, const struct cfs_path *entry,
			unsigned n, struct cfs_ranges *r)
{
	static struct cfs_path of;
	enum cfs_below below = n < entry->n ? CFS_BELOW_DIR : CFS_BELOW_PAGE;
	unsigned want = 0;

	of = *entry;
	of.n = n;
	if (of.host_n > n)
		of.host_n = n;
	for (size_t i = 0; i < n_paths; i++)
		want += paths[i].n > 0 && belongs(&paths[i], &of, below);
	assert_int_equal(count_in_runs(ix, &of, below, r), want);
}

/* For every path prefix of hostile keys, reading the runs gives each entry
 * below it (or at it) exactly once. */
static void runs_of_a_tree(void **state)
{
	struct cfs_ranges *r = malloc(sizeof(*r));
	struct cfs_index_stats stats;
	struct cfs_path *paths;
	struct cfs_slice tree;
	struct cfs_index *ix;
	struct items s;

	(void)state;
	assert_non_null(r);
	hostile_items(&s, 250, 99);
	tree = tree_of(&s, 512, 32);
	ix = open_bytes(tree, 32, NULL);
	cfs_ranges_init(r);
	paths = calloc(s.n, sizeof(*paths));
	assert_non_null(paths);
	for (size_t i = 0; i < s.n; i++)
		if (cfs_index_split(ix, s.v[i].key, &paths[i]) != CFS_OK)
			paths[i].n = 0;
	cfs_index_get_stats(ix, &stats);
	assert_in_range(stats.skipped, 10, 150);
	for (size_t i = 0; i < s.n; i++)
		for (unsigned n = 0; paths[i].n > 0 && n <= paths[i].n; n++)
			check_level(ix, paths, s.n, &paths[i], n, r);
	free(paths);
	cfs_ranges_release(r);
	free(r);
	cfs_index_close(ix);
	release(tree);
	items_release(&s);
}

/* --- captures ----------------------------------------------------------------- */

static void captures(void **state)
{
	static const struct cfs_pbtree_value v = {
		.segment = 1346876860779, .date_ms = 1346958145255,
		.partition = 226, .offset = 77856771, .length = 5661,
	};
	struct cfs_capture cap;
	struct cfs_slice tree;
	struct cfs_buf name;
	struct cfs_index *ix;
	struct cfs_iter it;
	struct items s;
	size_t n = 9;

	(void)state;
	items_init(&s, 1, 100);
	items_add(&s, CFS_SLICE_LIT("pl.home:x@home.pl:http"), 32);
	cfs_pbtree_value_encode(&v, (uint8_t *)(uintptr_t)s.v[0].value.p);
	tree = tree_of(&s, 65536, 32);
	assert_true(cfs_pbtree_is_header(tree, tree.n));
	ix = open_bytes(tree, 32, NULL);
	assert_string_equal(ix->format, "PB-tree");
	assert_false(ix->has_status);
	cfs_iter_init(&it);
	cfs_buf_init(&name, 1000);
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, NULL, NULL),
			 0);
	assert_int_equal(cfs_index_capture(&it, &cap, NULL), 0);
	assert_int_equal(cap.kind, CFS_KIND_ARC);
	assert_int_equal(cap.time, 1346958145);
	assert_int_equal(cap.scheme, CFS_SCHEME_HTTP);
	assert_int_equal(cap.status, 0);
	assert_int_equal(cap.mime.n + cap.url.n, 0);
	assert_false(cap.body_is_exact);
	assert_int_equal(cap.loc.offset, 77856771);
	assert_int_equal(cap.loc.length, 5661);
	assert_int_equal(cap.loc.inner_length, 0);
	assert_int_equal(cfs_index_archive_name(ix, &cap.loc, &name, NULL), 0);
	assert_string_equal(cfs_buf_str(&name),
			    "segment/1346876860779/1346958145255_226.arc.gz");
	cfs_buf_reset(&name);
	assert_int_equal(cfs_index_key_url(ix, it.key, &cap, &name), 0);
	assert_string_equal(cfs_buf_str(&name), "http://home.pl:x@home.pl");
	assert_int_equal(cfs_index_find_ref(ix, CFS_SLICE_LIT("id:x"), NULL, 0,
					    &n, NULL, NULL), CFS_OK);
	assert_int_equal(n, 0);
	cfs_buf_release(&name);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	release(tree);
	items_release(&s);
}

static void headers(void **state)
{
	static const struct { uint32_t block, n; uint64_t size; bool yes; } v[] = {
		{ 65536, 2644, 233689120776, true },
		{ 65536, 1, 8 + 65536, true }, { 65536, 1, 7 + 65536, false },
		{ 65536, 0, 1 << 20, false }, { 7, 1, 100, false },
		{ 8, 1, 16, true }, { CFS_PBTREE_BLOCK_MAX, 1, 1 << 25, true },
		{ CFS_PBTREE_BLOCK_MAX + 1, 1, 1 << 26, false },
		{ 0x00088b1f, 1, 1 << 30, false },	/* gzip */
		{ UINT32_MAX, UINT32_MAX, UINT64_MAX, false },
	};
	uint8_t head[8];

	(void)state;
	for (size_t i = 0; i < COUNT(v); i++) {
		cfs_le32_put(head, v[i].block);
		cfs_le32_put(head + 4, v[i].n);
		assert_int_equal(cfs_pbtree_is_header(cfs_slice_of(head, 8),
						      v[i].size), v[i].yes);
	}
	assert_false(cfs_pbtree_is_header(cfs_slice_of(head, 7), 1 << 20));
	assert_false(cfs_pbtree_is_header(CFS_SLICE_EMPTY, 0));
	assert_false(cfs_pbtree_is_header(
		CFS_SLICE_LIT("com,example)/ 2012"), 1 << 30));
}

/* --- real blocks -------------------------------------------------------------- */

#define REAL "CommonCrawlDocumentDownload/block"
#define REAL_BLOCK 65536u

static void real_blocks(void **state)
{
	char args[4096] = "", path[512];
	struct cfs_slice tree;
	struct cfs_index *ix;
	unsigned blocks = 0;
	struct items s;
	cfs_pos *pos;

	(void)state;
	need_python();
	data_path(REAL "0.bin", path, sizeof(path));
	while (access(path, R_OK) == 0) {
		size_t n = strlen(args);

		snprintf(args + n, sizeof(args) - n, "'%s' ", path);
		snprintf(path, sizeof(path), "%s/pbtree/" REAL "%u.bin",
			 getenv("CFS_DATA"), ++blocks);
	}
	snprintf(args + strlen(args), sizeof(args) - strlen(args), "%s/items",
		 dir);
	run_ref("items", REAL_BLOCK, 32, args);
	read_items(&s, path_of("items"), 32);
	assert_true(s.n > blocks * 700);
	check_like_ref(&s, REAL_BLOCK, 32);
	tree = tree_of(&s, REAL_BLOCK, 32);
	assert_int_equal(tree.n, 8 + (1 + blocks) * REAL_BLOCK);

	/* the published blocks come out again */
	for (unsigned i = 0; i < blocks; i++) {
		struct cfs_slice block;

		snprintf(path, sizeof(path), "%s/pbtree/" REAL "%u.bin",
			 getenv("CFS_DATA"), i);
		block = read_whole(path);
		assert_int_equal(block.n, REAL_BLOCK);
		assert_memory_equal(tree.p + 8 + (1 + i) * REAL_BLOCK, block.p,
				    REAL_BLOCK);
		release(block);
	}
	ix = open_bytes(tree, 32, NULL);
	pos = check_walk(ix, &s);
	check_seeks(ix, &s, pos, 3000, 1);
	free(pos);
	cfs_index_close(ix);
	release(tree);
	items_release(&s);
}

/* Every real key is in the tree, and where its own runs say. */
static void real_keys(void **state)
{
	static struct cfs_path path;
	struct cfs_ranges *r;
	struct cfs_buf url, key;
	char at[512], args[1100];
	struct items s;

	(void)state;
	need_python();
	data_path(REAL "0.bin", at, sizeof(at));
	snprintf(args, sizeof(args), "'%s' %s/items", at, dir);
	run_ref("items", REAL_BLOCK, 32, args);
	read_items(&s, path_of("items"), 32);
	r = malloc(sizeof(*r));
	assert_non_null(r);
	cfs_ranges_init(r);
	cfs_buf_init(&url, CFS_KEY_MAX);
	cfs_buf_init(&key, CFS_KEY_MAX);
	for (size_t i = 0; i < s.n; i++) {
		bool found = false;

		assert_int_equal(cfs_pbtree_split(s.v[i].key, &path), CFS_OK);
		assert_int_equal(cfs_pbtree_ranges(&path, CFS_BELOW_PAGE, r),
				 CFS_OK);
		for (unsigned j = 0; j < r->n; j++)
			found |= cfs_slice_cmp(r->v[j].lo, s.v[i].key) <= 0 &&
				cfs_slice_cmp(s.v[i].key, r->v[j].hi) < 0;
		assert_true(found);
		cfs_buf_reset(&url);
		cfs_buf_reset(&key);
		assert_int_equal(cfs_pbtree_key_url(s.v[i].key, &url), CFS_OK);
		assert_int_equal(cfs_pbtree_url_key(cfs_buf_slice(&url), &key),
				 CFS_OK);
		assert_true(cfs_slice_eq(cfs_buf_slice(&key), s.v[i].key));
	}
	cfs_buf_release(&url);
	cfs_buf_release(&key);
	cfs_ranges_release(r);
	free(r);
	items_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_example),
		cmocka_unit_test(empty_tree),
		cmocka_unit_test(like_ref_random),
		cmocka_unit_test(exactly_full),
		cmocka_unit_test(like_ref_urls),
		cmocka_unit_test(writer_refuses),
		cmocka_unit_test(too_high),
		cmocka_unit_test(too_many_slots),
		cmocka_unit_test(too_many_slots_read),
		cmocka_unit_test(writer_cannot_write),
		cmocka_unit_test(seeks_and_steps),
		cmocka_unit_test(duplicates),
		cmocka_unit_test(cold_reads),
		cmocka_unit_test(astray),
		cmocka_unit_test(astray_cost),
		cmocka_unit_test(astray_is_told),
		cmocka_unit_test(damaged_bytes),
		cmocka_unit_test(truncated),
		cmocka_unit_test(damaged_block),
		cmocka_unit_test(reads_fail),
		cmocka_unit_test(file_shrinks),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(memory_fails),
		cmocka_unit_test(threads),
		cmocka_unit_test(runs_of_a_tree),
		cmocka_unit_test(captures),
		cmocka_unit_test(headers),
		cmocka_unit_test(real_blocks),
		cmocka_unit_test(real_keys),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

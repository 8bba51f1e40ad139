/* pbtree_fixture.h - items, the PB-trees made of them, and the reference
 * (tests/pbtree_ref.py, run by python3) that they are compared with.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_PBTREE_FIXTURE_H
#define CFS_TESTS_PBTREE_FIXTURE_H

#include "unit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/pbtree/pbtree.h"
#include "format/pbtree/pbtree_format.h"
#include "rng.h"
#include "fault.h"

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

static inline void items_init(struct items *s, size_t max, size_t room)
{
	*s = (struct items){ .max = max, .room = room };
	s->v = calloc(max, sizeof(*s->v));
	s->arena = malloc(room);
	assert_true(s->v != NULL && s->arena != NULL);
}

static inline void items_release(struct items *s)
{
	free(s->v);
	free(s->arena);
}

static inline struct cfs_slice keep(struct items *s, const void *p, size_t n)
{
	uint8_t *at = s->arena + s->used;

	assert_true(n <= s->room - s->used);
	memcpy(at, p, n);
	s->used += n;
	return cfs_slice_of(at, n);
}

/* Adds a key with a value made from its number. */
static inline void items_add(struct items *s, struct cfs_slice key, size_t value_bytes)
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

static inline int by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c = cfs_slice_cmp(x->key, y->key);

	return c != 0 ? c : x->value.p < y->value.p ? -1 : 1;
}

static inline void items_sort(struct items *s)
{
	qsort(s->v, s->n, sizeof(*s->v), by_key);
}

/* Keys that share beginnings and repeat, as those of URLs do. */
static inline void random_items(struct items *s, size_t n, size_t key_max,
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

static inline const char *path_of(const char *name)
{
	static char path[2][256];
	static unsigned i;

	i ^= 1;
	snprintf(path[i], sizeof(path[i]), "%s/%s", dir, name);
	return path[i];
}

static inline int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) != NULL ? 0 : -1;
}

static inline int remove_dir(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(files); i++)
		unlink(path_of(files[i]));
	return rmdir(dir);
}

static inline struct cfs_slice read_whole(const char *path)
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

static inline void release(struct cfs_slice s)
{
	if (s.n > 0)
		free((void *)(uintptr_t)s.p);
}

static inline int write_tree(const struct items *s, uint32_t block, uint32_t value,
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

static inline bool have_python(void)
{
	static int found = -1;

	if (found < 0)
		found = system("python3 -c 'import struct' 2>/dev/null") == 0;
	return found;
}

static inline void need_python(void)
{
	if (have_python())
		return;
	printf("SKIP no python3 to run the reference\n");
	skip();
}

/* pbtree_ref.py VERB BLOCK VALUE FILES... */
static inline void run_ref(const char *verb, uint32_t block, uint32_t value,
		    const char *args)
{
	const char *top = getenv("CFS_SRCDIR");
	char command[4096];
	int n = snprintf(command, sizeof(command), "python3 "
			 "'%s/tests/pbtree_ref.py' %s %" PRIu32 " %" PRIu32
			 " %s", top != NULL ? top : CFS_TOP_SRCDIR, verb, block,
			 value, args);

	assert_true(n > 0 && (size_t)n < sizeof(command));
	assert_int_equal(system(command), 0);
}

static inline void write_items(const struct items *s, const char *path)
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
static inline void read_items(struct items *s, const char *path, size_t value_bytes)
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
static inline void check_like_ref(const struct items *s, uint32_t block,
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
static inline void data_path(const char *name, char *out, size_t n)
{
	const char *data = getenv("CFS_DATA");

	snprintf(out, n, "%s/pbtree/%s", data != NULL ? data : "", name);
	if (data == NULL || access(out, R_OK) != 0) {
		printf("SKIP no shared data: pbtree/%s\n", name);
		skip();
	}
}

/* --- a tree in memory --------------------------------------------------------- */

static inline struct cfs_index *open_bytes(struct cfs_slice bytes, uint32_t value,
				    const struct cfs_fault *fault)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;
	struct cfs_index *ix;

	assert_int_equal(cfs_source_open_memory(&src, bytes, "tree", &err), 0);
	if (fault != NULL)
		assert_int_equal(cfs_source_open_fault(&src, src, fault, &err),
				 0);
	if (cfs_pbtree_open(&ix, src, CACHE, value, &err) != CFS_OK)
		fail_msg("%s", err.text);
	return ix;
}

static inline struct cfs_slice tree_of(const struct items *s, uint32_t block,
				uint32_t value)
{
	struct cfs_error err = CFS_ERROR_INIT;

	if (write_tree(s, block, value, path_of("c.pbt"), &err) != CFS_OK)
		fail_msg("%s", err.text);
	return read_whole(path_of("c.pbt"));
}

/* Index of the first item whose key is >= key. */
static inline size_t model_seek(const struct items *s, struct cfs_slice key)
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

static inline void check_item(const struct cfs_iter *it, const struct item *want)
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
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	for (size_t i = 0; i < s->n; i++) {
		assert_int_equal(rc, CFS_OK);
		check_item(&it, &s->v[i]);
		pos[i] = it.pos;
		rc = cfs_index_next(&it, CFS_CTX(NULL, NULL));
	}
	assert_int_equal(rc, CFS_END);
	assert_int_equal(it.pos, CFS_POS_NONE);
	assert_int_equal(cfs_index_next(&it, CFS_CTX(NULL, NULL)), CFS_END);
	for (size_t i = s->n; i-- > 0;) {
		assert_int_equal(cfs_index_at(ix, pos[i], &it,
					      CFS_CTX(NULL, NULL)),
				 CFS_OK);
		check_item(&it, &s->v[i]);
	}
	if (s->n > 0)
		assert_int_equal(cfs_index_at(ix, pos[s->n - 1] + 1, &it, CFS_CTX(NULL, NULL)), CFS_ENOTFOUND);
	assert_int_equal(cfs_index_at(ix, (cfs_pos)UINT32_MAX << 16, &it,
				      CFS_CTX(NULL, NULL)), CFS_ENOTFOUND);
	assert_int_equal(cfs_index_at(ix, CFS_POS_NONE, &it,
				      CFS_CTX(NULL, NULL)),
			 CFS_ENOTFOUND);
	cfs_iter_release(&it);
	return pos;
}

/* A key of the tree, or one like it. */
static inline struct cfs_slice random_target(const struct items *s, uint64_t *rng,
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
static inline void check_seek(struct cfs_index *ix, const struct items *s,
		       const cfs_pos *pos, struct cfs_slice key,
		       struct cfs_iter *it)
{
	struct cfs_error err = CFS_ERROR_INIT;
	size_t want = model_seek(s, key);
	int rc = cfs_index_seek(ix, key, it, CFS_CTX(NULL, &err));

	if (want == s->n) {
		assert_int_equal(rc, CFS_END);
		return;
	}
	if (rc != CFS_OK)
		fail_msg("%s at %" PRIu64, err.text, err.offset);
	assert_int_equal(it->pos, pos[want]);
	check_item(it, &s->v[want]);
}

static inline void check_seeks(struct cfs_index *ix, const struct items *s,
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

struct shape {
	uint32_t block, value, n, key_max;
};

static inline unsigned levels_of(struct cfs_slice tree)
{
	uint32_t block = cfs_le32_get(tree.p), n = cfs_le32_get(tree.p + 4);
	unsigned levels = 1;

	for (uint32_t b = 0; (b = cfs_le32_get(tree.p + 8 + b * block)) < n;)
		levels++;
	return levels;
}

/* The number of reads that one seek costs, nothing cached but the root. */
static inline uint64_t seek_cost(struct cfs_slice tree, struct cfs_slice key)
{
	struct cfs_index *ix = open_bytes(tree, 32, &(struct cfs_fault){ 0 });
	uint64_t before = cfs_source_fault_reads(ix->src);
	struct cfs_iter it;

	assert_int_equal(before, 1);		/* header and root at once */
	cfs_iter_init(&it);
	assert_int_in_range(cfs_index_seek(ix, key, &it,
				       CFS_CTX(NULL, NULL)), 0, 1);
	before = cfs_source_fault_reads(ix->src) - before;
	cfs_iter_release(&it);
	cfs_index_close(ix);
	return before;
}

#endif

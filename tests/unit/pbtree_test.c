/* pbtree_test.c - PB-tree files are read whatever they hold: entries, names,
 * captures, real blocks.  Keys and runs are tested in pbtree_key_test.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pbtree_fixture.h"

#include <pthread.h>

#include "url/pbtree_key.h"

/* --- reader ------------------------------------------------------------------- */

static const struct shape shapes[] = {
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

		/* and one to see that the next one is in its place */
		assert_int_in_range(n, 1, levels - 1 + 3);
		ones += n <= levels - 1 + 1;
	}
	assert_true(ones > 300);	/* mostly one data block is enough */
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
		int rc = cfs_index_seek(c->ix, key, &it, CFS_CTX(NULL, NULL));

		for (unsigned j = 0; j < 3 && rc == CFS_OK; j++, want++) {
			c->wrong += want >= c->s->n || it.pos != c->pos[want];
			rc = cfs_index_next(&it, CFS_CTX(NULL, NULL));
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
	assert_int_equal(cfs_pbtree_open(&ix, src, 40000, 32, NULL), 0);
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
		rc = cfs_index_seek(ix, r->v[i].lo, &it, CFS_CTX(NULL, NULL));
		while (rc == CFS_OK && (r->v[i].hi_open ||
		       cfs_slice_cmp(it.key, r->v[i].hi) < 0)) {
			assert_true(n == 0 || it.pos > last);
			if (cfs_index_split(ix, it.key, &path) == CFS_OK &&
			    belongs(&path, of, below)) {
				last = it.pos;
				n++;
			}
			rc = cfs_index_next(&it, CFS_CTX(NULL, NULL));
		}
		assert_int_in_range(rc, 0, 1);
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
	assert_int_in_range(stats.skipped, 10, 150);
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
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_EMPTY, &it,
					CFS_CTX(NULL, NULL)),
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
					    &n, CFS_CTX(NULL, NULL)), CFS_OK);
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

UNIT_PROGRAM
{
	UNIT_TEST(seeks_and_steps);
	UNIT_TEST(duplicates);
	UNIT_TEST(cold_reads);
	UNIT_TEST(threads);
	UNIT_TEST(runs_of_a_tree);
	UNIT_TEST(captures);
	UNIT_TEST(headers);
	UNIT_TEST(real_blocks);
	UNIT_TEST(real_keys);
	return unit_run_with("pbtree", make_dir, remove_dir);
}

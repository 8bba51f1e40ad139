/* pbtree_damage_test.c - PB-tree files that are damaged, cut, or fail to be read:
 * an error, in bounded time, and never a wrong entry.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pbtree_fixture.h"

#include "alloc_fail.h"
#include "base/log.h"

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

		/* two blocks, four doublings, four halvings, the block;
		 * their neighbours, to see that they are in order */
		assert_int_in_range(a, 1, levels - 1 + 16);
		assert_int_in_range(b, 1, levels - 1 + 16);
		sum += a + b;
	}
	assert_true(sum / 600 < levels + 14);
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
	rc = cfs_pbtree_open(&ix, src, CACHE, value, &err);
	cfs_iter_init(&it);
	if (rc == CFS_OK)
		rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it,
				    CFS_CTX(NULL, &err));
	while (rc == CFS_OK && steps++ <= bytes.n)
		rc = cfs_index_next(&it, CFS_CTX(NULL, &err));
	assert_true(steps <= bytes.n);
	for (unsigned i = 0; ix != NULL && i < 4; i++) {
		static const char *const keys[] = { "a", "k", "kb", "\xff" };
		struct cfs_slice key = cfs_slice_str(keys[i]);

		if (rc < 0) {
			assert_int_in_range(-rc, 2, 3);
			assert_string_equal(err.where, "bad");
			assert_true(err.offset <= bytes.n);
			assert_int_equal(it.pos, CFS_POS_NONE);
		}
		cfs_error_clear(&err);
		rc = cfs_index_seek(ix, key, &it, CFS_CTX(NULL, &err));
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
		rc = cfs_pbtree_open(&ix, src, CACHE, 8, &err);
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

/* The message about a damaged data block; other blocks still serve. */
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
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_LIT("key41"), &it,
					CFS_CTX(NULL, &err)), CFS_EFORMAT);
	assert_string_equal(err.where, "tree");
	assert_int_equal(err.offset, at + 38);
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_LIT("key39"), &it,
					CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(cfs_index_next(&it, CFS_CTX(NULL, NULL)), CFS_EFORMAT);
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_LIT("key44"), &it,
					CFS_CTX(NULL, NULL)), CFS_OK);
	assert_memory_equal(it.key.p, "key44", 5);

	/* and where a block is in the wrong place */
	t[at + 38 + 3] = '4';
	t[at + 3] = t[at + 41] = t[at + 79] = '2';
	cfs_iter_release(&it);
	cfs_index_close(ix);
	ix = open_bytes(tree, 32, NULL);
	assert_int_equal(cfs_index_at(ix, cfs_pos_make(9, 2), &it,
				      CFS_CTX(NULL, NULL)),
			 CFS_OK);
	cfs_error_clear(&err);
	assert_int_equal(cfs_index_next(&it, CFS_CTX(NULL, &err)), CFS_EFORMAT);
	assert_int_equal(err.offset, at);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	release(tree);
	items_release(&s);
}

/* Walks over all entries and holes: keys ascend, and an item is there, or its
 * block is a hole.  `at`: the block of each item as the tree is. */
static void walk_displaced(struct cfs_index *ix, const struct items *s,
			   const uint32_t *at)
{
	uint8_t *holes = calloc(ix->blocks, 1), *seen = calloc(s->n, 1);
	struct cfs_slice last = CFS_SLICE_EMPTY;
	struct cfs_iter it;
	unsigned n = 0;
	int rc;

	assert_true(holes != NULL && seen != NULL);
	cfs_iter_init(&it);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	while (rc != CFS_END) {
		if (rc != CFS_OK) {
			assert_int_equal(rc, CFS_EFORMAT);
			holes[cfs_pos_block(it.hole)] = 1;
			n++;
			rc = cfs_index_skip(&it, CFS_CTX(NULL, NULL));
			continue;
		}
		for (size_t i = model_seek(s, it.key); ; i++) {
			assert_true(i < s->n);
			if (!seen[i] && at[i] == cfs_pos_block(it.pos)) {
				check_item(&it, &s->v[i]);
				last = s->v[i].key;
				seen[i] = 1;
				break;
			}
		}
		rc = cfs_index_next(&it, CFS_CTX(NULL, NULL));
		if (rc == CFS_OK)
			assert_true(cfs_slice_cmp(it.key, last) >= 0);
	}
	for (size_t i = 0; i < s->n; i++)
		assert_true(seen[i] || holes[at[i]]);
	assert_in_range(n, 1, 2);
	cfs_iter_release(&it);
	free(holes);
	free(seen);
}

/* A search ends where it ends in the whole tree, or at a displaced block. */
static void seek_displaced(struct cfs_index *ix, const struct items *s,
			   uint32_t i, uint32_t j)
{
	uint64_t rng = 1;

	for (size_t k = 0; k < 4 * s->n; k++) {
		uint8_t buf[1024];
		struct cfs_slice key = k < s->n ? s->v[k].key :
				       random_target(s, &rng, buf);
		size_t want = model_seek(s, key);
		struct cfs_iter it;
		int rc;

		cfs_iter_init(&it);
		rc = cfs_index_seek(ix, key, &it, CFS_CTX(NULL, NULL));
		if (rc == CFS_EFORMAT)
			assert_true(cfs_pos_block(it.hole) == i ||
				    cfs_pos_block(it.hole) == j);
		else if (want == s->n)
			assert_int_equal(rc, CFS_END);
		else
			check_item(&it, &s->v[want]);
		cfs_iter_release(&it);
	}
}

/* Two blocks that have changed places are told, and hide nothing.  Holds E8. */
static void displaced_blocks(void **state)
{
	struct cfs_slice tree;
	uint32_t size, n, blocks, *at;
	struct cfs_index *ix;
	struct items s;
	cfs_pos *pos;
	uint8_t *t;

	(void)state;
	random_items(&s, 90, 30, 32, 5);
	tree = tree_of(&s, 256, 32);
	t = (uint8_t *)(uintptr_t)tree.p;
	size = cfs_le32_get(tree.p);
	n = cfs_le32_get(tree.p + 4);
	ix = open_bytes(tree, 32, NULL);
	blocks = (uint32_t)ix->blocks;
	pos = check_walk(ix, &s);
	cfs_index_close(ix);
	at = calloc(s.n, sizeof(*at));
	assert_true(at != NULL && blocks > 10);
	for (uint32_t i = 0; i < blocks; i++)
		for (uint32_t j = i + 1; j < blocks; j++) {
			uint8_t *a = t + 8 + (size_t)(n + i) * size;
			uint8_t *b = t + 8 + (size_t)(n + j) * size;
			uint8_t kept[256];

			for (size_t k = 0; k < s.n; k++) {
				at[k] = cfs_pos_block(pos[k]);
				if (at[k] == i || at[k] == j)
					at[k] = i + j - at[k];
			}
			for (unsigned half = 0; half < 2; half++) {
				memcpy(kept, a, size);
				memcpy(a, b, size);
				memcpy(b, kept, size);
				if (half != 0)
					break;
				ix = open_bytes(tree, 32, NULL);
				walk_displaced(ix, &s, at);
				seek_displaced(ix, &s, i, j);
				cfs_index_close(ix);
			}
		}
	free(at);
	free(pos);
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
	int rc = cfs_pbtree_open(&ix, src, CACHE, 32, err);

	cfs_iter_init(&it);
	for (size_t i = 0; rc == CFS_OK && i < s->n; i += s->n / 7) {
		rc = cfs_index_seek(ix, s->v[i].key, &it, CFS_CTX(NULL, err));
		for (unsigned j = 0; rc == CFS_OK && j < 4; j++)
			rc = cfs_index_next(&it, CFS_CTX(NULL, err));
		if (rc < 0) {
			/* a failure is not remembered */
			assert_int_equal(cfs_index_seek(ix, s->v[i].key, &it,
							CFS_CTX(NULL, NULL)), CFS_OK);
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
	assert_int_equal(cfs_index_seek(ix, s.v[0].key, &it,
					CFS_CTX(NULL, &err)), 0);
	assert_int_equal(cfs_index_seek(ix, s.v[s.n - 1].key, &it,
					CFS_CTX(NULL, &err)),
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
	assert_int_equal(cfs_index_seek(ix, s.v[9].key, &it,
					CFS_CTX(&cancel, NULL)),
			 CFS_EINTR);
	assert_int_equal(cfs_index_seek(ix, s.v[9].key, &it,
					CFS_CTX(NULL, NULL)), 0);
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

UNIT_PROGRAM
{
	UNIT_TEST(astray);
	UNIT_TEST(astray_cost);
	UNIT_TEST(astray_is_told);
	UNIT_TEST(damaged_bytes);
	UNIT_TEST(truncated);
	UNIT_TEST(damaged_block);
	UNIT_TEST(displaced_blocks);
	UNIT_TEST(reads_fail);
	UNIT_TEST(file_shrinks);
	UNIT_TEST(interrupted);
	UNIT_TEST(memory_fails);
	return unit_run_with("pbtree_damage", make_dir, remove_dir);
}

/* hits_test.c - an index of hits, compared with a walk through all entries.
 *
 * The index below is made up: its keys ascend, and its positions too, unless it
 * is a union; the blocks in `damaged` cannot be read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "index/hits.h"
#include "rng.h"

#define ENTRIES_MAX 300u
#define BLOCKS 40u

struct made {
	struct cfs_index base;
	unsigned n;
	char key[ENTRIES_MAX][12];
	cfs_pos pos[ENTRIES_MAX];
	bool is_damaged[BLOCKS];
};

/* The number of an entry by its position; n if there is none. */
static unsigned number_of(const struct made *m, cfs_pos pos)
{
	unsigned i = 0;

	while (i < m->n && m->pos[i] != pos)
		i++;
	return i;
}

static int stand(struct made *m, struct cfs_iter *it, unsigned i,
		 struct cfs_error *err)
{
	assert_ptr_equal(it->ix, &m->base);	/* it was lent */
	if (i >= m->n)
		return CFS_END;
	if (m->is_damaged[cfs_pos_block(m->pos[i])]) {
		it->hole = m->pos[i] & ~UINT64_C(0xffff);
		return cfs_error_set(err, CFS_EFORMAT, "damaged");
	}
	it->pos = m->pos[i];
	it->key = cfs_slice_str(m->key[i]);
	return CFS_OK;
}

static int made_seek(struct cfs_index *ix, struct cfs_slice key,
		     struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct made *m = (struct made *)ix;
	unsigned i = 0;

	while (i < m->n && cfs_slice_cmp(cfs_slice_str(m->key[i]), key) < 0)
		i++;
	return stand(m, it, i, ctx.err);
}

static int made_at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		   struct cfs_ctx ctx)
{
	struct made *m = (struct made *)ix;
	unsigned i = number_of(m, pos);

	return i == m->n ? CFS_ENOTFOUND : stand(m, it, i, ctx.err);
}

static int made_next(struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct made *m = (struct made *)it->ix;

	return stand(m, it, number_of(m, it->pos) + 1, ctx.err);
}

static const struct cfs_index_ops made_ops = {
	.seek = made_seek, .at = made_at, .next = made_next,
};

/* Keys repeat now and then.  Blocks have up to 12 entries; those of a union
 * come in any order. */
static void fill(struct made *m, uint64_t *r, bool is_merged, bool is_damaged)
{
	unsigned used[BLOCKS] = { 0 }, key = 0, block = 0;

	*m = (struct made){ .base = { .ops = &made_ops, .format = "made",
				      .is_merged = is_merged } };
	assert_int_equal(cfs_source_open_memory(&m->base.src, CFS_SLICE_EMPTY,
						"made", NULL), CFS_OK);
	m->n = (unsigned)rng_below(r, ENTRIES_MAX);
	for (unsigned i = 0; i < m->n; i++) {
		key += (unsigned)rng_below(r, 3);
		snprintf(m->key[i], sizeof(m->key[i]), "k%05u", key);
		if (is_merged)
			block = (unsigned)rng_below(r, BLOCKS);
		else if (used[block] == 12 && block + 1 < BLOCKS)
			block++;
		m->pos[i] = cfs_pos_make(block, used[block]++);
	}
	for (unsigned b = 0; is_damaged && b < BLOCKS; b++)
		m->is_damaged[b] = rng_below(r, 4) == 0;
}

struct chosen {
	unsigned v[ENTRIES_MAX], n;	/* numbers of entries that are hits */
};

static struct cfs_index *choose(struct made *m, uint64_t *r,
				struct chosen *out)
{
	cfs_pos *v = malloc((m->n + 1) * sizeof(*v));
	uint64_t one_in = 1 + rng_below(r, 20);
	struct cfs_index *ix;

	assert_non_null(v);
	out->n = 0;
	for (unsigned i = 0; i < m->n; i++)
		if (rng_below(r, one_in) == 0) {
			v[out->n] = m->pos[i];
			out->v[out->n++] = i;
		}
	assert_int_equal(cfs_hits_index_open(&ix, &m->base, v, out->n, NULL), CFS_OK);
	return ix;
}

/* Goes from hit k on to the end, over holes; every hit comes, and in a damaged
 * block a hole. */
static void walk_on(const struct made *m, const struct chosen *c, unsigned k,
		    struct cfs_iter *it, int rc)
{
	while (k < c->n) {
		unsigned i = c->v[k];
		uint32_t block = cfs_pos_block(m->pos[i]);

		if (m->is_damaged[block]) {
			assert_int_equal(rc, CFS_EFORMAT);
			assert_int_equal(cfs_pos_block(it->hole), block);
			while (k < c->n &&
			       cfs_pos_block(m->pos[c->v[k]]) == block)
				k++;
			rc = cfs_index_skip(it, CFS_CTX(NULL, NULL));
			continue;
		}
		assert_int_equal(rc, CFS_OK);
		assert_int_equal(it->pos, m->pos[i]);
		assert_string_equal(it->key.p, m->key[i]);
		assert_int_equal(it->hit, k);
		k++;
		rc = cfs_index_next(it, CFS_CTX(NULL, NULL));
	}
	assert_int_equal(rc, CFS_END);
}

/* Seeks from wherever `it` stands, and walks to the end.  Of a union, hits in
 * damaged blocks before the key may come, too, which are holes. */
static void seek_and_walk(const struct made *m, const struct chosen *c,
			  struct cfs_index *ix, const char *key,
			  struct cfs_iter *it)
{
	int rc = cfs_index_seek(ix, cfs_slice_str(key), it, CFS_CTX(NULL, NULL));
	unsigned k = 0;

	while (k < c->n && strcmp(m->key[c->v[k]], key) < 0)
		k++;
	while (rc == CFS_EFORMAT && it->hit < k)
		rc = cfs_index_skip(it, CFS_CTX(NULL, NULL));
	for (; rc != CFS_END && k < it->hit; k++)	/* skipped as one */
		assert_true(m->is_damaged[cfs_pos_block(m->pos[c->v[k]])]);
	for (; rc == CFS_END && k < c->n; k++)
		assert_true(m->is_damaged[cfs_pos_block(m->pos[c->v[k]])]);
	walk_on(m, c, k, it, rc);
}

static void check_each(const struct made *m, const struct chosen *c,
		       struct cfs_index *ix)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	unsigned k = 0;

	assert_non_null(it);
	cfs_iter_init(it);
	for (unsigned i = 0; i < m->n; i++) {
		bool is_hit = k < c->n && c->v[k] == i;
		int rc = cfs_index_at(ix, m->pos[i], it, CFS_CTX(NULL, NULL));

		assert_int_equal(cfs_hits_index_has(ix, m->pos[i]), is_hit);
		if (is_hit)
			assert_int_equal(cfs_hits_index_pos(ix, k), m->pos[i]);
		k += is_hit;
		if (!is_hit)
			assert_int_equal(rc, CFS_ENOTFOUND);
		else if (m->is_damaged[cfs_pos_block(m->pos[i])])
			assert_int_equal(rc, CFS_EFORMAT);
		else
			assert_int_equal(it->pos, m->pos[i]);
	}
	assert_int_equal(cfs_hits_index_pos(ix, c->n), CFS_POS_NONE);
	cfs_iter_release(it);
	free(it);
}

struct hits_case {
	const char *name;
	bool is_merged, is_damaged;
};
static struct hits_case hits_cases[] = {
	{ "one index", false, false },
	{ "one index, damaged", false, true },
	{ "a union", true, false },
	{ "a union, damaged", true, true },
};

static void hits_case(void **state)
{
	const struct hits_case *tc = *state;
	struct cfs_iter *it = malloc(sizeof(*it));
	struct made *m = malloc(sizeof(*m));
	uint64_t r = 7;

	assert_non_null(it);
	assert_non_null(m);
	for (unsigned round = 0; round < 300; round++) {
		struct cfs_index *ix;
		struct chosen c;
		char key[12];

		fill(m, &r, tc->is_merged, tc->is_damaged);
		ix = choose(m, &r, &c);
		cfs_iter_init(it);
		check_each(m, &c, ix);
		for (unsigned i = 0; i < 20; i++) {
			snprintf(key, sizeof(key), "k%05u",
				 (unsigned)rng_below(&r, ENTRIES_MAX));
			seek_and_walk(m, &c, ix, key, it);
			/* the next seek begins somewhere */
			(void)cfs_index_at(ix, cfs_hits_index_pos(ix, c.n / 2), it,
					   CFS_CTX(NULL, NULL));
		}
		cfs_iter_release(it);
		cfs_index_close(ix);
		cfs_source_close(m->base.src);
	}
	free(m);
	free(it);
}

static void none(void **state)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	struct made *m = malloc(sizeof(*m));
	struct cfs_index *ix;
	uint64_t r = 1;

	(void)state;
	assert_non_null(it);
	assert_non_null(m);
	fill(m, &r, false, false);
	assert_int_equal(cfs_hits_index_open(&ix, &m->base, NULL, 0, NULL), CFS_OK);
	cfs_iter_init(it);
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_EMPTY, it,
					CFS_CTX(NULL, NULL)), CFS_END);
	assert_false(cfs_hits_index_has(ix, m->pos[0]));
	cfs_index_close(ix);
	assert_int_equal(cfs_hits_index_open(&ix, &m->base, malloc(1),
				       (size_t)CFS_HITS_MAX + 1, NULL),
			 CFS_ELIMIT);
	cfs_source_close(m->base.src);
	free(m);
	free(it);
}

UNIT_PROGRAM
{
	UNIT_ROWS(hits_cases, hits_case);
	UNIT_TEST(none);
	return unit_run("hits");
}

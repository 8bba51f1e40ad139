/* part_test.c - parts of an index: where they are cut, and what they hold.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "index/part.h"
#include "rng.h"

/* ---- K/N ---- */

struct parse_case {
	const char *name, *text;
	int rc;
	uint32_t k, n;
};
static struct parse_case parse_cases[] = {
	{ "1/1", "1/1", CFS_OK, 1, 1 },
	{ "3/8", "3/8", CFS_OK, 3, 8 },
	{ "at the limit", "99999/99999", CFS_OK, 99999, 99999 },
	{ "past the limit", "1/100000", CFS_EUSAGE, 0, 0 },
	{ "far past the limit", "1/18446744073709551617", CFS_EUSAGE, 0, 0 },
	{ "K past the limit", "18446744073709551617/2", CFS_EUSAGE, 0, 0 },
	{ "K is 0", "0/4", CFS_EUSAGE, 0, 0 },
	{ "K past N", "5/4", CFS_EUSAGE, 0, 0 },
	{ "N is 0", "1/0", CFS_EUSAGE, 0, 0 },
	{ "both 0", "0/0", CFS_EUSAGE, 0, 0 },
	{ "no K", "/4", CFS_EUSAGE, 0, 0 },
	{ "no N", "1/", CFS_EUSAGE, 0, 0 },
	{ "no slash", "1", CFS_EUSAGE, 0, 0 },
	{ "empty", "", CFS_EUSAGE, 0, 0 },
	{ "two slashes", "1/2/3", CFS_EUSAGE, 0, 0 },
	{ "a sign", "+1/4", CFS_EUSAGE, 0, 0 },
	{ "a space", "1/ 4", CFS_EUSAGE, 0, 0 },
};

static void parse_case(void **state)
{
	const struct parse_case *tc = *state;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_part got = { 0, 0 };

	assert_int_equal(cfs_part_parse(tc->text, &got, &err), tc->rc);
	assert_int_equal(got.k, tc->k);
	assert_int_equal(got.n, tc->n);
	assert_int_equal(err.text[0] != '\0', tc->rc != CFS_OK);
}

/* ---- an index of made-up keys ---- */

#define ENTRIES_MAX 400

struct made {
	struct cfs_index base;
	unsigned n;
	char key[ENTRIES_MAX][12];
	cfs_pos pos[ENTRIES_MAX];
	int failure;			/* the result of a read, if not 0 */
	bool is_closed;
};

static int stand(struct made *m, struct cfs_iter *it, unsigned i)
{
	assert_ptr_equal(it->ix, &m->base);	/* it was lent */
	if (m->failure != CFS_OK)
		return m->failure;
	if (i >= m->n)
		return CFS_END;
	it->pos = m->pos[i];
	it->key = cfs_slice_str(m->key[i]);
	return CFS_OK;
}

static int made_seek(struct cfs_index *ix, struct cfs_slice key,
		     struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct made *m = (struct made *)ix;
	unsigned i = 0;

	(void)ctx;
	while (i < m->n && cfs_slice_cmp(cfs_slice_str(m->key[i]), key) < 0)
		i++;
	return stand(m, it, i);
}

static int made_at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		   struct cfs_ctx ctx)
{
	struct made *m = (struct made *)ix;
	int rc = m->failure;

	(void)ctx;
	for (unsigned i = 0; i < m->n; i++)
		if (m->pos[i] == pos)
			return stand(m, it, i);
	return rc == CFS_OK ? CFS_ENOTFOUND : rc;
}

static int made_next(struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct made *m = (struct made *)it->ix;
	unsigned i = 0;

	(void)ctx;
	while (m->pos[i] != it->pos)
		i++;
	return stand(m, it, i + 1);
}

static int made_capture(struct cfs_iter *it, struct cfs_capture *out,
			struct cfs_error *err)
{
	struct made *m = (struct made *)it->ix;

	(void)err;
	assert_ptr_equal(m->base.ops->capture, made_capture);
	*out = (struct cfs_capture){ .time = (int64_t)it->pos };
	return CFS_OK;
}

static void made_close(struct cfs_index *ix)
{
	((struct made *)ix)->is_closed = true;
}

static const struct cfs_index_ops made_ops = {
	.seek = made_seek, .at = made_at, .next = made_next,
	.capture = made_capture, .close = made_close,
};

static void init(struct made *m)
{
	*m = (struct made){ .base = { .ops = &made_ops, .format = "made",
				      .archives = 7 } };
	assert_int_equal(cfs_source_open_memory(&m->base.src, CFS_SLICE_EMPTY,
						"made", NULL), CFS_OK);
}

/* Blocks of up to 9 entries, some of them empty; keys may repeat, also from
 * block to block. */
static void fill(struct made *m, uint64_t seed)
{
	uint64_t r = seed;
	unsigned key = 0;

	init(m);
	m->base.blocks = rng_below(&r, 40);
	for (uint32_t b = 0; b < m->base.blocks; b++) {
		unsigned slots = (unsigned)rng_below(&r, 10);

		for (uint32_t s = 0; s < slots; s++) {
			key += rng_below(&r, 3) > 0;
			snprintf(m->key[m->n], sizeof(m->key[0]), "%06u", key);
			m->pos[m->n++] = cfs_pos_make(b, s);
		}
	}
}

static int open_part(struct made *m, struct cfs_index **out, uint32_t k,
		      uint32_t n)
{
	struct cfs_error err = CFS_ERROR_INIT;

	m->is_closed = false;
	return cfs_part_open(out, &m->base, (struct cfs_part){ k, n }, CFS_CTX(NULL, &err));
}

/* All of a part, from entry `at` of the whole on; returns the entry after. */
static unsigned walk(struct made *m, struct cfs_index *ix, unsigned at)
{
	struct cfs_iter it;
	struct cfs_capture cap;
	int rc;

	cfs_iter_init(&it);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK; at++) {
		assert_true(at < m->n);
		assert_int_equal(it.pos, m->pos[at]);
		assert_true(cfs_index_holds(ix, it.key));
		assert_int_equal(cfs_index_capture(&it, &cap, NULL), CFS_OK);
		assert_int_equal(cap.time, it.pos);
		rc = cfs_index_next(&it, CFS_CTX(NULL, NULL));
	}
	assert_int_equal(rc, CFS_END);
	assert_int_equal(it.pos, CFS_POS_NONE);
	cfs_iter_release(&it);
	return at;
}

/* Seeks find what is in the part; positions name any entry. */
static void probe(struct made *m, struct cfs_index *ix, unsigned from,
		  unsigned to)
{
	struct cfs_iter it;

	cfs_iter_init(&it);
	for (unsigned i = 0; i < m->n; i++) {
		struct cfs_slice key = cfs_slice_str(m->key[i]);
		int rc = cfs_index_seek(ix, key, &it, CFS_CTX(NULL, NULL));
		bool is_in = i >= from && i < to;

		assert_int_equal(cfs_index_holds(ix, key), is_in);
		if (i >= to || from == to) {
			assert_int_equal(rc, CFS_END);
		} else {
			assert_int_equal(rc, CFS_OK);
			if (is_in)
				assert_true(cfs_slice_eq(it.key, key));
			else
				assert_int_equal(it.pos, m->pos[from]);
		}
		assert_int_equal(cfs_index_at(ix, m->pos[i], &it,
					      CFS_CTX(NULL, NULL)),
				 CFS_OK);
		assert_ptr_equal(it.ix, ix);
		assert_true(cfs_slice_eq(it.key, key));
	}
	cfs_iter_release(&it);
}

/* Holds W1. */
static void test_parts(void **state)
{
	static const uint32_t counts[] = { 1, 2, 3, 7, 40, 1000 };
	struct made *m = malloc(sizeof(*m));

	(void)state;
	assert_non_null(m);
	for (uint64_t seed = 1; seed <= 60; seed++) {
		uint32_t n = counts[seed % COUNT(counts)];
		unsigned at = 0;

		fill(m, seed);
		for (uint32_t k = 1; k <= n; k++) {
			struct cfs_index *ix;
			unsigned from = at;

			assert_int_equal(open_part(m, &ix, k, n), CFS_OK);
			assert_int_equal(ix->archives, 7);
			at = walk(m, ix, at);
			probe(m, ix, from, at);
			cfs_index_close(ix);
			assert_true(m->is_closed);
		}
		assert_int_equal(at, m->n);
		cfs_source_close(m->base.src);
	}
	free(m);
}

/* Parts are about equal if the blocks are equally full. */
static void test_balance(void **state)
{
	struct made *m = malloc(sizeof(*m));

	(void)state;
	assert_non_null(m);
	init(m);
	for (m->n = 0; m->n < ENTRIES_MAX; m->n++) {
		snprintf(m->key[m->n], sizeof(m->key[0]), "%06u", m->n);
		m->pos[m->n] = cfs_pos_make(m->n / 60, m->n % 60);
	}
	m->base.blocks = (m->n + 59) / 60;
	m->base.last_fill = CFS_FILL_ALL * (m->n % 60) / 60;
	for (uint32_t n = 1; n < 50; n++) {
		unsigned at = 0;

		for (uint32_t k = 1; k <= n; k++) {
			struct cfs_index *ix;
			unsigned from = at;

			assert_int_equal(open_part(m, &ix, k, n), CFS_OK);
			at = walk(m, ix, at);
			cfs_index_close(ix);
			assert_int_in_range(at - from, m->n / n - (n > 1),
					m->n / n + 2);
		}
		assert_int_equal(at, m->n);
	}
	cfs_source_close(m->base.src);
	free(m);
}

/* No part is opened on what could not be read, or is out of order. */
static void test_failures(void **state)
{
	static const int failures[] = { CFS_EIO, CFS_EFORMAT, CFS_EINTR,
					CFS_ENOMEM, CFS_ETIMEOUT };
	struct made *m = malloc(sizeof(*m));
	struct cfs_index *ix;

	(void)state;
	assert_non_null(m);
	fill(m, 5);
	for (size_t i = 0; i < COUNT(failures); i++) {
		m->failure = failures[i];
		for (uint32_t k = 1; k <= 3; k++) {
			assert_int_equal(open_part(m, &ix, k, 3), failures[i]);
			assert_null(ix);
			assert_true(m->is_closed);
		}
		assert_int_equal(open_part(m, &ix, 1, 1), CFS_OK);
		cfs_index_close(ix);
	}
	m->failure = CFS_OK;
	for (unsigned i = 0; i < m->n; i++)
		snprintf(m->key[i], sizeof(m->key[0]), "%06u", m->n - i);
	assert_int_equal(open_part(m, &ix, 2, 3), CFS_EFORMAT);
	assert_true(m->is_closed);
	cfs_source_close(m->base.src);
	free(m);
}

/* ---- ranges of keys ---- */

/* Fills r with a few ranges of keys of one letter, and says in `has` which
 * letters are in one. */
static void letters_of(struct cfs_key_runs *r, uint64_t *rng, bool has[26])
{
	size_t n = rng_below(rng, 5);

	memset(has, 0, 26 * sizeof(has[0]));
	cfs_key_runs_init(r);
	for (size_t i = 0; i < n; i++) {
		char lo = (char)('a' + rng_below(rng, 26));
		char hi = (char)('a' + rng_below(rng, 26));
		struct cfs_range v = { cfs_slice_of(&lo, 1),
				       cfs_slice_of(&hi, 1),
				       rng_below(rng, 4) == 0 };

		if (!v.hi_open && lo >= hi)
			continue;
		assert_int_equal(cfs_key_runs_add(r, &v), CFS_OK);
		for (char c = lo; c <= 'z' && (v.hi_open || c < hi); c++)
			has[c - 'a'] = true;
	}
	cfs_key_runs_settle(r);
}

/* Two lists of ranges have in common what a search in both finds. */
static void test_common(void **state)
{
	uint64_t rng = 7;

	(void)state;
	for (unsigned turn = 0; turn < 2000; turn++) {
		struct cfs_key_runs a, b, both;
		bool in_a[26], in_b[26];

		letters_of(&a, &rng, in_a);
		letters_of(&b, &rng, in_b);
		cfs_key_runs_init(&both);
		assert_int_equal(cfs_key_runs_add_common(&both, &a, &b),
				 CFS_OK);
		cfs_key_runs_settle(&both);
		for (char c = 'a'; c <= 'z'; c++)
			assert_int_equal(
				cfs_key_runs_hold(&both, cfs_slice_of(&c, 1)),
				in_a[c - 'a'] && in_b[c - 'a']);
		cfs_key_runs_release(&a);
		cfs_key_runs_release(&b);
		cfs_key_runs_release(&both);
	}
}

UNIT_PROGRAM
{
	UNIT_ROWS(parse_cases, parse_case);
	UNIT_TEST(test_parts);
	UNIT_TEST(test_balance);
	UNIT_TEST(test_failures);
	UNIT_TEST(test_common);
	return unit_run("part");
}

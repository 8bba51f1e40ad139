/* walk_test.c - walks over damaged indexes, against a model: what is given and
 * what lies in the holes that are told is all there is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_fixture.h"

#include "format/cfx/cfx_format.h"
#include "format/cdx/stretch.h"
#include "index/index_walk.h"
#include "fault.h"

#define ENTRIES 9000u
#define BLOCKS_MAX 64u

/* An index in memory, and its entries: their keys, in order. */
struct made {
	uint8_t *p;
	size_t n;
	uint32_t blocks;
	uint32_t block_of[ENTRIES];
	struct cfs_buf keys[ENTRIES];
	/* a byte of the block that its reader misses, and what it becomes */
	size_t place[BLOCKS_MAX];
	uint8_t value[BLOCKS_MAX];
	size_t upper;			/* a byte above the blocks; 0: none */
};

/* The results of a walk. */
struct told {
	bool is_damaged[BLOCKS_MAX];
	bool is_hole[BLOCKS_MAX];
};

static int on_hole(void *arg, cfs_pos pos, const struct cfs_error *why)
{
	struct told *t = arg;
	uint32_t block = cfs_pos_block(pos);

	assert_int_equal(why->code, CFS_EFORMAT);
	assert_true(block < BLOCKS_MAX && t->is_damaged[block]);
	assert_false(t->is_hole[block]);	/* each is told once */
	t->is_hole[block] = true;
	return CFS_OK;
}

static struct cfs_index *open_made(const struct made *m, struct cfs_source **src)
{
	const struct cfs_fault none = { .code = CFS_OK };
	struct cfs_index *ix;

	assert_int_equal(cfs_source_open_memory(src, cfs_slice_of(m->p, m->n),
						"test", NULL), 0);
	assert_int_equal(cfs_source_open_fault(src, *src, &none, NULL), 0);
	assert_int_equal(cfs_index_open(&ix, *src, 1, NULL), 0);
	return ix;
}

/* Notes the block of each entry of the undamaged index, whose keys are the
 * model's. */
static void find_blocks(struct made *m)
{
	struct cfs_source *src;
	struct cfs_index *ix = open_made(m, &src);
	struct cfs_index_walk *w;

	assert_int_equal(cfs_index_walk_new(&w, ix, NULL, CFS_CTX(NULL, NULL)), 0);
	for (size_t i = 0; i < ENTRIES; i++) {
		assert_int_equal(cfs_index_walk_next(w), 0);
		assert_true(cfs_slice_starts(w->it.key, cfs_buf_slice(&m->keys[i])));
		cfs_buf_reset(&m->keys[i]);
		cfs_buf_add(&m->keys[i], w->it.key);
		m->block_of[i] = cfs_pos_block(w->it.pos);
	}
	assert_int_equal(cfs_index_walk_next(w), CFS_END);
	m->blocks = m->block_of[ENTRIES - 1] + 1;
	assert_true(m->blocks >= 4 && m->blocks < BLOCKS_MAX);
	cfs_index_walk_free(w);
	cfs_index_close(ix);
}

static void make_cfx(struct made *m, uint64_t *rng)
{
	struct fix f;
	uint64_t off;

	fix_open(&f);
	fix_make(&f, ENTRIES, rng_next(rng), 100000);
	fix_build(&f, 1, 1 << 24);
	m->p = fix_bytes(f.path, &m->n);
	for (size_t i = 0; i < ENTRIES; i++) {
		cfs_buf_init(&m->keys[i], CFS_KEY_MAX);
		cfs_buf_add(&m->keys[i], cfs_buf_slice(&f.caps[i].key));
	}
	fix_close(&f);
	find_blocks(m);
	m->upper = cfs_le64_get(m->p + CFS_CFX_OFF_LEVELS + CFS_CFX_LEVEL_BYTES) + 99;
	off = cfs_le64_get(m->p + CFS_CFX_OFF_LEVELS);
	for (uint32_t b = 0; b < m->blocks; b++) {
		uint32_t last = cfs_le32_get(m->p + CFS_CFX_OFF_LEVELS + 12);
		uint64_t n = b + 1 == m->blocks ? last : 65536;

		m->place[b] = off + b * UINT64_C(65536) + rng_below(rng, n);
		m->value[b] = m->p[m->place[b]] ^ (uint8_t)(1 << rng_below(rng, 8));
	}
}

static void make_cdxj(struct made *m, uint64_t *rng)
{
	struct cfs_buf text;

	cfs_buf_init(&text, 16 << 20);
	for (unsigned i = 0; i < ENTRIES; i++) {
		cfs_buf_init(&m->keys[i], CFS_KEY_MAX);
		cfs_buf_addf(&m->keys[i], "com,example)/%06u", i);
		cfs_buf_addf(&text, "com,example)/%06u 20200102030405 {\"url\": "
			     "\"http://example.com/%06u\", \"length\": \"99\", "
			     "\"offset\": \"%u\", \"filename\": \"a.warc.gz\"}\n",
			     i, i, i * 99);
	}
	m->n = text.n;
	m->p = text.p;
	find_blocks(m);
	for (uint32_t b = 0; b < m->blocks; b++) {
		size_t n = m->n - b * CFS_STRETCH_BYTES;

		/* a key that is out of order, in the middle of the stretch */
		n = n < CFS_STRETCH_BYTES ? n : CFS_STRETCH_BYTES;
		m->place[b] = b * CFS_STRETCH_BYTES + n / 2;
		while (m->p[m->place[b] - 1] != '\n')
			m->place[b]++;
		m->value[b] = '~';
	}
	(void)rng;
}

static void release_made(struct made *m)
{
	for (size_t i = 0; i < ENTRIES; i++)
		cfs_buf_release(&m->keys[i]);
	free(m->p);
	free(m);
}

/* Walks over entries first .. end - 1 of a damaged index. */
static void walk_range(const struct made *m, struct cfs_index *ix,
		       const bool *is_damaged, size_t first, size_t end)
{
	struct told t = { .is_hole = { false } };
	struct cfs_range range = { .lo = cfs_buf_slice(&m->keys[first]),
		.hi = cfs_buf_slice(&m->keys[end - 1]), .hi_open = end == ENTRIES };
	struct cfs_holes holes;
	struct cfs_index_walk *w;

	memcpy(t.is_damaged, is_damaged, sizeof(t.is_damaged));
	/* captures of one URL have one key */
	while (first > 0 && cfs_slice_eq(cfs_buf_slice(&m->keys[first - 1]), range.lo))
		first--;
	while (!range.hi_open && end > first &&
	       cfs_slice_cmp(cfs_buf_slice(&m->keys[end - 1]), range.hi) >= 0)
		end--;
	cfs_holes_init(&holes);
	holes.found = on_hole;
	holes.arg = &t;
	assert_int_equal(cfs_index_walk_new(&w, ix, &holes, CFS_CTX(NULL, NULL)), 0);
	cfs_index_walk_in(w, &range);
	for (size_t i = first; i < end; i++) {
		if (is_damaged[m->block_of[i]])
			continue;
		assert_int_equal(cfs_index_walk_next(w), 0);
		assert_true(cfs_slice_eq(w->it.key, cfs_buf_slice(&m->keys[i])));
		assert_int_equal(cfs_pos_block(w->it.pos), m->block_of[i]);
	}
	assert_int_equal(cfs_index_walk_next(w), CFS_END);
	for (size_t i = first; i < end; i++)
		assert_int_equal(t.is_hole[m->block_of[i]], is_damaged[m->block_of[i]]);
	cfs_index_walk_free(w);
	cfs_holes_release(&holes);
}

/* Flips bytes of blocks, walks over all and over ranges, mends them. */
static void walk_damaged(struct made *m, uint64_t *rng, unsigned one_in)
{
	bool is_damaged[BLOCKS_MAX] = { false };
	const bool is_upper = m->upper > 0 && rng_below(rng, 2) == 0;
	struct cfs_source *src;
	struct cfs_index *ix;

	for (unsigned turn = 0; turn < 2; turn++) {
		for (uint32_t b = 0; b < m->blocks; b++) {
			uint8_t old = m->p[m->place[b]];

			if (turn == 0)
				is_damaged[b] = rng_below(rng, one_in) == 0;
			if (!is_damaged[b])
				continue;
			m->p[m->place[b]] = m->value[b];
			m->value[b] = old;
		}
		if (turn > 0)
			return;
		m->p[m->upper] ^= is_upper;
		ix = open_made(m, &src);
		walk_range(m, ix, is_damaged, 0, ENTRIES);
		for (unsigned k = 0; k < 12; k++) {
			size_t first = rng_below(rng, ENTRIES);

			walk_range(m, ix, is_damaged, first,
				   first + 1 + rng_below(rng, ENTRIES - first));
		}
		cfs_index_close(ix);
		m->p[m->upper] ^= is_upper;
	}
}

/* A read that fails now is no damage: the walk ends, and reports no hole. */
static void walk_failing(const struct made *m, uint64_t *rng)
{
	struct told t = { .is_hole = { false } };
	struct cfs_source *src;
	struct cfs_index *ix = open_made(m, &src);
	uint32_t block = (uint32_t)rng_below(rng, m->blocks);
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_index_walk *w;
	struct cfs_holes holes;
	size_t i = 0;
	int rc;

	cfs_source_fault_plan(src)->fail_byte_set = true;
	cfs_source_fault_plan(src)->fail_byte = m->place[block];
	cfs_holes_init(&holes);
	holes.found = on_hole;
	holes.arg = &t;
	assert_int_equal(cfs_index_walk_new(&w, ix, &holes, CFS_CTX(NULL, &err)), 0);
	while ((rc = cfs_index_walk_next(w)) == CFS_OK)
		assert_true(cfs_slice_eq(w->it.key, cfs_buf_slice(&m->keys[i++])));
	assert_int_equal(rc, CFS_EIO);
	assert_int_equal(err.code, CFS_EIO);
	assert_true(i < ENTRIES && m->block_of[i] <= block);
	assert_int_equal(cfs_holes_count(&holes), 0);
	cfs_index_walk_free(w);
	cfs_holes_release(&holes);
	cfs_index_close(ix);
}

static void model(void (*make)(struct made *m, uint64_t *rng))
{
	struct made *m = calloc(1, sizeof(*m));
	uint64_t rng = 20261129;

	assert_non_null(m);
	make(m, &rng);
	for (unsigned turn = 0; turn < 16; turn++)
		walk_damaged(m, &rng, 1 + turn % 4);	/* first of all: all */
	for (unsigned turn = 0; turn < 8; turn++)
		walk_failing(m, &rng);
	release_made(m);
}

static void cfx(void **state)
{
	(void)state;
	model(make_cfx);
}

static void cdxj(void **state)
{
	(void)state;
	model(make_cdxj);
}

UNIT_PROGRAM
{
	UNIT_TEST(cfx);
	UNIT_TEST(cdxj);
	return unit_run("walk");
}

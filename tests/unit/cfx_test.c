/* cfx_test.c - the reader of crawlfs indexes: positions, searching, damage.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_fixture.h"

#include <fcntl.h>

#include "base/hash.h"
#include "format/cfx/cfx.h"
#include "format/cfx/cfx_joindata.h"
#include "format/cfx/cfx_write.h"
#include "format/open_index.h"
#include "fault.h"

static struct cfs_index *open_bytes(const uint8_t *p, size_t n, int *rc, struct cfs_error *err)
{
	struct cfs_index *ix = NULL;
	struct cfs_source *src;

	assert_int_equal(cfs_source_open_memory(&src, cfs_slice_of(p, n), "test.cfx", NULL), 0);
	*rc = cfs_index_open(&ix, src, 1 << 20, err);
	assert_true((*rc == CFS_OK) == (ix != NULL));
	return ix;
}

/* An archive that the index was built from, as its table has it. */
static int archive_of(struct cfs_index *ix, uint32_t i, const char **name,
		      uint64_t *size, int64_t *mtime)
{
	struct cfs_cfx_archive a;

	if (i >= ix->archives)
		return CFS_END;
	cfs_cfx_archive(ix, i, &a);
	*size = a.size;
	*mtime = a.mtime;
	*name = a.name;
	return CFS_OK;
}

/* ---- positions and searching, against sorted keys ---- */

struct model {
	struct cfs_buf *keys;
	cfs_pos *pos;
	size_t n;
};

/* Number of the first key that is not less. */
static size_t lower_bound(const struct model *m, struct cfs_slice key)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (cfs_slice_cmp(cfs_buf_slice(&m->keys[mid]), key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void check_seek(struct cfs_index *ix, const struct model *m, struct cfs_slice key, struct cfs_iter *it)
{
	size_t want = lower_bound(m, key);
	int rc = cfs_index_seek(ix, key, it, CFS_CTX(NULL, NULL));

	if (want == m->n) {
		assert_int_equal(rc, CFS_END);
		assert_int_equal(it->pos, CFS_POS_NONE);
		return;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(it->pos, m->pos[want]);
	assert_true(cfs_slice_eq(it->key, cfs_buf_slice(&m->keys[want])));
}

/* Keys that are there, and others near them. */
static void check_seeks(struct cfs_index *ix, const struct model *m, size_t times)
{
	static struct cfs_iter fresh, used;
	uint64_t rng = 99;
	struct cfs_buf k;

	cfs_iter_init(&fresh);
	cfs_iter_init(&used);
	cfs_buf_init(&k, CFS_KEY_MAX + 8);
	for (size_t i = 0; i < times; i++) {
		size_t at = i < m->n ? i : rng_below(&rng, m->n);

		cfs_buf_reset(&k);
		cfs_buf_add(&k, cfs_buf_slice(&m->keys[at]));
		switch (rng_below(&rng, 6)) {
		case 0:
			k.n = rng_below(&rng, k.n + 1);
			break;
		case 1:
			cfs_buf_addc(&k, (uint8_t)rng_next(&rng));
			break;
		case 2:
			if (k.n > 0)
				k.p[k.n - 1]++;
			break;
		case 3:
			if (k.n > 0)
				k.p[rng_below(&rng, k.n)] ^= 1;
			break;
		}
		check_seek(ix, m, cfs_buf_slice(&k), &fresh);
		cfs_iter_release(&fresh);
		check_seek(ix, m, cfs_buf_slice(&k), &used);
		/* from there on, a few steps, and a short seek forward */
		for (size_t s = lower_bound(m, cfs_buf_slice(&k)), e = s + rng_below(&rng, 4); s < m->n && s < e; s++) {
			int rc = cfs_index_next(&used, CFS_CTX(NULL, NULL));

			assert_int_equal(rc, s + 1 < m->n ? CFS_OK : CFS_END);
			if (rc == CFS_OK)
				assert_int_equal(used.pos, m->pos[s + 1]);
		}
	}
	check_seek(ix, m, CFS_SLICE_LIT("\xff\xff\xff\xff"), &used);
	cfs_buf_release(&k);
	cfs_iter_release(&used);
}

static void check_at(struct cfs_index *ix, const struct model *m, size_t times)
{
	static struct cfs_iter it;
	uint64_t rng = 5;

	cfs_iter_init(&it);
	for (size_t i = 0; i < times; i++) {
		size_t k = i < m->n ? i : rng_below(&rng, m->n);

		assert_int_equal(cfs_index_at(ix, m->pos[k], &it,
					      CFS_CTX(NULL, NULL)), 0);
		assert_int_equal(it.pos, m->pos[k]);
		assert_true(cfs_slice_eq(it.key, cfs_buf_slice(&m->keys[k])));
		if (k + 1 < m->n) {
			assert_int_equal(cfs_index_next(&it, CFS_CTX(NULL, NULL)), 0);
			assert_true(cfs_slice_eq(it.key, cfs_buf_slice(&m->keys[k + 1])));
		}
	}
	assert_int_equal(cfs_index_at(ix, m->pos[m->n - 1] + 1, &it,
				      CFS_CTX(NULL, NULL)), CFS_ENOTFOUND);
	assert_int_equal(it.pos, CFS_POS_NONE);
	assert_int_equal(cfs_index_at(ix, cfs_pos_make(1 << 20, 0), &it,
				      CFS_CTX(NULL, NULL)), CFS_ENOTFOUND);
	assert_int_equal(cfs_index_at(ix, CFS_POS_NONE, &it,
				      CFS_CTX(NULL, NULL)), CFS_ENOTFOUND);
	assert_int_equal(cfs_index_at(ix, 1ull << 60, &it,
				      CFS_CTX(NULL, NULL)), CFS_ENOTFOUND);
	cfs_iter_release(&it);
}

/* From the first entry of each leaf to the first of the same key, which may
 * lie in the leaf before. */
static unsigned check_leaf_starts(struct cfs_index *ix, const struct model *m)
{
	static struct cfs_iter it;
	unsigned before = 0;

	cfs_iter_init(&it);
	for (size_t i = 0; i < m->n; i++) {
		if (cfs_pos_slot(m->pos[i]) != 0)
			continue;
		assert_int_equal(cfs_index_at(ix, m->pos[i], &it,
					      CFS_CTX(NULL, NULL)), 0);
		check_seek(ix, m, cfs_buf_slice(&m->keys[i]), &it);
		before += it.pos < m->pos[i];
	}
	cfs_iter_release(&it);
	return before;
}

/* The position of every key, by walking. */
static void find_positions(struct cfs_index *ix, struct model *m)
{
	static struct cfs_iter it;
	size_t i = 0;

	m->pos = calloc(m->n, sizeof(*m->pos));
	cfs_iter_init(&it);
	for (int rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it,
				     CFS_CTX(NULL, NULL)); rc == CFS_OK;
	     rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)))
		m->pos[i++] = it.pos;
	assert_int_equal(i, m->n);
	cfs_iter_release(&it);
}

struct search_case {
	const char *name;
	size_t n;
	uint64_t spread;
	size_t cache;
};
static struct search_case search_cases[] = {
	{ "one entry", 1, 10, 1 << 20 },
	{ "one leaf", 900, 1000, 1 << 20 },
	{ "equal keys across leaves", 40000, 2, 8 << 20 },
	{ "many leaves, no cache", 20000, 1000000, 0 },
};

static void search_case(void **state)
{
	const struct search_case *tc = *state;
	struct cfs_index *ix;
	struct model m;
	struct fix f;

	fix_open(&f);
	fix_make(&f, tc->n, 3, tc->spread);
	fix_build(&f, 2, 0);
	ix = fix_index(&f, tc->cache);
	m = (struct model){ calloc(tc->n, sizeof(*m.keys)), NULL, tc->n };
	for (size_t i = 0; i < tc->n; i++)
		m.keys[i] = f.caps[i].key;	/* lent */
	find_positions(ix, &m);
	check_seeks(ix, &m, 5000);
	check_at(ix, &m, 3000);
	assert_true(check_leaf_starts(ix, &m) > 3 || tc->spread != 2);
	cfs_index_close(ix);
	free(m.keys);
	free(m.pos);
	fix_close(&f);
}

/* Long keys fill upper blocks fast: here are three levels and more. */
static void deep_tree(void **state)
{
	static const struct cfs_symbols none = { .ones = 255 };
	static const struct cfs_builder_archive archive = { .name = "a", .size = 1, .mtime = 1 };
	static const struct cfs_cfx_clock clock = { 0, 0 };
	struct cfs_cfx_params p = { .name = "deep", .symbols = &none, .archives = &archive,
		.n_archives = 1, .clocks = &clock, .offset_max = 1 << 20 };
	const uint64_t skipped[CFS_SKIPPED_KINDS] = { 0 };
	uint64_t captures, file_bytes;
	struct cfs_cfx_writer *w;
	struct model m = { calloc(9000, sizeof(*m.keys)), NULL, 9000 };
	struct cfs_index *ix;
	struct fix f;
	uint8_t *bytes;
	size_t n;
	int rc;

	(void)state;
	fix_open(&f);
	p.fd = open(f.path, O_RDWR | O_CREAT, 0600);
	assert_true(p.fd >= 0);
	assert_int_equal(cfs_cfx_writer_new(&w, &p, NULL), 0);
	for (size_t i = 0; i < m.n; i++) {
		struct cfs_capture e = { .loc.offset = i, .loc.length = 5 };
		cfs_pos pos;

		cfs_buf_init(&m.keys[i], CFS_KEY_MAX);
		for (unsigned j = 0; j < 8000; j++)
			cfs_buf_addc(&m.keys[i], (uint8_t)(j * j % 251));
		cfs_buf_addf(&m.keys[i], "%05zu", i);
		assert_int_equal(cfs_cfx_writer_add(w, cfs_buf_slice(&m.keys[i]), &e, CFS_SLICE_EMPTY, &pos,
						    NULL), 0);
	}
	assert_int_equal(cfs_cfx_writer_finish(w, skipped, &captures,
					       &file_bytes, NULL), 0);
	cfs_cfx_writer_free(w);
	close(p.fd);
	bytes = fix_bytes(f.path, &n);
	assert_true(cfs_le32_get(bytes + 28) >= 3);	/* levels */
	ix = open_bytes(bytes, n, &rc, NULL);
	find_positions(ix, &m);
	check_seeks(ix, &m, 400);
	check_at(ix, &m, 200);
	cfs_index_close(ix);
	for (size_t i = 0; i < m.n; i++)
		cfs_buf_release(&m.keys[i]);
	free(m.keys);
	free(m.pos);
	free(bytes);
	fix_close(&f);
}

/* ---- tables ---- */

static void archives(void **state)
{
	struct cfs_index_stats st;
	struct cfs_index *ix;
	struct fix f;
	const char *name;
	uint64_t size;
	int64_t mtime;

	(void)state;
	fix_open(&f);
	fix_make(&f, 20, 4, 10);
	fix_build(&f, 1, 0);
	ix = fix_index(&f, 1 << 20);
	for (uint32_t i = 0; i < FIX_ARCHIVES; i++) {
		assert_int_equal(archive_of(ix, i, &name, &size, &mtime), 0);
		assert_string_equal(name, f.archives[i].name);
		assert_int_equal(size, f.archives[i].size);
		assert_int_equal(mtime, f.archives[i].mtime);
	}
	assert_int_equal(archive_of(ix, FIX_ARCHIVES, &name, &size, &mtime), CFS_END);
	cfs_index_get_stats(ix, &st);
	assert_int_equal(st.blocks, 1);
	assert_true(ix->has_status);
	assert_string_equal(ix->format, "crawlfs index");
	cfs_index_close(ix);
	fix_close(&f);
}

/* More MIME types and statuses than the tables take: the rest in extras. */
static void full_tables(void **state)
{
	static const struct cfs_symbols none = { .ones = 255 };
	static const struct cfs_builder_archive archive = { .name = "a", .size = 1, .mtime = 1 };
	static const struct cfs_cfx_clock clock = { 0, 0 };
	struct cfs_cfx_params p = { .name = "full", .symbols = &none, .archives = &archive,
		.n_archives = 1, .clocks = &clock, .offset_max = 1 << 20 };
	const uint64_t skipped[CFS_SKIPPED_KINDS] = { 0 };
	uint64_t captures, file_bytes;
	static struct cfs_iter it;
	struct cfs_cfx_writer *w;
	struct cfs_capture cap;
	struct cfs_index *ix;
	const size_t n = 70000;
	struct fix f;
	char text[40];
	size_t i = 0;

	(void)state;
	fix_open(&f);
	p.fd = open(f.path, O_RDWR | O_CREAT, 0600);
	assert_int_equal(cfs_cfx_writer_new(&w, &p, NULL), 0);
	for (size_t k = 0; k < n; k++) {
		struct cfs_capture e = { .status = (uint16_t)k, .loc.offset = k, .loc.length = k };
		cfs_pos pos;

		snprintf(text, sizeof(text), "application/x-%zu", k);
		e.mime = cfs_slice_str(text);
		assert_int_equal(cfs_cfx_writer_add(w, CFS_SLICE_LIT("h\0_\0"), &e, CFS_SLICE_EMPTY, &pos, NULL),
				 0);
	}
	assert_int_equal(cfs_cfx_writer_finish(w, skipped, &captures,
					       &file_bytes, NULL), 0);
	cfs_cfx_writer_free(w);
	close(p.fd);
	ix = fix_index(&f, 1 << 20);
	cfs_iter_init(&it);
	for (int rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it,
				     CFS_CTX(NULL, NULL)); rc == CFS_OK;
	     rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)), i++) {
		snprintf(text, sizeof(text), "application/x-%zu", i);
		assert_int_equal(cfs_index_capture(&it, &cap, NULL), 0);
		assert_true(cfs_slice_eq(cap.mime, cfs_slice_str(text)));
		assert_int_equal(cap.status, (uint16_t)i);
		assert_int_equal(cap.loc.length, i);
	}
	assert_int_equal(i, n);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	fix_close(&f);
}

/* ---- damage ---- */

/* Reads everything there is; 0 or the first failure. */
static int read_everything(struct cfs_index *ix)
{
	static const char *const refs[] = { "id:<urn:uuid:3>", "digest:sha1:1", "digest:sha1:2" };
	static struct cfs_iter it;
	struct cfs_capture cap;
	struct cfs_buf b;
	cfs_pos pos[8];
	size_t n, steps = 0;
	int rc;

	cfs_iter_init(&it);
	cfs_buf_init(&b, 1 << 20);
	for (rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL)); rc == CFS_OK && steps < 100000;
	     rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)), steps++) {
		rc = cfs_index_capture(&it, &cap, NULL);
		if (rc == CFS_OK) {
			rc = cfs_index_archive_name(ix, &cap.loc, &b, NULL);
			cfs_index_key_url(ix, it.key, &cap, &b);
			cfs_buf_reset(&b);
		}
		if (rc != CFS_OK)
			break;
	}
	for (unsigned i = 0; i < COUNT(refs) && (rc == CFS_OK || rc == CFS_END); i++)
		rc = cfs_index_find_ref(ix, cfs_slice_str(refs[i]), pos, 8, &n,
					CFS_CTX(NULL, NULL));
	cfs_iter_release(&it);
	cfs_buf_release(&b);
	return rc == CFS_END ? CFS_OK : rc;
}

static uint8_t *small_file(size_t n_caps, size_t *n)
{
	struct fix f;
	uint8_t *p;

	fix_open(&f);
	fix_make(&f, n_caps, 11, 50);
	fix_build(&f, 1, 0);
	p = fix_bytes(f.path, n);
	fix_close(&f);
	return p;
}

/* Every prefix is refused, even if its header says it is whole. */
/* Holds E8. */
static void truncated(void **state)
{
	size_t n;
	uint8_t *p = small_file(60, &n);

	(void)state;
	for (size_t cut = 0; cut < n; cut++) {
		struct cfs_error err = CFS_ERROR_INIT;
		int rc;

		assert_null(open_bytes(p, cut, &rc, &err));
		assert_int_equal(rc, CFS_EFORMAT);
		assert_string_equal(err.where, "test.cfx");
		if (cut < CFS_CFX_HEADER_BYTES)
			continue;
		cfs_le64_put(p + 32, cut);
		cfs_le64_put(p + CFS_CFX_OFF_CHECKSUM, cfs_hash64(cfs_slice_of(p, CFS_CFX_OFF_CHECKSUM), 0));
		assert_null(open_bytes(p, cut, &rc, NULL));
		assert_int_equal(rc, CFS_EFORMAT);
		cfs_le64_put(p + 32, n);
		cfs_le64_put(p + CFS_CFX_OFF_CHECKSUM, cfs_hash64(cfs_slice_of(p, CFS_CFX_OFF_CHECKSUM), 0));
	}
	free(p);
}

/* Holds E8. */
/* Every flipped bit is noticed, at open or when what it is part of is read. */
static void flipped(void **state)
{
	size_t n;
	uint8_t *p = small_file(60, &n);
	int rc;
	struct cfs_index *ix = open_bytes(p, n, &rc, NULL);

	(void)state;
	assert_int_equal(read_everything(ix), 0);
	cfs_index_close(ix);
	for (size_t i = 0; i < n * 8; i += i < 8 * 600 || i > 8 * 4000 ? 3 : 41) {
		p[i / 8] ^= (uint8_t)(1 << i % 8);
		ix = open_bytes(p, n, &rc, NULL);
		if (ix != NULL)
			rc = read_everything(ix);
		assert_true(rc == CFS_EFORMAT || rc == CFS_EUNSUPPORTED);
		cfs_index_close(ix);
		p[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	free(p);
}

/* ---- damage under good checksums ---- */

/* Makes the checksums of header, tables and one leaf good again. */
static void mend(uint8_t *p, size_t n)
{
	uint32_t leaf = cfs_le32_get(p + CFS_CFX_OFF_LEVELS + 12);

	for (unsigned i = 0; i < CFS_CFX_SECTIONS; i++) {
		uint8_t *q = p + CFS_CFX_OFF_SECTIONS + i * CFS_CFX_SECTION_BYTES;
		uint64_t off = cfs_le64_get(q), bytes = cfs_le64_get(q + 8);

		if (off <= n && bytes <= n - off)
			cfs_le64_put(q + 16, cfs_hash64(cfs_slice_of(p + off, bytes), i + 1));
	}
	if (leaf > 8 && CFS_CFX_HEADER_BYTES + leaf <= n)
		cfs_le64_put(p + CFS_CFX_HEADER_BYTES,
			     cfs_hash64(cfs_slice_of(p + CFS_CFX_HEADER_BYTES + 8, leaf - 8), 0));
	for (unsigned i = 1; i < 3; i++) {	/* upper levels of one block */
		const uint8_t *q = p + CFS_CFX_OFF_LEVELS + i * CFS_CFX_LEVEL_BYTES;
		uint64_t off = cfs_le64_get(q);
		uint32_t bytes = cfs_le32_get(q + 12);

		if (off >= CFS_CFX_HEADER_BYTES && bytes > 8 && off <= n && bytes <= n - off)
			cfs_le64_put(p + off, cfs_hash64(cfs_slice_of(p + off + 8, bytes - 8), cfs_cfx_seed(i, 0)));
	}
	cfs_le64_put(p + CFS_CFX_OFF_CHECKSUM, cfs_hash64(cfs_slice_of(p, CFS_CFX_OFF_CHECKSUM), 0));
}

struct lie {
	const char *name;
	size_t off;	/* of the header; or of the leaf, + LEAF; from the end of the leaf, - */
	unsigned bytes;
	uint64_t value;
	int rc;		/* 0: may go unnoticed, but no crash */
};
#define LEAF 0x10000
#define LEAF_END 0x20000
static const struct lie lies[] = {
	{ "version 5", 8, 4, 5, CFS_EUNSUPPORTED },
	{ "version 3", 8, 4, 3, CFS_EUNSUPPORTED },
	{ "version 1", 8, 4, 1, CFS_EUNSUPPORTED },
	{ "header bytes", 12, 4, 8192, CFS_EFORMAT },
	{ "block bytes", 16, 4, 1 << 20, CFS_EFORMAT },
	{ "key order", 20, 1, 2, CFS_EFORMAT },
	{ "restart interval 0", 21, 1, 0, CFS_EFORMAT },
	{ "restart interval 1", 21, 1, 1, CFS_EFORMAT },
	{ "restart interval 255", 21, 1, 255, 0 },
	{ "archive width", 22, 1, 33, CFS_EFORMAT },
	{ "offset width", 23, 1, 65, CFS_EFORMAT },
	{ "wider offsets", 23, 1, 64, 0 },
	{ "no offsets", 23, 1, 0, 0 },
	{ "17 levels", 28, 4, 17, CFS_EFORMAT },
	{ "many levels", 28, 4, UINT32_MAX, CFS_EFORMAT },
	{ "no levels", 28, 4, 0, CFS_EFORMAT },
	{ "two levels, the second empty", 28, 4, 2, CFS_EFORMAT },
	{ "larger file", 32, 8, UINT64_MAX, CFS_EFORMAT },
	{ "no captures", 40, 8, 0, CFS_EFORMAT },
	{ "level offset far", CFS_CFX_OFF_LEVELS, 8, UINT64_MAX, CFS_EFORMAT },
	{ "level offset in the header", CFS_CFX_OFF_LEVELS, 8, 4000, CFS_EFORMAT },
	{ "many blocks", CFS_CFX_OFF_LEVELS + 8, 4, UINT32_MAX, CFS_EFORMAT },
	{ "no blocks", CFS_CFX_OFF_LEVELS + 8, 4, 0, CFS_EFORMAT },
	{ "two roots", CFS_CFX_OFF_LEVELS + 8, 4, 2, CFS_EFORMAT },
	{ "last block empty", CFS_CFX_OFF_LEVELS + 12, 4, 16, CFS_EFORMAT },
	{ "last block too long", CFS_CFX_OFF_LEVELS + 12, 4, 65537, CFS_EFORMAT },
	{ "last block short", CFS_CFX_OFF_LEVELS + 12, 4, 17, CFS_EFORMAT },
	{ "sizes not counted, as before", CFS_CFX_OFF_UNSIZED, 4, 0, 0 },
	{ "sizes counted as later", CFS_CFX_OFF_UNSIZED, 4, 2, 0 },
	{ "more without size than there are", CFS_CFX_OFF_UNSIZED + 4, 8, UINT64_MAX, 0 },
	{ "references far", CFS_CFX_OFF_REFS, 8, UINT64_MAX, CFS_EFORMAT },
	{ "references many", CFS_CFX_OFF_REFS + 8, 4, UINT32_MAX, CFS_EFORMAT },
	{ "table far", CFS_CFX_OFF_SECTIONS + 32, 8, UINT64_MAX - 5, CFS_EFORMAT },
	{ "table long", CFS_CFX_OFF_SECTIONS + 40, 8, UINT64_MAX - 5, CFS_EFORMAT },
	/* Holds L5. */
	{ "table of many archives", CFS_CFX_OFF_SECTIONS + 56, 8, UINT32_MAX, CFS_EFORMAT },
	{ "table of more archives", CFS_CFX_OFF_SECTIONS + 56, 8, 6, CFS_EFORMAT },
	{ "table of fewer archives", CFS_CFX_OFF_SECTIONS + 56, 8, 1, CFS_EFORMAT },
	{ "table of more types", CFS_CFX_OFF_SECTIONS + 88, 8, 30, CFS_EFORMAT },
	{ "table of more classes", CFS_CFX_OFF_SECTIONS + 120, 8, 3, CFS_EFORMAT },
	{ "block of level 1", LEAF + 8, 1, 1, CFS_EFORMAT },
	{ "no entries", LEAF + 10, 2, 0, CFS_EFORMAT },
	{ "more entries", LEAF + 10, 2, 61, CFS_EFORMAT },
	{ "many entries", LEAF + 10, 2, 65535, CFS_EFORMAT },
	{ "first key shares", LEAF + 16, 1, 4 << 5 | 1, CFS_EFORMAT },
	{ "first key shares less than nothing", LEAF + 16, 1, 1, CFS_EFORMAT },
	{ "first key shares much", LEAF + 16, 2, 0x7fe1, CFS_EFORMAT },
	{ "long key", LEAF + 16, 2, 0xff7f, CFS_EFORMAT },
	{ "restart past the end", LEAF_END - 2, 2, 65535, CFS_EFORMAT },
	{ "restart among restarts", LEAF_END - 2, 2, 0, CFS_EFORMAT },
	{ "restart goes back", LEAF_END - 4, 2, 16, CFS_EFORMAT },
	{ "first restart", LEAF_END - 8, 2, 17, CFS_EFORMAT },
};

static void lie_case(void **state)
{
	const struct lie *l = *state;
	size_t n, off = l->off;
	uint8_t *p = small_file(60, &n);
	uint32_t leaf = cfs_le32_get(p + CFS_CFX_OFF_LEVELS + 12);
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_index *ix;
	int rc;

	if (off > LEAF_END - 16)
		off = CFS_CFX_HEADER_BYTES + leaf - (LEAF_END - off);
	else if (off >= LEAF)
		off = off - LEAF + CFS_CFX_HEADER_BYTES;
	for (unsigned i = 0; i < l->bytes; i++)
		p[off + i] = (uint8_t)(l->value >> 8 * i);
	mend(p, n);
	ix = open_bytes(p, n, &rc, &err);
	if (ix != NULL)
		rc = read_everything(ix);
	if (l->rc != 0) {
		assert_int_equal(rc, l->rc);
		assert_true(ix != NULL || strcmp(err.where, "test.cfx") == 0);
	}
	cfs_index_close(ix);
	free(p);
}

/* Files that older or later programs write say nothing of their sizes here. */
static void sizes_not_counted(void **state)
{
	static const struct { uint32_t mark; bool is_known; } cases[] = {
		{ 0, false }, { 1, true }, { 2, false } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cfs_index *ix;
		size_t n;
		uint8_t *p = small_file(60, &n);
		int rc;

		cfs_le32_put(p + CFS_CFX_OFF_UNSIZED, cases[i].mark);
		memset(p + CFS_CFX_OFF_UNSIZED + 4, 0, 8 * CFS_INDEX_SIZES);
		mend(p, n);
		ix = open_bytes(p, n, &rc, NULL);
		assert_int_equal(rc, 0);
		assert_int_equal(ix->unsized.is_known, cases[i].is_known);
		assert_int_equal(cfs_index_unsized(ix, CFS_INDEX_SIZE_BODY, 1) == 0, cases[i].is_known);
		assert_int_equal(cfs_index_unsized(ix, 0, 1) == 0, cases[i].is_known);
		cfs_index_close(ix);
		free(p);
	}
}

/* Any byte of the leaf or of the tables changed, checksums mended: whatever
 * comes out, nothing breaks (ASan looks on), and seek keeps its promise. */
static void mended_damage(void **state)
{
	static struct cfs_iter it;
	size_t n;
	uint8_t *p = small_file(60, &n);
	uint64_t rng = 8;

	(void)state;
	for (size_t i = CFS_CFX_HEADER_BYTES + 8; i < n; i++) {
		uint8_t old = p[i];
		struct cfs_index *ix;
		int rc;

		p[i] = (uint8_t)(rng_below(&rng, 3) ? rng_next(&rng) : old ^ 0x80);
		mend(p, n);
		ix = open_bytes(p, n, &rc, NULL);
		if (ix != NULL) {
			struct cfs_slice key = CFS_SLICE_LIT("com\0example\0_\0dir3");

			read_everything(ix);
			cfs_iter_init(&it);
			if (cfs_index_seek(ix, key, &it,
					   CFS_CTX(NULL, NULL)) == CFS_OK)
				assert_true(cfs_slice_cmp(it.key, key) >= 0);
			cfs_index_at(ix, cfs_pos_make(0, 37), &it,
				     CFS_CTX(NULL, NULL));
			cfs_iter_release(&it);
			cfs_index_close(ix);
		}
		p[i] = old;
	}
	free(p);
}

/* ---- the example in the manual page ---- */

static void man_example(void **state)
{
	static struct cfs_iter it;
	struct cfs_capture cap;
	struct cfs_index *ix;
	const char *name;
	uint64_t size;
	int64_t mtime;
	size_t n;
	int rc;
	uint8_t *p = unit_man_bytes("crawlfs-index.5", &n);

	(void)state;
	assert_int_equal(n, 0x10a1);
	ix = open_bytes(p, n, &rc, NULL);
	assert_int_equal(rc, 0);
	assert_int_equal(archive_of(ix, 0, &name, &size, &mtime), 0);
	assert_string_equal(name, "example.warc.gz");
	assert_int_equal(size, 123456);
	assert_int_equal(mtime, 1700000000);
	assert_true(ix->unsized.is_known);
	assert_int_equal(ix->unsized.captures[0], 0);
	assert_int_equal(ix->unsized.captures[1], 2);
	assert_int_equal(ix->unsized.captures[2], 2);
	assert_true(cfs_index_unsized(ix, CFS_INDEX_SIZE_BODY, 7) == 0);
	cfs_iter_init(&it);
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_EMPTY, &it,
					CFS_CTX(NULL, NULL)), 0);
	assert_true(cfs_slice_eq(it.key, CFS_SLICE_LIT("org\0gnu\0www\0_\0")));
	assert_int_equal(cfs_index_capture(&it, &cap, NULL), 0);
	assert_int_equal(cap.status, 200);
	assert_int_equal(cap.loc.offset, 400);
	assert_int_equal(cap.loc.length, 1234);
	assert_int_equal(cap.body_bytes, 5678);
	assert_int_equal(cap.url.n, 0);
	assert_int_equal(cfs_index_next(&it, CFS_CTX(NULL, NULL)), 0);
	assert_true(cfs_slice_eq(it.key, CFS_SLICE_LIT("org\0gnu\0www\0_\0Emacs\0")));
	assert_int_equal(cfs_index_capture(&it, &cap, NULL), 0);
	assert_int_equal(cap.status, 404);
	assert_int_equal(cap.time, 1699999060);
	assert_true(cfs_slice_eq(cap.mime, CFS_SLICE_LIT("text/html")));
	assert_true(cfs_slice_eq(cap.url, CFS_SLICE_LIT("http://www.gnu.org:80/Emacs/")));
	assert_int_equal(cfs_index_next(&it, CFS_CTX(NULL, NULL)), CFS_END);
	cfs_index_close(ix);
	free(p);
}

/* ---- sources that are slow, fail, or lie ---- */

static int open_faulty(struct cfs_index **ix, const uint8_t *p, size_t n, const struct cfs_fault *plan)
{
	struct cfs_source *mem, *src;

	assert_int_equal(cfs_source_open_memory(&mem, cfs_slice_of(p, n), "test.cfx", NULL), 0);
	assert_int_equal(cfs_source_open_fault(&src, mem, plan, NULL), 0);
	return cfs_index_open(ix, src, 0, NULL);
}

/* Fails the first, second, ... read until all are good, with or without a
 * report: no failure may be taken for success. */
static void fail_each_read(const uint8_t *p, size_t n, bool is_silent)
{
	struct cfs_fault plan = { .is_silent = is_silent };
	struct cfs_index *ix;
	int rc = CFS_EIO;

	while (rc != CFS_OK) {
		plan.fail_read++;
		assert_true(plan.fail_read < 100);
		rc = open_faulty(&ix, p, n, &plan);
		if (rc == CFS_OK) {
			rc = read_everything(ix);
			cfs_index_close(ix);
		}
		assert_true(rc == CFS_OK || rc == CFS_EIO);
	}
	assert_true(plan.fail_read > 6);	/* head, header, four tables, leaf, references */
}

static void faulty_source(void **state)
{
	struct cfs_fault plan = { .max_read = 7 };
	size_t n;
	uint8_t *p = small_file(60, &n);
	struct cfs_index *ix;

	(void)state;
	assert_int_equal(open_faulty(&ix, p, n, &plan), 0);
	assert_int_equal(read_everything(ix), 0);
	cfs_index_close(ix);
	fail_each_read(p, n, false);
	fail_each_read(p, n, true);
	free(p);
}

UNIT_PROGRAM
{
	UNIT_ROWS(search_cases, search_case);
	UNIT_TEST(deep_tree);
	UNIT_TEST(archives);
	UNIT_TEST(full_tables);
	UNIT_TEST(truncated);
	UNIT_TEST(flipped);
	UNIT_TEST(mended_damage);
	UNIT_TEST(sizes_not_counted);
	UNIT_TEST(man_example);
	UNIT_TEST(faulty_source);
	UNIT_ROWS(lies, lie_case);
	return unit_run("cfx");
}

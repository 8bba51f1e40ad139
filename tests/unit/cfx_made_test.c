/* cfx_made_test.c - crawlfs indexes that were put together elsewhere, byte by
 * byte, are read as crawlfs-index(5) says: those of fuzz_cfx's corpus
 * (make_cfx_corpus.py).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_fixture.h"

#include "format/open_index.h"
#include "tests/fuzz/cfx_mend.h"
#include "index/related.h"

/* One of the corpus, made whole: magic, sizes, checksums. */
static struct cfs_index *open_corpus(const char *name)
{
	const char *top = getenv("CFS_SRCDIR");
	struct cfs_index *ix = NULL;
	struct cfs_source *src;
	char path[4096];
	uint8_t *p;
	size_t n;

	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/cfx/%s",
		 top ? top : CFS_TOP_SRCDIR, name);
	p = fix_bytes(path, &n);
	cfx_mend(p, n);
	assert_int_equal(cfs_source_open_memory(&src, cfs_slice_of(p, n),
						"test.cfx", NULL), 0);
	assert_int_equal(cfs_index_open(&ix, src, 1 << 20, NULL), 0);
	free(p);
	return ix;
}

static void symbols(void **state)
{
	static struct cfs_iter it;
	struct cfs_index *ix = open_corpus("symbols.cfx");

	(void)state;
	cfs_iter_init(&it);
	assert_int_equal(cfs_index_at(ix, cfs_pos_make(0, 1), &it,
				      CFS_CTX(NULL, NULL)), 0);
	/* 260 symbols: 254 of one byte; 254 0 is the one after them */
	assert_true(cfs_slice_eq(it.key, CFS_SLICE_LIT("com\0x\0_\0/\xfa\xfa")));
	cfs_iter_release(&it);
	cfs_index_close(ix);
}

/* Numbers of all widths, URLs that replace a part of the key's, restarts that
 * share. */
static void made_by_hand(void **state)
{
	static const struct cfs_slice keys[] = {
		CFS_SLICE_LIT("com\0x\0_\0"), CFS_SLICE_LIT("com\0x\0_\0" "a"), CFS_SLICE_LIT("com\0x\0_\0" "a"),
		CFS_SLICE_LIT("com\0x\0_\0" "a\0" "b"), CFS_SLICE_LIT("org\0_\0"),
	};
	static struct cfs_iter it;
	struct cfs_capture c[5];
	struct cfs_index *ix = open_corpus("values.cfx");
	struct cfs_buf url;
	size_t i = 0;

	(void)state;
	cfs_iter_init(&it);
	cfs_buf_init(&url, 100);
	for (int rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it,
				     CFS_CTX(NULL, NULL)); rc == CFS_OK;
	     rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)), i++) {
		assert_true(i < 5 && cfs_slice_eq(it.key, keys[i]));
		assert_int_equal(cfs_index_capture(&it, &c[i], NULL), 0);
		cfs_buf_add(&url, c[i].url);
		cfs_buf_addc(&url, ' ');
	}
	assert_int_equal(i, 5);
	assert_string_equal(cfs_buf_str(&url), " http://x:80/a gopher://x   ");
	/* 1,000,000 and nothing for 77 bytes; d is -2 */
	assert_int_equal(c[0].time, 999998);
	assert_int_equal(c[0].status, 404);
	assert_int_equal(c[0].loc.length, 1);
	assert_int_equal(c[0].body_bytes, 2);
	assert_int_equal(c[0].views.bytes[CFS_SLOT_TEXT], 3);
	assert_int_equal(c[0].views.bytes[CFS_SLOT_META], 4);
	assert_int_equal(c[0].adjacent, CFS_ADJACENT_AROUND);
	assert_int_equal(c[0].request_bytes, 256 + 200);
	assert_int_equal(c[1].loc.file[0], 1);
	assert_int_equal(c[1].loc.inner_length, 70000);
	assert_int_equal(c[1].views.known, 0);
	assert_int_equal(c[3].kind, CFS_KIND_REVISIT);
	assert_int_equal(c[3].status, 404);
	assert_true(cfs_slice_eq(c[3].mime, CFS_SLICE_LIT("a/b")));
	assert_false(c[3].body_is_exact);
	assert_int_equal(c[4].loc.offset, (1 << 24) - 1);
	assert_true(c[4].time == INT64_MAX - 4);
	assert_true(c[4].body_bytes == (uint64_t)1 << 63);
	assert_true(c[4].views.bytes[CFS_SLOT_META] == (uint64_t)1 << 40);
	cfs_buf_release(&url);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	ix = open_corpus("restarts-share.cfx");
	assert_int_equal(cfs_index_at(ix, cfs_pos_make(0, 2), &it,
				      CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(it.key.n, 129);
	assert_int_equal(it.key.p[128], 'y');
	cfs_iter_release(&it);
	cfs_index_close(ix);
}

/* A child that is not there is not read from what lies behind the level: that
 * block is damaged, and leaves are found without it. */
static void child_far(void **state)
{
	struct cfs_index *ix = open_corpus("child-far.cfx");
	struct cfs_error err = CFS_ERROR_INIT;
	static struct cfs_iter it;

	(void)state;
	cfs_iter_init(&it);
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_LIT("z"), &it,
					CFS_CTX(NULL, &err)), CFS_END);
	assert_true(cfs_cfx_is_upper_damaged(ix));
	cfs_index_close(ix);
}

UNIT_PROGRAM
{
	UNIT_TEST(made_by_hand);
	UNIT_TEST(symbols);
	UNIT_TEST(child_far);
	return unit_run("cfx_made");
}

/* cfx_alloc_test.c - the 1st, 2nd, 3rd ... allocation fails, in building and
 * in reading: always CFS_ENOMEM, nothing leaked (ASan looks on), nothing left.
 *
 * The linker sends malloc, calloc and realloc of our own code here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_fixture.h"
#include "alloc_fail.h"
#include "format/open_index.h"

/* Some captures have a text, some metadata that says whose it is. */
static int add_side(struct cfs_builder *b, const struct fix *f, size_t i)
{
	struct cfs_builder_annex s = { .url = f->caps[i].c.url,
		.is_meta = i % 40 == 0, .container = CFS_COMPANION_WARC,
		.span.offset = i, .span.length = 1, .bytes = 1,
		.refers_to = i % 40 == 0 ? f->caps[i].c.record_id : CFS_SLICE_EMPTY };

	return i % 20 == 0 ? cfs_builder_add_annex(b, 0, &s, NULL) : CFS_OK;
}

static int build(struct fix *f, enum cfs_index_format format)
{
	struct cfs_builder_opts o = { .path = f->path, .threads = 2, .memory_bytes = 1, .format = format,
		.archives = f->archives, .n_archives = FIX_ARCHIVES };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	int rc = cfs_builder_new(&b, &o, NULL);

	for (size_t i = 0; i < f->n && rc == CFS_OK; i++) {
		rc = cfs_builder_add(b, (unsigned)(i % 2), &f->caps[i].c, NULL);
		if (rc == CFS_OK && format == CFS_INDEX_CFX)
			rc = add_side(b, f, i);
	}
	if (rc == CFS_OK)
		rc = cfs_builder_finish(b, &counts, NULL);
	cfs_builder_free(b);
	return rc;
}

static int read_all(const struct fix *f)
{
	static struct cfs_iter it;
	struct cfs_index *ix = NULL;
	struct cfs_capture cap;
	struct cfs_source *src;
	cfs_pos pos[4];
	size_t n;
	int rc = cfs_source_open_file(&src, f->path, NULL);

	if (rc == CFS_OK)
		rc = cfs_index_open(&ix, src, 1 << 20, NULL);
	if (rc != CFS_OK)
		return rc;
	cfs_iter_init(&it);
	for (rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it,
				 CFS_CTX(NULL, NULL)); rc == CFS_OK;
	     rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)))
		cfs_index_capture(&it, &cap, NULL);
	if (rc == CFS_END)
		rc = cfs_index_find_ref(ix, CFS_SLICE_LIT("digest:sha1:1"), pos,
					4, &n, CFS_CTX(NULL, NULL));
	if (rc == CFS_OK)
		rc = cfs_index_seek(ix, cfs_buf_slice(&f->caps[f->n / 2].key),
				    &it, CFS_CTX(NULL, NULL));
	cfs_iter_release(&it);
	cfs_index_close(ix);
	return rc;
}

static void remove_files(const struct fix *f)
{
	static const char *const names[] = { "index.cfx", "cluster.idx", "cluster.loc",
					     "cdx-00000.gz" };
	char path[sizeof(f->dir) + 16];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", f->dir, names[i]);
		unlink(path);
	}
	assert_int_equal(fix_files(f), 0);
}

/* Larger steps once the first failures have been seen: those of captures are
 * alike, and are allocated at the same few places. */
static long step(long i)
{
	return i + 1 + i / 25;
}

static void build_case(enum cfs_index_format format)
{
	unsigned failed = 0;
	bool reached = true;
	struct fix f;
	int rc;

	fix_open(&f);
	fix_make(&f, 5000, 3, 5000);	/* sorted in several runs */
	for (long i = 0; reached; i = step(i)) {
		countdown = i;
		rc = build(&f, format);
		reached = countdown < 0;
		countdown = -1;
		/* a sample of keys or a thread may be done without */
		if (rc == CFS_OK) {
			remove_files(&f);
		} else {
			assert_int_equal(rc, CFS_ENOMEM);
			assert_int_equal(fix_files(&f), 0);
			failed++;
		}
	}
	assert_true(failed > 17);	/* a PB-tree takes 18 allocations */
	fix_close(&f);
}

static void building_cfx(void **state)
{
	(void)state;
	build_case(CFS_INDEX_CFX);
}

static void building_pbtree(void **state)
{
	(void)state;
	build_case(CFS_INDEX_PBTREE);
}

static void building_lines(void **state)
{
	(void)state;
	build_case(CFS_INDEX_CDX);
}

static void building_zipnum(void **state)
{
	(void)state;
	build_case(CFS_INDEX_ZIPNUM);
}

static void reading(void **state)
{
	unsigned failed = 0;
	bool reached = true;
	struct fix f;

	(void)state;
	fix_open(&f);
	fix_make(&f, 5000, 3, 5000);
	fix_build(&f, 1, 0);
	for (long i = 0; reached; i = step(i)) {
		int rc;

		countdown = i;
		rc = read_all(&f);
		reached = countdown < 0;
		countdown = -1;
		assert_true(rc == CFS_OK || rc == CFS_ENOMEM);
		failed += rc != CFS_OK;
	}
	assert_true(failed > 20);
	fix_close(&f);
}

UNIT_PROGRAM
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(building_cfx),
		cmocka_unit_test(building_pbtree),
		cmocka_unit_test(building_lines),
		cmocka_unit_test(building_zipnum),
		cmocka_unit_test(reading),
	};

	return cmocka_run_group_tests_name("cfx_alloc", t, NULL, NULL);
}

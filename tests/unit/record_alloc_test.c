/* record_alloc_test.c - the 1st, 2nd, 3rd ... allocation fails, in parsing,
 * scanning, reading and indexing: CFS_ENOMEM, and nothing leaked (ASan looks
 * on).
 *
 * The linker sends malloc, calloc and realloc of our own code here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alloc_fail.h"
#include "unit.h"

#include <stdatomic.h>
#include <unistd.h>

#include "codec/member.h"
#include "indexing/indexer.h"
#include "record/store.h"
#include "record_fixtures.h"

static const struct cfs_member_form as_gzip = {
	.coding = CFS_CODING_GZIP, .with_dict = true,
};
static char folder[] = "/tmp/cfs-alloc-XXXXXX";
static char archive[64], index_path[64];
static struct cfs_buf file;
static enum cfs_coding coding = CFS_CODING_GZIP;
static struct cfs_scan_item items[8];
static size_t n_items;

static void add_member(struct cfs_slice plain)
{
	struct cfs_zst_dict *d = NULL;

	if (coding == CFS_CODING_ZSTD &&
	    cfs_zst_dict_new(&d, cfs_slice_of(fix_zstd_dict,
				sizeof(fix_zstd_dict)), NULL) != CFS_OK)
		abort();
	if (file.n == 0)
		cfs_buf_add(&file, cfs_zst_dict_frame(d));
	cfs_member_compress(coding, plain, d, &file, NULL);
	cfs_zst_dict_put(d);
}

/* A file with every shape: a member each, two in one, one over two, an
 * encoded body, a long head. */
static void make_file(void)
{
	struct cfs_buf b, part;

	cfs_buf_init(&b, 1 << 20);
	cfs_buf_init(&file, 1 << 20);
	cfs_buf_addf(&b, "http://a.org/ 1.2.3.4 20120509130938 text/html %zu\n"
		     "HTTP/1.1 200 OK\r\nContent-Encoding:gzip\r\n",
		     40 + 200 * 34 + 2 + sizeof(fix_gzip));
	for (int i = 0; i < 200; i++)
		cfs_buf_adds(&b, "X-Long: value\r\n folded\r\n again!!\r\n");
	cfs_buf_adds(&b, "\r\n");
	cfs_buf_append(&b, fix_gzip, sizeof(fix_gzip));
	cfs_buf_adds(&b, "\n");
	add_member(cfs_buf_slice(&b));
	cfs_buf_init(&part, 1 << 20);
	for (int i = 0; i < 2; i++)
		cfs_buf_addf(&part, "http://b.org/%d 1.2.3.4 20120509130938 "
			     "text/html 5\nhello\n", i);
	add_member(cfs_buf_slice(&part));
	add_member(cfs_slice_sub(cfs_buf_slice(&b), 0, 200));
	add_member(cfs_slice_from(cfs_buf_slice(&b), 200));
	cfs_buf_release(&b);
	cfs_buf_release(&part);
}

static int keep_item(void *arg, const struct cfs_scan_item *item)
{
	(void)arg;
	if (n_items < 8)
		items[n_items] = *item;
	n_items++;
	return 0;
}

static int do_scan(void)
{
	struct cfs_source *src;
	int rc;

	n_items = 0;
	rc = cfs_source_open_file(&src, archive, NULL);
	if (rc == CFS_OK)
		rc = cfs_scan_archive(src, NULL, keep_item, NULL, NULL);
	cfs_source_close(src);
	return rc;
}

static int do_store(void)
{
	const char *bases[] = { folder };
	struct cfs_store_opts so = { .bases = bases, .n_bases = 1 };
	struct cfs_slice name = CFS_SLICE_LIT("x.arc.gz");
	struct cfs_store *st;
	int rc = cfs_store_new(&st, &so, NULL);

	for (size_t i = 0; i < 4 && rc == CFS_OK; i++) {
		struct cfs_span loc = { .offset = items[i].span.offset,
			.length = items[i].span.length,
			.inner_offset = items[i].span.inner_offset,
			.inner_length = items[i].span.inner_length };
		struct cfs_stored *got;
		struct cfs_buf b;
		uint64_t bytes;
		bool exact;

		cfs_buf_init(&b, 1 << 20);
		rc = cfs_store_body_bytes(st, name, &loc, &bytes, &exact,
					  CFS_CTX(NULL, NULL));
		if (rc == CFS_OK)
			rc = cfs_store_member(st, name, &loc, &as_gzip, &b,
					      CFS_CTX(NULL, NULL));
		if (rc == CFS_OK)
			rc = cfs_store_get(st, name, &loc, &got,
					   CFS_CTX(NULL, NULL));
		if (rc == CFS_OK) {
			assert_int_equal(cfs_stored_record(got)->body.n,
					 i == 0 || i == 3 ? sizeof(fix_plain) : 5);
			cfs_stored_put(got);
		}
		cfs_buf_release(&b);
	}
	cfs_store_free(st);
	return rc;
}

static int do_index(void)
{
	const char *inputs[] = { folder };
	struct cfs_indexer_opts o = { .inputs = inputs, .n_inputs = 1,
		.output = index_path, .threads = 1 };
	struct cfs_indexer_report rep;
	int rc = cfs_indexer_run(&o, &rep, NULL);

	if (rc == CFS_OK)
		assert_int_equal(rep.built.captures, 4);
	return rc;
}

/* Runs it with ever more allocations allowed, until it works. */
static void fail_in_turn(int (*doing)(void), long at_least)
{
	long n = 0;
	int rc;

	do {
		atomic_store(&countdown, n++);
		rc = doing();
		/* work that got by without the one that failed is as good */
		if (atomic_exchange(&countdown, -1) >= 0)
			break;
		assert_true(rc == CFS_OK || rc == CFS_ENOMEM);
		assert_true(n < 100000);
	} while (true);
	assert_int_equal(rc, CFS_OK);
	assert_true(n >= at_least);
	print_message("%ld allocations\n", n - 1);
}

static void scanning(void **state)
{
	(void)state;
	fail_in_turn(do_scan, 10);
	assert_int_equal(n_items, 4);
}

static void reading(void **state)
{
	(void)state;
	assert_int_equal(do_scan(), CFS_OK);
	fail_in_turn(do_store, 20);
}

static void indexing(void **state)
{
	(void)state;
	fail_in_turn(do_index, 30);
}

static int write_file(void)
{
	FILE *f;

	make_file();
	f = fopen(archive, "wb");
	if (f == NULL || fwrite(file.p, 1, file.n, f) != file.n)
		return -1;
	return fclose(f);
}

/* The same file in zstd frames, behind a dictionary. */
static void zstd(void **state)
{
	(void)state;
	cfs_buf_release(&file);
	coding = CFS_CODING_ZSTD;
	assert_int_equal(write_file(), 0);
	fail_in_turn(do_scan, 10);
	assert_int_equal(n_items, 4);
	fail_in_turn(do_store, 20);
	fail_in_turn(do_index, 30);
}

static int setup(void **state)
{
	(void)state;
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(archive, sizeof(archive), "%s/x.arc.gz", folder);
	snprintf(index_path, sizeof(index_path), "%s/x.cfx", folder);
	return write_file();
}

static int teardown(void **state)
{
	(void)state;
	cfs_buf_release(&file);
	unlink(archive);
	unlink(index_path);
	return rmdir(folder);
}

UNIT_PROGRAM
{
	UNIT_TEST(scanning);
	UNIT_TEST(reading);
	UNIT_TEST(indexing);
	UNIT_TEST(zstd);
	return unit_run_with("record_alloc", setup, teardown);
}

/* requests_test.c - how many reads an index takes: what each costs a request
 * where the index is not on this machine.
 *
 * A PB-tree of three levels (root, index, data) and a crawlfs index of three,
 * both with 100,000 hosts in one top-level domain.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "fuse/tree.h"
#include "index/builder.h"
#include "index/pbtree.h"
#include "index/surt.h"
#include "source/fault.h"

#define HOSTS 100000u
#define PAGES 3u
#define BLOCK 8192u
#define CACHE ((size_t)64 << 20)

static char path[64];
static struct cfs_source *counter;

static void url_of(unsigned host, unsigned page, char *out, size_t n)
{
	snprintf(out, n, "http://host%06u.com/folder/page-%u.html", host, page);
}

static void make_path(void)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp/cfs-requests-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
}

static int write_pbtree(void **state)
{
	struct cfs_pbtree_value v = { .segment = 1, .date_ms = 2, .length = 9 };
	uint8_t raw[CFS_PBTREE_VALUE_BYTES];
	struct cfs_pbtree_writer *w;
	struct cfs_buf key;
	uint64_t bytes;
	FILE *f;

	(void)state;
	make_path();
	f = fopen(path, "wb+");
	assert_non_null(f);
	cfs_buf_init(&key, CFS_KEY_MAX);
	assert_int_equal(cfs_pbtree_writer_new(&w, fileno(f), BLOCK,
			 CFS_PBTREE_VALUE_BYTES, NULL, NULL), CFS_OK);
	for (unsigned i = 0; i < HOSTS * PAGES; i++) {
		char url[80];

		url_of(i / PAGES, i % PAGES, url, sizeof(url));
		cfs_buf_reset(&key);
		cfs_pbtree_url_key(cfs_slice_str(url), &key);
		v.offset = i;
		cfs_pbtree_value_encode(&v, raw);
		assert_int_equal(cfs_pbtree_writer_add(w, cfs_buf_slice(&key),
				 cfs_slice_of(raw, sizeof(raw)), NULL), CFS_OK);
	}
	assert_int_equal(cfs_pbtree_writer_finish(w, &bytes, NULL), CFS_OK);
	cfs_pbtree_writer_free(w);
	cfs_buf_release(&key);
	fclose(f);
	return 0;
}

static int write_cfx(void **state)
{
	static const struct cfs_builder_archive archive = { "x.warc.gz", 1, 1 };
	struct cfs_builder_opts o = { .path = path, .format = CFS_INDEX_CFX,
				      .memory_bytes = 64 << 20, .threads = 1,
				      .archives = &archive, .n_archives = 1 };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;

	(void)state;
	make_path();
	assert_int_equal(cfs_builder_new(&b, &o, NULL), CFS_OK);
	for (unsigned i = 0; i < HOSTS * PAGES; i++) {
		char url[80];
		struct cfs_builder_capture cap = {
			.kind = CFS_KIND_RESPONSE, .time = 1000, .status = 200,
			.mime = CFS_SLICE_LIT("text/html"), .offset = i,
			.length = 50, .record_id = CFS_SLICE_EMPTY,
			.digest = CFS_SLICE_EMPTY, .refers_to = CFS_SLICE_EMPTY,
		};

		url_of(i / PAGES, i % PAGES, url, sizeof(url));
		cap.url = cfs_slice_str(url);
		assert_int_equal(cfs_builder_add(b, 0, &cap, NULL), CFS_OK);
	}
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), CFS_OK);
	cfs_builder_free(b);
	return 0;
}

static int write_cdxj(void **state)
{
	struct cfs_buf key;
	FILE *f;

	(void)state;
	make_path();
	f = fopen(path, "wb");
	assert_non_null(f);
	cfs_buf_init(&key, CFS_KEY_MAX);
	for (unsigned i = 0; i < HOSTS * PAGES; i++) {
		char url[80];

		url_of(i / PAGES, i % PAGES, url, sizeof(url));
		cfs_buf_reset(&key);
		cfs_surt_encode(cfs_slice_str(url), &key);
		fprintf(f, "%s 20240101000000 {\"url\": \"%s\", \"status\": "
			"\"200\", \"length\": \"9\", \"offset\": \"%u\", "
			"\"filename\": \"x.warc.gz\"}\n", cfs_buf_str(&key),
			url, i);
	}
	cfs_buf_release(&key);
	fclose(f);
	return 0;
}

static int forget(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

/* ---- counting ---- */

static void open_counted(struct cfs_crawl *c, bool is_ordered)
{
	const struct cfs_fault none = { .max_read = 0 };
	struct cfs_source *src;

	assert_int_equal(cfs_source_open_file(&src, path, NULL), CFS_OK);
	assert_int_equal(cfs_source_open_fault(&counter, src, &none, NULL),
			 CFS_OK);
	*c = (struct cfs_crawl){ .pages = cfs_pages_new(),
				 .is_ordered = is_ordered };
	assert_int_equal(cfs_index_open(&c->index, counter, CACHE, NULL),
			 CFS_OK);
}

static void close_counted(struct cfs_crawl *c)
{
	cfs_index_close(c->index);
	cfs_pages_free(c->pages);
}

static uint64_t reads(void)
{
	return cfs_source_fault_reads(counter);
}

/* Looks an URL up; returns what that took. */
static uint64_t look_up(struct cfs_index *ix, unsigned host, unsigned page)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	uint64_t before = reads();
	struct cfs_buf key;
	char url[80];

	cfs_buf_init(&key, CFS_KEY_MAX);
	url_of(host, page, url, sizeof(url));
	assert_int_equal(cfs_index_url_key(ix, cfs_slice_str(url), &key),
			 CFS_OK);
	cfs_iter_init(it);
	assert_int_equal(cfs_index_seek(ix, cfs_buf_slice(&key), it, NULL, NULL),
			 CFS_OK);
	assert_true(cfs_slice_eq(it->key, cfs_buf_slice(&key)));
	cfs_iter_release(it);
	free(it);
	cfs_buf_release(&key);
	return reads() - before;
}

struct bounds {
	uint64_t open, cold, warm;	/* at most */
	uint64_t page;			/* of the first page of a listing */
};

static void look_ups(bool is_ordered, const struct bounds *max)
{
	uint64_t cold = 0, opened = 0, most = 0, all = 0, again;
	struct cfs_crawl c;

	for (unsigned i = 0; i < 200; i++) {
		open_counted(&c, is_ordered);
		opened = reads();
		again = look_up(c.index, i * 7919 % HOSTS, i % PAGES);
		cold = again > cold ? again : cold;
		assert_int_equal(look_up(c.index, i * 7919 % HOSTS, i % PAGES),
				 0);
		close_counted(&c);
	}
	open_counted(&c, is_ordered);
	for (unsigned i = 0; i < 5000; i++) {
		uint64_t n = look_up(c.index, i * 7919 % HOSTS, i % PAGES);

		/* upper levels are warm after the first few hundred */
		if (i >= 1000 && n > most)
			most = n;
		all += n;
	}
	close_counted(&c);
	print_message("open %llu, cold look-up at most %llu, with upper levels"
		      " warm %llu, mean of 5,000 %.2f\n",
		      (unsigned long long)opened, (unsigned long long)cold,
		      (unsigned long long)most, (double)all / 5000);
	assert_true(opened <= max->open);
	assert_true(cold <= max->cold);
	assert_true(most <= max->warm);
}

static int take_1000(void *arg, struct cfs_slice name,
		     const struct cfs_node *node, uint64_t cookie)
{
	unsigned *n = arg;

	(void)name;
	(void)node;
	(void)cookie;
	return ++*n == 1000;
}

/* The first thousand names of a directory of 100,000. */
static void first_page(bool is_ordered, const struct bounds *max)
{
	struct cfs_node root = cfs_tree_root(0), com;
	uint64_t before, bytes;
	struct cfs_crawl c;
	unsigned n = 0;

	open_counted(&c, is_ordered);
	assert_int_equal(cfs_tree_lookup(&c, &root, CFS_SLICE_LIT("com"), &com,
					 NULL, NULL), CFS_OK);
	before = reads();
	bytes = cfs_source_fault_bytes(counter);
	assert_int_equal(cfs_tree_list(&c, &com, 1u << CFS_VIEW_RAW, 0, false,
				       take_1000, &n, NULL, NULL), CFS_OK);
	assert_int_equal(n, 1000);
	print_message("1,000 of %u names: %llu reads, %llu bytes\n", HOSTS,
		      (unsigned long long)(reads() - before),
		      (unsigned long long)(cfs_source_fault_bytes(counter) -
					   bytes));
	assert_true(reads() - before <= max->page);
	close_counted(&c);
}

/* 8 KiB blocks hold 116 entries: 1,000 names are 26 of them. */
static const struct bounds pbtree_max = { 2, 3, 2, 40 };
static const struct bounds cfx_max = { 8, 3, 2, 10 };
/* A binary search over 1,000 stretches; 160 entries in each. */
static const struct bounds cdxj_max = { 2, 11, 4, 40 };

static void pbtree_look_ups(void **state)
{
	(void)state;
	look_ups(false, &pbtree_max);
}

static void pbtree_first_page(void **state)
{
	(void)state;
	first_page(false, &pbtree_max);
}

static void cfx_look_ups(void **state)
{
	(void)state;
	look_ups(true, &cfx_max);
}

static void cfx_first_page(void **state)
{
	(void)state;
	first_page(true, &cfx_max);
}

static void cdxj_look_ups(void **state)
{
	(void)state;
	look_ups(false, &cdxj_max);
}

static void cdxj_first_page(void **state)
{
	(void)state;
	first_page(false, &cdxj_max);
}

int main(void)
{
	const struct CMUnitTest pbtree[] = {
		cmocka_unit_test(pbtree_look_ups),
		cmocka_unit_test(pbtree_first_page),
	};
	const struct CMUnitTest cfx[] = {
		cmocka_unit_test(cfx_look_ups),
		cmocka_unit_test(cfx_first_page),
	};
	const struct CMUnitTest cdxj[] = {
		cmocka_unit_test(cdxj_look_ups),
		cmocka_unit_test(cdxj_first_page),
	};
	int failed;

	failed = cmocka_run_group_tests(pbtree, write_pbtree, forget);
	failed += cmocka_run_group_tests(cfx, write_cfx, forget);
	failed += cmocka_run_group_tests(cdxj, write_cdxj, forget);
	return failed;
}

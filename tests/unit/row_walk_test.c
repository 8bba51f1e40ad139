/* row_walk_test.c - the orders of a walk through an index: of archives, as a
 * whole and in windows, and parts of them, against a sort of all entries.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "crawl/crawl.h"
#include "export/index_rows_internal.h"

#define ARCHIVES 3u
#define PAGES 40u
#define SORT_BYTES ((size_t)1 << 20)

static char top[] = "/tmp/crawlfs-rows-XXXXXX";

/* An entry, as the model has it. */
struct walked {
	unsigned archive;
	uint64_t offset;
	cfs_pos pos;
};

/* Page p is in archive p % ARCHIVES, and its name has no order in that. */
static int make_archives(void **state)
{
	char path[80];

	(void)state;
	if (mkdtemp(top) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/w", top);
	if (mkdir(path, 0700) != 0)
		return -1;
	for (unsigned a = 0; a < ARCHIVES; a++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/w/%u.warc", top, a);
		f = fopen(path, "w");
		assert_non_null(f);
		for (unsigned p = a; p < PAGES; p += ARCHIVES)
			fprintf(f, "WARC/1.0\r\nWARC-Type: resource\r\n"
				"WARC-Record-ID: <urn:uuid:%u>\r\nWARC-Date: "
				"2024-01-01T00:00:00Z\r\nWARC-Target-URI: "
				"http://a.example/p%02u\r\nContent-Type: "
				"text/plain\r\nContent-Length: 2\r\n\r\nab"
				"\r\n\r\n", p, p * 17 % PAGES);
		fclose(f);
	}
	return 0;
}

static int remove_archives(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", top);
	return system(command);
}

static struct cfs_crawl *open_archives(void)
{
	char path[80], cache[80];
	struct cfs_crawl_opts o = { .cache_dir = cache };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_crawl *c;

	snprintf(path, sizeof(path), "%s/w", top);
	snprintf(cache, sizeof(cache), "%s/cache", top);
	if (cfs_crawl_open(&c, path, &o, &err) != CFS_OK)
		fail_msg("%s: %s", err.where, err.text);
	return c;
}

/* Sets the entries in the order of the index. */
static size_t entries_of(struct cfs_crawl *c, struct walked *out)
{
	struct cfs_capture cap;
	struct cfs_iter it;
	size_t n = 0;
	int rc;

	cfs_iter_init(&it);
	rc = cfs_index_seek(c->index, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL))) {
		CFS_BUF(name, 4096);

		assert_int_equal(cfs_index_capture(&it, &cap, NULL), CFS_OK);
		assert_int_equal(cfs_index_archive_name(c->index, &cap.loc,
							&name, NULL), CFS_OK);
		out[n++] = (struct walked){
			(unsigned)(strstr(cfs_buf_str(&name), ".warc")[-1] - '0'),
			cap.loc.offset, it.pos };
	}
	assert_int_equal(rc, CFS_END);
	cfs_iter_release(&it);
	return n;
}

static int by_place(const void *a, const void *b)
{
	const struct walked *x = a, *y = b;

	if (x->archive != y->archive)
		return x->archive < y->archive ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Walks with those options, and compares with n entries. */
static void check_walk(struct cfs_crawl *c, struct cfs_row_walk_opts o,
		       const struct walked *want, size_t n)
{
	char root[] = "/", *all[] = { root, NULL };
	cfs_pos got[CFS_ROW_WALK_MAX];
	struct cfs_prefixes prefixes;
	struct cfs_row_walk *w;
	size_t at = 0;
	unsigned k;

	assert_int_equal(cfs_prefixes_init(&prefixes, c, all,
					   CFS_CTX(NULL, NULL)), CFS_OK);
	o.prefixes = &prefixes;
	o.per_batch = 7;
	o.temp_dir = top;
	o.sort_bytes = SORT_BYTES;
	assert_int_equal(cfs_row_walk_new(&w, &o, CFS_CTX(NULL, NULL)), CFS_OK);
	do {
		assert_int_equal(cfs_row_walk_next(w, got, &k,
						   CFS_CTX(NULL, NULL)),
				 CFS_OK);
		for (unsigned i = 0; i < k; i++, at++) {
			assert_true(at < n);
			assert_int_equal(got[i], want[at].pos);
		}
	} while (k > 0);
	assert_int_equal(at, n);
	cfs_row_walk_free(w);
	cfs_prefixes_release(&prefixes);
}

static void windows(void **state)
{
	static const uint64_t sizes[] = { 0, 1, 3, 13, PAGES - 1, PAGES,
					  PAGES + 1 };
	struct cfs_crawl *c = open_archives();
	struct walked all[PAGES], want[PAGES];
	size_t n = entries_of(c, all);

	(void)state;
	assert_int_equal(n, PAGES);
	check_walk(c, (struct cfs_row_walk_opts){ .by_archive = false }, all, n);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		size_t window = sizes[i] > 0 ? (size_t)sizes[i] : n;

		memcpy(want, all, sizeof(want));
		for (size_t at = 0; at < n; at += window)
			qsort(want + at, n - at < window ? n - at : window,
			      sizeof(*want), by_place);
		check_walk(c, (struct cfs_row_walk_opts){ .by_archive = true,
			   .window = sizes[i] }, want, n);
	}
	cfs_crawl_close(c);
}

static void parts(void **state)
{
	struct cfs_crawl *c = open_archives();
	struct walked all[PAGES];
	size_t n = entries_of(c, all), at = 0;

	(void)state;
	qsort(all, n, sizeof(*all), by_place);
	for (uint32_t k = 1; k <= 7; k++) {
		size_t end = n * k / 7;

		check_walk(c, (struct cfs_row_walk_opts){ .by_archive = true,
			   .part = { .k = k, .n = 7 } }, all + at, end - at);
		at = end;
	}
	cfs_crawl_close(c);
}

UNIT_PROGRAM
{
	UNIT_TEST(windows);
	UNIT_TEST(parts);
	return unit_run_with("row_walk", make_archives, remove_archives);
}

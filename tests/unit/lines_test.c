/* lines_test.c - captures as lines of CDXJ (builder_lines.h), and clusters of
 * them (zipnum_write.h): their order to the byte, limits, what is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "base/fileio.h"
#include "codec/gzip.h"
#include "format/cdx/zipnum_write.h"
#include "indexing/builder.h"
#include "indexing/builder_lines.h"
#include "sort/extsort.h"

#define ARCHIVES 4u

/* In the order of the names as they stand in lines: x!, x", xy, x\u00e9: the
 * quotation mark that ends a name counts. */
static const struct cfs_builder_archive archives[ARCHIVES] = {
	{ .name = "x\xc3\xa9" }, { .name = "xy" }, { .name = "x" }, { .name = "x!" } };

static char folder[64];
static char path[96];

static int open_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/crawlfs-test-XXXXXX");
	return mkdtemp(folder) == NULL;
}

static int close_folder(void **state)
{
	(void)state;
	return rmdir(folder);		/* nothing was left there */
}

static const char *in_folder(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* A file of the folder, which is removed. */
static void take_file(const char *name, struct cfs_buf *out)
{
	cfs_buf_init(out, 64 << 20);
	assert_int_equal(cfs_file_read(in_folder(name), out), CFS_OK);
	assert_int_equal(unlink(path), 0);
}

/* The lines of captures, all in one file. */
static void build(const struct cfs_builder_capture *v, size_t n, struct cfs_buf *out,
		  struct cfs_builder_counts *counts)
{
	struct cfs_builder_opts o = { .path = in_folder("lines"), .format = CFS_INDEX_CDX,
		.threads = 1, .archives = archives, .n_archives = ARCHIVES };
	struct cfs_builder *b;

	assert_int_equal(cfs_builder_new(&b, &o, NULL), CFS_OK);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(cfs_builder_add(b, 0, &v[i], NULL), CFS_OK);
	assert_int_equal(cfs_builder_finish(b, counts, NULL), CFS_OK);
	cfs_builder_free(b);
	take_file("lines", out);
}

static void order(void **state)
{
	static const char want[] =
		"com,example)/a 20240101000000 {\"url\": \"http://example.com/a\", "
		"\"mime\": \"unk\", \"length\": \"5\", \"offset\": \"7\", \"filename\": \"x!\"}\n"
		"com,example)/a 20240101000000 {\"url\": \"http://example.com/a\", "
		"\"mime\": \"unk\", \"length\": \"5\", \"offset\": \"7\", \"filename\": \"x\"}\n"
		"com,example)/a 20240101000000 {\"url\": \"http://example.com/a\", "
		"\"mime\": \"unk\", \"length\": \"5\", \"offset\": \"7\", \"filename\": \"x\\u00e9\"}\n"
		"com,example)/a 20240101000000 {\"url\": \"http://example.com/a\", "
		"\"mime\": \"unk\", \"length\": \"5\", \"offset\": \"7\", \"filename\": \"xy\"}\n";
	struct cfs_builder_capture v[2 * ARCHIVES];
	struct cfs_builder_counts counts;
	struct cfs_buf got;

	(void)state;
	for (unsigned i = 0; i < 2 * ARCHIVES; i++)	/* each twice */
		v[i] = (struct cfs_builder_capture){ .url = CFS_SLICE_LIT("http://example.com/a"),
			.kind = CFS_KIND_RESPONSE, .time = 1704067200, .archive = i % ARCHIVES,
			.span = { .offset = 7, .length = 5 } };
	build(v, 2 * ARCHIVES, &got, &counts);
	assert_string_equal(cfs_buf_str(&got), want);
	assert_int_equal(counts.captures, ARCHIVES);
	assert_int_equal(counts.repeated, ARCHIVES);
	assert_int_equal(counts.file_bytes, got.n);
	cfs_buf_release(&got);
}

/* The longest capture fits a line, though each byte of it is six there; only
 * fields after the archive may be left out for it. */
static void longest(void **state)
{
	static uint8_t url[CFS_URL_MAX], mime[4096], json[40000];
	static const char begin[] = "http://example.com/";
	struct cfs_builder_capture c = { .kind = CFS_KIND_RESPONSE, .archive = 2,
		.span = { .offset = UINT64_MAX, .length = UINT64_MAX }, .status = 999 };
	struct cfs_builder_counts counts;
	struct cfs_buf got;
	size_t n;

	(void)state;
	memset(url, 1, sizeof(url));
	memcpy(url, begin, strlen(begin));
	memset(mime, 1, sizeof(mime));
	c.url = cfs_slice_of(url, sizeof(url));
	c.mime = c.digest = c.mime_detected = c.truncated = c.redirect =
		cfs_slice_of(mime, sizeof(mime));
	n = (size_t)snprintf((char *)json, sizeof(json), "{\"languages\": \"%030000d\"}", 0);
	c.line = cfs_slice_of(json, n);
	/* a key is without control characters at the end of the URL */
	build(&c, 1, &got, &counts);
	assert_int_equal(counts.captures, 1);
	assert_true(got.n > 6 * (CFS_URL_MAX - 100));
	assert_null(strstr(cfs_buf_str(&got), "redirect"));
	cfs_buf_release(&got);
	/* with others it would be too long: each is %01 there */
	url[sizeof(url) - 1] = 'z';
	build(&c, 1, &got, &counts);
	assert_int_equal(counts.captures, 0);
	cfs_buf_release(&got);
	c.url.n = 4000;
	build(&c, 1, &got, &counts);
	assert_int_equal(counts.captures, 1);
	assert_true(got.n > 6 * 3900);
	assert_null(strstr(cfs_buf_str(&got), "languages"));
	cfs_buf_release(&got);
	memset(url + strlen(begin), 'a', sizeof(url) - strlen(begin));
	c.url.n = sizeof(url);
	build(&c, 1, &got, &counts);
	assert_int_equal(counts.captures, 1);
	cfs_buf_release(&got);
}

static void damaged(void **state)
{
	struct cfs_line_names *names;
	struct cfs_lines_opts o = { .format = CFS_INDEX_CDX, .path = "lines", .fd = -1 };
	struct cfs_builder_capture c = { .url = CFS_SLICE_LIT("http://example.com/"), .archive = 1 };
	struct cfs_lines_writer *w;
	struct cfs_buf key, value, scratch;
	struct cfs_slice s;

	(void)state;
	cfs_buf_init(&key, CFS_EXTSORT_ITEM_MAX);
	cfs_buf_init(&value, CFS_EXTSORT_ITEM_MAX);
	cfs_buf_init(&scratch, SIZE_MAX);
	assert_int_equal(cfs_line_names_new(&names, archives, ARCHIVES), CFS_OK);
	assert_int_equal(cfs_builder_line(&key, &value, &c, names, &scratch), CFS_OK);
	o.names = names;
	assert_int_equal(cfs_lines_writer_new(&w, &o, NULL), CFS_OK);
	s = cfs_buf_slice(&value);
	assert_int_equal(cfs_lines_writer_add(w, cfs_buf_slice(&key), s, NULL), CFS_OK);
	for (size_t n = 0; n < 6; n++)
		assert_int_equal(cfs_lines_writer_add(w, cfs_buf_slice(&key),
						      cfs_slice_sub(s, 0, n), NULL), CFS_EIO);
	value.p[value.n - 1] = 0xff;	/* more follows the name than there is */
	assert_int_equal(cfs_lines_writer_add(w, cfs_buf_slice(&key), s, NULL), CFS_EIO);
	value.p[value.n - 1] = 0;
	value.p[value.n - 4] = 9;	/* the number of no archive */
	assert_int_equal(cfs_lines_writer_add(w, cfs_buf_slice(&key), s, NULL), CFS_EIO);
	cfs_lines_writer_free(w);
	cfs_line_names_free(names);
	cfs_buf_release(&key);
	cfs_buf_release(&value);
	cfs_buf_release(&scratch);
}

/* ---- clusters ---- */

/* n lines of so many bytes each into a cluster. */
static int write_cluster(unsigned n, size_t bytes, unsigned shards)
{
	struct cfs_zipnum_opts o = { .index = in_folder("cluster.idx"), .lines = n,
		.shards = shards, .threads = 3 };
	char *line = malloc(bytes + 1);
	struct cfs_zipnum_writer *w;
	uint64_t written;
	int rc = cfs_zipnum_writer_new(&w, &o, NULL);

	memset(line, 'x', bytes);
	line[bytes - 1] = '\n';
	for (unsigned i = 0; rc == CFS_OK && i < n; i++) {
		char key[16];

		snprintf(key, sizeof(key), "a)/%08u 2", i);
		memcpy(line, key, 13);
		rc = cfs_zipnum_writer_add(w, cfs_slice_of(line, 13), cfs_slice_of(line, bytes), NULL);
	}
	if (rc == CFS_OK)
		rc = cfs_zipnum_writer_finish(w, &written, NULL);
	cfs_zipnum_writer_free(w);
	free(line);
	return rc;
}

static unsigned count_lines(const struct cfs_buf *b)
{
	unsigned n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += b->p[i] == '\n';
	return n;
}

/* A member ends early with lines so long that readers would need much memory. */
static void long_lines(void **state)
{
	struct cfs_buf index, loc, shard, text;
	size_t used = 0;

	(void)state;
	assert_int_equal(write_cluster(300, 60000, 0), CFS_OK);
	take_file("cluster.idx", &index);
	take_file("cluster.loc", &loc);
	take_file("cdx-00000.gz", &shard);
	assert_int_equal(count_lines(&index), 3);	/* 18 MB by 8 MiB */
	cfs_buf_init(&text, 64 << 20);
	assert_int_equal(cfs_gz_member(cfs_buf_slice(&shard), &text, 0, &used, NULL), CFS_OK);
	assert_int_in_range(text.n, 8u << 20, (8u << 20) + 60000);
	cfs_buf_release(&text);
	cfs_buf_release(&shard);
	cfs_buf_release(&loc);
	cfs_buf_release(&index);
}

/* A shard that cannot be put in place leaves a folder without a cluster, not
 * half one. */
static void blocked(void **state)
{
	static const char *const shards[] = { "cdx-00000.gz", "cdx-00001.gz" };
	struct cfs_buf b;

	(void)state;
	assert_int_equal(write_cluster(9000, 100, 3), CFS_OK);
	assert_int_equal(unlink(in_folder("cdx-00002.gz")), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(write_cluster(9000, 120, 3), CFS_EIO);
	assert_int_equal(rmdir(in_folder("cdx-00002.gz")), 0);
	assert_int_not_equal(access(in_folder("cluster.idx"), F_OK), 0);
	unlink(in_folder("cluster.loc"));
	for (unsigned i = 0; i < 2; i++) {
		take_file(shards[i], &b);
		cfs_buf_release(&b);
	}
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order),
		cmocka_unit_test(longest),
		cmocka_unit_test(damaged),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(blocked),
	};

	return cmocka_run_group_tests_name("lines", tests, open_folder, close_folder);
}

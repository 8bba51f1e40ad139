/* versions_test.c - crawlfs indexes that older programs wrote are read as
 * those programs read them, and merged.
 *
 * tests/unit/versions/vN.cfx is an index of version N, of a program that knew no
 * slots of sizes (index/view_bytes.h): 1 of mkcrawl's crawl of 40 pages without
 * requests; 2 of a WACZ of 12 pages with titles (make_wacz.py), which are
 * notes; 3 of a crawl with WET and WAT files (side_crawl.py 2024) and of
 * mkcrawl's with requests.  vN.txt has what that program read of each capture,
 * merged.txt what it read of the index that it merged from the three.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "cfx_fixture.h"
#include "crawl/auto_index.h"
#include "format/cfx/cfx_format.h"
#include "format/open_index.h"
#include "indexing/make_index.h"

/* Of the program that wrote the files, with its libraries. */
#define VIEW_VERSION 736481742u

static const char *file(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/tests/unit/versions/%s",
		 getenv("CFS_SRCDIR") ? getenv("CFS_SRCDIR") : ".", name);
	return path;
}

static struct cfs_index *open_path(const char *path)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;
	struct cfs_index *ix;

	assert_int_equal(cfs_source_open_file(&src, path, &err), CFS_OK);
	assert_int_equal(cfs_index_open(&ix, src, 1 << 20, &err), CFS_OK);
	return ix;
}

static void add_url(struct cfs_buf *out, struct cfs_slice url)
{
	for (size_t i = 0; i < url.n; i++)
		if (url.p[i] > ' ' && url.p[i] < 127)
			cfs_buf_addc(out, url.p[i]);
		else
			cfs_buf_addf(out, "\\x%02x", url.p[i]);
}

/* -1: not known */
static long long size_of(const struct cfs_capture *c, unsigned slot)
{
	return cfs_view_bytes_are_known(&c->views, slot) ?
	       (long long)c->views.bytes[slot] : -1;
}

static void add_capture(struct cfs_buf *out, const struct cfs_capture *c)
{
	cfs_buf_addf(out, " kind %d time %lld body %lld", (int)c->kind,
		     (long long)c->time,
		     c->body_is_exact ? (long long)c->body_bytes : -1);
	cfs_buf_addf(out, " text %lld meta %lld notes %u adjacent %u "
		     "companions %d %d\n", size_of(c, CFS_SLOT_TEXT),
		     size_of(c, CFS_SLOT_META), c->notes.bytes, c->adjacent,
		     (int)c->text.kind, (int)c->meta.kind);
}

/* Compares all captures of an index with a file's lines. */
static void holds(struct cfs_index *ix, const char *want)
{
	struct cfs_buf got, url;
	static struct cfs_iter it;
	struct cfs_capture c;
	uint8_t *p;
	size_t n;
	int rc;

	cfs_buf_init(&got, 1 << 20);
	cfs_buf_init(&url, CFS_URL_MAX);
	cfs_iter_init(&it);
	for (rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	     rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL))) {
		assert_int_equal(cfs_index_capture(&it, &c, NULL), CFS_OK);
		cfs_buf_reset(&url);
		assert_int_equal(cfs_index_key_url(ix, it.key, &c, &url),
				 CFS_OK);
		add_url(&got, cfs_buf_slice(&url));
		add_capture(&got, &c);
	}
	assert_int_equal(rc, CFS_END);
	p = fix_bytes(file(want), &n);
	cfs_buf_addc(&got, '\0');
	assert_int_equal(got.n, n + 1);
	assert_memory_equal(got.p, p, n);
	free(p);
	cfs_iter_release(&it);
	cfs_buf_release(&got);
	cfs_buf_release(&url);
}

static struct version {
	const char *name, *text;
	uint8_t version;
	uint64_t captures;
} versions[] = {
	{ "v1.cfx", "v1.txt", 1, 40 },
	{ "v2.cfx", "v2.txt", 2, 12 },
	{ "v3.cfx", "v3.txt", 3, 36 },
};

static void is_read(void **state)
{
	const struct version *v = *state;
	struct cfs_index *ix = open_path(file(v->name));
	size_t n;
	uint8_t *p = fix_bytes(file(v->name), &n);

	assert_int_equal(p[8], v->version);
	assert_int_equal(ix->captures, v->captures);
	assert_int_equal(ix->view_version, VIEW_VERSION);
	assert_true(ix->unsized.is_known);
	for (unsigned slot = 0; slot < CFS_VIEW_SLOTS; slot++)
		assert_int_equal(cfs_index_unsized(ix, CFS_INDEX_SIZE_OF(slot),
						   VIEW_VERSION),
				 slot <= CFS_SLOT_META ? 0 : v->captures);
	holds(ix, v->text);
	cfs_index_close(ix);
	free(p);
}

static void is_merged(void **state)
{
	char dir[] = "/tmp/crawlfs-test-XXXXXX", paths[COUNT(versions)][64];
	const char *inputs[COUNT(versions)];
	char output[64];
	struct cfs_indexer_opts o = { .inputs = inputs,
		.n_inputs = COUNT(versions), .output = output, .threads = 1,
		.memory_bytes = 1 << 20 };
	struct cfs_indexer_report report;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_index *ix;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < COUNT(versions); i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/v%zu.cfx", dir, i + 1);
		assert_int_equal(symlink(file(versions[i].name), paths[i]), 0);
		inputs[i] = paths[i];
	}
	snprintf(output, sizeof(output), "%s/merged.cfx", dir);
	cfs_view_sizes_ask(&o, false);
	o.view_version = VIEW_VERSION;
	assert_int_equal(cfs_make_index(&o, &report, &err), CFS_OK);
	ix = open_path(output);
	assert_int_equal(ix->captures, 88);
	holds(ix, "merged.txt");
	cfs_index_close(ix);
	unlink(output);
	for (size_t i = 0; i < COUNT(versions); i++)
		unlink(paths[i]);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	UNIT_ROWS(versions, is_read);
	UNIT_TEST(is_merged);
	return unit_run("versions");
}

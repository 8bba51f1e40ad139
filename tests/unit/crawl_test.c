/* crawl_test.c - folders of archives, suffixes of views, paths of entries.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "index/related.h"
#include "unit.h"

#include "crawl/bases.h"
#include "crawl/names.h"
#include "crawl/path_iter.h"

/* ---- the folders of an index's archives ------------------------------- */

struct base_row {
	const char *name, *dir, *below, *want;
};
static const struct base_row base_rows[] = {
	{ "the folder itself", "/d/crawl", "", "/d/crawl" },
	{ "below it", "/d/crawl", "parse-output", "/d/crawl/parse-output" },
	{ "beside it", "/d/crawl", "../warcs", "/d/crawl/../warcs" },
	{ "below a URL", "https://h.example/a/b", "c", "https://h.example/a/b/c" },
	{ "beside a URL", "https://h.example/a/b", "../c", "https://h.example/a/c" },
	{ "above a URL", "https://h.example/a/b", "..", "https://h.example/a" },
	{ "far above a URL", "https://h.example/a/b/c", "../../d",
	  "https://h.example/a/d" },
};

static void base_case(void **state)
{
	const struct base_row *row = *state;
	struct cfs_bases *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	cfs_bases_add(b, row->dir, row->below);
	assert_int_equal(b->n, 1);
	assert_string_equal(b->list[0], row->want);
	free(b);
}

struct index_row {
	const char *name;
	const char *dir;
	enum cfs_index_format format;
	const char *data;
	const char *want[CFS_BASES_MAX + 1];
};
static const struct index_row index_rows[] = {
	{ "crawlfs index", "/d", CFS_INDEX_CFX, NULL, { "/d" } },
	{ "crawlfs index with data", "/d", CFS_INDEX_CFX, "/a", { "/a" } },
	{ "PB-tree", "/d", CFS_INDEX_PBTREE, NULL,
	  { "/d", "/d/parse-output", "/d/../../parse-output" } },
	{ "PB-tree with data", "/d", CFS_INDEX_PBTREE, "/a",
	  { "/a", "/a/parse-output" } },
	{ "CDX", "/d", CFS_INDEX_CDX, NULL,
	  { "/d", "/d/../archive", "/d/../warcs", "/d/../../../.." } },
	{ "CDX with data", "/d", CFS_INDEX_CDX, "s3://b/x", { "s3://b/x" } },
	{ "at a URL", "https://h.example/a/b/", CFS_INDEX_CFX, NULL,
	  { "https://h.example/a/b" } },
	{ "at the top of a server", "https://h.example", CFS_INDEX_CFX, NULL,
	  { "https://h.example" } },
	{ "PB-tree at a URL", "https://h.example/a/b/", CFS_INDEX_PBTREE, NULL,
	  { "https://h.example/a/b", "https://h.example/a/b/parse-output",
	    "https://h.example/parse-output" } },
	{ "in the root", "/", CFS_INDEX_CFX, NULL, { "/" } },
};

static void index_case(void **state)
{
	const struct index_row *row = *state;
	struct cfs_bases *b = calloc(1, sizeof(*b));
	size_t n = 0;

	assert_non_null(b);
	cfs_bases_of_index(b, row->dir, row->format, row->data);
	for (; row->want[n] != NULL; n++) {
		assert_true(n < b->n);
		assert_string_equal(b->list[n], row->want[n]);
	}
	assert_int_equal(b->n, n);
	free(b);
}

static void long_bases_are_left_out(void **state)
{
	struct cfs_bases *b = calloc(1, sizeof(*b));
	char *dir = malloc(PATH_MAX + 1);

	(void)state;
	assert_non_null(b);
	assert_non_null(dir);
	memset(dir, 'd', PATH_MAX);
	dir[PATH_MAX] = '\0';
	cfs_bases_add(b, dir, "");
	assert_int_equal(b->n, 0);
	dir[PATH_MAX - 1] = '\0';
	cfs_bases_add(b, dir, "x");
	assert_int_equal(b->n, 0);
	cfs_bases_add(b, dir, "");
	assert_int_equal(b->n, 1);
	free(dir);
	free(b);
}

/* ---- suffixes --------------------------------------------------------- */

struct suffix_row {
	const char *text;
	enum cfs_view view;	/* NONE: it is no suffix */
	unsigned form;
};
static const struct suffix_row suffix_rows[] = {
	{ "", CFS_VIEW_RAW, 0 },
	{ ".meta", CFS_VIEW_META, 0 },
	{ ".txt", CFS_VIEW_TEXT, 0 },
	{ ".headers", CFS_VIEW_HEADERS, 0 },
	{ ".md", CFS_VIEW_MARKDOWN, 0 },
	{ ".main.txt", CFS_VIEW_MAIN, 0 },
	{ ".main", CFS_VIEW_NONE, 0 },
	{ ".warc.gz", CFS_VIEW_RECORD, CFS_FORM_WARC_GZ },
	{ ".warc.zst", CFS_VIEW_RECORD, CFS_FORM_WARC_ZST },
	{ ".arc.gz", CFS_VIEW_RECORD, CFS_FORM_ARC_GZ },
	{ ".request", CFS_VIEW_REQUEST, 0 },
	{ ".metadata", CFS_VIEW_METADATA, 0 },
	{ ".pageinfo", CFS_VIEW_PAGEINFO, 0 },
	{ ".view.png", CFS_VIEW_VIEW, CFS_RELATED_PNG },
	{ ".view.bin", CFS_VIEW_VIEW, CFS_RELATED_OTHER },
	{ ".thumbnail.jpg", CFS_VIEW_THUMBNAIL, CFS_RELATED_JPEG },
	{ ".fullpage.webp", CFS_VIEW_FULLPAGE, CFS_RELATED_WEBP },
	{ ".view", CFS_VIEW_NONE, 0 },
	{ ".png", CFS_VIEW_NONE, 0 },
	{ ".zst", CFS_VIEW_NONE, 0 },
	{ ".gz", CFS_VIEW_NONE, 0 },
	{ ".met", CFS_VIEW_NONE, 0 },
	{ ".META", CFS_VIEW_NONE, 0 },
	{ "meta", CFS_VIEW_NONE, 0 },
};

static void suffix_case(void **state)
{
	const struct suffix_row *row = *state;
	struct cfs_suffix s;

	assert_int_equal(cfs_suffix_parse(cfs_slice_str(row->text), &s),
			 row->view != CFS_VIEW_NONE);
	if (row->view == CFS_VIEW_NONE)
		return;
	assert_int_equal(s.view, row->view);
	assert_int_equal(s.form, row->form);
}

/* Each suffix comes once, and means something. */
static void all_suffixes(void **state)
{
	struct cfs_suffix s = { .view = CFS_VIEW_NONE }, parsed;
	uint64_t seen = 0;
	unsigned n = 0;

	(void)state;
	for (; cfs_suffix_next(&s); n++) {
		assert_true(cfs_suffix_parse(s.text, &parsed));
		assert_int_equal(parsed.view, s.view);
		assert_int_equal(parsed.form, s.form);
		assert_int_equal(parsed.number, n);
		assert_int_equal(seen >> s.number & 1, 0);
		seen |= (uint64_t)1 << s.number;
	}
	assert_int_equal(n, 29);
	assert_true(n <= CFS_SUFFIXES_MAX);
	assert_false(cfs_suffix_next(&s));
}

/* ---- paths ------------------------------------------------------------ */

/* "org/gnu/_/a": host labels up to `_`. */
static struct cfs_path path_of(const char *text)
{
	struct cfs_slice rest = cfs_slice_str(text);
	struct cfs_path p = { .n = 0 };
	bool in_host = true;

	while (rest.n > 0) {
		ptrdiff_t slash = cfs_slice_find(rest, '/');
		size_t n = slash < 0 ? rest.n : (size_t)slash;

		p.comp[p.n++] = cfs_slice_sub(rest, 0, n);
		in_host = in_host && !cfs_slice_eq(p.comp[p.n - 1],
						   CFS_SLICE_LIT("_"));
		p.host_n += in_host;
		rest = cfs_slice_from(rest, n + 1);
	}
	return p;
}

struct path_row {
	const char *path, *entry;
	bool starts, is_below, is_equal;
};
static const struct path_row path_rows[] = {
	{ "org/gnu", "org/gnu/_/a", true, true, false },
	{ "org/gnu", "org/gnu/www/_/a", true, true, false },
	{ "org/gn", "org/gnu/_/a", false, false, false },
	{ "org/gnu/_", "org/gnu/_/a", true, true, false },
	{ "org/gnu/_", "org/gnu/www/_/a", false, false, false },
	{ "org/gnu/_/a", "org/gnu/_/a", true, false, true },
	{ "org/gnu/_/a", "org/gnu/_/a/b", true, true, false },
	{ "org/gnu/_/a/b", "org/gnu/_/a", false, false, false },
	{ "", "org/gnu/_/a", true, true, false },
};

static void path_case(void **state)
{
	const struct path_row *row = *state;
	struct cfs_path p = path_of(row->path), e = path_of(row->entry);

	assert_int_equal(cfs_path_starts(&p, &e), row->starts);
	assert_int_equal(cfs_path_is_below(&p, &e), row->is_below);
	assert_int_equal(cfs_path_eq(&p, &e), row->is_equal);
}

UNIT_PROGRAM
{
	UNIT_ROWS(base_rows, base_case);
	UNIT_ROWS(index_rows, index_case);
	UNIT_TEST(long_bases_are_left_out);
	UNIT_ROWS_BY(suffix_rows, text, suffix_case);
	UNIT_TEST(all_suffixes);
	UNIT_ROWS_BY(path_rows, path, path_case);
	return unit_run("crawl");
}

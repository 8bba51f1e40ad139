/* sides_test.c - text, metadata and sizes of views through the builder into a
 * crawlfs index and back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_fixture.h"
#include "format/open_index.h"

#define VIEW_CODE 77u
#define TEXT_SIZE CFS_INDEX_SIZE_OF(CFS_SLOT_TEXT)
#define META_SIZE CFS_INDEX_SIZE_OF(CFS_SLOT_META)
#define ALL_SIZES (CFS_INDEX_SIZE_BODY | TEXT_SIZE | META_SIZE)

static struct cfs_builder *open_builder(struct fix *f, uint32_t view_version)
{
	struct cfs_builder_opts o = { .path = f->path, .threads = 2,
		.memory_bytes = 1, .archives = f->archives,
		.n_archives = FIX_ARCHIVES, .view_version = view_version };
	struct cfs_builder *b;

	assert_int_equal(cfs_builder_new(&b, &o, NULL), CFS_OK);
	return b;
}

static void add_page(struct cfs_builder *b, const char *url, uint64_t i,
		     const char *mime, const char *id)
{
	struct cfs_builder_capture c = { .url = cfs_slice_str(url),
		.kind = CFS_KIND_RESPONSE, .status = (uint16_t)(200 + i % 3),
		.time = (int64_t)(1000000 + i), .mime = cfs_slice_str(mime),
		.archive = 1, .span.offset = i * 1000, .span.length = 500 + i % 7,
		.body_is_exact = true, .body_bytes = i,
		.record_id = cfs_slice_str(id), .digest = CFS_SLICE_EMPTY,
		.refers_to = CFS_SLICE_EMPTY, .views = fix_sizes(i * 3, i * 2) };

	assert_int_equal(cfs_builder_add(b, (unsigned)(i % 2), &c, NULL), CFS_OK);
}

static void add_side(struct cfs_builder *b, const char *url, bool is_meta,
		     uint64_t i, const char *id)
{
	struct cfs_builder_annex s = { .url = cfs_slice_str(url),
		.is_meta = is_meta, .container = is_meta ? CFS_COMPANION_WARC :
							   CFS_COMPANION_SEQFILE,
		.archive = is_meta ? 3 : 4, .span.offset = i << 33, .span.length = i + 9,
		.span.inner_offset = i * 5, .span.inner_length = i * 6, .bytes = i * 7,
		.refers_to = cfs_slice_str(id), .time = -5, .status = 200 };

	assert_int_equal(cfs_builder_add_annex(b, (unsigned)(i % 2), &s, NULL),
			 CFS_OK);
}

static struct cfs_index *finish(struct fix *f, struct cfs_builder *b,
				struct cfs_builder_counts *counts)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src;
	struct cfs_index *ix;

	if (cfs_builder_finish(b, counts, &e) != CFS_OK)
		fail_msg("%s", e.text);
	cfs_builder_free(b);
	assert_int_equal(cfs_source_open_file(&src, f->path, NULL), CFS_OK);
	assert_int_equal(cfs_index_open(&ix, src, 1 << 20, NULL), CFS_OK);
	return ix;
}

static void check_side(const struct cfs_companion *s, enum cfs_companion_kind kind,
		       uint64_t i)
{
	assert_int_equal(s->kind, kind);
	if (kind == CFS_COMPANION_NONE)
		return;
	assert_int_equal(s->loc.file[0], kind == CFS_COMPANION_WARC ? 3 : 4);
	assert_int_equal(s->loc.offset, i << 33);
	assert_int_equal(s->loc.length, i + 9);
	assert_int_equal(s->loc.inner_offset, i * 5);
	assert_int_equal(s->loc.inner_length, i * 6);
	assert_int_equal(s->bytes, i * 7);
}

static struct cfs_iter it;

/* Page i has text if 2 divides i, metadata if 3 does. */
static void there_and_back(void **state)
{
	enum { N = 3000 };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	struct cfs_capture cap;
	struct cfs_index *ix;
	struct fix f;
	uint64_t n = 0;
	int rc;

	(void)state;
	fix_open(&f);
	b = open_builder(&f, VIEW_CODE);
	for (uint64_t i = 0; i < N; i++) {
		char url[64], id[16];

		snprintf(url, sizeof(url), "http://a.org/%05u", (unsigned)i);
		snprintf(id, sizeof(id), "<%u>", (unsigned)i);
		add_page(b, url, i, "text/html", id);
		if (i % 2 == 0)
			add_side(b, url, false, i, "");
		if (i % 3 == 0)
			add_side(b, url, true, i, id);
	}
	add_side(b, "http://b.org/alone", true, 1, "<nowhere>");
	add_side(b, "junk", true, 1, "<nowhere>");
	ix = finish(&f, b, &counts);
	assert_int_equal(counts.captures, N + 1);
	assert_int_equal(counts.texts, N / 2);
	assert_int_equal(counts.metas, N / 3);
	assert_int_equal(counts.meta_pages, 1);
	assert_int_equal(counts.skipped[CFS_SKIPPED_SCHEME], 1);
	assert_int_equal(ix->view_version, VIEW_CODE);
	cfs_iter_init(&it);
	for (rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	     rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)), n++) {
		assert_int_equal(cfs_index_capture(&it, &cap, NULL), CFS_OK);
		if (n == N)
			break;
		check_side(&cap.text, n % 2 ? CFS_COMPANION_NONE : CFS_COMPANION_SEQFILE, n);
		check_side(&cap.meta, n % 3 ? CFS_COMPANION_NONE : CFS_COMPANION_WARC, n);
		assert_int_equal(cap.body_bytes, n);
		assert_int_equal(cap.status, 200 + n % 3);
		assert_true(cfs_slice_eq(cap.mime, CFS_SLICE_LIT("text/html")));
		assert_true(fix_has_sizes(&cap, n % 6 != 0, n * 3, n * 2));
	}
	/* the page that is only metadata */
	assert_int_equal(n, N);
	assert_int_equal(cap.kind, CFS_KIND_ANNEX);
	assert_int_equal(cap.time, -5);
	assert_true(cap.body_is_exact && cap.body_bytes == 0);
	check_side(&cap.meta, CFS_COMPANION_WARC, 1);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	fix_close(&f);
}

/* One capture, and what of it has no size in the index. */
static const struct unsized {
	const char *name;
	bool has_body, has_views, has_text, has_meta;
	uint32_t view_version;
	uint64_t body, text, meta;	/* expected */
/* Holds S10. */
} unsized_cases[] = {
	{ "all measured", true, true, false, false, VIEW_CODE, 0, 0, 0 },
	{ "measured by no known code", true, true, false, false, 0, 0, 1, 1 },
	{ "body alone", true, false, false, false, VIEW_CODE, 0, 1, 1 },
	{ "nothing", false, false, false, false, VIEW_CODE, 1, 1, 1 },
	{ "the crawl's text", true, false, true, false, VIEW_CODE, 0, 0, 1 },
	{ "the crawl's metadata", true, false, false, true, VIEW_CODE, 0, 1, 0 },
	{ "the crawl's text and metadata", false, false, true, true, 0, 1, 0, 0 },
};

static void unsized_case(void **state)
{
	const struct unsized *u = *state;
	const char *url = "http://a.org/x";
	struct cfs_builder_capture c = { .url = cfs_slice_str(url),
		.kind = CFS_KIND_RESPONSE, .mime = CFS_SLICE_EMPTY,
		.body_is_exact = u->has_body,
		.views = u->has_views ? fix_sizes(0, 0) : (struct cfs_view_bytes){ .known = 0 },
		.record_id = CFS_SLICE_LIT("<1>"), .digest = CFS_SLICE_EMPTY,
		.refers_to = CFS_SLICE_EMPTY };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	struct cfs_index *ix;
	struct fix f;

	fix_open(&f);
	b = open_builder(&f, u->view_version);
	assert_int_equal(cfs_builder_add(b, 0, &c, NULL), CFS_OK);
	if (u->has_text)
		add_side(b, url, false, 1, "<1>");
	if (u->has_meta)
		add_side(b, url, true, 1, "<1>");
	ix = finish(&f, b, &counts);
	assert_int_equal(counts.captures, 1);
	assert_int_equal(ix->unsized.captures[0], u->body);
	assert_int_equal(ix->unsized.captures[1], u->text);
	assert_int_equal(ix->unsized.captures[2], u->meta);
	assert_int_equal(cfs_index_unsized(ix, CFS_INDEX_SIZE_BODY, 0) == 0, !u->body);
	assert_int_equal(cfs_index_unsized(ix, TEXT_SIZE, u->view_version) == 0, !u->text);
	assert_int_equal(cfs_index_unsized(ix, META_SIZE, u->view_version) == 0, !u->meta);
	assert_false(cfs_index_unsized(ix, TEXT_SIZE, u->view_version + 1) == 0);
	assert_int_equal(cfs_index_unsized(ix, ALL_SIZES, u->view_version) == 0,
			 !u->body && !u->text && !u->meta);
	cfs_index_close(ix);
	fix_close(&f);
}

/* More captures of one URL than are held together: in order, all there, and
 * most of them joined. */
static void crowded(void **state)
{
	enum { N = 150000, EVERY = 1000 };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	struct cfs_capture cap;
	struct cfs_index *ix;
	struct fix f;
	uint64_t n = 0, joined = 0;
	int64_t last = INT64_MIN;
	int rc;

	(void)state;
	fix_open(&f);
	b = open_builder(&f, 0);
	for (uint64_t k = 0; k < N; k++) {
		uint64_t i = k * 7919 % N;	/* in no order */
		char id[16];

		snprintf(id, sizeof(id), "<%u>", (unsigned)i);
		add_page(b, "http://a.org/robots.txt", i, "text/plain", id);
		if (i % EVERY == 0)
			add_side(b, "http://a.org/robots.txt", true, i, id);
	}
	ix = finish(&f, b, &counts);
	cfs_iter_init(&it);
	for (rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	     rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)), n++) {
		assert_int_equal(cfs_index_capture(&it, &cap, NULL), CFS_OK);
		if (cap.kind != CFS_KIND_ANNEX) {
			assert_true(cap.time >= last);
			last = cap.time;
		}
		joined += cap.kind == CFS_KIND_RESPONSE &&
			  cap.meta.kind == CFS_COMPANION_WARC;
		assert_int_equal(cap.views.known, 0);	/* of no known code */
	}
	assert_int_equal(n, N + N / EVERY - joined);
	assert_int_equal(counts.metas, joined);
	assert_true(joined > 50);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	fix_close(&f);
}

/* Tables that are full, and extras of all kinds in one entry. */
static void full_tables(void **state)
{
	enum { N = 70000 };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	struct cfs_capture cap;
	struct cfs_index *ix;
	struct fix f;
	uint64_t n = 0;
	int rc;

	(void)state;
	fix_open(&f);
	b = open_builder(&f, VIEW_CODE);
	for (uint64_t i = 0; i < N; i++) {
		char url[64], mime[64];

		snprintf(url, sizeof(url), "http://a.org/%05u", (unsigned)i);
		snprintf(mime, sizeof(mime), "a/%u", (unsigned)i);
		add_page(b, url, i, mime, "");
		if (i % 10 == 0)
			add_side(b, url, false, i, "");
	}
	ix = finish(&f, b, &counts);
	cfs_iter_init(&it);
	for (rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	     rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)), n++) {
		char mime[64];

		assert_int_equal(cfs_index_capture(&it, &cap, NULL), CFS_OK);
		snprintf(mime, sizeof(mime), "a/%u", (unsigned)n);
		assert_true(cfs_slice_eq(cap.mime, cfs_slice_str(mime)));
		assert_int_equal(cap.status, 200 + n % 3);
		check_side(&cap.text, n % 10 ? CFS_COMPANION_NONE : CFS_COMPANION_SEQFILE, n);
		assert_int_equal(cap.views.bytes[CFS_SLOT_META], n * 3);
	}
	assert_int_equal(n, N);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	fix_close(&f);
}

/* ---- sizes of revisits ---- */

/* Stands in for what serves pages: the sizes of a revisit follow from its
 * place; every seventh has none. */
static int stub_result;

static int stub_open(void **sizer, struct cfs_index **ix,
		     struct cfs_source *src,
		     const struct cfs_builder_sizer_opts *opts,
		     struct cfs_error *err)
{
	int rc = cfs_index_open(ix, src, 1 << 20, err);

	assert_string_equal(opts->base, "/base");
	assert_non_null(opts->temp_dir);
	*sizer = *ix;
	return rc;
}

static int stub_find(void *sizer, cfs_pos pos, struct cfs_builder_sizes *out,
		     struct cfs_ctx ctx)
{
	struct cfs_iter *at = malloc(sizeof(*at));
	struct cfs_capture cap = { .kind = CFS_KIND_ANNEX };
	uint64_t i;

	cfs_iter_init(at);
	if (cfs_index_at(sizer, pos, at, CFS_CTX(NULL, ctx.err)) == CFS_OK)
		cfs_index_capture(at, &cap, ctx.err);
	i = cap.loc.offset / 1000;
	*out = (struct cfs_builder_sizes){
		.body = i << 20, .views = fix_sizes(i, i << 10),
		.languages = { "isl" } };
	cfs_iter_release(at);
	free(at);
	if (cap.kind != CFS_KIND_REVISIT)
		return CFS_EFORMAT;
	return i % 7 == 0 ? CFS_EIO : stub_result;
}

static void stub_close(void *sizer) { cfs_index_close(sizer); }

static const struct cfs_builder_sizer stub = { .open = stub_open,
	.find = stub_find, .close = stub_close };

/* Page i is a revisit of page i - 1 if 3 divides it. */
static struct cfs_builder *add_revisits(struct fix *f, unsigned n)
{
	struct cfs_builder_opts o = { .path = f->path, .threads = 2,
		.memory_bytes = 1, .archives = f->archives,
		.n_archives = FIX_ARCHIVES, .view_version = VIEW_CODE,
		.sizer = &stub, .base = "/base", .n_at_hand = 2,
		.keeps_languages = true };
	struct cfs_builder *b;

	assert_int_equal(cfs_builder_new(&b, &o, NULL), CFS_OK);
	for (unsigned i = 0; i < n; i++) {
		bool is_revisit = i % 3 == 0 && i > 0;
		char url[64], id[16], refers[16];
		struct cfs_builder_capture c;

		snprintf(url, sizeof(url), "http://a.org/%05u", i);
		snprintf(id, sizeof(id), "<%u>", i);
		snprintf(refers, sizeof(refers), "<%u>", i - 1);
		c = (struct cfs_builder_capture){ .url = cfs_slice_str(url),
			.kind = is_revisit ? CFS_KIND_REVISIT :
					     CFS_KIND_RESPONSE,
			.archive = i % 5 == 0 ? 2 : 1, .span.offset = i * 1000,
			.span.length = 9, .body_is_exact = !is_revisit,
			.mime = CFS_SLICE_EMPTY, .record_id = cfs_slice_str(id),
			.digest = CFS_SLICE_EMPTY,
			.refers_to = cfs_slice_str(is_revisit ? refers : ""),
			.views = is_revisit ? (struct cfs_view_bytes){ .known = 0 } : fix_sizes(0, 0) };
		assert_int_equal(cfs_builder_add(b, i % 2, &c, NULL), CFS_OK);
	}
	return b;
}

/* A reference leads to its capture, though positions have changed. */
static void check_ref(struct cfs_index *ix, uint64_t i)
{
	static struct cfs_iter at;
	struct cfs_capture cap;
	char ref[16];
	cfs_pos pos;
	size_t n;

	snprintf(ref, sizeof(ref), "id:<%u>", (unsigned)i);
	assert_int_equal(cfs_index_find_ref(ix, cfs_slice_str(ref), &pos, 1, &n,
					    CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(n, 1);
	cfs_iter_init(&at);
	assert_int_equal(cfs_index_at(ix, pos, &at,
				      CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(cfs_index_capture(&at, &cap, NULL), CFS_OK);
	assert_int_equal(cap.loc.offset, i * 1000);
	cfs_iter_release(&at);
}

static void revisit_sizes(void **state)
{
	enum { N = 20000 };
	struct cfs_builder_counts counts;
	struct cfs_capture cap;
	struct cfs_index *ix;
	struct fix f;
	uint64_t i = 0, unsized = 0;
	int rc;

	(void)state;
	fix_open(&f);
	stub_result = CFS_OK;
	ix = finish(&f, add_revisits(&f, N), &counts);
	assert_int_equal(counts.captures, N);
	cfs_iter_init(&it);
	for (rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	     rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)), i++) {
		/* archive 2 is not at hand */
		bool is_known = i % 7 != 0 && i % 5 != 0;

		assert_int_equal(cfs_index_capture(&it, &cap, NULL), CFS_OK);
		assert_int_equal(cap.loc.offset, i * 1000);
		if (i % 3 != 0 || i == 0)
			continue;
		assert_int_equal(cap.kind, CFS_KIND_REVISIT);
		assert_int_equal(cap.body_is_exact, is_known);
		assert_true(fix_has_sizes(&cap, is_known, i, i << 10));
		unsized += !is_known;
		assert_int_equal(cap.languages.n, is_known ? 3 : 0);
		if (is_known)
			assert_int_equal(cap.body_bytes, i << 20);
		check_ref(ix, i - 1);
	}
	assert_int_equal(i, N);
	assert_true(ix->has_languages);
	for (unsigned k = 0; k < CFS_INDEX_SIZES; k++)
		assert_int_equal(ix->unsized.captures[k],
				 k <= 1 + CFS_SLOT_META ? unsized : N);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	fix_close(&f);
}

static void revisits_interrupted(void **state)
{
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	struct fix f;

	(void)state;
	fix_open(&f);
	stub_result = CFS_EINTR;
	b = add_revisits(&f, 3000);
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), CFS_EINTR);
	cfs_builder_free(b);
	assert_int_equal(fix_files(&f), 0);
	fix_close(&f);
}

UNIT_PROGRAM
{
	UNIT_TEST(there_and_back);
	UNIT_ROWS(unsized_cases, unsized_case);
	UNIT_TEST(crowded);
	UNIT_TEST(full_tables);
	UNIT_TEST(revisit_sizes);
	UNIT_TEST(revisits_interrupted);
	return unit_run("sides");
}

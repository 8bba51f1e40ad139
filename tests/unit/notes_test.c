/* notes_test.c - notes of captures: into an index, out of it, and into the
 * metadata view, whose size stays exact.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_fixture.h"

#include "codec/json.h"
#include "crawl/auto_index.h"
#include "crawl/content.h"
#include "crawl/file_info.h"
#include "format/cfx/cfx_format.h"
#include "format/open_index.h"

/* ---- there and back ---- */

/* The notes of the capture whose record has this id; every third has none, a
 * few are as long as can be. */
static void make_notes(const char *id, struct cfs_buf *out)
{
	unsigned n = 0;

	cfs_buf_reset(out);
	sscanf(id, "<urn:uuid:%u>", &n);
	if (n % 3 == 0)
		return;
	cfs_buf_addf(out, "{\"selection\":{\"n\":%u,\"a\":\"", n);
	for (unsigned i = 0; i < n % 50; i++)
		cfs_buf_addf(out, "%u ", n * i);
	while (n % 500 == 1 && out->n + 3 < CFS_NOTES_MAX)
		cfs_buf_addc(out, 'x');
	cfs_buf_adds(out, "\"}}");
	out->n = out->n > CFS_NOTES_MAX ? 0 : out->n;
}

static void build(struct fix *f, bool with_notes, const char *home)
{
	struct cfs_builder_opts o = { .path = f->path, .threads = 2,
		.memory_bytes = 1 << 20, .archives = f->archives,
		.n_archives = FIX_ARCHIVES, .home = home };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	struct cfs_buf notes;

	cfs_buf_init(&notes, 2 * CFS_NOTES_MAX);
	assert_int_equal(cfs_builder_new(&b, &o, &err), 0);
	for (size_t i = 0; i < f->n; i++) {
		make_notes(f->caps[i].id, &notes);
		f->caps[i].c.notes = with_notes ? cfs_buf_slice(&notes) :
						  CFS_SLICE_EMPTY;
		assert_int_equal(cfs_builder_add(b, i % 2, &f->caps[i].c, &err), 0);
	}
	assert_int_equal(cfs_builder_finish(b, &counts, &err), 0);
	cfs_builder_free(b);
	cfs_buf_release(&notes);
	assert_int_equal(fix_files(f), 1);
	qsort(f->caps, f->n, sizeof(*f->caps), fix_cmp);
	for (size_t i = 0; i < f->n; i++)
		fix_point(&f->caps[i]);
}

/* Compares all notes; returns how many could not be read. */
static size_t check(struct cfs_index *ix, const struct fix *f)
{
	struct cfs_buf want, got;
	struct cfs_iter it;
	size_t i = 0, lost = 0;
	int rc;

	cfs_buf_init(&want, 2 * CFS_NOTES_MAX);
	cfs_buf_init(&got, CFS_NOTES_MAX);
	cfs_iter_init(&it);
	for (rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	     rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)), i++) {
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_capture cap;

		assert_int_equal(cfs_index_capture(&it, &cap, NULL), 0);
		make_notes(f->caps[i].id, &want);
		assert_int_equal(cap.notes.bytes, want.n);
		cfs_buf_reset(&got);
		rc = cfs_index_notes(ix, &cap, &got, CFS_CTX(NULL, &err));
		if (rc != CFS_OK) {
			assert_int_equal(rc, CFS_EFORMAT);
			assert_string_not_equal(err.text, "");
			lost++;
		} else {
			assert_true(cfs_slice_eq(cfs_buf_slice(&got),
						 cfs_buf_slice(&want)));
		}
	}
	assert_int_equal(rc, CFS_END);
	assert_int_equal(i, f->n);
	cfs_iter_release(&it);
	cfs_buf_release(&want);
	cfs_buf_release(&got);
	return lost;
}

static void there_and_back(void **state)
{
	struct cfs_index *ix;
	struct fix f;
	uint8_t *p;
	size_t n;

	(void)state;
	fix_open(&f);
	fix_make(&f, 9000, 5, 3000);
	build(&f, true, NULL);
	ix = fix_index(&f, 1 << 18);
	assert_null(ix->home);
	assert_int_equal(check(ix, &f), 0);
	cfs_index_close(ix);
	p = fix_bytes(f.path, &n);
	assert_int_equal(p[8], CFS_CFX_VERSION);
	assert_true(cfs_le64_get(p + CFS_CFX_OFF_NOTES + 8) > 5);
	free(p);
	fix_close(&f);
}

/* A file without notes, home and languages is one of the first version. */
static void without(void **state)
{
	uint8_t *p, *again;
	size_t n, n_again;
	struct fix f;

	(void)state;
	fix_open(&f);
	fix_make(&f, 300, 5, 30);
	for (size_t i = 0; i < f.n; i++) {
		f.caps[i].languages = "";
		fix_point(&f.caps[i]);
	}
	fix_build(&f, 1, 0);
	p = fix_bytes(f.path, &n);
	assert_int_equal(p[8], CFS_CFX_VERSION);
	for (size_t i = CFS_CFX_OFF_NOTES; i < CFS_CFX_OFF_UNSIZED_MORE; i++)
		assert_int_equal(p[i], 0);
	build(&f, false, NULL);
	again = fix_bytes(f.path, &n_again);
	assert_int_equal(n_again, n);
	assert_memory_equal(again, p, n);
	free(again);
	free(p);
	fix_close(&f);
}

static void home(void **state)
{
	struct cfs_index *ix;
	struct fix f;

	(void)state;
	fix_open(&f);
	fix_make(&f, 3, 5, 30);
	build(&f, false, "https://example.org/x");
	ix = fix_index(&f, 1 << 18);
	assert_string_equal(ix->home, "https://example.org/x");
	cfs_index_close(ix);
	fix_close(&f);
}

/* ---- damage ---- */

static size_t lost_with(const struct fix *f, const uint8_t *bytes, size_t n)
{
	struct cfs_index *ix;
	struct cfs_source *src;
	size_t lost;

	assert_int_equal(cfs_source_open_memory(&src, cfs_slice_of(bytes, n),
						"damaged", NULL), 0);
	assert_int_equal(cfs_index_open(&ix, src, 1 << 18, NULL), 0);
	lost = check(ix, f);
	cfs_index_close(ix);
	return lost;
}

/* Notes that are damaged are read by nobody; the captures are all there. */
static void damage(void **state)
{
	uint64_t directory, blocks, from;
	struct fix f;
	uint8_t *p;
	size_t n;

	(void)state;
	fix_open(&f);
	fix_make(&f, 2000, 5, 3000);
	build(&f, true, NULL);
	p = fix_bytes(f.path, &n);
	directory = cfs_le64_get(p + CFS_CFX_OFF_NOTES);
	blocks = cfs_le64_get(p + CFS_CFX_OFF_NOTES + 8);
	assert_true(blocks > 1);
	assert_int_equal(directory + 8 * (blocks + 1), n);
	from = cfs_le64_get(p + directory);
	assert_int_equal(cfs_le64_get(p + n - 8), directory);
	assert_int_equal(lost_with(&f, p, n), 0);
	for (uint64_t at = from; at < n; at += 1 + (directory - from) / 40) {
		size_t lost;

		p[at] ^= 0x40;
		lost = lost_with(&f, p, n);
		assert_true(lost > 0 && lost < f.n);
		p[at] ^= 0x40;
	}
	for (uint64_t at = directory; at < n; at++) {
		p[at] ^= 0x81;
		assert_true(lost_with(&f, p, n) > 0);
		p[at] ^= 0x81;
	}
	free(p);
	fix_close(&f);
}

/* ---- in the metadata ---- */

static const char notes_text[] =
	"{\"selection\":{\"rank\":7,\"langs\":[\"spa\",\"eng\"],\"x\":{}},"
	"\"wacz\":{\"title\":\"T \\u00e9 \\\"q\\\"\"}}";
static const char notes_shown[] =
	",\n  \"selection\": {\n    \"rank\": 7,\n    \"langs\": [\n"
	"      \"spa\",\n      \"eng\"\n    ],\n    \"x\": {}\n  },\n"
	"  \"wacz\": {\n    \"title\": \"T \xc3\xa9 \\\"q\\\"\"\n  }\n}\n";

static void write_archive(const char *path)
{
	static const char http[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html"
		"\r\n\r\n<title>a</title>b";
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	fprintf(f, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:a>"
		"\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: "
		"http://a.org/\r\nContent-Type: application/http\r\n"
		"Content-Length: %zu\r\n\r\n%s\r\n\r\n", strlen(http), http);
	assert_int_equal(fclose(f), 0);
}

/* The one capture of an index. */
static void first_capture(struct cfs_index *ix, struct cfs_iter *it,
			  struct cfs_capture *cap)
{
	cfs_iter_init(it);
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_EMPTY, it,
					CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(cfs_index_capture(it, cap, NULL), 0);
}

/* Indexes the archive, then once more with notes. */
static void index_with_notes(const char *dir, const char *index)
{
	struct cfs_indexer_opts io = { .inputs = &dir, .n_inputs = 1,
				       .output = index, .threads = 1 };
	struct cfs_builder_archive a = { .name = "a.warc" };
	struct cfs_builder_opts bo = { .path = index, .threads = 1,
		.archives = &a, .n_archives = 1, .view_version = cfs_view_version() };
	struct cfs_builder_counts counts;
	struct cfs_builder_capture c;
	struct cfs_capture cap;
	struct cfs_builder *b;
	struct cfs_source *src;
	struct cfs_index *ix;
	struct cfs_iter it;

	cfs_view_sizes_ask(&io, 0);
	assert_int_equal(cfs_indexer_run(&io, NULL, NULL), 0);
	assert_int_equal(cfs_source_open_file(&src, index, NULL), 0);
	assert_int_equal(cfs_index_open(&ix, src, 1 << 18, NULL), 0);
	first_capture(ix, &it, &cap);
	c = (struct cfs_builder_capture){
		.url = CFS_SLICE_LIT("http://a.org/"), .kind = cap.kind,
		.time = cap.time, .status = cap.status, .mime = cap.mime,
		.span = cap.loc, .body_is_exact = true,
		.body_bytes = cap.body_bytes, .views = cap.views,
		.notes = cfs_slice_str(notes_text),
	};
	assert_int_equal(cap.views.known, CFS_VIEW_BYTES_PAIR);
	assert_int_equal(cfs_builder_new(&b, &bo, NULL), 0);
	assert_int_equal(cfs_builder_add(b, 0, &c, NULL), 0);
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), 0);
	cfs_builder_free(b);
	cfs_iter_release(&it);
	cfs_index_close(ix);
}

static void in_meta(void **state)
{
	char dir[] = "/tmp/crawlfs-notes-XXXXXX", archive[64], index[64];
	struct cfs_crawl_opts opts = { .no_cache = true };
	struct cfs_node node = { .type = CFS_NODE_FILE, .view = CFS_VIEW_META };
	struct cfs_file_bytes bytes;
	struct cfs_file_info info;
	struct cfs_crawl *c;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(archive, sizeof(archive), "%s/a.warc", dir);
	snprintf(index, sizeof(index), "%s/a.cfx", dir);
	write_archive(archive);
	index_with_notes(dir, index);
	assert_int_equal(cfs_crawl_open(&c, index, &opts, NULL), 0);
	assert_int_equal(cfs_file_info_get(c, &node, &info,
					   CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(info.size_kind, CFS_SIZE_EXACT);
	assert_int_equal(cfs_content_load(c, &node, &c->view, &bytes,
					  CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(bytes.bytes.n, info.size);
	assert_true(cfs_slice_ends(bytes.bytes, cfs_slice_str(notes_shown)));
	cfs_file_bytes_release(&bytes);
	c->view.meta_compact = true;
	assert_int_equal(cfs_content_load(c, &node, &c->view, &bytes,
					  CFS_CTX(NULL, NULL)), 0);
	assert_true(cfs_slice_ends(bytes.bytes, CFS_SLICE_LIT(
		",\"selection\":{\"rank\":7,\"langs\":[\"spa\",\"eng\"],\"x\":{}},"
		"\"wacz\":{\"title\":\"T \xc3\xa9 \\\"q\\\"\"}}\n")));
	cfs_file_bytes_release(&bytes);
	cfs_crawl_close(c);
	unlink(index);
	unlink(archive);
	assert_int_equal(rmdir(dir), 0);
}

/* ---- copying JSON ---- */

struct copy_case {
	const char *name, *json, *out;		/* out NULL: is refused */
};
static struct copy_case copy_cases[] = {
	{ "a number", "-1.50e+3 x", "-1.50e+3" },
	{ "a long number", "123456789012345678901234567890",
	  "123456789012345678901234567890" },
	{ "words", "[ true , false,null ]", "[true,false,null]" },
	{ "empty ones", "{\"a\":{},\"b\":[ ],\"c\":\"\"}",
	  "{\"a\":{},\"b\":[],\"c\":\"\"}" },
	{ "nested", "[[1,[2]],{\"a\":[{\"b\":1},3]},4]",
	  "[[1,[2]],{\"a\":[{\"b\":1},3]},4]" },
	{ "escapes", "\"\\u0041\\ud83d\\ude00\\n\\/\\ud800\"",
	  "\"A\xf0\x9f\x98\x80\\n/\xef\xbf\xbd\"" },
	{ "bytes that are no UTF-8", "\"\xff\"", "\"\xef\xbf\xbd\"" },
	{ "32 deep", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
	  "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]" },
	{ "33 deep", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
	  NULL },
	{ "a leading zero", "01", NULL },
	{ "no digits", "1.", NULL },
	{ "no exponent", "1e", NULL },
	{ "not a number", "NaN", NULL },
	{ "a comma too many", "[1,]", NULL },
	{ "a comma too early", "{,}", NULL },
	{ "no comma", "[1 2]", NULL },
	{ "no value", "{\"a\":}", NULL },
	{ "no colon", "{\"a\"}", NULL },
	{ "another bracket", "[1}", NULL },
	{ "no end", "{\"a\":[1", NULL },
	{ "nothing", "", NULL },
};

static void copy_case(void **state)
{
	const struct copy_case *tc = *state;
	struct cfs_slice in = exact_copy(tc->json, strlen(tc->json)), s;
	struct cfs_buf out;
	struct cfs_json j = { .out = &out, .compact = true };

	cfs_buf_init(&out, 1000);
	s = in;
	assert_int_equal(cfs_json_copy(&j, &s), tc->out != NULL);
	if (tc->out != NULL)
		assert_string_equal(cfs_buf_str(&out), tc->out);
	for (size_t n = 0; n < in.n; n++) {
		struct cfs_slice cut = exact_copy(in.p, n);

		s = cut;
		j = (struct cfs_json){ .out = &out, .compact = true };
		cfs_json_copy(&j, &s);
		exact_free(cut);
	}
	cfs_buf_release(&out);
	exact_free(in);
}

UNIT_PROGRAM
{
	UNIT_TEST(there_and_back);
	UNIT_TEST(without);
	UNIT_TEST(home);
	UNIT_TEST(damage);
	UNIT_TEST(in_meta);
	UNIT_ROWS(copy_cases, copy_case);
	return unit_run("notes");
}

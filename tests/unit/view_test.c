/* view_test.c - view names, suffixes and the .headers view.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <jansson.h>
#include <zlib.h>

#include "index/related.h"
#include "record/parse.h"
#include "view/charset.h"
#include "view/view.h"

static void names(void **state)
{
	(void)state;
	for (int v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++)
		if (v != CFS_VIEW_URL)		/* it has none */
			assert_int_equal(cfs_view_by_name(cfs_slice_str(
				cfs_view_name((enum cfs_view)v))), v);
	assert_string_equal(cfs_view_name(CFS_VIEW_URL), "none");
	assert_string_equal(cfs_view_name(CFS_VIEW_TEXT), "txt");
	assert_int_equal(cfs_view_by_name(CFS_SLICE_LIT("text")), CFS_VIEW_NONE);
	assert_int_equal(cfs_view_by_name(CFS_SLICE_LIT("none")), CFS_VIEW_NONE);
	assert_int_equal(cfs_view_by_name(CFS_SLICE_EMPTY), CFS_VIEW_NONE);
	assert_int_equal(cfs_view_by_name(CFS_SLICE_LIT("RAW")), CFS_VIEW_NONE);
}

static void suffixes(void **state)
{
	(void)state;
	assert_string_equal(cfs_view_suffix(CFS_VIEW_RAW, 0), "");
	assert_string_equal(cfs_view_suffix(CFS_VIEW_META, 0), ".meta");
	assert_string_equal(cfs_view_suffix(CFS_VIEW_TEXT, 0), ".txt");
	assert_string_equal(cfs_view_suffix(CFS_VIEW_HEADERS, 0), ".headers");
	assert_string_equal(cfs_view_suffix(CFS_VIEW_RECORD, CFS_FORM_ARC_GZ),
			    ".arc.gz");
	assert_string_equal(cfs_view_suffix(CFS_VIEW_RECORD, CFS_FORM_WARC_GZ),
			    ".warc.gz");
	assert_string_equal(cfs_view_suffix(CFS_VIEW_RECORD, CFS_FORM_WARC_ZST),
			    ".warc.zst");
	assert_string_equal(cfs_view_suffix(CFS_VIEW_FULLPAGE,
					    CFS_RELATED_PNG), ".fullpage.png");
	assert_null(cfs_view_suffix(CFS_VIEW_META, 1));
	assert_null(cfs_view_suffix(CFS_VIEW_RECORD, CFS_FORM_COUNT));
	assert_null(cfs_view_suffix(CFS_VIEW_VIEW, CFS_RELATED_FORMS));
	assert_null(cfs_view_suffix((enum cfs_view)77, 0));
}

/* The properties of each row that other code relies on. */
static void rows(void **state)
{
	unsigned suffixes = 0;

	(void)state;
	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++) {
		const struct cfs_view_row *row = &cfs_view_table[v];
		unsigned n = 0;

		while (row->forms[n].suffix != NULL)
			n++;
		assert_true(n < CFS_VIEW_FORMS_MAX);
		assert_int_equal(n > 0, row->name != NULL);
		suffixes += n;
		for (unsigned i = 0; n > 1 && i < n; i++)
			assert_non_null(row->forms[i].type);
		assert_true(row->name == NULL || row->is_related ||
			    row->about != NULL);
		if (row->kept == CFS_VIEW_KEPT_IN_INDEX) {
			assert_non_null(row->render);
			assert_int_equal(cfs_view_of_slot(row->slot), v);
		}
		assert_false(row->is_related && row->render != NULL);
	}
	for (unsigned slot = 0; slot < CFS_VIEW_SLOTS; slot++)
		assert_int_not_equal(cfs_view_of_slot(slot), CFS_VIEW_NONE);
	/* bits of `clash` in crawl/page.h, without the empty suffix */
	assert_true(suffixes - 1 <= 32);
}

static void kinds(void **state)
{
	(void)state;
	assert_true(cfs_view_is_plain(CFS_VIEW_RAW));
	assert_true(cfs_view_is_plain(CFS_VIEW_META));
	assert_true(cfs_view_is_plain(CFS_VIEW_TEXT));
	assert_true(cfs_view_is_plain(CFS_VIEW_HEADERS));
	assert_false(cfs_view_is_plain(CFS_VIEW_RECORD));
	assert_false(cfs_view_is_plain(CFS_VIEW_URL));
	assert_false(cfs_view_is_plain(CFS_VIEW_REQUEST));
	assert_false(cfs_view_is_related(CFS_VIEW_URL));
	assert_true(cfs_view_is_related(CFS_VIEW_REQUEST));
	assert_true(cfs_view_is_related(CFS_VIEW_FULLPAGE));
	assert_false(cfs_view_is_related((enum cfs_view)77));
	for (unsigned what = 0; what < CFS_RELATED_COUNT; what++)
		assert_int_equal(cfs_view_row(CFS_VIEW_REQUEST + what)->related,
				 what);
}

static void headers_are(const struct cfs_record *r,
			const struct cfs_record *body, const char *want)
{
	struct cfs_view_input in = { .record = r, .body_record = body };
	struct cfs_view_opts opts = { 0 };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_buf out;

	cfs_buf_init(&out, 1 << 16);
	assert_int_equal(cfs_view_render(CFS_VIEW_HEADERS, &in, &opts, &out,
					 CFS_CTX(NULL, &err)), CFS_OK);
	assert_true(cfs_slice_eq(cfs_buf_slice(&out), cfs_slice_str(want)));
	cfs_buf_release(&out);
}

static void headers(void **state)
{
	struct cfs_record page = {
		.has_http = true,
		.http_head = CFS_SLICE_LIT("HTTP/1.0 200 OK\r\nA:b\n c\r\n\r\n"),
	};
	struct cfs_record bare = { .http_head = CFS_SLICE_EMPTY };
	struct cfs_record own = {
		.has_http = true, .http_head = CFS_SLICE_LIT("HTTP/1.1 304 x\n\n"),
	};

	(void)state;
	headers_are(&page, NULL, "HTTP/1.0 200 OK\r\nA:b\n c\r\n\r\n");
	headers_are(&bare, NULL, "");
	headers_are(&bare, &page, "HTTP/1.0 200 OK\r\nA:b\n c\r\n\r\n");
	headers_are(&own, &page, "HTTP/1.1 304 x\n\n");
}

static void ceiling(void **state)
{
	struct cfs_record page = {
		.has_http = true, .http_head = CFS_SLICE_LIT("HTTP/1.1 200 OK\r\n\r\n"),
	};
	struct cfs_view_input in = { .record = &page };
	struct cfs_view_opts opts = { 0 };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_buf out;

	(void)state;
	cfs_buf_init(&out, 10);
	assert_int_equal(cfs_view_render(CFS_VIEW_HEADERS, &in, &opts, &out,
					 CFS_CTX(NULL, &err)), CFS_ELIMIT);
	assert_int_equal(err.code, CFS_ELIMIT);
	cfs_buf_release(&out);
}

static bool yes(void *arg)
{
	(void)arg;
	return true;
}

static void interrupted(void **state)
{
	struct cfs_record page = { .has_http = false };
	struct cfs_view_input in = { .record = &page };
	struct cfs_cancel cancel = { .asked = yes };
	struct cfs_view_opts opts = { 0 };
	struct cfs_buf out;

	(void)state;
	cfs_buf_init(&out, 10);
	assert_int_equal(cfs_view_render(CFS_VIEW_HEADERS, &in, &opts, &out,
					 CFS_CTX(&cancel, NULL)), CFS_EINTR);
	cfs_buf_release(&out);
}

/* -- real archives, where they are -- */

/* The file below CFS_DATA, inflated; empty if it is not there. */
static void read_sample(const char *name, struct cfs_buf *out)
{
	const char *dir = getenv("CFS_DATA");
	char path[4096];
	gzFile f;
	int n;

	cfs_buf_init(out, (size_t)1 << 28);
	snprintf(path, sizeof(path), "%s/%s", dir ? dir : "../shared/data", name);
	if (access(path, R_OK) != 0)
		return;
	f = gzopen(path, "rb");
	assert_non_null(f);
	do {
		assert_int_equal(cfs_buf_reserve(out, 65536), CFS_OK);
		n = gzread(f, out->p + out->n, 65536);
		assert_true(n >= 0);
		out->n += (size_t)n;
	} while (n > 0);
	gzclose(f);
}

/* Renders one view of r and lends its bytes; JSON is checked. */
static struct cfs_slice view_of(const struct cfs_record *r, enum cfs_view v,
				struct cfs_buf *out)
{
	struct cfs_view_input in = { .record = r, .url = r->url,
				     .archive_name = CFS_SLICE_LIT("x") };
	struct cfs_view_opts opts = { 0 };
	json_t *json;

	out->n = 0;
	assert_int_equal(cfs_view_render(v, &in, &opts, out,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	if (v == CFS_VIEW_META) {
		json = json_loadb((char *)out->p, out->n, JSON_REJECT_DUPLICATES,
				  NULL);
		assert_non_null(json);
		json_decref(json);
	}
	return cfs_buf_slice(out);
}

/* Every view of every record of a file; the record of the given type is left
 * parsed in *keep (borrowing from bytes). */
static unsigned all_views(const struct cfs_buf *bytes, enum cfs_record_type type,
			  struct cfs_record *keep)
{
	struct cfs_record_limits limits = { .max_body_bytes = 1 << 28 };
	struct cfs_slice rest = cfs_buf_slice(bytes);
	struct cfs_buf out;
	unsigned n = 0;

	cfs_buf_init(&out, (size_t)1 << 28);
	while (rest.n > 0) {
		struct cfs_record r = { 0 };
		uint64_t used = 0;

		if (cfs_record_parse(&r, rest, 0, &limits, &used, NULL) != CFS_OK ||
		    used == 0) {
			cfs_record_release(&r);
			break;
		}
		rest = cfs_slice_from(rest, (size_t)used);
		view_of(&r, CFS_VIEW_META, &out);
		assert_true(cfs_utf8_is_valid(view_of(&r, CFS_VIEW_TEXT, &out)));
		assert_int_equal(view_of(&r, CFS_VIEW_HEADERS, &out).n,
				 r.has_http ? r.http_head.n : 0);
		n++;
		if (keep != NULL && r.type == type && keep->head.n == 0)
			*keep = r;
		else
			cfs_record_release(&r);
	}
	cfs_buf_release(&out);
	return n;
}

static void real_archives(void **state)
{
	static const struct {
		const char *name;
		unsigned records;
	} files[] = {
		{ "warc/pywb/iana.warc.gz", 343 },
		{ "warc/dolma/sample-0000.warc.gz", 48 },
		{ "warc/chatnoir-resiliparse/warcfile.warc.gz", 50 },
		{ "warc/whirlwind-python/whirlwind.warc.gz", 4 },
		{ "textextract/ia-web-commons/text-extraction-test.warc", 4 },
	};
	struct cfs_buf bytes;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		read_sample(files[i].name, &bytes);
		if (bytes.n == 0) {
			printf("SKIP real archives: no %s\n", files[i].name);
			skip();
		}
		assert_int_equal(all_views(&bytes, CFS_RECORD_UNKNOWN, NULL),
				 files[i].records);
		cfs_buf_release(&bytes);
	}
}

/* Words of a that are in b too, of 1,000. */
static unsigned words_in(struct cfs_slice a, struct cfs_slice b)
{
	unsigned n = 0, found = 0;

	while (a.n > 0) {
		size_t k = 0;

		while (k < a.n && a.p[k] > ' ')
			k++;
		if (k > 0) {
			n++;
			found += cfs_slice_search(b, cfs_slice_sub(a, 0, k)) >= 0;
		}
		a = cfs_slice_from(a, k + 1);
	}
	return n > 0 ? found * 1000 / n : 0;
}

/* Our text of a page against Common Crawl's own of the same page. */
static void against_wet(void **state)
{
	struct cfs_record page = { 0 }, wet = { 0 };
	struct cfs_buf a, b, text, want;

	(void)state;
	read_sample("warc/whirlwind-python/whirlwind.warc.gz", &a);
	read_sample("wet/whirlwind-python/whirlwind.warc.wet.gz", &b);
	if (a.n == 0 || b.n == 0) {
		printf("SKIP against_wet: no samples\n");
		skip();
	}
	assert_true(all_views(&a, CFS_RECORD_RESPONSE, &page) > 0);
	assert_true(all_views(&b, CFS_RECORD_CONVERSION, &wet) > 0);
	cfs_buf_init(&text, 1 << 24);
	cfs_buf_init(&want, 1 << 24);
	view_of(&page, CFS_VIEW_TEXT, &text);
	view_of(&wet, CFS_VIEW_TEXT, &want);
	assert_true(cfs_slice_eq(cfs_buf_slice(&want), wet.body));
	assert_true(words_in(cfs_buf_slice(&want), cfs_buf_slice(&text)) >= 950);
	assert_true(words_in(cfs_buf_slice(&text), cfs_buf_slice(&want)) >= 950);
	cfs_buf_release(&want);
	cfs_buf_release(&text);
	cfs_record_release(&wet);
	cfs_record_release(&page);
	cfs_buf_release(&b);
	cfs_buf_release(&a);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names), cmocka_unit_test(suffixes),
		cmocka_unit_test(rows), cmocka_unit_test(kinds),
		cmocka_unit_test(headers), cmocka_unit_test(ceiling),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(real_archives), cmocka_unit_test(against_wet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

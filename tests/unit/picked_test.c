/* picked_test.c - indexes of which only some captures are seen: picked by
 * conditions, hidden by their positions, limited to some keys.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_fixture.h"

#include "format/cdx/cdx.h"
#include "index/part.h"
#include "index/picked.h"

/* All entries of an index, decoded where they are shown. */
static size_t count_shown(struct cfs_index *ix, const struct cfs_conditions *c,
			  struct cfs_index *whole, uint64_t hide_each)
{
	struct cfs_iter a, b;
	size_t shown = 0, n = 0;
	int rc;

	cfs_iter_init(&a);
	cfs_iter_init(&b);
	rc = cfs_index_seek(whole, CFS_SLICE_EMPTY, &a, CFS_CTX(NULL, NULL));
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_EMPTY, &b,
					CFS_CTX(NULL, NULL)), rc);
	for (; rc == CFS_OK; n++) {
		struct cfs_capture x, y;
		struct cfs_traits t;
		bool yes;

		assert_int_equal(a.pos, b.pos);
		assert_int_equal(cfs_index_capture(&a, &x, NULL), CFS_OK);
		t = cfs_traits_of(&x);
		yes = cfs_conditions_failed(c, &t) == 0 &&
		      (hide_each == 0 || n % hide_each != 0);
		assert_int_equal(cfs_index_shows(&b), yes);
		assert_int_equal(cfs_index_capture(&b, &y, NULL),
				 yes ? CFS_OK : CFS_ENOTFOUND);
		if (yes) {
			assert_int_equal(x.time, y.time);
			assert_int_equal(x.status, y.status);
			assert_true(cfs_slice_eq(x.mime, y.mime));
		}
		assert_ptr_equal(b.ix, ix);
		shown += yes;
		rc = cfs_index_next(&a, CFS_CTX(NULL, NULL));
		assert_int_equal(cfs_index_next(&b, CFS_CTX(NULL, NULL)), rc);
	}
	assert_int_equal(rc, CFS_END);
	cfs_iter_release(&a);
	cfs_iter_release(&b);
	return shown;
}

/* Holds T13. */
struct pick_case {
	const char *name, *status, *mime;
	uint64_t hide_each;
};
static struct pick_case pick_cases[] = {
	{ "by status", "200-299", NULL, 0 },
	{ "by type", NULL, "html", 0 },
	{ "by both", "100-399", "image/*", 0 },
	{ "by position", NULL, NULL, 3 },
	{ "by status and position", "200-499", NULL, 2 },
	{ "every one hidden", NULL, NULL, 1 },
	{ "none has it", "999", NULL, 0 },
};

static void pick_case(void **state)
{
	const struct pick_case *tc = *state;
	struct cfs_index *ix, *whole;
	struct cfs_conditions c;
	struct cfs_hidden *hidden;
	struct cfs_iter it;
	size_t n = 0, shown;
	struct fix f;
	int rc;

	fix_open(&f);
	fix_make(&f, 2000, 3, 6);
	fix_build(&f, 1, 1 << 20);
	whole = fix_index(&f, 1 << 20);
	ix = fix_index(&f, 1 << 20);
	cfs_conditions_init(&c);
	if (tc->status != NULL)
		assert_int_equal(cfs_conditions_add_status(&c, tc->status,
							   NULL), CFS_OK);
	if (tc->mime != NULL)
		assert_int_equal(cfs_conditions_add_mime(&c, tc->mime, NULL),
				 CFS_OK);
	assert_int_equal(cfs_picked_wrap(&ix, &c, &hidden, NULL), CFS_OK);
	cfs_iter_init(&it);
	rc = cfs_index_seek(whole, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK && tc->hide_each > 0; n++) {
		if (n % tc->hide_each == 0)
			assert_int_equal(cfs_hidden_add(hidden, it.pos),
					 CFS_OK);
		rc = cfs_index_next(&it, CFS_CTX(NULL, NULL));
	}
	cfs_iter_release(&it);
	shown = count_shown(ix, &c, whole, tc->hide_each);
	if (tc->hide_each == 1 || strcmp(tc->name, "none has it") == 0)
		assert_int_equal(shown, 0);
	else
		assert_int_in_range(shown, 1, f.n - 1);
	assert_ptr_not_equal(cfs_index_unpicked(ix), ix);
	assert_non_null(cfs_picked_conditions(ix));
	cfs_conditions_release(&c);	/* the index has its own */
	assert_int_equal(count_shown(whole, &(struct cfs_conditions){ 0 },
				     whole, 0), f.n);
	cfs_index_close(ix);
	cfs_index_close(whole);
	fix_close(&f);
}

/* ---- what an index does not have ---- */

static void refused(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_index *ix, *was;
	struct cfs_conditions c;
	struct fix f;

	(void)state;
	fix_open(&f);
	fix_make(&f, 10, 1, 3);
	fix_build(&f, 1, 1 << 20);
	was = ix = fix_index(&f, 1 << 20);
	cfs_conditions_init(&c);
	cfs_conditions_add_languages(&c, "eng", NULL);
	assert_true(ix->has_languages);
	ix->has_languages = false;
	assert_int_equal(cfs_picked_wrap(&ix, &c, NULL, &err),
			 CFS_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "languages"));
	assert_ptr_equal(ix, was);
	cfs_conditions_release(&c);
	cfs_conditions_init(&c);
	cfs_conditions_add_status(&c, "200", NULL);
	ix->has_status = false;
	cfs_error_clear(&err);
	assert_int_equal(cfs_picked_wrap(&ix, &c, NULL, &err),
			 CFS_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "statuses"));
	cfs_conditions_release(&c);
	cfs_index_close(was);
	fix_close(&f);
}

/* ---- lines of CDXJ: traits without parsing ---- */

static const char lines[] =
	"com,a)/1 20200101000000 {\"url\": \"http://a.com/1\", \"mime\": "
	"\"text/html\", \"status\": \"200\", \"length\": \"1\", \"offset\": "
	"\"1\", \"filename\": \"a.warc.gz\", \"languages\": \"eng,deu\"}\n"
	"com,a)/2 20200101000000 {\"url\": \"http://a.com/2\", \"mime\": "
	"\"text\\/html\", \"status\": \"404\", \"length\": \"1\", \"offset\": "
	"\"2\", \"filename\": \"a.warc.gz\", \"languages\": \"deu\"}\n"
	"com,a)/3 20200101000000 {\"url\": \"http://a.com/3\", \"mime\": "
	"\"warc/revisit\", \"status\": \"-\", \"length\": \"1\", \"offset\": "
	"\"3\", \"filename\": \"a.warc.gz\"}\n"
	"com,a)/4 20200101000000 {\"languages\": \"deu\\u002ceng\", \"mime\": "
	"\"application/pdf\", \"status\": \"200\", \"length\": \"1\", "
	"\"offset\": \"4\", \"filename\": \"a.warc.gz\"}\n"
	"com,a)/5 20200101000000 {\"mime\": \"unk\", \"mime\": \"image/png\", "
	"\"status\": 200, \"length\": \"1\", \"offset\": \"5\", "
	"\"filename\": \"a.warc.gz\", \"languages\": null}\n"
	"com,a)/6 20200101000000 {\"mime\": \"\", \"status\": \"5000\", "
	"\"length\": \"1\", \"offset\": \"6\", \"filename\": \"a.warc.gz\"}\n";

static struct cfs_index *open_lines(const char *text)
{
	struct cfs_index_opts opts = { .block_cache_bytes = 1 << 20 };
	struct cfs_source *src;
	struct cfs_index *ix;

	assert_int_equal(cfs_source_open_memory(&src, cfs_slice_str(text),
						"lines.cdxj", NULL), CFS_OK);
	assert_int_equal(cfs_cdx_open(&ix, src, &opts, false, NULL), CFS_OK);
	return ix;
}

/* Holds T13. */
struct line_case {
	const char *name, *status, *mime, *languages, *from;
	size_t shown;
};
static struct line_case line_cases[] = {
	{ "lines by status", "200", NULL, NULL, NULL, 3 },
	{ "lines by type", NULL, "html", NULL, NULL, 2 },
	{ "lines by a subtype of two", NULL, "png,pdf", NULL, NULL, 2 },
	{ "a revisit has no type", NULL, "warc/revisit", NULL, NULL, 0 },
	{ "lines by language", NULL, NULL, "deu", NULL, 1 },
	{ "lines by any language", NULL, NULL, "any:deu", NULL, 2 },
	{ "lines by all", "200", "html", "eng", NULL, 1 },
	{ "lines by time, too", "200", NULL, NULL, "2020", 3 },
	{ "lines of another time", "200", NULL, NULL, "2021", 0 },
};

static void line_case(void **state)
{
	const struct line_case *tc = *state;
	struct cfs_index *whole = open_lines(lines), *ix = open_lines(lines);
	struct cfs_conditions c;

	cfs_conditions_init(&c);
	if (tc->status != NULL)
		cfs_conditions_add_status(&c, tc->status, NULL);
	if (tc->mime != NULL)
		cfs_conditions_add_mime(&c, tc->mime, NULL);
	if (tc->languages != NULL)
		cfs_conditions_add_languages(&c, tc->languages, NULL);
	if (tc->from != NULL)
		assert_int_equal(cfs_dates_since(&c.dates, tc->from), CFS_OK);
	assert_int_equal(cfs_picked_wrap(&ix, &c, NULL, NULL), CFS_OK);
	assert_int_equal(count_shown(ix, &c, whole, 0), tc->shown);
	cfs_conditions_release(&c);
	cfs_index_close(ix);
	cfs_index_close(whole);
}

/* ---- some keys ---- */

static bool is_even(const void *arg, struct cfs_slice key)
{
	unsigned sum = 0;

	(void)arg;
	for (size_t i = 0; i < key.n; i++)
		sum += key.p[i];
	return sum % 2 == 0;
}

struct entry {
	struct cfs_buf key;
	cfs_pos pos;
};

/* Seeks each key of the whole, and steps on from there. */
static void check_keys(struct cfs_index *ix, const struct entry *v, size_t n)
{
	struct cfs_iter it;

	cfs_iter_init(&it);
	for (size_t i = 0; i < n; i += 7) {
		struct cfs_slice key = cfs_buf_slice(&v[i].key);
		int rc = cfs_index_seek(ix, key, &it, CFS_CTX(NULL, NULL));
		size_t at = i;

		while (at > 0 && cfs_slice_eq(cfs_buf_slice(&v[at - 1].key),
					      key))
			at--;
		for (unsigned steps = 0; steps < 20; steps++) {
			while (at < n && !cfs_index_holds(ix,
						cfs_buf_slice(&v[at].key)))
				at++;
			assert_int_equal(rc, at < n ? CFS_OK : CFS_END);
			if (rc != CFS_OK)
				break;
			assert_int_equal(it.pos, v[at].pos);
			rc = cfs_index_next(&it, CFS_CTX(NULL, NULL));
			at++;
		}
	}
	cfs_iter_release(&it);
}

static bool is_in(const struct cfs_range *v, size_t n, struct cfs_slice key)
{
	for (size_t i = 0; i < n; i++)
		if (cfs_slice_cmp(key, v[i].lo) >= 0 &&
		    (v[i].hi_open || cfs_slice_cmp(key, v[i].hi) < 0))
			return true;
	return false;
}

static struct entry *all_entries(struct cfs_index *ix, size_t n)
{
	struct entry *v = calloc(n, sizeof(*v));
	struct cfs_iter it;
	size_t i = 0;
	int rc;

	assert_non_null(v);
	cfs_iter_init(&it);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK && i < n; i++) {
		cfs_buf_init(&v[i].key, CFS_KEY_MAX);
		cfs_buf_add(&v[i].key, it.key);
		v[i].pos = it.pos;
		rc = cfs_index_next(&it, CFS_CTX(NULL, NULL));
	}
	assert_int_equal(i, n);
	cfs_iter_release(&it);
	return v;
}

#define RANGES 9u

/* Random ranges, which overlap; on every second turn only some of their keys;
 * and then parts of these. */
/* Holds T14. */
static void some_keys(void **state)
{
	uint64_t rng = 5;
	struct entry *v;
	struct cfs_index *ix;
	struct fix f;

	(void)state;
	fix_open(&f);
	fix_make(&f, 1500, 8, 6);
	fix_build(&f, 1, 1 << 20);
	ix = fix_index(&f, 1 << 20);
	v = all_entries(ix, f.n);
	cfs_index_close(ix);
	for (unsigned turn = 0; turn < 12; turn++) {
		struct cfs_part_keys keys = {
			.covers = turn % 2 ? is_even : NULL };
		struct cfs_range r[RANGES];
		size_t count = turn % RANGES;

		cfs_key_runs_init(&keys.runs);
		for (size_t i = 0; i < count; i++) {
			size_t a = rng_below(&rng, f.n);
			size_t b = a + rng_below(&rng, 100);

			r[i] = (struct cfs_range){
				cfs_buf_slice(&v[a].key),
				cfs_buf_slice(&v[b < f.n ? b : a].key),
				b >= f.n };
			assert_int_equal(cfs_key_runs_add(&keys.runs, &r[i]),
					 CFS_OK);
		}
		cfs_key_runs_settle(&keys.runs);
		assert_int_equal(cfs_part_open_keys(&ix, fix_index(&f, 1 << 20),
						    &keys, NULL), CFS_OK);
		for (size_t i = 0; i < f.n; i++)
			assert_int_equal(
				cfs_index_holds(ix, cfs_buf_slice(&v[i].key)),
				is_in(r, count, cfs_buf_slice(&v[i].key)) &&
				(turn % 2 == 0 ||
				 is_even(NULL, cfs_buf_slice(&v[i].key))));
		check_keys(ix, v, f.n);
		assert_int_equal(cfs_part_open(&ix, ix, (struct cfs_part){ 2, 3 },
					       CFS_CTX(NULL, NULL)), CFS_OK);
		check_keys(ix, v, f.n);
		cfs_index_close(ix);
	}
	for (size_t i = 0; i < f.n; i++)
		cfs_buf_release(&v[i].key);
	free(v);
	fix_close(&f);
}

UNIT_PROGRAM
{
	UNIT_ROWS(pick_cases, pick_case);
	UNIT_TEST(refused);
	UNIT_ROWS(line_cases, line_case);
	UNIT_TEST(some_keys);
	return unit_run("picked");
}

/* pick_test.c - conditions on captures (indexing/pick.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_fixture.h"

#include "base/error.h"
#include "base/timestamp.h"
#include "indexing/pick.h"

/* As a user types it; NULL: not given. */
struct pick_asked {
	const char *from, *to, *status, *mime, *prefixes;
};

static int pick_of(struct cfs_pick **out, const struct pick_asked *a,
		   struct cfs_error *err)
{
	struct cfs_conditions c;
	int rc;

	cfs_conditions_init(&c);
	if (a->from != NULL)
		assert_int_equal(cfs_dates_since(&c.dates, a->from), CFS_OK);
	if (a->to != NULL)
		assert_int_equal(cfs_dates_until(&c.dates, a->to), CFS_OK);
	if (a->status != NULL)
		assert_int_equal(cfs_conditions_add_status(&c, a->status, err),
				 CFS_OK);
	if (a->mime != NULL)
		assert_int_equal(cfs_conditions_add_mime(&c, a->mime, err),
				 CFS_OK);
	rc = cfs_pick_new(out, &c, a->prefixes, err);
	cfs_conditions_release(&c);
	return rc;
}

struct pick_case {
	const char *name;
	struct pick_asked opts;
	const char *url, *time, *mime;
	uint16_t status;
	enum cfs_kind kind;
	bool yes;
};
#define PAGE "http://www.example.com/a/b?q=1"
#define AT "20240220093000"
static struct pick_case cases[] = {
	{ "from that second", { .from = AT }, PAGE, AT, "", 200, 1, true },
	{ "from the next", { .from = "2024-02-20T09:30:01Z" }, PAGE, AT, "", 200,
	  1, false },
	{ "to that year", { .to = "2024" }, PAGE, AT, "", 200, 1, true },
	{ "to that month", { .to = "202402" }, PAGE, AT, "", 200, 1, true },
	{ "to that day", { .to = "2024-02-20" }, PAGE, AT, "", 200, 1, true },
	{ "to that hour", { .to = "2024022009" }, PAGE, AT, "", 200, 1, true },
	{ "to the hour before", { .to = "2024022008" }, PAGE, AT, "", 200, 1,
	  false },
	{ "to December", { .to = "202312" }, PAGE, "20231231235959", "", 200, 1,
	  true },
	{ "after December", { .to = "202312" }, PAGE, "20240101000000", "", 200,
	  1, false },
	{ "to September", { .to = "20240" }, PAGE, AT, "", 200, 1, true },
	{ "to the first days", { .to = "2024020" }, PAGE, AT, "", 200, 1,
	  false },
	{ "no time is older", { .to = "2024" }, PAGE, NULL, "", 200, 1, true },
	{ "no time", { .from = "1970" }, PAGE, NULL, "", 200, 1, false },

	{ "status", { .status = "404, 200" }, PAGE, AT, "", 200, 1, true },
	{ "another status", { .status = "404,500-503" }, PAGE, AT, "", 504, 1,
	  false },
	{ "status in a range", { .status = "500-503" }, PAGE, AT, "", 503, 1,
	  true },
	{ "status 3xx", { .status = "3xx" }, PAGE, AT, "", 308, 1, true },
	{ "not 3xx", { .status = "3XX" }, PAGE, AT, "", 400, 1, false },
	{ "no status", { .status = "200" }, PAGE, AT, "", 0, CFS_KIND_ARC,
	  false },
	{ "a resource has none", { .status = "200" }, PAGE, AT, "", 0,
	  CFS_KIND_RESOURCE, true },
	{ "a status beyond all", { .status = "200" }, PAGE, AT, "", 65535, 1,
	  false },

	{ "type", { .mime = "text/html,application/pdf" }, PAGE, AT,
	  "Application/PDF; version=1", 200, 1, true },
	{ "another type", { .mime = "application/pdf" }, PAGE, AT, "text/html",
	  200, 1, false },
	{ "a subtype alone", { .mime = "pdf" }, PAGE, AT, "application/pdf", 200,
	  1, true },
	{ "not a part of a subtype", { .mime = "pdf" }, PAGE, AT,
	  "application/x-pdf", 200, 1, false },
	{ "any subtype", { .mime = "image/*" }, PAGE, AT, "image/png", 200, 1,
	  true },
	{ "no type", { .mime = "image/*" }, PAGE, AT, "", 200, 1, false },

	{ "domain", { .prefixes = "com.example" }, PAGE, AT, "", 200, 1, true },
	{ "host", { .prefixes = "com.example.www" }, PAGE, AT, "", 200, 1,
	  true },
	{ "half a label", { .prefixes = "com.exam" }, PAGE, AT, "", 200, 1,
	  false },
	{ "one of several", { .prefixes = "org.gnu, com.example" }, PAGE, AT, "",
	  200, 1, true },
	{ "lines", { .prefixes = "org.gnu\ncom.example\n" }, PAGE, AT, "", 200,
	  1, true },
	{ "none of several", { .prefixes = "org.gnu,com.other" }, PAGE, AT, "",
	  200, 1, false },
	{ "folder", { .prefixes = "com.example.www/a" }, PAGE, AT, "", 200, 1,
	  true },
	{ "page with a query", { .prefixes = "com.example.www/a/b" }, PAGE, AT,
	  "", 200, 1, true },
	{ "page", { .prefixes = "com.example.www/a" },
	  "http://www.example.com/a", AT, "", 200, 1, true },
	{ "half a segment", { .prefixes = "com.example.www/a/bc" },
	  "http://www.example.com/a/bcd", AT, "", 200, 1, false },
	{ "below a folder", { .prefixes = "com.example.www/a/" },
	  "http://www.example.com/a", AT, "", 200, 1, false },
	{ "of a host alone", { .prefixes = "com.example/" }, PAGE, AT, "", 200,
	  1, false },
	{ "URL", { .prefixes = PAGE }, PAGE, AT, "", 200, 1, true },
	{ "URL with a comma", { .prefixes = "http://e.com/a,b" },
	  "http://e.com/a,b", AT, "", 200, 1, true },
	{ "another URL", { .prefixes = "http://www.example.com/a/b" }, PAGE, AT,
	  "", 200, 1, false },
	{ "URL and star", { .prefixes = "http://www.example.com/a/b*" }, PAGE,
	  AT, "", 200, 1, true },
	{ "host and star", { .prefixes = "https://www.example.com*" }, PAGE, AT,
	  "", 200, 1, true },
	{ "other host and star", { .prefixes = "http://www.example.co*" }, PAGE,
	  AT, "", 200, 1, false },

	{ "all of them", { "2024", "2024", "200", "html", "com.example" }, PAGE,
	  AT, "text/html", 200, 1, true },
	{ "all but one", { "2024", "2024", "200", "html", "com.example" }, PAGE,
	  AT, "text/plain", 200, 1, false },
};

static void pick_case(void **state)
{
	const struct pick_case *row = *state;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_builder_capture c = {
		.url = cfs_slice_str(row->url), .mime = cfs_slice_str(row->mime),
		.status = row->status, .kind = row->kind };
	struct cfs_pick *p;

	if (row->time != NULL)
		assert_int_equal(cfs_time_parse_14(cfs_slice_str(row->time),
						   &c.time), CFS_OK);
	assert_int_equal(pick_of(&p, &row->opts, &err), CFS_OK);
	assert_non_null(p);
	assert_int_equal(cfs_pick_takes(p, &c), row->yes);
	cfs_pick_free(p);
}

struct bad_case {
	const char *name;
	struct pick_asked opts;
	const char *says;
};
static struct bad_case bad[] = {
	{ "prefix", { .prefixes = "/" }, "--prefix" },
	{ "scheme", { .prefixes = "dns://a/b" }, "--prefix" },
};

static void bad_case(void **state)
{
	const struct bad_case *row = *state;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_pick *p;

	assert_int_equal(pick_of(&p, &row->opts, &err), CFS_EUSAGE);
	assert_null(p);
	assert_non_null(strstr(err.text, row->says));
}

static void no_condition(void **state)
{
	struct cfs_builder_capture c = { .url = CFS_SLICE_EMPTY };
	struct cfs_pick *p;

	(void)state;
	assert_int_equal(pick_of(&p, &(struct pick_asked){ NULL }, NULL),
			 CFS_OK);
	assert_null(p);
	assert_true(cfs_pick_takes(p, &c));
	assert_true(cfs_pick_takes_url(p, c.url));
}

/* Nothing is picked: one run, whose ends are slices that nothing is in. */
static void run_of_all(void **state)
{
	struct cfs_key_runs runs;
	struct cfs_index *ix;
	struct fix f;

	(void)state;
	fix_open(&f);
	fix_make(&f, 20, 1, 9);
	fix_build(&f, 1, 1 << 20);
	ix = fix_index(&f, 1 << 20);
	assert_int_equal(cfs_pick_ranges_find(&runs, NULL, ix,
					      CFS_CTX(NULL, NULL)),
			 CFS_OK);
	assert_int_equal(runs.n, 1);
	assert_true(runs.v[0].hi_open);
	assert_int_equal(runs.v[0].lo.n, 0);
	assert_non_null(runs.v[0].lo.p);
	assert_non_null(runs.v[0].hi.p);
	cfs_key_runs_release(&runs);
	cfs_index_close(ix);
	fix_close(&f);
}

UNIT_PROGRAM
{
	UNIT_ROWS(cases, pick_case);
	UNIT_ROWS(bad, bad_case);
	UNIT_TEST(no_condition);
	UNIT_TEST(run_of_all);
	return unit_run("pick");
}

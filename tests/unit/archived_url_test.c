/* archived_url_test.c - addresses of captures in web archives.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/timestamp.h"
#include "url/lenient_url.h"

struct address_case {
	const char *typed, *url, *time;	/* url NULL: none; time "": none */
};
static const struct address_case address_cases[] = {
	{ "https://web.archive.org/web/20190601120000/http://example.com/a?b=c",
	  "http://example.com/a?b=c", "20190601120000" },
	{ "web.archive.org/web/20190601120000if_/https://example.com/",
	  "https://example.com/", "20190601120000" },
	{ "http://web.archive.org/web/2019/http:/example.com/x",
	  "http://example.com/x", "20190101000000" },
	{ "https://web.archive.org/web/20190601120000/example.com/x",
	  "http://example.com/x", "20190601120000" },
	{ "https://web.archive.org/web/*/http://example.com/*",
	  "http://example.com/*", "" },
	{ "https://web.archive.org/web/http://example.com/",
	  "http://example.com/", "" },
	{ "archive.ph/2019.06.01-120000/https://example.com/a",
	  "https://example.com/a", "20190601120000" },
	{ "https://archive.ph/newest/https://example.com/a",
	  "https://example.com/a", "" },
	{ "http://localhost:8080/all/20240229mp_/ftp://example.com/f",
	  "ftp://example.com/f", "20240229000000" },
	{ "https://arquivo.pt/wayback/19961013145650/http://a.pt/#top",
	  "http://a.pt/", "19961013145650" },
	{ "https://web.archive.org/web/2019/http://web.archive.org/web/2018/"
	  "http://a.b/", "http://web.archive.org/web/2018/http://a.b/",
	  "20190101000000" },
	/* no such addresses */
	{ "http://example.com/", NULL, "" },
	{ "http://example.com/20190601120000/", NULL, "" },
	{ "http://example.com/20190601120000/photo", NULL, "" },
	{ "http://example.com/2019/a.html", NULL, "" },
	{ "http://example.com/go?to=/http://example.org/", NULL, "" },
	{ "http://example.com/#/http://example.org/", NULL, "" },
	{ "words of text/http://example.org/", NULL, "" },
	{ "https://web.archive.org/web/20190601120000/http://", NULL, "" },
	{ "http://", NULL, "" },
	{ "", NULL, "" },
};

static void address_case(void **state)
{
	const struct address_case *tc = *state;
	size_t n = strlen(tc->typed);
	char text[CFS_TIME_14_BYTES] = "";
	uint8_t *exact = malloc(n + 1);
	struct cfs_buf url;
	int64_t time = -1;

	assert_non_null(exact);
	memcpy(exact, tc->typed, n);
	cfs_buf_init(&url, 1024);
	assert_int_equal(cfs_url_archived(cfs_slice_of(exact, n), &url, &time),
			 tc->url != NULL);
	assert_string_equal(cfs_buf_str(&url), tc->url != NULL ? tc->url : "");
	if (tc->url != NULL) {
		if (time != 0)
			cfs_time_format_14(time, text);
		assert_string_equal(text, tc->time);
	}
	cfs_buf_release(&url);
	free(exact);
}

UNIT_PROGRAM
{
	UNIT_ROWS_BY(address_cases, typed, address_case);
	return unit_run("archived_url");
}

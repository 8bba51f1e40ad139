/* schemes_test.c - schemes of URLs that get no place in an index, counted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "indexing/schemes.h"

static void note(struct cfs_schemes *s, const char *url, unsigned times)
{
	while (times-- > 0)
		cfs_schemes_note(s, cfs_slice_str(url));
}

static void text_is(const struct cfs_schemes *s, size_t max, const char *want)
{
	struct cfs_buf text;

	cfs_buf_init(&text, 1 << 16);
	cfs_schemes_text(s, max, &text);
	assert_string_equal(cfs_buf_str(&text), want);
	cfs_buf_release(&text);
}

static void reason_is(const struct cfs_schemes *s, const char *want)
{
	struct cfs_buf text;

	cfs_buf_init(&text, 1 << 16);
	cfs_schemes_reason(s, 200, &text);
	assert_string_equal(cfs_buf_str(&text), want);
	cfs_buf_release(&text);
}

static void by_number(void **state)
{
	struct cfs_schemes s = { 0 }, more = { 0 };

	(void)state;
	text_is(&s, 100, "");
	reason_is(&s, "");
	note(&s, "about:blank", 1);
	note(&s, "URN:x", 2);
	note(&s, "urn:y", 1);
	note(&more, "dns:h", 1);
	note(&more, "about:", 1);
	note(&more, "www.h/a", 1);
	cfs_schemes_add(&s, &more);
	text_is(&s, 1000, "urn: 3, about: 2, dns: 1");
	reason_is(&s, ": 6 records of other schemes (urn: 3, about: 2, dns: 1), "
		  "1 URL without a scheme in front");
	reason_is(&(struct cfs_schemes){ .without = 2 },
		  ": 2 URLs without a scheme in front");
}

static void without_a_scheme(void **state)
{
	static const char *const urls[] = {
		"", "a", "/var/a", "//h/a", "www.h.org/a:b", "h.org:80",
		"h.org:80/a", "localhost:80/a", ":a", "1a:b", "a b:c",
	};
	struct cfs_schemes s = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++)
		note(&s, urls[i], 1);
	assert_int_equal(s.without, sizeof(urls) / sizeof(*urls));
	assert_int_equal(cfs_schemes_total(&s), 0);
	note(&s, "tel:110", 1);
	note(&s, "view-source:http://h/", 1);
	text_is(&s, 1000, "tel: 1, view-source: 1");
}

/* A table of fixed size, whatever an archive holds. */
/* Holds N41. */
static void a_million(void **state)
{
	struct cfs_schemes s = { 0 }, all = { 0 };
	char url[64];
	struct cfs_buf text;

	(void)state;
	note(&s, "urn:x", 1000);
	for (unsigned i = 0; i < 1000000; i++) {
		snprintf(url, sizeof(url), "s%u:x", i);
		cfs_schemes_note(&s, cfs_slice_str(url));
	}
	note(&s, "abcdefghijklmnopqrstuvwxyz-123456:x", 1);
	assert_int_equal(s.n, CFS_SCHEMES_MAX);
	assert_int_equal(cfs_schemes_total(&s), 1001001);
	cfs_schemes_add(&all, &s);
	cfs_schemes_add(&all, &s);
	assert_int_equal(cfs_schemes_total(&all), 2002002);
	text_is(&all, 120, "urn: 2000, s0: 2, s1: 2, s10: 2, s11: 2, s12: 2, "
			   "s13: 2, others: 1999990");
	cfs_buf_init(&text, CFS_SCHEMES_TEXT_MAX);
	cfs_schemes_text(&all, CFS_SCHEMES_TEXT_MAX, &text);
	assert_int_equal(text.failed, CFS_OK);
	assert_non_null(strstr(cfs_buf_str(&text), "others: 1999940"));
	cfs_buf_release(&text);
}

UNIT_PROGRAM
{
	UNIT_TEST(by_number);
	UNIT_TEST(without_a_scheme);
	UNIT_TEST(a_million);
	return unit_run("schemes");
}

/* typed_test.c - other readings of URLs and prefixes that were typed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "url/lenient_url.h"
#include "url/wildcard.h"

struct url_case {
	const char *name, *typed;
	const char *readings;	/* a LF behind each */
};
static struct url_case url_cases[] = {
	{ "nothing to change", "http://a.org/b?c", "" },
	{ "a fragment", "http://a.org/b#c", "http://a.org/b\n" },
	{ "a fragment and a star", "http://a.org/b#*", "http://a.org/b*\n" },
	{ "blanks", " http://a.org/b c ", "http://a.org/b%20c\n" },
	{ "UTF-8", "http://a.org/\xc3\xa9", "http://a.org/%C3%A9\n" },
	{ "quotes in a path and a query", "http://a.org/'\"{?'\"{",
	  "http://a.org/'%22%7B?%27%22{\n" },
	{ "an escaped byte", "http://a.org/%e9", "http://a.org/\xe9\n" },
	{ "an escaped ASCII byte stays", "http://a.org/%2Fx", "" },
	{ "no escape", "http://a.org/%8", "" },
	{ "an escaped byte and a fragment", "http://a.org/%E9#x",
	  "http://a.org/%E9\nhttp://a.org/\xe9\nhttp://a.org/\xe9#x\n" },
	{ "an international host, a port, a user",
	  "http://me@b\xc3\xbc" "cher.example:81/x",
	  "http://me@xn--bcher-kva.example:81/x\n" },
	{ "no URL", "b\xc3\xbc", "" },
	{ "no host", "http:///?b#c", "" },
	{ "slashes, a quote", "\"https:/a.org/b c\"", "https:/a.org/b%20c\n"
	  "https:/a.org/b c\n" },
	{ "another scheme", "gemini://a.org/b#c", "gemini://a.org/b\n" },
};

static void url_case(void **state)
{
	const struct url_case *tc = *state;
	struct cfs_slice s = exact_copy(tc->typed, strlen(tc->typed));
	struct cfs_buf got, one;

	cfs_buf_init(&got, 1 << 16);
	cfs_buf_init(&one, 1 << 16);
	for (unsigned i = 0; cfs_lenient_url(s, i, &one); i++) {
		cfs_buf_add(&got, cfs_buf_slice(&one));
		cfs_buf_addc(&got, '\n');
		cfs_buf_reset(&one);
	}
	assert_string_equal(cfs_buf_str(&got), tc->readings);
	cfs_buf_release(&got);
	cfs_buf_release(&one);
	exact_free(s);
}

struct prefix_case {
	const char *name, *typed, *prefix;	/* NULL: none */
};
static struct prefix_case prefix_cases[] = {
	{ "a domain", "www.example.com", "com.example.www" },
	{ "a domain and a slash", "example.com/", "com.example" },
	{ "a domain and a path", "example.com/a/b?c", "com.example/a/b?c" },
	{ "a port", "example.com:8080/a", "com.example/a" },
	{ "a dot at its end", "example.com./a", "com.example/a" },
	{ "a SURT", "com,example)/", "com.example" },
	{ "a SURT and a path", "com,example,www)/a?b", "com.example.www/a?b" },
	{ "a SURT with a port", "com,example:8080)/a", "com.example/a" },
	{ "a SURT of a domain", "com,example,", "com.example" },
	{ "one label", "example", NULL },
	{ "one label and a path", "example/a.b", NULL },
	{ "a path", "/com.example/a", NULL },
	{ "a dot", ".", NULL },
	{ "a comma in a path", "example/a,b)", NULL },
	{ "commas", ",,", NULL },
	{ "nothing", "", NULL },
};

static void prefix_case(void **state)
{
	const struct prefix_case *tc = *state;
	struct cfs_slice s = exact_copy(tc->typed, strlen(tc->typed));
	struct cfs_buf got;

	cfs_buf_init(&got, 1 << 16);
	assert_int_equal(cfs_lenient_prefix(s, &got), tc->prefix != NULL);
	if (tc->prefix != NULL)
		assert_string_equal(cfs_buf_str(&got), tc->prefix);
	cfs_buf_release(&got);
	exact_free(s);
}

struct wildcard_case {
	const char *name, *typed;
	bool yes;		/* it is a pattern */
	const char *readings;	/* a LF behind each */
};
static struct wildcard_case wildcard_cases[] = {
	{ "a domain", "*.example.org", true, "org.example\n" },
	{ "and a slash", "*.example.org/", true, "org.example\n" },
	{ "and a star", "*.example.org/*", true, "org.example\n" },
	{ "a URL", "http://*.example.org/", true, "org.example\n" },
	{ "a URL without a path", "https://*.example.org", true,
	  "org.example\n" },
	{ "a URL and a star", "https://*.example.org/*", true,
	  "org.example\n" },
	{ "a dot at the end", "*.example.org./", true, "org.example\n" },
	{ "a host", "example.org/*", true,
	  "http://example.org/*\nhttp://org.example/*\n" },
	{ "a path", "example.org/a/b*", true,
	  "http://example.org/a/b*\nhttp://org.example/a/b*\n" },
	{ "a path of a domain", "*.example.org/a*", true, "" },
	{ "two stars", "*.*.org", true, "" },
	{ "a star in a host", "www*.example.org/*", true, "" },
	{ "nothing behind it", "*.", true, "" },
	{ "a star alone", "*", true, "" },
	{ "a host's beginning", "example*", true, "" },
	{ "a path in the tree", "com/example/_/a*", true, "" },
	{ "a URL with a star behind", "http://example.org/a*", false, "" },
	{ "a URL that ends in its host", "http://example.org*", false, "" },
	{ "a star in a path", "com.example/a*b", false, "" },
	{ "a prefix", "com.example", false, "" },
	{ "nothing", "", false, "" },
};

static void wildcard_case(void **state)
{
	const struct wildcard_case *tc = *state;
	struct cfs_slice s = exact_copy(tc->typed, strlen(tc->typed));
	struct cfs_buf got, one;

	cfs_buf_init(&got, 1 << 16);
	cfs_buf_init(&one, 1 << 16);
	assert_int_equal(cfs_wildcard_is(s), tc->yes);
	for (unsigned i = 0; tc->yes && cfs_wildcard_read(s, i, &one); i++) {
		cfs_buf_add(&got, cfs_buf_slice(&one));
		cfs_buf_addc(&got, '\n');
		cfs_buf_reset(&one);
	}
	assert_string_equal(cfs_buf_str(&got), tc->readings);
	cfs_buf_release(&got);
	cfs_buf_release(&one);
	exact_free(s);
}

UNIT_PROGRAM
{
	UNIT_ROWS(url_cases, url_case);
	UNIT_ROWS(prefix_cases, prefix_case);
	UNIT_ROWS(wildcard_cases, wildcard_case);
	return unit_run("typed");
}

/* users_test.c - names and passwords that were typed in URLs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "net/url_credentials.h"

struct take_case {
	const char *name, *text, *left, *url, *user;
};
static struct take_case take_cases[] = {
	{ "a URL", "http://me:pw@a.org/b", "http://a.org/b",
	  "http://a.org/other", "me:pw" },
	{ "a name only", "https://me@a.org", "https://a.org",
	  "https://A.org:443/x", "me" },
	{ "another scheme", "https://me:pw@a.org/", "https://a.org/",
	  "http://a.org/", "" },
	{ "another port", "http://me:pw@a.org:81/", "http://a.org:81/",
	  "http://a.org/", "" },
	{ "another host", "http://me:pw@a.org/", "http://a.org/",
	  "http://a.org.uk/", "" },
	{ "S3", "s3://a@b/c", "s3://a@b/c", "https://b/c", "" },
	{ "an @ in the path", "http://a.org/@b", "http://a.org/@b",
	  "http://a.org/", "" },
	{ "an @ in the query", "http://a.org?x@b", "http://a.org?x@b",
	  "http://a.org/", "" },
	{ "an @ and a comma in the password", "http://me:p@,w@a.org/",
	  "http://a.org/", "http://a.org/", "me:p@,w" },
	{ "a slash in the password", "http://me:p/w@a.org/", "http://a.org/",
	  "http://a.org/", "me:p/w" },
	{ "a slash and an @ in the password", "http://me:p/@w@a.org/x@y",
	  "http://a.org/x@y", "http://a.org/", "me:p/@w" },
	{ "a port, and an @ later", "http://a.org:80/x@y",
	  "http://a.org:80/x@y", "http://a.org/", "" },
	{ "IPv6", "http://me:pw@[::1]/", "http://[::1]/", "http://[::1]/x",
	  "me:pw" },
	{ "IPv6, and an @ later", "http://[::1]/x@y", "http://[::1]/x@y",
	  "http://[::1]/", "" },
	{ "a value", "--data=http://me:p,w@a.org/", "--data=http://a.org/",
	  "http://a.org/", "me:p,w" },
	{ "words", "ro,data=http://me:pw@a.org,x=@b",
	  "ro,data=http://a.org,x=@b", "http://a.org/", "me:pw" },
	{ "words without a user", "data=http://a.org,x=me@b",
	  "data=http://a.org,x=me@b", "http://a.org/", "" },
	{ "two of a list: the nearer",
	  "http://me:1@a.org/x/i,http://you:2@a.org/y/i",
	  "http://a.org/x/i,http://a.org/y/i", "http://a.org/y/j", "you:2" },
	{ "two of a list: neither is near",
	  "http://me:1@a.org/x/i,http://you:2@a.org/y/i",
	  "http://a.org/x/i,http://a.org/y/i", "http://a.org/z", "me:1" },
	{ "no URL", "me:pw@a.org", "me:pw@a.org", "http://a.org/", "" },
	{ "a bad host", "http://me:pw@/x", "http:///x", "http://a.org/", "" },
	{ "nothing", "", "", "http://a.org/", "" },
};

static void take_case(void **state)
{
	const struct take_case *tc = *state;
	size_t n = strlen(tc->text) + 1;
	char *text = malloc(n);
	struct cfs_location loc;

	assert_non_null(text);
	memcpy(text, tc->text, n);
	assert_int_equal(cfs_credentials_take(text), CFS_OK);
	assert_string_equal(text, tc->left);
	for (size_t i = strlen(tc->left); i < n; i++)
		assert_int_equal(text[i], 0);
	assert_int_equal(cfs_location_parse(&loc, tc->url, NULL), CFS_OK);
	assert_int_equal(cfs_credentials_find(&loc).n, strlen(tc->user));
	assert_memory_equal(cfs_credentials_find(&loc).p, tc->user,
			    strlen(tc->user));
	cfs_credentials_release();
	assert_int_equal(cfs_credentials_find(&loc).n, 0);
	free(text);
}

struct hide_case {
	const char *name, *text, *left;
};
static struct hide_case hide_cases[] = {
	{ "hidden: a URL", "http://a.org/b?KEY", "http://a.org/b?..." },
	{ "hidden: a short query", "HTTP://a.org/b?K", "HTTP://a.org/b?." },
	{ "hidden: blanks and commas", "http://a.org/b?K EY,x",
	  "http://a.org/b?..." },
	{ "hidden: an option", "--data=https://a.org/b?KEY",
	  "--data=https://a.org/b?..." },
	/* Holds U60. */
	{ "hidden: words", "ro,data=http://a.org/b?K\\,EY,x=?y",
	  "ro,data=http://a.org/b?...,x=?y" },
	{ "hidden: two words", "base=http://a?KEY,data=http://b?KEYS",
	  "base=http://a?...,data=http://b?..." },
	{ "hidden: a backslash at the end", "x=http://a?K\\", "x=http://a?.." },
	{ "hidden: S3 has no queries", "s3://a/b?c", "s3://a/b?c" },
	{ "hidden: no query", "http://a.org/b", "http://a.org/b" },
	{ "hidden: an empty one", "http://a.org/b?", "http://a.org/b?" },
	{ "hidden: no URL", "a?b", "a?b" },
};

static void hide_case(void **state)
{
	const struct hide_case *tc = *state;
	size_t n = strlen(tc->text) + 1;
	char *text = malloc(n), *whole;

	assert_non_null(text);
	memcpy(text, tc->text, n);
	assert_int_equal(cfs_credentials_hide_queries(text, &whole), CFS_OK);
	assert_string_equal(text, tc->left);
	for (size_t i = strlen(tc->left); i < n; i++)
		assert_int_equal(text[i], 0);
	if (strcmp(tc->text, tc->left) == 0)
		assert_null(whole);
	else
		assert_string_equal(whole, tc->text);
	free(whole);
	free(text);
}

UNIT_PROGRAM
{
	UNIT_ROWS(take_cases, take_case);
	UNIT_ROWS(hide_cases, hide_case);
	return unit_run("users");
}

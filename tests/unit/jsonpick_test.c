/* jsonpick_test.c - values picked out of JSON texts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "codec/json.h"

struct pick_case {
	const char *name, *json;
	bool ok;
	const char *a, *ab, *abc;	/* at a, a/b, a/b/c */
};
static struct pick_case pick_cases[] = {
	{ "a number", "{\"a\":12}", true, "12", "", "" },
	{ "a string", " { \"a\" : \"x\\\"}{\" } ", true, "x\\\"}{", "", "" },
	{ "words", "{\"x\":null,\"a\":true}", true, "true", "", "" },
	{ "nested", "{\"a\":{\"b\":{\"c\":-1.5e3}}}", true, "", "", "-1.5e3" },
	{ "two levels", "{\"a\":{\"x\":1,\"b\":\"\",\"y\":2}}", true, "", "", "" },
	{ "beside", "{\"b\":1,\"c\":{\"a\":2},\"a\":{\"b\":3}}", true, "", "3", "" },
	{ "not in an array", "{\"a\":[{\"b\":1},2],\"x\":[]}", true, "", "", "" },
	{ "after an array of brackets", "{\"x\":[\"]\",{\"}\":[[]]}],\"a\":7}",
	  true, "7", "", "" },
	{ "the last counts", "{\"a\":1,\"a\":2}", true, "2", "", "" },
	{ "a name like the path", "{\"a/b\":1}", true, "", "", "" },
	{ "an even number of backslashes", "{\"x\":\"\\\\\",\"a\":1}", true,
	  "1", "", "" },
	{ "empty", "{}", true, "", "", "" },
	{ "an array", "[{\"a\":1}]", false, "", "", "" },
	{ "nothing", "", false, "", "", "" },
	{ "no colon", "{\"a\" 1}", false, "", "", "" },
	{ "no value", "{\"a\":}", false, "", "", "" },
	{ "no end of a string", "{\"a\":\"x", false, "", "", "" },
};

static void pick_case(void **state)
{
	static const char *const paths[] = { "a", "a/b", "a/b/c" };
	const struct pick_case *tc = *state;
	struct cfs_slice in = exact_copy(tc->json, strlen(tc->json)), v[3];

	assert_int_equal(cfs_json_pick(in, paths, 3, v), tc->ok);
	if (tc->ok) {
		assert_slice(v[0], tc->a);
		assert_slice(v[1], tc->ab);
		assert_slice(v[2], tc->abc);
	}
	for (size_t n = 0; tc->ok && n < in.n; n++) {
		struct cfs_slice cut = exact_copy(in.p, n);

		cfs_json_pick(cut, paths, 3, v);
		exact_free(cut);
	}
	exact_free(in);
}

/* taken: NAME=VALUE; for each that cfs_json_next takes; rc: at the end. */
static const struct next_case {
	const char *name, *json, *taken;
	int rc;
} next_cases[] = {
	{ "items", " [1, \"a,]\" ,[2,3],{\"x\":4} ] z",
	  "=1;=\"a,]\";=[2,3];={\"x\":4};", CFS_END },
	{ "members", "{\"a\" : [\"]\"],\"b\":null}", "a=[\"]\"];b=null;",
	  CFS_END },
	{ "none", "[ ]", "", CFS_END },
	{ "no member", "{}", "", CFS_END },
	{ "an item without an end", "[1,[2", "=1;", CFS_EFORMAT },
	{ "no item", "[1,,2]", "=1;", CFS_EFORMAT },
	{ "the other bracket", "{\"a\":1}", "", CFS_EFORMAT },
	{ "no brackets", "1", "", CFS_EFORMAT },
	{ "nothing", "", "", CFS_EFORMAT },
	{ "only blanks", "  ", "", CFS_EFORMAT },
};

static void next_case(void **state)
{
	const struct next_case *tc = *state;
	struct cfs_slice in = exact_copy(tc->json, strlen(tc->json)), s = in;
	bool is_object = strstr(tc->name, "member") != NULL;
	struct cfs_json_member m;
	char taken[100] = "";
	int rc;

	while ((rc = cfs_json_next(&s, is_object ? '{' : '[', &m)) == CFS_OK) {
		size_t at = strlen(taken);

		snprintf(taken + at, sizeof(taken) - at, "%.*s=%.*s;",
			 (int)m.name.s.n, (const char *)m.name.s.p,
			 (int)m.written.n, (const char *)m.written.p);
	}
	assert_int_equal(rc, tc->rc);
	assert_string_equal(taken, tc->taken);
	for (size_t n = 0; n + 1 < in.n; n++) {
		struct cfs_slice cut = exact_copy(in.p, n), rest = cut;

		while (cfs_json_next(&rest, is_object ? '{' : '[', &m) ==
		       CFS_OK)
			assert_true(m.written.n > 0);
		exact_free(cut);
	}
	exact_free(in);
}

static void member_of(void **state)
{
	struct cfs_slice s = CFS_SLICE_LIT("{\"x\":{\"b\":0},\"b\":[1,{2");

	(void)state;
	assert_slice(cfs_json_member_of(s, "x"), "{\"b\":0}");
	assert_slice(cfs_json_member_of(cfs_json_member_of(s, "x"), "b"), "0");
	assert_slice(cfs_json_member_of(s, "b"), "[1,{2");
	assert_slice(cfs_json_member_of(s, "c"), "");
	assert_slice(cfs_json_member_of(CFS_SLICE_LIT("[\"a\"]"), "a"), "");
}

/* Depth costs nothing; the text has as many brackets as it likes. */
static void deep(void **state)
{
	static const char *const paths[] = { "a/a/a" };
	size_t n = 2000000;
	char *p = malloc(n);
	struct cfs_slice v;

	(void)state;
	assert_non_null(p);
	memcpy(p, "{\"x\":", 5);
	memset(p + 5, '[', n - 5);
	assert_false(cfs_json_pick(cfs_slice_of(p, n), paths, 1, &v));
	for (size_t i = 0; i + 5 <= n; i += 5)
		memcpy(p + i, "{\"a\":", 5);
	assert_false(cfs_json_pick(cfs_slice_of(p, n), paths, 1, &v));
	free(p);
}

UNIT_PROGRAM
{
	UNIT_TEST(member_of);
	UNIT_TEST(deep);
	UNIT_ROWS(next_cases, next_case);
	UNIT_ROWS(pick_cases, pick_case);
	return unit_run("jsonpick");
}

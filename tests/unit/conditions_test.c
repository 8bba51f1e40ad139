/* conditions_test.c - conditions as users type them, and captures that meet
 * them (index/conditions.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "index/conditions.h"

/* Holds T13. */
struct met_case {
	const char *name;
	const char *status, *mime, *languages;	/* as typed; NULL: not given */
	uint16_t has_status;
	const char *has_mime, *has_languages;
	enum cfs_kind kind;
	unsigned failed;
};
#define TIME CFS_CONDITION_TIME
#define STATUS CFS_CONDITION_STATUS
#define MIME CFS_CONDITION_MIME
#define LANGUAGE CFS_CONDITION_LANGUAGE
static struct met_case met_cases[] = {
	{ "no condition", NULL, NULL, NULL, 0, "", "", 0, 0 },
	{ "a status", "200", NULL, NULL, 200, "", "", 0, 0 },
	{ "another status", "200", NULL, NULL, 201, "", "", 0, STATUS },
	{ "a class", "3xx", NULL, NULL, 308, "", "", 0, 0 },
	{ "a class ends", "3XX", NULL, NULL, 400, "", "", 0, STATUS },
	{ "a range begins", "300-399", NULL, NULL, 300, "", "", 0, 0 },
	{ "a range ends", "300-399", NULL, NULL, 399, "", "", 0, 0 },
	{ "the highest", "999", NULL, NULL, 999, "", "", 0, 0 },
	{ "beyond the highest", "0-999", NULL, NULL, 1000, "", "", 0, STATUS },
	{ "of several", "404, 200", NULL, NULL, 200, "", "", 0, 0 },
	{ "of several with colons", "404:200", NULL, NULL, 200, "", "", 0, 0 },
	{ "unknown", "200", NULL, NULL, 0, "", "", CFS_KIND_ARC, STATUS },
	{ "a resource", "200", NULL, NULL, 0, "", "", CFS_KIND_RESOURCE, 0 },
	{ "a conversion", "404", NULL, NULL, 0, "", "", CFS_KIND_CONVERSION,
	  STATUS },
	{ "a type", NULL, "text/html", NULL, 0, "text/html", "", 0, 0 },
	{ "parameters and case", NULL, "Text/HTML", NULL, 0,
	  " text/HTML ; charset=x", "", 0, 0 },
	{ "another type", NULL, "text/html", NULL, 0, "text/htm", "", 0, MIME },
	{ "longer than the type", NULL, "text/htm", NULL, 0, "text/html", "", 0,
	  MIME },
	{ "a subtype", NULL, "pdf", NULL, 0, "application/pdf", "", 0, 0 },
	{ "not the end of one", NULL, "pdf", NULL, 0, "application/x-pdf", "", 0,
	  MIME },
	{ "any subtype", NULL, "image/*", NULL, 0, "image/png", "", 0, 0 },
	{ "stars", NULL, "*/*a*b", NULL, 0, "x/yaab", "", 0, 0 },
	{ "stars, another end", NULL, "*/*a*b", NULL, 0, "x/yaabc", "", 0,
	  MIME },
	{ "a star for nothing", NULL, "a/b*", NULL, 0, "a/b", "", 0, 0 },
	{ "no type", NULL, "*", NULL, 0, "", "", 0, MIME },
	{ "a bracket is itself", NULL, "a/[b]", NULL, 0, "a/b", "", 0, MIME },
	{ "a language", NULL, NULL, "deu", 0, "", "deu", 0, 0 },
	{ "of several languages", NULL, NULL, "eng,DEU", 0, "", "deu", 0, 0 },
	{ "two letters", NULL, NULL, "de", 0, "", "deu", 0, 0 },
	{ "two letters of many", NULL, NULL, "fr,zh,EN", 0, "", "zho", 0, 0 },
	{ "two letters, another one", NULL, NULL, "de", 0, "", "dea", 0,
	  LANGUAGE },
	{ "the first one counts", NULL, NULL, "deu", 0, "", "eng,deu", 0,
	  LANGUAGE },
	{ "any of them", NULL, NULL, "any:deu", 0, "", "eng,deu", 0, 0 },
	{ "any of several", NULL, NULL, "any:fra:deu", 0, "", "eng,deu", 0, 0 },
	{ "a language called any", NULL, NULL, "any", 0, "", "any", 0, 0 },
	{ "no part of a code", NULL, NULL, "any:deu", 0, "", "deux,de", 0,
	  LANGUAGE },
	{ "across two codes", NULL, NULL, "abc,def", 0, "", "bcd", 0,
	  LANGUAGE },
	{ "no language", NULL, NULL, "deu", 0, "", "", 0, LANGUAGE },
	{ "all of them", "404", "pdf", "deu", 200, "text/html", "eng", 0,
	  STATUS | MIME | LANGUAGE },
	{ "all but one", "404", "pdf", "deu", 404, "a/pdf", "eng", 0,
	  LANGUAGE },
};

static void met_case(void **state)
{
	const struct met_case *tc = *state;
	struct cfs_conditions c, copy;
	struct cfs_slice mime = exact_copy(tc->has_mime, strlen(tc->has_mime));
	struct cfs_slice languages = exact_copy(tc->has_languages,
						strlen(tc->has_languages));
	struct cfs_traits t = { .kind = tc->kind, .time = 1,
				.status = tc->has_status, .mime = mime,
				.languages = languages };
	unsigned given = 0;

	cfs_conditions_init(&c);
	if (tc->status != NULL)
		assert_int_equal(cfs_conditions_add_status(&c, tc->status,
							   NULL), CFS_OK);
	if (tc->mime != NULL)
		assert_int_equal(cfs_conditions_add_mime(&c, tc->mime, NULL),
				 CFS_OK);
	if (tc->languages != NULL)
		assert_int_equal(cfs_conditions_add_languages(
					 &c, tc->languages, NULL), CFS_OK);
	given |= tc->status != NULL ? STATUS : 0;
	given |= tc->mime != NULL ? MIME : 0;
	given |= tc->languages != NULL ? LANGUAGE : 0;
	assert_int_equal(cfs_conditions_given(&c), given);
	assert_int_equal(cfs_conditions_failed(&c, &t), tc->failed);
	assert_int_equal(cfs_conditions_copy(&copy, &c), CFS_OK);
	cfs_conditions_release(&c);
	assert_int_equal(cfs_conditions_given(&copy), given);
	assert_int_equal(cfs_conditions_failed(&copy, &t), tc->failed);
	cfs_conditions_release(&copy);
	exact_free(mime);
	exact_free(languages);
}

typedef int add_list(struct cfs_conditions *c, const char *list,
		     struct cfs_error *err);
struct bad_list {
	const char *name, *list, *says;
	add_list *add;
};
static struct bad_list bad_lists[] = {
	{ "no status", "", "'' is not a status", cfs_conditions_add_status },
	{ "a word", "200,ok", "'ok' is", cfs_conditions_add_status },
	{ "an empty one", "200,", "'' is", cfs_conditions_add_status },
	{ "too high", "1000", "'1000' is", cfs_conditions_add_status },
	{ "backwards", "300-200", "'300-200' is", cfs_conditions_add_status },
	{ "0xx", "0xx", "'0xx' is", cfs_conditions_add_status },
	{ "half a range", "200--300", "'200--300' is",
	  cfs_conditions_add_status },
	{ "no type", "", "'' is not a type", cfs_conditions_add_mime },
	{ "an empty type", "text/html,,pdf", "'' is", cfs_conditions_add_mime },
	{ "no language", "any:", "'' is not a language",
	  cfs_conditions_add_languages },
	{ "two letters", "qq", "'qq' is", cfs_conditions_add_languages },
	{ "one letter", "d", "'d' is", cfs_conditions_add_languages },
	{ "a digit of two", "d1", "'d1' is", cfs_conditions_add_languages },
	{ "a tag", "de-AT", "'de-AT' is", cfs_conditions_add_languages },
	{ "digits", "e1g", "'e1g' is", cfs_conditions_add_languages },
	{ "any: in the middle", "eng,any:", "'' is",
	  cfs_conditions_add_languages },
};

static void bad_list(void **state)
{
	const struct bad_list *tc = *state;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_conditions c;

	cfs_conditions_init(&c);
	assert_int_equal(tc->add(&c, tc->list, &err), CFS_EUSAGE);
	assert_non_null(strstr(err.text, tc->says));
	cfs_conditions_release(&c);
}

/* A list that does not fit is refused, however it is cut. */
static void too_long(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_conditions c;
	char *list = malloc(2 * CFS_CONDITIONS_TEXT_MAX + 1);

	(void)state;
	assert_non_null(list);
	for (size_t i = 0; i < CFS_CONDITIONS_TEXT_MAX; i++)
		memcpy(list + 2 * i, "a,", 2);
	list[2 * CFS_CONDITIONS_TEXT_MAX - 1] = '\0';
	cfs_conditions_init(&c);
	assert_int_equal(cfs_conditions_add_mime(&c, list, &err), CFS_EUSAGE);
	assert_non_null(strstr(err.text, "too long"));
	cfs_conditions_release(&c);
	free(list);
}

static void times(void **state)
{
	struct cfs_traits t = { .mime = CFS_SLICE_EMPTY,
				.languages = CFS_SLICE_EMPTY };
	struct cfs_conditions c;

	(void)state;
	cfs_conditions_init(&c);
	assert_int_equal(cfs_dates_until(&c.dates, "2012"), CFS_OK);
	assert_int_equal(cfs_conditions_given(&c), TIME);
	assert_int_equal(cfs_conditions_failed(&c, &t), 0);	/* unknown */
	t.time = c.dates.to + 1;
	assert_int_equal(cfs_conditions_failed(&c, &t), TIME);
	t.time = 0;
	assert_int_equal(cfs_dates_since(&c.dates, "2011"), CFS_OK);
	assert_int_equal(cfs_conditions_failed(&c, &t), TIME);
	cfs_conditions_release(&c);
}

UNIT_PROGRAM
{
	UNIT_ROWS(met_cases, met_case);
	UNIT_ROWS(bad_lists, bad_list);
	UNIT_TEST(too_long);
	UNIT_TEST(times);
	return unit_run("conditions");
}

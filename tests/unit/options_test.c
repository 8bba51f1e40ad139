/* options_test.c - the table of options and the words after -o.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "cli/options.h"

static bool is_last(const struct cfs_option *row)
{
	return row->name == NULL && row->letter == 0;
}

/* ---- the table ---------------------------------------------------------- */

/* No command has two rows of one name or letter. */
static void rows_differ(void **state)
{
	(void)state;
	for (const struct cfs_option *a = cfs_option_table; !is_last(a); a++)
		for (const struct cfs_option *b = a + 1; !is_last(b); b++) {
			if ((a->by & b->by) == 0)
				continue;
			assert_false(a->letter != 0 && a->letter == b->letter);
			assert_false(a->name != NULL && b->name != NULL &&
				     strcmp(a->name, b->name) == 0);
		}
}

static void rows_are_complete(void **state)
{
	(void)state;
	for (const struct cfs_option *row = cfs_option_table; !is_last(row);
	     row++) {
		size_t n = strlen(row->help);

		assert_int_not_equal(row->by, 0);
		assert_true(n > 0 && row->help[n - 1] != '\n');
		/* flags may have a word that changes nothing, and "when" one
		 * that may be left out */
		assert_true(row->kind == CFS_OPTION_FLAG ||
			    row->kind == CFS_OPTION_WHEN ||
			    (row->value != NULL) == cfs_option_has_value(row));
		assert_true(row->at < sizeof(struct cfs_options));
		/* a word after -o has a name; lists have none within */
		if (row->by & CFS_BY_WORD) {
			assert_non_null(row->name);
			assert_int_not_equal(row->kind, CFS_OPTION_WORDS);
		}
	}
}

/* ---- the seal of a part ------------------------------------------------- */

/* Each option of `index` states whether parts must have it in common. */
static void rows_state_their_seal(void **state)
{
	(void)state;
	for (const struct cfs_option *row = cfs_option_table; !is_last(row);
	     row++) {
		bool is_of_index = (row->by & CFS_BY_INDEX) != 0;

		if (is_of_index != (row->seal != CFS_SEAL_UNSTATED))
			fail_msg("--%s: index takes it: %d, seal: %d",
				 row->name, is_of_index, row->seal);
	}
}

/* A value that the option takes, other than its default. */
static const char *some_value(const struct cfs_option *row)
{
	if (!cfs_option_has_value(row))
		return NULL;
	if (row->kind == CFS_OPTION_PART)
		return "1/3";
	if (row->kind == CFS_OPTION_SINCE || row->kind == CFS_OPTION_UNTIL)
		return "2012";
	if (row->kind == CFS_OPTION_LANGUAGE)
		return "eng";
	if (strcmp(row->name, "errors") == 0)
		return "ok";
	return row->kind == CFS_OPTION_CHOICE ? "cfx" : "1";
}

static void seal_of(const struct cfs_options *o, struct cfs_buf *out)
{
	cfs_buf_init(out, SIZE_MAX);
	cfs_options_seal(o, out);
	assert_int_equal(out->failed, CFS_OK);
}

/* The name of each option that changes what a part holds. */
static const char *const sealed_names[] = {
	"shards", "max-record", "base", "no-views",
	"markdown", "words", "languages", "digests", "simhash", "update", "sql", "tables",
	"part", "prefix", "from", "to", "status", "mime", "language",
};

/* The value of an option changes the seal if the option's row says so, and
 * these are the ones that do. */
static void seals_hold_values(void **state)
{
	size_t n = 0;

	(void)state;
	for (const struct cfs_option *row = cfs_option_table; !is_last(row);
	     row++) {
		struct cfs_options o;
		struct cfs_buf before, behind;
		bool is_other;

		if ((row->by & CFS_BY_INDEX) == 0 ||
		    row->kind == CFS_OPTION_HELP)
			continue;
		cfs_options_init(&o);
		seal_of(&o, &before);
		assert_int_equal(cfs_option_take(&o, row, row->name,
						 some_value(row), NULL), 0);
		seal_of(&o, &behind);
		is_other = !cfs_slice_eq(cfs_buf_slice(&before),
					 cfs_buf_slice(&behind));
		if (is_other && (n == COUNT(sealed_names) ||
				 strcmp(row->name, sealed_names[n++]) != 0))
			fail_msg("--%s is sealed", row->name);
		/* --views is the default */
		if (is_other != (row->seal == CFS_SEAL_YES) &&
		    strcmp(row->name, "views") != 0)
			fail_msg("--%s: its value changes the seal: %d",
				 row->name, is_other);
		cfs_buf_release(&before);
		cfs_buf_release(&behind);
		cfs_options_release(&o);
	}
	assert_int_equal(n, COUNT(sealed_names));
}

struct seal_case {
	const char *name, *a, *b;	/* values of --status */
	struct cfs_part part_a, part_b;
	bool same;
};
static struct seal_case seal_cases[] = {
	{ "K of another part", "1", "1", { 1, 3 }, { 2, 3 }, true },
	{ "N of others", "1", "1", { 1, 3 }, { 1, 4 }, false },
	{ "another value", "1", "2", { 1, 3 }, { 1, 3 }, false },
	{ "the same value otherwise", "1,2", "2,1-2", { 1, 3 }, { 1, 3 },
	  true },
	{ "none, and one", NULL, "0", { 1, 3 }, { 1, 3 }, false },
};

static void give_status(struct cfs_options *o, const char *list)
{
	if (list != NULL)
		assert_int_equal(cfs_conditions_add_status(&o->conditions, list,
							   NULL), CFS_OK);
}

static void seal_case(void **state)
{
	const struct seal_case *tc = *state;
	struct cfs_options a, b;
	struct cfs_buf x, y;

	cfs_options_init(&a);
	cfs_options_init(&b);
	a.crawl.part = tc->part_a;
	b.crawl.part = tc->part_b;
	give_status(&a, tc->a);
	give_status(&b, tc->b);
	seal_of(&a, &x);
	seal_of(&b, &y);
	assert_int_equal(cfs_slice_eq(cfs_buf_slice(&x), cfs_buf_slice(&y)),
			 tc->same);
	cfs_buf_release(&x);
	cfs_buf_release(&y);
	cfs_options_release(&a);
	cfs_options_release(&b);
}

/* One option's value is not taken for the beginning of another's. */
static void seals_do_not_run_together(void **state)
{
	struct cfs_options a, b;
	struct cfs_buf x, y;

	(void)state;
	cfs_options_init(&a);
	cfs_options_init(&b);
	cfs_dates_since(&a.conditions.dates, "20120101000000");
	cfs_dates_until(&b.conditions.dates, "20120101000000");
	seal_of(&a, &x);
	seal_of(&b, &y);
	assert_false(cfs_slice_eq(cfs_buf_slice(&x), cfs_buf_slice(&y)));
	cfs_buf_release(&x);
	cfs_buf_release(&y);
	cfs_options_release(&a);
	cfs_options_release(&b);
}

/* ---- words and values --------------------------------------------------- */

struct word_case {
	const char *list;
	const char *fault;		/* in the message; NULL: none */
};
static struct word_case word_cases[] = {
	{ "", NULL },
	{ "ro,defaults,nofail,x-systemd.automount,comment=a b", NULL },
	{ "allow_other,max_read=4096,context=a:b", NULL },
	{ "request_payer", NULL },
	{ "request_payer=requester,requester_pays,no_sign_request", NULL },
	{ "request_payer=me", "'me' is no such choice" },
	{ "requester_pays=requester", "takes no value" },
	{ "mem=1M", NULL },
	{ "mem=1048575", "option 'mem': '1048575' is less than 1M" },
	{ "mem=1.5g", NULL },
	{ "mem=64MiB", NULL },
	{ "mem=64MB", NULL },
	{ "mem=64MBs", "option 'mem': '64MBs' is not a size such as 64M or 2G" },
	{ "mem=-1", "is not a size" },
	{ "mem=0x10M", "is not a size" },
	{ "mem=1e9", "is not a size" },
	{ "mem=nan", "is not a size" },
	{ "mem=", "is not a size" },
	{ "mem=9999999T", "is not a size" },
	{ "mem", "option 'mem' needs a value" },
	{ "max_record=1", NULL },
	{ "max_record=0", "option 'max_record': '0' is less than 1" },
	{ "max-record=1", NULL },
	{ "cache_size=0", NULL },
	{ "cache_size=off", NULL },
	{ "cache_size=00", "is less than 1" },
	{ "threads=1024", NULL },
	{ "threads=1025", "option 'threads': '1025' is more than 1024" },
	{ "threads=0", "option 'threads': '0' is less than 1" },
	{ "threads=+1", "option 'threads': '+1' is not a number" },
	{ "threads=99999999999999999999", "is more than 1024" },
	{ "timeout=86400", NULL },
	{ "timeout=86401", "option 'timeout': '86401' is more than 86400" },
	{ "timeout=0", "option 'timeout': '0' is less than 1" },
	{ "timeout=1.5", "'1.5' is not a number of seconds" },
	{ "readahead=off", NULL },
	{ "readahead=of", "option 'readahead': unknown value 'of' (on|off)" },
	{ "readahead=on|off", "unknown value 'on|off'" },
	{ "size=", "unknown value ''" },
	{ "views=raw:txt:record", NULL },
	{ "views=raw:", NULL },
	{ "views=raw::txt", "option 'views': unknown view ''" },
	{ "views=raw:txt2", "unknown view 'txt2' (raw, meta" },
	{ "views=", "option 'views': no view is named" },
	{ "data=", "option 'data': no folder is named" },
	{ "data=/a\\,b\\\\c", NULL },
	{ "xattr", NULL },
	{ "xattr=1", "option 'xattr=1' takes no value" },
	{ "foreground", "unknown option 'foreground'" },
	{ "help", "unknown option 'help'" },
	{ "ro,nonesuch,mem=x", "unknown option 'nonesuch'" },
	{ "veiws=txt", "unknown option 'veiws=txt' (did you mean 'views'?)" },
	{ "views=txt,md", "unknown option 'md' (in the list of an option, items "
	  "have ':' between them: views=txt:md)" },
	{ "rw", "option 'rw': a crawl is read-only" },
};

static void word_case(void **state)
{
	const struct word_case *tc = *state;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_options o;
	int rc;

	cfs_options_init(&o);
	rc = cfs_mount_words_take(&o, tc->list, false, &err);
	assert_int_equal(rc, tc->fault != NULL ? CFS_EUSAGE : CFS_OK);
	if (tc->fault != NULL && strstr(err.text, tc->fault) == NULL)
		fail_msg("'%s' is not in '%s'", tc->fault, err.text);
	cfs_options_release(&o);
}

static void values_are_stored(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_options o;

	(void)state;
	cfs_options_init(&o);
	assert_int_equal(o.views, CFS_VIEWS_DEFAULT);
	assert_int_equal(cfs_mount_words_take(&o, "mem=1.5G,threads=7,xattr,"
		"timeout=3,readahead=off,size=exact,meta=compact,views=txt,"
		"cache_size=off,data=/a\\,b\\\\c,parallel=9,endpoint=,"
		"fsname=x\\,y,nodev,threads=8", false, &err), CFS_OK);
	assert_int_equal(o.crawl.mem_bytes, 1610612736);
	assert_int_equal(o.threads, 8);			/* the last one counts */
	assert_true(o.xattr);
	assert_int_equal(o.http.timeout_ms, 3000);
	assert_int_equal(o.readahead, 1);
	assert_int_equal(o.size, 1);
	assert_int_equal(o.meta, 1);
	assert_int_equal(o.views, 1u << CFS_VIEW_TEXT);
	assert_true(o.cache_size == CFS_SIZE_OFF);
	assert_string_equal(o.crawl.data, "/a,b\\c");
	assert_int_equal(o.http.parallel, 9);
	assert_string_equal(o.http.endpoint, "");
	assert_string_equal(cfs_buf_str(&o.kernel), "fsname=x\\,y,nodev");
	cfs_options_release(&o);
}

/* Words are spelt either way, those of others only as they are. */
static void dashes_are_underlines(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_options o;

	(void)state;
	cfs_options_init(&o);
	assert_int_equal(cfs_mount_words_take(&o, "max-record=3,"
		"cache-size=off,allow-other,x-systemd.automount,no-sign-request,"
		"fsname=a-b", false, &err), CFS_OK);
	assert_true(o.crawl.max_record_bytes == 3);
	assert_true(o.cache_size == CFS_SIZE_OFF);
	assert_string_equal(cfs_buf_str(&o.kernel), "allow_other,fsname=a-b");
	assert_int_equal(cfs_mount_words_take(&o, "max_record=4", false,
					      &err), CFS_OK);
	assert_true(o.crawl.max_record_bytes == 4);
	cfs_options_release(&o);
}

/* mount(8) passes what it was given: -s, which may come later, decides on
 * unknown words; a wrong value is wrong in any case. */
static void helper_defers_unknown_words(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_options o;

	(void)state;
	cfs_options_init(&o);
	assert_int_equal(cfs_mount_words_take(&o, "rw,nonesuch,other=1,mem,threads=3",
					      true, &err), CFS_OK);
	assert_string_equal(o.unknown_word.text, "unknown option 'nonesuch'");
	assert_int_equal(o.threads, 3);
	assert_int_equal(cfs_mount_words_take(&o, "threads=x", true, &err),
			 CFS_EUSAGE);
	cfs_options_release(&o);
}

UNIT_PROGRAM
{
	UNIT_TEST(rows_differ);
	UNIT_TEST(rows_are_complete);
	UNIT_TEST(rows_state_their_seal);
	UNIT_TEST(seals_hold_values);
	UNIT_ROWS(seal_cases, seal_case);
	UNIT_TEST(seals_do_not_run_together);
	UNIT_ROWS_BY(word_cases, list, word_case);
	UNIT_TEST(values_are_stored);
	UNIT_TEST(dashes_are_underlines);
	UNIT_TEST(helper_defers_unknown_words);
	return unit_run("options");
}

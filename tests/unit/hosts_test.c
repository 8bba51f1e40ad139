/* hosts_test.c - how many requests a server gets at a time, and when.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "net/hosts.h"
#include "net/http_settings.h"

struct limit_case {
	const char *url;
	unsigned parallel, most;
	bool is_public;
};

static struct limit_case limits[] = {
	/* Holds L10. */
	{ "https://data.commoncrawl.org/x", 0, 8, true },
	{ "https://index.commoncrawl.org/x", 0, 8, true },
	{ "https://DATA.CommonCrawl.ORG:8443/x", 0, 8, true },
	{ "http://commoncrawl.s3.amazonaws.com/x", 0, 8, true },
	{ "https://commoncrawl.org/x", 0, 8, true },
	{ "http://ds5q9oxwqwsfj.commoncrawl.org/x", 20, 20, true },
	{ "https://notcommoncrawl.org/x", 0, 64, false },
	{ "https://data.commoncrawl.org.example/x", 0, 64, false },
	{ "http://127.0.0.1:8080/x", 0, 64, false },
	{ "http://127.0.0.1:8081/x", 3, 3, false },
};

static struct cfs_host *host_of(const char *url, unsigned parallel)
{
	struct cfs_location loc;
	struct cfs_host *h;

	assert_int_equal(cfs_location_parse(&loc, url, NULL), CFS_OK);
	h = cfs_host_get(&loc, parallel);
	assert_non_null(h);
	return h;
}

static void limit_case(void **state)
{
	const struct limit_case *tc = *state;
	struct cfs_host *h = host_of(tc->url, tc->parallel);

	assert_int_equal(h->most, tc->most);
	assert_int_equal(h->limit, tc->most);
	assert_int_equal(h->is_public_crawl, tc->is_public);
	assert_ptr_equal(host_of(tc->url, 0), h);	/* the same afterwards */
}

static void busy(void **state)
{
	struct cfs_host *h = host_of("http://busy.example/", 8);

	(void)state;
	cfs_host_busy(h, 1000, 7);
	assert_int_equal(h->limit, 4);
	assert_int_equal(h->paused_until_ms, 8000);
	cfs_host_busy(h, 1001, 1);	/* it was under way: nothing new */
	assert_int_equal(h->limit, 4);
	assert_int_equal(h->paused_until_ms, 8000);
	for (unsigned i = 0; i < 4; i++)
		cfs_host_good(h, 100, 10);
	assert_int_equal(h->limit, 5);
	cfs_host_busy(h, 10000, 4000000000u);	/* five minutes at most */
	assert_int_equal(h->paused_until_ms, 310000);
}

static void refuse(struct cfs_host *h, const char *object, bool is_of_object,
		   int64_t now_ms)
{
	const struct cfs_refusal r = { .object = object, .name = object,
		.text = "no", .is_of_object = is_of_object };

	/* Holds E51. */
	cfs_host_forbidden(h, &r, now_ms);
}

/* The first pause after a block, and the longest. */
static void check_pauses(struct cfs_host *h, const char *object,
			 int64_t first_ms)
{
	int64_t now_ms = h->paused_until_ms - first_ms;

	assert_int_equal(h->limit, 1);
	refuse(h, object, false, now_ms + 1);	/* it was under way */
	assert_int_equal(h->paused_until_ms, now_ms + first_ms);
	for (unsigned i = 0; i < 100; i++) {
		now_ms = h->paused_until_ms;
		refuse(h, object, false, now_ms);
	}
	assert_int_equal(h->paused_until_ms, now_ms + 60000);
}

static void check_free(const struct cfs_host *h)
{
	assert_int_equal(h->limit, h->most);
	assert_int_equal(h->paused_until_ms, 0);
}

/* One object is refused, as often as it is asked for: the others are not held
 * up.  Several without a success in between are a block. */
static void forbidden(void **state)
{
	static const char *const objects[3] = { "a", "b", "c" };
	struct cfs_host *h = host_of("http://forbidden.example/", 0);

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		refuse(h, objects[i % 2], i % 3 == 0, 1000);
	check_free(h);
	cfs_host_good(h, 100, 10);
	refuse(h, objects[2], false, 1000);
	refuse(h, objects[0], false, 1000);
	check_free(h);
	refuse(h, objects[1], true, 1000);
	assert_int_equal(h->paused_until_ms, 2000);
	check_pauses(h, objects[1], 1000);
	assert_int_equal(h->forbidden, 100 + 3 + 101);
	cfs_host_good(h, 100, 10);
	h->paused_until_ms = 0;
	refuse(h, objects[1], false, 1000000);
	assert_int_equal(h->paused_until_ms, 0);
}

/* Refusals of objects that were given before are about the client, unless the
 * server names the object, or the credentials. */
/* Holds E51. */
static void forbidden_later(void **state)
{
	struct cfs_refusal r = { .object = "x", .name = "x", .text = "no",
				 .was_given = true, .is_of_object = true };
	struct cfs_host *h = host_of("http://later.example/", 0);

	(void)state;
	cfs_host_forbidden(h, &r, 1000);
	check_free(h);
	r.is_of_keys = true;
	for (const char *p = "abcdef"; *p != '\0'; p++) {
		r.object = p;
		cfs_host_forbidden(h, &r, 1000);
	}
	check_free(h);
	r.is_of_keys = r.is_of_object = false;
	cfs_host_forbidden(h, &r, 1000);
	assert_int_equal(h->paused_until_ms, 2000);
}

/* Holds E51. */
static void forbidden_public(void **state)
{
	struct cfs_host *h = host_of("http://forbidden.commoncrawl.org/", 0);

	(void)state;
	refuse(h, "a", true, 1000);
	check_free(h);
	refuse(h, "a", false, 1000);
	assert_int_equal(h->paused_until_ms, 6000);
	check_pauses(h, "a", 5000);
}

/* Common Crawl's servers are not asked again within a second; no server is
 * before it says. */
/* Holds L13. */
static void waits(void **state)
{
	struct cfs_host *ours = host_of("https://data.commoncrawl.org/", 0);
	struct cfs_host *any = host_of("http://waits.example/", 0);

	(void)state;
	for (unsigned tries = 1; tries < 20; tries++) {
		assert_true(cfs_host_retry_ms(ours, tries, 0) >= 1000);
		assert_true(cfs_host_retry_ms(any, tries, 7) >= 7000);
		assert_true(cfs_host_retry_ms(any, tries, 0) <= 10000);
	}
	assert_true(cfs_host_retry_ms(any, 1, 0) < 1000);
}

UNIT_PROGRAM
{
	UNIT_ROWS_BY(limits, url, limit_case);
	UNIT_TEST(busy);
	UNIT_TEST(forbidden);
	UNIT_TEST(forbidden_later);
	UNIT_TEST(forbidden_public);
	UNIT_TEST(waits);
	return unit_run("hosts");
}

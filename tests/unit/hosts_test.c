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

/* The first pause after a 403, and the longest. */
static void check_forbidden(const char *url, int64_t first_ms)
{
	struct cfs_host *h = host_of(url, 0);
	int64_t now_ms = 1000;

	cfs_host_forbidden(h, now_ms);
	assert_int_equal(h->limit, 1);
	assert_int_equal(h->paused_until_ms, now_ms + first_ms);
	cfs_host_forbidden(h, now_ms + 1);	/* it was under way */
	assert_int_equal(h->paused_until_ms, now_ms + first_ms);
	for (unsigned i = 0; i < 100; i++) {
		now_ms = h->paused_until_ms;
		cfs_host_forbidden(h, now_ms);
	}
	assert_int_equal(h->paused_until_ms, now_ms + 60000);
	cfs_host_good(h, 100, 10);
	now_ms = h->paused_until_ms + 1;
	cfs_host_forbidden(h, now_ms);
	assert_int_equal(h->paused_until_ms, now_ms + first_ms);
}

static void forbidden(void **state)
{
	(void)state;
	check_forbidden("http://forbidden.example/", 1000);
	check_forbidden("http://forbidden.commoncrawl.org/", 5000);
}

/* Common Crawl's servers are not asked again within a second; no server is
 * before it says. */
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

int main(void)
{
	UNIT_ROWS_BY(limits, url, limit_case);
	UNIT_TEST(busy);
	UNIT_TEST(forbidden);
	UNIT_TEST(waits);
	return unit_run("hosts");
}

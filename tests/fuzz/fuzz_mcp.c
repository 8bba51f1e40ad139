/* fuzz_mcp.c - messages of the Model Context Protocol about a small crawl, or
 * about two: every answer is one line of ASCII, and JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "fuzz_crawl.h"

#include "codec/json.h"
#include "mcp/mcp.h"

static const struct { const char *url, *time, *body; } captures[] = {
	{ "http://a.com/", "2020-01-01T00:00:00Z", "one\ntwo\n" },
	{ "http://a.com/b", "2020-01-01T00:00:00Z", "x\033\xff\xe2\x80\xa8y\n" },
	{ "http://a.com/b", "2021-01-01T00:00:00Z", "x\nz\n" },
	{ "http://a.com/%FF/c", "2022-01-01T00:00:00Z", "[more]\n\"}\n" },
	{ "http://b.org/d/e", "2022-01-01T00:00:00Z", "" },
};

/* The crawl, which is opened once. */
static struct cfs_crawl *the_crawl(void)
{
	static struct cfs_crawl *c;
	struct cfs_buf b;

	if (c != NULL)
		return c;
	cfs_buf_init(&b, 1 << 20);
	for (size_t i = 0; i < sizeof(captures) / sizeof(*captures); i++) {
		static const char head[] =
			"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";

		cfs_buf_addf(&b, "WARC/1.0\r\nWARC-Type: response\r\n"
			     "WARC-Target-URI: %s\r\nWARC-Date: %s\r\n"
			     "Content-Type: application/http\r\n"
			     "Content-Length: %zu\r\n\r\n%s%s\r\n\r\n",
			     captures[i].url, captures[i].time,
			     strlen(head) + strlen(captures[i].body), head,
			     captures[i].body);
	}
	fuzz_write("a.warc", b.p, b.n);
	cfs_buf_release(&b);
	c = fuzz_open_crawl("a.warc");
	return c;
}

static void check_answer(struct cfs_slice s)
{
	struct cfs_json j = { .compact = true };
	struct cfs_slice rest = s;
	struct cfs_buf copy;

	for (size_t i = 0; i < s.n; i++)
		must(s.p[i] >= ' ' && s.p[i] < 0x7f);
	cfs_buf_init(&copy, SIZE_MAX / 2);
	j.out = &copy;
	must(cfs_json_copy(&j, &rest) && rest.n == 0);
	cfs_buf_release(&copy);
}

FUZZ_TARGET(data, n)
{
	struct cfs_crawl *crawls[] = { the_crawl(), the_crawl() };
	char first[] = "a", second[] = "b";
	char *names[] = { first, second };
	const struct cfs_mcp one = { crawls, NULL, 1 };
	const struct cfs_mcp two = { crawls, names, 2 };
	struct cfs_slice in = cfs_slice_of(data, n), id;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_buf out;
	int rc;

	if (n == 0)
		return 0;
	in = cfs_slice_from(in, 1);
	cfs_buf_init(&out, SIZE_MAX / 2);
	rc = cfs_mcp_answer(data[0] % 2 == 0 ? &one : &two, in, &out,
			    CFS_CTX(NULL, &err));
	must(rc == CFS_OK || rc == CFS_EFORMAT);
	must(rc == CFS_OK || out.n > 0);
	if (out.n > 0)
		check_answer(cfs_buf_slice(&out));
	if (cfs_mcp_cancels(in, &id))
		must(id.n > 0);
	cfs_buf_release(&out);
	return 0;
}

/* hostile.c - URLs as odd as real crawls have them.
 *
 * One function for each row of the naming rules and each edge of the
 * formats: clashes of pages, directories and views, long and empty segments,
 * marks that the tree uses itself, junk hosts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "urls.h"

#include <string.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

struct spoil {
	const struct mk_urls *u;
	uint64_t n;
	struct mk_rng r;
	struct mk_url *url;
};

static void set(struct cfs_buf *b, const char *s)
{
	cfs_buf_reset(b);
	cfs_buf_adds(b, s);
}

static const char *pick(struct spoil *s, const char *const *list, size_t n)
{
	return list[mk_rng_below(&s->r, n)];
}

static void word(struct spoil *s, struct cfs_buf *out)
{
	cfs_buf_add(out, mk_words_ascii(s->u->words, mk_rng_below(&s->r, 300)));
}

/* Becomes another URL of the crawl, to clash with it. */
static void become_earlier(struct spoil *s)
{
	if (s->n > 0)
		mk_urls_plain(s->u, mk_rng_below(&s->r, s->n), s->url);
	s->url->type = MK_HTML;
}

static void below_a_page(struct spoil *s)
{
	become_earlier(s);
	cfs_buf_addc(&s->url->path, '/');
	word(s, &s->url->path);
}

static void view_of_a_page(struct spoil *s)
{
	static const char *const tails[] = {
		".txt", ".meta", ".headers", ".arc.gz", ".warc.gz", "#", "#1",
		"#2", "#.txt", "#1.meta", ".txt.meta", ".txt/x", ".meta/",
		"%23", "##", "#x0123456789abcdef",
	};

	become_earlier(s);
	cfs_buf_adds(&s->url->path, pick(s, tails, N(tails)));
}

static void dots_and_slashes(struct spoil *s)
{
	static const char *const tails[] = {
		"//", "///", "/./", "/../", "/.", "/..", "/%2e/", "/%2E%2E/x",
		"//x//y", "/_index", "/__index", "/_index/", "/_", "/_/_",
		"/.crawlfs/stats", "/...", "/%2e",
	};

	become_earlier(s);
	cfs_buf_adds(&s->url->path, pick(s, tails, N(tails)));
}

static void long_query(struct spoil *s)
{
	unsigned n = 20 + (unsigned)mk_rng_below(&s->r, 250);

	cfs_buf_adds(&s->url->path, "?");
	for (unsigned i = 0; i < n; i++) {
		word(s, &s->url->path);
		cfs_buf_addf(&s->url->path, "=%u&",
			     (unsigned)mk_rng_below(&s->r, 100000));
	}
}

/* Segments round the limit of 220 bytes, many with equal beginnings. */
static void long_segment(struct spoil *s)
{
	static const char *const units[] = {
		"abcdefghij", "\303\251", "\346\227\245", "#", "\360\237\230\200",
		"\200", "a#", "x\303\251#",
	};
	struct cfs_buf *p = &s->url->path;
	const char *unit = pick(s, units, N(units));
	unsigned want = 170 + (unsigned)mk_rng_below(&s->r, 120), from;

	set(p, "/long/");
	from = (unsigned)p->n;
	if (mk_rng_chance(&s->r, 50))
		cfs_buf_addc(p, 'y');
	while (p->n - from < want)
		cfs_buf_adds(p, unit);
	if (mk_rng_chance(&s->r, 60))
		cfs_buf_addf(p, "%u", (unsigned)mk_rng_below(&s->r, 4));
	if (mk_rng_chance(&s->r, 30))
		cfs_buf_adds(p, "/below.txt");
}

static void slash_in_query(struct spoil *s)
{
	static const char *const tails[] = {
		"?u=http://example.org/a/b", "?a/b", "?a//b", "?/", "?", "??",
		"?q=a/.", "?q=../x",
	};

	become_earlier(s);
	cfs_buf_adds(&s->url->path, pick(s, tails, N(tails)));
}

static void port_or_user(struct spoil *s)
{
	static const char *const ports[] = { "80", "8080", "443", "81", "65535" };
	static const char *const users[] = { "user:secret", "user", "a.b:c@d" };

	become_earlier(s);
	if (mk_rng_chance(&s->r, 60))
		snprintf(s->url->port, sizeof(s->url->port), "%s",
			 pick(s, ports, N(ports)));
	else
		snprintf(s->url->userinfo, sizeof(s->url->userinfo), "%s",
			 pick(s, users, N(users)));
}

static void other_scheme(struct spoil *s)
{
	static const char *const schemes[] = {
		"https", "https", "https", "ftp", "HTTP", "gopher",
	};

	become_earlier(s);
	s->url->scheme = pick(s, schemes, N(schemes));
}

static void upper_host(struct spoil *s)
{
	become_earlier(s);
	for (size_t i = 0; i < s->url->host.n; i++) {
		uint8_t *c = &s->url->host.p[i];

		if (*c >= 'a' && *c <= 'z' && mk_rng_chance(&s->r, 50))
			*c = (uint8_t)(*c - 'a' + 'A');
	}
	if (mk_rng_chance(&s->r, 40))
		cfs_buf_adds(&s->url->host, ".");
}

static void junk_host(struct spoil *s)
{
	static const char *const hosts[] = {
		"a..b", "a...b.example", "slurl.example.", "_dmarc.example.com",
		"__x.example.com", "_.example.com", "_", "192.0.2.7",
		"198.51.100.23", "[2001:db8::1]", "[2001:DB8::2]", "%20example.com",
		"example.com%3Fnats=1", "x]www.example.net", "localhost",
		"xn--bcher-kva.example", "b\303\274cher.example", "a#b.example",
		".example.org", "-.example.com", "example.com..", "_index.example",
	};
	const char *h = pick(s, hosts, N(hosts));

	if (strchr(h, '#') != NULL)	/* that is a fragment, and no path */
		cfs_buf_reset(&s->url->path);
	set(&s->url->host, h);
}

static void no_path(struct spoil *s)
{
	static const char *const paths[] = { "", "?q=1", "#frag", "?", "?a/b", "/" };

	set(&s->url->path, pick(s, paths, N(paths)));
}

static void odd_bytes(struct spoil *s)
{
	static const char *const paths[] = {
		"/caf\303\251.html", "/caf\351.html", "/a b c.html", "/'quoted'",
		"/\"double\"", "/a\\b", "/*?[x]", "/$HOME", "/`id`", "/a;b&c|d",
		"/-rf", "/~user/", "/\346\227\245\346\234\254/", "/a\x01" "b",
		"/%00.html", "/a%2Fb", "/a:b", "/a,b=c@d", "/con",
		"/#!/hash/bang", "/page#part", "/page##part", "/a#b/c#d",
	};

	set(&s->url->path, pick(s, paths, N(paths)));
}

/* Beyond the limits: skipped and counted by readers. */
static void over_limit(struct spoil *s)
{
	struct cfs_buf *p = &s->url->path;

	if (mk_rng_chance(&s->r, 50)) {
		while (p->n < 8300)
			word(s, p);
	} else {
		while (p->n < 2300)
			cfs_buf_adds(p, "/a");
	}
}

void mk_url_spoil(const struct mk_urls *u, uint64_t n, struct mk_url *url)
{
	static void (*const ways[])(struct spoil *) = {
		below_a_page, below_a_page, below_a_page, view_of_a_page,
		view_of_a_page, dots_and_slashes, dots_and_slashes, long_query,
		long_segment, slash_in_query, port_or_user, other_scheme,
		upper_host, junk_host, junk_host, no_path, odd_bytes, odd_bytes,
	};
	struct spoil s = { u, n, mk_rng_at(u->cfg->seed, n, MK_SALT_HOSTILE + 100),
			   url };

	if (mk_rng_below(&s.r, 400) == 0)
		over_limit(&s);
	else
		ways[mk_rng_below(&s.r, N(ways))](&s);
}

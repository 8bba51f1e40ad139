/* surt_test.c - SURT keys (url/surt.h).
 *
 * The expected keys come from the two programs of others that doc/formats.md,
 * "SURT keys", names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "url/surt.h"

#define HEX32 "0123456789abcdef0123456789ABCDEF"

struct vector {
	const char *url, *key;		/* key NULL: no place in an index */
};

static struct vector vectors[] = {
	{ "http://www.example.com/", "com,example)/" },
	{ "http://www.www.example.com/", "com,example)/" },
	{ "http://www-2.example.com/", "com,example,www-2)/" },
	{ "http://www.com/", "com)/" },
	{ "https://WWW2.Example.COM:443/A/../B//c/?b=2&a=1&a",
	  "com,example)/b/c?a&a=1&b=2" },
	{ "http://example.com:8080/", "com,example:8080)/" },
	{ "https://example.com:80/", "com,example:80)/" },
	{ "http://example.com:80/", "com,example)/" },
	{ "http://user:pw@example.com/x", "com,example)/x" },
	{ "http://example.com/a;jsessionid=" HEX32 "?z=1",
	  "com,example)/a;jsessionid="
	  "0123456789abcdef0123456789abcdef?z=1" },
	{ "http://example.com/?PHPSESSID=" HEX32 "&y=1", "com,example)/?y=1" },
	{ "http://example.com/?y=1&sid=" HEX32 "&z", "com,example)/?y=1&z" },
	{ "http://example.com/?sid=" HEX32, "com,example)/" },
	{ "http://example.com/?cfid=123&cftoken=456&q=1", "com,example)/?q=1" },
	{ "http://example.com/?ASPSESSIONIDabcdEFGH=abcdefghijklmnopqrstuvwx&b",
	  "com,example)/?b" },
	{ "http://example.com/(S(4hqa0555fwsecu455xqckv45))/Default.aspx",
	  "com,example)/default.aspx" },
	{ "http://example.com/d/(4hqa0555fwsecu455xqckv45)/a/B.aspx?x",
	  "com,example)/d/a/b.aspx?x" },
	{ "http://b\xc3\xbc" "cher.example/\xc3\xbc?q=\xc3\xbc",
	  "example,xn--bcher-kva)/%c3%bc?q=%c3%bc" },
	{ "http://ex_ample.com/%7Euser/%E4?x=%26",
	  "com,ex_ample)/~user/%e4?&x=" },
	{ "http://example.com/a%2Fb%20c", "com,example)/a/b%20c" },
	{ "http://example.com/%zz?mysid=" HEX32, "com,example)/%25zz?my" },
	{ "http://example.com/?b=1&a=2&", "com,example)/?&a=2&b=1" },
	{ "http://example.com/x/?", "com,example)/x" },
	{ "http://1.0.0.127/x", "127,0,0,1)/x" },
	{ "http://2130706433/", "1,0,0,127)/" },
	{ "http://017700000001/", "1,0,0,127)/" },
	{ "http://0x7f000001/", "0x7f000001)/" },
	{ "http://[::1]/x", "::1)/x" },
	{ "ftp://www.example.com/pub", "com,example)/pub" },
	{ "http://example.com", "com,example)/" },
	{ "http://example.com?q", "com,example)/?q" },
	{ "http://example.com/a#frag?x", "com,example)/a" },
	{ "  http://exa\tmple.com/a\r\nb ", "com,example)/ab" },
	{ "http://example.com/%2525%2535", "com,example)/%255" },
	{ "http://..example..com../", "com,example)/" },
	{ "http://example.com/a/../../b/./c/..", "com,example)/b" },
	{ "http://example.com/A?B=C&b=c", "com,example)/a?b=c&b=c" },
	{ "http://example.com/?z=http://x/../y", "com,example)/?z=http://x/../y" },
	{ "dns:archive.org", NULL },
	{ "mailto:a@b.c", NULL },
	/* ours: as browsers read them */
	{ "http:///x", "x)/" },
	{ "https:example.com/A", "com,example)/a" },
	{ "http:\\\\example.com\\a\\..\\b?c\\d", "com,example)/b?c\\d" },
	{ "http://example.com/a\\b", "com,example)/a\\b" },
	{ "<http://example.com/a>", "com,example)/a" },
	{ "gemini://example.com/a", NULL },
	{ "", NULL },
};

static void vector_case(void **state)
{
	const struct vector *v = *state;
	struct cfs_path path;
	struct cfs_buf key;
	int rc;

	cfs_buf_init(&key, CFS_KEY_MAX);
	rc = cfs_surt_encode(cfs_slice_str(v->url), &key);
	if (v->key == NULL) {
		assert_int_equal(rc, CFS_ENOTFOUND);
		assert_int_equal(key.n, 0);
	} else {
		assert_int_equal(rc, CFS_OK);
		assert_string_equal(cfs_buf_str(&key), v->key);
		assert_int_equal(cfs_surt_split(cfs_buf_slice(&key), &path),
				 CFS_OK);
	}
	cfs_buf_release(&key);
}

static void long_urls(void **state)
{
	static uint8_t url[CFS_URL_MAX + 1];
	struct cfs_buf key;

	(void)state;
	cfs_buf_init(&key, CFS_KEY_MAX);
	memset(url, 'x', sizeof(url));
	memcpy(url, "http://h/", 9);
	assert_int_equal(cfs_surt_encode(cfs_slice_of(url, sizeof(url)), &key),
			 CFS_ENOTFOUND);
	assert_int_equal(cfs_surt_encode(cfs_slice_of(url, CFS_URL_MAX), &key),
			 CFS_OK);
	assert_int_equal(key.n, CFS_URL_MAX - 7 + 1);
	cfs_buf_reset(&key);
	memset(url + 9, 0xff, sizeof(url) - 9);	/* three times as long */
	assert_int_equal(cfs_surt_encode(cfs_slice_of(url, CFS_URL_MAX), &key),
			 CFS_ENOTFOUND);
	url[20] = '\0';
	assert_int_equal(cfs_surt_encode(cfs_slice_of(url, 40), &key),
			 CFS_ENOTFOUND);
	assert_int_equal(key.n, 0);
	cfs_buf_release(&key);
}

/* ---- keys and components ---- */

struct split {
	const char *key;
	unsigned host_n;
	const char *comp[8];		/* NULL: no place in the tree */
};

static struct split splits[] = {
	{ "com,example)/", 2, { "com", "example", "_", "" } },
	{ "com,example)/a/b?q=/x", 2,
	  { "com", "example", "_", "a", "b?q=", "x" } },
	{ "com,example:8080)/a", 2, { "com", "example", "_", "a" } },
	{ "com,example:x)/a", 2, { "com", "example:x", "_", "a" } },
	{ "::1)/x", 1, { "::1", "_", "x" } },
	{ "fe80::1:2)/x", 1, { "fe80::1:2", "_", "x" } },
	{ "1,0,0,127)/", 4, { "1", "0", "0", "127", "_", "" } },
	{ "com,a)/?u=/../.", 2,
	  { "com", "a", "_", "?u=", "%2E%2E", "%2E" } },
	{ "com,a)/%2e", 2, { "com", "a", "_", "%2e" } },
	{ "com,,a)/", 3, { "com", "", "a", "_", "" } },
	{ "com,a)/b)/c", 2, { "com", "a", "_", "b)", "c" } },
	{ ")/x", 1, { "", "_", "x" } },
	{ "com,a)/%2E", 0, { NULL } },
	{ "com,..)/x", 0, { NULL } },
	{ "org,archive)", 0, { NULL } },
	{ "example.com/a", 0, { NULL } },
	{ "example.com/a(b)/c", 0, { NULL } },
	{ "(com,example,)/", 0, { NULL } },
	{ "dns:archive.org", 0, { NULL } },
	{ "-", 0, { NULL } },
	{ "", 0, { NULL } },
	{ "com,a)x", 0, { NULL } },
};

static void split_case(void **state)
{
	const struct split *s = *state;
	struct cfs_path path;
	int rc = cfs_surt_split(cfs_slice_str(s->key), &path);
	unsigned n = 0;

	if (s->comp[0] == NULL) {
		assert_int_equal(rc, CFS_ENOTFOUND);
		return;
	}
	assert_int_equal(rc, CFS_OK);
	assert_int_equal(path.host_n, s->host_n);
	for (; s->comp[n] != NULL && n < 8; n++)
		assert_true(cfs_slice_eq(path.comp[n],
					 cfs_slice_str(s->comp[n])));
	assert_int_equal(path.n, n);
}

static bool holds(const struct cfs_ranges *r, const char *key)
{
	struct cfs_slice k = cfs_slice_str(key);

	for (unsigned i = 0; i < r->n; i++) {
		if (i > 0)
			assert_true(cfs_slice_cmp(r->v[i - 1].hi,
						  r->v[i].lo) <= 0);
		if (cfs_slice_cmp(k, r->v[i].lo) >= 0 &&
		    (r->v[i].hi_open || cfs_slice_cmp(k, r->v[i].hi) < 0))
			return true;
	}
	return false;
}

/* Keys in the byte order of files; which are below or of a path is decided
 * here by their components, once more. */
static const char *const keys[] = {
	")/x", "::1)/x", "com)/", "com)/a", "com,example)/", "com,example)/a",
	"com,example)/a-b", "com,example)/a.x/b", "com,example)/a/",
	"com,example)/a/b", "com,example)/a/b/c", "com,example)/a0",
	"com,example)/a?q", "com,example)/a?q=/../x", "com,example,sub)/a/b",
	"com,example,sub:81)/a/b", "com,example-x)/a/b", "com,example0)/a/b",
	"com,example:080)/a/b", "com,example:80)/a", "com,example:80)/a/b", "com,example:8080)/",
	"com,example:8080)/a/b", "com,example:8080)/a/c",
	"com,examplea)/a/b", "com:81)/a",
};

static void ranges_are_right(void **state)
{
	struct cfs_surt_ports ports = {
		.n = 4, .len = { 3, 2, 4, 2 },
		.text = { "080", "80", "8080", "81" } };	/* ascending */
	static struct cfs_path of, other;
	struct cfs_ranges r;
	unsigned checked = 0;

	(void)state;
	cfs_ranges_init(&r);
	for (size_t i = 0; i < COUNT(keys); i++) {
		assert_int_equal(cfs_surt_split(cfs_slice_str(keys[i]), &of),
				 CFS_OK);
		for (unsigned depth = of.n; depth > 0; depth--) {
			enum cfs_below below = depth == of.n ? CFS_BELOW_PAGE :
							       CFS_BELOW_DIR;

			of.n = depth;
			if (of.host_n > depth)
				of.host_n = depth;
			assert_int_equal(cfs_surt_ranges(&of, below, &ports,
							 &r), CFS_OK);
			for (size_t j = 0; j < COUNT(keys); j++) {
				bool same = true;

				cfs_surt_split(cfs_slice_str(keys[j]), &other);
				for (unsigned k = 0; k < depth; k++)
					same = same && k < other.n &&
					       cfs_slice_eq(of.comp[k],
							    other.comp[k]);
				same = same && (below == CFS_BELOW_PAGE ?
						other.n == of.n : other.n > of.n) &&
				       (of.n > of.host_n ?
						other.host_n == of.host_n :
						other.host_n >= of.n);
				/* and nothing else: a listing steps over runs */
				assert_int_equal(holds(&r, keys[j]), same);
				checked++;
			}
		}
	}
	assert_true(checked > 1000);
	cfs_ranges_release(&r);
}

static void impossible_paths(void **state)
{
	static const struct { unsigned host_n; const char *comp[4]; } t[] = {
		{ 2, { "com", "a,b", "_", "x" } },
		{ 2, { "com", "a)b", "_", "x" } },
		{ 2, { "com", "a", "_", ".." } },
		{ 2, { "com", "a", "_", "b/c" } },
		{ 2, { "com", "..", "_", "x" } },
		{ 2, { "(com", "a", "_", "x" } },
	};
	struct cfs_ranges r;
	struct cfs_path p;

	(void)state;
	cfs_ranges_init(&r);
	for (size_t i = 0; i < COUNT(t); i++) {
		p.n = 4;
		p.host_n = t[i].host_n;
		for (unsigned k = 0; k < 4; k++)
			p.comp[k] = cfs_slice_str(t[i].comp[k]);
		assert_int_equal(cfs_surt_ranges(&p, CFS_BELOW_PAGE, NULL, &r),
				 CFS_ENOTFOUND);
	}
	p.n = p.host_n = 0;
	assert_int_equal(cfs_surt_ranges(&p, CFS_BELOW_DIR, NULL, &r), CFS_OK);
	assert_true(r.n == 1 && r.v[0].hi_open);
	cfs_ranges_release(&r);
}

/* A host with too many ports gets one run for those left over. */
static void many_ports(void **state)
{
	static struct cfs_surt_ports ports;
	static struct cfs_path path;
	struct cfs_ranges r;

	(void)state;
	ports.n = CFS_SURT_PORTS_MAX;
	for (unsigned i = 0; i < ports.n; i++) {
		ports.len[i] = 4;
		for (unsigned k = 4, v = 1000 + i; k-- > 0; v /= 10)
			ports.text[i][k] = (uint8_t)('0' + v % 10);
	}
	ports.more = true;
	ports.rest_len = 4;
	memcpy(ports.rest, "2000", 4);
	assert_int_equal(cfs_surt_split(CFS_SLICE_LIT("com,a)/x"), &path),
			 CFS_OK);
	cfs_ranges_init(&r);
	assert_int_equal(cfs_surt_ranges(&path, CFS_BELOW_PAGE, &ports, &r),
			 CFS_OK);
	assert_int_equal(r.n, CFS_RANGES_MAX);
	assert_true(holds(&r, "com,a)/x"));
	assert_true(holds(&r, "com,a:1000)/x"));
	assert_true(holds(&r, "com,a:1061)/x"));
	assert_false(holds(&r, "com,a:1061)/y"));
	assert_false(holds(&r, "com,a:1062)/x"));
	assert_true(holds(&r, "com,a:2000)/x"));
	assert_true(holds(&r, "com,a:9)/x"));
	assert_false(holds(&r, "com,a::)/x"));
	cfs_ranges_release(&r);
}

static struct vector urls[] = {
	{ "http://example.com/a?b", "com,example)/a?b" },
	{ "http://example.com:8080/", "com,example:8080)/" },
	{ "http://[::1]/x", "::1)/x" },
	{ "http://127.0.0.1/", "1,0,0,127)/" },
};

static void url_case(void **state)
{
	const struct vector *v = *state;
	struct cfs_buf b;

	cfs_buf_init(&b, CFS_KEY_MAX);
	assert_int_equal(cfs_surt_url(cfs_slice_str(v->key), &b), CFS_OK);
	assert_string_equal(cfs_buf_str(&b), v->url);
	cfs_buf_reset(&b);
	assert_int_equal(cfs_surt_encode(cfs_slice_str(v->url), &b), CFS_OK);
	assert_string_equal(cfs_buf_str(&b), v->key);
	cfs_buf_release(&b);
}

UNIT_PROGRAM
{
	UNIT_ROWS_BY(vectors, url, vector_case);
	UNIT_ROWS_BY(splits, key, split_case);
	UNIT_ROWS_BY(urls, url, url_case);
	UNIT_TEST(long_urls);
	UNIT_TEST(ranges_are_right);
	UNIT_TEST(impossible_paths);
	UNIT_TEST(many_ports);
	return unit_run("surt");
}

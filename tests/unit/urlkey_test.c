/* urlkey_test.c - URLs to keys and back (doc/tree.md, "Names in the tree").
 *
 * In the tables NUL is written '|', which no case uses otherwise.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "url/urlkey.h"
#include "rng.h"

static void bars_to_nuls(struct cfs_buf *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->p[i] == '|')
			b->p[i] = 0;
}

/* ---- encode ---- */

/* Holds N40. */
struct key_case {
	const char *url, *key;	/* key NULL: rc says why */
	int rc;
	const char *back;	/* URL made from the key; NULL: the same */
};
static const struct key_case key_cases[] = {
	{ "http://www.gnu.org/software/emacs/", "org|gnu|www|_|software|emacs|", 0, NULL },
	{ "http://h/", "h|_|", 0, NULL },
	{ "http://h", "h|_|", 0, "http://h/" },
	{ "http://h?q", "h|_|?q", 0, "http://h/?q" },
	{ "http://h#f", "h|_|#f", 0, "http://h/#f" },
	{ "https://h/a", "h|_|a", 0, NULL },
	{ "ftp://h/a", "h|_|a", 0, NULL },
	{ "HTTP://H.COM/A", "com|h|_|A", 0, "http://h.com/A" },
	{ "http://h//", "h|_||", 0, NULL },
	{ "http://h//a", "h|_||a", 0, NULL },
	{ "http://h/a/b?x=/y/z", "h|_|a|b?x=|y|z", 0, NULL },
	{ "http://h/a#f/g", "h|_|a#f|g", 0, NULL },
	{ "http://h/./../.../a.", "h|_|%2E|%2E%2E|...|a.", 0, "http://h/%2E/%2E%2E/.../a." },
	{ "http://h/.?q", "h|_|.?q", 0, NULL },
	{ "http://h/%2E", "h|_|%2E", 0, NULL },
	{ "http://_dmarc.x/", "x|__dmarc|_|", 0, NULL },
	{ "http://_/", "__|_|", 0, NULL },
	{ "http://__.a_b/_", "a_b|___|_|_", 0, NULL },
	{ "http://a..b/", "b||a|_|", 0, NULL },
	{ "http://.slurl.com/", "com|slurl||_|", 0, NULL },
	{ "http://slurl.com./", "com|slurl|_|", 0, "http://slurl.com/" },
	{ "http://slurl.com...:80/", "com|slurl|_|", 0, "http://slurl.com/" },
	{ "http://1.2.3.4/x", "4|3|2|1|_|x", 0, NULL },
	{ "http://[::1]/x", "[::1]|_|x", 0, NULL },
	{ "http://[2001:DB8::1.2.3.4]:8080/x", "[2001:db8::1.2.3.4]|_|x", 0, "http://[2001:db8::1.2.3.4]/x" },
	{ "http://[::1].:8/x", "[::1]|_|x", 0, "http://[::1]/x" },
	{ "http://[::1/x", "[|_|x", 0, "http://[/x" },
	{ "http://[a.b]c/x", "b]c|[a|_|x", 0, NULL },
	{ "http://[a].[b]/x", "[b]|[a]|_|x", 0, NULL },
	{ "http://u:p@h:8080/a", "h|_|a", 0, "http://h/a" },
	{ "http://u@v@h/a", "h|_|a", 0, "http://h/a" },
	{ "http://h/@a:80/", "h|_|@a:80|", 0, NULL },
	{ "http://h:/a", "h|_|a", 0, "http://h/a" },
	{ "http://h:foo/a", "h|_|a", 0, "http://h/a" },
	{ "http://h:1:2/a", "h|_|a", 0, "http://h/a" },
	{ "http://h ost/a b", "h ost|_|a b", 0, NULL },
	{ "http://", NULL, CFS_ENOTFOUND, NULL },
	/* as browsers read them */
	{ "http:///a", "a|_|", 0, "http://a/" },
	{ "http:////h/a", "h|_|a", 0, "http://h/a" },
	{ "http:/h/a", "h|_|a", 0, "http://h/a" },
	{ "https:h.x/a", "x|h|_|a", 0, "https://h.x/a" },
	{ "ftp:u@h:21/a", "h|_|a", 0, "ftp://h/a" },
	{ "http:\\\\h\\a\\b?c\\d/e", "h|_|a|b?c\\d|e", 0, "http://h/a/b?c\\d/e" },
	{ "http:/\\h/a\\b#c\\d", "h|_|a|b#c\\d", 0, "http://h/a/b#c\\d" },
	{ "http://h\\a\\b/c", "h|_|a|b|c", 0, "http://h/a/b/c" },
	{ "http://h\\", "h|_|", 0, "http://h/" },
	{ "http://h?a\\b", "h|_|?a\\b", 0, "http://h/?a\\b" },
	{ "http://u\\@h/a", "u|_|@h|a", 0, "http://u/@h/a" },
	/* a backslash in a path behind a slash is a byte of its name */
	{ "http://h/a\\b", "h|_|a\\b", 0, NULL },
	{ "\"http://h/a\"", NULL, CFS_ENOTFOUND, NULL },
	{ "<http://h/a>", "h|_|a", 0, "http://h/a" },
	{ "http://h/a\"", "h|_|a\"", 0, NULL },
	{ "<http://h/a", NULL, CFS_ENOTFOUND, NULL },
	/* other schemes */
	{ "gemini://example.org/a/b", "gemini:|org|example|_|a|b", 0, NULL },
	{ "GOPHER://H:70/0/A", "gopher:|h|_|0|A", 0, "gopher://h/0/A" },
	{ "s3://my.bucket/k", "s3:|bucket|my|_|k", 0, NULL },
	{ "chrome-extension://abc/", "chrome-extension:|abc|_|", 0, NULL },
	{ "gemini://_h/", "gemini:|__h|_|", 0, NULL },
	{ "gemini://h\\a/b", "gemini:|h\\a|_|b", 0, NULL },
	{ "gemini://[::1]:1965/a", "gemini:|[::1]|_|a", 0, "gemini://[::1]/a" },
	{ "file:///var/a", "file:|_|var|a", 0, NULL },
	{ "file:/var/a", "file:|_|var|a", 0, "file:///var/a" },
	{ "file://h/a", "file:|h|_|a", 0, NULL },
	{ "file:///", "file:|_|", 0, NULL },
	{ "file://///x", "file:|_|||x", 0, NULL },
	{ "file:///C:/a", "file:|_|C:|a", 0, NULL },
	{ "file://", NULL, CFS_ENOTFOUND, NULL },
	{ "file:a", NULL, CFS_ENOTFOUND, NULL },
	{ "gemini:/a", NULL, CFS_ENOTFOUND, NULL },
	{ "gemini://?a", NULL, CFS_ENOTFOUND, NULL },
	{ "gemini://u@/a", NULL, CFS_ENOTFOUND, NULL },
	{ "metadata://gnu.org/a", NULL, CFS_ENOTFOUND, NULL },
	{ "URN://a/b", NULL, CFS_ENOTFOUND, NULL },
	{ "data:text/plain,a", NULL, CFS_ENOTFOUND, NULL },
	{ "data://a/b", "data:|a|_|b", 0, NULL },
	{ "//h/a", NULL, CFS_ENOTFOUND, NULL },
	{ "h.x:80//a", NULL, CFS_ENOTFOUND, NULL },
	{ "1a://h/a", NULL, CFS_ENOTFOUND, NULL },
	{ "http:", NULL, CFS_ENOTFOUND, NULL },
	{ "http:///", NULL, CFS_ENOTFOUND, NULL },
	{ "http://?a", NULL, CFS_ENOTFOUND, NULL },
	{ "http://.../a", NULL, CFS_ENOTFOUND, NULL },
	{ "http://u@/a", NULL, CFS_ENOTFOUND, NULL },
	{ "http://:80/a", NULL, CFS_ENOTFOUND, NULL },
	{ "dns:www.gnu.org", NULL, CFS_ENOTFOUND, NULL },
	{ "filedesc://x.arc", NULL, CFS_ENOTFOUND, NULL },
	{ "", NULL, CFS_ENOTFOUND, NULL },
};

static void key_case(void **state)
{
	const struct key_case *tc = *state;
	struct cfs_buf key, want, url;
	enum cfs_scheme scheme;
	struct cfs_url u;

	cfs_buf_init(&key, CFS_KEY_MAX);
	cfs_buf_init(&want, CFS_KEY_MAX);
	cfs_buf_init(&url, CFS_KEY_MAX);
	assert_int_equal(cfs_urlkey_encode(cfs_slice_str(tc->url), &key), tc->rc);
	if (tc->key != NULL) {
		cfs_buf_adds(&want, tc->key);
		bars_to_nuls(&want);
		assert_int_equal(key.n, want.n);
		assert_memory_equal(key.p, want.p, want.n);
		assert_int_equal(cfs_url_parse_any(cfs_slice_str(tc->url), &u), 0);
		scheme = u.scheme;
		assert_int_equal(cfs_urlkey_url(cfs_buf_slice(&key), scheme, &url), 0);
		assert_string_equal(cfs_buf_str(&url), tc->back ? tc->back : tc->url);
	} else {
		assert_int_equal(key.n, 0);
	}
	cfs_buf_release(&key);
	cfs_buf_release(&want);
	cfs_buf_release(&url);
}

/* ---- parts ---- */

static void parts(void **state)
{
	struct cfs_url u;

	(void)state;
	assert_int_equal(cfs_url_parse(cfs_slice_str("https://u:p@Ex.com.:81/a?b#c"), &u), 0);
	assert_int_equal(u.scheme, CFS_SCHEME_HTTPS);
	assert_true(cfs_slice_eq(u.userinfo, CFS_SLICE_LIT("u:p")));
	assert_true(cfs_slice_eq(u.host, CFS_SLICE_LIT("Ex.com.")));
	assert_true(cfs_slice_eq(u.port, CFS_SLICE_LIT("81")));
	assert_true(cfs_slice_eq(u.path, CFS_SLICE_LIT("/a?b#c")));
	assert_int_equal(cfs_url_parse(cfs_slice_str("http://[::1]:7"), &u), 0);
	assert_true(cfs_slice_eq(u.host, CFS_SLICE_LIT("[::1]")));
	assert_true(cfs_slice_eq(u.port, CFS_SLICE_LIT("7")));
	assert_int_equal(u.path.n, 0);
	assert_int_equal(cfs_url_parse(cfs_slice_str("http://h:x"), &u), 0);
	assert_int_equal(u.port.n, 0);
	assert_int_equal(cfs_url_parse(cfs_slice_of("http://h/\0", 10), &u), CFS_EFORMAT);
}

/* Holds L2. */
/* ---- limits ---- */

/* http:// + host + n times `unit` */
static int encode_long(const char *host, const char *unit, size_t n, size_t *key_n)
{
	struct cfs_buf url, key;
	int rc;

	cfs_buf_init(&url, 1 << 20);
	cfs_buf_init(&key, CFS_KEY_MAX);
	cfs_buf_adds(&url, host);
	while (n-- > 0)
		cfs_buf_adds(&url, unit);
	rc = cfs_urlkey_encode(cfs_buf_slice(&url), &key);
	*key_n = key.n;
	cfs_buf_release(&url);
	cfs_buf_release(&key);
	return rc;
}

static void limits(void **state)
{
	size_t n;

	(void)state;
	/* 8,192 bytes of URL, and one more */
	assert_int_equal(encode_long("http://h/", "a", CFS_URL_MAX - 9, &n), 0);
	assert_int_equal(encode_long("http://h/", "a", CFS_URL_MAX - 8, &n), CFS_ELIMIT);
	/* h, _ and 1,021 segments make 1,023 levels */
	assert_int_equal(encode_long("http://h", "/a", 1021, &n), 0);
	assert_int_equal(encode_long("http://h", "/a", 1022, &n), CFS_ELIMIT);
	assert_int_equal(n, 0);
	/* the longest key there can be */
	assert_int_equal(encode_long("ftp://h", "/..", 1021, &n), 0);
	assert_true(n <= CFS_KEY_MAX);
	assert_int_equal(encode_long("ftp://_", "._", 1020, &n), 0);
	assert_int_equal(n, 3 * 1021 + 2);
	assert_int_equal(encode_long("ftp://_", "._", 1021, &n), CFS_ELIMIT);
	assert_int_equal(encode_long("dns:", "a", 10000, &n), CFS_ENOTFOUND);
}

/* ---- split refuses what encode cannot make ---- */

static const char *const bad_keys[] = {
	"", "|", "h", "h|_", "_|a", "h|x|y", "|h|_|", "_", "h|_x|_|a",
	"h|_|.", "h|_|..", "h|_|a|..|b", "h|.|_|a", "h|_|a/b", "h/|_|a", "..|_|a",
};

static void bad_key(void **state)
{
	struct cfs_buf b;
	struct cfs_path p;

	cfs_buf_init(&b, 100);
	cfs_buf_adds(&b, *state);
	bars_to_nuls(&b);
	assert_int_equal(cfs_urlkey_split(cfs_buf_slice(&b), &p), CFS_ENOTFOUND);
	cfs_buf_release(&b);
}

/* Keys that are junk, or too deep, are left to cfs_urlkey_split. */
static void split_below_refuses(void **state)
{
	static const char *const tails[] = { "..", ".", "a/b", "/", "b|..", };
	struct cfs_slice below = CFS_SLICE_LIT("h\0_\0a\0");
	struct cfs_path dir = { 0 }, p;
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, CFS_KEY_MAX);
	assert_int_equal(cfs_urlkey_split(CFS_SLICE_LIT("h\0_\0a"), &dir), 0);
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		cfs_buf_reset(&b);
		cfs_buf_adds(&b, "h|_|a|");
		cfs_buf_adds(&b, tails[i]);
		bars_to_nuls(&b);
		assert_int_equal(cfs_urlkey_split_below(cfs_buf_slice(&b), &dir,
							below, &p),
				 CFS_ENOTFOUND);
	}
	cfs_buf_reset(&b);
	cfs_buf_add(&b, below);
	for (unsigned i = 4; i < CFS_DEPTH_MAX; i++)
		cfs_buf_append(&b, "a\0", 2);
	assert_int_equal(cfs_urlkey_split_below(cfs_buf_slice(&b), &dir, below,
						&p), CFS_OK);
	assert_int_equal(p.n, CFS_DEPTH_MAX);
	cfs_buf_addc(&b, 0);
	assert_int_equal(cfs_urlkey_split_below(cfs_buf_slice(&b), &dir, below,
						&p), CFS_ENOTFOUND);
	cfs_buf_release(&b);
}

static void split_deep(void **state)
{
	struct cfs_buf b;
	struct cfs_path p;

	(void)state;
	cfs_buf_init(&b, CFS_KEY_MAX);
	cfs_buf_append(&b, "h\0_", 3);
	for (unsigned i = 2; i < CFS_DEPTH_MAX; i++)
		cfs_buf_append(&b, "\0a", 2);
	assert_int_equal(cfs_urlkey_split(cfs_buf_slice(&b), &p), 0);
	assert_int_equal(p.n, CFS_DEPTH_MAX);
	cfs_buf_append(&b, "\0a", 2);
	assert_int_equal(cfs_urlkey_split(cfs_buf_slice(&b), &p), CFS_ENOTFOUND);
	cfs_buf_release(&b);
}

static void split_parts(void **state)
{
	struct cfs_path p;

	(void)state;
	assert_int_equal(cfs_urlkey_split(CFS_SLICE_LIT("x\0__y\0\0_\0_a\0"), &p), 0);
	assert_int_equal(p.host_n, 3);
	assert_int_equal(p.n, 6);
	assert_true(cfs_slice_eq(p.comp[1], CFS_SLICE_LIT("_y")));
	assert_int_equal(p.comp[2].n, 0);
	assert_true(cfs_slice_eq(p.comp[3], CFS_SLICE_LIT("_")));
	assert_true(cfs_slice_eq(p.comp[4], CFS_SLICE_LIT("_a")));
	assert_int_equal(p.comp[5].n, 0);
}

/* ---- ranges ---- */

static bool in_range(const struct cfs_ranges *r, struct cfs_slice key)
{
	return cfs_slice_cmp(key, r->v[0].lo) >= 0 &&
	       (r->v[0].hi_open || cfs_slice_cmp(key, r->v[0].hi) < 0);
}

static void ranges_refuse(void **state)
{
	struct cfs_ranges r;
	struct cfs_path p = { .n = 3, .host_n = 1 };

	(void)state;
	cfs_ranges_init(&r);
	p.comp[0] = CFS_SLICE_LIT("h");
	p.comp[1] = CFS_SLICE_LIT("_");
	p.comp[2] = CFS_SLICE_LIT("a/b");
	assert_int_equal(cfs_urlkey_ranges(&p, CFS_BELOW_DIR, &r), CFS_ENOTFOUND);
	p.comp[2] = CFS_SLICE_LIT("a\0b");
	assert_int_equal(cfs_urlkey_ranges(&p, CFS_BELOW_PAGE, &r), CFS_ENOTFOUND);
	p.comp[2] = CFS_SLICE_LIT("..");
	assert_int_equal(cfs_urlkey_ranges(&p, CFS_BELOW_PAGE, &r), CFS_ENOTFOUND);
	p.n = 2;
	assert_int_equal(cfs_urlkey_ranges(&p, CFS_BELOW_PAGE, &r), CFS_ENOTFOUND);
	assert_int_equal(cfs_urlkey_ranges(&p, CFS_BELOW_DIR, &r), 0);
	p.n = p.host_n = 0;
	assert_int_equal(cfs_urlkey_ranges(&p, CFS_BELOW_DIR, &r), 0);
	assert_true(r.v[0].hi_open);
	cfs_ranges_release(&r);
}

/* ---- properties over generated hostile URLs ---- */

static struct cfs_slice random_url(uint64_t *rng, char *out, size_t cap)
{
	static const char bits[] = "aabbA._/%?#:@[]2E \\\"<>\x01\xc3\xa9\xff";
	size_t n = 0, len = 1 + rng_below(rng, cap - 20);
	static const char *const schemes[] = { "http://", "https://", "ftp://",
		"http:", "<http:\\", "gemini://", "file:///" };

	n = (size_t)snprintf(out, cap, "%s", schemes[rng_below(rng, 7)]);
	while (len-- > 0)
		out[n++] = bits[rng_below(rng, sizeof(bits) - 1)];
	return cfs_slice_of(out, n);
}

/* Order by components: a shorter list before its extensions. */
static int path_cmp(const struct cfs_path *a, const struct cfs_path *b)
{
	/* a marker comes before a label "_", as the escape has it */
	for (unsigned i = 0; i < a->n && i < b->n; i++) {
		bool ma = i == a->host_n, mb = i == b->host_n;
		int c = cfs_slice_cmp(a->comp[i], b->comp[i]);

		if (ma != mb && c == 0)
			return ma ? -1 : 1;
		if (c != 0)
			return c;
	}
	return (a->n > b->n) - (a->n < b->n);
}

static int sign(int c)
{
	return (c > 0) - (c < 0);
}

/* Is `a` a directory above `b` (extends), or the same path? */
static bool extends(const struct cfs_path *a, const struct cfs_path *b)
{
	if (b->n <= a->n || (a->n > a->host_n && a->host_n != b->host_n) ||
	    (a->n == a->host_n && b->host_n < a->n))
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (!cfs_slice_eq(a->comp[i], b->comp[i]))
			return false;
	return true;
}

/* A key below a directory is split as when that is not known. */
static void check_below(struct cfs_slice key, const struct cfs_path *want,
			const struct cfs_path *dir, struct cfs_slice below)
{
	struct cfs_path got;
	int rc = cfs_urlkey_split_below(key, dir, below, &got);

	assert_int_equal(rc, dir->n > dir->host_n ? CFS_OK : CFS_ENOTFOUND);
	if (rc != CFS_OK)
		return;
	assert_int_equal(got.n, want->n);
	assert_int_equal(got.host_n, want->host_n);
	for (unsigned i = 0; i < got.n; i++)
		assert_true(cfs_slice_eq(got.comp[i], want->comp[i]));
}

static void check_pair(const struct cfs_slice k[2], const struct cfs_path p[2],
		       struct cfs_ranges *r, uint64_t *rng)
{
	struct cfs_path dir = p[0];

	assert_int_equal(sign(cfs_slice_cmp(k[0], k[1])),
			 sign(path_cmp(&p[0], &p[1])));
	assert_int_equal(cfs_urlkey_ranges(&p[0], CFS_BELOW_PAGE, r), 0);
	assert_true(in_range(r, k[0]));
	assert_int_equal(in_range(r, k[1]), cfs_slice_eq(k[0], k[1]));
	dir.n = (unsigned)rng_below(rng, p[0].n + 1u);
	if (dir.n <= dir.host_n)
		dir.host_n = dir.n;
	assert_int_equal(cfs_urlkey_ranges(&dir, CFS_BELOW_DIR, r), 0);
	assert_int_equal(in_range(r, k[0]), extends(&dir, &p[0]));
	assert_int_equal(in_range(r, k[1]), extends(&dir, &p[1]));
	for (int i = 0; i < 2 && dir.n > 0; i++)
		if (extends(&dir, &p[i]))
			check_below(k[i], &p[i], &dir, r->v[0].lo);
}

static void properties(void **state)
{
	uint64_t rng = 20240501;
	struct cfs_buf key[2], url, again;
	struct cfs_ranges r;
	struct cfs_path p[2];
	unsigned pairs = 0;

	(void)state;
	for (int i = 0; i < 2; i++)
		cfs_buf_init(&key[i], CFS_KEY_MAX);
	cfs_buf_init(&url, CFS_KEY_MAX);
	cfs_buf_init(&again, CFS_KEY_MAX);
	cfs_ranges_init(&r);
	for (unsigned round = 0; round < 40000; round++) {
		unsigned which = round & 1;
		char text[64];
		struct cfs_slice u = random_url(&rng, text, round % 3 ? 30 : 64);

		cfs_buf_reset(&key[which]);
		if (cfs_urlkey_encode(u, &key[which]) != CFS_OK)
			continue;
		assert_int_equal(cfs_urlkey_split(cfs_buf_slice(&key[which]), &p[which]), 0);
		/* key -> URL -> key is the identity */
		cfs_buf_reset(&url);
		cfs_buf_reset(&again);
		assert_int_equal(cfs_urlkey_url(cfs_buf_slice(&key[which]), CFS_SCHEME_HTTP, &url), 0);
		assert_int_equal(cfs_urlkey_encode(cfs_buf_slice(&url), &again), 0);
		assert_true(cfs_slice_eq(cfs_buf_slice(&again), cfs_buf_slice(&key[which])));
		if (key[0].n == 0 || key[1].n == 0)
			continue;
		check_pair((struct cfs_slice[]){ cfs_buf_slice(&key[0]), cfs_buf_slice(&key[1]) },
			   p, &r, &rng);
		pairs++;
	}
	assert_true(pairs > 10000);
	for (int i = 0; i < 2; i++)
		cfs_buf_release(&key[i]);
	cfs_buf_release(&url);
	cfs_buf_release(&again);
	cfs_ranges_release(&r);
}

UNIT_PROGRAM
{
	UNIT_ROWS_BY(key_cases, url, key_case);
	UNIT_STRINGS(bad_keys, bad_key);
	UNIT_TEST(parts);
	UNIT_TEST(limits);
	UNIT_TEST(split_deep);
	UNIT_TEST(split_below_refuses);
	UNIT_TEST(split_parts);
	UNIT_TEST(ranges_refuse);
	UNIT_TEST(properties);
	return unit_run("urlkey");
}

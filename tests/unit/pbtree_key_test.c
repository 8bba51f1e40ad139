/* pbtree_key_test.c - keys of a PB-tree: from URLs, to components, to runs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "format/pbtree/pbtree_format.h"
#include "index/index.h"
#include "rng.h"
#include "url/pbtree_key.h"
#include "url/urlkey.h"

static struct cfs_slice str(const char *s)
{
	return cfs_slice_str(s);
}

/* --- URL to key, and back to a URL of the same key -------------------- */

struct url_case {
	const char *url, *key;
	const char *back;	/* the result of key_url; NULL: the URL */
};
static struct url_case url_cases[] = {
	{ "http://www.google.com/", "com.google.www/:http", NULL },
	{ "http://ask.metafilter.com/51007/", "com.metafilter.ask/51007/:http",
	  NULL },
	{ "http://www.google.com/cse?cx=1&b=a", "com.google.www/cse?cx=1&b=a:http",
	  NULL },
	{ "http://62.45.11.102/photo/f.pdf", "102.11.45.62/photo/f.pdf:http",
	  NULL },
	{ "http://147.162.119.1:8081/resianica/index.do",
	  "1.119.162.147/resianica/index.do:8081:http", NULL },
	{ "http://71.213.201.10:81/online/online.asp?value=11830",
	  "10.201.213.71/online/online.asp?value=11830:81:http", NULL },
	{ "http://04lazi:lommerse@bindher.com/members/index.html",
	  "04lazi/members/index.html:lommerse@bindher.com:http", NULL },
	{ "http://slurl.com./", ".com.slurl/:http", NULL },
	/* three pieces of the authority: the others are lost */
	{ "http://u:p@h.com:80/x", "u/x:http", "http://u/x" },
	/* a user without a password is taken for a host */
	{ "http://u@h.com/x", "com.u@h/x:http", NULL },
	{ "http://u@h.com:80/x", "com.u@h/x:80:http", NULL },
	{ "http://[::1]/x", "[/x:http", "http://[/x" },
	{ "https://h.com/x", "com.h/x:https", NULL },
	{ "ftp://h.com/x", "com.h/x:ftp", NULL },
	{ "HTTP://H.com/X", "com.H/X:http", "http://H.com/X" },
	{ "http://h.com", "com.h:http", NULL },
	{ "http://h.com:80", "com.h:80:http", NULL },
	{ "http://h.com?q", "com.h?q:http", NULL },
	{ "http://h.com?", "com.h:http", "http://h.com" },
	{ "http://h.com/?", "com.h/:http", "http://h.com/" },
	{ "http://h.com/a??", "com.h/a??:http", NULL },
	{ "http://h.com/a#f?x", "com.h/a:http", "http://h.com/a" },
	{ "http://h.com#f/x", "com.h:http", "http://h.com" },
	{ "http://h.com/a?#", "com.h/a:http", "http://h.com/a" },
	{ "http://h.com//a///b", "com.h//a///b:http", NULL },
	{ "http://h.com/a;p=1;q/%7e%7E", "com.h/a;p=1;q/%7e%7E:http", NULL },
	{ "http://h.com/ a b", "com.h/ a b:http", NULL },
	{ "http://h.com/\xff\x80", "com.h/\xff\x80:http", NULL },
	{ "http://h.com:/x", "com.h/x::http", "http://h.com/x:" },
	{ "http://h.com:abc/x", "com.h/x:abc:http", "http://h.com/x:abc" },
	{ "http:///x", "/x:http", NULL },
	{ "http:/h/x", "h/x:http", "http://h/x" },
	{ "https:u.h:81/x", "h.u/x:81:https",
	  "https://u.h:81/x" },
	{ "http://", ":http", NULL },
	{ "http://./", "./:http", NULL },
	{ "http://a..b/", "b..a/:http", NULL },
	/* ends that only look like a tail */
	{ "http://h/a:80", "h/a:80:http", "http://h:80/a" },
	{ "http://h/a:0", "h/a:0:http", NULL },
	{ "http://h/a:65536", "h/a:65536:http", NULL },
	{ "http://h:08080/", "h/:08080:http", NULL },
	{ "http://h/?m=a:b@c", "h/?m=a:b@c:http", "http://h:b@c/?m=a" },
	{ "http://h/a?:80", "h/a?:80:http", NULL },
	{ "http://h/a:b@c?d", "h/a:b@c?d:http", NULL },
	{ "http://h/a:b@c/d", "h/a:b@c/d:http", NULL },
};

static void url_to_key(void **state)
{
	const struct url_case *tc = *state;
	struct cfs_buf key, url, again;

	cfs_buf_init(&key, CFS_KEY_MAX);
	cfs_buf_init(&url, CFS_KEY_MAX);
	cfs_buf_init(&again, CFS_KEY_MAX);
	assert_int_equal(cfs_pbtree_url_key(str(tc->url), &key), CFS_OK);
	assert_string_equal(cfs_buf_str(&key), tc->key);
	assert_int_equal(cfs_pbtree_key_url(cfs_buf_slice(&key), &url), CFS_OK);
	assert_string_equal(cfs_buf_str(&url), tc->back ? tc->back : tc->url);
	assert_int_equal(cfs_pbtree_url_key(cfs_buf_slice(&url), &again),
			 CFS_OK);
	assert_string_equal(cfs_buf_str(&again), tc->key);
	cfs_buf_release(&key);
	cfs_buf_release(&url);
	cfs_buf_release(&again);
}

static void no_key(void **state)
{
	static const char *const urls[] = {
		"", "http", "http:", "http:/?x", "//h/x", "h/x",
		"dns:h.com", "urn:uuid:1", "gopher://h/", "httpx://h/",
		" http://h/", "mailto:a@b",
	};
	struct cfs_buf key;
	char *big = malloc(CFS_URL_MAX + 1);

	(void)state;
	cfs_buf_init(&key, CFS_KEY_MAX);
	for (size_t i = 0; i < COUNT(urls); i++)
		assert_int_equal(cfs_pbtree_url_key(str(urls[i]), &key),
				 CFS_ENOTFOUND);
	assert_int_equal(cfs_pbtree_url_key(cfs_slice_of("http://h/\0x", 11),
					    &key), CFS_ENOTFOUND);
	assert_non_null(big);
	memset(big, 'a', CFS_URL_MAX + 1);
	memcpy(big, "http://h/", 9);
	assert_int_equal(cfs_pbtree_url_key(cfs_slice_of(big, CFS_URL_MAX + 1),
					    &key), CFS_ENOTFOUND);
	assert_int_equal(key.n, 0);
	assert_int_equal(cfs_pbtree_url_key(cfs_slice_of(big, CFS_URL_MAX),
					    &key), CFS_OK);
	free(big);
	cfs_buf_release(&key);
}

/* --- key to components -------------------------------------------------- */

static struct cfs_path *new_path(void)
{
	struct cfs_path *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	return p;
}

/* Components joined by '|', host labels apart from the others by the '_'. */
static void join(const struct cfs_path *p, struct cfs_buf *out)
{
	cfs_buf_reset(out);
	for (unsigned i = 0; i < p->n; i++) {
		cfs_buf_adds(out, i > 0 ? "|" : "");
		cfs_buf_add(out, p->comp[i]);
	}
}

struct split_case {
	const char *key, *comps;	/* NULL: not in the tree */
	unsigned host_n;
};
static struct split_case split_cases[] = {
	{ "org.gnu.www/a//b:http", "org|gnu|www|_|a||b", 3 },
	{ "com.h:http", "com|h|_|", 2 },
	{ "com.h/:http", "com|h|_|", 2 },
	{ "com.h//:http", "com|h|_||", 2 },
	{ "com.h:80:http", "com|h|_|", 2 },
	{ "com.h/:80:http", "com|h|_|", 2 },
	{ "com.h/a/:80:http", "com|h|_|a|", 2 },
	{ "com.h?q:http", "com|h|_|?q", 2 },
	{ "com.h/?q:http", "com|h|_|?q", 2 },
	{ "com.h?a/b:http", "com|h|_|?a|b", 2 },
	{ "com.h/x?a/b:http", "com|h|_|x?a|b", 2 },
	{ ".com.slurl/:http", "|com|slurl|_|", 3 },
	{ "b..a/x:http", "b||a|_|x", 3 },
	{ "/x:http", "|_|x", 1 },
	{ ":http", "|_|", 1 },
	{ "?q:http", "|_|?q", 1 },
	{ "04lazi/m/i.html:l@b.com:http", "04lazi|_|m|i.html", 1 },
	{ "04lazi:l@b.com:http", "04lazi|_|", 1 },
	{ "%20%20e-mail/:%20p@home.pl:http", "%20%20e-mail|_|", 1 },
	{ "h/a:0:http", "h|_|a:0", 1 },
	{ "h/a:1:http", "h|_|a", 1 },
	{ "h/a:065535:http", "h|_|a", 1 },
	{ "h/a:65536:http", "h|_|a:65536", 1 },
	{ "h/a:80:81:http", "h|_|a:80", 1 },
	{ "h/a::http", "h|_|a:", 1 },
	{ "h/a:+1:http", "h|_|a:+1", 1 },
	{ "h/a:b@c?d:http", "h|_|a:b@c?d", 1 },
	{ "h/a:b@c/d:http", "h|_|a:b@c|d", 1 },
	{ "h:b:http", "h|_|:b", 1 },
	{ "h/:b:http", "h|_|:b", 1 },
	{ "h:b/c:http", "h|_|:b|c", 1 },
	{ "h/.:http", "h|_|%2E", 1 },
	{ "h/..:http", "h|_|%2E%2E", 1 },
	{ "h/%2E:http", "h|_|%2E", 1 },
	{ "h/%2e:http", "h|_|%2e", 1 },
	{ "h/./%2E%2E/.../.x:http", "h|_|%2E|%2E%2E|...|.x", 1 },
	{ "h/././././:http", "h|_|%2E|%2E|%2E|%2E|", 1 },
	{ "h/./././%2E/.:http", NULL, 0 },
	{ "com.h/x:https", "com|h|_|x", 2 },
	{ "com.h/x:ftp", "com|h|_|x", 2 },
	{ "com.h/x:HTTP", NULL, 0 },
	{ "com.h/x:gopher", NULL, 0 },
	{ "com.h/x:", NULL, 0 },
	{ "com.h/x", NULL, 0 },
	{ "http", NULL, 0 },
	{ "", NULL, 0 },
};

static void split_key(void **state)
{
	const struct split_case *tc = *state;
	struct cfs_path *p = new_path();
	struct cfs_buf got;
	int rc = cfs_pbtree_split(str(tc->key), p);

	cfs_buf_init(&got, CFS_KEY_MAX);
	assert_int_equal(rc, tc->comps != NULL ? CFS_OK : CFS_ENOTFOUND);
	if (tc->comps != NULL) {
		join(p, &got);
		assert_string_equal(cfs_buf_str(&got), tc->comps);
		assert_int_equal(p->host_n, tc->host_n);
	}
	cfs_buf_release(&got);
	free(p);
}

/* n levels in all: one label, the marker and the segments. */
static int split_levels(struct cfs_path *p, struct cfs_buf *key, unsigned n)
{
	cfs_buf_reset(key);
	cfs_buf_adds(key, "h");
	for (unsigned i = 2; i < n; i++)
		cfs_buf_adds(key, "/x");
	cfs_buf_adds(key, ":http");
	return cfs_pbtree_split(cfs_buf_slice(key), p);
}

static void limits(void **state)
{
	struct cfs_path *p = new_path();
	struct cfs_buf key;

	(void)state;
	cfs_buf_init(&key, 65536);
	assert_int_equal(split_levels(p, &key, CFS_DEPTH_MAX), CFS_OK);
	assert_int_equal(p->n, CFS_DEPTH_MAX);
	assert_int_equal(split_levels(p, &key, CFS_DEPTH_MAX + 1),
			 CFS_ENOTFOUND);
	for (unsigned labels = CFS_DEPTH_MAX - 3; labels < CFS_DEPTH_MAX + 3;
	     labels++) {
		cfs_buf_reset(&key);
		for (unsigned i = 1; i < labels; i++)
			cfs_buf_addc(&key, '.');
		cfs_buf_adds(&key, "/:http");
		assert_int_equal(cfs_pbtree_split(cfs_buf_slice(&key), p),
				 labels + 2 <= CFS_DEPTH_MAX ? CFS_OK
							     : CFS_ENOTFOUND);
	}
	cfs_buf_reset(&key);
	cfs_buf_adds(&key, "h/");
	while (key.n < CFS_URL_MAX - 2 - 5)
		cfs_buf_addc(&key, 'a');
	cfs_buf_adds(&key, ":http");
	assert_int_equal(cfs_pbtree_split(cfs_buf_slice(&key), p), CFS_OK);
	key.n -= 5;
	cfs_buf_adds(&key, "a:http");
	assert_int_equal(cfs_pbtree_split(cfs_buf_slice(&key), p),
			 CFS_ENOTFOUND);
	cfs_buf_release(&key);
	free(p);
}

/* --- components to runs -------------------------------------------------- */

static void join_runs(const struct cfs_ranges *r, struct cfs_buf *out)
{
	cfs_buf_reset(out);
	for (unsigned i = 0; i < r->n; i++) {
		cfs_buf_adds(out, i > 0 ? " " : "");
		cfs_buf_add(out, r->v[i].lo);
		cfs_buf_adds(out, "..");
		cfs_buf_add(out, r->v[i].hi);
		cfs_buf_adds(out, r->v[i].hi_open ? "open" : "");
	}
}

struct runs_case {
	const char *key;	/* its first `levels` components are the path */
	unsigned levels;
	enum cfs_below below;
	const char *runs;
};
static struct runs_case runs_cases[] = {
	{ "com.h/a:http", 0, CFS_BELOW_DIR, "..open" },
	{ "com.h/a:http", 0, CFS_BELOW_PAGE, NULL },
	{ "com.h/a:http", 1, CFS_BELOW_DIR, "com...com0 com:..com; com?..com@" },
	{ "com.h/a:http", 2, CFS_BELOW_DIR,
	  "com.h...com.h0 com.h:..com.h; com.h?..com.h@" },
	{ "com.h/a:http", 2, CFS_BELOW_PAGE, NULL },
	{ "com.h/a:http", 3, CFS_BELOW_DIR,
	  "com.h/..com.h0 com.h:..com.h; com.h?..com.h@" },
	{ "com.h/a:http", 3, CFS_BELOW_PAGE, NULL },
	{ "com.h/a:http", 4, CFS_BELOW_DIR, "com.h/a/..com.h/a0" },
	{ "com.h/a:http", 4, CFS_BELOW_PAGE, "com.h/a:..com.h/a;" },
	{ "com.h/:http", 4, CFS_BELOW_PAGE,
	  "com.h/:..com.h/; com.h:..com.h;" },
	{ "com.h/:http", 4, CFS_BELOW_DIR, "com.h//..com.h/0" },
	{ "h/?q:http", 3, CFS_BELOW_PAGE, "h/?q:..h/?q; h?q:..h?q;" },
	{ "h?q/a:http", 3, CFS_BELOW_DIR, "h/?q/..h/?q0 h?q/..h?q0" },
	{ "h/a/.:http", 4, CFS_BELOW_PAGE, "h/a/%2E:..h/a/%2E; h/a/.:..h/a/.;" },
	{ "h/../b:http", 4, CFS_BELOW_PAGE,
	  "h/%2E%2E/b:..h/%2E%2E/b; h/../b:..h/../b;" },
	{ ":http", 1, CFS_BELOW_DIR, "...0 :..; ?..@" },
	{ ":http", 3, CFS_BELOW_PAGE, "/:../; :..;" },
};

static void runs_of(void **state)
{
	const struct runs_case *tc = *state;
	struct cfs_path *p = new_path();
	struct cfs_ranges *r = malloc(sizeof(*r));
	struct cfs_buf got;
	int rc;

	assert_non_null(r);
	cfs_ranges_init(r);
	cfs_buf_init(&got, 65536);
	assert_int_equal(cfs_pbtree_split(str(tc->key), p), CFS_OK);
	p->n = tc->levels;
	if (p->host_n > p->n)
		p->host_n = p->n;
	rc = cfs_pbtree_ranges(p, tc->below, r);
	assert_int_equal(rc, tc->runs != NULL ? CFS_OK : CFS_ENOTFOUND);
	join_runs(r, &got);
	assert_string_equal(cfs_buf_str(&got), tc->runs ? tc->runs : "");
	cfs_buf_release(&got);
	cfs_ranges_release(r);
	free(r);
	free(p);
}

/* Components no key has. */
static void impossible(void **state)
{
	static const struct { const char *label, *segment; } cases[] = {
		{ "a.b", "x" }, { "a/b", "x" }, { "a:b", "x" }, { "a?b", "x" },
		{ "a", "x/y" }, { "a", "." }, { "a", ".." },
	};
	struct cfs_path *p = new_path();
	struct cfs_ranges *r = malloc(sizeof(*r));

	(void)state;
	assert_non_null(r);
	cfs_ranges_init(r);
	for (size_t i = 0; i < COUNT(cases); i++) {
		p->n = 3;
		p->host_n = 1;
		p->comp[0] = str(cases[i].label);
		p->comp[1] = str("_");
		p->comp[2] = str(cases[i].segment);
		assert_int_equal(cfs_pbtree_ranges(p, CFS_BELOW_PAGE, r),
				 CFS_ENOTFOUND);
		assert_int_equal(cfs_pbtree_ranges(p, CFS_BELOW_DIR, r),
				 CFS_ENOTFOUND);
	}
	p->comp[0] = str("a");
	p->comp[2] = cfs_slice_of("a\0b", 3);
	assert_int_equal(cfs_pbtree_ranges(p, CFS_BELOW_PAGE, r), CFS_ENOTFOUND);
	p->comp[2] = str("x");
	assert_int_equal(cfs_pbtree_ranges(p, CFS_BELOW_PAGE, r), CFS_OK);
	p->host_n = 0;			/* no host at all */
	assert_int_equal(cfs_pbtree_ranges(p, CFS_BELOW_PAGE, r), CFS_ENOTFOUND);
	p->host_n = 1;
	for (p->n = 2; p->n < 2 + CFS_PBTREE_ALIAS_MAX; p->n++)
		p->comp[p->n] = str("%2E");
	p->comp[2] = str("%2E%2E");
	assert_int_equal(cfs_pbtree_ranges(p, CFS_BELOW_PAGE, r), CFS_OK);
	assert_int_equal(r->n, 1 << CFS_PBTREE_ALIAS_MAX);
	p->comp[p->n++] = str("%2E");
	assert_int_equal(cfs_pbtree_ranges(p, CFS_BELOW_PAGE, r), CFS_ENOTFOUND);
	cfs_ranges_release(r);
	free(r);
	free(p);
}

/* --- the property: runs hold exactly what they must ----------------------- */

#define KEYS 250u

struct entry {
	struct cfs_buf key;
	struct cfs_path path;
	bool in_tree;
};

static const char *const tokens[] = {
	".", "/", "?", ":", "a", "%2E", "@", "8", "_", "#", "-", "0", "..",
	"%2E%2E", "/", "/", "/.", "/..", "/%2E", "/%2E%2E", "a.", "%2e", "\xff",
};
static const char *const ends[] = {
	"", "", "", ":80", ":8", ":0", ":a@b", ":", ":a", ":a@b/c", ":080",
};
static const char *const schemes[] = {
	":http", ":http", ":http", ":http", ":https", ":ftp", "", ":x",
};

static void random_key(uint64_t *rng, struct cfs_buf *key)
{
	unsigned n = (unsigned)rng_below(rng, 9);

	cfs_buf_reset(key);
	if (rng_below(rng, 4) > 0)
		cfs_buf_adds(key, rng_below(rng, 2) ? "a" : "a.8");
	while (n-- > 0)
		cfs_buf_adds(key, tokens[rng_below(rng, COUNT(tokens))]);
	cfs_buf_adds(key, ends[rng_below(rng, COUNT(ends))]);
	cfs_buf_adds(key, schemes[rng_below(rng, COUNT(schemes))]);
}

static bool same_start(const struct cfs_path *a, const struct cfs_path *b,
		       unsigned n, unsigned host_n)
{
	/* the marker has to be at the same level if it is in the path */
	if (a->n < n || (host_n < n ? a->host_n != host_n : a->host_n < n))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!cfs_slice_eq(a->comp[i], b->comp[i]))
			return false;
	return true;
}

static bool in_runs(const struct cfs_ranges *r, struct cfs_slice key)
{
	for (unsigned i = 0; i < r->n; i++)
		if (cfs_slice_cmp(r->v[i].lo, key) <= 0 &&
		    (r->v[i].hi_open || cfs_slice_cmp(key, r->v[i].hi) < 0))
			return true;
	return false;
}

static void check_order(const struct cfs_ranges *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		if (!r->v[i].hi_open)
			assert_true(cfs_slice_cmp(r->v[i].lo, r->v[i].hi) < 0);
		if (i > 0)
			assert_true(cfs_slice_cmp(r->v[i - 1].hi,
						  r->v[i].lo) < 0);
	}
}

/* Every entry below (at) the first n components is in the runs. */
static void check_runs(struct entry *e, const struct entry *of, unsigned n,
		       enum cfs_below below, struct cfs_ranges *r)
{
	static struct cfs_path path;

	path = of->path;
	path.n = n;
	if (path.host_n > n)
		path.host_n = n;
	assert_int_equal(cfs_pbtree_ranges(&path, below, r), CFS_OK);
	check_order(r);
	for (unsigned i = 0; i < KEYS; i++) {
		struct cfs_slice key = cfs_buf_slice(&e[i].key);

		if (!e[i].in_tree ||
		    !same_start(&e[i].path, &path, n, path.host_n) ||
		    (e[i].path.n > n) != (below == CFS_BELOW_DIR))
			continue;
		if (in_runs(r, key))
			continue;
		fail_msg("key '%s' is not in the runs of level %u of '%s'",
			 cfs_buf_str(&e[i].key), n,
			 (const char *)of->key.p);
	}
}

static void property(void **state)
{
	struct entry *e = calloc(KEYS, sizeof(*e));
	struct cfs_ranges *r = malloc(sizeof(*r));
	uint64_t rng = 20121225;
	unsigned in_tree = 0;

	(void)state;
	assert_true(e != NULL && r != NULL);
	cfs_ranges_init(r);
	for (unsigned i = 0; i < KEYS; i++)
		cfs_buf_init(&e[i].key, 1024);
	for (unsigned round = 0; round < 12; round++) {
		for (unsigned i = 0; i < KEYS; i++) {
			random_key(&rng, &e[i].key);
			cfs_buf_str(&e[i].key);
			e[i].in_tree = cfs_pbtree_split(
				cfs_buf_slice(&e[i].key), &e[i].path) == CFS_OK;
			in_tree += e[i].in_tree;
		}
		for (unsigned i = 0; i < KEYS; i++) {
			if (!e[i].in_tree)
				continue;
			for (unsigned n = 0; n < e[i].path.n; n++)
				check_runs(e, &e[i], n, CFS_BELOW_DIR, r);
			check_runs(e, &e[i], e[i].path.n, CFS_BELOW_PAGE, r);
		}
	}
	assert_true(in_tree > 12 * KEYS / 2);
	for (unsigned i = 0; i < KEYS; i++)
		cfs_buf_release(&e[i].key);
	cfs_ranges_release(r);
	free(r);
	free(e);
}

/* Any URL that has a key has one that leads back to it. */
static void round_trips(void **state)
{
	struct cfs_buf url, key, again;
	uint64_t rng = 1;
	unsigned keys = 0;

	(void)state;
	cfs_buf_init(&url, 1024);
	cfs_buf_init(&key, 1024);
	cfs_buf_init(&again, 1024);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned n = (unsigned)rng_below(&rng, 9);

		cfs_buf_reset(&url);
		cfs_buf_adds(&url, "http://");
		while (n-- > 0)
			cfs_buf_adds(&url, tokens[rng_below(&rng,
							    COUNT(tokens))]);
		cfs_buf_reset(&key);
		assert_int_equal(cfs_pbtree_url_key(cfs_buf_slice(&url), &key),
				 CFS_OK);
		cfs_buf_reset(&url);
		assert_int_equal(cfs_pbtree_key_url(cfs_buf_slice(&key), &url),
				 CFS_OK);
		cfs_buf_reset(&again);
		assert_int_equal(cfs_pbtree_url_key(cfs_buf_slice(&url),
						    &again), CFS_OK);
		assert_string_equal(cfs_buf_str(&again), cfs_buf_str(&key));
		keys++;
	}
	assert_int_equal(keys, 20000);
	cfs_buf_release(&url);
	cfs_buf_release(&key);
	cfs_buf_release(&again);
}

/* --- values ---------------------------------------------------------------- */

/* The first item of the published file (doc/formats.md, "PB-tree"). */
static void value_example(void **state)
{
	static const uint8_t raw[CFS_PBTREE_VALUE_BYTES] = {
		0x6b, 0xe9, 0x1d, 0x98, 0x39, 0x01, 0x00, 0x00,
		0xe7, 0x36, 0xf6, 0x9c, 0x39, 0x01, 0x00, 0x00,
		0xe2, 0x00, 0x00, 0x00,
		0x03, 0x00, 0xa4, 0x04, 0x00, 0x00, 0x00, 0x00,
		0x1d, 0x16, 0x00, 0x00,
	};
	struct cfs_pbtree_value v;
	uint8_t again[CFS_PBTREE_VALUE_BYTES];

	(void)state;
	cfs_pbtree_value_decode(raw, &v);
	assert_int_equal(v.segment, 1346876860779);
	assert_int_equal(v.date_ms, 1346958145255);
	assert_int_equal(v.partition, 226);
	assert_int_equal(v.offset, 77856771);
	assert_int_equal(v.length, 5661);
	cfs_pbtree_value_encode(&v, again);
	assert_memory_equal(again, raw, sizeof(raw));
}

UNIT_PROGRAM
{
	UNIT_ROWS_BY(url_cases, url, url_to_key);
	UNIT_ROWS_BY(split_cases, key, split_key);
	for (size_t i = 0; i < COUNT(runs_cases); i++)
		unit_add(runs_cases[i].runs ? runs_cases[i].runs : "no runs",
			 runs_of, &runs_cases[i]);
	UNIT_TEST(no_key);
	UNIT_TEST(limits);
	UNIT_TEST(impossible);
	UNIT_TEST(property);
	UNIT_TEST(round_trips);
	UNIT_TEST(value_example);
	return unit_run("pbtree_key");
}

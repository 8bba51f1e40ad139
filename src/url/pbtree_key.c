/* pbtree_key.c - keys of a PB-tree: from URLs, to tree components, and back.
 *
 *     key = reversed-host path ['?' query] [':' tail] ':' scheme
 *
 * Spec: doc/formats.md, "PB-tree keys"; doc/design.md, "Names in the tree".
 *
 * From a URL: it is cut as Python's urlsplit cuts it (authority up to the
 * first of "/?#", fragment off at '#', query at '?').  The authority is split
 * at ':'; the first piece is the host, and only if there are exactly two
 * pieces the second is the tail.
 *
 * To components: the scheme is http, https or ftp.  Before it one tail is
 * stripped if it can have come from an authority: a decimal number 1 to 65535
 * (leading zeros allowed), or a text with '@' and without any of "/?#".  The
 * host ends at the first of "/?:" and is split at each '.'; the rest, less
 * one leading '/', is split at each '/'.  So `h:http`, `h/:http` and
 * `h:80:http` are one page, and so are `h?q:http` and `h/?q:http`.
 * Segments "." and ".." read "%2E" and "%2E%2E".
 *
 * Back: a page has up to 2 spellings (with and without the first '/') times
 * 2 for each of its CFS_PBTREE_ALIAS_MAX dot segments; each is a run of keys.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pbtree_key.h"

#include <assert.h>
#include <string.h>

/* "https://" is two bytes longer than ":https". */
#define KEY_MAX (CFS_URL_MAX - 2)

static uint8_t scheme_of(struct cfs_slice s)
{
	if (cfs_slice_eq(s, CFS_SLICE_LIT("http")))
		return CFS_SCHEME_HTTP;
	if (cfs_slice_eq(s, CFS_SLICE_LIT("https")))
		return CFS_SCHEME_HTTPS;
	if (cfs_slice_eq(s, CFS_SLICE_LIT("ftp")))
		return CFS_SCHEME_FTP;
	return CFS_SCHEME_NONE;
}

static bool is_tail(struct cfs_slice s)
{
	uint64_t port;

	if (cfs_slice_parse_u64(s, 65535, &port) == CFS_OK)
		return port > 0;
	return cfs_slice_find(s, '@') >= 0 && cfs_slice_find_any(s, 0, "/?#") == s.n;
}

int cfs_pbtree_key_parse(struct cfs_slice key, struct cfs_pbtree_key *out)
{
	struct cfs_slice rest;
	ptrdiff_t colon = cfs_slice_rfind(key, ':');

	if (colon < 0)
		return CFS_ENOTFOUND;
	out->scheme = cfs_slice_from(key, (size_t)colon + 1);
	rest = cfs_slice_sub(key, 0, (size_t)colon);
	colon = cfs_slice_rfind(rest, ':');
	out->tail = CFS_SLICE_EMPTY;
	if (colon >= 0)
		out->tail = cfs_slice_from(rest, (size_t)colon + 1);
	out->has_tail = colon >= 0 && is_tail(out->tail);
	if (out->has_tail)
		rest = cfs_slice_sub(rest, 0, (size_t)colon);
	else
		out->tail = CFS_SLICE_EMPTY;
	out->host = cfs_slice_sub(rest, 0, cfs_slice_find_any(rest, 0, "/?:"));
	out->path = cfs_slice_from(rest, out->host.n);
	return scheme_of(out->scheme) ? CFS_OK : CFS_ENOTFOUND;
}

uint8_t cfs_pbtree_key_scheme(struct cfs_slice key)
{
	ptrdiff_t colon = cfs_slice_rfind(key, ':');

	return scheme_of(cfs_slice_from(key, (size_t)(colon + 1)));
}

static bool is_alias(struct cfs_slice s)
{
	return cfs_slice_eq(s, CFS_PATH_DOT) || cfs_slice_eq(s, CFS_PATH_DOTS);
}

/* Gives dot segments the names a directory can have. */
static int name_dots(struct cfs_path *path)
{
	unsigned aliases = 0;

	for (unsigned i = path->host_n + 1; i < path->n; i++) {
		struct cfs_slice *s = &path->comp[i];

		*s = cfs_path_name_dots(*s);
		if (is_alias(*s) && ++aliases > CFS_PBTREE_ALIAS_MAX)
			return CFS_ENOTFOUND;
	}
	return CFS_OK;
}

int cfs_pbtree_split(struct cfs_slice key, struct cfs_path *out)
{
	struct cfs_pbtree_key k;
	int rc;

	out->n = out->host_n = 0;
	if (key.n > KEY_MAX || memchr(key.p, '\0', key.n) != NULL)
		return CFS_ENOTFOUND;
	rc = cfs_pbtree_key_parse(key, &k);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_path_add_pieces(out, k.host, '.');
	if (rc != CFS_OK || out->n == CFS_DEPTH_MAX)
		return CFS_ENOTFOUND;
	out->host_n = out->n;
	out->comp[out->n++] = CFS_SLICE_LIT("_");
	if (k.path.n > 0 && k.path.p[0] == '/')
		k.path = cfs_slice_from(k.path, 1);
	rc = cfs_path_add_pieces(out, k.path, '/');
	return rc == CFS_OK ? name_dots(out) : rc;
}

/* --- runs of keys --------------------------------------------------- */

/* Bytes of the longest spelling of a path with what may be added. */
static size_t spelling_max(const struct cfs_path *path)
{
	size_t n = 4;

	for (unsigned i = 0; i < path->n; i++)
		n += path->comp[i].n + 1;
	return n;
}

/* False if no key's components can be these. */
static bool path_is_possible(const struct cfs_path *path, unsigned *aliases)
{
	*aliases = 0;
	if (path->n > CFS_DEPTH_MAX || path->host_n > path->n ||
	    (path->host_n == 0 && path->n > 0))
		return false;
	for (unsigned i = 0; i < path->n; i++) {
		struct cfs_slice s = path->comp[i];

		if (i == path->host_n)
			continue;
		if (memchr(s.p, '\0', s.n) != NULL ||
		    cfs_slice_find_any(s, 0, i < path->host_n ? "./?:" : "/") < s.n)
			return false;
		if (i < path->host_n)
			continue;
		if (cfs_path_is_dots(s))
			return false;
		*aliases += is_alias(s);
	}
	return *aliases <= CFS_PBTREE_ALIAS_MAX;
}

/* Appends the joined labels of a path. */
static void add_host(struct cfs_buf *b, const struct cfs_path *path)
{
	for (unsigned i = 0; i < path->host_n; i++) {
		if (i > 0)
			cfs_buf_addc(b, '.');
		cfs_buf_add(b, path->comp[i]);
	}
}

/* Appends the segments; bit i of `mask` says that the i-th dot segment is
 * spelled with its dots. */
static void add_segments(struct cfs_buf *b, const struct cfs_path *path,
			 unsigned mask)
{
	for (unsigned i = path->host_n + 1; i < path->n; i++) {
		struct cfs_slice s = path->comp[i];

		if (i > path->host_n + 1)
			cfs_buf_addc(b, '/');
		if (is_alias(s)) {
			if (mask & 1)
				s = cfs_slice_eq(s, CFS_PATH_DOT) ?
					    CFS_SLICE_LIT(".") :
					    CFS_SLICE_LIT("..");
			mask >>= 1;
		}
		cfs_buf_add(b, s);
	}
}

/* The keys from those that begin with the bytes from `at` on and first up to
 * those that begin with them and last, which lie next to each other. */
static void add_run(struct cfs_ranges *r, size_t at, uint8_t first,
		    uint8_t last)
{
	uint8_t end = (uint8_t)(last + 1);

	cfs_ranges_add(r, at, cfs_slice_of(&first, 1), cfs_slice_of(&end, 1));
}

/* Everything of one host: its pages and, where asked for, its subdomains. */
static void host_runs(const struct cfs_path *path, bool subdomains,
		      struct cfs_ranges *out)
{
	static const uint8_t firsts[] = { '/', ':', '?' };

	for (unsigned i = 0; i < sizeof(firsts); i++) {
		size_t at = out->bytes.n;
		uint8_t first = firsts[i];

		add_host(&out->bytes, path);
		if (subdomains && first == '/')
			add_run(out, at, '.', '/');	/* 2E, 2F */
		else
			add_run(out, at, first, first);
	}
}

static void segment_runs(const struct cfs_path *path, enum cfs_below below,
			 unsigned aliases, struct cfs_ranges *out)
{
	struct cfs_slice s = path->comp[path->host_n + 1];
	uint8_t end = below == CFS_BELOW_DIR ? '/' : ':';
	bool slashless = s.n > 0 ? s.p[0] == '?' || s.p[0] == ':' :
		below == CFS_BELOW_PAGE && path->n == path->host_n + 2;

	for (unsigned mask = 0; mask < 1u << aliases; mask++) {
		for (int slash = slashless ? 0 : 1; slash < 2; slash++) {
			size_t at = out->bytes.n;

			add_host(&out->bytes, path);
			if (slash)
				cfs_buf_addc(&out->bytes, '/');
			add_segments(&out->bytes, path, mask);
			add_run(out, at, end, end);
		}
	}
}

/* Puts the runs in order; joins those that touch. */
static void sort_runs(struct cfs_ranges *r)
{
	unsigned n = 0;

	for (unsigned i = 1; i < r->n; i++) {
		struct cfs_range v = r->v[i];
		unsigned j = i;

		for (; j > 0 && cfs_slice_cmp(r->v[j - 1].lo, v.lo) > 0; j--)
			r->v[j] = r->v[j - 1];
		r->v[j] = v;
	}
	for (unsigned i = 0; i < r->n; i++) {
		if (n > 0 && cfs_slice_cmp(r->v[i].lo, r->v[n - 1].hi) <= 0) {
			if (cfs_slice_cmp(r->v[i].hi, r->v[n - 1].hi) > 0)
				r->v[n - 1].hi = r->v[i].hi;
			continue;
		}
		r->v[n++] = r->v[i];
	}
	r->n = n;
}

int cfs_pbtree_ranges(const struct cfs_path *path, enum cfs_below below,
		      struct cfs_ranges *out)
{
	unsigned aliases;
	size_t n, need;

	out->n = 0;
	cfs_buf_reset(&out->bytes);
	if (!path_is_possible(path, &aliases) ||
	    (below == CFS_BELOW_PAGE && path->n < path->host_n + 2))
		return CFS_ENOTFOUND;
	if (path->n == 0) {
		cfs_ranges_add_all(out);
		return CFS_OK;
	}
	n = spelling_max(path);
	if (n > KEY_MAX + 4)
		return CFS_ENOTFOUND;
	/* Slices point into the buffer, so it must not move from here on. */
	need = 2 * n * ((2u << aliases) + 1);
	if (cfs_buf_reserve(&out->bytes, need) != CFS_OK)
		return CFS_ENOMEM;
	if (path->n <= path->host_n + 1)
		host_runs(path, path->n == path->host_n, out);
	else
		segment_runs(path, below, aliases, out);
	assert(out->bytes.failed == CFS_OK && out->bytes.n <= need);
	sort_runs(out);
	return CFS_OK;
}

/* --- URLs ------------------------------------------------------------ */

int cfs_pbtree_url_key(struct cfs_slice url, struct cfs_buf *out)
{
	struct cfs_slice rest = url, net, path, host, tail = CFS_SLICE_EMPTY;
	enum cfs_scheme scheme;
	ptrdiff_t i, colon;

	if (url.n > CFS_URL_MAX || memchr(url.p, '\0', url.n) != NULL)
		return CFS_ENOTFOUND;
	scheme = cfs_url_take_scheme(&rest);
	if (scheme == CFS_SCHEME_NONE)
		return CFS_ENOTFOUND;
	net = cfs_slice_sub(rest, 0, cfs_slice_find_any(rest, 0, "/?#"));
	path = cfs_slice_from(rest, net.n);
	i = cfs_slice_find(path, '#');
	if (i >= 0)
		path.n = (size_t)i;
	i = cfs_slice_find(path, '?');
	if (i >= 0 && (size_t)i + 1 == path.n)
		path.n--;			/* an empty query */
	colon = cfs_slice_find(net, ':');
	host = cfs_slice_sub(net, 0, colon < 0 ? net.n : (size_t)colon);
	if (colon >= 0 && cfs_slice_rfind(net, ':') == colon)
		tail = cfs_slice_from(net, (size_t)colon);	/* with ':' */
	cfs_path_reverse_labels(out, host, '.', '.');
	cfs_buf_add(out, path);
	cfs_buf_add(out, tail);
	cfs_buf_addc(out, ':');
	return cfs_buf_adds(out, cfs_scheme_name(scheme));
}

int cfs_pbtree_key_url(struct cfs_slice key, struct cfs_buf *out)
{
	struct cfs_pbtree_key k;
	int rc = cfs_pbtree_key_parse(key, &k);
	ptrdiff_t query;

	if (rc != CFS_OK)
		return rc;
	query = cfs_slice_find(k.path, '?');
	if (k.has_tail && query >= 0 && (size_t)query + 1 == k.path.n) {
		/* keys have no empty query: this is `h/?:80`, not `h:80/?` */
		k.path.n += 1 + k.tail.n;
		k.has_tail = false;
	}
	cfs_buf_add(out, k.scheme);
	cfs_buf_adds(out, "://");
	cfs_path_reverse_labels(out, k.host, '.', '.');
	if (k.has_tail) {
		cfs_buf_addc(out, ':');
		cfs_buf_add(out, k.tail);
	}
	return cfs_buf_add(out, k.path);
}

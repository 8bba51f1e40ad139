/* pbtree_key.c - keys of a PB-tree: from URLs, to tree components and ranges,
 * and back to URLs.
 *
 *     key = reversed-host path ['?' query] [':' tail] ':' scheme
 *
 * Spec: doc/formats.md, "PB-tree keys"; doc/tree.md, "Names in the tree".
 *
 * From a URL: it is split like Python's urlsplit does (authority up to the
 * first of "/?#", fragment from '#', query from '?').  The authority is split
 * at ':'; the first field is the host, and if there are exactly two fields the
 * second is the tail.
 *
 * To components: the scheme is http, https or ftp.  The tail before it is
 * removed if it can have come from an authority: a decimal number 1 to 65535
 * (leading zeros allowed), or a text with '@' and without any of "/?#".  The
 * host ends at the first of "/?:" and is split at each '.'; the rest, less
 * one leading '/', is split at each '/'.  So `h:http`, `h/:http` and
 * `h:80:http` are one page, and so are `h?q:http` and `h/?q:http`.
 * Segments "." and ".." become "%2E" and "%2E%2E".
 *
 * To ranges: a page has up to 2 spellings (with and without the first '/')
 * times 2 for each of its dot segments, at most CFS_PBTREE_ALIAS_MAX; each
 * spelling is a range of keys.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pbtree_key.h"

#include <assert.h>

/* "https://" is two bytes longer than ":https". */
#define KEY_MAX (CFS_URL_MAX - 2)

/* A key taken apart; slices borrow from it. */
struct key_parts {
	struct cfs_slice host;		/* reversed; may be empty */
	struct cfs_slice path;		/* path and query: begins with '/',
					 * '?' or ':', or is empty */
	struct cfs_slice tail;		/* without its ':' */
	bool has_tail;
	enum cfs_scheme scheme;
};

static bool is_tail(struct cfs_slice s)
{
	uint64_t port;

	if (cfs_slice_parse_u64(s, 65535, &port) == CFS_OK)
		return port > 0;
	return cfs_slice_find(s, '@') >= 0 &&
	       cfs_slice_find_any(s, 0, "/?#") == s.n;
}

/* Splits a key into its parts.  0, or CFS_ENOTFOUND if it is invalid. */
static int take_apart(struct cfs_slice key, struct key_parts *out)
{
	struct cfs_slice rest;
	ptrdiff_t colon = cfs_slice_rfind(key, ':');

	out->scheme = cfs_pbtree_key_scheme(key);
	if (colon < 0 || out->scheme == CFS_SCHEME_NONE)
		return CFS_ENOTFOUND;
	rest = cfs_slice_sub(key, 0, (size_t)colon);
	colon = cfs_slice_rfind(rest, ':');
	out->tail = cfs_slice_from(rest, (size_t)(colon + 1));
	out->has_tail = colon >= 0 && is_tail(out->tail);
	if (out->has_tail)
		rest.n = (size_t)colon;
	out->host = cfs_slice_sub(rest, 0, cfs_slice_find_any(rest, 0, "/?:"));
	out->path = cfs_slice_from(rest, out->host.n);
	return CFS_OK;
}

uint8_t cfs_pbtree_key_scheme(struct cfs_slice key)
{
	ptrdiff_t colon = cfs_slice_rfind(key, ':');

	return cfs_scheme_by_name(cfs_slice_from(key, (size_t)(colon + 1)));
}

/* The number of segments that may stand for dots. */
static unsigned count_aliases(const struct cfs_path *path)
{
	unsigned n = 0;

	for (unsigned i = path->host_n + 1; i < path->n; i++)
		n += cfs_path_is_alias(path->comp[i]);
	return n;
}

int cfs_pbtree_split(struct cfs_slice key, struct cfs_path *out)
{
	struct key_parts k;
	int rc;

	if (key.n > KEY_MAX || cfs_slice_find(key, '\0') >= 0)
		return CFS_ENOTFOUND;
	rc = take_apart(key, &k);
	if (rc != CFS_OK)
		return rc;
	if (k.path.n > 0 && k.path.p[0] == '/')
		k.path = cfs_slice_from(k.path, 1);
	rc = cfs_path_make(out, k.host, '.', k.path);
	if (rc != CFS_OK)
		return rc;
	for (unsigned i = out->host_n + 1; i < out->n; i++)
		out->comp[i] = cfs_path_name_dots(out->comp[i]);
	return count_aliases(out) > CFS_PBTREE_ALIAS_MAX ? CFS_ENOTFOUND : rc;
}

/* --- runs of keys --------------------------------------------------- */

/* Appends the segments; if bit i of `mask` is set, the i-th dot segment is
 * spelled with dots. */
static void add_segments(struct cfs_buf *b, const struct cfs_path *path,
			 unsigned mask)
{
	for (unsigned i = path->host_n + 1; i < path->n; i++) {
		struct cfs_slice s = path->comp[i];

		if (i > path->host_n + 1)
			cfs_buf_addc(b, '/');
		if (cfs_path_is_alias(s)) {
			if (mask & 1)
				s = cfs_path_spell_dots(s);
			mask >>= 1;
		}
		cfs_buf_add(b, s);
	}
}

/* Adds the range of keys that begin with the bytes from `at` on followed by a
 * byte from first to last. */
static void add_run(struct cfs_ranges *r, size_t at, uint8_t first,
		    uint8_t last)
{
	uint8_t end = (uint8_t)(last + 1);

	cfs_ranges_add(r, at, cfs_slice_of(&first, 1), cfs_slice_of(&end, 1));
}

/* Adds the ranges of a host: its pages and, if asked for, its subdomains. */
static void host_runs(const struct cfs_path *path, bool subdomains,
		      struct cfs_ranges *out)
{
	static const uint8_t firsts[] = { '/', ':', '?' };

	for (unsigned i = 0; i < sizeof(firsts); i++) {
		size_t at = out->bytes.n;
		uint8_t first = firsts[i];

		cfs_path_add_host(&out->bytes, path, '.');
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

			cfs_path_add_host(&out->bytes, path, '.');
			if (slash)
				cfs_buf_addc(&out->bytes, '/');
			add_segments(&out->bytes, path, mask);
			add_run(out, at, end, end);
		}
	}
}

/* Sorts the ranges, and merges those that touch. */
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
	unsigned aliases = count_aliases(path);
	size_t n = cfs_path_bytes(path) + 4, need;	/* 4: room for lo, hi */
	int rc = cfs_ranges_begin(out, path, below);

	if (rc != CFS_OK || path->n == 0)
		return rc;
	if (!cfs_path_is_possible(path, "./?:") ||
	    aliases > CFS_PBTREE_ALIAS_MAX || n > KEY_MAX + 4)
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

/* Takes the scheme like the builder of the published tree, which required
 * "://"; also in the other forms that browsers accept, if a host follows. */
static enum cfs_scheme take_scheme(struct cfs_slice *url)
{
	struct cfs_slice name = cfs_url_scheme(*url);
	struct cfs_slice rest = cfs_slice_from(*url, name.n);
	enum cfs_scheme scheme = cfs_url_take_scheme(url);

	if (scheme != CFS_SCHEME_NONE && name.n > 0 &&
	    cfs_slice_starts(rest, CFS_SLICE_LIT("://")))
		*url = cfs_slice_from(rest, 3);
	else if (cfs_slice_find_any(*url, 0, "/?#") == 0)
		return CFS_SCHEME_NONE;
	return scheme;
}

int cfs_pbtree_url_key(struct cfs_slice url, struct cfs_buf *out)
{
	struct cfs_slice rest = url, net, path, tail = CFS_SLICE_EMPTY;
	enum cfs_scheme scheme = take_scheme(&rest);
	ptrdiff_t query, colon;

	if (url.n > CFS_URL_MAX || cfs_slice_find(url, '\0') >= 0 ||
	    scheme == CFS_SCHEME_NONE)
		return CFS_ENOTFOUND;
	net = cfs_slice_sub(rest, 0, cfs_slice_find_any(rest, 0, "/?#"));
	path = cfs_slice_from(rest, net.n);
	path = cfs_slice_split(&path, '#');
	query = cfs_slice_find(path, '?');
	if (query >= 0 && (size_t)query + 1 == path.n)
		path.n--;			/* an empty query */
	colon = cfs_slice_find(net, ':');
	if (colon >= 0 && cfs_slice_rfind(net, ':') == colon)
		tail = cfs_slice_from(net, (size_t)colon);	/* with ':' */
	cfs_path_reverse_labels(out, cfs_slice_split(&net, ':'), '.', '.');
	cfs_buf_add(out, path);
	cfs_buf_add(out, tail);
	cfs_buf_addc(out, ':');
	return cfs_buf_adds(out, cfs_scheme_name(scheme));
}

int cfs_pbtree_key_url(struct cfs_slice key, struct cfs_buf *out)
{
	struct key_parts k;
	int rc = take_apart(key, &k);
	ptrdiff_t query;

	if (rc != CFS_OK)
		return rc;
	query = cfs_slice_find(k.path, '?');
	if (k.has_tail && query >= 0 && (size_t)query + 1 == k.path.n) {
		/* keys never have an empty query, so this is `h/?:80` and not
		 * `h:80/?` */
		k.path.n += 1 + k.tail.n;
		k.has_tail = false;
	}
	cfs_buf_adds(out, cfs_scheme_name(k.scheme));
	cfs_buf_adds(out, "://");
	cfs_path_reverse_labels(out, k.host, '.', '.');
	if (k.has_tail) {
		cfs_buf_addc(out, ':');
		cfs_buf_add(out, k.tail);
	}
	return cfs_buf_add(out, k.path);
}

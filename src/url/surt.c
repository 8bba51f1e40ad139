/* surt.c - SURT keys to tree components and back (see surt.h).
 *
 * Byte order around a host: ')' 29 < ',' 2C < digits < ':' 3A.  So its pages
 * come before its subdomains, both before hosts such as example-x and
 * example0, and its ports after those.
 *
 * Segments "." and ".." (from queries that hold slashes) are named "%2E" and
 * "%2E%2E", which no key holds itself: a canonical one is unescaped, and in
 * lower case.  Elsewhere: URLs to keys (surt_url.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "surt.h"

#include <assert.h>
#include <string.h>

static const struct cfs_slice dot = { (const uint8_t *)".", 1 };
static const struct cfs_slice dots = { (const uint8_t *)"..", 2 };
static const struct cfs_slice dot_alias = { (const uint8_t *)"%2E", 3 };
static const struct cfs_slice dots_alias = { (const uint8_t *)"%2E%2E", 6 };

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_dots(struct cfs_slice s)
{
	return cfs_slice_eq(s, dot) || cfs_slice_eq(s, dots);
}

/* Host, port (with its ':', or empty) and path of a key. */
struct parts {
	struct cfs_slice host, port, path;
};

static int take_apart(struct cfs_slice key, struct parts *out)
{
	ptrdiff_t close = cfs_slice_find(key, ')'), colon;

	if (close < 0 || key.p[0] == '(')
		return CFS_ENOTFOUND;
	out->host = cfs_slice_sub(key, 0, (size_t)close);
	out->path = cfs_slice_from(key, (size_t)close + 1);
	out->port = CFS_SLICE_EMPTY;
	if (out->path.n == 0 || out->path.p[0] != '/' ||
	    cfs_slice_find(out->host, '/') >= 0)
		return CFS_ENOTFOUND;
	colon = cfs_slice_find(out->host, ':');
	if (colon >= 0 && colon == cfs_slice_rfind(out->host, ':') &&
	    (size_t)colon + 1 < out->host.n && is_digit(out->host.p[colon + 1])) {
		out->port = cfs_slice_from(out->host, (size_t)colon);
		out->host.n = (size_t)colon;
	}
	return CFS_OK;
}

/* Adds the pieces of s between separators to the components. */
static int add_pieces(struct cfs_slice s, uint8_t sep, struct cfs_path *out)
{
	ptrdiff_t at;

	do {
		struct cfs_slice piece = s;

		at = cfs_slice_find(s, sep);
		if (at >= 0)
			piece.n = (size_t)at;
		if (out->n == CFS_DEPTH_MAX)
			return CFS_ENOTFOUND;
		out->comp[out->n++] = piece;
		s = cfs_slice_from(s, (size_t)(at + 1));
	} while (at >= 0);
	return CFS_OK;
}

/* Gives dot segments the names a directory can have. */
static int name_dots(struct cfs_slice *s)
{
	if (s->n > dots_alias.n)
		return CFS_OK;
	if (cfs_slice_eq(*s, dot_alias) || cfs_slice_eq(*s, dots_alias))
		return CFS_ENOTFOUND;
	if (cfs_slice_eq(*s, dot))
		*s = dot_alias;
	else if (cfs_slice_eq(*s, dots))
		*s = dots_alias;
	return CFS_OK;
}

int cfs_surt_split(struct cfs_slice key, struct cfs_path *out)
{
	struct parts k;
	int rc;

	out->n = out->host_n = 0;
	if (key.n == 0 || key.n > CFS_KEY_MAX || cfs_slice_find(key, '\0') >= 0)
		return CFS_ENOTFOUND;
	rc = take_apart(key, &k);
	if (rc == CFS_OK)
		rc = add_pieces(k.host, ',', out);
	for (unsigned i = 0; rc == CFS_OK && i < out->n; i++)
		if (is_dots(out->comp[i]))
			rc = CFS_ENOTFOUND;
	if (rc != CFS_OK || out->n == CFS_DEPTH_MAX)
		return CFS_ENOTFOUND;
	out->host_n = out->n;
	out->comp[out->n++] = CFS_SLICE_LIT("_");
	rc = add_pieces(cfs_slice_from(k.path, 1), '/', out);
	for (unsigned i = out->host_n + 1; rc == CFS_OK && i < out->n; i++)
		rc = name_dots(&out->comp[i]);
	return rc;
}

int cfs_surt_url(struct cfs_slice key, struct cfs_buf *out)
{
	struct cfs_slice host;
	struct parts k;
	ptrdiff_t comma;
	int rc = take_apart(key, &k);

	if (rc != CFS_OK)
		return rc;
	host = k.host;
	cfs_buf_adds(out, "http://");
	if (cfs_slice_find(host, ':') >= 0 && host.p[0] != '[') {
		cfs_buf_addc(out, '[');		/* IPv6 */
		cfs_buf_add(out, host);
		cfs_buf_addc(out, ']');
		return cfs_buf_add(out, k.path);
	}
	while ((comma = cfs_slice_rfind(host, ',')) >= 0) {
		cfs_buf_add(out, cfs_slice_from(host, (size_t)comma + 1));
		cfs_buf_addc(out, '.');
		host.n = (size_t)comma;
	}
	cfs_buf_add(out, host);
	cfs_buf_add(out, k.port);
	return cfs_buf_add(out, k.path);
}

/* ---- runs of keys ---- */

bool cfs_surt_needs_ports(const struct cfs_path *path)
{
	return path->n > path->host_n + 1;
}

int cfs_surt_add_host(const struct cfs_path *path, struct cfs_buf *out)
{
	for (unsigned i = 0; i < path->host_n; i++) {
		if (i > 0)
			cfs_buf_addc(out, ',');
		cfs_buf_add(out, path->comp[i]);
	}
	return out->failed;
}

/* False if no key's components can be these. */
static bool is_possible(const struct cfs_path *path)
{
	if (path->n > CFS_DEPTH_MAX || path->host_n > path->n ||
	    (path->host_n == 0 && path->n > 0))
		return false;
	for (unsigned i = 0; i < path->n; i++) {
		struct cfs_slice s = path->comp[i];

		if (i == path->host_n)
			continue;
		if (cfs_slice_find(s, '\0') >= 0 ||
		    cfs_slice_find(s, '/') >= 0 || is_dots(s))
			return false;
		if (i < path->host_n && (cfs_slice_find(s, ',') >= 0 ||
					 cfs_slice_find(s, ')') >= 0))
			return false;
	}
	return path->n == 0 || path->comp[0].n == 0 ||
	       path->comp[0].p[0] != '(';
}

static void add_segments(struct cfs_buf *b, const struct cfs_path *path)
{
	for (unsigned i = path->host_n + 1; i < path->n; i++) {
		struct cfs_slice s = path->comp[i];

		cfs_buf_addc(b, '/');
		cfs_buf_add(b, cfs_slice_eq(s, dot_alias) ? dot :
			       cfs_slice_eq(s, dots_alias) ? dots : s);
	}
}

/* The keys from b[at..] + lo up to b[at..] + hi; lo_n may be 0. */
static void add_run(struct cfs_ranges *r, size_t at, struct cfs_slice lo,
		    struct cfs_slice hi)
{
	struct cfs_buf *b = &r->bytes;
	size_t n = b->n - at;

	assert(r->n < CFS_RANGES_MAX);
	cfs_buf_add(b, lo);
	cfs_buf_append(b, b->p + at, n);	/* room was made before */
	cfs_buf_add(b, hi);
	if (b->failed != CFS_OK)
		return;
	r->v[r->n++] = (struct cfs_range){
		.lo = { b->p + at, n + lo.n },
		.hi = { b->p + at + n + lo.n, n + hi.n },
	};
}

static void host_runs(const struct cfs_path *path, struct cfs_ranges *out)
{
	size_t at = out->bytes.n;
	bool subdomains = path->n == path->host_n;

	cfs_surt_add_host(path, &out->bytes);
	add_run(out, at, CFS_SLICE_LIT(")"),		/* 29 .. 2C */
		subdomains ? CFS_SLICE_LIT("-") : CFS_SLICE_LIT("*"));
	at = out->bytes.n;
	cfs_surt_add_host(path, &out->bytes);
	add_run(out, at, CFS_SLICE_LIT(":0"), CFS_SLICE_LIT("::"));
}

/* One run: below a directory, or of a page, on one port. */
static void segment_run(const struct cfs_path *path, enum cfs_below below,
			struct cfs_slice port, struct cfs_ranges *out)
{
	size_t at = out->bytes.n;

	cfs_surt_add_host(path, &out->bytes);
	if (port.n > 0) {
		cfs_buf_addc(&out->bytes, ':');
		cfs_buf_add(&out->bytes, port);
	}
	cfs_buf_addc(&out->bytes, ')');
	add_segments(&out->bytes, path);
	if (below == CFS_BELOW_DIR)
		add_run(out, at, CFS_SLICE_LIT("/"), CFS_SLICE_LIT("0"));
	else
		add_run(out, at, CFS_SLICE_EMPTY, CFS_SLICE_LIT("\0"));
}

static void segment_runs(const struct cfs_path *path, enum cfs_below below,
			 const struct cfs_surt_ports *ports,
			 struct cfs_ranges *out)
{
	segment_run(path, below, CFS_SLICE_EMPTY, out);
	for (unsigned i = 0; ports != NULL && i < ports->n; i++)
		segment_run(path, below, cfs_slice_of(ports->text[i],
						      ports->len[i]), out);
	if (ports != NULL && ports->more) {
		size_t at = out->bytes.n, n;

		/* too many to tell apart: the caller compares */
		cfs_surt_add_host(path, &out->bytes);
		n = out->bytes.n - at;
		cfs_buf_addc(&out->bytes, ':');
		cfs_buf_append(&out->bytes, ports->rest, ports->rest_len);
		out->v[out->n].lo = cfs_slice_of(out->bytes.p + at,
						 out->bytes.n - at);
		at = out->bytes.n;
		cfs_buf_append(&out->bytes, out->v[out->n].lo.p, n);
		cfs_buf_adds(&out->bytes, "::");
		out->v[out->n].hi = cfs_slice_of(out->bytes.p + at, n + 2);
		out->v[out->n].hi_open = false;
		out->n++;
	}
}

int cfs_surt_ranges(const struct cfs_path *path, enum cfs_below below,
		    const struct cfs_surt_ports *ports,
		    struct cfs_ranges *out)
{
	size_t n = 8, runs = 3 + (ports != NULL ? ports->n : 0);

	out->n = 0;
	cfs_buf_reset(&out->bytes);
	if (!is_possible(path) ||
	    (below == CFS_BELOW_PAGE && path->n < path->host_n + 2))
		return CFS_ENOTFOUND;
	if (path->n == 0) {
		out->v[out->n++] = (struct cfs_range){
			CFS_SLICE_EMPTY, CFS_SLICE_EMPTY, true };
		return CFS_OK;
	}
	for (unsigned i = 0; i < path->n; i++)
		n += path->comp[i].n + 1;
	if (n > CFS_KEY_MAX)
		return CFS_ENOTFOUND;
	/* Slices point into the buffer, so it must not move from here on. */
	if (cfs_buf_reserve(&out->bytes, 2 * runs *
			    (n + CFS_SURT_PORT_BYTES)) != CFS_OK)
		return CFS_ENOMEM;
	if (path->n <= path->host_n + 1)
		host_runs(path, out);
	else
		segment_runs(path, below, ports, out);
	assert(out->bytes.failed == CFS_OK);
	return CFS_OK;
}

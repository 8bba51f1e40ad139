/* surt.c - SURT keys to tree components, ranges and URLs.
 *
 * Byte order around a host: ')' 29 < ',' 2C < digits < ':' 3A.  So the pages of
 * a host come before its subdomains, both before hosts such as example-x and
 * example0, and its ports after those.
 *
 * Segments "." and ".." (from queries with slashes) are named "%2E" and
 * "%2E%2E", which no key contains itself: a canonical key is unescaped, and in
 * lower case.  For URLs to keys see surt_url.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "surt.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"

/* The host, port (with its ':', or empty) and path of a key. */
struct url_parts {
	struct cfs_slice host, port, path;
};

static int take_apart(struct cfs_slice key, struct url_parts *out)
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
	    (size_t)colon + 1 < out->host.n &&
	    cfs_is_digit(out->host.p[colon + 1])) {
		out->port = cfs_slice_from(out->host, (size_t)colon);
		out->host.n = (size_t)colon;
	}
	return CFS_OK;
}

int cfs_surt_split(struct cfs_slice key, struct cfs_path *out)
{
	struct url_parts k;
	int rc;

	if (key.n == 0 || key.n > CFS_KEY_MAX || cfs_slice_find(key, '\0') >= 0)
		return CFS_ENOTFOUND;
	rc = take_apart(key, &k);
	if (rc == CFS_OK)
		rc = cfs_path_make(out, k.host, ',', cfs_slice_from(k.path, 1));
	for (unsigned i = 0; rc == CFS_OK && i < out->n; i++) {
		struct cfs_slice *s = &out->comp[i];

		if (i < out->host_n ? cfs_path_is_dots(*s) :
				      i > out->host_n && cfs_path_is_alias(*s))
			rc = CFS_ENOTFOUND;
		*s = cfs_path_name_dots(*s);
	}
	return rc;
}

int cfs_surt_url(struct cfs_slice key, struct cfs_buf *out)
{
	struct url_parts k;
	int rc = take_apart(key, &k);

	if (rc != CFS_OK)
		return rc;
	cfs_buf_adds(out, "http://");
	if (cfs_slice_find(k.host, ':') >= 0 && k.host.p[0] != '[') {
		cfs_buf_addc(out, '[');		/* IPv6 */
		cfs_buf_add(out, k.host);
		cfs_buf_addc(out, ']');
	} else {
		cfs_path_reverse_labels(out, k.host, ',', '.');
		cfs_buf_add(out, k.port);
	}
	return cfs_buf_add(out, k.path);
}

/* ---- runs of keys ---- */

bool cfs_surt_needs_ports(const struct cfs_path *path)
{
	return path->n > path->host_n + 1;
}

static void add_segments(struct cfs_buf *b, const struct cfs_path *path)
{
	for (unsigned i = path->host_n + 1; i < path->n; i++) {
		cfs_buf_addc(b, '/');
		cfs_buf_add(b, cfs_path_spell_dots(path->comp[i]));
	}
}

static void host_runs(const struct cfs_path *path, struct cfs_ranges *out)
{
	size_t at = out->bytes.n;
	bool subdomains = path->n == path->host_n;

	cfs_path_add_host(&out->bytes, path, ',');
	cfs_ranges_add(out, at, CFS_SLICE_LIT(")"),		/* 29 .. 2C */
		subdomains ? CFS_SLICE_LIT("-") : CFS_SLICE_LIT("*"));
	at = out->bytes.n;
	cfs_path_add_host(&out->bytes, path, ',');
	cfs_ranges_add(out, at, CFS_SLICE_LIT(":0"), CFS_SLICE_LIT("::"));
}

/* Adds the range below a directory, or of a page, on one port. */
static void segment_run(const struct cfs_path *path, enum cfs_below below,
			struct cfs_slice port, struct cfs_ranges *out)
{
	size_t at = out->bytes.n;

	cfs_path_add_host(&out->bytes, path, ',');
	if (port.n > 0) {
		cfs_buf_addc(&out->bytes, ':');
		cfs_buf_add(&out->bytes, port);
	}
	cfs_buf_addc(&out->bytes, ')');
	add_segments(&out->bytes, path);
	if (below == CFS_BELOW_DIR)
		cfs_ranges_add(out, at, CFS_SLICE_LIT("/"), CFS_SLICE_LIT("0"));
	else
		cfs_ranges_add(out, at, CFS_SLICE_EMPTY, CFS_SLICE_LIT("\0"));
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
		uint8_t lo[1 + CFS_SURT_PORT_BYTES] = ":";
		size_t at = out->bytes.n;

		/* too many ports to list: the range has other paths too, and
		 * the caller compares */
		cfs_path_add_host(&out->bytes, path, ',');
		memcpy(lo + 1, ports->rest, ports->rest_len);
		cfs_ranges_add(out, at, cfs_slice_of(lo, 1u + ports->rest_len),
			       CFS_SLICE_LIT("::"));
	}
}

int cfs_surt_ranges(const struct cfs_path *path, enum cfs_below below,
		    const struct cfs_surt_ports *ports, struct cfs_ranges *out)
{
	size_t n = 8 + cfs_path_bytes(path);
	size_t runs = 3 + (ports != NULL ? ports->n : 0);
	int rc = cfs_ranges_begin(out, path, below);

	if (rc != CFS_OK || path->n == 0)
		return rc;
	/* keys of pages do not begin with '(' */
	if (!cfs_path_is_possible(path, "/,)") || n > CFS_KEY_MAX ||
	    cfs_slice_starts(path->comp[0], CFS_SLICE_LIT("(")))
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

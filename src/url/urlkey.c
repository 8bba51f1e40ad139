/* urlkey.c - URLs to keys of crawlfs indexes and back (see urlkey.h).
 *
 *     key   = label *(NUL label) NUL "_" 1*(NUL segment)
 *     label = a host label, outermost first; one that begins with '_' gets
 *             another '_' in front
 *     segment = the text between two slashes of path, query and fragment
 * For schemes other than http, https and ftp, the first label is the name of
 * the scheme with a colon; no label of a host ends in one.
 * No component contains NUL or '/', none is "." or "..", and the first label is
 * not empty: cfs_urlkey_split rejects keys that cfs_urlkey_encode cannot make.
 *
 * For names in the mounted tree, components are escaped (crawl/names.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "urlkey.h"

#include <assert.h>

static void add_label(struct cfs_buf *out, struct cfs_slice label)
{
	if (label.n > 0 && label.p[0] == '_')
		cfs_buf_addc(out, '_');
	cfs_buf_add_lower(out, label);
	cfs_buf_addc(out, 0);
}

/* Appends the label of another scheme, if `name` is not empty; returns the
 * number of labels. */
static unsigned add_scheme(struct cfs_buf *out, struct cfs_slice name)
{
	if (name.n == 0)
		return 0;
	cfs_buf_add_lower(out, name);
	cfs_buf_append(out, ":", 2);	/* and a NUL */
	return 1;
}

/* The scheme that the first label stands for, which then ends in a colon.
 * Empty if it is a label of a host. */
static struct cfs_slice scheme_label(const struct cfs_path *path)
{
	struct cfs_slice c = path->comp[0];

	return c.n > 1 && c.p[c.n - 1] == ':' ?
	       cfs_slice_sub(c, 0, c.n - 1) : CFS_SLICE_EMPTY;
}

/* Appends every label with a NUL behind it; returns their number. */
static unsigned add_host(struct cfs_buf *out, struct cfs_slice host)
{
	unsigned n = 0;
	ptrdiff_t dot;

	host = cfs_url_trim_host(host);
	if (host.n == 0)
		return 0;
	if (host.p[0] == '[' &&
	    cfs_slice_find(host, ']') == (ptrdiff_t)host.n - 1) {
		add_label(out, host);
		return 1;
	}
	do {
		dot = cfs_slice_rfind(host, '.');
		add_label(out, cfs_slice_from(host, (size_t)(dot + 1)));
		host = cfs_slice_sub(host, 0, (size_t)dot);
		n++;
	} while (dot >= 0 && n <= CFS_DEPTH_MAX);
	return n;
}

/* Takes the segment before the next slash.  If *both, a backslash counts too,
 * until query or fragment begin, where *both becomes false. */
static struct cfs_slice take_segment(struct cfs_slice *path, bool *both)
{
	size_t n = *both ? cfs_url_find_slash(*path, true) :
			   cfs_slice_find_any(*path, 0, "/");
	struct cfs_slice seg;

	if (n < path->n && (path->p[n] == '?' || path->p[n] == '#')) {
		*both = false;
		n = cfs_slice_find_any(*path, n, "/");
	}
	seg = cfs_slice_sub(*path, 0, n);
	*path = cfs_slice_from(*path, n + 1);
	return seg;
}

/* Appends every segment with a NUL before it; returns their number. */
static unsigned add_path(struct cfs_buf *out, struct cfs_slice path, bool both)
{
	unsigned n = 0;
	bool more;

	if (path.n > 0 && (path.p[0] == '/' || (both && path.p[0] == '\\')))
		path = cfs_slice_from(path, 1);
	do {
		size_t left = path.n;
		struct cfs_slice seg = take_segment(&path, &both);

		more = seg.n < left;
		cfs_buf_addc(out, 0);
		cfs_buf_add(out, cfs_path_name_dots(seg));
		n++;
	} while (more && n <= CFS_DEPTH_MAX);
	return n;
}

int cfs_urlkey_encode(struct cfs_slice url, struct cfs_buf *out)
{
	struct cfs_url u;
	size_t before = out->n;
	unsigned depth;
	int rc = cfs_url_parse_any(url, &u);

	if (rc != CFS_OK)
		return rc;
	depth = add_scheme(out, u.other) + add_host(out, u.host);
	cfs_buf_addc(out, '_');
	depth += 1 + add_path(out, u.path, u.has_backslashes);
	rc = depth > CFS_DEPTH_MAX ? CFS_ELIMIT : out->failed;
	if (rc != CFS_OK)
		out->n = before;
	else
		assert(out->n - before <= CFS_KEY_MAX);
	return rc;
}

int cfs_urlkey_split(struct cfs_slice key, struct cfs_path *out)
{
	bool in_host = true, more;
	unsigned n = 0;

	out->n = out->host_n = 0;
	if (key.n == 0 || key.p[0] == 0 || cfs_slice_find(key, '/') >= 0)
		return CFS_ENOTFOUND;
	do {
		size_t left = key.n;
		struct cfs_slice c = cfs_slice_split(&key, 0);

		more = c.n < left;
		if (n == CFS_DEPTH_MAX || cfs_path_is_dots(c))
			return CFS_ENOTFOUND;
		if (in_host && c.n == 1 && c.p[0] == '_') {
			in_host = false;
			out->host_n = n;
		} else if (in_host && c.n > 0 && c.p[0] == '_') {
			if (c.p[1] != '_')
				return CFS_ENOTFOUND;
			c = cfs_slice_from(c, 1);
		}
		out->comp[n++] = c;
	} while (more);
	if (in_host || out->host_n == 0 || n < out->host_n + 2)
		return CFS_ENOTFOUND;
	out->n = n;
	return CFS_OK;
}

int cfs_urlkey_split_below(struct cfs_slice key, const struct cfs_path *dir,
			   struct cfs_slice below, struct cfs_path *out)
{
	struct cfs_slice rest = cfs_slice_from(key, below.n);
	size_t at = 0;
	unsigned n = dir->n;
	bool more;

	if (n <= dir->host_n || cfs_slice_find(rest, '/') >= 0)
		return CFS_ENOTFOUND;
	for (unsigned i = 0; i < n; i++) {
		struct cfs_slice c = dir->comp[i];

		/* with another '_' before it in the key */
		at += i < dir->host_n && c.n > 0 && c.p[0] == '_';
		out->comp[i] = cfs_slice_of(key.p + at, c.n);
		at += c.n + 1;
	}
	if (at != below.n)
		return CFS_ENOTFOUND;
	do {
		ptrdiff_t end = cfs_slice_find(rest, 0);
		struct cfs_slice c = rest;

		more = end >= 0;
		if (more) {
			c = cfs_slice_sub(rest, 0, (size_t)end);
			rest = cfs_slice_from(rest, (size_t)end + 1);
		}
		if (n == CFS_DEPTH_MAX || cfs_path_is_dots(c))
			return CFS_ENOTFOUND;
		out->comp[n++] = c;
	} while (more);
	out->host_n = dir->host_n;
	out->n = n;
	return CFS_OK;
}

/* Appends the components of a path joined as in a key. */
static int add_components(struct cfs_buf *out, const struct cfs_path *path)
{
	for (unsigned i = 0; i < path->n; i++) {
		struct cfs_slice c = path->comp[i];

		if (cfs_slice_find(c, 0) >= 0 || cfs_path_is_dots(c))
			return CFS_ENOTFOUND;
		if (i > 0)
			cfs_buf_addc(out, 0);
		if (i < path->host_n && c.n > 0 && c.p[0] == '_')
			cfs_buf_addc(out, '_');
		cfs_buf_add(out, c);
	}
	if (out->failed != CFS_OK)
		return out->failed == CFS_ELIMIT ? CFS_ENOTFOUND : out->failed;
	return cfs_slice_find(cfs_buf_slice(out), '/') < 0 ? CFS_OK :
							     CFS_ENOTFOUND;
}

int cfs_urlkey_ranges(const struct cfs_path *path, enum cfs_below below,
		      struct cfs_ranges *out)
{
	struct cfs_buf *b = &out->bytes;
	int rc = cfs_ranges_begin(out, path, below);

	if (rc != CFS_OK || path->n == 0)
		return rc;
	rc = add_components(b, path);
	if (rc != CFS_OK)
		return rc;
	if (b->n > CFS_KEY_MAX)
		return CFS_ENOTFOUND;
	if (cfs_buf_reserve(b, b->n + 2) != CFS_OK)
		return b->failed;
	if (below == CFS_BELOW_PAGE)	/* key <= k < key NUL */
		cfs_ranges_add(out, 0, CFS_SLICE_EMPTY, CFS_SLICE_LIT("\0"));
	else				/* key NUL <= k < key 1 */
		cfs_ranges_add(out, 0, CFS_SLICE_LIT("\0"),
			       CFS_SLICE_LIT("\1"));
	return CFS_OK;
}

int cfs_urlkey_url(struct cfs_slice key, enum cfs_scheme scheme,
		   struct cfs_buf *out)
{
	struct cfs_path path;
	struct cfs_slice other;
	size_t before = out->n;
	unsigned first;
	int rc = cfs_urlkey_split(key, &path);

	if (rc != CFS_OK)
		return rc;
	other = scheme_label(&path);
	first = other.n > 0;
	if (other.n > 0)
		cfs_buf_add(out, other);
	else
		cfs_buf_adds(out, cfs_scheme_name(scheme));
	cfs_buf_adds(out, "://");
	for (unsigned i = path.host_n; i-- > first;) {
		cfs_buf_add(out, path.comp[i]);
		if (i > first)
			cfs_buf_addc(out, '.');
	}
	for (unsigned i = path.host_n + 1; i < path.n; i++) {
		cfs_buf_addc(out, '/');
		cfs_buf_add(out, path.comp[i]);
	}
	rc = out->failed;
	if (rc != CFS_OK)
		out->n = before;
	return rc;
}

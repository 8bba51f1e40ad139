/* urlkey.c - URLs to keys of the crawlfs index and back.
 *
 *     key   = label *(NUL label) NUL "_" 1*(NUL segment)
 *     label = a host label, outermost first; one more '_' before a '_'
 *     segment = what stands between two slashes of path, query and fragment
 * No component holds NUL or '/', none is "." or "..", and the first label is
 * not empty: split refuses keys that encode cannot have made.
 *
 * Elsewhere: names in the mounted tree (crawl/names.c escapes components).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "urlkey.h"

#include <assert.h>
#include <string.h>

/* Takes the outermost label, which stands last in a host and first in a key. */
static struct cfs_slice take_last_label(struct cfs_slice *host, bool *more)
{
	ptrdiff_t dot = cfs_slice_rfind(*host, '.');
	struct cfs_slice label = cfs_slice_from(*host, (size_t)(dot + 1));

	*more = dot >= 0;
	host->n = dot >= 0 ? (size_t)dot : 0;
	return label;
}

static void add_label(struct cfs_buf *out, struct cfs_slice label)
{
	if (label.n > 0 && label.p[0] == '_')
		cfs_buf_addc(out, '_');
	cfs_buf_add_lower(out, label);
	cfs_buf_addc(out, 0);
}

/* Appends every label with a NUL behind it; returns their number. */
static unsigned add_host(struct cfs_buf *out, struct cfs_slice host)
{
	unsigned n = 0;
	bool more = true;

	host = cfs_url_trim_host(host);
	if (host.p[0] == '[' && cfs_slice_find(host, ']') == (ptrdiff_t)host.n - 1) {
		add_label(out, host);
		return 1;
	}
	for (; more && n <= CFS_DEPTH_MAX; n++)
		add_label(out, take_last_label(&host, &more));
	return n;
}

static void add_segment(struct cfs_buf *out, struct cfs_slice seg)
{
	cfs_buf_addc(out, 0);
	cfs_buf_add(out, cfs_path_name_dots(seg));
}

/* Appends every segment with a NUL before it; returns their number. */
static unsigned add_path(struct cfs_buf *out, struct cfs_slice path)
{
	unsigned n = 0;
	ptrdiff_t slash;

	if (path.n > 0 && path.p[0] == '/')
		path = cfs_slice_from(path, 1);
	do {
		slash = cfs_slice_find(path, '/');
		add_segment(out, slash < 0 ? path :
				 cfs_slice_sub(path, 0, (size_t)slash));
		path = cfs_slice_from(path, (size_t)(slash + 1));
		n++;
	} while (slash >= 0 && n <= CFS_DEPTH_MAX);
	return n;
}

int cfs_urlkey_encode(struct cfs_slice url, struct cfs_buf *out)
{
	struct cfs_url u;
	size_t before = out->n;
	unsigned depth;
	int rc = cfs_url_parse(url, &u);

	if (rc != CFS_OK)
		return rc;
	depth = add_host(out, u.host);
	cfs_buf_addc(out, '_');
	depth += 1 + add_path(out, u.path);
	rc = depth > CFS_DEPTH_MAX ? CFS_ELIMIT : out->failed;
	if (rc != CFS_OK)
		out->n = before;
	else
		assert(out->n - before <= CFS_KEY_MAX);
	return rc;
}

int cfs_urlkey_split(struct cfs_slice key, struct cfs_path *out)
{
	bool in_host = true;
	ptrdiff_t nul;
	unsigned n = 0;

	out->n = out->host_n = 0;
	if (key.n == 0 || key.p[0] == 0 || cfs_slice_find(key, '/') >= 0)
		return CFS_ENOTFOUND;
	do {
		struct cfs_slice c = key;

		nul = cfs_slice_find(key, 0);
		if (nul >= 0)
			c.n = (size_t)nul;
		key = cfs_slice_from(key, (size_t)(nul + 1));
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
	} while (nul >= 0);
	if (in_host || out->host_n == 0 || n < out->host_n + 2)
		return CFS_ENOTFOUND;
	out->n = n;
	return CFS_OK;
}

/* Appends the key bytes of a path's components, joined. */
static int add_components(struct cfs_buf *out, const struct cfs_path *path)
{
	for (unsigned i = 0; i < path->n; i++) {
		struct cfs_slice c = path->comp[i];

		if (cfs_slice_find(c, 0) >= 0 || cfs_slice_find(c, '/') >= 0 ||
		    cfs_path_is_dots(c))
			return CFS_ENOTFOUND;
		if (i > 0)
			cfs_buf_addc(out, 0);
		if (i < path->host_n && c.n > 0 && c.p[0] == '_')
			cfs_buf_addc(out, '_');
		cfs_buf_add(out, c);
	}
	return out->failed == CFS_ELIMIT ? CFS_ENOTFOUND : out->failed;
}

int cfs_urlkey_ranges(const struct cfs_path *path, enum cfs_below below,
		      struct cfs_ranges *out)
{
	struct cfs_buf *b = &out->bytes;
	struct cfs_slice both[2];
	size_t n;
	int rc;

	out->n = 0;
	cfs_buf_reset(b);
	if (below == CFS_BELOW_PAGE && path->n < path->host_n + 2)
		return CFS_ENOTFOUND;
	rc = add_components(b, path);
	if (rc != CFS_OK)
		return rc;
	n = b->n;
	if (n > CFS_KEY_MAX)
		return CFS_ENOTFOUND;
	if (path->n == 0) {
		cfs_ranges_add_all(out);
		return CFS_OK;
	}
	/* a page: key <= k < key NUL; a directory: key NUL <= k < key 1 */
	cfs_buf_addc(b, 0);
	if (cfs_buf_reserve(b, n + 1) != CFS_OK)
		return b->failed;
	memcpy(b->p + n + 1, b->p, n);
	b->p[n + 1 + n] = 1;
	b->n += n + 1;
	both[0] = (struct cfs_slice){ b->p, n + 1 };
	both[1] = (struct cfs_slice){ b->p + n + 1, n + 1 };
	if (below == CFS_BELOW_PAGE)
		out->v[0] = (struct cfs_range){ { b->p, n }, both[0], false };
	else
		out->v[0] = (struct cfs_range){ both[0], both[1], false };
	out->n = 1;
	return CFS_OK;
}

int cfs_urlkey_url(struct cfs_slice key, enum cfs_scheme scheme,
		   struct cfs_buf *out)
{
	struct cfs_path path;
	size_t before = out->n;
	int rc = cfs_urlkey_split(key, &path);

	if (rc != CFS_OK)
		return rc;
	cfs_buf_adds(out, cfs_scheme_name(scheme));
	cfs_buf_adds(out, "://");
	for (unsigned i = path.host_n; i-- > 0;) {
		cfs_buf_add(out, path.comp[i]);
		if (i > 0)
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

/* urlref.c - resolves links (RFC 3986, section 5; see urlref.h).
 *
 * Links are not validated beyond what is needed to find the target.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "urlref.h"

#include <string.h>

#include "base/error.h"

static bool is_web(struct cfs_slice scheme)
{
	return cfs_slice_eq_nocase(scheme, CFS_SLICE_LIT("http")) ||
	       cfs_slice_eq_nocase(scheme, CFS_SLICE_LIT("https"));
}

bool cfs_url_base_init(struct cfs_url_base *base, struct cfs_slice url)
{
	*base = (struct cfs_url_base){ .scheme = cfs_url_scheme(url),
				       .authority = CFS_SLICE_EMPTY,
				       .path = CFS_SLICE_EMPTY,
				       .query = CFS_SLICE_EMPTY };
	if (base->scheme.n == 0)
		return false;
	url = cfs_slice_from(url, base->scheme.n + 1);
	base->has_authority = cfs_slice_starts(url, CFS_SLICE_LIT("//"));
	if (base->has_authority)
		url = cfs_slice_from(url, 2);
	if (is_web(base->scheme)) {
		base->has_authority = true;
		while (url.n > 0 && url.p[0] == '/')
			url = cfs_slice_from(url, 1);
	}
	if (base->has_authority)
		base->authority = cfs_slice_take(
			&url, cfs_slice_find_any(url, 0, "/?#"));
	base->path = cfs_slice_take(&url, cfs_slice_find_any(url, 0, "?#"));
	base->query = cfs_slice_take(&url, cfs_slice_find_any(url, 0, "#"));
	return true;
}

/* Appends a base's scheme and authority. */
static void add_origin(struct cfs_buf *out, const struct cfs_url_base *base)
{
	cfs_buf_add_lower(out, base->scheme);
	cfs_buf_adds(out, base->has_authority ? "://" : ":");
	cfs_buf_add(out, base->authority);
}

/* Appends a path, which begins with '/', without "." and ".." segments. */
static void add_path(struct cfs_buf *out, struct cfs_slice path)
{
	size_t floor = out->n;

	while (path.n > 0) {
		size_t n = cfs_slice_find_any(path, 1, "/");
		struct cfs_slice seg = cfs_slice_sub(path, 1, n - 1);
		bool is_last = n == path.n;

		path = cfs_slice_from(path, n);
		if (cfs_slice_eq(seg, CFS_SLICE_LIT("..")))
			while (out->n > floor && out->p[--out->n] != '/')
				continue;
		if (cfs_slice_eq(seg, CFS_SLICE_LIT("..")) ||
		    cfs_slice_eq(seg, CFS_SLICE_LIT("."))) {
			if (is_last)
				cfs_buf_addc(out, '/');
			continue;
		}
		cfs_buf_addc(out, '/');
		cfs_buf_add(out, seg);
	}
}

/* Appends a relative path merged with the base: behind its last '/'. */
static void add_merged(struct cfs_buf *out, const struct cfs_url_base *base,
		       struct cfs_slice path)
{
	uint8_t whole[2 * CFS_URLREF_MAX + 1];
	ptrdiff_t slash = cfs_slice_rfind(base->path, '/');
	size_t n = slash < 0 ? 0 : (size_t)slash;

	if (n > CFS_URLREF_MAX || path.n > CFS_URLREF_MAX)
		return;
	memcpy(whole, base->path.p, n);
	whole[n] = '/';
	memcpy(whole + n + 1, path.p, path.n);
	add_path(out, cfs_slice_of(whole, n + 1 + path.n));
}

/* True if *ref is an absolute URL.  The base's own scheme before a relative
 * reference, as on old pages ("http:page"), is removed. */
static bool has_own_scheme(const struct cfs_url_base *base,
			   struct cfs_slice *ref)
{
	struct cfs_slice scheme = cfs_url_scheme(*ref);
	struct cfs_slice rest = cfs_slice_from(*ref, scheme.n + 1);

	if (scheme.n == 0)
		return false;
	if (!cfs_slice_eq_nocase(scheme, base->scheme) ||
	    cfs_slice_starts(rest, CFS_SLICE_LIT("//")) ||
	    !is_web(scheme))
		return true;
	*ref = rest;
	return false;
}

bool cfs_url_resolve(const struct cfs_url_base *base, struct cfs_slice ref,
		     struct cfs_buf *out)
{
	uint8_t scratch[CFS_URLREF_MAX];
	struct cfs_slice path;

	cfs_buf_empty(out);
	ref = cfs_url_tidy(ref, scratch);
	if (ref.n > CFS_URLREF_MAX)
		return false;
	if (has_own_scheme(base, &ref)) {
		cfs_buf_add_lower(out, cfs_slice_take(
					  &ref, cfs_url_scheme(ref).n));
		cfs_buf_add(out, ref);
		return out->failed == CFS_OK;
	}
	if (base->scheme.n == 0 || base->path.n > CFS_URLREF_MAX)
		return false;
	if (cfs_slice_starts(ref, CFS_SLICE_LIT("//"))) {
		cfs_buf_add_lower(out, base->scheme);
		cfs_buf_addc(out, ':');
		cfs_buf_add(out, ref);
		return out->failed == CFS_OK && out->n <= CFS_URLREF_MAX;
	}
	path = cfs_slice_take(&ref, cfs_slice_find_any(ref, 0, "?#"));
	add_origin(out, base);
	if (path.n == 0) {
		cfs_buf_add(out, base->path);
		if (ref.n == 0 || ref.p[0] != '?')
			cfs_buf_add(out, base->query);
	} else if (path.p[0] == '/') {
		add_path(out, path);
	} else {
		add_merged(out, base, path);
	}
	cfs_buf_add(out, ref);
	return out->failed == CFS_OK && out->n <= CFS_URLREF_MAX;
}

/* same_url.c - the spellings of a URL that are taken for the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "same_url.h"

#include "url.h"

#define OTHER_SLASH 1u
#define OTHER_HOST 2u

/* Appends the path with a slash at its end, before the query, if it has none,
 * and without it if it has one.  False: it is the path of a host. */
static bool add_other_path(struct cfs_slice all, struct cfs_buf *out)
{
	size_t n = cfs_slice_find_any(all, 0, "?#");
	struct cfs_slice path = cfs_slice_sub(all, 0, n);

	if (n <= 1)
		return false;
	if (path.p[n - 1] == '/')
		path.n--;
	cfs_buf_add(out, path);
	if (path.n == n)
		cfs_buf_addc(out, '/');
	cfs_buf_add(out, cfs_slice_from(all, n));
	return true;
}

static void add_host(struct cfs_slice host, bool is_other, struct cfs_buf *out)
{
	static const struct cfs_slice www = CFS_SLICE_LIT("www.");

	if (!is_other) {
		cfs_buf_add(out, host);
	} else if (cfs_slice_starts_nocase(host, www)) {
		cfs_buf_add(out, cfs_slice_from(host, www.n));
	} else {
		cfs_buf_add(out, www);
		cfs_buf_add(out, host);
	}
}

bool cfs_url_same(struct cfs_slice text, unsigned i, struct cfs_buf *out)
{
	struct cfs_url url;

	cfs_buf_reset(out);
	if (cfs_url_parse(text, &url) != CFS_OK)
		return false;
	cfs_buf_addf(out, "%s://", cfs_scheme_name(url.scheme));
	add_host(cfs_url_trim_host(url.host), i & OTHER_HOST, out);
	if (url.port.n > 0) {
		cfs_buf_addc(out, ':');
		cfs_buf_add(out, url.port);
	}
	if (i & OTHER_SLASH)
		return add_other_path(url.path, out) && out->failed == CFS_OK;
	if (url.path.n == 0 || url.path.p[0] != '/')
		cfs_buf_addc(out, '/');
	cfs_buf_add(out, url.path);
	return out->failed == CFS_OK;
}

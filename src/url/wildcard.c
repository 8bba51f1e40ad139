/* wildcard.c - reads patterns that stand for one prefix (see wildcard.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "wildcard.h"

#include "url.h"

/* Splits off what precedes "://", if the text is a URL. */
static struct cfs_slice without_scheme(struct cfs_slice s, bool *is_url)
{
	ptrdiff_t at = cfs_url_is_typed(s) ?
		       cfs_slice_search(s, CFS_SLICE_LIT("://")) : -1;

	*is_url = at >= 0;
	return at >= 0 ? cfs_slice_from(s, (size_t)at + 3) : s;
}

/* The text up to its first '/', '?' or '#'; *rest: from there on. */
static struct cfs_slice split_host(struct cfs_slice s, struct cfs_slice *rest)
{
	size_t n = cfs_slice_find_any(s, 0, "/?#");

	*rest = cfs_slice_from(s, n);
	return cfs_slice_sub(s, 0, n);
}

bool cfs_wildcard_is(struct cfs_slice typed)
{
	bool is_url;
	struct cfs_slice s = without_scheme(typed, &is_url), rest, host;

	host = split_host(s, &rest);
	return cfs_slice_starts(s, CFS_SLICE_LIT("*.")) ||
	       (is_url && rest.n > 0 && cfs_slice_find(host, '*') >= 0) ||
	       (!is_url && s.n > 0 && s.p[s.n - 1] == '*');
}

static bool is_all_of_host(struct cfs_slice rest)
{
	return rest.n == 0 || cfs_slice_eq(rest, CFS_SLICE_LIT("/")) ||
	       cfs_slice_eq(rest, CFS_SLICE_LIT("/*"));
}

bool cfs_wildcard_read(struct cfs_slice typed, unsigned i, struct cfs_buf *out)
{
	bool is_url;
	struct cfs_slice s = without_scheme(typed, &is_url), rest;
	struct cfs_slice host = split_host(s, &rest);

	if (cfs_slice_starts(host, CFS_SLICE_LIT("*."))) {
		host = cfs_url_trim_host(cfs_slice_from(host, 2));
		if (i > 0 || !is_all_of_host(rest) || host.n == 0 ||
		    cfs_slice_find(host, '*') >= 0)
			return false;
		cfs_url_reverse_host(host, out);
		return out->failed == CFS_OK;
	}
	if (i > 1 || is_url || rest.n == 0 || rest.p[0] != '/' ||
	    rest.p[rest.n - 1] != '*' || cfs_slice_find(host, '*') >= 0 ||
	    cfs_slice_find(host, '.') <= 0)
		return false;
	cfs_buf_adds(out, "http://");
	if (i == 0)
		cfs_buf_add(out, host);
	else
		cfs_url_reverse_host(host, out);
	return cfs_buf_add(out, rest) == CFS_OK;
}

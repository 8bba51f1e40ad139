/* same_url.c - the spellings of a URL that are taken for the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "same_url.h"

#include "base/utf8.h"
#include "path.h"
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

/* Forms of a URL in lists; as many more of one that has a fragment. */
#define LISTED_FORMS 4u

bool cfs_url_listed(struct cfs_slice url, unsigned i, struct cfs_buf *out)
{
	ptrdiff_t fragment = cfs_slice_find(url, '#');

	cfs_buf_reset(out);
	/* a URL that is too long names no page, whatever is left of it */
	if (i >= LISTED_FORMS && fragment >= 0 && url.n <= CFS_URL_MAX) {
		url = cfs_slice_sub(url, 0, (size_t)fragment);
		i -= LISTED_FORMS;
	}
	if (i == 3 && cfs_url_scheme(url).n == 0)
		cfs_buf_adds(out, "http://");
	if (i == 1 || i == 2)
		cfs_utf8_add_percent(out, url, i == 1 ? -1 : ' ');
	else
		cfs_buf_add(out, url);
	return i < LISTED_FORMS && out->failed == CFS_OK;
}

bool cfs_url_is_of(struct cfs_slice url, struct cfs_slice key,
		   struct cfs_slice listed, cfs_url_key_fn *key_of)
{
	CFS_BUF(form, 4 * CFS_URL_MAX);
	CFS_BUF(own, CFS_KEY_MAX);
	CFS_BUF(its, CFS_KEY_MAX);
	bool has_its = listed.n > 0 && key_of(listed, &its) == CFS_OK;

	if (listed.n > 0 && cfs_slice_eq(url, listed))
		return true;
	for (unsigned i = 0; cfs_url_listed(url, i, &form); i++) {
		struct cfs_slice s = cfs_buf_slice(&form);

		cfs_buf_reset(&own);
		if (listed.n > 0 && cfs_slice_eq(s, listed))
			return true;
		if (key_of(s, &own) != CFS_OK)
			continue;
		s = cfs_buf_slice(&own);
		if ((key.n > 0 && cfs_slice_eq(s, key)) ||
		    (has_its && cfs_slice_eq(s, cfs_buf_slice(&its))))
			return true;
	}
	return false;
}

/* fuzz_urlkey.c - any bytes as a URL, and as a key.
 *
 * What encode makes, split takes, and the URL of a key has that key again;
 * what split takes lies in the ranges of its own path.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "url/urlkey.h"

static void must(bool ok)
{
	if (!ok)
		abort();
}

static bool holds(const struct cfs_ranges *r, struct cfs_slice key)
{
	return r->n == 1 && cfs_slice_cmp(key, r->v[0].lo) >= 0 &&
	       (r->v[0].hi_open || cfs_slice_cmp(key, r->v[0].hi) < 0);
}

/* A key that split takes. */
static void check_key(struct cfs_slice key)
{
	static struct cfs_path path;
	struct cfs_ranges r;

	if (cfs_urlkey_split(key, &path) != CFS_OK)
		return;
	must(path.host_n >= 1 && path.n >= path.host_n + 2 && path.n <= CFS_DEPTH_MAX);
	cfs_ranges_init(&r);
	if (key.n <= CFS_KEY_MAX) {
		must(cfs_urlkey_ranges(&path, CFS_BELOW_PAGE, &r) == CFS_OK);
		must(holds(&r, key));
		path.n--;
		must(cfs_urlkey_ranges(&path, CFS_BELOW_DIR, &r) == CFS_OK);
		must(holds(&r, key));
	}
	cfs_ranges_release(&r);
}

static void check_url(struct cfs_slice url)
{
	struct cfs_buf key, back, again;

	cfs_buf_init(&key, CFS_KEY_MAX);
	cfs_buf_init(&back, CFS_KEY_MAX + 16);
	cfs_buf_init(&again, CFS_KEY_MAX);
	if (cfs_urlkey_encode(url, &key) == CFS_OK) {
		check_key(cfs_buf_slice(&key));
		must(cfs_urlkey_url(cfs_buf_slice(&key), CFS_SCHEME_FTP, &back) == CFS_OK);
		/* escapes may make it longer than a URL may be */
		if (back.n <= CFS_URL_MAX) {
			must(cfs_urlkey_encode(cfs_buf_slice(&back), &again) == CFS_OK);
			must(cfs_slice_eq(cfs_buf_slice(&key), cfs_buf_slice(&again)));
		}
	} else {
		must(key.n == 0);
	}
	cfs_buf_release(&key);
	cfs_buf_release(&back);
	cfs_buf_release(&again);
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice in = cfs_slice_of(data, size);
	struct cfs_buf url;

	check_key(in);
	check_url(in);
	cfs_buf_init(&url, 1 << 20);
	cfs_buf_adds(&url, "http://");
	cfs_buf_add(&url, in);
	check_url(cfs_buf_slice(&url));
	cfs_buf_release(&url);
	return 0;
}

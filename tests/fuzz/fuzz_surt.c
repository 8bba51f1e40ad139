/* fuzz_surt.c - any bytes as a URL, and as a key.
 *
 * What split takes lies in the ranges of its own path, and of the directory
 * that holds it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "url/surt.h"

static void must(bool ok)
{
	if (!ok)
		abort();
}

static bool holds(const struct cfs_ranges *r, struct cfs_slice key)
{
	bool found = false;

	for (unsigned i = 0; i < r->n; i++) {
		must(cfs_slice_cmp(r->v[i].lo, r->v[i].hi) < 0);
		must(i == 0 || cfs_slice_cmp(r->v[i - 1].hi, r->v[i].lo) <= 0);
		found |= cfs_slice_cmp(key, r->v[i].lo) >= 0 &&
			 cfs_slice_cmp(key, r->v[i].hi) < 0;
	}
	return found;
}

/* The port of a key, as an index would find it. */
static void take_port(struct cfs_slice key, struct cfs_surt_ports *out)
{
	ptrdiff_t close = cfs_slice_find(key, ')');
	struct cfs_slice host = cfs_slice_sub(key, 0, close < 0 ? 0 :
					      (size_t)close);
	ptrdiff_t colon = cfs_slice_find(host, ':');

	*out = (struct cfs_surt_ports){ .n = 0 };
	if (colon < 0)
		return;
	host = cfs_slice_from(host, (size_t)colon + 1);
	if (host.n == 0 || host.p[0] < '0' || host.p[0] > '9')
		return;			/* part of a label */
	out->more = host.n > CFS_SURT_PORT_BYTES;
	if (out->more) {
		out->rest_len = CFS_SURT_PORT_BYTES;
		memcpy(out->rest, host.p, CFS_SURT_PORT_BYTES);
	} else {
		out->n = 1;
		out->len[0] = (uint8_t)host.n;
		memcpy(out->text[0], host.p, host.n);
	}
}

static void check_key(struct cfs_slice key)
{
	static struct cfs_path path;
	struct cfs_surt_ports ports;
	struct cfs_ranges r;
	struct cfs_buf url;

	cfs_buf_init(&url, 2 * CFS_KEY_MAX);
	cfs_surt_url(key, &url);
	cfs_buf_release(&url);
	if (cfs_surt_split(key, &path) != CFS_OK)
		return;
	must(path.host_n >= 1 && path.n >= path.host_n + 2 &&
	     path.n <= CFS_DEPTH_MAX);
	take_port(key, &ports);
	cfs_ranges_init(&r);
	if (key.n + 16 <= CFS_KEY_MAX) {
		must(cfs_surt_ranges(&path, CFS_BELOW_PAGE, &ports, &r) ==
		     CFS_OK);
		must(holds(&r, key));
		path.n--;
		must(cfs_surt_ranges(&path, CFS_BELOW_DIR, &ports, &r) ==
		     CFS_OK);
		must(holds(&r, key));
		path.n = path.host_n = 1;
		must(cfs_surt_ranges(&path, CFS_BELOW_DIR, NULL, &r) == CFS_OK);
		must(holds(&r, key));
	}
	cfs_ranges_release(&r);
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice s = cfs_slice_of(data, size);
	struct cfs_buf key;

	check_key(s);
	cfs_buf_init(&key, CFS_KEY_MAX);
	if (cfs_surt_encode(s, &key) == CFS_OK) {
		must(key.n > 0 && key.n <= CFS_KEY_MAX);
		for (size_t i = 0; i < key.n; i++)
			must(key.p[i] > 0x20 && key.p[i] < 0x7f);
		check_key(cfs_buf_slice(&key));
	} else {
		must(key.n == 0);
	}
	cfs_buf_release(&key);
	return 0;
}

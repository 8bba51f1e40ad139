/* fuzz_cdx.c - any bytes as a CDX or CDXJ file, as a cluster.idx beside shards
 * that are the same bytes, and as single lines.
 *
 * An index that opens steps forward through ascending keys, and finds each of
 * its entries again by key and by position.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "format/cdx/cdx.h"
#include "format/cdx/cdx_line.h"
#include "format/open_index.h"
#include "index/index.h"
#include "net/open_location.h"

#define STEPS_MAX 300

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void check_lines(struct cfs_slice s)
{
	struct cfs_cdx_legend legend;
	struct cfs_cluster_line cluster;
	struct cfs_cdx_line line;
	struct cfs_buf text;

	cfs_buf_init(&text, 1 << 20);
	cfs_cluster_parse(s, &cluster);
	if (cfs_cdx_is_legend(s))
		cfs_cdx_parse_legend(s, &legend);
	if (cfs_cdx_parse(s, NULL, &line, NULL) == CFS_OK) {
		must(line.key.s.n > 0 && line.name.s.n > 0);
		cfs_json_add_text(&text, line.url);
		cfs_json_add_text(&text, line.name);
		cfs_cdx_tidy_name(cfs_buf_slice(&text));
	}
	cfs_buf_release(&text);
}

static int open_same(void *arg, const char *location, struct cfs_source **out,
		     struct cfs_ctx ctx)
{
	const struct cfs_slice *s = arg;

	return cfs_source_open_memory(out, *s, location, ctx.err);
}

/* The entry under `it` again, by key and by position. */
static void check_entry(struct cfs_index *ix, struct cfs_iter *it,
			struct cfs_iter *other)
{
	struct cfs_capture cap;
	struct cfs_buf name;

	must(cfs_index_at(ix, it->pos, other, CFS_CTX(NULL, NULL)) == CFS_OK);
	must(cfs_slice_eq(it->value, other->value));
	must(cfs_index_capture(it, &cap, NULL) == CFS_OK);
	cfs_buf_init(&name, 1 << 16);
	must(cfs_index_archive_name(ix, &cap.loc, &name, NULL) == CFS_OK);
	must(name.n > 0 && name.p[0] != '/');
	cfs_buf_release(&name);
	if (cfs_index_seek(ix, it->key, other, CFS_CTX(NULL, NULL)) == CFS_OK)
		must(cfs_slice_cmp(other->key, it->key) >= 0);
}

static void check_file(struct cfs_slice s)
{
	struct cfs_opener opener = { open_same, &s };
	struct cfs_index_opts opts = { .block_cache_bytes = 1 << 20,
				       .location = "f/i", .opener = &opener };
	struct cfs_iter *it = malloc(sizeof(*it));
	struct cfs_iter *other = malloc(sizeof(*other));
	struct cfs_path *path = malloc(sizeof(*path));
	struct cfs_ranges r;
	struct cfs_source *src;
	struct cfs_index *ix;
	cfs_pos last = 0;
	int rc;

	cfs_iter_init(it);
	cfs_iter_init(other);
	cfs_ranges_init(&r);
	if (cfs_source_open_memory(&src, s, "f/i", NULL) != CFS_OK ||
	    cfs_index_open_at(&ix, src, &opts, NULL) != CFS_OK)
		goto out;
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, it, CFS_CTX(NULL, NULL));
	for (int i = 0; rc == CFS_OK && i < STEPS_MAX; i++) {
		must(i == 0 || it->pos > last);
		last = it->pos;
		check_entry(ix, it, other);
		if (cfs_index_split(ix, it->key, path) == CFS_OK)
			cfs_index_ranges(ix, path, CFS_BELOW_PAGE, &r);
		rc = cfs_index_next(it, CFS_CTX(NULL, NULL));
	}
	cfs_iter_release(it);
	cfs_iter_release(other);
	cfs_index_close(ix);
out:
	cfs_ranges_release(&r);
	free(path);
	free(other);
	free(it);
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice s = cfs_slice_of(data, size);

	check_lines(s);
	if (s.n >= 4 && cfs_le32_get(s.p) == 0)
		return 0;	/* other formats have targets of their own */
	check_file(s);
	return 0;
}

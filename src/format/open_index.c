/* open_index.c - opens an index with the backend that its first bytes ask for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "open_index.h"

#include <stdlib.h>

#include "format/cdx/cdx.h"
#include "format/cfx/cfx.h"
#include "format/pbtree/pbtree.h"
#include "format/pbtree/pbtree_format.h"
#include "source/zip.h"

bool cfs_index_is_name(struct cfs_slice name)
{
	static const char *const ends[] = { ".cfx", ".cdx", ".cdxj", ".cdx.gz",
					    ".cdxj.gz", "/cluster.idx" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct cfs_slice e = cfs_slice_str(ends[i]);

		if (name.n > e.n && cfs_slice_eq_nocase(
				    cfs_slice_from(name, name.n - e.n), e))
			return true;
	}
	return cfs_slice_eq(name, CFS_SLICE_LIT("cluster.idx"));
}

enum cfs_index_format cfs_index_detect(struct cfs_slice head,
				       uint64_t file_bytes)
{
	if (cfs_cfx_is_magic(head))
		return CFS_INDEX_CFX;
	if (cfs_pbtree_is_header(head, file_bytes))
		return CFS_INDEX_PBTREE;
	if (cfs_zip_is_start(head))	/* it may hold lines of a CDX */
		return CFS_INDEX_UNKNOWN;
	return cfs_cdx_detect(head);
}

int cfs_index_look_at(struct cfs_source *src, enum cfs_index_format *out,
		      struct cfs_ctx ctx)
{
	uint8_t *head = malloc(CFS_INDEX_HEAD_BYTES);
	size_t n = 0;
	int rc;

	*out = CFS_INDEX_UNKNOWN;
	if (head == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_source_read_some(src, head, CFS_INDEX_HEAD_BYTES, 0, &n, ctx);
	if (rc == CFS_OK)	/* mostly known by now, from that read */
		rc = cfs_source_find_size(src, ctx);
	if (rc == CFS_OK)
		*out = cfs_index_detect(cfs_slice_of(head, n), src->size);
	free(head);
	return rc;
}

int cfs_index_open_as(enum cfs_index_format format, struct cfs_index **out,
		      struct cfs_source *src,
		      const struct cfs_index_opts *opts, struct cfs_error *err)
{
	src->must_exist = true;
	switch (format) {
	case CFS_INDEX_CFX:
		return cfs_cfx_open(out, src, opts->block_cache_bytes, err);
	case CFS_INDEX_PBTREE:
		return cfs_pbtree_open(out, src, opts->block_cache_bytes,
				       CFS_PBTREE_VALUE_BYTES, err);
	case CFS_INDEX_ZIPNUM:
		return cfs_zipnum_open(out, src, opts, err);
	case CFS_INDEX_UNKNOWN:
		*out = NULL;
		cfs_error_at(err, CFS_EFORMAT, src->name, 0,
			     "unknown index format");
		cfs_source_close(src);
		return CFS_EFORMAT;
	default:
		return cfs_cdx_open(out, src, opts, false, err);
	}
}

int cfs_index_open_at(struct cfs_index **out, struct cfs_source *src,
		      const struct cfs_index_opts *opts, struct cfs_error *err)
{
	enum cfs_index_format format;
	int rc = cfs_index_look_at(src, &format, CFS_CTX(opts->cancel, err));

	*out = NULL;
	if (rc == CFS_OK)
		return cfs_index_open_as(format, out, src, opts, err);
	cfs_source_close(src);
	return rc;
}

int cfs_index_open(struct cfs_index **out, struct cfs_source *src,
		   size_t block_cache_bytes, struct cfs_error *err)
{
	struct cfs_index_opts opts = { .block_cache_bytes = block_cache_bytes };

	return cfs_index_open_at(out, src, &opts, err);
}

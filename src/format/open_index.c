/* open_index.c - opens an index with the backend that its first bytes ask for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "index/index.h"

#include <stdlib.h>

#include "format/cdx/cdx.h"
#include "format/cdx/cdx_detect.h"
#include "format/cfx/cfx.h"
#include "format/pbtree/pbtree.h"
#include "format/pbtree/pbtree_format.h"
#include "source/zip.h"

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

static int open_as(enum cfs_index_format format, struct cfs_index **out,
		   struct cfs_source *src, const struct cfs_index_opts *opts,
		   struct cfs_error *err)
{
	switch (format) {
	case CFS_INDEX_CFX:
		return cfs_cfx_open(out, src, opts->block_cache_bytes, err);
	case CFS_INDEX_PBTREE:
		return cfs_pbtree_open(out, src, opts->block_cache_bytes,
				       CFS_PBTREE_VALUE_BYTES, err);
	case CFS_INDEX_ZIPNUM:
		return cfs_zipnum_open(out, src, opts, err);
	case CFS_INDEX_UNKNOWN:
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
	enum cfs_index_format format = CFS_INDEX_UNKNOWN;
	uint8_t *head = malloc(CFS_INDEX_HEAD_BYTES);
	size_t n = 0;
	int rc;

	*out = NULL;
	if (head == NULL)
		rc = cfs_error_nomem(err);
	else
		rc = cfs_source_read_some(src, head, CFS_INDEX_HEAD_BYTES, 0,
					  &n, CFS_CTX(opts->cancel, err));
	if (rc == CFS_OK)	/* mostly known by now, from that read */
		rc = cfs_source_find_size(src, CFS_CTX(opts->cancel, err));
	if (rc == CFS_OK)
		format = cfs_index_detect(cfs_slice_of(head, n), src->size);
	free(head);
	if (rc == CFS_OK) {
		src->must_exist = true;
		return open_as(format, out, src, opts, err);
	}
	cfs_source_close(src);
	return rc;
}

int cfs_index_open(struct cfs_index **out, struct cfs_source *src,
		   size_t block_cache_bytes, struct cfs_error *err)
{
	struct cfs_index_opts opts = { .block_cache_bytes = block_cache_bytes };

	return cfs_index_open_at(out, src, &opts, err);
}

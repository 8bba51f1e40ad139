/* index.c - which backend reads an index, and the calls that go to it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "index.h"

#include <stdlib.h>

#include "cdx.h"
#include "cfx.h"
#include "pbtree.h"

enum cfs_index_look cfs_index_look(struct cfs_slice head, uint64_t file_bytes)
{
	if (cfs_cfx_is_magic(head))
		return CFS_INDEX_LOOK_CFX;
	if (cfs_pbtree_is_header(head, file_bytes))
		return CFS_INDEX_LOOK_PBTREE;
	switch (cfs_cdx_look(head)) {
	case CFS_CDX_LOOK_CLUSTER: return CFS_INDEX_LOOK_ZIPNUM;
	case CFS_CDX_LOOK_CDX: return CFS_INDEX_LOOK_CDX;
	case CFS_CDX_LOOK_CDX_GZ: return CFS_INDEX_LOOK_CDX_GZ;
	case CFS_CDX_LOOK_CDX_OTHER: return CFS_INDEX_LOOK_CDX_OTHER;
	default: return CFS_INDEX_LOOK_NONE;
	}
}

static int open_as(enum cfs_index_look look, struct cfs_index **out,
		   struct cfs_source *src, const struct cfs_index_opts *opts,
		   struct cfs_error *err)
{
	switch (look) {
	case CFS_INDEX_LOOK_CFX:
		return cfs_cfx_open(out, src, opts->block_cache_bytes, err);
	case CFS_INDEX_LOOK_PBTREE:
		return cfs_pbtree_open(out, src, opts->block_cache_bytes, err);
	case CFS_INDEX_LOOK_ZIPNUM:
		return cfs_zipnum_open(out, src, opts, err);
	case CFS_INDEX_LOOK_NONE:
		cfs_error_at(err, CFS_EFORMAT, src->name, 0,
			     "is no index of a known format");
		cfs_source_close(src);
		return CFS_EFORMAT;
	default:
		return cfs_cdx_open(out, src, opts, err);
	}
}

int cfs_index_open_at(struct cfs_index **out, struct cfs_source *src,
		      const struct cfs_index_opts *opts, struct cfs_error *err)
{
	enum cfs_index_look look = CFS_INDEX_LOOK_NONE;
	uint8_t *head = malloc(CFS_INDEX_LOOK_BYTES);
	size_t n = 0;
	int rc;

	*out = NULL;
	if (head == NULL)
		rc = cfs_error_set(err, CFS_ENOMEM, "out of memory");
	else
		rc = cfs_source_read_some(src, head, CFS_INDEX_LOOK_BYTES, 0,
					  &n, opts->cancel, err);
	if (rc == CFS_OK)	/* mostly known by now, from the answer */
		rc = cfs_source_find_size(src, opts->cancel, err);
	if (rc == CFS_OK)
		look = cfs_index_look(cfs_slice_of(head, n), src->size);
	free(head);
	if (rc == CFS_OK) {
		src->must_exist = true;
		return open_as(look, out, src, opts, err);
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

void cfs_index_close(struct cfs_index *ix)
{
	if (ix != NULL)
		ix->ops->close(ix);
}

void cfs_iter_init(struct cfs_iter *it)
{
	it->ix = NULL;
	it->pos = CFS_POS_NONE;
	it->key = it->value = CFS_SLICE_EMPTY;
	it->block_ref = NULL;
	it->block_off = 0;
	it->key_n = it->url_n = 0;
}

void cfs_iter_release(struct cfs_iter *it)
{
	cfs_lru_put(it->block_ref);
	cfs_iter_init(it);
}

/* An iterator that stood in another index lets its block go. */
static void adopt(struct cfs_iter *it, struct cfs_index *ix)
{
	if (it->ix != ix)
		cfs_iter_release(it);
	it->ix = ix;
}

/* Past the end and after a failure an iterator stands nowhere. */
static int settle(struct cfs_iter *it, int rc)
{
	if (rc != CFS_OK)
		cfs_iter_release(it);
	return rc;
}

int cfs_index_seek(struct cfs_index *ix, struct cfs_slice key,
		   struct cfs_iter *it, const struct cfs_cancel *cancel,
		   struct cfs_error *err)
{
	adopt(it, ix);
	return settle(it, ix->ops->seek(ix, key, it, cancel, err));
}

int cfs_index_at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		 const struct cfs_cancel *cancel, struct cfs_error *err)
{
	adopt(it, ix);
	return settle(it, ix->ops->at(ix, pos, it, cancel, err));
}

int cfs_index_next(struct cfs_iter *it, const struct cfs_cancel *cancel,
		   struct cfs_error *err)
{
	if (it->ix == NULL || it->pos == CFS_POS_NONE)
		return CFS_END;
	return settle(it, it->ix->ops->next(it, cancel, err));
}

int cfs_index_capture(const struct cfs_iter *it, struct cfs_capture *out,
		      struct cfs_error *err)
{
	return it->ix->ops->capture(it, out, err);
}

int cfs_index_archive_name(struct cfs_index *ix, const struct cfs_span *loc,
			   struct cfs_buf *out, struct cfs_error *err)
{
	return ix->ops->archive_name(ix, loc, out, err);
}

int cfs_index_split(struct cfs_index *ix, struct cfs_slice key,
		    struct cfs_path *out)
{
	return ix->ops->split(ix, key, out);
}

int cfs_index_ranges(struct cfs_index *ix, const struct cfs_path *path,
		     enum cfs_below below, struct cfs_ranges *out)
{
	return ix->ops->ranges(ix, path, below, out);
}

int cfs_index_url_key(struct cfs_index *ix, struct cfs_slice url,
		      struct cfs_buf *out)
{
	return ix->ops->url_key(ix, url, out);
}

int cfs_index_key_url(struct cfs_index *ix, struct cfs_slice key,
		      const struct cfs_capture *cap, struct cfs_buf *out)
{
	return ix->ops->key_url(ix, key, cap, out);
}

int cfs_index_find_ref(struct cfs_index *ix, struct cfs_slice ref,
		       cfs_pos *out, size_t max, size_t *n,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	*n = 0;
	if (ix->ops->find_ref == NULL)
		return CFS_OK;
	return ix->ops->find_ref(ix, ref, out, max, n, cancel, err);
}

void cfs_index_get_stats(struct cfs_index *ix, struct cfs_index_stats *out)
{
	ix->ops->stats(ix, out);
}

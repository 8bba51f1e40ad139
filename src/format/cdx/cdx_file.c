/* cdx_file.c - a plain sorted CDX or CDXJ file as an index.
 *
 * A block is a stretch of the file (stretch.h), so it takes one read, and its
 * number tells where it is; a key is found by the first keys of stretches.  A
 * small compressed file is inflated into memory; a large one is refused, since
 * its blocks cannot be read separately.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdx.h"

#include <stdlib.h>

#include "codec/gzip.h"
#include "index/ahead.h"
#include "stretch.h"

/* Most bytes that a small compressed file may inflate to. */
#define GZ_INFLATED_MAX ((size_t)256 << 20)

/* ---- blocks ---- */

struct cdx_file {
	struct cfs_cdx x;
	struct cfs_search *search;
	struct cfs_ahead ahead;
};

static int cdx_file_first_key(void *arg, uint32_t number, struct cfs_buf *key,
			      struct cfs_ctx ctx)
{
	struct cdx_file *f = arg;
	struct cfs_lru_ref *ref;
	struct cfs_cdx_block *b;
	int rc = cfs_cdx_get(&f->x, number, &ref, &b, ctx);

	if (rc != CFS_OK)
		return rc;
	if (b->n == 0)
		rc = CFS_END;
	else
		cfs_buf_add(key, b->v[0].key);
	cfs_lru_put(ref);
	return rc;
}

static int file_find(struct cfs_cdx *x, struct cfs_slice key, uint32_t *out,
		     struct cfs_ctx ctx)
{
	struct cdx_file *f = (struct cdx_file *)x;

	if (key.n == 0) {
		*out = 0;
		return CFS_OK;
	}
	return cfs_search_find(f->search, key, cdx_file_first_key, f, out, ctx);
}

static int file_following(struct cfs_cdx *x, uint32_t number, uint32_t *out,
			  struct cfs_ctx ctx)
{
	(void)ctx;
	*out = number + 1;
	return number + 1 < x->base.blocks ? CFS_OK : CFS_END;
}

/* Prefetches n stretches behind `number`. */
static void hint_some(struct cfs_cdx *x, uint32_t number, unsigned n)
{
	uint64_t off = ((uint64_t)number + 1) * CFS_STRETCH_BYTES;

	if (off < x->base.src->size)
		cfs_source_prefetch(x->base.src, off,
				    (size_t)n * CFS_STRETCH_BYTES);
}

static void file_hint(struct cfs_cdx *x, uint32_t number)
{
	hint_some(x, number, 1);
}

/* A listing goes from stretch to stretch. */
static void stretches_ahead(struct cdx_file *f, uint32_t number)
{
	unsigned n = f->x.base.src->is_local ? 0 :
		     cfs_ahead_blocks(&f->ahead, (struct cfs_ahead_block){
			.number = number, .next = number + 1,
			.behind = f->x.base.blocks - number - 1,
			.bytes = CFS_STRETCH_BYTES });

	hint_some(&f->x, number, n);
}

static int file_read(struct cfs_cdx *x, uint32_t number,
		     struct cfs_cdx_text_in *out, struct cfs_ctx ctx)
{
	struct cfs_stretch s;
	int rc;

	if (number >= x->base.blocks)
		return CFS_ENOTFOUND;
	stretches_ahead((struct cdx_file *)x, number);
	rc = cfs_stretch_read(x->base.src, number, &s, ctx);
	*out = (struct cfs_cdx_text_in){
		.p = s.bytes, .from = s.from, .n = s.n,
		.where_off = s.file_off, .is_plain = true,
		.has_long_line = s.cut };
	snprintf(out->where, sizeof(out->where), "%s", x->base.src->name);
	return rc;
}

static void cdx_file_file_close(struct cfs_cdx *x)
{
	cfs_search_free(((struct cdx_file *)x)->search);
}

static const struct cfs_cdx_layout file_layout = {
	.find = file_find, .following = file_following, .read = file_read,
	.hint = file_hint, .close = cdx_file_file_close,
};

/* ---- opening ---- */

/* Replaces *src by its inflated bytes in memory.  *src stays valid, also on
 * failure. */
static int inflate_source(struct cfs_source **src, struct cfs_ctx ctx)
{
	struct cfs_source *memory = NULL;
	CFS_BUF(text, GZ_INFLATED_MAX);
	uint8_t *in;
	int rc;

	if ((*src)->size > CFS_INDEX_GZ_MAX)
		return cfs_error_at(ctx.err, CFS_EUNSUPPORTED, (*src)->name, 0,
			"large compressed CDX files cannot be searched:"
			" convert it with 'crawlfs index'");
	in = malloc((*src)->size + 1);
	if (in == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_source_read(*src, in, (*src)->size, 0, ctx);
	if (rc == CFS_OK)
		rc = cfs_gz_members(cfs_slice_of(in, (*src)->size), &text, ctx);
	cfs_error_where(ctx.err, (*src)->name, 0);
	if (rc == CFS_OK)
		rc = cfs_source_open_memory(&memory, cfs_buf_slice(&text),
					    (*src)->name, ctx.err);
	free(in);
	if (rc != CFS_OK)
		return rc;
	memory->mtime = (*src)->mtime;
	cfs_source_close(*src);
	*src = memory;
	return CFS_OK;
}

static int cdx_file_open_file(struct cdx_file *f, struct cfs_source **src,
			      const struct cfs_index_opts *opts, bool any,
			      struct cfs_error *err)
{
	enum cfs_index_format format;
	int rc = cfs_source_find_size(*src, CFS_CTX(opts->cancel, err));

	if (rc == CFS_OK)
		rc = cfs_cdx_look_at(*src, &format, &f->x.legend,
				     CFS_CTX(opts->cancel, err));
	if (rc == CFS_OK && format == CFS_INDEX_CDX_GZ) {
		rc = inflate_source(src, CFS_CTX(opts->cancel, err));
		if (rc == CFS_OK)
			rc = cfs_cdx_look_at(*src, &format, &f->x.legend,
					     CFS_CTX(opts->cancel, err));
	}
	if (rc != CFS_OK)
		return rc;
	if (format == CFS_INDEX_CDX_OTHER && !any)
		return cfs_error_at(err, CFS_EUNSUPPORTED, (*src)->name, 0,
			"lines are not sorted by SURT key: convert the CDX"
			" file with 'crawlfs index'");
	if (format != CFS_INDEX_CDX && format != CFS_INDEX_CDX_OTHER)
		return cfs_error_at(err, CFS_EFORMAT, (*src)->name, 0,
				    "is not a CDX or CDXJ file");
	if (cfs_stretch_count((*src)->size) > UINT32_MAX)
		return cfs_error_at(err, CFS_ELIMIT, (*src)->name, 0,
				    "is too large");
	/* lines of columns have none */
	f->x.base.has_languages = f->x.legend.n == 0;
	f->x.base.blocks = cfs_stretch_count((*src)->size);
	f->x.base.last_fill = (uint16_t)((*src)->size % CFS_STRETCH_BYTES /
					 (CFS_STRETCH_BYTES / CFS_FILL_ALL));
	f->search = cfs_search_new((uint32_t)f->x.base.blocks);
	return f->search != NULL ? CFS_OK : cfs_error_nomem(err);
}

int cfs_cdx_open(struct cfs_index **out, struct cfs_source *src,
		 const struct cfs_index_opts *opts, bool any,
		 struct cfs_error *err)
{
	struct cdx_file *f = calloc(1, sizeof(*f));
	int rc;

	*out = NULL;
	if (f == NULL) {
		cfs_source_close(src);
		return cfs_error_nomem(err);
	}
	rc = cfs_cdx_init(&f->x, src, "CDX", &file_layout,
			  opts->block_cache_bytes, err);
	if (rc == CFS_OK)
		rc = cdx_file_open_file(f, &f->x.base.src, opts, any, err);
	if (rc != CFS_OK) {
		cfs_cdx_close(&f->x.base);
		return rc;
	}
	*out = &f->x.base;
	return CFS_OK;
}

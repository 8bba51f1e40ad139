/* zipnum.c - a ZipNum cluster as an index.
 *
 * Spec: doc/formats.md, "ZipNum clusters".  cluster.idx has one line for each
 * gzip member of the shards, in their order:
 *
 *     key SP time TAB shard TAB offset TAB length [TAB number] LF
 *
 * It is read and searched by stretches (stretch.h), never whole.  A block is
 * one member; its number is the place of its line: the stretch in the upper 19
 * bits, the line in the stretch in the lower 13.  (The number in the line, if
 * there is one, is ignored.)
 *
 * The entries of a key may begin in the member before the one whose line has
 * that key, so a search starts from the last line whose key is less.
 *
 * Limits: STRETCHES_MAX stretches (32 GiB of cluster.idx), MEMBER_MAX bytes a
 * member, TEXT_MAX inflated.
 * Elsewhere: damaged lines and lines out of order (cluster.c); places of shards
 * (shards.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdx.h"

#include <inttypes.h>
#include <stdlib.h>

#include "zipnum_internal.h"
#include "codec/gzip.h"
#include "index/ahead.h"
#include "stretch.h"

#define LINE_BITS CFS_CLUSTER_LINE_BITS
#define LINES_MAX CFS_CLUSTER_LINES_MAX
#define STRETCHES_MAX (1u << (32 - LINE_BITS))
/* A member of 3,000 lines has 200 KB, or some megabytes of long URLs. */
#define MEMBER_MAX (64u << 20)
#define TEXT_MAX ((size_t)256 << 20)
/* Adjacent small members are fetched together, up to so many bytes. */
#define JOIN_MAX (256u << 10)

struct zipnum {
	struct cfs_cdx x;
	uint32_t stretches;
	struct cfs_search *search;
	struct cfs_lru *lines;		/* of cfs_cluster_lines, by stretch */
	struct cfs_shards *shards;
	struct cfs_ahead ahead;
	/* Stretches loaded, their lines, and the bytes of these blocks. */
	atomic_uint_fast64_t loaded, loaded_lines, loaded_bytes;
};

/* ---- cluster.idx ---- */

/* Estimates the size of the index by the stretches loaded so far. */
static void estimate(struct zipnum *z, const struct cfs_cluster_lines *l)
{
	double stretches;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < l->n; i++)
		bytes += l->v[i].length < MEMBER_MAX ? l->v[i].length : 0;
	stretches = (double)z->stretches /
		    (double)(atomic_fetch_add(&z->loaded, 1) + 1);
	bytes += atomic_fetch_add(&z->loaded_bytes, bytes);
	atomic_store(&z->x.base.about_bytes, z->x.base.src->size +
		     (uint64_t)(stretches * (double)bytes));
	bytes = atomic_fetch_add(&z->loaded_lines, l->n) + l->n;
	atomic_store(&z->x.base.about_blocks,
		     (uint64_t)(stretches * (double)bytes));
}

static int lines_load(void *arg, struct cfs_lru_key key, void **obj,
		      size_t *obj_bytes, struct cfs_ctx ctx)
{
	struct zipnum *z = arg;
	struct cfs_cluster_lines *l = NULL;
	int rc = cfs_cluster_load(z->x.base.src, key.a, &l, obj_bytes, ctx);

	if (rc == CFS_OK) {
		atomic_fetch_add_explicit(&z->x.base.skipped, l->skipped,
					  memory_order_relaxed);
		estimate(z, l);
	}
	*obj = l;
	return rc;
}

static int get_lines(struct zipnum *z, uint32_t stretch,
		     struct cfs_lru_ref **ref,
		     const struct cfs_cluster_lines **out, struct cfs_ctx ctx)
{
	int rc = cfs_lru_get(z->lines, CFS_LRU_KEY(stretch, 0), lines_load, z,
			     ref, ctx);

	*out = rc == CFS_OK ? cfs_lru_obj(*ref) : NULL;
	return rc;
}

static int zipnum_first_key(void *arg, uint32_t stretch, struct cfs_buf *key,
			    struct cfs_ctx ctx)
{
	struct cfs_lru_ref *ref;
	const struct cfs_cluster_lines *l;
	int rc = get_lines(arg, stretch, &ref, &l, ctx);

	if (rc != CFS_OK)
		return rc;
	if (l->n_good == 0)
		rc = CFS_END;
	else
		cfs_buf_add(key, l->v[0].key);
	cfs_lru_put(ref);
	return rc;
}

/* The number for the last block of a stretch, however many it has. */
static uint32_t last_line(uint32_t stretch)
{
	return stretch << LINE_BITS | (LINES_MAX - 1);
}

static int zipnum_find(struct cfs_cdx *x, struct cfs_slice key, uint32_t *out,
		       struct cfs_ctx ctx)
{
	struct zipnum *z = (struct zipnum *)x;
	struct cfs_lru_ref *ref;
	const struct cfs_cluster_lines *l;
	uint32_t stretch = 0, line;
	bool is_empty;
	int rc = CFS_OK;

	if (key.n > 0)
		rc = cfs_search_find(z->search, key, zipnum_first_key, z,
				     &stretch, ctx);
	*out = last_line(stretch);
	if (rc == CFS_OK)
		rc = get_lines(z, stretch, &ref, &l, ctx);
	if (rc != CFS_OK)
		return rc;
	line = cfs_cluster_find(l, key);
	*out = stretch << LINE_BITS | line;
	is_empty = l->n == 0;
	if (!is_empty)
		rc = cfs_cluster_check_strays(l, line, key, x->base.src->name,
					      ctx.err);
	if (rc != CFS_OK)
		*out = CFS_CDX_NO_BLOCK;
	cfs_lru_put(ref);
	if (rc == CFS_OK && is_empty)	/* go to the first stretch with lines */
		rc = x->layout->following(x, *out, out, ctx);
	return rc;
}

static int zipnum_following(struct cfs_cdx *x, uint32_t number, uint32_t *out,
			    struct cfs_ctx ctx)
{
	struct zipnum *z = (struct zipnum *)x;
	uint32_t stretch = number >> LINE_BITS;
	uint32_t line = (number & (LINES_MAX - 1)) + 1;

	for (; stretch < z->stretches; stretch++, line = 0) {
		struct cfs_lru_ref *ref;
		const struct cfs_cluster_lines *l;
		uint32_t n;
		int rc;

		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		*out = last_line(stretch);
		rc = get_lines(z, stretch, &ref, &l, ctx);
		if (rc != CFS_OK)
			return rc;
		n = l->n;
		cfs_lru_put(ref);
		if (line < n) {
			*out = stretch << LINE_BITS | line;
			return CFS_OK;
		}
	}
	return CFS_END;
}

/* Cuts by bytes of cluster.idx, whose lines are about equally long; a line has
 * the key that its member begins with. */
static int zipnum_cut(struct cfs_cdx *x, uint64_t k, uint64_t n,
		      struct cfs_buf *key, struct cfs_ctx ctx)
{
	struct zipnum *z = (struct zipnum *)x;
	uint64_t size = x->base.src->size, at = size * k / n;
	uint64_t stretch = at / CFS_STRETCH_BYTES;
	struct cfs_error e = CFS_ERROR_INIT;
	bool is_found = false;
	int rc = CFS_OK;

	at -= stretch * CFS_STRETCH_BYTES;
	size -= stretch * CFS_STRETCH_BYTES;
	if (size > CFS_STRETCH_BYTES)
		size = CFS_STRETCH_BYTES;
	for (; rc == CFS_OK && !is_found && stretch < z->stretches; stretch++) {
		const struct cfs_cluster_lines *l;
		struct cfs_lru_ref *ref;

		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		cfs_error_clear(&e);
		rc = get_lines(z, (uint32_t)stretch, &ref, &l,
			       CFS_CTX(ctx.cancel, &e));
		if (rc == CFS_EFORMAT || rc == CFS_ELIMIT) {
			at = 0;		/* the next one has keys */
			rc = CFS_OK;
			continue;
		}
		if (rc != CFS_OK)
			return cfs_error_pass(ctx.err, &e, rc);
		for (uint64_t i = l->n * at / size; i < l->n && !is_found;
		     i++) {
			is_found = cfs_cluster_has_key(&l->v[i]);
			if (is_found)
				rc = cfs_buf_add(key, l->v[i].key);
		}
		cfs_lru_put(ref);
		at = 0;
	}
	return rc == CFS_OK && !is_found ? CFS_END : rc;
}

/* ---- shards ---- */

/* Reads and inflates a member. */
static int zipnum_fetch_member(struct cfs_source *src,
			       const struct cfs_cluster_line *line,
			       struct cfs_cdx_text_in *out, struct cfs_ctx ctx)
{
	struct cfs_buf text;
	uint8_t *in;
	int rc;

	free(out->p);			/* of what was read before */
	out->p = NULL;
	snprintf(out->where, sizeof(out->where), "%s", src->name);
	out->where_off = line->offset;
	if (line->length > MEMBER_MAX)
		return cfs_error_at(ctx.err, CFS_ELIMIT, src->name,
				    line->offset, "block of %" PRIu64 " bytes",
				    line->length);
	in = malloc((size_t)line->length);
	if (in == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_source_read(src, in, (size_t)line->length, line->offset, ctx);
	if (rc == CFS_OK) {
		cfs_buf_init(&text, TEXT_MAX);
		rc = cfs_gz_members(cfs_slice_of(in, (size_t)line->length),
				    &text, ctx);
		cfs_error_where(ctx.err, src->name, line->offset);
		out->p = text.p;	/* the caller's, also on failure */
		out->n = text.n;
	}
	free(in);
	return rc;
}

static int zipnum_read_member(struct cfs_source *src,
			      const struct cfs_cluster_line *line,
			      struct cfs_cdx_text_in *out, struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_cluster_line whole = *line;
	int rc = zipnum_fetch_member(src, line, out, CFS_CTX(ctx.cancel, &e));

	if (rc == CFS_EFORMAT && line->stated > 0) {
		whole.length = line->stated;
		line = &whole;
		cfs_error_clear(&e);
		rc = zipnum_fetch_member(src, line, out,
					 CFS_CTX(ctx.cancel, &e));
	}
	if (cfs_source_may_read_again(src, line->offset, line->length, rc, &e))
		rc = zipnum_fetch_member(src, line, out,
					 CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_ENOTFOUND) {	/* a server's shard; as in shards.c */
		rc = e.code = CFS_EFORMAT;
		e.offset = 0;
	}
	return cfs_error_pass(ctx.err, &e, rc);
}

/* The line of a block; its slices borrow from *ref. */
static int line_of(struct zipnum *z, uint32_t number, struct cfs_lru_ref **ref,
		   struct cfs_cluster_line *out, struct cfs_ctx ctx)
{
	uint32_t stretch = number >> LINE_BITS, i = number & (LINES_MAX - 1);
	const struct cfs_cluster_lines *l;
	int rc;

	if (stretch >= z->stretches)
		return CFS_ENOTFOUND;
	rc = get_lines(z, stretch, ref, &l, ctx);
	if (rc != CFS_OK)
		return rc;
	if (i >= l->n) {
		cfs_lru_put(*ref);
		return CFS_ENOTFOUND;
	}
	*out = l->v[i];
	return CFS_OK;
}

/* Prefetches members that adjoin in a shard, from l->v[i] on; returns the
 * number of the first line after them. */
static uint32_t prefetch_some(struct zipnum *z,
			       const struct cfs_cluster_lines *l, uint32_t i,
			       uint32_t end)
{
	const struct cfs_cluster_line *first = &l->v[i];
	uint64_t n = first->length;
	struct cfs_lru_ref *shard;

	for (i++; i < end && n < JOIN_MAX &&
	     l->v[i].offset == first->offset + n &&
	     l->v[i].length <= JOIN_MAX - n &&
	     cfs_slice_eq(l->v[i].shard, first->shard); i++)
		n += l->v[i].length;
	shard = cfs_shards_peek(z->shards, first->shard);
	if (shard != NULL && n <= MEMBER_MAX)
		cfs_source_prefetch(cfs_lru_obj(shard), first->offset,
				    (size_t)n);
	cfs_lru_put(shard);
	return i;
}

/* Prefetches n blocks from `number` on, of those whose lines are cached. */
static void prefetch_blocks(struct zipnum *z, uint32_t number, unsigned n)
{
	uint32_t stretch = number >> LINE_BITS, i = number & (LINES_MAX - 1);

	for (; n > 0 && stretch < z->stretches; stretch++, i = 0) {
		struct cfs_lru_ref *ref = cfs_lru_peek(z->lines,
				CFS_LRU_KEY(stretch, 0));
		const struct cfs_cluster_lines *l;
		uint32_t end;

		if (ref == NULL)
			return;
		l = cfs_lru_obj(ref);
		end = i < l->n && n < l->n - i ? i + n : l->n;
		n -= i < end ? end - i : 0;
		while (i < end)
			i = prefetch_some(z, l, i, end);
		cfs_lru_put(ref);
	}
}

/* The block after `number`; behind the last line of a stretch, the first line
 * of the next. */
static uint32_t number_after(const struct cfs_cluster_lines *l, uint32_t number)
{
	return (number & (LINES_MAX - 1)) + 1 < l->n ? number + 1 :
	       ((number >> LINE_BITS) + 1) << LINE_BITS;
}

/* Counts the blocks from `number` on whose lines are cached without a gap;
 * *stretch becomes the first stretch that is not, or z->stretches. */
static uint32_t blocks_known(struct zipnum *z, uint32_t number,
			     uint32_t *stretch)
{
	uint32_t i = number & (LINES_MAX - 1), n = 0;
	struct cfs_lru_ref *ref;

	for (*stretch = number >> LINE_BITS; *stretch < z->stretches &&
	     n < LINES_MAX && (ref = cfs_lru_peek(z->lines,
				CFS_LRU_KEY(*stretch, 0))) != NULL;
	     (*stretch)++, i = 0) {
		const struct cfs_cluster_lines *l = cfs_lru_obj(ref);

		n += i < l->n ? l->n - i : 0;
		cfs_lru_put(ref);
	}
	return n;
}

/* Read-ahead: a listing reads block after block.  Where the lines of those that
 * come next are not here yet, these are fetched. */
static void members_ahead(struct zipnum *z, uint32_t number,
			  const struct cfs_cluster_lines *l,
			  const struct cfs_source *shard)
{
	struct cfs_ahead_block b = {
		.number = number, .next = number_after(l, number),
		.bytes = l->v[number & (LINES_MAX - 1)].length,
	};
	uint32_t stretch;
	unsigned n;

	if (shard->is_local)
		return;
	b.behind = blocks_known(z, b.next, &stretch);
	n = cfs_ahead_blocks(&z->ahead, b);
	if (n > 0)
		prefetch_blocks(z, b.next, n);
	if (n > 0 && n == b.behind && stretch < z->stretches)
		cfs_source_prefetch(z->x.base.src,
				    (uint64_t)stretch * CFS_STRETCH_BYTES,
				    CFS_STRETCH_READ_BYTES);
}

static int zipnum_read(struct cfs_cdx *x, uint32_t number,
		       struct cfs_cdx_text_in *out, struct cfs_ctx ctx)
{
	struct zipnum *z = (struct zipnum *)x;
	struct cfs_cluster_line line;
	struct cfs_lru_ref *ref, *shard;
	int rc = line_of(z, number, &ref, &line, ctx);

	if (rc != CFS_OK)
		return rc;
	if (cfs_cluster_is_damaged(&line)) {
		cfs_lru_put(ref);
		return cfs_error_at(ctx.err, CFS_EFORMAT, x->base.src->name,
				    line.offset, "not a line of a cluster.idx: "
				    "captures between its neighbours cannot be "
				    "read");
	}
	rc = cfs_shards_get(z->shards, line.shard, &shard, ctx);
	if (rc == CFS_OK) {
		members_ahead(z, number, cfs_lru_obj(ref), cfs_lru_obj(shard));
		rc = zipnum_read_member(cfs_lru_obj(shard), &line, out, ctx);
		cfs_lru_put(shard);
	}
	cfs_lru_put(ref);
	return rc;
}

static void zipnum_hint(struct cfs_cdx *x, uint32_t number)
{
	if (!x->base.src->is_local)
		prefetch_blocks((struct zipnum *)x, number + 1, 1);
}

static void zipnum_close(struct cfs_cdx *x)
{
	struct zipnum *z = (struct zipnum *)x;

	cfs_lru_free(z->lines);
	cfs_shards_free(z->shards);
	cfs_search_free(z->search);
}

static const struct cfs_cdx_layout zipnum_layout = {
	.find = zipnum_find, .following = zipnum_following,
	.read = zipnum_read, .cut = zipnum_cut, .hint = zipnum_hint,
	.close = zipnum_close,
};

/* ---- opening ---- */

static int open_cluster(struct zipnum *z, const struct cfs_index_opts *opts,
			struct cfs_error *err)
{
	struct cfs_source *src = z->x.base.src;
	uint64_t n;
	int rc = cfs_source_find_size(src, CFS_CTX(opts->cancel, err));

	if (rc != CFS_OK)
		return rc;
	n = cfs_stretch_count(src->size);
	if (n > STRETCHES_MAX)
		return cfs_error_at(err, CFS_ELIMIT, src->name, 0,
				    "too large for a cluster.idx");
	z->x.base.has_languages = true;
	z->stretches = (uint32_t)n;
	z->search = cfs_search_new(z->stretches);
	/* a quarter of the memory for blocks: most of a large cluster.idx */
	z->lines = cfs_lru_new(opts->block_cache_bytes / 4, cfs_cluster_free);
	z->x.base.caches[1] = z->lines;
	z->shards = cfs_shards_new(opts->location != NULL ? opts->location :
				   src->name, opts->opener);
	if (z->search == NULL || z->lines == NULL || z->shards == NULL)
		return cfs_error_nomem(err);
	return CFS_OK;
}

int cfs_zipnum_open(struct cfs_index **out, struct cfs_source *src,
		    const struct cfs_index_opts *opts, struct cfs_error *err)
{
	struct zipnum *z = calloc(1, sizeof(*z));
	int rc;

	*out = NULL;
	if (z == NULL) {
		cfs_source_close(src);
		return cfs_error_nomem(err);
	}
	rc = cfs_cdx_init(&z->x, src, "ZipNum", &zipnum_layout,
			  opts->block_cache_bytes / 4 * 3, err);
	if (rc == CFS_OK)
		rc = open_cluster(z, opts, err);
	if (rc != CFS_OK) {
		cfs_cdx_close(&z->x.base);
		return rc;
	}
	*out = &z->x.base;
	return CFS_OK;
}

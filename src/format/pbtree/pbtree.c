/* pbtree.c - reads trivio's prefix B-tree of URLs (2012).
 *
 * Spec: doc/formats.md, "PB-tree".  All integers little-endian and unsigned.
 *
 *     off  size  meaning
 *     0    4     block size B, here 8 to CFS_PBTREE_BLOCK_MAX
 *     4    4     number of index blocks N, at least 1
 *     8    N*B   index blocks; block 0 is the root
 *     ..   M*B   data blocks, the file's remainder
 *
 *     index block = pointer *(prefix NUL pointer) *NUL
 *     data block  = *(key NUL value) *NUL       no item crosses a block
 *     pointer     = u32 block number: an index block if < N
 *     value       = 32 bytes, see pbtree_format.h
 *
 * A list ends with the block or with an empty prefix or key.  Keys ascend
 * bytewise, equal ones repeat.  A lookup goes left of the first prefix that is
 * >= the target.  Pointers in the published file may be wrong, so the result of
 * a descent is a guess: it is checked against the keys of the data block it
 * reaches, and corrected by galloping from there.  A damaged index block costs
 * speed, never entries; a damaged data block, or one in another's place, is an
 * error.
 *
 * Positions: block 0 is the first data block.
 * Limits: CFS_PBTREE_LEVELS_MAX levels; CFS_SLOTS_MAX items in a block.
 * Elsewhere: keys (pbtree_key.c), searches (pbtree_seek.c), writing
 * (pbtree_write.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pbtree_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "url/pbtree_key.h"

/* Read at open: the header, and a root of the published size. */
#define HEAD_BYTES (CFS_PBTREE_HEADER_BYTES + 65536u)

/* --- loading ---------------------------------------------------------- */

static void pbtree_block_free(void *obj)
{
	struct pb_block *b = obj;

	if (b != NULL)
		free(b->off);
	free(b);
}

int cfs_pbtree_bad(const struct pbtree *t, uint32_t number, uint32_t at,
		     struct cfs_error *err, const char *what)
{
	return cfs_error_at(err, CFS_EFORMAT, t->base.src->name,
			    pb_offset(t, number) + at,
			    "PB-tree block %" PRIu32 " is damaged: %s",
			    number, what);
}

/* The length of the list item at `at`; 0 at the end of the list. */
static int item_length(const struct pbtree *t, const struct pb_block *b,
		       uint32_t number, uint32_t at, uint32_t *n,
		       struct cfs_error *err)
{
	uint32_t left = t->block_bytes - at;
	const uint8_t *nul;

	*n = 0;
	if (left == 0 || b->bytes[at] == '\0')
		return CFS_OK;
	nul = memchr(b->bytes + at, '\0', left);
	if (nul == NULL)
		return cfs_pbtree_bad(t, number, at, err, "a key has no end");
	*n = (uint32_t)(nul - (b->bytes + at)) + 1;
	if (left - *n < b->value)
		return cfs_pbtree_bad(t, number, at, err, "an item has no value");
	*n += b->value;
	return CFS_OK;
}

/* Fills off[] from the list that begins at byte `at`.  It is allocated for as
 * many items as could fit, and shrunk once their number is known. */
static int find_items(const struct pbtree *t, struct pb_block *b,
		      uint32_t number, uint32_t at, uint32_t max, size_t *bytes,
		      struct cfs_error *err)
{
	size_t room = (t->block_bytes - at) / (2 + (size_t)b->value);
	uint32_t *off, n;

	if (room > max)
		room = max;
	b->off = off = malloc((room + 1) * sizeof(*off));
	if (off == NULL)
		return cfs_error_nomem(err);
	for (off[0] = at;; off[++b->n] = at) {
		int rc = item_length(t, b, number, at, &n, err);

		if (rc != CFS_OK)
			return rc;
		if (n == 0)
			break;
		if (b->n == room)
			return cfs_error_at(err, CFS_ELIMIT, t->base.src->name,
					    pb_offset(t, number) + at,
					    "PB-tree block %" PRIu32 " has more"
					    " than %zu items", number, room);
		at += n;
	}
	*bytes += (b->n + (size_t)1) * sizeof(*off);
	off = realloc(off, (b->n + (size_t)1) * sizeof(*off));
	if (off != NULL)
		b->off = off;
	return CFS_OK;
}

/* Checks what searches rely on: a data block has items whose keys ascend. */
static int check_data(const struct pbtree *t, const struct pb_block *b,
		      uint32_t number, struct cfs_error *err)
{
	if (b->n == 0)
		return cfs_pbtree_bad(t, number, 0, err, "it has no items");
	for (uint32_t i = 1; i < b->n; i++) {
		if (cfs_slice_cmp(pb_key(b, i - 1), pb_key(b, i)) > 0)
			return cfs_pbtree_bad(t, number, b->off[i], err,
					 "its keys do not ascend");
	}
	return CFS_OK;
}

/* Makes a block from the bytes in `have`, or reads them if that is NULL. */
static int block_make(struct pbtree *t, uint32_t number, const uint8_t *have,
		      struct pb_block **out, size_t *obj_bytes,
		      struct cfs_ctx ctx)
{
	bool is_index = number < t->index_blocks;
	size_t bytes = sizeof(struct pb_block) + t->block_bytes;
	struct pb_block *b = malloc(bytes);
	int rc = CFS_OK;

	if (b == NULL)
		return cfs_error_nomem(ctx.err);
	*b = (struct pb_block){ .value = is_index ? CFS_PBTREE_POINTER_BYTES
					       : t->value_bytes };
	atomic_fetch_add_explicit(&t->base.block_reads, 1,
				  memory_order_relaxed);
	if (have != NULL)
		memcpy(b->bytes, have, t->block_bytes);
	else
		rc = cfs_source_read(t->base.src, b->bytes, t->block_bytes,
				     pb_offset(t, number), ctx);
	if (rc != CFS_OK)
		goto out;
	if (is_index)
		rc = find_items(t, b, number, CFS_PBTREE_POINTER_BYTES,
				UINT32_MAX, &bytes, ctx.err);
	else
		rc = find_items(t, b, number, 0, CFS_SLOTS_MAX, &bytes,
				ctx.err);
	if (rc == CFS_OK && !is_index)
		rc = check_data(t, b, number, ctx.err);
	if (rc != CFS_OK)
		goto out;
	*out = b;
	*obj_bytes = bytes;
	b = NULL;			/* now the caller's */
out:
	pbtree_block_free(b);
	return rc;
}

/* Read-ahead: a listing reads data block after data block. */
static void block_ahead(struct pbtree *t, uint32_t number)
{
	uint32_t all = t->index_blocks + t->data_blocks;
	unsigned n = number < t->index_blocks || t->base.src->is_local ? 0 :
		     cfs_ahead_blocks(&t->ahead, (struct cfs_ahead_block){
			.number = number, .next = number + 1,
			.behind = all - number - 1,
			.bytes = t->block_bytes });

	cfs_source_prefetch(t->base.src, pb_offset(t, number + 1),
			    (size_t)n * t->block_bytes);
}

static int pbtree_block_load(void *arg, struct cfs_lru_key key, void **obj,
			     size_t *obj_bytes, struct cfs_ctx ctx)
{
	struct pb_block *b = NULL;
	int rc;

	block_ahead(arg, (uint32_t)key.a);
	rc = block_make(arg, (uint32_t)key.a, NULL, &b, obj_bytes, ctx);
	*obj = b;
	return rc;
}

int cfs_pbtree_block(struct pbtree *t, uint32_t number,
		     struct cfs_lru_ref **ref, struct pb_block **b,
		     struct cfs_ctx ctx)
{
	int rc = cfs_lru_get(t->lru, CFS_LRU_KEY(number, 0), pbtree_block_load,
			     t, ref, ctx);

	*b = rc == CFS_OK ? cfs_lru_obj(*ref) : NULL;
	return rc;
}

int cfs_pbtree_data(struct pbtree *t, uint32_t i, struct cfs_lru_ref **ref,
		    struct pb_block **b, struct cfs_ctx ctx)
{
	return cfs_pbtree_block(t, t->index_blocks + i, ref, b, ctx);
}

/* --- the iterator's position ------------------------------------------ */

void cfs_pbtree_set_slot(struct cfs_iter *it, const struct pb_block *b,
			   uint32_t number, uint32_t slot)
{
	it->pos = cfs_pos_make(number, slot);
	it->key = pb_key(b, slot);
	it->value = pb_value(b, slot);
}

void cfs_pbtree_set(struct cfs_iter *it, struct cfs_lru_ref *ref,
			  uint32_t number, uint32_t slot)
{
	cfs_lru_put(it->block_ref);
	it->block_ref = ref;
	cfs_pbtree_set_slot(it, cfs_lru_obj(ref), number, slot);
}

int cfs_pbtree_moved(struct cfs_iter *it, uint32_t number, int rc)
{
	if (rc == CFS_EFORMAT || rc == CFS_ELIMIT)
		it->hole = cfs_pos_make(number, 0);
	return rc;
}

static int pbtree_at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		     struct cfs_ctx ctx)
{
	struct pbtree *t = (struct pbtree *)ix;
	uint32_t number = cfs_pos_block(pos), slot = cfs_pos_slot(pos);
	struct cfs_lru_ref *ref;
	struct pb_block *b;
	int rc;

	if (pos >> 48 != 0 || number >= t->data_blocks)
		return CFS_ENOTFOUND;
	if (it->block_ref == NULL || cfs_pos_block(it->pos) != number) {
		rc = cfs_pbtree_data(t, number, &ref, &b, ctx);
		if (rc != CFS_OK)
			return cfs_pbtree_moved(it, number, rc);
		cfs_pbtree_set(it, ref, number, 0);
	}
	b = cfs_lru_obj(it->block_ref);
	if (slot >= b->n)
		return CFS_ENOTFOUND;
	cfs_pbtree_set_slot(it, b, number, slot);
	return CFS_OK;
}

/* Fails if block b is not behind the key `before`, or ends behind the first key
 * of the block that follows it, while that is behind `before`: then b is in the
 * wrong place, and what follows is not.  A block on a server is not compared
 * with the next one before it is given. */
static int check_place(struct pbtree *t, const struct pb_block *b,
		       uint32_t number, struct cfs_slice before,
		       struct cfs_ctx ctx)
{
	int last = 0, next = -1, rc = CFS_OK;

	if (t->base.src->is_local && number + 1 < t->data_blocks)
		rc = cfs_pbtree_order(t, number + 1, pb_key(b, b->n - 1), &last,
				      ctx);
	if (rc == CFS_OK && last < 0)
		rc = cfs_pbtree_order(t, number + 1, before, &next, ctx);
	if (rc != CFS_OK ||
	    (cfs_slice_cmp(before, pb_key(b, 0)) <= 0 && next < 0))
		return rc;
	return cfs_pbtree_bad(t, t->index_blocks + number, 0, ctx.err,
			      "the keys of the blocks do not ascend");
}

/* Moves to the first entry of a block; it stands before, at a lesser key, or
 * nowhere. */
static int pbtree_next_block(struct pbtree *t, uint32_t number,
			     struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct cfs_lru_ref *ref = NULL;
	struct pb_block *b;
	int rc;

	if (number >= t->data_blocks)
		return CFS_END;
	rc = cfs_pbtree_data(t, number, &ref, &b, ctx);
	if (rc == CFS_OK && (rc = check_place(t, b, number, it->key, ctx)) !=
	    CFS_OK)
		cfs_lru_put(ref);
	if (rc != CFS_OK)
		return cfs_pbtree_moved(it, number, rc);
	cfs_pbtree_set(it, ref, number, 0);
	if (number + 1 < t->data_blocks)
		cfs_source_prefetch(t->base.src, pb_offset(t,
				    t->index_blocks + number + 1),
				    t->block_bytes);
	return CFS_OK;
}

static int pbtree_next(struct cfs_iter *it, struct cfs_ctx ctx)
{
	const struct pb_block *b = cfs_lru_obj(it->block_ref);
	uint32_t slot = cfs_pos_slot(it->pos) + 1;

	if (slot == b->n)
		return pbtree_next_block((struct pbtree *)it->ix,
					 cfs_pos_block(it->pos) + 1, it, ctx);
	cfs_pbtree_set_slot(it, b, cfs_pos_block(it->pos), slot);
	return CFS_OK;
}

static int pbtree_skip(struct cfs_iter *it, cfs_pos hole, struct cfs_ctx ctx)
{
	return pbtree_next_block((struct pbtree *)it->ix,
				 cfs_pos_block(hole) + 1, it, ctx);
}

/* --- entries ---------------------------------------------------------- */

static int pbtree_capture(struct cfs_iter *it, struct cfs_capture *out,
			  struct cfs_error *err)
{
	struct cfs_pbtree_value v;

	if (it->value.n != CFS_PBTREE_VALUE_BYTES)
		return cfs_error_set(err, CFS_EFORMAT,
				     "a value of %zu bytes is not a location",
				     it->value.n);
	cfs_pbtree_value_decode(it->value.p, &v);
	*out = (struct cfs_capture){
		.kind = CFS_KIND_ARC,
		.time = (int64_t)(v.date_ms / 1000),
		.mime = CFS_SLICE_EMPTY,
		.languages = CFS_SLICE_EMPTY,
		.url = CFS_SLICE_EMPTY,
		.scheme = cfs_pbtree_key_scheme(it->key),
		.loc = {
			.file = { v.segment, v.date_ms, v.partition },
			.offset = v.offset,
			.length = v.length,
		},
	};
	return CFS_OK;
}

static int pbtree_archive_name(struct cfs_index *ix, const struct cfs_span *loc,
			       struct cfs_buf *out, struct cfs_error *err)
{
	int rc = cfs_buf_addf(out, "segment/%" PRIu64 "/%" PRIu64 "_%" PRIu64
			      ".arc.gz", loc->file[0], loc->file[1],
			      loc->file[2]);

	(void)ix;
	if (rc != CFS_OK)
		cfs_error_set(err, rc, "no room for an archive's name");
	return rc;
}

static int pbtree_split(struct cfs_index *ix, struct cfs_slice key,
			struct cfs_path *out)
{
	int rc = cfs_pbtree_split(key, out);

	if (rc != CFS_OK)
		atomic_fetch_add_explicit(&ix->skipped, 1,
					  memory_order_relaxed);
	return rc;
}

static int pbtree_ranges(struct cfs_index *ix, const struct cfs_path *path,
			 enum cfs_below below, struct cfs_ranges *out)
{
	(void)ix;
	return cfs_pbtree_ranges(path, below, out);
}

static int pbtree_key_url(struct cfs_slice key, enum cfs_scheme scheme,
			  struct cfs_buf *out)
{
	(void)scheme;
	return cfs_pbtree_key_url(key, out);
}

static void pbtree_close(struct cfs_index *ix)
{
	struct pbtree *t = (struct pbtree *)ix;

	cfs_lru_free(t->lru);
	pbtree_block_free(t->root);
	cfs_source_close(t->base.src);
	free(t);
}

static const struct cfs_index_ops pbtree_ops = {
	.seek = cfs_pbtree_seek,
	.at = pbtree_at,
	.next = pbtree_next,
	.skip = pbtree_skip,
	.capture = pbtree_capture,
	.archive_name = pbtree_archive_name,
	.split = pbtree_split,
	.ranges = pbtree_ranges,
	.url_key = cfs_pbtree_url_key,
	.key_url = pbtree_key_url,
	.find_ref = NULL,		/* the 2012 crawl has no revisits */
	.close = pbtree_close,
};

/* --- opening ---------------------------------------------------------- */

bool cfs_pbtree_is_header(struct cfs_slice head, uint64_t file_bytes)
{
	uint32_t block, n;

	if (head.n < CFS_PBTREE_HEADER_BYTES)
		return false;
	if (head.p[0] == 0x1f && head.p[1] == 0x8b)
		return false;			/* gzip */
	block = cfs_le32_get(head.p);
	n = cfs_le32_get(head.p + 4);
	/* A truncated file counts as one too: open reports what is wrong. */
	return block >= CFS_PBTREE_BLOCK_MIN && block <= CFS_PBTREE_BLOCK_MAX &&
	       n >= 1 && file_bytes >= CFS_PBTREE_HEADER_BYTES &&
	       n <= (file_bytes - CFS_PBTREE_HEADER_BYTES) / block;
}

static int check_header(struct pbtree *t, struct cfs_slice head,
			struct cfs_error *err)
{
	struct cfs_source *src = t->base.src;
	uint64_t blocks, end;

	if (!cfs_pbtree_is_header(head, src->size))
		return cfs_error_at(err, CFS_EFORMAT, src->name, 0,
				    "this is not the header of a PB-tree");
	t->block_bytes = cfs_le32_get(head.p);
	t->index_blocks = cfs_le32_get(head.p + 4);
	blocks = (src->size - CFS_PBTREE_HEADER_BYTES) / t->block_bytes;
	end = CFS_PBTREE_HEADER_BYTES + blocks * t->block_bytes;
	if (end != src->size)
		return cfs_error_at(err, CFS_EFORMAT, src->name, end,
				    "the file is cut short: it ends inside"
				    " PB-tree block %" PRIu64, blocks);
	if (blocks > UINT32_MAX)
		return cfs_error_at(err, CFS_ELIMIT, src->name, 0,
				    "PB-tree of %" PRIu64 " blocks", blocks);
	t->base.blocks = blocks - t->index_blocks;
	t->data_blocks = (uint32_t)t->base.blocks;
	return CFS_OK;
}

/* Makes the root, which every search needs; `have` as for block_make. */
static int make_root(struct pbtree *t, const uint8_t *have,
		     struct cfs_error *err)
{
	struct cfs_error why = CFS_ERROR_INIT;
	size_t bytes;
	int rc = block_make(t, 0, have, &t->root, &bytes, CFS_CTX(NULL, &why));

	if (rc == CFS_EFORMAT) {
		cfs_pbtree_report(t, 0, &why);
		return CFS_OK;
	}
	return cfs_error_pass(err, &why, rc);
}

/* Reads header and root, which adjoin: one read for blocks of usual size. */
static int pbtree_read_head(struct pbtree *t, struct cfs_error *err)
{
	uint8_t *head = malloc(HEAD_BYTES);
	size_t got = 0;
	int rc;

	if (head == NULL)
		return cfs_error_nomem(err);
	rc = cfs_source_find_size(t->base.src, CFS_CTX(NULL, err));
	if (rc == CFS_OK)
		rc = cfs_source_read_some(t->base.src, head, HEAD_BYTES, 0,
					  &got, CFS_CTX(NULL, err));
	if (rc == CFS_OK)
		rc = check_header(t, cfs_slice_of(head, got), err);
	if (rc == CFS_OK)
		rc = make_root(t, got - CFS_PBTREE_HEADER_BYTES >=
			       t->block_bytes ? head + CFS_PBTREE_HEADER_BYTES
					      : NULL, err);
	free(head);
	return rc;
}

int cfs_pbtree_open(struct cfs_index **out, struct cfs_source *src,
		    size_t block_cache_bytes, uint32_t value_bytes,
		    struct cfs_error *err)
{
	struct pbtree *t = calloc(1, sizeof(*t));
	int rc;

	assert(value_bytes > 0);
	*out = NULL;
	if (t == NULL) {
		cfs_source_close(src);
		return cfs_error_nomem(err);
	}
	t->base.ops = &pbtree_ops;
	t->base.src = src;
	t->base.format = "PB-tree";
	t->base.keeps_host_case = true;
	t->base.has_all_refs = true;	/* there are no revisits */
	t->value_bytes = value_bytes;
	t->lru = cfs_lru_new(block_cache_bytes, pbtree_block_free);
	t->base.caches[0] = t->lru;
	rc = t->lru != NULL ? pbtree_read_head(t, err) : cfs_error_nomem(err);
	if (rc == CFS_OK)
		*out = &t->base;
	else
		pbtree_close(&t->base);
	return rc;
}

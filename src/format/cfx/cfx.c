/* cfx.c - opens and reads crawlfs indexes (layout: cfx_format.h).
 *
 * Opening reads the header, the tables, and the top block of the tree, which is
 * kept; all other blocks come through an LRU cache and are checked when they
 * are loaded.  A seek reads one block a level, and perhaps the following leaf.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/fileio.h"
#include "base/hash.h"
#include "base/log.h"
#include "cfx_block.h"
#include "cfx_damage.h"
#include "cfx_format.h"
#include "cfx_joindata.h"
#include "cfx_notes.h"
#include "cfx_value.h"
#include "index/related.h"
#include "url/urlkey.h"

bool cfs_cfx_is_magic(struct cfs_slice head)
{
	return cfs_slice_starts(head, cfs_slice_of(CFS_CFX_MAGIC,
						   CFS_CFX_MAGIC_BYTES));
}

static int cfx_bad(const struct cfs_cfx *x, uint64_t off, const char *what,
		   struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EFORMAT, x->base.src->name, off, "%s",
			    what);
}

/* ---- header ---- */

/* True if the level's blocks lie in the file. */
static bool level_fits(const struct cfs_cfx_header *h,
		       const struct cfs_cfx_level *l)
{
	uint64_t bytes;

	if (l->n == 0 || l->last_bytes <= CFS_CFX_BLOCK_HEAD ||
	    l->last_bytes > CFS_CFX_BLOCK_BYTES)
		return false;
	bytes = (uint64_t)(l->n - 1) * CFS_CFX_BLOCK_BYTES + l->last_bytes;
	return l->file_off >= CFS_CFX_HEADER_BYTES &&
	       l->file_off <= h->file_bytes &&
	       bytes <= h->file_bytes - l->file_off;
}

static int check_levels(const struct cfs_cfx *x, struct cfs_error *err)
{
	const struct cfs_cfx_header *h = &x->head;

	if (h->n_levels > CFS_CFX_LEVELS_MAX ||
	    (h->n_levels == 0) != (h->captures == 0))
		return cfx_bad(x, 28, "number of levels is wrong", err);
	for (unsigned i = 0; i < h->n_levels; i++)
		if (!level_fits(h, &h->levels[i]))
			return cfx_bad(x, CFS_CFX_OFF_LEVELS +
				       i * CFS_CFX_LEVEL_BYTES,
				       "a level lies outside the file", err);
	if (h->n_levels > 0 && h->levels[h->n_levels - 1].n != 1)
		return cfx_bad(x, 28, "the top level is not one block", err);
	if (h->n_levels == 0 ? h->refs.n > 0 :
	    h->refs.n > 0 && !level_fits(h, &h->refs))
		return cfx_bad(x, CFS_CFX_OFF_REFS,
			       "references lie outside the file", err);
	return CFS_OK;
}

/* Checks magic, version and checksum of the header. */
static int check_magic(const struct cfs_cfx *x, const uint8_t *p,
		       struct cfs_error *err)
{
	uint32_t version = cfs_le32_get(p + 8);

	if (!cfs_cfx_is_magic(cfs_slice_of(p, CFS_CFX_MAGIC_BYTES)))
		return cfx_bad(x, 0, "is not a crawlfs index", err);
	if (version < CFS_CFX_VERSION)
		return cfs_error_at(err, CFS_EUNSUPPORTED, x->base.src->name, 8,
				    "is a crawlfs index of version %" PRIu32
				    ", which is no longer read: rebuild it "
				    "from its archives with 'crawlfs index'",
				    version);
	if (version > CFS_CFX_VERSION)
		return cfs_error_at(err, CFS_EUNSUPPORTED, x->base.src->name, 8,
				    "is a crawlfs index of version %" PRIu32
				    ", this program reads version %u",
				    version, CFS_CFX_VERSION);
	if (cfs_hash64(cfs_slice_of(p, CFS_CFX_OFF_CHECKSUM), 0) !=
	    cfs_le64_get(p + CFS_CFX_OFF_CHECKSUM))
		return cfx_bad(x, 0, "header is damaged (checksum)", err);
	return CFS_OK;
}

static int cfx_read_header(struct cfs_cfx *x, struct cfs_error *err)
{
	uint8_t p[CFS_CFX_HEADER_BYTES];
	const struct cfs_cfx_header *h = &x->head;
	int rc = cfs_source_read(x->base.src, p, sizeof(p), 0,
				 CFS_CTX(NULL, err));

	if (rc == CFS_OK)
		rc = check_magic(x, p, err);
	if (rc != CFS_OK)
		return rc;
	cfs_cfx_header_decode(p, &x->head);
	x->ref_bytes = cfs_cfx_ref_bytes(h->levels[0].n);
	if (cfs_le32_get(p + 12) != CFS_CFX_HEADER_BYTES ||
	    cfs_le32_get(p + 16) != CFS_CFX_BLOCK_BYTES ||
	    p[20] != CFS_CFX_KEY_ORDER)
		return cfx_bad(x, 12, "unknown block size or key order", err);
	if (h->restart == 0 || h->archive_bits > 32 || h->offset_bits > 64)
		return cfx_bad(x, 21, "restart interval or widths are wrong",
			       err);
	if (h->file_bytes != x->base.src->size)
		return cfs_error_at(err, CFS_EFORMAT, x->base.src->name,
				    x->base.src->size,
				    "ends here, its header says at byte %"
				    PRIu64, h->file_bytes);
	if (!cfs_cfx_notes_fit(h))
		return cfx_bad(x, CFS_CFX_OFF_NOTES,
			       "notes lie outside the file", err);
	if (!cfs_cfx_joindata_all_fit(h))
		return cfx_bad(x, CFS_CFX_OFF_JOINS,
			       "joins lie outside the file", err);
	if (!cfs_cfx_damage_fits(h))
		return cfx_bad(x, CFS_CFX_OFF_DAMAGE,
			       "table of damage lies outside the file", err);
	return check_levels(x, err);
}

/* ---- tables ---- */

static int fetch_section(const struct cfs_cfx *x, enum cfs_cfx_section which,
			 struct cfs_slice *out, struct cfs_error *err)
{
	const struct cfs_cfx_section_at *s = &x->head.sections[which];
	uint8_t *p = x->tables[which];
	int rc = cfs_source_read(x->base.src, p, s->bytes, s->file_off,
				 CFS_CTX(NULL, err));

	if (rc != CFS_OK)
		return rc;
	*out = cfs_slice_of(p, s->bytes);
	if (cfs_hash64(*out, which + 1u) != s->checksum)
		return cfx_bad(x, s->file_off, "table is damaged (checksum)",
			       err);
	return CFS_OK;
}

/* Reads a whole section; it lies in the file, which bounds its size. */
static int read_section(struct cfs_cfx *x, enum cfs_cfx_section which,
			struct cfs_slice *out, struct cfs_error *err)
{
	const struct cfs_cfx_section_at *s = &x->head.sections[which];
	uint64_t at = CFS_CFX_OFF_SECTIONS + which * CFS_CFX_SECTION_BYTES;
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	if (s->file_off > x->head.file_bytes ||
	    s->bytes > x->head.file_bytes - s->file_off)
		return cfx_bad(x, at, "a table lies outside the file", err);
	/* every item takes at least one byte */
	if (s->n > s->bytes || s->n > UINT32_MAX)
		return cfx_bad(x, at + 24, "a table has more items than bytes",
			       err);
	x->tables[which] = malloc(s->bytes + 1);
	if (x->tables[which] == NULL)
		return cfs_error_nomem(err);
	rc = fetch_section(x, which, out, &e);
	if (cfs_source_may_read_again(x->base.src, s->file_off, s->bytes, rc,
				      &e))
		rc = fetch_section(x, which, out, &e);
	return cfs_error_pass(err, &e, rc);
}

static int read_symbols(struct cfs_cfx *x, struct cfs_error *err)
{
	struct cfs_slice s;
	int rc = read_section(x, CFS_CFX_SYMBOLS, &s, err);

	if (rc == CFS_OK && cfs_symbols_parse(s, &x->symbols) != CFS_OK)
		rc = cfx_bad(x, x->head.sections[CFS_CFX_SYMBOLS].file_off,
			     "symbol table is damaged", err);
	return rc;
}

static int read_archives(struct cfs_cfx *x, struct cfs_error *err)
{
	const struct cfs_cfx_section_at *at =
		&x->head.sections[CFS_CFX_ARCHIVES];
	struct cfs_cursor c = { CFS_SLICE_EMPTY, false };
	int rc = read_section(x, CFS_CFX_ARCHIVES, &c.rest, err);

	if (rc != CFS_OK)
		return rc;
	x->n_archives = (uint32_t)at->n;
	x->base.archives = x->n_archives;
	x->archives = calloc(at->n + 1, sizeof(*x->archives));
	if (x->archives == NULL)
		return cfs_error_nomem(err);
	for (uint32_t i = 0; i < x->n_archives; i++) {
		struct cfs_slice fixed = cfs_cursor_take(&c, CFS_CFX_ROW_BYTES);
		ptrdiff_t n = cfs_slice_find(c.rest, 0);

		if (c.bad || n < 0 ||
		    !cfs_name_stays_below(cfs_slice_sub(c.rest, 0, (size_t)n)))
			return cfx_bad(x, at->file_off + at->bytes - c.rest.n,
				       "archive table is damaged", err);
		cfs_cursor_take(&c, (size_t)n + 1);
		x->archives[i] = fixed.p;
	}
	return c.rest.n == 0 ? CFS_OK :
		cfx_bad(x, at->file_off, "archive table is too long", err);
}

static int cfx_read_mimes(struct cfs_cfx *x, struct cfs_error *err)
{
	const struct cfs_cfx_section_at *at = &x->head.sections[CFS_CFX_MIMES];
	struct cfs_cursor c = { CFS_SLICE_EMPTY, false };
	int rc = read_section(x, CFS_CFX_MIMES, &c.rest, err);

	if (rc != CFS_OK)
		return rc;
	x->n_mimes = (uint32_t)at->n;
	x->mimes = calloc(at->n + 1, sizeof(*x->mimes));
	if (x->mimes == NULL)
		return cfs_error_nomem(err);
	for (uint32_t i = 0; i < x->n_mimes; i++)
		x->mimes[i] = cfs_cursor_take(&c, cfs_cursor_u8(&c));
	return !c.bad && c.rest.n == 0 ? CFS_OK :
		cfx_bad(x, at->file_off, "table of MIME types is damaged", err);
}

static int read_classes(struct cfs_cfx *x, struct cfs_error *err)
{
	const struct cfs_cfx_section_at *at =
		&x->head.sections[CFS_CFX_CLASSES];
	struct cfs_slice s;
	size_t bad;
	int rc = read_section(x, CFS_CFX_CLASSES, &s, err);

	if (rc != CFS_OK)
		return rc;
	rc = cfs_cfx_classes_read(x, s, at->n, &bad);
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(err);
	return rc == CFS_OK ? CFS_OK :
	       cfx_bad(x, at->file_off + bad, "table of classes is damaged",
		       err);
}

/* ---- blocks ---- */

static int cfx_load(void *arg, struct cfs_lru_key key, void **obj,
		    size_t *bytes, struct cfs_ctx ctx)
{
	struct cfs_cfx_block *b;
	int rc;

	if (key.a == CFS_CFX_LEVEL_NOTES)
		return cfs_cfx_notes_load(arg, key.b, obj, bytes, ctx);
	rc = cfs_cfx_block_load(arg, (unsigned)key.a, (uint32_t)key.b, &b,
				bytes, ctx);

	*obj = b;
	return rc;
}

static int get_block(struct cfs_cfx *x, unsigned level, uint64_t number,
		     struct cfs_lru_ref **out, struct cfs_ctx ctx)
{
	return cfs_lru_get(x->blocks, CFS_LRU_KEY(level, number), cfx_load, x,
			   out, ctx);
}

/* The leaf that an iterator holds; it must hold one. */
static struct cfs_cfx_block *leaf_of(const struct cfs_iter *it)
{
	return cfs_lru_obj(it->block_ref);
}

/* Takes the result of a move in a leaf: if that is damaged, it is the hole. */
static int leaf_moved(struct cfs_iter *it, uint32_t number, int rc)
{
	if (rc == CFS_EFORMAT)
		it->hole = cfs_pos_make(number, 0);
	return rc;
}

/* Makes the iterator hold a leaf. */
static int hold_leaf(struct cfs_cfx *x, uint32_t number, struct cfs_iter *it,
		     struct cfs_ctx ctx)
{
	struct cfs_lru_ref *ref;
	int rc;

	if (it->block_ref != NULL && leaf_of(it)->number == number)
		return CFS_OK;
	rc = get_block(x, 0, number, &ref, ctx);
	if (rc == CFS_OK) {
		cfs_lru_put(it->block_ref);
		it->block_ref = ref;
	}
	return leaf_moved(it, number, rc);
}

/* ---- seek ---- */

/* Finds the block of the level below; a child that does not exist is damage. */
static int child_of(const struct cfs_cfx *x, const struct cfs_cfx_block *b,
		    struct cfs_slice key, uint32_t *child,
		    struct cfs_error *err)
{
	uint32_t entry;
	uint64_t n;
	int rc = cfs_cfx_block_child(x, b, key, &entry, err);

	if (rc != CFS_OK)
		return rc;
	n = (uint64_t)b->first_child + entry;
	if (n >= x->head.levels[b->level - 1].n)
		return cfx_bad(x, b->file_off + 12, "child is not in the file",
			       err);
	*child = (uint32_t)n;
	return CFS_OK;
}

/* Logs once that leaves have to be found without a block above them. */
static void report_upper(struct cfs_cfx *x, const struct cfs_error *why)
{
	struct cfs_error e = CFS_ERROR_INIT;

	if (atomic_exchange(&x->is_upper_damaged, true))
		return;
	cfs_error_at(&e, CFS_EFORMAT, why->where, why->offset, "%.200s; this "
		     "block only leads to others: searching without it",
		     why->text);
	cfs_log_error(CFS_LOG_WARNING, &e);
}

/* Finds the last readable leaf in lo .. hi-1 whose first key is < key; lo is
 * such a leaf, or 0. */
static int bisect_leaves(struct cfs_cfx *x, struct cfs_slice key, uint32_t lo,
			 uint32_t hi, uint32_t *leaf, struct cfs_ctx ctx)
{
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2, at = mid;
		struct cfs_lru_ref *ref = NULL;
		int rc = CFS_EFORMAT;

		for (; at < hi && rc == CFS_EFORMAT; at += rc == CFS_EFORMAT) {
			struct cfs_error e = CFS_ERROR_INIT;

			if (cfs_cancelled(ctx.cancel))
				return cfs_error_set(ctx.err, CFS_EINTR,
						     "interrupted");
			rc = get_block(x, 0, at, &ref, CFS_CTX(ctx.cancel, &e));
			if (rc != CFS_OK && rc != CFS_EFORMAT)
				return cfs_error_pass(ctx.err, &e, rc);
		}
		if (rc == CFS_OK &&
		    cfs_slice_cmp(cfs_cfx_restart_key(cfs_lru_obj(ref), 0),
				  key) < 0)
			lo = at;
		else
			hi = mid;
		cfs_lru_put(ref);
	}
	*leaf = lo;
	return CFS_OK;
}

/* Descends to the leaf with the first entry >= key, or to the one before. */
static int follow_levels(struct cfs_cfx *x, struct cfs_slice key,
			 uint32_t *leaf, struct cfs_ctx ctx)
{
	unsigned level = x->head.n_levels - 1;
	int rc;

	if (level == 0 || key.n == 0)
		return CFS_OK;
	if (x->root == NULL)
		return CFS_EFORMAT;	/* it was reported */
	rc = child_of(x, x->root, key, leaf, ctx.err);
	while (rc == CFS_OK && --level > 0) {
		struct cfs_lru_ref *ref;

		rc = get_block(x, level, *leaf, &ref, ctx);
		if (rc == CFS_OK) {
			rc = child_of(x, cfs_lru_obj(ref), key, leaf, ctx.err);
			cfs_lru_put(ref);
		}
	}
	return rc;
}

/* The same, past damage above the leaves, which costs time, but no entry. */
static int cfx_descend(struct cfs_cfx *x, struct cfs_slice key, uint32_t *leaf,
		       struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	*leaf = 0;
	rc = follow_levels(x, key, leaf, CFS_CTX(ctx.cancel, &e));
	if (rc != CFS_EFORMAT)
		return cfs_error_pass(ctx.err, &e, rc);
	report_upper(x, &e);
	return bisect_leaves(x, key, 0, x->head.levels[0].n, leaf, ctx);
}

/* Moves to the first entry of the next leaf: the answer of a seek that reached
 * the end of a leaf. */
static int cfx_next_leaf(struct cfs_cfx *x, uint32_t number,
			 struct cfs_iter *it, struct cfs_ctx ctx)
{
	int rc;

	if (number + 1 >= x->head.levels[0].n)
		return CFS_END;
	rc = hold_leaf(x, number + 1, it, ctx);
	if (rc != CFS_OK)
		return rc;
	return leaf_moved(it, number + 1, cfs_cfx_block_at(x, leaf_of(it), 0,
							   it, ctx.err));
}

/* True if the first entry >= key cannot be before this leaf. */
static bool may_hold(const struct cfs_cfx_block *b, struct cfs_slice key)
{
	return b->number == 0 ||
	       cfs_slice_cmp(cfs_cfx_restart_key(b, 0), key) < 0;
}

static int cfx_seek(struct cfs_index *ix, struct cfs_slice key,
		    struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct cfs_cfx *x = (struct cfs_cfx *)ix;
	uint32_t leaf;
	int rc;

	if (x->head.n_levels == 0)
		return CFS_END;
	if (it->block_ref != NULL && may_hold(leaf_of(it), key)) {
		rc = cfs_cfx_block_seek(x, leaf_of(it), key, it, ctx.err);
		if (rc != CFS_END)
			return leaf_moved(it, leaf_of(it)->number, rc);
	}
	rc = cfx_descend(x, key, &leaf, ctx);
	if (rc == CFS_OK)
		rc = hold_leaf(x, leaf, it, ctx);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_cfx_block_seek(x, leaf_of(it), key, it, ctx.err);
	if (rc != CFS_END)
		return leaf_moved(it, leaf, rc);
	rc = cfx_next_leaf(x, leaf, it, ctx);
	if (rc == CFS_OK && cfs_slice_cmp(it->key, key) < 0)
		rc = leaf_moved(it, leaf + 1,
				cfx_bad(x, leaf_of(it)->file_off +
						   CFS_CFX_BLOCK_HEAD,
					"keys are out of order", ctx.err));
	return rc;
}

static int cfx_at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		  struct cfs_ctx ctx)
{
	struct cfs_cfx *x = (struct cfs_cfx *)ix;
	int rc;

	if (pos >> 48 != 0 || x->head.n_levels == 0 ||
	    cfs_pos_block(pos) >= x->head.levels[0].n)
		return CFS_ENOTFOUND;
	rc = hold_leaf(x, cfs_pos_block(pos), it, ctx);
	if (rc == CFS_OK && cfs_pos_slot(pos) >= leaf_of(it)->n_entries)
		rc = CFS_ENOTFOUND;
	if (rc == CFS_OK)
		rc = leaf_moved(it, cfs_pos_block(pos),
				cfs_cfx_block_at(x, leaf_of(it),
						 cfs_pos_slot(pos), it,
						 ctx.err));
	return rc;
}

static int cfx_next(struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct cfs_cfx *x = (struct cfs_cfx *)it->ix;
	const struct cfs_cfx_block *b = leaf_of(it);

	if (cfs_pos_slot(it->pos) + 1 < b->n_entries)
		return leaf_moved(it, b->number,
				  cfs_cfx_block_step(x, b, it, ctx.err));
	return cfx_next_leaf(x, b->number, it, ctx);
}

static int cfx_skip(struct cfs_iter *it, cfs_pos hole, struct cfs_ctx ctx)
{
	return cfx_next_leaf((struct cfs_cfx *)it->ix, cfs_pos_block(hole), it,
			     ctx);
}

/* ---- values ---- */

static int cfx_capture(struct cfs_iter *it, struct cfs_capture *out,
		       struct cfs_error *err)
{
	const struct cfs_cfx *x = (const struct cfs_cfx *)it->ix;
	int rc;

	*out = (struct cfs_capture){ .mime = CFS_SLICE_EMPTY,
				     .url = CFS_SLICE_EMPTY,
				     .languages = CFS_SLICE_EMPTY,
				     .digest = CFS_SLICE_EMPTY,
				     .related = CFS_SLICE_EMPTY };
	if (it->block_ref == NULL)
		return cfs_error_set(err, CFS_ENOTFOUND, "no entry");
	rc = cfs_cfx_value_decode(x, it, out);
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(err);
	if (rc != CFS_OK)
		return cfx_bad(x, leaf_of(it)->file_off +
			       (uint64_t)(it->value.p - leaf_of(it)->p),
			       "value is damaged", err);
	return CFS_OK;
}

static int cfx_notes(struct cfs_index *ix, const struct cfs_notes_at *at,
		     struct cfs_buf *out, struct cfs_ctx ctx)
{
	struct cfs_cfx *x = (struct cfs_cfx *)ix;
	struct cfs_lru_ref *ref;
	int rc =
		get_block(x, CFS_CFX_LEVEL_NOTES, at->block, &ref, ctx);

	if (rc == CFS_OK) {
		rc = cfs_cfx_notes_add(x, cfs_lru_obj(ref), at, out, ctx.err);
		cfs_lru_put(ref);
	}
	return rc;
}

static int cfx_archive_name(struct cfs_index *ix, const struct cfs_span *loc,
			    struct cfs_buf *out, struct cfs_error *err)
{
	const struct cfs_cfx *x = (const struct cfs_cfx *)ix;
	const uint8_t *name;

	if (loc->file[0] >= x->n_archives)
		return cfs_error_at(err, CFS_EFORMAT, ix->src->name, 0,
				    "archive number is wrong");
	name = x->archives[loc->file[0]] + CFS_CFX_ROW_BYTES;
	if (cfs_buf_adds(out, (const char *)name) != CFS_OK)
		return cfs_error_set(err, out->failed,
				     "name does not fit in memory");
	return CFS_OK;
}

/* ---- keys ---- */

static int cfx_split(struct cfs_index *ix, struct cfs_slice key,
		     struct cfs_path *out)
{
	(void)ix;
	return cfs_urlkey_split(key, out);
}

static int cfx_ranges(struct cfs_index *ix, const struct cfs_path *path,
		      enum cfs_below below, struct cfs_ranges *out)
{
	(void)ix;
	return cfs_urlkey_ranges(path, below, out);
}

static int cfx_url_key(struct cfs_slice url, struct cfs_buf *out)
{
	int rc = cfs_urlkey_encode(url, out);

	return rc == CFS_ELIMIT || rc == CFS_EFORMAT ? CFS_ENOTFOUND : rc;
}

/* ---- references ---- */

static uint64_t ref_number(const struct cfs_cfx *x,
			   const struct cfs_cfx_block *b, uint32_t i,
			   unsigned from, unsigned to)
{
	const uint8_t *p = b->p + CFS_CFX_BLOCK_HEAD + i * x->ref_bytes;
	uint64_t v = 0;

	while (to > from)
		v = v << 8 | p[--to];
	return v;
}

static uint64_t ref_hash(const struct cfs_cfx *x,
			 const struct cfs_cfx_block *b, uint32_t i)
{
	return ref_number(x, b, i, 0, CFS_CFX_REF_HASH_BYTES);
}

static cfs_pos ref_pos(const struct cfs_cfx *x, const struct cfs_cfx_block *b,
		       uint32_t i)
{
	return ref_number(x, b, i, CFS_CFX_REF_HASH_BYTES, x->ref_bytes);
}

/* The first reference of a block whose hash is not less. */
static uint32_t first_ref(const struct cfs_cfx *x,
			  const struct cfs_cfx_block *b, uint64_t hash)
{
	uint32_t at = 0;

	CFS_LOWER_BOUND(at, b->n_entries, i, ref_hash(x, b, i) < hash);
	return at;
}

/* The last block of references that begins below hash, or block 0. */
static int ref_block(struct cfs_cfx *x, uint64_t hash, uint32_t *out,
		     struct cfs_ctx ctx)
{
	uint32_t lo = 0, hi = x->head.refs.n;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		struct cfs_lru_ref *ref;
		int rc = get_block(x, CFS_CFX_LEVEL_REFS, mid, &ref, ctx);

		if (rc != CFS_OK)
			return rc;
		if (ref_hash(x, cfs_lru_obj(ref), 0) < hash)
			lo = mid;
		else
			hi = mid;
		cfs_lru_put(ref);
	}
	*out = lo;
	return CFS_OK;
}

static int cfx_find_ref(struct cfs_index *ix, struct cfs_slice want,
			cfs_pos *out, size_t max, size_t *n, struct cfs_ctx ctx)
{
	struct cfs_cfx *x = (struct cfs_cfx *)ix;
	uint64_t hash = cfs_cfx_short_hash(cfs_hash64(want, 0),
					   CFS_CFX_REF_HASH_BYTES);
	bool more = x->head.refs.n > 0;
	uint32_t number = 0;
	int rc = CFS_OK;

	if (more)
		rc = ref_block(x, hash, &number, ctx);
	for (; rc == CFS_OK && more && number < x->head.refs.n; number++) {
		struct cfs_lru_ref *ref;
		const struct cfs_cfx_block *b;
		uint32_t i;

		rc = get_block(x, CFS_CFX_LEVEL_REFS, number, &ref, ctx);
		if (rc != CFS_OK)
			break;
		b = cfs_lru_obj(ref);
		for (i = first_ref(x, b, hash); i < b->n_entries && *n < max &&
		     ref_hash(x, b, i) == hash; i++)
			out[(*n)++] = ref_pos(x, b, i);
		more = i == b->n_entries;
		cfs_lru_put(ref);
	}
	return rc;
}

int cfs_cfx_for_each_ref(struct cfs_index *ix,
			 int (*fn)(void *arg, uint64_t hash, cfs_pos pos,
				   struct cfs_error *err),
			 void *arg, struct cfs_ctx ctx)
{
	struct cfs_cfx *x = (struct cfs_cfx *)ix;
	struct cfs_lru_ref *ref;
	int rc = CFS_OK;

	for (uint32_t n = 0; rc == CFS_OK && n < x->head.refs.n; n++) {
		const struct cfs_cfx_block *b;

		rc = get_block(x, CFS_CFX_LEVEL_REFS, n, &ref, ctx);
		if (rc != CFS_OK)
			break;
		b = cfs_lru_obj(ref);
		for (uint32_t i = 0; rc == CFS_OK && i < b->n_entries; i++)
			rc = fn(arg, ref_hash(x, b, i), ref_pos(x, b, i),
				ctx.err);
		cfs_lru_put(ref);
	}
	return rc;
}

/* ---- the rest ---- */

bool cfs_cfx_is_upper_damaged(const struct cfs_index *ix)
{
	return atomic_load(&((const struct cfs_cfx *)ix)->is_upper_damaged);
}

static void cfx_close(struct cfs_index *ix)
{
	struct cfs_cfx *x = (struct cfs_cfx *)ix;

	cfs_lru_free(x->blocks);
	free(x->root);
	for (unsigned i = 0; i < CFS_CFX_SECTIONS; i++)
		free(x->tables[i]);
	free(x->archives);
	free(x->mimes);
	free(x->classes);
	cfs_source_close(ix->src);
	free(x);
}

static const struct cfs_index_ops cfx_ops = {
	.seek = cfx_seek,
	.at = cfx_at,
	.next = cfx_next,
	.skip = cfx_skip,
	.capture = cfx_capture,
	.notes = cfx_notes,
	.damage = cfs_cfx_damage,
	.archive_name = cfx_archive_name,
	.split = cfx_split,
	.split_below = cfs_urlkey_split_below,
	.ranges = cfx_ranges,
	.url_key = cfx_url_key,
	.key_url = cfs_urlkey_url,
	.find_ref = cfx_find_ref,
	.close = cfx_close,
};

/* Largest gap between two wanted ranges that are read in one request. */
#define GAP_MAX 16384u
/* Levels above the leaves up to this size (indexes of 100 million captures) are
 * prefetched when the index is opened: a lookup then takes one request. */
#define UPPER_MAX (UINT64_C(1) << 20)

/* Prefetches from the first block above the leaves to the end of the tables;
 * notes and joindata lie behind.  False if there is none or too much. */
static bool upper_ahead(const struct cfs_cfx *x)
{
	const struct cfs_cfx_header *h = &x->head;
	const struct cfs_cfx_section_at *last = &h->sections[CFS_CFX_CLASSES];
	uint64_t off, end = h->file_bytes;

	if (h->n_levels < 2)
		return false;
	off = h->levels[1].file_off;	/* lies in the file: check_levels */
	if ((h->n_notes > 0 || h->has_joins) && last->file_off < end &&
	    last->bytes < end - last->file_off)
		end = last->file_off + last->bytes;
	if (end < off || end - off > UPPER_MAX)
		return false;
	cfs_source_prefetch(x->base.src, off, (size_t)(end - off));
	return true;
}

/* Prefetches what opening a remote index reads, the top block and the tables,
 * with one request for what lies together. */
static void rest_ahead(const struct cfs_cfx *x)
{
	const struct cfs_cfx_header *h = &x->head;
	uint64_t off = 0, n = 0;

	if (x->base.src->is_local || upper_ahead(x))
		return;
	if (h->n_levels > 1) {
		off = h->levels[h->n_levels - 1].file_off;
		n = h->levels[h->n_levels - 1].last_bytes;
	}
	for (unsigned i = 0; i < CFS_CFX_SECTIONS; i++) {
		const struct cfs_cfx_section_at *s = &h->sections[i];

		if (s->file_off > h->file_bytes ||
		    s->bytes > h->file_bytes - s->file_off)
			return;		/* read_section reports it */
		if (n == 0 || s->file_off < off + n ||
		    s->file_off - (off + n) > GAP_MAX) {
			cfs_source_prefetch(x->base.src, off, (size_t)n);
			off = s->file_off;
		}
		n = s->file_off + s->bytes - off;
	}
	cfs_source_prefetch(x->base.src, off, (size_t)n);
}

static int cfx_read_all(struct cfs_cfx *x, struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	size_t bytes;
	int rc = cfx_read_header(x, err);

	if (rc == CFS_OK)
		rest_ahead(x);
	if (rc == CFS_OK)
		rc = read_symbols(x, err);
	if (rc == CFS_OK)
		rc = read_archives(x, err);
	if (rc == CFS_OK)
		rc = cfx_read_mimes(x, err);
	if (rc == CFS_OK)
		rc = read_classes(x, err);
	if (rc == CFS_OK && x->head.n_levels > 1)
		rc = cfs_cfx_block_load(x, x->head.n_levels - 1, 0, &x->root,
					&bytes, CFS_CTX(NULL, &e));
	if (rc != CFS_EFORMAT || e.code == CFS_OK)
		return cfs_error_pass(err, &e, rc);
	report_upper(x, &e);
	return CFS_OK;
}

int cfs_cfx_open(struct cfs_index **out, struct cfs_source *src,
		 size_t block_cache_bytes, struct cfs_error *err)
{
	struct cfs_cfx *x = calloc(1, sizeof(*x));
	int rc;

	*out = NULL;
	if (x == NULL) {
		cfs_source_close(src);
		return cfs_error_nomem(err);
	}
	x->base = (struct cfs_index){ .ops = &cfx_ops, .src = src,
				      .format = "crawlfs index",
				      .has_status = true, .by_time = true,
				      .is_ordered = true };
	x->blocks = cfs_lru_new(block_cache_bytes, free);
	x->base.caches[0] = x->blocks;
	if (x->blocks == NULL)
		rc = cfs_error_nomem(err);
	else
		rc = cfx_read_all(x, err);
	if (rc != CFS_OK) {
		cfx_close(&x->base);
		return rc;
	}
	x->base.view_version = x->head.view_version;
	x->base.has_languages = x->head.has_languages;
	x->base.has_digests = x->head.has_digests;
	x->base.unsized = x->head.unsized;
	x->base.absent = x->head.absent;
	x->base.cut = x->head.cut;
	if (x->head.home[0] != '\0')
		x->base.home = x->head.home;
	x->base.has_all_refs = x->base.home == NULL;
	x->base.captures = x->head.captures;
	x->base.blocks = x->head.n_levels > 0 ? x->head.levels[0].n : 0;
	x->base.last_fill = (uint16_t)(x->head.levels[0].last_bytes /
				       (CFS_CFX_BLOCK_BYTES / CFS_FILL_ALL));
	x->base.skipped = x->head.skipped[CFS_SKIPPED_LONG] +
			  x->head.skipped[CFS_SKIPPED_DEEP] +
			  x->head.skipped[CFS_SKIPPED_NUL];
	*out = &x->base;
	return CFS_OK;
}

/* cfx_block.c - one block of a crawlfs index: loading, searching, stepping.
 *
 * No byte is trusted, even under a good checksum: entries are read with bounds,
 * and an entry that exceeds them is CFS_EFORMAT with its file offset.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_block.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cfx.h"
#include "index/related.h"

static int cfx_block_bad(const struct cfs_cfx *x, const struct cfs_cfx_block *b,
			 uint32_t off, const char *what, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EFORMAT, x->base.src->name,
			    b->file_off + off, "%s", what);
}

struct cfs_slice cfs_cfx_restart_key(const struct cfs_cfx_block *b, uint32_t i)
{
	return (struct cfs_slice){ b->keys + b->key_off[i],
				   b->key_off[i + 1] - b->key_off[i] };
}

/* The limit of the key bytes that each byte of a block stands for, by the
 * shared bytes of restarts: there, a restart that shares more than a few bytes
 * has four bytes at least. */
#define KEY_GROWTH (CFS_CFX_RESTART_SHARED_MAX / 4u + 1u)

/* ---- entries ---- */

/* An entry as it lies in its block. */
struct leaf_entry {
	uint32_t shared;
	struct cfs_slice rest;		/* of the key; in a leaf, coded */
	struct cfs_slice value;		/* empty above the leaves */
	uint32_t next_off;
};

/* Reads a varint of at most 32 bits, as all lengths are; advances *p. */
static inline bool take_u32(const uint8_t **p, const uint8_t *end, uint32_t *v)
{
	uint64_t x = 0;

	for (unsigned shift = 0; shift < 35 && *p < end; shift += 7) {
		uint8_t c = *(*p)++;

		x |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80) {
			*v = (uint32_t)x;
			return x <= UINT32_MAX;
		}
	}
	return false;
}

/* Advances *p past a varint n and n bytes. */
static bool skip_counted(const uint8_t **p, const uint8_t *end)
{
	uint32_t n;

	if (!take_u32(p, end, &n) || n > (size_t)(end - *p))
		return false;
	*p += n;
	return true;
}

static bool skip_varint(const uint8_t **p, const uint8_t *end)
{
	for (unsigned i = 0; i < CFS_VARINT_MAX && *p < end; i++)
		if (*(*p)++ < 0x80)
			return true;
	return false;
}

/* Skips what a value has behind its fixed numbers. */
static bool skip_rest(const uint8_t **p, const uint8_t *end,
		      const struct cfs_cfx_class *c)
{
	if ((c->flags & CFS_CFX_FLAG_INNER) &&
	    (!skip_varint(p, end) || !skip_varint(p, end)))
		return false;
	if ((c->flags & CFS_CFX_FLAG_URL) && !skip_counted(p, end))
		return false;
	return !(c->flags & CFS_CFX_FLAG_EXTRAS) || skip_counted(p, end);
}

static inline bool skip_value(const struct cfs_cfx *x, const uint8_t **p,
			      const uint8_t *end)
{
	const struct cfs_cfx_class *c;
	uint32_t number;

	if (!take_u32(p, end, &number) || number >= x->n_classes)
		return false;
	c = &x->classes[number];
	if (c->fixed > (size_t)(end - *p))
		return false;
	*p += c->fixed;
	return !c->has_rest || skip_rest(p, end, c);
}

/* Reads the two lengths before the rest of a key.  before: what the entry
 * before shares; 0 at a restart. */
static inline bool take_lengths(const uint8_t **p, const uint8_t *end,
				uint32_t before, uint32_t *shared, uint32_t *n)
{
	unsigned step;

	if (*p >= end)
		return false;
	step = **p >> CFS_CFX_REST_BITS;
	*n = *(*p)++ & CFS_CFX_REST_FOLLOWS;
	*shared = before + step - CFS_CFX_SHARED_SAME;
	if (step == CFS_CFX_SHARED_FOLLOWS && !take_u32(p, end, shared))
		return false;
	if (*n == CFS_CFX_REST_FOLLOWS) {
		if (!take_u32(p, end, n) || *n > CFS_CFX_BLOCK_BYTES)
			return false;
		*n += CFS_CFX_REST_FOLLOWS;
	}
	return *shared <= CFS_KEY_MAX;
}

/* Parses the key of an entry only; next_off is then that of its value.
 * before: as in take_lengths */
static inline int parse_key(const struct cfs_cfx_block *b, uint32_t off,
			    uint32_t before, struct leaf_entry *out)
{
	const uint8_t *p = b->p + off, *end = b->p + b->end;
	uint32_t n = 0;

	if (off > b->end ||
	    !take_lengths(&p, end, before, &out->shared, &n) ||
	    n > (size_t)(end - p))
		return CFS_EFORMAT;
	out->rest = (struct cfs_slice){ p, n };
	out->value = (struct cfs_slice){ p + n, 0 };
	out->next_off = (uint32_t)(p + n - b->p);
	return CFS_OK;
}

static int cfx_block_parse_entry(const struct cfs_cfx *x,
				 const struct cfs_cfx_block *b, uint32_t off,
				 uint32_t before, struct leaf_entry *out)
{
	const uint8_t *p, *end = b->p + b->end;
	int rc = parse_key(b, off, before, out);

	if (rc != CFS_OK)
		return rc;
	p = out->value.p;
	if (b->level == 0 && !skip_value(x, &p, end))
		return CFS_EFORMAT;
	out->value.n = (size_t)(p - out->value.p);
	out->next_off = (uint32_t)(p - b->p);
	return CFS_OK;
}

/* Decodes the rest of a key; key has the `shared` bytes before it already. */
static int cfx_block_decode_key(const struct cfs_cfx *x,
				const struct cfs_cfx_block *b,
				const struct leaf_entry *e, uint8_t *key,
				size_t *key_n)
{
	size_t n = e->rest.n;
	int rc = CFS_OK;

	if (b->level == 0)
		rc = cfs_symbols_decode(&x->symbols, e->rest, key + e->shared,
					CFS_KEY_MAX - e->shared, &n);
	else if (n > CFS_KEY_MAX - e->shared)
		rc = CFS_ELIMIT;
	else
		memcpy(key + e->shared, e->rest.p, n);
	*key_n = e->shared + n;
	return rc == CFS_OK ? CFS_OK : CFS_EFORMAT;
}

/* ---- loading ---- */

/* A block that is being loaded: its parts, before they get one allocation. */
struct block_loading {
	struct cfs_cfx_block b;
	uint8_t *p;
	uint32_t *restart_off, *key_off;
	struct cfs_buf keys;
};

static int cfx_block_check_head(const struct cfs_cfx *x,
				struct cfs_cfx_block *b, struct cfs_error *err)
{
	uint64_t sum = cfs_hash64(cfs_slice_of(b->p + 8, b->bytes - 8),
				  cfs_cfx_seed(b->level, b->number));
	uint32_t room = b->bytes - CFS_CFX_BLOCK_HEAD;
	bool refs = b->level == CFS_CFX_LEVEL_REFS;

	if (cfs_le64_get(b->p) != sum)
		return b->level > 0 ?
		       cfx_block_bad(x, b, 0, "block is damaged (checksum)",
				     err) :
		       cfs_error_at(err, CFS_EFORMAT, x->base.src->name,
				    b->file_off, "block %u of %u is damaged "
				    "(checksum)", b->number + 1,
				    x->head.levels[0].n);
	b->n_entries = cfs_le16_get(b->p + 10);
	b->first_child = cfs_le32_get(b->p + 12);
	if (b->p[8] != b->level)
		return cfx_block_bad(x, b, 8, "block is of another level", err);
	if (b->n_entries == 0)
		return cfx_block_bad(x, b, 10, "block is empty", err);
	b->n_restarts = refs ? 0 :
		(b->n_entries + x->head.restart - 1) / x->head.restart;
	if (refs ? b->n_entries > room / x->ref_bytes
		 : b->n_restarts > room / 2)
		return cfx_block_bad(x, b, 10, "block has too many entries",
				     err);
	b->end = b->bytes - 2 * b->n_restarts;
	return CFS_OK;
}

/* Decodes the restarts' keys, each from that of the restart before it.  Restart
 * offsets ascend, and each key there ends before the next: together with the
 * limit of what is shared this bounds all the keys by the block's length. */
static int load_restarts(const struct cfs_cfx *x, struct block_loading *l,
			 struct cfs_error *err)
{
	const struct cfs_cfx_block *b = &l->b;
	uint32_t before = CFS_CFX_BLOCK_HEAD;
	size_t key_n = 0;		/* of the restart before */

	for (uint32_t i = 0; i < b->n_restarts; i++) {
		uint32_t off = cfs_le16_get(b->p + b->end + 2 * i);
		struct leaf_entry e;

		if (i == 0 ? off != before : off < before)
			return cfx_block_bad(x, b, b->end + 2 * i,
					     "restart offset is wrong", err);
		l->restart_off[i] = off;
		l->key_off[i] = (uint32_t)l->keys.n;
		if (parse_key(b, off, 0, &e) != CFS_OK ||
		    e.shared > CFS_CFX_RESTART_SHARED_MAX || e.shared > key_n)
			return cfx_block_bad(x, b, off, "entry is damaged",
					     err);
		before = e.next_off;
		if (cfs_buf_reserve(&l->keys, CFS_KEY_MAX) != CFS_OK)
			return cfs_error_nomem(err);
		if (e.shared > 0)
			memcpy(l->keys.p + l->keys.n,
			       l->keys.p + l->keys.n - key_n, e.shared);
		if (cfx_block_decode_key(x, b, &e, l->keys.p + l->keys.n,
					 &key_n) != CFS_OK)
			return cfx_block_bad(x, b, off, "key is damaged", err);
		l->keys.n += key_n;
	}
	l->key_off[b->n_restarts] = (uint32_t)l->keys.n;
	return CFS_OK;
}

/* Eight bytes of s from off on, big-endian, padded with zeros. */
static uint64_t word_at(struct cfs_slice s, size_t off)
{
	uint8_t t[8] = { 0 };
	uint64_t w = 0;

	s = cfs_slice_sub(s, off, sizeof(t));
	if (s.n > 0)
		memcpy(t, s.p, s.n);
	for (unsigned i = 0; i < 8; i++)
		w = w << 8 | t[i];
	return w;
}

static void fill_words(struct cfs_cfx_block *b, uint64_t *words)
{
	struct cfs_slice first = cfs_cfx_restart_key(b, 0);

	b->skip = (uint32_t)first.n;
	for (uint32_t i = 1; i < b->n_restarts; i++) {
		size_t n = cfs_slice_common(first, cfs_cfx_restart_key(b, i));

		if (n < b->skip)
			b->skip = (uint32_t)n;
	}
	for (uint32_t i = 0; i < b->n_restarts; i++)
		words[i] = word_at(cfs_cfx_restart_key(b, i), b->skip);
}

/* Puts the parts into one allocation. */
static int assemble(const struct block_loading *l, struct cfs_cfx_block **out,
		    size_t *bytes, struct cfs_error *err)
{
	size_t n = l->b.n_restarts, words = n * 8, offs = (n + 1) * 4;
	size_t total = sizeof(struct cfs_cfx_block) + words + 2 * offs +
		       l->keys.n + l->b.bytes + CFS_CFX_BLOCK_PAD;
	struct cfs_cfx_block *b = malloc(total);
	uint8_t *q = (uint8_t *)(b + 1);
	uint64_t *w = (uint64_t *)(void *)q;

	if (b == NULL)
		return cfs_error_nomem(err);
	*b = l->b;
	b->words = w;
	b->restart_off = memcpy(q + words, l->restart_off, offs);
	b->key_off = memcpy(q + words + offs, l->key_off, offs);
	q += words + 2 * offs;
	if (l->keys.n > 0)
		memcpy(q, l->keys.p, l->keys.n);
	b->keys = q;
	b->p = memcpy(q + l->keys.n, l->p, l->b.bytes);
	memset(q + l->keys.n + l->b.bytes, 0, CFS_CFX_BLOCK_PAD);
	if (n > 0)
		fill_words(b, w);
	*out = b;
	*bytes = total;
	return CFS_OK;
}

static int fetch_block(struct cfs_cfx *x, struct block_loading *l,
		       struct cfs_ctx ctx)
{
	struct cfs_cfx_block *b = &l->b;
	int rc = cfs_source_read(x->base.src, l->p, b->bytes, b->file_off, ctx);

	if (rc != CFS_OK)
		return rc;
	atomic_fetch_add_explicit(&x->base.block_reads, 1,
				  memory_order_relaxed);
	return cfx_block_check_head(x, b, ctx.err);
}

static int read_block(struct cfs_cfx *x, struct block_loading *l,
		      struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_cfx_block *b = &l->b;
	int rc;

	b->p = l->p = malloc(b->bytes);
	if (l->p == NULL)
		return cfs_error_nomem(ctx.err);
	rc = fetch_block(x, l, CFS_CTX(ctx.cancel, &e));
	if (cfs_source_may_read_again(x->base.src, b->file_off, b->bytes, rc,
				      &e))
		rc = fetch_block(x, l, CFS_CTX(ctx.cancel, &e));
	if (rc != CFS_OK)
		return cfs_error_pass(ctx.err, &e, rc);
	l->restart_off = calloc(b->n_restarts + 1, sizeof(*l->restart_off));
	l->key_off = calloc(b->n_restarts + 1, sizeof(*l->key_off));
	if (l->restart_off == NULL || l->key_off == NULL)
		return cfs_error_nomem(ctx.err);
	return load_restarts(x, l, ctx.err);
}

/* Read-ahead: a listing reads leaf after leaf. */
static void leaves_ahead(struct cfs_cfx *x, unsigned level, uint32_t number)
{
	const struct cfs_cfx_level *at = &x->head.levels[0];
	unsigned n = level != 0 || x->base.src->is_local ? 0 :
		     cfs_ahead_blocks(&x->ahead, (struct cfs_ahead_block){
			.number = number, .next = number + 1,
			.behind = at->n - number - 1,
			.bytes = CFS_CFX_BLOCK_BYTES });

	if (n > 0)
		cfs_source_prefetch(x->base.src, at->file_off +
				    (uint64_t)(number + 1) *
				    CFS_CFX_BLOCK_BYTES,
				    (size_t)(n - 1) * CFS_CFX_BLOCK_BYTES +
				    cfs_cfx_stored(at, number + n));
}

int cfs_cfx_block_load(struct cfs_cfx *x, unsigned level, uint32_t number,
		       struct cfs_cfx_block **out, size_t *bytes,
		       struct cfs_ctx ctx)
{
	const struct cfs_cfx_level *at = level == CFS_CFX_LEVEL_REFS ?
		&x->head.refs : &x->head.levels[level];
	struct block_loading l = { .b = {
		.level = (uint8_t)level, .number = number,
		.bytes = cfs_cfx_stored(at, number),
		.file_off = at->file_off +
				  (uint64_t)number * CFS_CFX_BLOCK_BYTES,
	} };
	int rc;

	*out = NULL;
	leaves_ahead(x, level, number);
	cfs_buf_init(&l.keys,
		     CFS_CFX_BLOCK_BYTES * (CFS_SYMBOL_BYTES + KEY_GROWTH) +
			     CFS_KEY_MAX);
	rc = read_block(x, &l, ctx);
	if (rc == CFS_OK)
		rc = assemble(&l, out, bytes, ctx.err);
	cfs_buf_release(&l.keys);
	free(l.restart_off);
	free(l.key_off);
	free(l.p);
	return rc;
}

int cfs_cfx_claimed(struct cfs_index *ix, uint32_t leaf, uint32_t *out,
		    struct cfs_ctx ctx)
{
	const struct cfs_cfx *x = (const struct cfs_cfx *)ix;
	uint8_t n[2] = { 0 };
	int rc = cfs_source_read(ix->src, n, sizeof(n),
				 x->head.levels[0].file_off + 10 +
					 (uint64_t)leaf * CFS_CFX_BLOCK_BYTES,
				 ctx);

	*out = cfs_le16_get(n);
	return rc;
}

/* ---- searching ---- */

/* The last restart whose key is < key, or 0. */
static uint32_t find_restart(const struct cfs_cfx_block *b,
			     struct cfs_slice key)
{
	uint32_t lo = 0, hi = b->n_restarts;
	int c = b->skip == 0 ? 0 :
		cfs_slice_cmp(cfs_slice_sub(key, 0, b->skip),
			      (struct cfs_slice){ b->keys, b->skip });
	uint64_t want;

	if (c != 0)	/* the key is less than all or greater than all */
		return c < 0 ? 0 : hi - 1;
	want = word_at(key, b->skip);
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		uint64_t w = b->words[mid];

		if (w != want ? w < want :
		    cfs_slice_cmp(cfs_cfx_restart_key(b, mid), key) < 0)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/*
 * A walk through entries in search of `key`.  No more of a key is decoded than
 * needed: an entry that shares more bytes with the entry before than that one
 * shares with `key` compares as that one did.
 */
struct block_walk {
	struct cfs_slice key;
	size_t match;		/* bytes that `key` has in common with the
				 * last entry */
	size_t entry_n;		/* bytes of that entry's key, if decoded */
	uint8_t *buf;		/* CFS_KEY_MAX bytes: the decoded rest of the
				 * entry's key, at its offset in the key */
};

/* Compares a restart's key with the key, as walk_compare does. */
static int compare_restart(const struct cfs_cfx_block *b, uint32_t restart,
			   struct block_walk *w)
{
	struct cfs_slice key = cfs_cfx_restart_key(b, restart);
	int order = cfs_slice_cmp(key, w->key);

	w->match = cfs_slice_common(key, w->key);
	w->entry_n = key.n;
	if (order >= 0 && key.n > 0)
		memcpy(w->buf, key.p, key.n);
	return order;
}

/* Compares the entry with the key: <0, 0, >0 in *order.  If it is not less, buf
 * holds the entry's key. */
static int walk_compare(const struct cfs_cfx *x, const struct cfs_cfx_block *b,
			const struct leaf_entry *e, struct block_walk *w,
			int *order)
{
	struct cfs_slice rest, want;
	size_t same;

	if (e->shared > w->match) {
		*order = -1;
		return CFS_OK;
	}
	if (cfx_block_decode_key(x, b, e, w->buf, &w->entry_n) != CFS_OK)
		return CFS_EFORMAT;
	rest = (struct cfs_slice){ w->buf + e->shared, w->entry_n - e->shared };
	want = cfs_slice_from(w->key, e->shared);
	same = cfs_slice_common(rest, want);
	w->match = e->shared + same;
	if (same == want.n)
		*order = rest.n > same;
	else
		*order = same == rest.n || rest.p[same] < want.p[same] ? -1 : 1;
	if (*order >= 0 && e->shared > 0)
		memcpy(w->buf, w->key.p, e->shared);
	return CFS_OK;
}

/*
 * Finds the first entry not less than the key, starting at a restart.
 * 0 with *slot, *e; CFS_END; CFS_EFORMAT.
 */
static int walk_to(const struct cfs_cfx *x, const struct cfs_cfx_block *b,
		   uint32_t restart, struct block_walk *w, uint32_t *slot,
		   struct leaf_entry *e, struct cfs_error *err)
{
	uint32_t off = b->restart_off[restart];
	uint32_t i = restart * x->head.restart;
	int order;

	for (; i < b->n_entries; i++, off = e->next_off) {
		if (i % x->head.restart == 0)
			e->shared = 0;
		if (cfx_block_parse_entry(x, b, off, e->shared, e) != CFS_OK)
			return cfx_block_bad(x, b, off, "entry is damaged",
					     err);
		if (i % x->head.restart == 0)
			order = compare_restart(b, i / x->head.restart, w);
		else if (walk_compare(x, b, e, w, &order) != CFS_OK)
			return cfx_block_bad(x, b, off, "key is damaged", err);
		if (order >= 0) {
			*slot = i;
			return CFS_OK;
		}
	}
	*slot = b->n_entries;
	return CFS_END;
}

int cfs_cfx_block_child(const struct cfs_cfx *x, const struct cfs_cfx_block *b,
			struct cfs_slice key, uint32_t *entry,
			struct cfs_error *err)
{
	uint8_t buf[CFS_KEY_MAX];
	struct block_walk w = { .key = key, .buf = buf };
	struct leaf_entry e;
	int rc = walk_to(x, b, find_restart(b, key), &w, entry, &e, err);

	if (rc < 0)
		return rc;
	if (*entry > 0)
		--*entry;
	return CFS_OK;
}

static void put_under(struct cfs_iter *it, const struct cfs_cfx_block *b,
		      uint32_t slot, const struct leaf_entry *e, size_t key_n)
{
	it->pos = cfs_pos_make(b->number, slot);
	it->block_off = e->next_off;
	it->block_shared = e->shared;
	it->key_n = key_n;
	it->key = (struct cfs_slice){ it->key_buf, key_n };
	it->value = e->value;
}

int cfs_cfx_block_seek(const struct cfs_cfx *x, const struct cfs_cfx_block *b,
		       struct cfs_slice key, struct cfs_iter *it,
		       struct cfs_error *err)
{
	struct block_walk w = { .key = key, .buf = it->key_buf };
	struct leaf_entry e;
	uint32_t slot;
	int rc = walk_to(x, b, find_restart(b, key), &w, &slot, &e, err);

	if (rc == CFS_OK)
		put_under(it, b, slot, &e, w.entry_n);
	return rc;
}

/* Decodes the entry at off; key_buf has the key before it, of key_n bytes. */
static inline int step_to(const struct cfs_cfx *x,
			  const struct cfs_cfx_block *b, uint32_t slot,
			  uint32_t off, size_t key_n, struct cfs_iter *it,
			  struct cfs_error *err)
{
	bool is_restart = slot % x->head.restart == 0;
	struct leaf_entry e;
	size_t n;

	if (cfx_block_parse_entry(x, b, off, is_restart ? 0 : it->block_shared,
				  &e) != CFS_OK)
		return cfx_block_bad(x, b, off, "entry is damaged", err);
	if (is_restart) {
		struct cfs_slice key =
			cfs_cfx_restart_key(b, slot / x->head.restart);

		n = key.n;
		if (n > 0)
			memcpy(it->key_buf, key.p, n);
	} else if (e.shared > key_n ||
		   cfx_block_decode_key(x, b, &e, it->key_buf, &n) != CFS_OK) {
		return cfx_block_bad(x, b, off, "key is damaged", err);
	}
	put_under(it, b, slot, &e, n);
	return CFS_OK;
}

int cfs_cfx_block_at(const struct cfs_cfx *x, const struct cfs_cfx_block *b,
		     uint32_t slot, struct cfs_iter *it, struct cfs_error *err)
{
	uint32_t r = slot / x->head.restart, i = r * x->head.restart;
	int rc = step_to(x, b, i, b->restart_off[r], 0, it, err);

	while (rc == CFS_OK && i < slot)
		rc = step_to(x, b, ++i, it->block_off, it->key_n, it, err);
	return rc;
}

int cfs_cfx_block_step(const struct cfs_cfx *x, const struct cfs_cfx_block *b,
		       struct cfs_iter *it, struct cfs_error *err)
{
	return step_to(x, b, cfs_pos_slot(it->pos) + 1, it->block_off,
		       it->key_n, it, err);
}

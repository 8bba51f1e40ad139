/* words.c - opens a list of words, and reads its parts (words_format.h).
 *
 * Opening reads the header, and what lies at the end of the file: the leaves
 * and the top list.  A word is then one block of the dictionary, which an LRU
 * cache keeps, and, unless it is rare, one stretch of the postings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "words_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/lru.h"
#include "postings.h"

#define CACHE_BYTES ((size_t)4 << 20)
/* Bytes of the file in one part of a stream. */
#define PART_FILE_BYTES (CFS_WORDS_PART_BYTES + CFS_WORDS_SUM_BYTES)
/* Parts that are read with one where lists are read one after the other. */
#define PARTS_AHEAD 15u

static int bad(const struct cfs_words *w, uint64_t off, const char *what,
	       struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EFORMAT, w->src->name, off, "%s", what);
}

void cfs_words_damaged(struct cfs_words *w, const struct cfs_error *why)
{
	struct cfs_error e = CFS_ERROR_INIT;

	if (atomic_exchange(&w->is_damaged, true))
		return;
	cfs_error_at(&e, CFS_EFORMAT, why->where, why->offset, "%.150s; texts "
		     "are read for what it would say: rebuild it with "
		     "'crawlfs index --words'", why->text);
	cfs_log_error(CFS_LOG_WARNING, &e);
}

/* ---- reading what is checked ---- */

/* Reads the parts [part, part + n / whole parts) of a stream in one go and puts
 * their bytes together at p. */
static int read_parts(struct cfs_words *w, enum cfs_words_section section,
		      uint64_t part, uint8_t *p, size_t file_bytes,
		      struct cfs_ctx ctx)
{
	uint64_t off = w->head.sections[section].file_off +
		       part * PART_FILE_BYTES;
	int rc = cfs_source_read(w->src, p, file_bytes, off, ctx);

	for (size_t at = 0, to = 0; rc == CFS_OK && at < file_bytes; part++) {
		size_t n = file_bytes - at < PART_FILE_BYTES ?
			   file_bytes - at : PART_FILE_BYTES;
		struct cfs_slice s = cfs_slice_of(p + at + CFS_WORDS_SUM_BYTES,
						  n - CFS_WORDS_SUM_BYTES);

		if (cfs_hash64(s, cfs_words_seed(section, part)) !=
		    cfs_le64_get(p + at))
			rc = bad(w, off + at, "list of words is damaged "
				 "(checksum)", ctx.err);
		memmove(p + to, s.p, s.n);
		to += s.n;
		at += n;
	}
	return rc;
}

/* Fills the window from the part that has byte `off` on, with n bytes at least
 * and as many parts as `ahead` further. */
static int fill_window(struct cfs_words *w, enum cfs_words_section section,
		       uint64_t off, uint64_t n, uint64_t ahead,
		       struct cfs_words_window *to, struct cfs_ctx ctx)
{
	const struct cfs_words_section_at *s = &w->head.sections[section];
	uint64_t part = off / CFS_WORDS_PART_BYTES, file_bytes;
	uint64_t from = part * PART_FILE_BYTES;
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	file_bytes = ((off + n - 1) / CFS_WORDS_PART_BYTES + 1 + ahead) *
		     PART_FILE_BYTES - from;
	if (file_bytes > s->file_bytes - from)
		file_bytes = s->file_bytes - from;
	cfs_words_window_release(to);
	to->p = malloc(file_bytes + CFS_POSTINGS_PAD);
	if (to->p == NULL)
		return cfs_error_nomem(ctx.err);
	memset(to->p + file_bytes, 0, CFS_POSTINGS_PAD);
	rc = read_parts(w, section, part, to->p, file_bytes,
			CFS_CTX(ctx.cancel, &e));
	if (cfs_source_may_read_again(w->src, s->file_off + from, file_bytes,
				      rc, &e))
		rc = read_parts(w, section, part, to->p, file_bytes,
				CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_OK) {
		to->from = part * CFS_WORDS_PART_BYTES;
		to->n = file_bytes - (file_bytes + PART_FILE_BYTES - 1) /
				     PART_FILE_BYTES * CFS_WORDS_SUM_BYTES;
	}
	return cfs_error_pass(ctx.err, &e, rc);
}

/* Lends n bytes from `off` of a stream, of which the window has a stretch, and
 * gets another one if need be.  CFS_POSTINGS_PAD bytes can be read behind
 * them. */
static int window_at(struct cfs_words *w, enum cfs_words_section section,
		     uint64_t off, uint64_t n, struct cfs_words_window *in,
		     struct cfs_slice *bytes, struct cfs_ctx ctx)
{
	const struct cfs_words_section_at *s = &w->head.sections[section];
	uint64_t end = in->from + in->n;
	int rc = CFS_OK;

	if (n == 0 || off > s->bytes || n > s->bytes - off)
		return bad(w, s->file_off, "a list lies outside the postings",
			   ctx.err);
	if (off < in->from || off >= end || n > end - off) {
		bool goes_on = in->n > 0 && off >= in->from &&
			       off <= end + CFS_WORDS_PART_BYTES;
		struct cfs_error e = CFS_ERROR_INIT;

		/* Damage of what is ahead does not matter yet. */
		rc = fill_window(w, section, off, n, goes_on ? PARTS_AHEAD : 0,
				 in, CFS_CTX(ctx.cancel, &e));
		if (rc == CFS_EFORMAT && goes_on) {
			cfs_error_clear(&e);
			rc = fill_window(w, section, off, n, 0, in,
					 CFS_CTX(ctx.cancel, &e));
		}
		cfs_error_pass(ctx.err, &e, rc);
	}
	if (rc == CFS_OK)
		*bytes = cfs_slice_of(in->p + (off - in->from), n);
	return rc;
}

void cfs_words_window_release(struct cfs_words_window *in)
{
	free(in->p);
	*in = (struct cfs_words_window){ 0 };
}

/* ---- header ---- */

static uint64_t stream_file_bytes(uint64_t bytes)
{
	uint64_t parts = bytes / CFS_WORDS_PART_BYTES +
			 (bytes % CFS_WORDS_PART_BYTES != 0);

	return bytes + parts * CFS_WORDS_SUM_BYTES;
}

/* True if the sections lie in the file, one behind the other, and are as long
 * as they say. */
static bool sections_fit(const struct cfs_words_header *h)
{
	uint64_t at = CFS_WORDS_HEADER_BYTES;

	for (unsigned i = 0; i < CFS_WORDS_SECTIONS; i++) {
		const struct cfs_words_section_at *s = &h->sections[i];
		uint64_t bytes = s->bytes;

		if (s->file_off != at || s->bytes > h->file_bytes ||
		    s->file_bytes > h->file_bytes - at)
			return false;
		if (i == CFS_WORDS_POSTINGS || i == CFS_WORDS_LENGTHS)
			bytes = stream_file_bytes(bytes);
		if (i == CFS_WORDS_DICTIONARY)
			bytes += h->blocks * CFS_WORDS_SUM_BYTES;
		if (s->file_bytes != bytes)
			return false;
		at += s->file_bytes;
	}
	return at == h->file_bytes;
}

static bool counts_fit(const struct cfs_words_header *h)
{
	return h->docs < UINT32_MAX && h->unread <= h->docs &&
	       h->longs <= h->docs &&
	       h->blocks <= h->file_bytes / CFS_WORDS_SUM_BYTES &&
	       h->sections[CFS_WORDS_LENGTHS].bytes == h->docs &&
	       h->sections[CFS_WORDS_LEAVES].bytes % 2 == 0 &&
	       h->sections[CFS_WORDS_LEAVES].bytes / 2 <= UINT32_MAX;
}

static int check_header(struct cfs_words *w, const uint8_t *p,
			struct cfs_error *err)
{
	uint32_t version = cfs_le32_get(p + 8);

	if (memcmp(p, CFS_WORDS_MAGIC, CFS_WORDS_MAGIC_BYTES) != 0)
		return bad(w, 0, "is not a list of words", err);
	if (version != CFS_WORDS_FORMAT_VERSION)
		return cfs_error_at(err, CFS_EUNSUPPORTED, w->src->name, 8,
				    "is a list of words of version %" PRIu32
				    ", this program reads version %u: rebuild "
				    "it with 'crawlfs index --words'", version,
				    CFS_WORDS_FORMAT_VERSION);
	if (cfs_hash64(cfs_slice_of(p, CFS_WORDS_OFF_CHECKSUM), 0) !=
	    cfs_le64_get(p + CFS_WORDS_OFF_CHECKSUM))
		return bad(w, 0, "header is damaged (checksum)", err);
	cfs_words_header_decode(p, &w->head);
	if (w->head.file_bytes != w->src->size)
		return cfs_error_at(err, CFS_EFORMAT, w->src->name,
				    w->src->size, "ends here, its header says "
				    "at byte %" PRIu64, w->head.file_bytes);
	if (!counts_fit(&w->head) || !sections_fit(&w->head))
		return bad(w, CFS_WORDS_OFF_SECTIONS,
			   "sections or counts are wrong", err);
	return CFS_OK;
}

static int read_header(struct cfs_words *w, struct cfs_ctx ctx)
{
	uint8_t p[CFS_WORDS_HEADER_BYTES];
	int rc = cfs_source_read(w->src, p, sizeof(p), 0, ctx);

	if (rc == CFS_OK)	/* a server has mostly said it by now */
		rc = cfs_source_find_size(w->src, ctx);
	return rc != CFS_OK ? rc : check_header(w, p, ctx.err);
}

/* ---- sections ---- */

/* Lends a section, which is in memory.  CFS_EFORMAT if it is damaged. */
static int section_of(const struct cfs_words *w, enum cfs_words_section which,
		      struct cfs_slice *out, struct cfs_error *err)
{
	const struct cfs_words_section_at *s = &w->head.sections[which];
	uint64_t from = w->head.sections[CFS_WORDS_LEAVES].file_off;

	*out = cfs_slice_of(w->tail + (s->file_off - from), s->bytes);
	if (cfs_hash64(*out, cfs_words_seed(which, 0)) == s->checksum)
		return CFS_OK;
	return bad(w, s->file_off, "list of words is damaged (checksum)", err);
}

static int decode_leaves(struct cfs_words *w, struct cfs_error *err)
{
	uint64_t n = w->head.sections[CFS_WORDS_LEAVES].bytes / 2, sum = 0;
	struct cfs_slice s;
	int rc = section_of(w, CFS_WORDS_LEAVES, &s, err);

	if (rc != CFS_OK)
		return rc;
	w->leaf_first = calloc(n + 1, sizeof(*w->leaf_first));
	if (w->leaf_first == NULL)
		return cfs_error_nomem(err);
	for (uint64_t i = 0; i < n && sum <= w->head.docs; i++) {
		sum += cfs_le16_get(s.p + 2 * i);
		w->leaf_first[i + 1] = (uint32_t)sum;
	}
	w->n_leaves = (uint32_t)n;
	if (sum != w->head.docs)
		rc = bad(w, w->head.sections[CFS_WORDS_LEAVES].file_off,
			 "entries of leaves are wrong", err);
	return rc;
}

/* Decodes a row of the top list; false: it is wrong. */
static bool decode_row(struct cfs_words *w, uint64_t i, struct cfs_cursor *c)
{
	struct cfs_words_top *t = &w->top[i];
	uint64_t n = cfs_cursor_varint(c), bytes, words, postings;

	if (n == 0 || n > CFS_WORD_MAX)
		return false;
	t->first = cfs_cursor_take(c, n);
	bytes = cfs_cursor_varint(c);
	words = cfs_cursor_varint(c);
	postings = cfs_cursor_varint(c);
	if (c->bad || bytes <= CFS_WORDS_SUM_BYTES ||
	    bytes > CFS_WORDS_BLOCK_MAX + CFS_WORDS_SUM_BYTES || words == 0 ||
	    words > bytes || postings > w->head.file_bytes)
		return false;
	t->bytes = (uint32_t)bytes - CFS_WORDS_SUM_BYTES;
	t->words = (uint32_t)words;
	t->file_off = w->head.sections[CFS_WORDS_DICTIONARY].file_off;
	t->postings = postings;
	if (i == 0)
		return true;
	t->file_off = t[-1].file_off + t[-1].bytes + CFS_WORDS_SUM_BYTES;
	t->postings += t[-1].postings;
	return cfs_slice_cmp(t[-1].first, t->first) < 0 &&
	       t->postings <= w->head.file_bytes;
}

static int decode_top(struct cfs_words *w, struct cfs_error *err)
{
	const struct cfs_words_section_at *d =
		&w->head.sections[CFS_WORDS_DICTIONARY];
	uint64_t at = w->head.sections[CFS_WORDS_TOP].file_off;
	uint64_t words = 0, end = d->file_off;
	struct cfs_cursor c = { CFS_SLICE_EMPTY, false };
	int rc = section_of(w, CFS_WORDS_TOP, &c.rest, err);

	if (rc == CFS_OK && w->head.blocks > c.rest.n)
		rc = bad(w, at, "top list is too short", err);
	if (rc != CFS_OK)
		return rc;
	w->top = calloc(w->head.blocks + 1, sizeof(*w->top));
	if (w->top == NULL)
		return cfs_error_nomem(err);
	for (uint64_t i = 0; i < w->head.blocks; i++) {
		if (!decode_row(w, i, &c))
			return bad(w, at, "top list is wrong", err);
		words += w->top[i].words;
		end = w->top[i].file_off + w->top[i].bytes +
		      CFS_WORDS_SUM_BYTES;
	}
	if (c.rest.n > 0 || words != w->head.words ||
	    end != d->file_off + d->file_bytes)
		return bad(w, at, "top list is wrong", err);
	return CFS_OK;
}

/* Reads the sections, which end the file. */
static int read_tail(struct cfs_words *w, struct cfs_ctx ctx)
{
	uint64_t off = w->head.sections[CFS_WORDS_LEAVES].file_off;
	size_t n = (size_t)(w->head.file_bytes - off);
	int rc = cfs_source_read(w->src, w->tail, n, off, ctx);

	free(w->leaf_first);
	free(w->top);
	w->leaf_first = NULL;
	w->top = NULL;
	if (rc == CFS_OK)
		rc = decode_leaves(w, ctx.err);
	if (rc == CFS_OK)
		rc = decode_top(w, ctx.err);
	return rc;
}

static int read_sections(struct cfs_words *w, struct cfs_ctx ctx)
{
	uint64_t off = w->head.sections[CFS_WORDS_LEAVES].file_off;
	uint64_t n = w->head.file_bytes - off;
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	w->tail = malloc(n + CFS_POSTINGS_PAD);
	if (w->tail == NULL)
		return cfs_error_nomem(ctx.err);
	memset(w->tail + n, 0, CFS_POSTINGS_PAD);
	rc = read_tail(w, CFS_CTX(ctx.cancel, &e));
	if (cfs_source_may_read_again(w->src, off, n, rc, &e))
		rc = read_tail(w, CFS_CTX(ctx.cancel, &e));
	return cfs_error_pass(ctx.err, &e, rc);
}

/* ---- open ---- */

int cfs_words_tie(struct cfs_index *ix, uint64_t *tie, struct cfs_ctx ctx)
{
	struct cfs_index *whole = cfs_index_unpicked(ix);
	uint8_t p[CFS_WORDS_HEADER_BYTES];
	int rc;

	if (strcmp(whole->format, "crawlfs index") != 0)
		return cfs_error_set(ctx.err, CFS_EUNSUPPORTED,
				     "'%s' is not a crawlfs index, and only those "
				     "have lists of words", whole->src->name);
	rc = cfs_source_read(whole->src, p, sizeof(p), 0, ctx);
	if (rc == CFS_OK)
		*tie = cfs_hash64(cfs_slice_of(p, sizeof(p)), 0);
	return rc;
}

static int check_tie(struct cfs_words *w, struct cfs_index *ix,
		     struct cfs_ctx ctx)
{
	uint64_t tie = 0;
	int rc;

	if (ix == NULL)
		return CFS_OK;
	rc = cfs_words_tie(ix, &tie, ctx);
	if (rc != CFS_OK)
		return rc;
	ix = cfs_index_unpicked(ix);
	if (tie != w->head.tie || ix->captures != w->head.docs ||
	    ix->blocks != w->n_leaves)
		return cfs_error_at(ctx.err, CFS_ECHANGED, w->src->name, 0,
				    "is the list of words of another state of "
				    "the index: rebuild it with 'crawlfs index "
				    "--words'");
	return CFS_OK;
}

int cfs_words_open(struct cfs_words **out, struct cfs_source *src,
		   struct cfs_index *ix, struct cfs_ctx ctx)
{
	struct cfs_words *w = calloc(1, sizeof(*w));
	int rc;

	*out = NULL;
	if (w == NULL) {
		cfs_source_close(src);
		return cfs_error_nomem(ctx.err);
	}
	w->src = src;
	w->blocks = cfs_lru_new(CACHE_BYTES, free);
	rc = w->blocks == NULL ? cfs_error_nomem(ctx.err) : CFS_OK;
	if (rc == CFS_OK)
		rc = read_header(w, ctx);
	if (rc == CFS_OK)
		rc = read_sections(w, ctx);
	if (rc == CFS_OK)
		rc = check_tie(w, ix, ctx);
	if (rc == CFS_OK) {
		*out = w;
		w = NULL;
	}
	cfs_words_close(w);
	return rc;
}

void cfs_words_close(struct cfs_words *w)
{
	if (w == NULL)
		return;
	cfs_lru_free(w->blocks);
	free(w->leaf_first);
	free(w->top);
	free(w->tail);
	cfs_source_close(w->src);
	free(w);
}

const struct cfs_words_header *cfs_words_info(const struct cfs_words *w)
{
	return &w->head;
}

/* ---- documents ---- */

cfs_pos cfs_words_pos(const struct cfs_words *w, uint32_t doc)
{
	uint32_t leaf = 0;

	/* The last leaf that does not begin behind it, and is not empty. */
	CFS_LOWER_BOUND(leaf, w->n_leaves, i, w->leaf_first[i + 1] <= doc);
	return cfs_pos_make(leaf, doc - w->leaf_first[leaf]);
}

uint32_t cfs_words_doc(const struct cfs_words *w, cfs_pos pos)
{
	uint32_t leaf = cfs_pos_block(pos), slot = cfs_pos_slot(pos);

	if (pos >> 48 != 0 || leaf >= w->n_leaves ||
	    slot >= w->leaf_first[leaf + 1] - w->leaf_first[leaf])
		return UINT32_MAX;
	return w->leaf_first[leaf] + slot;
}

int cfs_words_docs_in(struct cfs_words *w, enum cfs_words_section which,
		      struct cfs_hits *out, struct cfs_error *err)
{
	const struct cfs_words_section_at *s = &w->head.sections[which];
	uint64_t n = which == CFS_WORDS_LONG ? w->head.longs : w->head.unread;
	struct cfs_slice list;
	int rc;

	out->n = 0;
	if (n == 0)
		return CFS_OK;
	rc = section_of(w, which, &list, err);
	if (rc == CFS_OK && !cfs_postings_fit(list.n, n, w->head.docs))
		rc = bad(w, s->file_off, "a list is too short", err);
	if (rc == CFS_OK && cfs_hits_reserve(out, n) != CFS_OK)
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK &&
	    cfs_postings_decode(list, (uint32_t)n, (uint32_t)w->head.docs,
				out->v, NULL) != CFS_OK)
		rc = bad(w, s->file_off, "a list of documents is wrong", err);
	if (rc == CFS_OK)
		out->n = n;
	return rc;
}

int cfs_words_docs_of(struct cfs_words *w, enum cfs_words_section which,
		      struct cfs_hits *out, struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = cfs_words_docs_in(w, which, out, &e);

	if (rc != CFS_EFORMAT)
		return cfs_error_pass(err, &e, rc);
	cfs_words_damaged(w, &e);
	rc = cfs_hits_all(out, (uint32_t)w->head.docs);
	return rc == CFS_OK ? CFS_OK : cfs_error_nomem(err);
}

int cfs_words_lengths(struct cfs_words *w, uint32_t first, uint32_t n,
		      uint8_t *out, struct cfs_ctx ctx)
{
	struct cfs_words_window in = { 0 };
	struct cfs_slice bytes;
	int rc;

	if (n == 0)		/* as of a list of no texts */
		return CFS_OK;
	rc = window_at(w, CFS_WORDS_LENGTHS, first, n, &in, &bytes, ctx);
	if (rc == CFS_OK)
		memcpy(out, bytes.p, n);
	cfs_words_window_release(&in);
	return rc;
}

/* ---- the dictionary ---- */

/* Reads a block, whose checksum is its first bytes. */
static int read_block(struct cfs_words *w, uint64_t i,
		      struct cfs_words_block *b, struct cfs_ctx ctx)
{
	const struct cfs_words_top *top = b->top;
	struct cfs_slice s = cfs_slice_of(b->p + CFS_WORDS_SUM_BYTES,
					  top->bytes);
	int rc = cfs_source_read(w->src, b->p,
				 top->bytes + (size_t)CFS_WORDS_SUM_BYTES,
				 top->file_off, ctx);

	if (rc == CFS_OK &&
	    cfs_hash64(s, cfs_words_seed(CFS_WORDS_DICTIONARY, i)) !=
		    cfs_le64_get(b->p))
		rc = bad(w, top->file_off, "list of words is damaged "
			 "(checksum)", ctx.err);
	return rc;
}

static int load_block(void *arg, struct cfs_lru_key key, void **obj,
		      size_t *obj_bytes, struct cfs_ctx ctx)
{
	struct cfs_words *w = arg;
	const struct cfs_words_top *top = &w->top[key.a];
	size_t n = top->bytes + (size_t)CFS_WORDS_SUM_BYTES;
	struct cfs_words_block *b = malloc(sizeof(*b) + n + CFS_POSTINGS_PAD);
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	if (b == NULL)
		return cfs_error_nomem(ctx.err);
	b->top = top;
	memset(b->p + n, 0, CFS_POSTINGS_PAD);
	rc = read_block(w, key.a, b, CFS_CTX(ctx.cancel, &e));
	if (cfs_source_may_read_again(w->src, top->file_off, n, rc, &e))
		rc = read_block(w, key.a, b, CFS_CTX(ctx.cancel, &e));
	if (rc != CFS_OK) {
		free(b);
		return cfs_error_pass(ctx.err, &e, rc);
	}
	*obj = b;
	*obj_bytes = sizeof(*b) + n;
	return CFS_OK;
}

int cfs_words_block_get(struct cfs_words *w, uint64_t i,
			struct cfs_lru_ref **out, struct cfs_ctx ctx)
{
	return cfs_lru_get(w->blocks, CFS_LRU_KEY(i, 0), load_block, w, out,
			   ctx);
}

void cfs_words_entry_begin(struct cfs_words_entry *e,
			   const struct cfs_words_block *b)
{
	e->rest = (struct cfs_cursor){ cfs_slice_of(b->p + CFS_WORDS_SUM_BYTES,
						    b->top->bytes), false };
	e->left = b->top->words;
	e->postings = b->top->postings;
	e->n = e->shared = 0;
	e->list_bytes = 0;
	e->list = CFS_SLICE_EMPTY;
}

/* A number as most are, of one byte. */
static inline uint64_t number(struct cfs_cursor *c)
{
	if (c->rest.n == 0 || c->rest.p[0] >= 0x80)
		return cfs_cursor_varint(c);
	c->rest.n--;
	return *c->rest.p++;
}

static inline uint64_t nibble(struct cfs_cursor *c, unsigned v)
{
	uint64_t more;

	if (v < 15)
		return v;
	more = number(c);
	return more > CFS_WORD_MAX ? UINT32_MAX : v + more;
}

int cfs_words_entry_next(struct cfs_words *w, struct cfs_words_entry *e,
			 struct cfs_error *err)
{
	struct cfs_cursor *c = &e->rest;
	uint64_t shared, rest, docs;
	const uint8_t *p;
	unsigned head;

	if (e->left == 0 && c->rest.n == 0)
		return CFS_END;
	if (e->list_bytes > 0 && e->list.n == 0)
		e->postings += e->list_bytes;
	head = c->rest.n > 0 ? c->rest.p[0] : 0;
	c->rest = cfs_slice_from(c->rest, 1);
	shared = nibble(c, head >> 4);
	rest = nibble(c, head & 15);
	if (rest == 0 || rest > c->rest.n || shared > e->n ||
	    rest > CFS_WORD_MAX - shared)
		goto wrong;
	p = c->rest.p;
	c->rest = cfs_slice_from(c->rest, rest);
	docs = number(c);
	e->list_bytes = number(c);
	e->list = CFS_SLICE_EMPTY;
	if (e->list_bytes <= CFS_WORDS_INLINE) {
		e->list = cfs_slice_sub(c->rest, 0, e->list_bytes);
		c->rest = cfs_slice_from(c->rest, e->list_bytes);
		if (e->list.n != e->list_bytes)
			goto wrong;
	}
	if (c->bad || e->left == 0 ||
	    !cfs_postings_fit(e->list_bytes, docs, w->head.docs))
		goto wrong;
	memcpy(e->word + shared, p, rest);
	e->shared = shared;
	e->n = shared + rest;
	e->docs = (uint32_t)docs;
	e->left--;
	return CFS_OK;
wrong:
	e->left = 0;
	c->rest = CFS_SLICE_EMPTY;
	return bad(w, w->head.sections[CFS_WORDS_DICTIONARY].file_off,
		   "an entry of the dictionary is wrong", err);
}

uint64_t cfs_words_block_of(const struct cfs_words *w, struct cfs_slice word)
{
	uint64_t at = 0;

	CFS_LOWER_BOUND(at, w->head.blocks, i,
			cfs_slice_cmp(w->top[i].first, word) <= 0);
	return at == 0 ? 0 : at - 1;
}

int cfs_words_entry_find(struct cfs_words *w, struct cfs_slice word,
			 struct cfs_words_entry *e, struct cfs_lru_ref **ref,
			 struct cfs_ctx ctx)
{
	int rc;

	*ref = NULL;
	if (w->head.blocks == 0)
		return CFS_ENOTFOUND;
	rc = cfs_words_block_get(w, cfs_words_block_of(w, word), ref, ctx);
	if (rc != CFS_OK)
		return rc;
	cfs_words_entry_begin(e, cfs_lru_obj(*ref));
	while ((rc = cfs_words_entry_next(w, e, ctx.err)) == CFS_OK) {
		int order = cfs_slice_cmp(cfs_slice_of(e->word, e->n), word);

		if (order == 0)
			return CFS_OK;
		if (order > 0)
			break;
	}
	return rc == CFS_EFORMAT ? rc : CFS_ENOTFOUND;
}

static int decode_list(struct cfs_words *w, const struct cfs_words_entry *e,
		       struct cfs_slice list, struct cfs_hits *docs,
		       struct cfs_hits *frequencies, struct cfs_error *err)
{
	uint32_t *to = NULL;
	int rc = cfs_hits_reserve(docs, e->docs);

	if (rc == CFS_OK && frequencies != NULL) {
		rc = cfs_hits_reserve(frequencies, e->docs);
		frequencies->n = e->docs;
		to = frequencies->v;
	}
	if (rc != CFS_OK)
		return cfs_error_nomem(err);
	docs->n = e->docs;
	if (cfs_postings_decode(list, e->docs, (uint32_t)w->head.docs, docs->v,
				to) == CFS_OK)
		return CFS_OK;
	docs->n = 0;
	return bad(w, w->head.sections[CFS_WORDS_POSTINGS].file_off,
		   "a list of documents is wrong", err);
}

int cfs_words_entry_list(struct cfs_words *w, const struct cfs_words_entry *e,
			 struct cfs_words_window *in, struct cfs_hits *docs,
			 struct cfs_hits *frequencies, struct cfs_ctx ctx)
{
	struct cfs_slice list = e->list;
	int rc = CFS_OK;

	docs->n = 0;
	if (list.n == 0)
		rc = window_at(w, CFS_WORDS_POSTINGS, e->postings,
			       e->list_bytes, in, &list, ctx);
	if (rc == CFS_OK)
		rc = decode_list(w, e, list, docs, frequencies, ctx.err);
	return rc;
}

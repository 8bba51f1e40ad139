/* builder_revisits.c - finds the captures that revisits refer to, and writes an
 * index again, with the sizes of its revisits.
 *
 * References: the second sort's keys are hashes, big-endian; its values are HAS
 * or ASKED, the position of the capture or revisit (8 bytes) and the number of
 * the input that it comes from (4), big-endian.  Captures therefore come before
 * the revisits that refer to them.
 *
 * Sizes: two iterators go through the entries, some thousand revisits at a
 * time: one runs ahead and collects revisits, which threads then measure; the
 * other follows and copies.  Sizes make entries longer, so positions change,
 * but the number of an entry does not; references are mapped by it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder_revisits.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/pool.h"
#include "builder_archives.h"
#include "index/cfx.h"
#include "index/cfx_joindata.h"

/* Revisits measured before the entries up to the last of them are copied. */
#define BATCH 1024u
#define CANCEL_EVERY 4096u
/* The filter's bits: 8 MiB of memory that stay untouched without revisits. */
#define BLOOM_BITS ((uint64_t)1 << 26)
#define VALUE_BYTES 13u
enum { HAS = 0, ASKED = 1 };

/* ---- what revisits refer to ---- */

int cfs_builder_refs_init(struct cfs_builder_refs *r,
			  const struct cfs_extsort_opts *sort,
			  struct cfs_error *err)
{
	r->bloom = calloc(BLOOM_BITS / 64, sizeof(*r->bloom));
	if (r->bloom == NULL)
		return cfs_error_nomem(err);
	return cfs_extsort_new(&r->sort, sort, err);
}

void cfs_builder_refs_release(struct cfs_builder_refs *r)
{
	cfs_extsort_free(r->sort);
	free((void *)(uintptr_t)r->bloom);
}

void cfs_builder_refs_ask(struct cfs_builder_refs *r, const uint64_t hash[2])
{
	atomic_store_explicit(&r->is_asked, true, memory_order_relaxed);
	for (unsigned k = 0; k < 2; k++) {
		uint64_t i = hash[k] % BLOOM_BITS;
		uint64_t j = (hash[k] >> 32) % BLOOM_BITS;

		if (hash[k] == 0)
			continue;
		atomic_fetch_or_explicit(&r->bloom[i / 64],
					 (uint64_t)1 << i % 64,
					 memory_order_relaxed);
		atomic_fetch_or_explicit(&r->bloom[j / 64],
					 (uint64_t)1 << j % 64,
					 memory_order_relaxed);
	}
}

static bool bloom_has(const struct cfs_builder_refs *r, uint64_t hash)
{
	uint64_t i = hash % BLOOM_BITS, j = (hash >> 32) % BLOOM_BITS;

	return (r->bloom[i / 64] >> i % 64 & 1) &&
	       (r->bloom[j / 64] >> j % 64 & 1);
}

bool cfs_builder_refs_any(const struct cfs_builder_refs *r)
{
	return atomic_load_explicit(&r->is_asked, memory_order_relaxed);
}

int cfs_builder_refs_add(struct cfs_builder_refs *r, bool is_revisit,
			 const uint64_t hash[2], cfs_pos pos, unsigned input,
			 struct cfs_error *err)
{
	uint8_t key[8], value[VALUE_BYTES] = { is_revisit ? ASKED : HAS };
	int rc = CFS_OK;

	cfs_be64_put(value + 1, pos);
	cfs_be32_put(value + 9, input);
	for (unsigned i = 0; i < 2 && rc == CFS_OK; i++) {
		if (hash[i] == 0 || (!is_revisit && !bloom_has(r, hash[i])))
			continue;
		cfs_be64_put(key, hash[i]);
		rc = cfs_extsort_add(r->sort, 0, cfs_slice_of(key, sizeof(key)),
				     cfs_slice_of(value, sizeof(value)), err);
	}
	return rc;
}

/* The state of one hash as its pairs come: captures first, then revisits. */
struct one_hash {
	uint64_t hash;
	cfs_pos has[CFS_REFS_OF_ONE_MAX];
	unsigned n;		/* captures in has, not yet written */
	uint32_t input;		/* of the first capture */
	bool any, is_mixed;	/* captures were seen; from several inputs */
};

static void take_capture(struct one_hash *h, cfs_pos pos, uint32_t input)
{
	if (!h->any)
		h->input = input;
	h->is_mixed |= input != h->input;
	h->any = true;
	if (h->n < CFS_REFS_OF_ONE_MAX)
		h->has[h->n++] = pos;
}

/* Writes the captures of the hash at the first revisit that refers to it. */
static int take_asked(struct one_hash *h, cfs_pos pos, uint32_t input,
		      struct cfs_cfx_writer *w, struct cfs_extsort *again,
		      struct cfs_error *err)
{
	uint8_t key[8];
	int rc = CFS_OK;

	for (unsigned i = 0; i < h->n && rc == CFS_OK; i++)
		rc = cfs_cfx_writer_ref(w, h->hash, h->has[i], err);
	h->n = 0;
	if (rc != CFS_OK || again == NULL || !h->any || pos == CFS_POS_NONE ||
	    (!h->is_mixed && h->input == input))
		return rc;
	cfs_be64_put(key, pos);
	return cfs_extsort_add(again, 0, cfs_slice_of(key, sizeof(key)),
			       CFS_SLICE_EMPTY, err);
}

int cfs_builder_refs_write(struct cfs_builder_refs *r,
			   struct cfs_cfx_writer *w, struct cfs_extsort *again,
			   struct cfs_error *err)
{
	struct one_hash h = { .any = false };
	struct cfs_slice key, value;
	int rc = cfs_extsort_merge(r->sort, err);

	while (rc == CFS_OK) {
		cfs_pos pos;
		uint32_t input;

		rc = cfs_extsort_next(r->sort, &key, &value, err);
		if (rc != CFS_OK)
			break;
		if (key.n != 8 || value.n != VALUE_BYTES)
			return cfs_error_set(err, CFS_EIO,
					     "temporary file is damaged");
		if (cfs_be64_get(key.p) != h.hash)
			h = (struct one_hash){ .hash = cfs_be64_get(key.p) };
		pos = cfs_be64_get(value.p + 1);
		input = cfs_be32_get(value.p + 9);
		if (value.p[0] == HAS)
			take_capture(&h, pos, input);
		else
			rc = take_asked(&h, pos, input, w, again, err);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

/* ---- sizes of revisits ---- */

struct measured {
	cfs_pos pos;
	bool is_at_hand, is_known;
	struct cfs_builder_sizes sizes;
};

/* The number of each leaf's first entry. */
struct leaves {
	uint64_t *first;
	size_t n, room;
};

struct index_copy {
	const struct cfs_builder_opts *opts;
	void *sizer;
	struct cfs_index *ix;
	struct cfs_cfx_writer *w;
	struct cfs_iter ahead, behind;
	bool at_end;			/* of ahead */
	struct cfs_extsort *again;	/* positions of the revisits to
					 * measure */
	cfs_pos next_again;		/* the next of them; CFS_POS_NONE:
					 * none */
	uint64_t n;			/* entries copied */
	struct leaves from, to;
	struct cfs_buf notes;		/* of the current entry */
	struct measured *batch;
	size_t n_batch;
	atomic_size_t next;		/* index into batch, taken by threads */
	pthread_mutex_t lock;
	int rc;				/* first failure; guarded by lock */
	struct cfs_error error;		/* guarded by lock */
};

static int next_again(struct index_copy *c, struct cfs_error *err)
{
	cfs_pos before = c->next_again;
	struct cfs_slice key, value;
	int rc = CFS_OK;

	/* A position is there twice if both hashes were found. */
	while (rc == CFS_OK && c->next_again == before) {
		rc = cfs_extsort_next(c->again, &key, &value, err);
		if (rc == CFS_OK)
			c->next_again = cfs_be64_get(key.p);
	}
	if (rc == CFS_END)
		c->next_again = CFS_POS_NONE;
	return rc == CFS_END ? CFS_OK : rc;
}

/* Collects the next revisits. */
static int fill_batch(struct index_copy *c, struct cfs_error *err)
{
	struct cfs_capture cap;
	int rc = CFS_OK;

	c->n_batch = 0;
	while (rc == CFS_OK && c->n_batch < BATCH) {
		if (c->ahead.pos == c->next_again) {
			struct measured *m = &c->batch[c->n_batch++];

			rc = cfs_index_capture(&c->ahead, &cap, err);
			if (rc != CFS_OK)
				break;
			*m = (struct measured){ .pos = c->ahead.pos,
				.is_at_hand =
				c->opts->at_hand[cap.loc.file[0]] };
			rc = next_again(c, err);
		}
		if (rc == CFS_OK)
			rc = cfs_index_next(&c->ahead, c->opts->cancel, err);
	}
	c->at_end = rc == CFS_END;
	return c->at_end ? CFS_OK : rc;
}

static void measure(void *arg)
{
	struct index_copy *c = arg;
	size_t i;
	int rc = CFS_OK;

	while (rc == CFS_OK &&
	       (i = atomic_fetch_add(&c->next, 1)) < c->n_batch) {
		struct measured *m = &c->batch[i];
		struct cfs_error e = CFS_ERROR_INIT;

		if (!m->is_at_hand)
			continue;
		rc = c->opts->sizer->find(c->sizer, m->pos, &m->sizes,
				       c->opts->cancel, &e);
		m->is_known = rc == CFS_OK;
		if (rc != CFS_EINTR && rc != CFS_ENOMEM) {
			rc = CFS_OK;	/* a mount will report it */
			continue;
		}
		pthread_mutex_lock(&c->lock);
		if (c->rc == CFS_OK) {
			c->rc = rc;
			c->error = e;
		}
		pthread_mutex_unlock(&c->lock);
	}
}

static int measure_batch(struct index_copy *c, struct cfs_error *err)
{
	struct cfs_pool pool;
	int rc = fill_batch(c, err);

	if (rc != CFS_OK || c->n_batch == 0)
		return rc;
	atomic_store(&c->next, 0);
	if (cfs_pool_start(&pool, c->opts->threads, measure, c) == 0)
		measure(c);
	cfs_pool_join(&pool);
	if (c->rc != CFS_OK)
		cfs_error_copy(err, &c->error);
	return c->rc;
}

/* ---- copying ---- */

static int note_leaf(struct leaves *l, cfs_pos pos, uint64_t number)
{
	int rc = CFS_OK;

	if (cfs_pos_slot(pos) == 0) {
		rc = cfs_array_reserve((void **)&l->first, &l->room, l->n + 1,
				       sizeof(*l->first), SIZE_MAX / 16);
		if (rc == CFS_OK)
			l->first[l->n++] = number;
	}
	return rc;
}

/* m: the measured sizes, or NULL. */
static int copy_entry(struct index_copy *c, const struct measured *m,
		      struct cfs_error *err)
{
	struct cfs_capture cap;
	cfs_pos pos;
	int rc = cfs_index_capture(&c->behind, &cap, err);

	cfs_buf_reset(&c->notes);
	if (rc == CFS_OK)
		rc = cfs_index_notes(c->ix, &cap, &c->notes, c->opts->cancel,
				     err);
	if (rc != CFS_OK)
		return rc;
	if (m != NULL)
		cap.body_is_exact = cap.has_view_bytes = m->is_known;
	if (m != NULL && m->is_known) {
		cap.body_bytes = m->sizes.body;
		cap.text_bytes = m->sizes.text;
		cap.meta_bytes = m->sizes.meta;
	}
	rc = cfs_cfx_writer_add(c->w, c->behind.key, &cap,
				cfs_buf_slice(&c->notes), &pos, err);
	if (rc == CFS_OK &&
	    (note_leaf(&c->from, c->behind.pos, c->n) != CFS_OK ||
	     note_leaf(&c->to, pos, c->n) != CFS_OK))
		rc = cfs_error_nomem(err);
	c->n++;
	return rc;
}

/* Copies entries up to the position of ahead. */
static int copy_batch(struct index_copy *c, struct cfs_error *err)
{
	size_t next = 0;
	int rc = CFS_OK;

	while (rc == CFS_OK && (c->at_end || c->behind.pos != c->ahead.pos)) {
		const struct measured *m = NULL;

		if (next < c->n_batch && c->batch[next].pos == c->behind.pos)
			m = &c->batch[next++];
		rc = copy_entry(c, m, err);
		if (rc == CFS_OK && c->n % CANCEL_EVERY == 0 &&
		    cfs_cancelled(c->opts->cancel))
			rc = cfs_error_set(err, CFS_EINTR, "interrupted");
		if (rc == CFS_OK)
			rc = cfs_index_next(&c->behind, c->opts->cancel, err);
	}
	return rc;
}

static int copy_entries(struct index_copy *c, struct cfs_error *err)
{
	int rc = cfs_index_seek(c->ix, CFS_SLICE_EMPTY, &c->ahead,
				c->opts->cancel, err);

	if (rc == CFS_OK)
		rc = cfs_index_seek(c->ix, CFS_SLICE_EMPTY, &c->behind,
				    c->opts->cancel, err);
	while (rc == CFS_OK) {
		rc = measure_batch(c, err);
		if (rc == CFS_OK)
			rc = copy_batch(c, err);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

/* ---- references ---- */

static int copy_ref(void *arg, uint64_t hash, cfs_pos pos,
		    struct cfs_error *err)
{
	struct index_copy *c = arg;
	size_t after = 0, leaf;		/* the leaf after its own; its own */
	uint64_t number;

	if (cfs_pos_block(pos) >= c->from.n)
		return cfs_error_set(err, CFS_EIO, "temporary file is damaged");
	number = c->from.first[cfs_pos_block(pos)] + cfs_pos_slot(pos);
	CFS_LOWER_BOUND(after, c->to.n, i, c->to.first[i] <= number);
	leaf = after - 1;
	return cfs_cfx_writer_ref(c->w, hash, cfs_pos_make((uint32_t)leaf,
				  (uint32_t)(number - c->to.first[leaf])), err);
}

/* ---- tapes ---- */

/* Copies a varint to the item. */
static uint64_t copy_varint(struct cfs_cursor *in, struct cfs_buf *item)
{
	uint64_t v = cfs_cursor_varint(in);

	cfs_buf_varint(item, v);
	return v;
}

/* Copies an item unchanged: it contains no positions, so only its end must be
 * found. */
static void copy_item(struct cfs_cfx_joindata *t, struct cfs_buf *item)
{
	struct cfs_cursor *in = &t->in;
	uint64_t bits;

	if (t->which == CFS_CFX_JOINDATA_ARCHIVES) {
		for (unsigned i = 0; i < 5; i++)
			copy_varint(in, item);
	} else if (t->which == CFS_CFX_JOINDATA_SIDES) {
		copy_varint(in, item);
		cfs_buf_add(item, cfs_cursor_take(in, copy_varint(in, item)));
		cfs_buf_add(item, cfs_cursor_take(in, copy_varint(in, item)));
	} else if ((bits = copy_varint(in, item)) % 2 == 1) {
		for (bits /= 2; (bits & 15) != 0; bits &= bits - 1)
			cfs_buf_add(item, cfs_cursor_take(in, 8));
		for (int i = 0; bits & CFS_CFX_ID_VIEWS && i < 2; i++)
			copy_varint(in, item);
	}
}

static int copy_tape(struct index_copy *c, enum cfs_cfx_joindata_of which,
		     struct cfs_error *err)
{
	struct cfs_cfx_joindata t;
	struct cfs_buf item;
	int rc;

	cfs_cfx_joindata_init(&t, c->ix, which);
	cfs_buf_init(&item, CFS_CFX_JOINDATA_BLOCK_BYTES);
	while ((rc = cfs_cfx_joindata_fill(&t, NULL, c->opts->cancel, err)) ==
	       CFS_OK) {
		cfs_buf_reset(&item);
		copy_item(&t, &item);
		rc = t.in.bad ? cfs_cfx_joindata_bad(&t, err) :
		     cfs_cfx_writer_tape(c->w, which, cfs_buf_slice(&item),
					 err);
		if (rc != CFS_OK)
			break;
	}
	cfs_buf_release(&item);
	cfs_cfx_joindata_release(&t);
	return rc == CFS_END ? CFS_OK : rc;
}

static int copy_tapes(struct index_copy *c, struct cfs_error *err)
{
	int rc = CFS_OK;

	for (unsigned i = 0; rc == CFS_OK && i < CFS_CFX_TAPES &&
	     cfs_cfx_has_joins(c->ix); i++)
		rc = copy_tape(c, i, err);
	return rc;
}

/* Writes the index in src, which is taken over, again with sizes. */
static int write_again(const struct cfs_builder_opts *opts,
		       struct cfs_source *src, struct cfs_extsort *again,
		       const struct cfs_cfx_params *params,
		       struct cfs_builder_counts *counts, struct cfs_error *err)
{
	struct index_copy *c = calloc(1, sizeof(*c));
	int rc;

	if (c == NULL) {
		cfs_source_close(src);
		return cfs_error_nomem(err);
	}
	c->opts = opts;
	pthread_mutex_init(&c->lock, NULL);
	cfs_iter_init(&c->ahead);
	cfs_iter_init(&c->behind);
	cfs_buf_init(&c->notes, CFS_NOTES_MAX);
	c->again = again;
	c->next_again = CFS_POS_NONE - 1;	/* unlike any position */
	rc = opts->sizer->open(&c->sizer, &c->ix, src, opts->base, err);
	c->batch = calloc(BATCH, sizeof(*c->batch));
	if (rc == CFS_OK && c->batch == NULL)
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK)
		rc = cfs_cfx_writer_new(&c->w, params, err);
	if (rc == CFS_OK)
		rc = next_again(c, err);
	if (rc == CFS_OK)
		rc = copy_entries(c, err);
	if (rc == CFS_OK)
		rc = cfs_cfx_for_each_ref(c->ix, copy_ref, c, opts->cancel,
					  err);
	if (rc == CFS_OK)
		rc = copy_tapes(c, err);
	if (rc == CFS_OK)
		rc = cfs_cfx_writer_finish(c->w, counts, err);
	cfs_cfx_writer_free(c->w);
	cfs_iter_release(&c->ahead);
	cfs_iter_release(&c->behind);
	opts->sizer->close(c->sizer);
	pthread_mutex_destroy(&c->lock);
	cfs_buf_release(&c->notes);
	free(c->from.first);
	free(c->to.first);
	free(c->batch);
	free(c);
	return rc;
}

int cfs_builder_revisits_write(const struct cfs_builder_opts *opts,
			       struct cfs_replacement *file,
			       struct cfs_extsort *again,
			       const struct cfs_cfx_params *params,
			       struct cfs_builder_counts *counts,
			       struct cfs_error *err)
{
	struct cfs_replacement without = *file;
	struct cfs_cfx_params p = *params;
	struct cfs_source *src;
	int rc;

	if (cfs_extsort_count(again) == 0)
		return CFS_OK;
	rc = cfs_extsort_merge(again, err);
	if (rc == CFS_OK)
		rc = cfs_source_open_file(&src, without.tmp_path, err);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_replacement_open(file, p.name,
				  cfs_builder_archives_mode(p.archives,
							    p.n_archives,
							    p.home), err);
	p.fd = file->fd;
	if (rc == CFS_OK)
		rc = write_again(opts, src, again, &p, counts, err);
	else
		cfs_source_close(src);
	cfs_replacement_drop(&without);
	return rc;
}

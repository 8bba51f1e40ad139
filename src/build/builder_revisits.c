/* builder_revisits.c - finds the captures that revisits refer to, and writes an
 * index again, with the sizes of its revisits.
 *
 * References: the second sort has the hash, big-endian, as its key; its values
 * are one zero byte where the hash is asked for, and 1 and the position,
 * big-endian, where a capture has it: so what is asked for comes before its
 * captures.
 *
 * Sizes: the entries are gone through twice, some thousand revisits at a time:
 * one iterator runs ahead and notes revisits, which threads then measure; one
 * follows and copies.  Sizes make entries longer, so that positions change;
 * the number of an entry does not, and by it references find their entries
 * again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder_revisits.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/pool.h"
#include "index/cfx.h"

/* Revisits measured before the entries up to the last of them are copied. */
#define BATCH 1024u
#define CANCEL_EVERY 4096u
/* The filter's bits: 8 MiB, of which a crawl without revisits touches none. */
#define BLOOM_BITS ((uint64_t)1 << 26)

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
		atomic_fetch_or_explicit(&r->bloom[i / 64], (uint64_t)1 << i % 64,
					 memory_order_relaxed);
		atomic_fetch_or_explicit(&r->bloom[j / 64], (uint64_t)1 << j % 64,
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
			 const uint64_t hash[2], cfs_pos pos,
			 struct cfs_error *err)
{
	uint8_t key[8], value[9] = { is_revisit ? 0 : 1 };
	int rc = CFS_OK;

	cfs_be64_put(value + 1, pos);
	for (unsigned i = 0; i < 2 && rc == CFS_OK; i++) {
		if (hash[i] == 0 || (!is_revisit && !bloom_has(r, hash[i])))
			continue;
		cfs_be64_put(key, hash[i]);
		rc = cfs_extsort_add(r->sort, 0, cfs_slice_of(key, sizeof(key)),
				     cfs_slice_of(value, is_revisit ? 1 :
						  sizeof(value)), err);
	}
	return rc;
}

int cfs_builder_refs_write(struct cfs_builder_refs *r,
			   struct cfs_cfx_writer *w, struct cfs_error *err)
{
	struct cfs_slice key, value;
	uint64_t hash = 0, now;
	unsigned written = 0;
	bool asked = false;
	int rc = cfs_extsort_merge(r->sort, err);

	while (rc == CFS_OK) {
		rc = cfs_extsort_next(r->sort, &key, &value, err);
		if (rc != CFS_OK)
			break;
		if (key.n != 8 || value.n != (value.p[0] == 0 ? 1 : 9))
			return cfs_error_set(err, CFS_EIO,
					     "temporary file is damaged");
		now = cfs_be64_get(key.p);
		if (now != hash) {
			asked = false;
			written = 0;
		}
		hash = now;
		if (value.p[0] == 0)
			asked = true;
		else if (asked && written++ < CFS_REFS_OF_ONE_MAX)
			rc = cfs_cfx_writer_ref(w, hash,
						cfs_be64_get(value.p + 1), err);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

/* ---- their sizes ---- */

struct measured {
	cfs_pos pos;
	bool is_known;
	struct cfs_builder_sizes sizes;
};

/* The number of each leaf's first entry. */
struct leaves {
	uint64_t *first;
	size_t n, room;
};

struct copy {
	const struct cfs_builder_opts *opts;
	void *sizer;
	struct cfs_index *ix;
	struct cfs_cfx_writer *w;
	struct cfs_iter ahead, behind;
	bool at_end;			/* ahead is */
	uint64_t n;			/* entries copied */
	struct leaves from, to;
	struct cfs_buf notes;		/* of an entry */
	struct measured *batch;
	size_t n_batch;
	atomic_size_t next;		/* of the batch, for the threads */
	pthread_mutex_t lock;
	int rc;				/* first failure; guarded by lock */
	struct cfs_error error;		/* guarded by lock */
};

static bool is_open(const struct copy *c, const struct cfs_capture *cap)
{
	return cap->kind == CFS_KIND_REVISIT &&
	       cap->loc.file[0] < c->opts->n_at_hand;
}

/* Notes the next revisits. */
static int fill_batch(struct copy *c, struct cfs_error *err)
{
	struct cfs_capture cap;
	int rc = CFS_OK;

	c->n_batch = 0;
	while (rc == CFS_OK && c->n_batch < BATCH) {
		rc = cfs_index_capture(&c->ahead, &cap, err);
		if (rc == CFS_OK && is_open(c, &cap))
			c->batch[c->n_batch++] =
				(struct measured){ .pos = c->ahead.pos };
		if (rc == CFS_OK)
			rc = cfs_index_next(&c->ahead, c->opts->cancel, err);
	}
	c->at_end = rc == CFS_END;
	return c->at_end ? CFS_OK : rc;
}

static void measure(void *arg)
{
	struct copy *c = arg;
	size_t i;
	int rc = CFS_OK;

	while (rc == CFS_OK &&
	       (i = atomic_fetch_add(&c->next, 1)) < c->n_batch) {
		struct measured *m = &c->batch[i];
		struct cfs_error e = CFS_ERROR_INIT;

		rc = c->opts->sizer->find(c->sizer, m->pos, &m->sizes,
				       c->opts->cancel, &e);
		m->is_known = rc == CFS_OK;
		if (rc != CFS_EINTR && rc != CFS_ENOMEM) {
			rc = CFS_OK;	/* a mount says what is wrong */
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

static int measure_batch(struct copy *c, struct cfs_error *err)
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

/* m: its sizes, or NULL. */
static int copy_entry(struct copy *c, const struct measured *m,
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
	if (m != NULL) {
		cap.body_is_exact = cap.has_view_bytes = true;
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

/* Copies up to where ahead stands. */
static int copy_batch(struct copy *c, struct cfs_error *err)
{
	size_t next = 0;
	int rc = CFS_OK;

	while (rc == CFS_OK && (c->at_end || c->behind.pos != c->ahead.pos)) {
		const struct measured *m = NULL;

		if (next < c->n_batch && c->batch[next].pos == c->behind.pos)
			m = &c->batch[next++];
		rc = copy_entry(c, m != NULL && m->is_known ? m : NULL, err);
		if (rc == CFS_OK && c->n % CANCEL_EVERY == 0 &&
		    cfs_cancelled(c->opts->cancel))
			rc = cfs_error_set(err, CFS_EINTR, "interrupted");
		if (rc == CFS_OK)
			rc = cfs_index_next(&c->behind, c->opts->cancel, err);
	}
	return rc;
}

static int copy_entries(struct copy *c, struct cfs_error *err)
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
	struct copy *c = arg;
	size_t after = 0, leaf;		/* the first leaf after it; its own */
	uint64_t number;

	if (cfs_pos_block(pos) >= c->from.n)
		return cfs_error_set(err, CFS_EIO, "temporary file is damaged");
	number = c->from.first[cfs_pos_block(pos)] + cfs_pos_slot(pos);
	CFS_LOWER_BOUND(after, c->to.n, i, c->to.first[i] <= number);
	leaf = after - 1;
	return cfs_cfx_writer_ref(c->w, hash, cfs_pos_make((uint32_t)leaf,
				  (uint32_t)(number - c->to.first[leaf])), err);
}

/* The index in src, which is taken over, with sizes. */
static int write_again(const struct cfs_builder_opts *opts,
		       struct cfs_source *src,
		       const struct cfs_cfx_params *params,
		       struct cfs_builder_counts *counts, struct cfs_error *err)
{
	struct copy *c = calloc(1, sizeof(*c));
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
	rc = opts->sizer->open(&c->sizer, &c->ix, src, opts->base, err);
	c->batch = calloc(BATCH, sizeof(*c->batch));
	if (rc == CFS_OK && c->batch == NULL)
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK)
		rc = cfs_cfx_writer_new(&c->w, params, err);
	if (rc == CFS_OK)
		rc = copy_entries(c, err);
	if (rc == CFS_OK)
		rc = cfs_cfx_for_each_ref(c->ix, copy_ref, c, opts->cancel,
					  err);
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
			       const struct cfs_cfx_params *params,
			       struct cfs_builder_counts *counts,
			       struct cfs_error *err)
{
	struct cfs_replacement without = *file;
	struct cfs_cfx_params p = *params;
	struct cfs_source *src;
	int rc = cfs_source_open_file(&src, without.tmp_path, err);

	if (rc != CFS_OK)
		return rc;
	rc = cfs_replacement_open(file, p.name, 0666, err);
	p.fd = file->fd;
	if (rc == CFS_OK)
		rc = write_again(opts, src, &p, counts, err);
	else
		cfs_source_close(src);
	cfs_replacement_drop(&without);
	return rc;
}

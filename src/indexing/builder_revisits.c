/* builder_revisits.c - writes an index again, with the sizes of its revisits.
 *
 * Two iterators go through the entries, some thousand revisits at a
 * time: one runs ahead and collects revisits, which threads then measure; the
 * other follows and copies.  Sizes make entries longer, so positions change,
 * but the number of an entry does not; references are mapped by it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder_internal.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/pool.h"
#include "builder_archives.h"
#include "format/cfx/cfx.h"
#include "format/cfx/cfx_joindata.h"

/* Revisits measured before the entries up to the last of them are copied. */
#define BATCH 1024u
#define CANCEL_EVERY 4096u
/* The share of the memory for measuring: the rest is for those positions that
 * are sorted, and for what is written. */
#define MEASURE_SHARE 2u

struct measured {
	cfs_pos pos;
	struct cfs_span loc;
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
	struct cfs_builder_words *words;	/* NULL: no texts are wanted */
	struct measured *batch;
	size_t n_batch;
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
				.loc = cap.loc,
				.is_at_hand =
				c->opts->at_hand[cap.loc.file[0]] };
			rc = next_again(c, err);
		}
		if (rc == CFS_OK)
			rc = cfs_index_next(&c->ahead,
					    CFS_CTX(c->opts->cancel, err));
	}
	c->at_end = rc == CFS_END;
	return c->at_end ? CFS_OK : rc;
}

/* Where the text of a revisit goes. */
struct revisit_text {
	struct cfs_builder_words *words;
	const struct cfs_span *loc;
	unsigned feeder;
	int rc;
};

static int take_text(void *arg, struct cfs_slice text, struct cfs_error *err)
{
	struct revisit_text *t = arg;

	t->rc = cfs_builder_words_add(t->words, t->feeder,
				      (uint32_t)t->loc->file[0], t->loc, text,
				      err);
	return t->rc;
}

static int builder_revisits_measure(void *arg, size_t i, unsigned thread,
				    struct cfs_ctx ctx)
{
	struct index_copy *c = arg;
	struct measured *m = &c->batch[i];
	struct cfs_error e = CFS_ERROR_INIT;
	struct revisit_text text = { c->words, &m->loc, thread, CFS_OK };
	const struct cfs_text_taker taker = { take_text, &text };
	int rc;

	m->sizes.taker = c->words != NULL ? &taker : NULL;
	m->sizes.slots = c->opts->view_slots;
	if (!m->is_at_hand)
		return CFS_OK;
	rc = c->opts->sizer->find(c->sizer, m->pos, &m->sizes,
				  CFS_CTX(ctx.cancel, &e));
	m->is_known = rc == CFS_OK;
	m->sizes.taker = NULL;
	if (rc != CFS_EINTR && rc != CFS_ENOMEM && text.rc == CFS_OK)
		return CFS_OK;		/* a mount will report it */
	return cfs_error_pass(ctx.err, &e, rc);
}

static int measure_batch(struct index_copy *c, struct cfs_error *err)
{
	int rc = fill_batch(c, err);

	return rc == CFS_OK ? cfs_builder_each(c->opts, c->n_batch,
					       builder_revisits_measure, c,
					       err) : rc;
}

int cfs_builder_each(const struct cfs_builder_opts *opts, size_t n,
		     cfs_pool_one *one, void *arg, struct cfs_error *err)
{
	const struct cfs_pool_calls calls = { .threads = opts->threads,
					      .n = n, .one = one, .arg = arg };

	return cfs_pool_each(&calls, CFS_CTX(opts->cancel, err));
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
		rc = cfs_index_notes(c->ix, &cap, &c->notes,
				     CFS_CTX(c->opts->cancel, err));
	if (rc != CFS_OK)
		return rc;
	if (m != NULL) {
		cap.body_is_exact = m->is_known && !m->sizes.lacks_body;
		cap.views.known = 0;
	}
	if (m != NULL && m->is_known) {
		cap.body_bytes = m->sizes.body;
		cap.views = m->sizes.views;
		if (c->opts->keeps_languages)
			cap.languages = cfs_languages_list(&m->sizes.languages);
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
			rc = cfs_index_next(&c->behind,
					    CFS_CTX(c->opts->cancel, err));
	}
	return rc;
}

static int copy_entries(struct index_copy *c, struct cfs_error *err)
{
	int rc = cfs_index_seek(c->ix, CFS_SLICE_EMPTY, &c->ahead,
				CFS_CTX(c->opts->cancel, err));

	if (rc == CFS_OK)
		rc = cfs_index_seek(c->ix, CFS_SLICE_EMPTY, &c->behind,
				    CFS_CTX(c->opts->cancel, err));
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

/* ---- lists ---- */

/* Copies a varint to the item. */
static uint64_t copy_varint(struct cfs_cursor *in, struct cfs_buf *item)
{
	uint64_t v = cfs_cursor_varint(in);

	cfs_buf_varint(item, v);
	return v;
}

/* Copies the pair and the list of sizes (index/view_bytes.h) of an id. */
static void copy_sizes(struct cfs_cursor *in, unsigned bits,
		       struct cfs_buf *item)
{
	uint64_t listed;

	for (int i = 0; (bits & CFS_CFX_ID_PAIR) && i < 2; i++)
		copy_varint(in, item);
	if ((bits & CFS_CFX_ID_LIST) == 0)
		return;
	for (listed = copy_varint(in, item); listed != 0; listed &= listed - 1)
		copy_varint(in, item);
}

/* Bits of enum cfs_cfx_id that have data. */
#define WITH_DATA ((2 * CFS_CFX_ID_CONCURRENT - 1) | CFS_CFX_ID_PAIR | \
		   CFS_CFX_ID_LIST)

/* Copies the entries of a run of ids. */
static void copy_run(struct cfs_cursor *in, unsigned bits, struct cfs_buf *item)
{
	uint64_t n = copy_varint(in, item);

	if ((bits & WITH_DATA) == 0)
		return;
	for (uint64_t i = 0; i < n && !in->bad; i++) {
		for (unsigned k = 1; k <= CFS_CFX_ID_CONCURRENT; k <<= 1)
			if (bits & k)
				cfs_buf_add(item, cfs_cursor_take(in,
					cfs_cfx_id_bytes(k)));
		copy_sizes(in, bits, item);
	}
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
	} else if (t->which == CFS_CFX_JOINDATA_ANNEXES) {
		copy_varint(in, item);
		cfs_buf_add(item, cfs_cursor_take(in, copy_varint(in, item)));
		cfs_buf_add(item, cfs_cursor_take(in, copy_varint(in, item)));
	} else if ((bits = copy_varint(in, item)) % 2 == 1) {
		copy_run(in, (unsigned)(bits / 2), item);
	}
}

static int copy_list(struct index_copy *c, enum cfs_cfx_joindata_of which,
		     struct cfs_error *err)
{
	struct cfs_cfx_joindata t;
	CFS_BUF(item, CFS_CFX_JOINDATA_BLOCK_BYTES);
	int rc;

	cfs_cfx_joindata_init(&t, c->ix, which);
	while ((rc = cfs_cfx_joindata_fill(&t, NULL,
					   CFS_CTX(c->opts->cancel, err))) ==
	       CFS_OK) {
		cfs_buf_reset(&item);
		copy_item(&t, &item);
		rc = t.in.bad ? cfs_cfx_joindata_bad(&t, err) :
		     cfs_cfx_writer_joindata(c->w, which, cfs_buf_slice(&item),
					 err);
		if (rc != CFS_OK)
			break;
	}
	cfs_cfx_joindata_release(&t);
	return rc == CFS_END ? CFS_OK : rc;
}

static int copy_joindata(struct index_copy *c, struct cfs_error *err)
{
	int rc = CFS_OK;

	for (unsigned i = 0; rc == CFS_OK && i < CFS_CFX_JOINDATA_LISTS &&
	     cfs_cfx_has_joins(c->ix); i++)
		rc = copy_list(c, i, err);
	return rc;
}

/* Writes the index in src, which is taken over, again with sizes. */
static int write_again(const struct cfs_builder_opts *opts,
		       struct cfs_source *src, struct cfs_extsort *again,
		       struct cfs_builder_words *words,
		       const struct cfs_cfx_params *params,
		       struct cfs_builder_counts *counts, struct cfs_error *err)
{
	struct index_copy *c = calloc(1, sizeof(*c));
	const struct cfs_builder_sizer_opts so = { .base = opts->base,
		.temp_dir = opts->tmp_dir,
		.memory_bytes = opts->memory_bytes / MEASURE_SHARE };
	int rc;

	if (c == NULL) {
		cfs_source_close(src);
		return cfs_error_nomem(err);
	}
	c->opts = opts;
	cfs_iter_init(&c->ahead);
	cfs_iter_init(&c->behind);
	cfs_buf_init(&c->notes, CFS_NOTES_MAX);
	c->again = again;
	c->words = words;
	c->next_again = CFS_POS_NONE - 1;	/* unlike any position */
	rc = opts->sizer->open(&c->sizer, &c->ix, src, &so, err);
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
		rc = cfs_cfx_for_each_ref(c->ix, copy_ref, c,
					  CFS_CTX(opts->cancel, err));
	if (rc == CFS_OK)
		rc = copy_joindata(c, err);
	if (rc == CFS_OK)
		rc = cfs_cfx_writer_finish(c->w, counts->skipped,
					   &counts->captures,
					   &counts->file_bytes, err);
	if (rc == CFS_OK)
		cfs_cfx_writer_bodies(c->w, &counts->absent, &counts->cut);
	cfs_cfx_writer_free(c->w);
	cfs_iter_release(&c->ahead);
	cfs_iter_release(&c->behind);
	opts->sizer->close(c->sizer);
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
			       struct cfs_builder_words *words,
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
		rc = write_again(opts, src, again, words, &p, counts, err);
	else
		cfs_source_close(src);
	cfs_replacement_drop(&without);
	return rc;
}

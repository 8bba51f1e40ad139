/* words_build_end.c - makes the list of words of an index of what was
 * collected.
 *
 * First the numbers of texts: texts and entries are sorted by their places, and
 * go side by side.  What an entry has no text for is read now.  Then, of each
 * word, all postings are taken from the sort, get their numbers, are put in
 * order and written.
 *
 * Memory: some ten bytes an entry.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "words_build_internal.h"

#include <stdlib.h>

#include "base/array.h"
#include "index/index_walk.h"
#include "words_format.h"

#define NONE UINT32_MAX
/* Postings of a word beyond one for so many entries are counted in an array
 * with a place for each entry. */
#define DENSE_PART 16u
/* Fewer are sorted by moving them one by one. */
#define FEW 32u

enum entry_state { HAS_WORDS = 1, HAS_LONG = 2, IS_UNREAD = 4 };

struct words_ending {
	struct cfs_words_build *b;
	struct cfs_words_build_end *end;
	struct cfs_ctx ctx;
	uint32_t n;			/* entries */
	uint8_t *lengths, *states;	/* by entry */
	uint16_t *leaves;		/* entries of each leaf */
	uint32_t *firsts;		/* and the number of its first entry */
	size_t n_leaves, leaves_room, firsts_room;
	/* By source, then text less 1: the entry, or NONE. */
	uint32_t **numbers;
	uint32_t *texts;		/* their number, by source */
	uint32_t n_sources;		/* feeders, the new index, old lists */
	struct cfs_extsort *entries;	/* place: entry and bytes of its text */
	uint32_t *missing;		/* entries to read, ascending */
	size_t n_missing;
	/* The postings of a word: entry << 32 | frequency. */
	uint64_t *found, *sorted;
	size_t n_found, found_max;
	uint32_t *dense;		/* frequencies by entry, if is_dense */
	bool is_dense;
	struct cfs_words_writer *writer;
};

static uint32_t own_source(const struct words_ending *e)
{
	return e->b->opts.feeders;
}

/* ---- places ---- */

/* Finds where the text of an entry is, and its bytes.  False: the index does
 * not know its bytes, so that nothing would tell whether it is the same.
 * knows_views: it has sizes of these views. */
static bool text_of(const struct cfs_capture *cap, bool knows_views,
		    const struct cfs_span **loc, uint64_t *bytes)
{
	if (cfs_capture_replaces(cap, CFS_SLOT_TEXT)) {
		*loc = &cap->text.loc;
		*bytes = cap->text.bytes;
		return *bytes != CFS_COMPANION_BYTES_UNKNOWN;
	}
	*loc = &cap->loc;
	*bytes = cap->views.bytes[CFS_SLOT_TEXT];
	return knows_views &&
	       cfs_view_bytes_are_known(&cap->views, CFS_SLOT_TEXT) &&
	       !cfs_capture_is_absent(cap);
}

static int note_leaf(struct words_ending *e, uint32_t number)
{
	if (cfs_array_reserve((void **)&e->leaves, &e->leaves_room,
			      e->n_leaves + 1, sizeof(*e->leaves),
			      SIZE_MAX / 8) != CFS_OK ||
	    cfs_array_reserve((void **)&e->firsts, &e->firsts_room,
			      e->n_leaves + 1, sizeof(*e->firsts),
			      SIZE_MAX / 8) != CFS_OK)
		return CFS_ENOMEM;
	e->leaves[e->n_leaves] = 0;
	e->firsts[e->n_leaves++] = number;
	return CFS_OK;
}

/* Takes note of one entry of the new index. */
static int add_entry(struct words_ending *e, const struct cfs_index_walk *w,
		     uint32_t number)
{
	uint8_t key[CFS_PLACE_BYTES], value[12];
	const struct cfs_span *loc;
	uint64_t bytes;

	if (number >= e->n)
		return cfs_error_set(e->ctx.err, CFS_EIO, "temporary file is "
				     "damaged");
	if (cfs_pos_slot(w->it.pos) == 0 && note_leaf(e, number) != CFS_OK)
		return cfs_error_nomem(e->ctx.err);
	e->leaves[e->n_leaves - 1]++;
	if (!text_of(&w->cap, e->end->ix->view_version == e->end->view_version,
		     &loc, &bytes))
		return CFS_OK;
	cfs_place_put(key, (uint32_t)loc->file[0], loc);
	cfs_be64_put(value, bytes);
	cfs_be32_put(value + 8, number);
	return cfs_extsort_add(e->entries, 0, cfs_slice_of(key, sizeof(key)),
			       cfs_slice_of(value, sizeof(value)), e->ctx.err);
}

static int walk_index(struct words_ending *e)
{
	struct cfs_index_walk *w;
	uint32_t number = 0;
	int rc = cfs_index_walk_new(&w, e->end->ix, NULL, e->ctx);

	while (rc == CFS_OK) {
		rc = cfs_index_walk_capture(w);
		if (rc == CFS_OK)
			rc = add_entry(e, w, number++);
	}
	cfs_index_walk_free(w);
	e->n = number;
	return rc == CFS_END ? CFS_OK : rc;
}

/* ---- old lists ---- */

/* Is a document among those of a set?  It is asked in ascending order. */
static bool has_doc(const struct cfs_hits *set, size_t *at, uint32_t doc)
{
	while (*at < set->n && set->v[*at] < doc)
		++*at;
	return *at < set->n && set->v[*at] == doc;
}

struct old_walk {
	const struct cfs_words_old *old;
	uint32_t source;
	uint8_t *lengths;
	struct cfs_hits unread, longs;
	size_t unread_at, long_at;
};

/* Adds the place of one entry of an old index. */
static int add_old_entry(struct words_ending *e, struct old_walk *o,
			 const struct cfs_index_walk *w)
{
	uint32_t doc = cfs_words_doc(o->old->list, w->it.pos);
	uint8_t key[CFS_PLACE_BYTES], value[CFS_PLACE_TEXT_BYTES];
	struct cfs_place_text t = { .source = o->source, .text = doc + 1 };
	const struct cfs_span *loc;

	if (doc == UINT32_MAX || !text_of(&w->cap, true, &loc, &t.bytes) ||
	    has_doc(&o->unread, &o->unread_at, doc) ||
	    loc->file[0] >= o->old->ix->archives ||
	    o->old->numbers[loc->file[0]] == NONE)
		return CFS_OK;
	t.of.length = o->lengths[doc];
	t.of.has_long = has_doc(&o->longs, &o->long_at, doc);
	cfs_place_put(key, o->old->numbers[loc->file[0]], loc);
	cfs_place_text_put(value, &t);
	return cfs_extsort_add(e->b->places, 0, cfs_slice_of(key, sizeof(key)),
			       cfs_slice_of(value, sizeof(value)), e->ctx.err);
}

static int hole_is_known(void *arg, cfs_pos pos, const struct cfs_error *why)
{
	(void)arg;
	(void)pos;
	(void)why;
	return CFS_OK;
}

static int walk_old(struct words_ending *e, struct old_walk *o)
{
	struct cfs_index_walk *w = NULL;
	struct cfs_holes holes;
	int rc;

	cfs_holes_init(&holes);
	holes.found = hole_is_known;	/* by the merge */
	rc = cfs_index_walk_new(&w, o->old->ix, &holes, e->ctx);
	while (rc == CFS_OK) {
		rc = cfs_index_walk_capture(w);
		if (rc == CFS_OK)
			rc = add_old_entry(e, o, w);
	}
	cfs_index_walk_free(w);
	cfs_holes_release(&holes);
	return rc == CFS_END ? CFS_OK : rc;
}

/* Adds the places of the texts of an old list.  One that is damaged is not
 * used: its texts are read again. */
static int add_old(struct words_ending *e, const struct cfs_words_old *old,
		   uint32_t source)
{
	struct cfs_error why = CFS_ERROR_INIT;
	struct cfs_ctx ctx = CFS_CTX(e->ctx.cancel, &why);
	struct old_walk o = { .old = old, .source = source };
	uint64_t docs = cfs_words_info(old->list)->docs;
	int rc = cfs_words_docs_of(old->list, CFS_WORDS_UNREAD, &o.unread,
				   &why);

	o.lengths = malloc((size_t)docs + 1);
	if (rc == CFS_OK)
		rc = cfs_words_docs_of(old->list, CFS_WORDS_LONG, &o.longs,
				       &why);
	if (rc == CFS_OK && o.lengths == NULL)
		rc = cfs_error_nomem(&why);
	if (rc == CFS_OK)
		rc = cfs_words_lengths(old->list, 0, (uint32_t)docs, o.lengths,
				       ctx);
	if (rc == CFS_OK)
		rc = walk_old(e, &o);
	e->texts[source] = (uint32_t)docs;
	free(o.lengths);
	cfs_hits_release(&o.unread);
	cfs_hits_release(&o.longs);
	return cfs_error_pass(e->ctx.err, &why, rc);
}

/* Gives the postings of one word of an old list to the sort. */
static int put_old_word(struct words_ending *e, uint32_t source,
			struct cfs_slice word, const struct cfs_hits *docs,
			const struct cfs_hits *frequencies,
			struct cfs_occurrences *out)
{
	int rc = CFS_OK;

	cfs_occurrences_begin(out, word, source);
	for (size_t i = 0; i < docs->n && rc == CFS_OK; i++)
		if (docs->v[i] < e->texts[source] &&
		    e->numbers[source][docs->v[i]] != NONE)
			rc = cfs_occurrences_add(out, docs->v[i] + 1,
						 frequencies->v[i],
						 e->ctx.err);
	return rc == CFS_OK ? cfs_occurrences_end(out, e->ctx.err) : rc;
}

/* Gives all words of an old list to the sort. */
static int put_old(struct words_ending *e, const struct cfs_words_old *old,
		   uint32_t source)
{
	struct cfs_hits docs = { .n = 0 }, frequencies = { .n = 0 };
	struct cfs_words_walk *walk;
	struct cfs_occurrences out = { .sort = e->b->words };
	struct cfs_slice word;
	uint32_t n;
	int rc = cfs_words_walk_begin(&walk, old->list, CFS_SLICE_EMPTY,
				      e->ctx.err);

	cfs_buf_init(&out.value, CFS_EXTSORT_ITEM_MAX);
	while (rc == CFS_OK) {
		rc = cfs_words_next(walk, &word, &n, e->ctx);
		if (rc == CFS_OK)
			rc = cfs_words_postings(walk, &docs, &frequencies,
						e->ctx);
		if (rc == CFS_OK)
			rc = put_old_word(e, source, word, &docs, &frequencies,
					  &out);
	}
	cfs_words_walk_end(walk);
	cfs_buf_release(&out.value);
	cfs_hits_release(&docs);
	cfs_hits_release(&frequencies);
	return rc == CFS_END ? CFS_OK : rc;
}

/* ---- the numbers of texts ---- */

/* Notes the text of an entry. */
static void set_text(struct words_ending *e, uint32_t entry,
		     const struct cfs_words_text *of)
{
	e->lengths[entry] = of->length;
	e->states[entry] = HAS_WORDS;
	if (of->has_long)
		e->states[entry] |= HAS_LONG;
}

/* Gives a text the number of an entry. */
static void number_text(struct words_ending *e, const struct cfs_place_text *t,
			uint32_t entry)
{
	e->numbers[t->source][t->text - 1] = entry;
	set_text(e, entry, &t->of);
}

/* Goes through texts and entries by their places. */
static int match(struct words_ending *e)
{
	struct cfs_slice place, entry, pv = CFS_SLICE_EMPTY, ev;
	struct cfs_place_text t;
	int c, at_text, at_entry;

	at_text = cfs_extsort_next(e->b->places, &place, &pv, e->ctx.err);
	for (;;) {
		bool is_taken = false;

		at_entry = cfs_extsort_next(e->entries, &entry, &ev,
					    e->ctx.err);
		if (at_entry != CFS_OK)
			break;
		while (at_text == CFS_OK && !is_taken &&
		       (c = cfs_slice_cmp(place, entry)) <= 0) {
			cfs_place_text_get(pv.p, &t);
			is_taken = c == 0 && t.bytes == cfs_be64_get(ev.p);
			if (is_taken)
				number_text(e, &t, cfs_be32_get(ev.p + 8));
			at_text = cfs_extsort_next(e->b->places, &place, &pv,
						   e->ctx.err);
		}
		if (at_text != CFS_OK && at_text != CFS_END)
			return at_text;
	}
	return at_entry == CFS_END ? CFS_OK : at_entry;
}

static int new_numbers(struct words_ending *e)
{
	e->numbers = calloc(e->n_sources, sizeof(*e->numbers));
	if (e->numbers == NULL)
		return cfs_error_nomem(e->ctx.err);
	for (uint32_t i = 0; i < e->n_sources; i++) {
		size_t n = e->texts[i];

		e->numbers[i] = reallocarray(NULL, n + 1, sizeof(uint32_t));
		if (e->numbers[i] == NULL)
			return cfs_error_nomem(e->ctx.err);
		memset(e->numbers[i], 0xff, n * sizeof(uint32_t));
	}
	return CFS_OK;
}

static int number_texts(struct words_ending *e)
{
	const struct cfs_extsort_opts so = {
		.memory_bytes = e->b->opts.memory_bytes / 8, .feeders = 1,
		.tmp_dir = e->b->opts.tmp_dir, .cancel = e->ctx.cancel };
	uint64_t n = e->end->ix->captures;
	int rc = n >= UINT32_MAX ?
		 cfs_error_set(e->ctx.err, CFS_ELIMIT, "too many captures for "
			       "a list of words") :
		 cfs_extsort_new(&e->entries, &so, e->ctx.err);

	e->n = (uint32_t)n;
	e->lengths = calloc((size_t)n + 1, 1);
	e->states = calloc((size_t)n + 1, 1);
	e->texts = calloc(e->n_sources, sizeof(*e->texts));
	if (rc == CFS_OK && (e->lengths == NULL || e->states == NULL ||
			     e->texts == NULL))
		rc = cfs_error_nomem(e->ctx.err);
	if (rc == CFS_OK)
		rc = walk_index(e);
	for (unsigned i = 0; rc == CFS_OK && i < e->b->opts.feeders; i++)
		e->texts[i] = cfs_words_feeder_texts(e->b, i);
	for (size_t i = 0; rc == CFS_OK && i < e->end->n_old; i++)
		if (e->end->old[i].list != NULL)
			rc = add_old(e, &e->end->old[i],
				     own_source(e) + 1 + (uint32_t)i);
	if (rc == CFS_OK)
		rc = new_numbers(e);
	if (rc == CFS_OK)
		rc = cfs_extsort_merge(e->entries, e->ctx.err);
	if (rc == CFS_OK)
		rc = cfs_extsort_merge(e->b->places, e->ctx.err);
	return rc == CFS_OK ? match(e) : rc;
}

/* ---- texts that are read now ---- */

struct text_reading {
	struct words_ending *e;
	unsigned thread;
	uint32_t entry;
	bool is_taken;
	int rc;				/* of collecting words */
};

static int take_read(void *arg, struct cfs_slice text, struct cfs_error *err)
{
	struct text_reading *r = arg;
	struct cfs_words_text of;

	r->rc = cfs_words_feeder_collect(r->e->b, r->thread, r->entry + 1, text,
					 &of, err);
	if (r->rc != CFS_OK)
		return r->rc;
	r->is_taken = true;
	set_text(r->e, r->entry, &of);
	return CFS_OK;
}

static cfs_pos pos_of(const struct words_ending *e, uint32_t entry)
{
	size_t after = 0;

	CFS_LOWER_BOUND(after, e->n_leaves, i, e->firsts[i] <= entry);
	return cfs_pos_make((uint32_t)(after - 1),
			    entry - e->firsts[after - 1]);
}

static int read_one(void *arg, size_t i, unsigned thread, struct cfs_ctx ctx)
{
	struct words_ending *e = arg;
	struct text_reading r = { .e = e, .thread = thread,
				  .entry = e->missing[i] };
	const struct cfs_text_taker taker = { take_read, &r };
	struct cfs_error why = CFS_ERROR_INIT;
	int rc = e->end->read(e->end->arg, pos_of(e, r.entry), &taker,
			      CFS_CTX(ctx.cancel, &why));

	if (e->end->advanced != NULL && i % 1024 == 0)
		e->end->advanced(e->end->arg, i, e->n_missing);
	if (rc == CFS_OK && r.is_taken)
		return CFS_OK;
	e->states[r.entry] |= IS_UNREAD;
	return r.rc != CFS_OK || rc == CFS_EINTR || rc == CFS_ENOMEM ?
		       cfs_error_pass(ctx.err, &why, rc) : CFS_OK;
}

static int read_missing(struct words_ending *e)
{
	size_t n = 0;
	int rc = CFS_OK;

	for (uint32_t i = 0; i < e->n; i++)
		e->n_missing += e->states[i] == 0;
	e->missing = reallocarray(NULL, e->n_missing + 1, sizeof(uint32_t));
	if (e->missing == NULL)
		return cfs_error_nomem(e->ctx.err);
	for (uint32_t i = 0; i < e->n; i++)
		if (e->states[i] == 0) {
			e->missing[n++] = i;
			e->states[i] = e->end->read == NULL ? IS_UNREAD : 0;
		}
	for (unsigned i = 0; i < e->b->opts.feeders && rc == CFS_OK; i++)
		rc = cfs_words_feeder_turn(e->b, i, own_source(e), e->ctx.err);
	if (rc == CFS_OK && e->end->read != NULL && n > 0)
		rc = e->end->each(e->end->arg, n, read_one, e, e->ctx);
	for (unsigned i = 0; i < e->b->opts.feeders && rc == CFS_OK; i++)
		rc = cfs_words_feeder_turn(e->b, i, own_source(e), e->ctx.err);
	return rc;
}

/* ---- the postings of a word ---- */

/* Moves what was found to the array of all entries. */
static int become_dense(struct words_ending *e)
{
	if (e->dense == NULL)
		e->dense = calloc((size_t)e->n + 1, sizeof(*e->dense));
	if (e->dense == NULL)
		return cfs_error_nomem(e->ctx.err);
	for (size_t i = 0; i < e->n_found; i++)
		e->dense[e->found[i] >> 32] += (uint32_t)e->found[i];
	e->n_found = 0;
	e->is_dense = true;
	return CFS_OK;
}

static int find_posting(struct words_ending *e, uint32_t entry,
			uint32_t frequency)
{
	if (!e->is_dense && e->n_found == e->found_max &&
	    become_dense(e) != CFS_OK)
		return CFS_ENOMEM;
	if (e->is_dense)
		e->dense[entry] += frequency;
	else
		e->found[e->n_found++] = (uint64_t)entry << 32 | frequency;
	return CFS_OK;
}

/* Takes the postings of one pair of the sort. */
static int find_postings(struct words_ending *e, struct cfs_slice value)
{
	struct cfs_cursor c = { .rest = value };
	uint64_t source = cfs_cursor_varint(&c);
	uint32_t text = 0, step, frequency, entry;

	while (c.rest.n > 0 && !c.bad && source < e->n_sources) {
		frequency = cfs_occurrence_take(&c, &step);
		text += step;
		entry = text - 1;
		if (source != own_source(e))
			entry = entry < e->texts[source] ?
				e->numbers[source][entry] : NONE;
		if (entry < e->n && find_posting(e, entry, frequency) != CFS_OK)
			return CFS_ENOMEM;
	}
	return CFS_OK;
}

/* Sorts a few by moving them. */
static void sort_few(uint64_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t x = v[i];
		size_t k = i;

		for (; k > 0 && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

/* Sorts by the entry, a byte at a time from the lowest. */
static void sort_found(struct words_ending *e)
{
	for (unsigned shift = 32; shift < 64 && e->n >> (shift - 32) > 0;
	     shift += 8) {
		size_t at[257] = { 0 };
		uint64_t *other = e->sorted;

		for (size_t i = 0; i < e->n_found; i++)
			at[(e->found[i] >> shift & 0xff) + 1]++;
		for (unsigned i = 1; i < 257; i++)
			at[i] += at[i - 1];
		for (size_t i = 0; i < e->n_found; i++)
			e->sorted[at[e->found[i] >> shift & 0xff]++] =
				e->found[i];
		e->sorted = e->found;
		e->found = other;
	}
}

static int write_dense(struct words_ending *e)
{
	int rc = CFS_OK;

	for (uint32_t i = 0; i < e->n && rc == CFS_OK; i++) {
		if (e->dense[i] == 0)
			continue;
		rc = cfs_words_writer_posting(e->writer, i, e->dense[i],
					      e->ctx.err);
		e->dense[i] = 0;
	}
	e->is_dense = false;
	return rc;
}

/* Writes the list of a word; texts that were divided are put together. */
static int write_word(struct words_ending *e)
{
	int rc = CFS_OK;

	if (e->is_dense)
		return write_dense(e);
	if (e->n_found <= FEW)
		sort_few(e->found, e->n_found);
	else
		sort_found(e);
	for (size_t i = 0, next; i < e->n_found && rc == CFS_OK; i = next) {
		uint32_t entry = (uint32_t)(e->found[i] >> 32), frequency = 0;

		for (next = i; next < e->n_found &&
			       e->found[next] >> 32 == entry; next++)
			frequency += (uint32_t)e->found[next];
		rc = cfs_words_writer_posting(e->writer, entry, frequency,
					      e->ctx.err);
	}
	e->n_found = 0;
	return rc;
}

/* Writes the words in order. */
static int write_words(struct words_ending *e)
{
	struct cfs_slice word, value;
	uint8_t last[CFS_WORD_MAX];
	size_t last_n = 0;
	int rc = cfs_extsort_merge(e->b->words, e->ctx.err);

	e->found_max = e->n / DENSE_PART + FEW;
	e->found = reallocarray(NULL, e->found_max, sizeof(*e->found));
	e->sorted = reallocarray(NULL, e->found_max, sizeof(*e->sorted));
	if (rc == CFS_OK && (e->found == NULL || e->sorted == NULL))
		rc = cfs_error_nomem(e->ctx.err);
	while (rc == CFS_OK) {
		rc = cfs_extsort_next(e->b->words, &word, &value, e->ctx.err);
		if (rc != CFS_OK)
			break;
		if (!cfs_slice_eq(word, cfs_slice_of(last, last_n))) {
			rc = write_word(e);
			e->end->words++;
			if (rc == CFS_OK)
				rc = cfs_words_writer_word(e->writer, word,
							   e->ctx.err);
			last_n = word.n;
			memcpy(last, word.p, word.n);
		}
		if (rc == CFS_OK && find_postings(e, value) != CFS_OK)
			rc = cfs_error_nomem(e->ctx.err);
	}
	return rc == CFS_END ? write_word(e) : rc;
}

/* ---- all of it ---- */

/* The entries that have a state, ascending. */
static int with_state(const struct words_ending *e, enum entry_state state,
		      struct cfs_hits *out)
{
	for (uint32_t i = 0; i < e->n; i++) {
		if ((e->states[i] & state) == 0)
			continue;
		if (cfs_array_reserve((void **)&out->v, &out->room, out->n + 1,
				      sizeof(*out->v), SIZE_MAX / 8) != CFS_OK)
			return cfs_error_nomem(e->ctx.err);
		out->v[out->n++] = i;
	}
	return CFS_OK;
}

static int finish_list(struct words_ending *e)
{
	struct cfs_hits unread = { .n = 0 }, longs = { .n = 0 };
	struct cfs_words_docs docs = {
		.view_version = e->end->view_version,
		.lengths = e->lengths, .n = e->n, .leaves = e->leaves,
		.n_leaves = (uint32_t)e->n_leaves };
	int rc = cfs_words_tie(e->end->ix, &docs.tie, e->ctx);

	if (rc == CFS_OK)
		rc = with_state(e, IS_UNREAD, &unread);
	if (rc == CFS_OK)
		rc = with_state(e, HAS_LONG, &longs);
	docs.unread = unread.v;
	docs.n_unread = unread.n;
	docs.longs = longs.v;
	docs.n_longs = longs.n;
	e->end->unread = unread.n;
	if (rc == CFS_OK)
		rc = cfs_words_writer_finish(e->writer, &docs,
					     &e->end->file_bytes, e->ctx.err);
	cfs_hits_release(&unread);
	cfs_hits_release(&longs);
	return rc;
}

static void ending_release(struct words_ending *e)
{
	for (uint32_t i = 0; e->numbers != NULL && i < e->n_sources; i++)
		free(e->numbers[i]);
	free(e->numbers);
	free(e->texts);
	free(e->lengths);
	free(e->states);
	free(e->leaves);
	free(e->firsts);
	free(e->missing);
	free(e->found);
	free(e->sorted);
	free(e->dense);
	cfs_extsort_free(e->entries);
	cfs_words_writer_free(e->writer);
}

int cfs_words_build_finish(struct cfs_words_build *b,
			   struct cfs_words_build_end *end,
			   struct cfs_error *err)
{
	struct words_ending e = { .b = b, .end = end,
			    .ctx = CFS_CTX(b->opts.cancel, err) };
	int rc;

	e.n_sources = own_source(&e) + 1 + (uint32_t)end->n_old;
	rc = number_texts(&e);
	cfs_extsort_free(e.entries);
	e.entries = NULL;
	if (rc == CFS_OK)
		rc = read_missing(&e);
	for (size_t i = 0; rc == CFS_OK && i < end->n_old; i++)
		if (end->old[i].list != NULL)
			rc = put_old(&e, &end->old[i],
				     own_source(&e) + 1 + (uint32_t)i);
	if (rc == CFS_OK)
		rc = cfs_words_writer_new(&e.writer, end->fd, end->name,
					  b->opts.tmp_dir, err);
	if (rc == CFS_OK)
		rc = write_words(&e);
	if (rc == CFS_OK)
		rc = finish_list(&e);
	ending_release(&e);
	return rc;
}

/* words_build.c - collects the words of texts in bounded memory.
 *
 * A feeder has one block of memory: a table of the words that it has met, and
 * of each the texts that have it, compressed, in chunks that become longer.
 * When it is full, all goes to the external sort, and the feeder begins again:
 * also in the midst of a text, whose frequencies are added up later.  So
 * sorting is a matter of words, not of each place of a word, which would cost
 * ten times as much.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "words_build_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#define XXH_INLINE_ALL		/* words are short: a call costs more */
#include <xxhash.h>

#include "base/swar.h"
#include "base/sync.h"

/* The half of an entry of the table that is the hash of its word; the other one
 * is the offset of its list. */
#define HASH_HALF (~(uint64_t)UINT32_MAX)
/* A feeder's least memory: some thousand words. */
#define FEEDER_MIN ((size_t)256 << 10)
/* Offsets in it have 32 bits. */
#define FEEDER_MAX ((size_t)UINT32_MAX)
/* The table's part of a feeder's memory: about one word in 64 bytes. */
#define TABLE_PART 8u
/* Words lie anywhere in it, so its pages should be large: most words would wait
 * for the address of a small one. */
#define HUGE_PAGE ((size_t)2 << 20)
/* The parts of all memory: the rest is for feeders. */
#define SORT_PART 4u
#define PLACES_PART 8u
/* A value of the sort is given to it from here on. */
#define VALUE_FULL (CFS_EXTSORT_ITEM_MAX - CFS_OCCURRENCE_MAX)
/* Bytes of a chunk before its postings: the offset of the next one. */
#define CHUNK_HEAD 4u
#define CHUNK_STEPS 5u

/* The postings of one word, behind which are its bytes. */
struct word_texts {
	uint32_t last, frequency;	/* the last posting, which may grow: it
					 * is in no chunk yet */
	uint32_t before;		/* the last text that is in a chunk */
	uint32_t first, chunk, at;	/* offsets of the first and the last
					 * chunk, and of its next byte */
	uint8_t room;			/* bytes left in the last chunk */
	uint8_t step;			/* its number, which tells its size */
	uint8_t n;			/* bytes of the word */
	uint8_t word[];
};

/* Most words have no more bytes: so many are copied and compared without a call
 * for each. */
#define SHORT 16u
/* Words that are looked for at a time: so the memory that one needs is fetched
 * while others are looked for. */
#define BATCH 32u
struct met_word {
	uint64_t hash;			/* in its high half */
	uint8_t n;
	uint8_t word[CFS_WORD_MAX];
};

struct cfs_words_feeder {
	uint8_t *mem;			/* the table, then lists and chunks */
	size_t cap, used;
	uint64_t seed;			/* of hashes: no page knows it, so none
					 * has words that hash alike */
	uint32_t mask;			/* table entries less 1 */
	uint32_t words;			/* in the table */
	uint32_t source;		/* of its texts */
	uint32_t texts;			/* that were added */
	struct cfs_occurrences out;
	struct met_word batch[BATCH];	/* of one text */
	size_t n_batch;
};

char *cfs_words_path(const char *index)
{
	struct cfs_slice s = cfs_slice_str(index);
	char *out;

	if (cfs_slice_ends(s, CFS_SLICE_LIT(".cfx")))
		s.n -= strlen(CFS_WORDS_SUFFIX);
	return asprintf(&out, "%.*s%s", (int)s.n, index,
			CFS_WORDS_SUFFIX) < 0 ? NULL : out;
}

/* ---- postings ---- */

static size_t varint_put(uint8_t *p, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		p[n++] = (uint8_t)(v | 0x80);
	p[n++] = (uint8_t)v;
	return n;
}

/* Encodes a posting into p, at most CFS_OCCURRENCE_MAX bytes of it, and
 * returns its bytes. */
static size_t posting_put(uint8_t *p, uint32_t step, uint32_t frequency)
{
	size_t n = varint_put(p, (uint64_t)step << 1 | (frequency == 1));

	return frequency == 1 ? n : n + varint_put(p + n, frequency);
}

uint32_t cfs_occurrence_take(struct cfs_cursor *c, uint32_t *step)
{
	uint64_t v = cfs_cursor_varint(c);

	*step = (uint32_t)(v >> 1);
	return (v & 1) != 0 ? 1 : (uint32_t)cfs_cursor_varint(c);
}

void cfs_occurrences_begin(struct cfs_occurrences *p, struct cfs_slice word,
			   uint32_t source)
{
	cfs_buf_reset(&p->value);
	cfs_buf_varint(&p->value, source);
	p->word = word;
	p->source = source;
	p->before = 0;
}

int cfs_occurrences_end(struct cfs_occurrences *p, struct cfs_error *err)
{
	if (p->value.failed != CFS_OK)
		return cfs_error_nomem(err);
	return p->before == 0 ? CFS_OK :
	       cfs_extsort_add(p->sort, p->feeder, p->word,
			       cfs_buf_slice(&p->value), err);
}

int cfs_occurrences_add(struct cfs_occurrences *p, uint32_t text,
			uint32_t frequency, struct cfs_error *err)
{
	uint8_t code[CFS_OCCURRENCE_MAX];

	if (p->value.n > VALUE_FULL) {
		int rc = cfs_occurrences_end(p, err);

		if (rc != CFS_OK)
			return rc;
		cfs_occurrences_begin(p, p->word, p->source);
	}
	cfs_buf_append(&p->value, code,
		       posting_put(code, text - p->before, frequency));
	p->before = text;
	return CFS_OK;
}

/* ---- the memory of a feeder ---- */

static uint64_t *table_of(const struct cfs_words_feeder *f)
{
	return (uint64_t *)(void *)f->mem;
}

static struct word_texts *list_at(const struct cfs_words_feeder *f,
				    uint32_t at)
{
	return (struct word_texts *)(void *)(f->mem + at);
}

static void clear(struct cfs_words_feeder *f)
{
	f->used = ((size_t)f->mask + 1) * sizeof(uint64_t);
	f->words = 0;
	memset(f->mem, 0, f->used);
}

static int feeder_init(struct cfs_words_feeder *f, unsigned number,
		       size_t bytes)
{
	size_t entries = 1;

	if (bytes < FEEDER_MIN)
		bytes = FEEDER_MIN;
	if (bytes > FEEDER_MAX)
		bytes = FEEDER_MAX;
	while (entries * 2 * sizeof(uint64_t) <= bytes / TABLE_PART)
		entries *= 2;
	f->out.feeder = number;
	cfs_buf_init(&f->out.value, CFS_EXTSORT_ITEM_MAX);
	f->source = number;
	f->mask = (uint32_t)entries - 1;
	f->cap = bytes;
	f->mem = aligned_alloc(HUGE_PAGE, (bytes + SHORT) / HUGE_PAGE *
			       HUGE_PAGE + HUGE_PAGE);
	if (f->mem == NULL)
		return CFS_ENOMEM;
	(void)madvise(f->mem, bytes, MADV_HUGEPAGE);	/* a hint */
	f->seed = (uint64_t)(uintptr_t)f->mem ^ (uint64_t)cfs_monotonic_ms();
	clear(f);
	return CFS_OK;
}

/* Takes memory, aligned for a list; 0: there is not enough. */
static uint32_t take(struct cfs_words_feeder *f, size_t n)
{
	size_t at = f->used;

	n = (n + 3) & ~(size_t)3;
	if (n > f->cap - at)
		return 0;
	f->used += n;
	return (uint32_t)at;
}

static size_t chunk_room(unsigned step)
{
	return ((size_t)16 << (step < CHUNK_STEPS ? step : CHUNK_STEPS - 1)) -
	       CHUNK_HEAD;
}

/* Adds a chunk to a list.  Zeroes say where its postings end. */
static bool add_chunk(struct cfs_words_feeder *f, struct word_texts *l)
{
	unsigned step = l->first == 0 ? 0 : l->step + 1u;
	size_t room = chunk_room(step);
	uint32_t at = take(f, CHUNK_HEAD + room);

	if (at == 0)
		return false;
	memset(f->mem + at, 0, CHUNK_HEAD + room);
	if (l->first == 0)
		l->first = at;
	else
		cfs_le32_put(f->mem + l->chunk, at);
	l->chunk = at;
	l->at = at + CHUNK_HEAD;
	l->room = (uint8_t)room;
	l->step = (uint8_t)(step < CHUNK_STEPS ? step : CHUNK_STEPS - 1);
	return true;
}

/* Moves the last posting to a chunk.  False: the memory is full. */
static bool settle(struct cfs_words_feeder *f, struct word_texts *l)
{
	uint8_t code[CFS_OCCURRENCE_MAX];
	uint32_t step = l->last - l->before;
	size_t n;

	/* Where there is room for any, which is mostly so, none is copied. */
	if (l->room < sizeof(code) &&
	    posting_put(code, step, l->frequency) > l->room && !add_chunk(f, l))
		return false;
	n = posting_put(f->mem + l->at, step, l->frequency);
	l->at += (uint32_t)n;
	l->room = (uint8_t)(l->room - n);
	l->before = l->last;
	return true;
}

/* Gives a list to the sort. */
static int put_list(struct cfs_words_feeder *f, const struct word_texts *l,
		    struct cfs_error *err)
{
	uint32_t text = 0, step;
	unsigned number = 0;
	int rc = CFS_OK;

	cfs_occurrences_begin(&f->out, cfs_slice_of(l->word, l->n), f->source);
	for (uint32_t at = l->first; at != 0 && rc == CFS_OK;
	     at = cfs_le32_get(f->mem + at)) {
		struct cfs_cursor c = { .rest = { f->mem + at + CHUNK_HEAD,
						  chunk_room(number++) } };

		while (c.rest.n > 0 && c.rest.p[0] != 0 && rc == CFS_OK) {
			uint32_t frequency = cfs_occurrence_take(&c, &step);

			text += step;
			rc = cfs_occurrences_add(&f->out, text, frequency, err);
		}
	}
	if (rc == CFS_OK)
		rc = cfs_occurrences_add(&f->out, l->last, l->frequency, err);
	return rc == CFS_OK ? cfs_occurrences_end(&f->out, err) : rc;
}

/* Gives all lists to the sort, and begins again. */
static int put_all(struct cfs_words_feeder *f, struct cfs_error *err)
{
	const uint64_t *table = table_of(f);

	for (size_t i = 0; i <= f->mask && f->words > 0; i++) {
		int rc = table[i] == 0 ? CFS_OK :
			 put_list(f, list_at(f, (uint32_t)table[i]), err);

		if (rc != CFS_OK)
			return rc;
	}
	clear(f);
	return CFS_OK;
}

/* ---- one word ---- */

static uint32_t first_entry(const struct cfs_words_feeder *f, uint64_t hash)
{
	return (uint32_t)(hash >> 32) & f->mask;
}

/* Is it the word of a list?  Behind both, SHORT bytes can be read. */
static inline bool is_word(const struct word_texts *l, const struct met_word *m)
{
	uint64_t low, high;

	if (l->n != m->n || m->n > SHORT)
		return l->n == m->n && memcmp(l->word, m->word, m->n) == 0;
	low = cfs_swar_in_order_at(l->word) ^ cfs_swar_in_order_at(m->word);
	if (m->n <= 8)
		return low << (64 - 8 * m->n) == 0;
	high = cfs_swar_in_order_at(l->word + 8) ^
	       cfs_swar_in_order_at(m->word + 8);
	return low == 0 && high << (128 - 8 * m->n) == 0;
}

/* Finds the list of a word, or makes it.  NULL: the memory is full. */
static struct word_texts *list_of(struct cfs_words_feeder *f,
				  const struct met_word *m)
{
	uint64_t *table = table_of(f);
	uint32_t i = first_entry(f, m->hash), at;
	struct word_texts *l;

	for (; table[i] != 0; i = (i + 1) & f->mask) {
		if ((table[i] & HASH_HALF) != m->hash)
			continue;
		l = list_at(f, (uint32_t)table[i]);
		if (is_word(l, m))
			return l;
	}
	if (f->words > f->mask / 4 * 3 ||
	    (at = take(f, sizeof(*l) + m->n)) == 0)
		return NULL;
	table[i] = m->hash | at;
	f->words++;
	l = list_at(f, at);
	*l = (struct word_texts){ .n = m->n };
	memcpy(l->word, m->word, m->n);
	return l;
}

/* Counts an occurrence of a word in a text.  False: the memory is full. */
static bool count(struct cfs_words_feeder *f, const struct met_word *m,
		  uint32_t text)
{
	struct word_texts *l = list_of(f, m);

	if (l == NULL)
		return false;
	if (l->last == text) {
		l->frequency += l->frequency < UINT32_MAX;
		return true;
	}
	if (l->last != 0 && !settle(f, l))
		return false;
	l->last = text;
	l->frequency = 1;
	return true;
}

/* Counts the words of the batch, which are of one text. */
static int count_batch(struct cfs_words_feeder *f, uint32_t text,
		       struct cfs_error *err)
{
	const uint64_t *table = table_of(f);
	int rc = CFS_OK;

	for (size_t i = 0; i < f->n_batch; i++) {
		uint64_t entry = table[first_entry(f, f->batch[i].hash)];

		if ((entry & HASH_HALF) == f->batch[i].hash)
			__builtin_prefetch(f->mem + (uint32_t)entry);
	}
	for (size_t i = 0; i < f->n_batch && rc == CFS_OK; i++) {
		if (count(f, &f->batch[i], text))
			continue;
		rc = put_all(f, err);
		if (rc == CFS_OK)
			count(f, &f->batch[i], text);
	}
	f->n_batch = 0;
	return rc;
}

/* Adds a word, whose bytes have CFS_WORD_MAX bytes of room. */
static void add_to_batch(struct cfs_words_feeder *f, struct cfs_slice word)
{
	struct met_word *m = &f->batch[f->n_batch++];

	m->hash = XXH3_64bits_withSeed(word.p, word.n, f->seed) & HASH_HALF;
	m->n = (uint8_t)word.n;
	if (word.n <= SHORT)
		memcpy(m->word, word.p, SHORT);
	else
		memcpy(m->word, word.p, word.n);
	__builtin_prefetch(&table_of(f)[first_entry(f, m->hash)]);
}

/* ---- texts ---- */

int cfs_words_feeder_collect(struct cfs_words_build *b, unsigned feeder,
			     uint32_t number, struct cfs_slice text,
			     struct cfs_words_text *out, struct cfs_error *err)
{
	struct cfs_words_feeder *f = &b->feeders[feeder];
	struct cfs_word_split s;
	struct cfs_word word;
	uint64_t words = 0;
	int rc = CFS_OK;

	*out = (struct cfs_words_text){ .length = 0 };
	cfs_word_split_init(&s, text);
	while (rc == CFS_OK && cfs_word_split_next(&s, &word)) {
		words++;
		out->has_long |= word.is_cut;
		add_to_batch(f, word.word);
		if (f->n_batch == BATCH)
			rc = count_batch(f, number, err);
	}
	if (rc == CFS_OK)
		rc = count_batch(f, number, err);
	out->length = cfs_words_length_code(words);
	return rc;
}

uint32_t cfs_words_feeder_texts(const struct cfs_words_build *b,
				unsigned feeder)
{
	return b->feeders[feeder].texts;
}

int cfs_words_feeder_turn(struct cfs_words_build *b, unsigned feeder,
			  uint32_t source, struct cfs_error *err)
{
	int rc = put_all(&b->feeders[feeder], err);

	b->feeders[feeder].source = source;
	return rc;
}

/* ---- places ---- */

void cfs_place_put(uint8_t *p, uint32_t archive, const struct cfs_span *loc)
{
	cfs_be32_put(p, archive);
	cfs_be64_put(p + 4, loc->offset);
	cfs_be64_put(p + 12, loc->inner_offset);
}

void cfs_place_text_put(uint8_t *p, const struct cfs_place_text *t)
{
	cfs_be32_put(p, t->source);
	cfs_be32_put(p + 4, t->text);
	cfs_be64_put(p + 8, t->bytes);
	p[16] = t->of.length;
	p[17] = t->of.has_long;
}

void cfs_place_text_get(const uint8_t *p, struct cfs_place_text *t)
{
	t->source = cfs_be32_get(p);
	t->text = cfs_be32_get(p + 4);
	t->bytes = cfs_be64_get(p + 8);
	t->of.length = p[16];
	t->of.has_long = p[17] != 0;
}

int cfs_words_build_add(struct cfs_words_build *b, unsigned feeder,
			uint32_t archive, const struct cfs_span *loc,
			struct cfs_slice text, struct cfs_error *err)
{
	struct cfs_words_feeder *f = &b->feeders[feeder];
	struct cfs_place_text t = { .source = f->source, .bytes = text.n };
	uint8_t key[CFS_PLACE_BYTES], value[CFS_PLACE_TEXT_BYTES];
	int rc;

	if (f->texts >= UINT32_MAX - 1)
		return cfs_error_set(err, CFS_ELIMIT, "too many texts for a "
				     "list of words");
	t.text = ++f->texts;
	rc = cfs_words_feeder_collect(b, feeder, t.text, text, &t.of, err);
	cfs_place_put(key, archive, loc);
	cfs_place_text_put(value, &t);
	return rc != CFS_OK ? rc :
	       cfs_extsort_add(b->places, feeder,
			       cfs_slice_of(key, sizeof(key)),
			       cfs_slice_of(value, sizeof(value)), err);
}

/* ---- new and free ---- */

static int new_sort(struct cfs_extsort **out,
		    const struct cfs_words_build_opts *o, unsigned part,
		    struct cfs_error *err)
{
	const struct cfs_extsort_opts so = {
		.memory_bytes = o->memory_bytes / part,
		.feeders = o->feeders, .tmp_dir = o->tmp_dir,
		.cancel = o->cancel };

	return cfs_extsort_new(out, &so, err);
}

int cfs_words_build_new(struct cfs_words_build **out,
			const struct cfs_words_build_opts *opts,
			struct cfs_error *err)
{
	struct cfs_words_build *b = calloc(1, sizeof(*b));
	size_t rest = opts->memory_bytes - opts->memory_bytes / SORT_PART -
		      opts->memory_bytes / PLACES_PART;
	int rc;

	*out = b;
	if (b == NULL)
		return cfs_error_nomem(err);
	b->opts = *opts;
	b->feeders = calloc(opts->feeders, sizeof(*b->feeders));
	rc = b->feeders == NULL ? cfs_error_nomem(err) : CFS_OK;
	for (unsigned i = 0; rc == CFS_OK && i < opts->feeders; i++)
		if (feeder_init(&b->feeders[i], i, rest / opts->feeders) !=
		    CFS_OK)
			rc = cfs_error_nomem(err);
	if (rc == CFS_OK)
		rc = new_sort(&b->words, opts, SORT_PART, err);
	if (rc == CFS_OK)
		rc = new_sort(&b->places, opts, PLACES_PART, err);
	for (unsigned i = 0; rc == CFS_OK && i < opts->feeders; i++)
		b->feeders[i].out.sort = b->words;
	if (rc != CFS_OK) {
		cfs_words_build_free(b);
		*out = NULL;
	}
	return rc;
}

void cfs_words_build_free(struct cfs_words_build *b)
{
	if (b == NULL)
		return;
	for (unsigned i = 0; b->feeders != NULL && i < b->opts.feeders; i++) {
		free(b->feeders[i].mem);
		cfs_buf_release(&b->feeders[i].out.value);
	}
	free(b->feeders);
	cfs_extsort_free(b->words);
	cfs_extsort_free(b->places);
	free(b);
}

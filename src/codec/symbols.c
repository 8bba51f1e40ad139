/* symbols.c - makes a symbol table, and encodes and decodes strings with it.
 *
 * A static table of short symbols for many short strings is the idea of FSST
 * (Boncz, Neumann, Leis: "FSST: Fast Random Access String Compression", PVLDB
 * 13, 2020).  Unlike FSST, there are more symbols, with codes of one and two
 * bytes, and instead of the longest next symbol the encoder takes the cheapest
 * sequence of symbols, found by dynamic programming from the end of the text.
 *
 * Training: in each of a few rounds, the symbols and pairs of adjacent symbols
 * that cover most of the sample become the next table; then symbols that save
 * less than they take in the file are dropped.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "symbols.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

/* ---- the table ---- */

static unsigned ones_of(unsigned n)
{
	return n <= 255 ? 255 : 255 - (n - 255 + 254) / 255;
}

int cfs_symbols_parse(struct cfs_slice table, struct cfs_symbols *out)
{
	struct cfs_cursor c = { table, false };

	memset(out, 0, sizeof(*out));
	out->n = cfs_cursor_le16(&c);
	if (out->n > CFS_SYMBOLS_MAX)
		return CFS_EFORMAT;
	out->ones = ones_of(out->n);
	for (unsigned i = 0; i < out->n; i++) {
		uint8_t len = cfs_cursor_u8(&c);
		struct cfs_slice s = cfs_cursor_take(&c, len);

		if (c.bad || len == 0 || len > CFS_SYMBOL_BYTES)
			return CFS_EFORMAT;
		out->len[i] = len;
		memcpy(out->bytes[i], s.p, len);
	}
	return c.bad || c.rest.n > 0 ? CFS_EFORMAT : CFS_OK;
}

int cfs_symbols_write(const struct cfs_symbols *s, struct cfs_buf *out)
{
	cfs_buf_le16(out, (uint16_t)s->n);
	for (unsigned i = 0; i < s->n; i++) {
		cfs_buf_addc(out, s->len[i]);
		cfs_buf_append(out, s->bytes[i], s->len[i]);
	}
	return out->failed;
}

int cfs_symbols_decode(const struct cfs_symbols *s, struct cfs_slice codes,
		       uint8_t *out, size_t max, size_t *n)
{
	const uint8_t *p = codes.p, *end = p + codes.n;
	uint8_t *q = out, *stop = out + max;

	while (p < end) {
		unsigned sym = *p++;

		if (sym == CFS_SYMBOL_ESCAPE) {
			if (p == end)
				return CFS_EFORMAT;
			if (q == stop)
				return CFS_ELIMIT;
			*q++ = *p++;
			continue;
		}
		if (sym >= s->ones) {
			if (p == end)
				return CFS_EFORMAT;
			sym = s->ones + (sym - s->ones) * 256u + *p++;
		}
		if (sym >= s->n)
			return CFS_EFORMAT;
		/* Copy whole words while they fit: the next symbol overwrites
		 * the excess. */
		if ((size_t)(stop - q) >= CFS_SYMBOL_BYTES)
			memcpy(q, s->bytes[sym], CFS_SYMBOL_BYTES);
		else if (s->len[sym] <= stop - q)
			memcpy(q, s->bytes[sym], s->len[sym]);
		else
			return CFS_ELIMIT;
		q += s->len[sym];
	}
	*n = (size_t)(q - out);
	return CFS_OK;
}

/* ---- the encoder ---- */

#define NONE 0xffffu

/* A symbol of two bytes or more.  Entries are grouped by their first two
 * bytes. */
struct symbol_entry {
	uint64_t word, mask;
	uint16_t symbol;
	uint8_t len, cost;
	bool last;		/* the last one of its group */
};

struct cfs_symbol_encoder {
	unsigned n, ones;
	struct symbol_entry entries[CFS_SYMBOLS_MAX];
	uint16_t group[65536];	/* first entry by first two bytes, or NONE */
	uint16_t one[256];	/* one-byte symbol, or NONE */
	/* The cheapest coding of the text from each byte on: its cost in
	 * bytes, and its first symbol, or NONE for an escape. */
	uint32_t cost[CFS_SYMBOL_TEXT_MAX + CFS_SYMBOL_BYTES];
	uint16_t symbol[CFS_SYMBOL_TEXT_MAX];
	uint8_t len[CFS_SYMBOL_TEXT_MAX];
	uint8_t text[CFS_SYMBOL_TEXT_MAX + CFS_SYMBOL_BYTES];
};

static int entry_cmp(const void *a, const void *b)
{
	const struct symbol_entry *x = a, *y = b;
	unsigned gx = x->word & 0xffff, gy = y->word & 0xffff;

	if (gx != gy)
		return gx < gy ? -1 : 1;
	if (x->len != y->len)
		return x->len > y->len ? -1 : 1;
	return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

/* A word with the bits of its first n bytes set; n <= 8. */
static uint64_t low_bytes(unsigned n)
{
	return n == 8 ? UINT64_MAX : (1ull << n * 8) - 1;
}

static void fill_encoder(struct cfs_symbol_encoder *e,
			 const struct cfs_symbols *s)
{
	e->n = 0;
	e->ones = s->ones;
	memset(e->group, 0xff, sizeof(e->group));
	memset(e->one, 0xff, sizeof(e->one));
	for (unsigned i = 0; i < s->n; i++) {
		unsigned len = s->len[i];

		/* a one-byte symbol with a two-byte code is no better than an
		 * escape */
		if (len == 1 && i < s->ones)
			e->one[s->bytes[i][0]] = (uint16_t)i;
		if (len == 1)
			continue;
		e->entries[e->n++] = (struct symbol_entry){
			.word = cfs_le64_get(s->bytes[i]), .len = (uint8_t)len,
			.symbol = (uint16_t)i, .cost = i < s->ones ? 1 : 2,
			.mask = low_bytes(len),
		};
	}
	if (e->n > 0)
		qsort(e->entries, e->n, sizeof(e->entries[0]), entry_cmp);
	for (unsigned i = e->n; i-- > 0;) {
		unsigned g = e->entries[i].word & 0xffff;

		e->entries[i].last = e->group[g] == NONE;
		e->group[g] = (uint16_t)i;
	}
}

struct cfs_symbol_encoder *cfs_symbol_encoder_new(const struct cfs_symbols *s)
{
	struct cfs_symbol_encoder *e = malloc(sizeof(*e));

	if (e != NULL)
		fill_encoder(e, s);
	return e;
}

void cfs_symbol_encoder_free(struct cfs_symbol_encoder *e)
{
	free(e);
}

/* Finds the best symbol at byte i, other than `but`; the costs behind byte i
 * are known. */
static void best_step(struct cfs_symbol_encoder *e, size_t i, size_t n,
		      unsigned but)
{
	uint64_t w = cfs_le64_get(e->text + i);
	unsigned symbol = e->one[w & 0xff], len = 1, g = e->group[w & 0xffff];
	uint32_t best;

	if (symbol == but)
		symbol = NONE;
	best = e->cost[i + 1] + (symbol == NONE ? 2 : 1);
	if (g != NONE) {
		const struct symbol_entry *t = &e->entries[g];

		for (;; t++) {
			if ((w & t->mask) == t->word && i + t->len <= n &&
			    e->cost[i + t->len] + t->cost < best &&
			    t->symbol != but) {
				best = e->cost[i + t->len] + t->cost;
				symbol = t->symbol;
				len = t->len;
			}
			if (t->last)
				break;
		}
	}
	e->cost[i] = best;
	e->symbol[i] = (uint16_t)symbol;
	e->len[i] = (uint8_t)len;
}

static void find_way(struct cfs_symbol_encoder *e, struct cfs_slice text,
		     unsigned but)
{
	assert(text.n <= CFS_SYMBOL_TEXT_MAX);
	if (text.n > 0)
		memcpy(e->text, text.p, text.n);
	memset(e->text + text.n, 0, CFS_SYMBOL_BYTES);
	e->cost[text.n] = 0;
	for (size_t i = text.n; i-- > 0;)
		best_step(e, i, text.n, but);
}

size_t cfs_symbols_encode(struct cfs_symbol_encoder *e, struct cfs_slice text,
			  uint8_t *out)
{
	uint8_t *q = out;

	find_way(e, text, CFS_SYMBOLS_MAX);
	for (size_t i = 0; i < text.n; i += e->len[i]) {
		unsigned sym = e->symbol[i];

		if (sym == NONE) {
			*q++ = CFS_SYMBOL_ESCAPE;
			*q++ = text.p[i];
		} else if (sym < e->ones) {
			*q++ = (uint8_t)sym;
		} else {
			*q++ = (uint8_t)(e->ones + ((sym - e->ones) >> 8));
			*q++ = (uint8_t)(sym - e->ones);
		}
	}
	return (size_t)(q - out);
}

/* ---- training ---- */

/* The number of rounds that grow the table, and of those that drop symbols. */
#define GROW_ROUNDS 6
#define DROP_ROUNDS 4
/* Tokens: the numbers of symbols, and above these, bytes without a symbol. */
#define TOKENS (CFS_SYMBOLS_MAX + 256u)
/* At most PAIRS_MAX different pairs are counted in a round; later ones are
 * ignored. */
#define PAIR_SLOTS (1u << 18)
#define PAIRS_MAX (PAIR_SLOTS / 4 * 3)

struct pair {
	uint32_t tokens;	/* first << 16 | second, plus 1: never 0 */
	uint32_t count;
};

struct candidate {
	uint64_t word, gain;
	uint8_t len;
};

struct trainer {
	struct cfs_symbols *table;
	struct cfs_symbol_encoder *encoder;
	struct pair *pairs;
	size_t n_pairs;
	uint32_t singles[TOKENS];
	struct candidate *found;
	size_t n_found, cap_found;
};

static void count_pair(struct trainer *t, unsigned a, unsigned b)
{
	uint32_t id = (a << 16 | b) + 1;
	uint32_t at = (uint32_t)(id * 0x9E3779B97F4A7C15u >> 40) % PAIR_SLOTS;

	while (t->pairs[at].tokens != 0 && t->pairs[at].tokens != id)
		at = (at + 1) % PAIR_SLOTS;
	if (t->pairs[at].tokens == 0) {
		if (t->n_pairs == PAIRS_MAX)
			return;
		t->n_pairs++;
		t->pairs[at].tokens = id;
	}
	t->pairs[at].count++;
}

/* Counts the tokens of the sample and, if `pairs`, adjacent pairs of them. */
static void symbols_count(struct trainer *t, struct cfs_slice sample,
			  bool pairs)
{
	struct cfs_symbol_encoder *e = t->encoder;
	struct cfs_cursor c = { sample, false };

	fill_encoder(e, t->table);
	memset(t->singles, 0, sizeof(t->singles));
	if (pairs)
		memset(t->pairs, 0, sizeof(*t->pairs) * PAIR_SLOTS);
	t->n_pairs = 0;
	while (c.rest.n > 0 && !c.bad) {
		struct cfs_slice s = cfs_cursor_take(&c, cfs_cursor_le16(&c));
		unsigned before = TOKENS;

		if (s.n > CFS_SYMBOL_TEXT_MAX)
			s.n = CFS_SYMBOL_TEXT_MAX;
		find_way(e, s, CFS_SYMBOLS_MAX);
		for (size_t i = 0; i < s.n; i += e->len[i]) {
			unsigned now = e->symbol[i];

			if (now == NONE)
				now = CFS_SYMBOLS_MAX + s.p[i];
			t->singles[now]++;
			if (pairs && before != TOKENS)
				count_pair(t, before, now);
			before = now;
		}
	}
}

static unsigned token_len(const struct trainer *t, unsigned token)
{
	return token < CFS_SYMBOLS_MAX ? t->table->len[token] : 1;
}

static uint64_t token_word(const struct trainer *t, unsigned token)
{
	return token < CFS_SYMBOLS_MAX ? cfs_le64_get(t->table->bytes[token])
				       : token - CFS_SYMBOLS_MAX;
}

static int add_candidate(struct trainer *t, uint64_t word, unsigned len,
			 uint64_t gain)
{
	if (cfs_array_reserve((void **)&t->found, &t->cap_found, t->n_found + 1,
			      sizeof(*t->found), TOKENS + PAIR_SLOTS) != CFS_OK)
		return CFS_ENOMEM;
	t->found[t->n_found++] = (struct candidate){ word, gain, (uint8_t)len };
	return CFS_OK;
}

/* Makes candidates of the tokens and pairs counted; their gain is the bytes of
 * the sample they cover.  Single bytes gain more, because a byte without a
 * symbol costs two. */
static int symbols_collect(struct trainer *t)
{
	int rc = CFS_OK;

	t->n_found = 0;
	for (unsigned a = 0; a < TOKENS && rc == CFS_OK; a++) {
		unsigned len = token_len(t, a);
		uint64_t k = t->singles[a];

		if (k > 0)
			rc = add_candidate(t, token_word(t, a), len,
					   k * (len == 1 ? 8 : len));
	}
	for (size_t i = 0; i < PAIR_SLOTS && rc == CFS_OK; i++) {
		uint32_t id = t->pairs[i].tokens - 1, k = t->pairs[i].count;
		unsigned la, len;

		if (k < 3)	/* its place in the table costs as much */
			continue;
		la = token_len(t, id >> 16);
		len = la + token_len(t, id & 0xffff);
		if (la == CFS_SYMBOL_BYTES)
			continue;
		if (len > CFS_SYMBOL_BYTES)
			len = CFS_SYMBOL_BYTES;
		rc = add_candidate(t, token_word(t, id >> 16) |
				      token_word(t, id & 0xffff) << la * 8,
				   len, (uint64_t)k * len);
	}
	return rc;
}

static int symbols_by_bytes(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->word != y->word)
		return x->word < y->word ? -1 : 1;
	return (x->len > y->len) - (x->len < y->len);
}

static int by_gain(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->gain != y->gain)
		return x->gain > y->gain ? -1 : 1;
	return symbols_by_bytes(a, b);
}

/* Makes the table from the best candidates. */
static void symbols_choose(struct trainer *t)
{
	struct cfs_symbols *s = t->table;
	size_t n = 0;

	if (t->n_found > 0)
		qsort(t->found, t->n_found, sizeof(t->found[0]),
		      symbols_by_bytes);
	for (size_t i = 0; i < t->n_found; i++) {
		if (n > 0 && symbols_by_bytes(&t->found[n - 1],
					      &t->found[i]) == 0)
			t->found[n - 1].gain += t->found[i].gain;
		else
			t->found[n++] = t->found[i];
	}
	if (n > 0)
		qsort(t->found, n, sizeof(t->found[0]), by_gain);
	memset(s, 0, sizeof(*s));
	s->n = n < CFS_SYMBOLS_MAX ? (unsigned)n : CFS_SYMBOLS_MAX;
	s->ones = ones_of(s->n);
	for (unsigned i = 0; i < s->n; i++) {
		s->len[i] = t->found[i].len;
		cfs_le64_put(s->bytes[i], t->found[i].word);
	}
}

/* Makes candidates of the symbols by use, so that the most used get one-byte
 * codes.  Drops those that, compared with their best replacement, save less
 * than they take in the file. */
static int symbols_drop(struct trainer *t, unsigned scale)
{
	const struct cfs_symbols *s = t->table;
	int rc = CFS_OK;

	t->n_found = 0;
	for (unsigned i = 0; i < s->n && rc == CFS_OK; i++) {
		uint64_t k = (uint64_t)t->singles[i] * scale, saves;
		unsigned cost = i < s->ones ? 1 : 2;

		find_way(t->encoder, cfs_slice_of(s->bytes[i], s->len[i]), i);
		saves = t->encoder->cost[0] > cost ?
			(t->encoder->cost[0] - cost) * k : 0;
		if (saves > s->len[i] + 1u)
			rc = add_candidate(t, cfs_le64_get(s->bytes[i]),
					   s->len[i], k);
	}
	return rc;
}

int cfs_symbols_train(struct cfs_slice sample, unsigned scale,
		      struct cfs_symbols *out)
{
	struct trainer t = { .table = out };
	int rc = CFS_ENOMEM;

	memset(out, 0, sizeof(*out));
	out->ones = ones_of(0);
	t.encoder = malloc(sizeof(*t.encoder));
	t.pairs = malloc(sizeof(*t.pairs) * PAIR_SLOTS);
	if (t.encoder == NULL || t.pairs == NULL)
		goto out;
	rc = CFS_OK;
	for (int i = 0; i < GROW_ROUNDS + DROP_ROUNDS && rc == CFS_OK; i++) {
		bool grow = i < GROW_ROUNDS;

		symbols_count(&t, sample, grow);
		rc = grow ? symbols_collect(&t) : symbols_drop(&t, scale);
		if (rc == CFS_OK)
			symbols_choose(&t);
	}
out:
	free(t.found);
	free(t.pairs);
	free(t.encoder);
	return rc;
}

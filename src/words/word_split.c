/* word_split.c - divides a text into words (rules: word_split.h).
 *
 * ASCII is done eight bytes at a time.  What ICU says of other code points
 * is kept in a table, page by page, since texts have few pages of them and ICU
 * takes ten times as long.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "word_split.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

#include "base/ascii.h"
#include "base/swar.h"
#include "base/utf8.h"

#define WORD_CATEGORIES (U_GC_L_MASK | U_GC_M_MASK | U_GC_ND_MASK)

/* How a code point belongs to words, in the low bits of what is known of it;
 * above them is what it folds to. */
enum { BETWEEN, IN_RUN, IN_PAIRS, KINDS = 3, FOLDS_TO_MANY = 4,
       FOLD_SHIFT = 3 };

#define PAGE_SHIFT 8
#define PAGE_POINTS (1u << PAGE_SHIFT)
#define PAGES (0x110000u >> PAGE_SHIFT)

/* ---- code points ---- */

/* The scripts that are written without blanks. */
static const UScriptCode blankless[] = {
	USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_THAI,
	USCRIPT_LAO, USCRIPT_KHMER, USCRIPT_MYANMAR,
};

/* Appends the fold of a code point as ICU has it, and returns its length. */
static size_t fold_by_icu(uint32_t c, uint8_t out[CFS_WORD_FOLD_MAX])
{
	UChar in[2], folded[CFS_WORD_FOLD_MAX / 3];
	UErrorCode status = U_ZERO_ERROR;
	int32_t n_in = 0, n, at = 0;
	size_t bytes = 0;

	U16_APPEND_UNSAFE(in, n_in, c);
	n = u_strFoldCase(folded, CFS_WORD_FOLD_MAX / 3, in, n_in,
			  U_FOLD_CASE_DEFAULT, &status);
	while (U_SUCCESS(status) && at < n) {
		UChar32 part;

		U16_NEXT(folded, at, n, part);
		bytes += cfs_utf8_put(out + bytes, (uint32_t)part);
	}
	return bytes;
}

static uint32_t ask_icu(uint32_t c)
{
	uint8_t folded[CFS_WORD_FOLD_MAX];
	uint32_t kind = IN_RUN, to = c;
	size_t n;

	if ((U_GET_GC_MASK((UChar32)c) & WORD_CATEGORIES) == 0)
		return BETWEEN;
	for (size_t i = 0; i < sizeof(blankless) / sizeof(blankless[0]); i++)
		if (uscript_hasScript((UChar32)c, blankless[i]))
			kind = IN_PAIRS;
	n = fold_by_icu(c, folded);
	if (cfs_utf8_decode(cfs_slice_of(folded, n), &to) != n)
		kind |= FOLDS_TO_MANY;
	return kind | to << FOLD_SHIFT;
}

/* Pages of the table, made when a code point of them first comes and never
 * freed.  Of two threads that make one, the first wins. */
static _Atomic(uint32_t *) pages[PAGES];

static uint32_t ask_page(uint32_t c)
{
	uint32_t *page = malloc(PAGE_POINTS * sizeof(*page)), *was = NULL;

	if (page == NULL)
		return ask_icu(c);	/* slower, and the same */
	for (uint32_t i = 0; i < PAGE_POINTS; i++)
		page[i] = ask_icu((c & ~(PAGE_POINTS - 1)) + i);
	if (!atomic_compare_exchange_strong(&pages[c >> PAGE_SHIFT], &was,
					    page)) {
		free(page);
		page = was;
	}
	return page[c % PAGE_POINTS];
}

/* The kind of a code point, and what it folds to. */
static inline uint32_t known_of(uint32_t c)
{
	const uint32_t *page = atomic_load_explicit(&pages[c >> PAGE_SHIFT],
						    memory_order_acquire);

	return page != NULL ? page[c % PAGE_POINTS] : ask_page(c);
}

static inline size_t fold(uint32_t c, uint32_t known,
			  uint8_t out[CFS_WORD_FOLD_MAX])
{
	if ((known & FOLDS_TO_MANY) != 0)
		return fold_by_icu(c, out);
	return cfs_utf8_put(out, known >> FOLD_SHIFT);
}

/* The same of the code point at `at`, and in *n its length.  What is no code
 * point is between words. */
static inline uint32_t known_at(const struct cfs_word_split *s, size_t at,
				uint32_t *c, size_t *n)
{
	*n = cfs_utf8_decode(cfs_slice_from(s->text, at), c);
	if (*n > 0)
		return known_of(*c);
	*n = 1;
	return BETWEEN;
}

/* ---- words ---- */

void cfs_word_split_init(struct cfs_word_split *s, struct cfs_slice text)
{
	s->text = text;
	s->at = 0;
	s->is_in_pairs = false;
}

/* The high bit of each byte that is no letter or digit of ASCII. */
static inline uint64_t not_alnum(uint64_t v)
{
	uint64_t low = v & ~CFS_SWAR_HIGHS;
	uint64_t small = low | CFS_SWAR_ONES * 0x20;
	uint64_t letters = (small + CFS_SWAR_ONES * (0x80 - 'a')) &
			   ~(small + CFS_SWAR_ONES * (0x7f - 'z'));
	uint64_t digits = (low + CFS_SWAR_ONES * (0x80 - '0')) &
			  ~(low + CFS_SWAR_ONES * (0x7f - '9'));

	return (~(letters | digits) | v) & CFS_SWAR_HIGHS;
}

/* Takes letters and digits of ASCII, of which the word then has n, until its
 * room may be too little. */
static size_t take_ascii(struct cfs_word_split *s, size_t n)
{
	const uint8_t *p = s->text.p;

	while (n <= CFS_WORD_MAX - 8 && s->text.n - s->at >= 8) {
		uint64_t v = cfs_swar_in_order_at(p + s->at);
		uint64_t ends = not_alnum(v);
		unsigned here = ends != 0 ? cfs_swar_first(ends) : 8;

		cfs_le64_put(s->folded + n, cfs_swar_lower(v));
		n += here;
		s->at += here;
		if (here < 8)
			return n;
	}
	while (n < CFS_WORD_MAX && s->at < s->text.n &&
	       cfs_is_alnum(p[s->at]))
		s->folded[n++] = cfs_ascii_lower(p[s->at++]);
	return n;
}

/* Takes the code points behind those: the rest of the run, if there is any. */
static size_t take_points(struct cfs_word_split *s, size_t n, bool *is_cut)
{
	while (s->at < s->text.n) {
		uint8_t folded[CFS_WORD_FOLD_MAX];
		uint32_t c = 0, known;
		size_t len, bytes;

		known = known_at(s, s->at, &c, &len);
		if ((known & KINDS) != IN_RUN)
			break;
		s->at += len;
		if (*is_cut)
			continue;
		bytes = fold(c, known, folded);
		*is_cut = bytes > CFS_WORD_MAX - n;
		if (*is_cut)
			continue;
		memcpy(s->folded + n, folded, bytes);
		n += bytes;
		if (s->at < s->text.n && s->text.p[s->at] < 0x80)
			n = take_ascii(s, n);
	}
	return n;
}

/* Takes the run that begins at s->at. */
static void take_run(struct cfs_word_split *s, struct cfs_word *out)
{
	size_t n;

	out->is_cut = out->is_pair = out->is_single = out->is_joined = false;
	out->from = s->at;
	n = take_ascii(s, 0);
	if (s->at < s->text.n && (n == CFS_WORD_MAX ||
				  s->text.p[s->at] >= 0x80))
		n = take_points(s, n, &out->is_cut);
	out->to = s->at;
	out->word = cfs_slice_of(s->folded, n);
}

/* Takes the pair that begins with the code point c of `len` bytes at s->at;
 * false: it was the second one of the last pair, and there is no other. */
static bool take_pair(struct cfs_word_split *s, uint32_t c, uint32_t known,
		      size_t len, struct cfs_word *out)
{
	bool was_second = s->is_in_pairs;
	size_t n = fold(c, known, s->folded);

	out->from = s->at;
	s->at += len;
	out->to = s->at;
	known = known_at(s, s->at, &c, &len);
	s->is_in_pairs = (known & KINDS) == IN_PAIRS;
	if (s->is_in_pairs) {
		n += fold(c, known, s->folded + n);
		out->to += len;
	}
	out->is_cut = false;
	out->is_pair = s->is_in_pairs;
	out->is_single = !out->is_pair;
	out->is_joined = was_second;
	out->word = cfs_slice_of(s->folded, n);
	return out->is_pair || !was_second;
}

bool cfs_word_split_next(struct cfs_word_split *s, struct cfs_word *out)
{
	const uint8_t *p = s->text.p;

	for (;;) {
		uint32_t c = 0, known = IN_RUN;
		size_t len;

		while (s->at < s->text.n && p[s->at] < 0x80 &&
		       !cfs_is_alnum(p[s->at]))
			s->at++;
		if (s->at == s->text.n)
			return false;
		if (p[s->at] >= 0x80)
			known = known_at(s, s->at, &c, &len);
		if ((known & KINDS) == IN_RUN) {
			s->is_in_pairs = false;
			take_run(s, out);
			return true;
		}
		if ((known & KINDS) == IN_PAIRS) {
			if (take_pair(s, c, known, len, out))
				return true;
			continue;
		}
		s->is_in_pairs = false;
		s->at += len;
	}
}

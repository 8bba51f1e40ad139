/* word_split.c - divides a text into words (rules: word_split.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "word_split.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

#include "base/ascii.h"
#include "base/utf8.h"

#define WORD_CATEGORIES (U_GC_L_MASK | U_GC_M_MASK | U_GC_ND_MASK)

/* How a code point belongs to words. */
enum class { BETWEEN, IN_RUN, IN_PAIRS };

/* The scripts that are written without blanks. */
static const UScriptCode blankless[] = {
	USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_THAI,
	USCRIPT_LAO, USCRIPT_KHMER, USCRIPT_MYANMAR,
};

static enum class class_of(uint32_t c)
{
	if (c < 0x80)
		return cfs_is_alnum((uint8_t)c) ? IN_RUN : BETWEEN;
	if ((U_GET_GC_MASK((UChar32)c) & WORD_CATEGORIES) == 0)
		return BETWEEN;
	for (size_t i = 0; i < sizeof(blankless) / sizeof(blankless[0]); i++)
		if (uscript_hasScript((UChar32)c, blankless[i]))
			return IN_PAIRS;
	return IN_RUN;
}

/* Writes the fold of a code point, and returns its length. */
static size_t fold(uint32_t c, uint8_t out[CFS_WORD_FOLD_MAX])
{
	UChar in[2], folded[8];
	UErrorCode status = U_ZERO_ERROR;
	int32_t n_in = 0, n, at = 0;
	size_t bytes = 0;

	if (c < 0x80) {
		out[0] = cfs_ascii_lower((uint8_t)c);
		return 1;
	}
	U16_APPEND_UNSAFE(in, n_in, c);
	n = u_strFoldCase(folded, 8, in, n_in, U_FOLD_CASE_DEFAULT, &status);
	while (U_SUCCESS(status) && at < n) {
		UChar32 part;

		U16_NEXT(folded, at, n, part);
		bytes += cfs_utf8_put(out + bytes, (uint32_t)part);
	}
	return bytes;
}

void cfs_word_split_init(struct cfs_word_split *s, struct cfs_slice text)
{
	s->text = text;
	s->at = 0;
	s->is_in_pairs = false;
}

/* The class of the code point at `at`, and its length, at least 1. */
static enum class class_at(const struct cfs_word_split *s, size_t at,
			   uint32_t *c, size_t *n)
{
	*n = 0;
	if (at < s->text.n)
		*n = cfs_utf8_decode(cfs_slice_from(s->text, at), c);
	if (*n > 0)
		return class_of(*c);
	*n = 1;
	return BETWEEN;
}

static void take_run(struct cfs_word_split *s, struct cfs_word *out)
{
	size_t n = 0, len;
	uint32_t c = 0;

	out->from = s->at;
	while (class_at(s, s->at, &c, &len) == IN_RUN) {
		uint8_t folded[CFS_WORD_FOLD_MAX];
		size_t bytes = fold(c, folded);

		s->at += len;
		if (out->is_cut || bytes > CFS_WORD_MAX - n) {
			out->is_cut = true;
			continue;
		}
		memcpy(s->folded + n, folded, bytes);
		n += bytes;
	}
	out->to = s->at;
	out->word = cfs_slice_of(s->folded, n);
}

/* Takes the pair that begins with the code point at s->at, c of n bytes. */
static void take_pair(struct cfs_word_split *s, uint32_t c, size_t len,
		      struct cfs_word *out)
{
	size_t n = fold(c, s->folded);

	out->is_joined = s->is_in_pairs;
	out->from = s->at;
	s->at += len;
	out->to = s->at;
	s->is_in_pairs = class_at(s, s->at, &c, &len) == IN_PAIRS;
	if (s->is_in_pairs) {
		n += fold(c, s->folded + n);
		out->to += len;
	}
	out->is_pair = s->is_in_pairs;
	out->is_single = !out->is_pair;
	out->word = cfs_slice_of(s->folded, n);
}

bool cfs_word_split_next(struct cfs_word_split *s, struct cfs_word *out)
{
	*out = (struct cfs_word){ .word = CFS_SLICE_EMPTY };
	while (s->at < s->text.n) {
		uint32_t c = 0;
		size_t len;
		enum class is = class_at(s, s->at, &c, &len);

		if (is == IN_RUN) {
			s->is_in_pairs = false;
			take_run(s, out);
			return true;
		}
		if (is == IN_PAIRS) {
			bool was = s->is_in_pairs;

			take_pair(s, c, len, out);
			/* The second one of the last pair begins none. */
			if (!was || s->is_in_pairs)
				return true;
			out->is_single = out->is_joined = false;
			continue;
		}
		s->is_in_pairs = false;
		s->at += len;
	}
	return false;
}

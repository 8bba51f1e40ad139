/* word_split.h - the words of a text, as lists of words have them.
 *
 * A word is a maximal run of letters, marks and decimal digits (categories L*,
 * M* and Nd of Unicode), each code point replaced by its full default case
 * folding; nothing is stemmed or normalised.  Scripts that are written without
 * blanks (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar; also by script
 * extensions) make runs of their own, which give their overlapping pairs of
 * code points; such a run of one code point gives that one.  Bytes that are not
 * UTF-8 are between words.
 *
 * So the words of a text depend on its bytes and on the version of Unicode that
 * ICU has, and the fold of two texts in a row is that of the one behind that of
 * the other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_WORDS_WORD_SPLIT_H
#define CFS_WORDS_WORD_SPLIT_H

#include "base/slice.h"

/* Bytes of the longest word.  A longer run gives its first code points whose
 * folds have no more, and is cut; nobody types a longer word. */
#define CFS_WORD_MAX 128u
/* Bytes that the fold of one code point has at most: a word that was cut has
 * more than CFS_WORD_MAX - CFS_WORD_FOLD_MAX. */
#define CFS_WORD_FOLD_MAX 12u

/* A word of a text. */
struct cfs_word {
	struct cfs_slice word;	/* folded, 1 to CFS_WORD_MAX bytes; lent until
				 * the next word is taken */
	size_t from, to;	/* the bytes of the text that it is made of */
	bool is_cut;		/* the run is longer than the word */
	bool is_pair;		/* two code points of a script without blanks */
	bool is_single;		/* one, alone in its run */
	bool is_joined;		/* begins with the code point that the word
				 * before it ends with */
};

/* Takes the words of one text from front to back; used by one thread. */
struct cfs_word_split {
	struct cfs_slice text;
	size_t at;		/* where the next word is sought */
	bool is_in_pairs;	/* a pair ended with the code point there */
	uint8_t folded[CFS_WORD_MAX];
};

/* Begins at the start of a text, which must live as long as words are taken. */
void cfs_word_split_init(struct cfs_word_split *s, struct cfs_slice text);

/* Takes the next word.  False: there is none.  All words of a text take time
 * linear in its bytes. */
bool cfs_word_split_next(struct cfs_word_split *s, struct cfs_word *out);

#endif

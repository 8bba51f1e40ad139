/* words_build_internal.h - what collecting words and making a list of them have
 * in common: postings on their way through the sort.
 *
 * A pair of the sort is a word and some of its postings:
 *
 *     varint    source: a feeder, the new index itself, or an old list
 *     for each  varint: the text less the one before (the text, in the first),
 *               shifted left by 1; bit 0: there is one occurrence; else varint:
 *               the number of them
 *
 * Texts are numbered from 1, by each feeder in the order of adding; in the new
 * index and in old lists, a text has the number of its entry, plus 1.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_WORDS_WORDS_BUILD_INTERNAL_H
#define CFS_WORDS_WORDS_BUILD_INTERNAL_H

#include "sort/extsort.h"
#include "words_build.h"

/* Bytes of the longest posting: varints of 33 and 32 bits. */
#define CFS_OCCURRENCE_MAX 10u

/* Decodes one: the frequency, and in *step the difference. */
uint32_t cfs_occurrence_take(struct cfs_cursor *c, uint32_t *step);

/* Some postings of a word, of one source, on their way to a sort. */
struct cfs_occurrences {
	struct cfs_extsort *sort;	/* borrowed, as is the word */
	unsigned feeder;		/* of the sort */
	struct cfs_slice word;
	struct cfs_buf value;
	uint32_t source, before;
};
void cfs_occurrences_begin(struct cfs_occurrences *p, struct cfs_slice word,
			   uint32_t source);
/* Adds one; gives those before it to the sort, if they are many. */
int cfs_occurrences_add(struct cfs_occurrences *p, uint32_t text,
			uint32_t frequency, struct cfs_error *err);
/* Gives the rest to the sort. */
int cfs_occurrences_end(struct cfs_occurrences *p, struct cfs_error *err);

/* A text, besides its words. */
struct cfs_words_text {
	uint8_t length;		/* code of cfs_words_length_code */
	bool has_long;		/* a word was cut */
};

/* A place in an archive, as the key of a sort. */
#define CFS_PLACE_BYTES 20u
void cfs_place_put(uint8_t *p, uint32_t archive, const struct cfs_span *loc);

/* A text by its place, as the value of a sort; those of feeders sort first. */
struct cfs_place_text {
	uint32_t source, text;
	uint64_t bytes;
	struct cfs_words_text of;
};
#define CFS_PLACE_TEXT_BYTES 18u
void cfs_place_text_put(uint8_t *p, const struct cfs_place_text *t);
void cfs_place_text_get(const uint8_t *p, struct cfs_place_text *t);

/* ---- the parts of a build ---- */

struct cfs_words_feeder;

struct cfs_words_build {
	struct cfs_words_build_opts opts;
	struct cfs_words_feeder *feeders;
	struct cfs_extsort *words;	/* word: postings */
	struct cfs_extsort *places;	/* place: text */
};

/* The number of texts that a feeder has added. */
uint32_t cfs_words_feeder_texts(const struct cfs_words_build *b,
				unsigned feeder);
/* Gives all to the sort; texts are of another source from now on. */
int cfs_words_feeder_turn(struct cfs_words_build *b, unsigned feeder,
			  uint32_t source, struct cfs_error *err);
/* Collects the words of text number `number`, greater than the one before. */
int cfs_words_feeder_collect(struct cfs_words_build *b, unsigned feeder,
			     uint32_t number, struct cfs_slice text,
			     struct cfs_words_text *out, struct cfs_error *err);

#endif

/* word_query_internal.h - a query, as the functions that find it share it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_WORDS_WORD_QUERY_INTERNAL_H
#define CFS_WORDS_WORD_QUERY_INTERNAL_H

#include "word_query.h"

/* How a word of the text has to be like one of a query.  A code point of
 * a script without blanks, alone, is at the end of a run in the text, or
 * anywhere, depending on whether words follow it and come before it. */
enum cfs_word_like { CFS_WORD_EQUALS, CFS_WORD_BEGINS, CFS_WORD_ENDS,
		     CFS_WORD_CONTAINS };

/* A set of words of a query, by their numbers. */
struct cfs_word_set {
	uint64_t bits[CFS_WORD_TOKENS_MAX / 64];
};

struct cfs_word_token {
	struct cfs_slice word;		/* in the query's memory */
	enum cfs_word_like like;
	bool is_joined;			/* to the one before, as pairs are */
	uint32_t term;
	size_t first, last;		/* words of its term */
	/* The first one of equal words: all of them; and the number of the next
	 * word, plus 1, with the same first byte that has not come before. */
	struct cfs_word_set same;
	size_t next;
};

struct cfs_word_query {
	size_t n_tokens, n_terms;
	struct cfs_word_token tokens[CFS_WORD_TOKENS_MAX];
	struct cfs_slice terms[CFS_WORD_TERMS_MAX];
	struct cfs_buf words;		/* memory of both */
	size_t by_byte[256];		/* the first word, plus 1, with this
					 * first byte */
	struct cfs_word_set firsts, lasts, joined, equal;
};

bool cfs_word_is_like(struct cfs_slice word, struct cfs_slice sought,
		      enum cfs_word_like like);

#endif

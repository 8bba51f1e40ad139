/* word_query.h - what a user searches for: words and phrases.
 *
 * A query is terms, between which are blanks or '+'.  A term is a word, or
 * several between two '"', which have to follow one another.  It is divided as
 * texts are (word_split.h): "don't" is two words that follow one another, and
 * so are the pairs of a word of a script without blanks.  Case does not matter.
 *
 * A text matches if it has all terms.  Between words that follow one another
 * may be anything but words.  A term of a script without blanks may begin and
 * end anywhere inside a run of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_WORDS_WORD_QUERY_H
#define CFS_WORDS_WORD_QUERY_H

#include "base/buf.h"
#include "base/error.h"
#include "word_split.h"

#define CFS_WORD_QUERY_MAX 1024u	/* bytes; nobody types more */
#define CFS_WORD_TERMS_MAX 32u
/* Words of all terms: what a text is compared with, word by word. */
#define CFS_WORD_TOKENS_MAX 128u

struct cfs_word_query;		/* immutable: threads share it */

/*
 * Reads what a user typed.  CFS_EUSAGE, with a sentence, if it is too long, has
 * too many terms or words, none at all, or one beyond CFS_WORD_MAX; CFS_ENOMEM.
 * A '"' without a second one reaches to the end.
 */
int cfs_word_query_parse(struct cfs_word_query **out, struct cfs_slice typed,
			 struct cfs_error *err);
void cfs_word_query_free(struct cfs_word_query *q);	/* accepts NULL */

/* The number of terms, at least 1, and the folded words of one, with blanks
 * between them (pairs too), which live as long as the query. */
size_t cfs_word_query_terms(const struct cfs_word_query *q);
struct cfs_slice cfs_word_query_term(const struct cfs_word_query *q, size_t i);

/* Appends what tells a query from those that find something else.  0 or
 * CFS_ENOMEM. */
int cfs_word_query_key(const struct cfs_word_query *q, struct cfs_buf *out);

/* True if the text has all terms.  Linear in the text. */
bool cfs_word_query_matches(const struct cfs_word_query *q,
			    struct cfs_slice text);

/* Where a text has a term: bytes [from, to). */
struct cfs_word_place {
	size_t term, from, to;
};

/* Finds the places of all terms, at most max, in the order of their ends.
 * Returns their number.  For marking them: places may overlap. */
size_t cfs_word_query_places(const struct cfs_word_query *q,
			     struct cfs_slice text, struct cfs_word_place *out,
			     size_t max);

#endif

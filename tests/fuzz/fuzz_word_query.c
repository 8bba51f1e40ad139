/* fuzz_word_query.c - any bytes as a query, and as a text.
 *
 * A NUL ends the query; the text is the rest.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "words/word_query.h"

#define PLACES_MAX 64u

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* Words lie one behind the other, and those of the folded word, but for a pair
 * and what was cut, are it itself. */
static void check_words(struct cfs_slice text)
{
	struct cfs_word_split s, again;
	struct cfs_word word, same;
	size_t at = 0;

	for (cfs_word_split_init(&s, text); cfs_word_split_next(&s, &word);) {
		must(word.word.n > 0 && word.word.n <= CFS_WORD_MAX);
		must(word.from >= at || word.is_joined);
		must(word.from < word.to && word.to <= text.n);
		at = word.to;
		cfs_word_split_init(&again, word.word);
		must(cfs_word_split_next(&again, &same));
		must(cfs_slice_eq(same.word, word.word));
		must(same.is_pair == word.is_pair &&
		     same.is_single == word.is_single);
	}
}

static void check_query(const struct cfs_word_query *q, struct cfs_slice text)
{
	struct cfs_word_place places[PLACES_MAX];
	size_t n = cfs_word_query_places(q, text, places, PLACES_MAX);
	bool has[CFS_WORD_TERMS_MAX] = { false };
	size_t terms = cfs_word_query_terms(q), found = 0;

	must(terms > 0 && terms <= CFS_WORD_TERMS_MAX && n <= PLACES_MAX);
	for (size_t i = 0; i < n; i++) {
		must(places[i].term < terms && places[i].from < places[i].to &&
		     places[i].to <= text.n);
		found += !has[places[i].term];
		has[places[i].term] = true;
	}
	if (n < PLACES_MAX)
		must(cfs_word_query_matches(q, text) == (found == terms));
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice text = cfs_slice_of(size > 0 ? data :
					     (const uint8_t *)"", size);
	struct cfs_slice typed = cfs_slice_split(&text, '\0');
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_word_query *q;
	int rc = cfs_word_query_parse(&q, typed, &err);

	check_words(text);
	must(rc == CFS_OK || (rc == CFS_EUSAGE && err.text[0] != '\0'));
	if (rc == CFS_OK) {
		check_query(q, text);
		check_query(q, typed);
		must(cfs_word_query_matches(q, typed));
		cfs_word_query_free(q);
	}
	return 0;
}

/* words_fixture.h - lists of words made of texts in memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_WORDS_FIXTURE_H
#define CFS_TESTS_WORDS_FIXTURE_H

#include <unistd.h>

#include "base/fileio.h"
#include "unit.h"
#include "words/words.h"
#include "words/words_format.h"

/* An occurrence of a word. */
struct words_pair {
	uint8_t word[CFS_WORD_MAX];
	size_t n;
	uint32_t doc;
};

static inline int words_by_word(const void *pa, const void *pb)
{
	const struct words_pair *a = pa, *b = pb;
	int c = cfs_slice_cmp(cfs_slice_of(a->word, a->n),
			      cfs_slice_of(b->word, b->n));

	return c != 0 ? c : (a->doc > b->doc) - (a->doc < b->doc);
}

static inline int words_write_pairs(struct cfs_words_writer *w,
				    const struct words_pair *all, size_t n)
{
	int rc = CFS_OK;

	for (size_t i = 0, k; rc == CFS_OK && i < n; i = k) {
		struct cfs_slice word = cfs_slice_of(all[i].word, all[i].n);

		if (i == 0 || !cfs_slice_eq(word, cfs_slice_of(all[i - 1].word,
							       all[i - 1].n)))
			rc = cfs_words_writer_word(w, word, NULL);
		for (k = i; k < n && words_by_word(&all[k], &all[i]) == 0;)
			k++;
		if (rc == CFS_OK)
			rc = cfs_words_writer_posting(w, all[i].doc,
						      (uint32_t)(k - i), NULL);
	}
	return rc;
}

/* Appends what was written to a temporary file. */
static inline int words_take_file(struct cfs_buf *out, int fd, uint64_t bytes)
{
	if (cfs_buf_reserve(out, bytes) != CFS_OK)
		return CFS_ENOMEM;
	out->n += cfs_read_at(fd, out->p + out->n, bytes, 0);
	return CFS_OK;
}

/* Writes the list of n texts, of which the third one is unread.  Leaves have 100
 * entries. */
static inline int words_write(struct cfs_buf *out,
			      const struct cfs_slice *texts, uint32_t n)
{
	struct cfs_words_docs docs = { .tie = 7, .view_version = 3, .n = n };
	size_t pairs = 0, room = 1024;
	struct words_pair *all = malloc(room * sizeof(*all));
	uint8_t *lengths = calloc(n + 1, 1);
	uint16_t *leaves = calloc(n / 100 + 1, sizeof(*leaves));
	uint32_t *longs = calloc(n + 1, sizeof(*longs));
	struct cfs_words_writer *w;
	uint64_t bytes;
	int rc, fd;

	for (uint32_t i = 0; i < n; i++) {
		struct cfs_word_split s;
		struct cfs_word word;
		uint64_t words = 0;
		bool is_long = false;

		cfs_word_split_init(&s, texts[i]);
		for (; cfs_word_split_next(&s, &word); words++) {
			if (pairs == room)
				all = realloc(all, (room *= 2) * sizeof(*all));
			memcpy(all[pairs].word, word.word.p, word.word.n);
			all[pairs].n = word.word.n;
			all[pairs++].doc = i;
			is_long = is_long || word.is_cut;
		}
		if (is_long)
			longs[docs.n_longs++] = i;
		lengths[i] = cfs_words_length_code(words);
		leaves[i / 100]++;
	}
	qsort(all, pairs, sizeof(*all), words_by_word);
	docs.lengths = lengths;
	docs.leaves = leaves;
	docs.n_leaves = (n + 99) / 100;
	docs.longs = longs;
	docs.unread = (const uint32_t[]){ 2 };
	docs.n_unread = n > 2;
	fd = cfs_temp_file("/tmp");
	rc = cfs_words_writer_new(&w, fd, "made" CFS_WORDS_SUFFIX, "/tmp",
				  NULL);
	if (rc == CFS_OK)
		rc = words_write_pairs(w, all, pairs);
	if (rc == CFS_OK)
		rc = cfs_words_writer_finish(w, &docs, &bytes, NULL);
	if (rc == CFS_OK)
		rc = words_take_file(out, fd, bytes);
	close(fd);
	cfs_words_writer_free(w);
	free(all);
	free(lengths);
	free(leaves);
	free(longs);
	return rc;
}

#endif

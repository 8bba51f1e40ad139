/* words.h - made-up words, and blocks of HTML made of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MKCRAWL_WORDS_H
#define MKCRAWL_WORDS_H

#include "mkcrawl.h"

/* A language in one encoding. */
enum mk_tongue {
	MK_ENGLISH_UTF8, MK_WESTERN_LATIN1, MK_WESTERN_UTF8, MK_RUSSIAN_1251,
	MK_RUSSIAN_UTF8, MK_JAPANESE_SJIS, MK_CHINESE_GB2312, MK_CHINESE_UTF8,
	MK_TONGUES
};

#define MK_WORDS 3000u		/* words of a tongue, commonest first */
#define MK_BLOCKS 700u		/* pieces of a page, some 100 to 1500 bytes */

struct mk_pool {
	const char *charset, *lang;
	struct cfs_slice word[MK_WORDS];	/* into bytes, encoded */
	struct cfs_slice block[MK_BLOCKS];
	struct cfs_buf bytes;			/* owns both */
};

struct mk_words {
	struct mk_pool pool[MK_TONGUES];
	struct mk_zipf word_zipf, block_zipf;
};

/* The words depend on the seed.  Dies without memory. */
struct mk_words *mk_words_new(uint64_t seed);
void mk_words_free(struct mk_words *w);

/* n words with blanks between, in the tongue's encoding. */
void mk_words_add(const struct mk_words *w, enum mk_tongue t,
		  struct mk_rng *r, unsigned n, struct cfs_buf *out);
/* One ASCII word, for URLs. */
struct cfs_slice mk_words_ascii(const struct mk_words *w, uint64_t k);

#endif

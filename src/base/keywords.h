/* keywords.h - finds which of a few hundred short words a word is, without
 * regard to the case of ASCII letters.
 *
 * A hash table of fixed size, without memory of its own.  Words are compared as
 * two numbers, and no loop runs over their bytes, whose end no processor
 * foresees: pages have very many tags and classes, with short names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_KEYWORDS_H
#define CFS_BASE_KEYWORDS_H

#include "slice.h"
#include "swar.h"

#define CFS_KEYWORD_BYTES_MAX 15u
#define CFS_KEYWORDS_MAX 255u
#define CFS_KEYWORD_SLOT_BITS 9

/* A word in lower case: its first eight bytes; the others, with its length in
 * the highest byte. */
struct cfs_keyword_key {
	uint64_t first, rest;
};

struct cfs_keywords {			/* all 0: it is empty */
	struct cfs_keyword_key keys[CFS_KEYWORDS_MAX + 1];	/* by number */
	uint8_t slots[1u << CFS_KEYWORD_SLOT_BITS];	/* numbers; 0: none */
};

/* The first n bytes of eight, the others as 0. */
static inline uint64_t cfs_keyword_part(const uint8_t *p, size_t n)
{
	uint64_t v = cfs_swar_in_order_at(p);

	return cfs_swar_lower(n < 8 ? v & ((UINT64_C(1) << 8 * n) - 1) : v);
}

/* word.n is 1 to CFS_KEYWORD_BYTES_MAX. */
static inline struct cfs_keyword_key cfs_keyword_key_of(struct cfs_slice word,
							size_t readable)
{
	uint8_t copy[16] = { 0 };
	const uint8_t *p = word.p;
	struct cfs_keyword_key k;

	if (readable < sizeof(copy)) {
		memcpy(copy, word.p, word.n);
		p = copy;
	}
	k.first = cfs_keyword_part(p, word.n);
	k.rest = cfs_keyword_part(p + 8, word.n < 8 ? 0 : word.n - 8) |
		 (uint64_t)word.n << 56;
	return k;
}

static inline unsigned cfs_keyword_slot(struct cfs_keyword_key k)
{
	uint64_t v = k.first ^ k.rest << 24;

	return (unsigned)(v * UINT64_C(0x9E3779B97F4A7C15) >>
			  (64 - CFS_KEYWORD_SLOT_BITS));
}

static inline unsigned cfs_keyword_next_slot(unsigned slot)
{
	return (slot + 1) & ((1u << CFS_KEYWORD_SLOT_BITS) - 1);
}

/* Adds a word of 1 to CFS_KEYWORD_BYTES_MAX bytes under a number of 1 to
 * CFS_KEYWORDS_MAX.  Neither may be there already. */
static inline void cfs_keywords_add(struct cfs_keywords *w,
				    struct cfs_slice word, unsigned number)
{
	unsigned at;

	w->keys[number] = cfs_keyword_key_of(word, 0);
	at = cfs_keyword_slot(w->keys[number]);
	while (w->slots[at] != 0)
		at = cfs_keyword_next_slot(at);
	w->slots[at] = (uint8_t)number;
}

/* The number of a word, 0 if it is none of them.  `readable` bytes may be read
 * from word.p on (0: only the word's); it is quicker if these are 16. */
static inline unsigned cfs_keywords_find(const struct cfs_keywords *w,
					 struct cfs_slice word, size_t readable)
{
	struct cfs_keyword_key k;
	unsigned at;

	if (word.n == 0 || word.n > CFS_KEYWORD_BYTES_MAX)
		return 0;
	k = cfs_keyword_key_of(word, readable);
	for (at = cfs_keyword_slot(k); w->slots[at] != 0;
	     at = cfs_keyword_next_slot(at)) {
		const struct cfs_keyword_key *is = &w->keys[w->slots[at]];

		if (is->first == k.first && is->rest == k.rest)
			break;
	}
	return w->slots[at];
}

#endif

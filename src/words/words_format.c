/* words_format.c - numbers of the file of a list of words (words_format.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "words_format.h"

#include <string.h>

#include "base/hash.h"

/* Lengths from 16 on: a number of four bits, of which the highest is set, and
 * how often it is doubled. */
#define EXACT 16u

uint8_t cfs_words_length_code(uint64_t words)
{
	unsigned doubled = 0;

	if (words < EXACT)
		return (uint8_t)words;
	for (; words >= EXACT; words >>= 1)
		doubled++;
	if (doubled > (UINT8_MAX - EXACT) / 8 + 1)
		return UINT8_MAX;
	return (uint8_t)(EXACT + 8 * (doubled - 1) + (words - 8));
}

uint64_t cfs_words_length(uint8_t code)
{
	if (code < EXACT)
		return code;
	code = (uint8_t)(code - EXACT);
	return (uint64_t)(8 + code % 8) << (code / 8 + 1);
}

/* ---- header ---- */

/* The numbers of 8 bytes, in their order from offset 24 on. */
#define OFF_NUMBERS 24u
#define NUMBERS 9u

static void numbers_of(struct cfs_words_header *h, uint64_t *out[NUMBERS])
{
	uint64_t *all[NUMBERS] = { &h->file_bytes, &h->tie, &h->docs,
				   &h->words, &h->postings, &h->length_sum,
				   &h->unread, &h->longs, &h->blocks };

	memcpy(out, all, sizeof(all));
}

void cfs_words_header_encode(const struct cfs_words_header *h,
			     uint8_t p[CFS_WORDS_HEADER_BYTES])
{
	struct cfs_words_header copy = *h;
	uint64_t *numbers[NUMBERS];

	memset(p, 0, CFS_WORDS_HEADER_BYTES);
	memcpy(p, CFS_WORDS_MAGIC, CFS_WORDS_MAGIC_BYTES);
	cfs_le32_put(p + 8, CFS_WORDS_FORMAT_VERSION);
	cfs_le32_put(p + 12, h->rules);
	cfs_le32_put(p + 16, h->view_version);
	numbers_of(&copy, numbers);
	for (unsigned i = 0; i < NUMBERS; i++)
		cfs_le64_put(p + OFF_NUMBERS + 8 * i, *numbers[i]);
	for (unsigned i = 0; i < CFS_WORDS_SECTIONS; i++) {
		const struct cfs_words_section_at *s = &h->sections[i];
		uint8_t *at = p + CFS_WORDS_OFF_SECTIONS +
			      i * CFS_WORDS_SECTION_BYTES;

		cfs_le64_put(at, s->file_off);
		cfs_le64_put(at + 8, s->file_bytes);
		cfs_le64_put(at + 16, s->bytes);
		cfs_le64_put(at + 24, s->checksum);
	}
	cfs_le64_put(p + CFS_WORDS_OFF_CHECKSUM,
		     cfs_hash64(cfs_slice_of(p, CFS_WORDS_OFF_CHECKSUM), 0));
}

void cfs_words_header_decode(const uint8_t p[CFS_WORDS_HEADER_BYTES],
			     struct cfs_words_header *h)
{
	uint64_t *numbers[NUMBERS];

	h->rules = cfs_le32_get(p + 12);
	h->view_version = cfs_le32_get(p + 16);
	numbers_of(h, numbers);
	for (unsigned i = 0; i < NUMBERS; i++)
		*numbers[i] = cfs_le64_get(p + OFF_NUMBERS + 8 * i);
	for (unsigned i = 0; i < CFS_WORDS_SECTIONS; i++) {
		const uint8_t *at = p + CFS_WORDS_OFF_SECTIONS +
				    i * CFS_WORDS_SECTION_BYTES;

		h->sections[i] = (struct cfs_words_section_at){
			cfs_le64_get(at), cfs_le64_get(at + 8),
			cfs_le64_get(at + 16), cfs_le64_get(at + 24) };
	}
}

/* cfx_header.c - the header of a crawlfs index, from fields to bytes and back
 * (layout: cfx_format.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_format.h"

#include <string.h>

#include "base/hash.h"
#include "cfx.h"
#include "cfx_damage.h"
#include "cfx_joindata.h"
#include "cfx_notes.h"

/* ---- to bytes ---- */

static void encode_damage(const struct cfs_cfx_header *h, uint8_t *p)
{
	cfs_le64_put(p, h->damage.file_off);
	cfs_le64_put(p + 8, h->damage.bytes);
	cfs_le64_put(p + 16, h->damage.checksum);
}

static void encode_joindata(const struct cfs_cfx_header *h, uint8_t *p)
{
	cfs_le32_put(p, CFS_CFX_JOINS);
	for (unsigned i = 0; i < CFS_CFX_JOINDATA_LISTS; i++) {
		cfs_le64_put(p + 8 + 16 * i, h->lists[i].file_off);
		cfs_le64_put(p + 16 + 16 * i, h->lists[i].bytes);
	}
}

static void encode_level(uint8_t *p, const struct cfs_cfx_level *l)
{
	cfs_le64_put(p, l->file_off);
	cfs_le32_put(p + 8, l->n);
	cfs_le32_put(p + 12, l->last_bytes);
}

static void encode_notes(const struct cfs_cfx_header *h, uint8_t *p)
{
	size_t n = strlen(h->home);

	cfs_le32_put(p + 8, CFS_CFX_VERSION);
	cfs_le64_put(p + CFS_CFX_OFF_NOTES, h->notes_off);
	cfs_le64_put(p + CFS_CFX_OFF_NOTES + 8, h->n_notes);
	cfs_le16_put(p + CFS_CFX_OFF_HOME, (uint16_t)n);
	memcpy(p + CFS_CFX_OFF_HOME + 2, h->home, n);
}

static void encode_unsized(const struct cfs_cfx_header *h, uint8_t *p)
{
	cfs_le32_put(p + CFS_CFX_OFF_UNSIZED, 1);
	cfs_le32_put(p + CFS_CFX_OFF_UNSIZED_MORE,
		     CFS_INDEX_SIZES - CFS_CFX_UNSIZED_FIXED);
	for (unsigned i = 0; i < CFS_INDEX_SIZES; i++)
		cfs_le64_put(p + cfs_cfx_unsized_at(i),
			     h->unsized.captures[i]);
}

void cfs_cfx_header_encode(const struct cfs_cfx_header *h,
			   uint8_t p[CFS_CFX_HEADER_BYTES])
{
	memset(p, 0, CFS_CFX_HEADER_BYTES);
	memcpy(p, CFS_CFX_MAGIC, CFS_CFX_MAGIC_BYTES);
	encode_notes(h, p);
	if (h->has_joins)
		encode_joindata(h, p + CFS_CFX_OFF_JOINS);
	cfs_le32_put(p + CFS_CFX_OFF_DIGESTS, h->has_digests);
	encode_damage(h, p + CFS_CFX_OFF_DAMAGE);
	cfs_le32_put(p + 12, CFS_CFX_HEADER_BYTES);
	cfs_le32_put(p + 16, CFS_CFX_BLOCK_BYTES);
	p[20] = CFS_CFX_KEY_ORDER;
	p[21] = CFS_CFX_RESTART;
	p[22] = h->archive_bits;
	p[23] = h->offset_bits;
	cfs_le32_put(p + 28, h->n_levels);
	cfs_le64_put(p + 32, h->file_bytes);
	cfs_le64_put(p + 40, h->captures);
	for (unsigned k = 0; k < CFS_SKIPPED_KINDS; k++)
		cfs_le64_put(p + CFS_CFX_OFF_SKIPPED + 8 * k, h->skipped[k]);
	for (unsigned i = 0; i < CFS_CFX_SECTIONS; i++) {
		uint8_t *q =
			p + CFS_CFX_OFF_SECTIONS + i * CFS_CFX_SECTION_BYTES;

		cfs_le64_put(q, h->sections[i].file_off);
		cfs_le64_put(q + 8, h->sections[i].bytes);
		cfs_le64_put(q + 16, h->sections[i].checksum);
		cfs_le64_put(q + 24, h->sections[i].n);
	}
	encode_level(p + CFS_CFX_OFF_REFS, &h->refs);
	cfs_le64_put(p + CFS_CFX_OFF_REFS + 16, h->n_refs);
	for (unsigned i = 0; i < h->n_levels; i++)
		encode_level(p + CFS_CFX_OFF_LEVELS + i * CFS_CFX_LEVEL_BYTES,
			     &h->levels[i]);
	cfs_le32_put(p + CFS_CFX_OFF_VIEW_VERSION, h->view_version);
	encode_unsized(h, p);
	cfs_le32_put(p + CFS_CFX_OFF_LANGUAGES, h->has_languages);
	cfs_le64_put(p + CFS_CFX_OFF_ABSENT, h->absent);
	cfs_le64_put(p + CFS_CFX_OFF_CUT, h->cut);
	cfs_le32_put(p + CFS_CFX_OFF_PART, h->part.k);
	cfs_le32_put(p + CFS_CFX_OFF_PART + 4, h->part.n);
	cfs_le64_put(p + CFS_CFX_OFF_PART + 8, h->part_seal);
	cfs_le64_put(p + CFS_CFX_OFF_CHECKSUM,
		     cfs_hash64(cfs_slice_of(p, CFS_CFX_OFF_CHECKSUM), 0));
}

/* ---- from bytes ---- */

static void decode_level(const uint8_t *p, struct cfs_cfx_level *l)
{
	l->file_off = cfs_le64_get(p);
	l->n = cfs_le32_get(p + 8);
	l->last_bytes = cfs_le32_get(p + 12);
}

/* No capture has a size for a slot that the writer of the file did not know. */
static void decode_unsized(const uint8_t *p, struct cfs_cfx_header *h)
{
	struct cfs_index_unsized *u = &h->unsized;
	uint64_t n = CFS_CFX_UNSIZED_FIXED +
		     (uint64_t)cfs_le32_get(p + CFS_CFX_OFF_UNSIZED_MORE);

	u->is_known = cfs_le32_get(p + CFS_CFX_OFF_UNSIZED) == 1;
	for (unsigned i = 0; i < CFS_INDEX_SIZES; i++)
		u->captures[i] = i < n ? cfs_le64_get(p + cfs_cfx_unsized_at(i))
				       : h->captures;
}

static void decode_part(const uint8_t *p, struct cfs_cfx_header *h)
{
	h->part = (struct cfs_part){ cfs_le32_get(p + CFS_CFX_OFF_PART),
				     cfs_le32_get(p + CFS_CFX_OFF_PART + 4) };
	h->part_seal = cfs_le64_get(p + CFS_CFX_OFF_PART + 8);
	h->is_old_part = false;
	for (unsigned i = CFS_CFX_OFF_PART + CFS_CFX_PART_BYTES;
	     i < CFS_CFX_OFF_CHECKSUM; i++)
		h->is_old_part |= p[i] != 0;
}

void cfs_cfx_header_decode(const uint8_t p[CFS_CFX_HEADER_BYTES],
			   struct cfs_cfx_header *h)
{
	h->restart = p[21];
	h->archive_bits = p[22];
	h->offset_bits = p[23];
	h->n_levels = cfs_le32_get(p + 28);
	h->file_bytes = cfs_le64_get(p + 32);
	h->captures = cfs_le64_get(p + 40);
	for (unsigned k = 0; k < CFS_SKIPPED_KINDS; k++)
		h->skipped[k] = cfs_le64_get(p + CFS_CFX_OFF_SKIPPED + 8 * k);
	for (unsigned i = 0; i < CFS_CFX_SECTIONS; i++) {
		const uint8_t *q = p + CFS_CFX_OFF_SECTIONS +
				   i * CFS_CFX_SECTION_BYTES;

		h->sections[i] = (struct cfs_cfx_section_at){
			cfs_le64_get(q), cfs_le64_get(q + 8),
			cfs_le64_get(q + 16), cfs_le64_get(q + 24) };
	}
	decode_level(p + CFS_CFX_OFF_REFS, &h->refs);
	h->n_refs = cfs_le64_get(p + CFS_CFX_OFF_REFS + 16);
	for (unsigned i = 0; i < CFS_CFX_LEVELS_MAX; i++)
		decode_level(p + CFS_CFX_OFF_LEVELS + i * CFS_CFX_LEVEL_BYTES,
			     &h->levels[i]);
	h->view_version = cfs_le32_get(p + CFS_CFX_OFF_VIEW_VERSION);
	cfs_cfx_notes_decode(p, h);
	cfs_cfx_joindata_all_decode(p, h);
	cfs_cfx_damage_decode(p, h);
	decode_unsized(p, h);
	h->has_languages = cfs_le32_get(p + CFS_CFX_OFF_LANGUAGES) != 0;
	h->has_digests = cfs_le32_get(p + CFS_CFX_OFF_DIGESTS) != 0;
	h->absent = cfs_le64_get(p + CFS_CFX_OFF_ABSENT);
	h->cut = cfs_le64_get(p + CFS_CFX_OFF_CUT);
	decode_part(p, h);
}

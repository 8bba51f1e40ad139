/* sizes_file.c - encodes and parses headers and batches of kept sizes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sizes_file.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

#define CHECKED_BYTES 16u	/* of a batch header, up to its checksum */

uint64_t cfs_sizes_header_encode(const struct cfs_sizes_id *id,
				 uint8_t out[CFS_SIZES_HEADER_BYTES])
{
	uint64_t sum;

	memcpy(out, CFS_SIZES_MAGIC, 8);
	cfs_le32_put(out + 8, CFS_SIZES_VERSION);
	cfs_le32_put(out + 12, CFS_SIZES_HEADER_BYTES);
	cfs_le64_put(out + 16, id->place);
	cfs_le64_put(out + 24, id->state);
	sum = cfs_hash64(cfs_slice_of(out, 32), 0);
	cfs_le64_put(out + 32, sum);
	return sum;
}

int cfs_sizes_header_parse(struct cfs_slice *rest, struct cfs_sizes_id *id,
			   uint64_t *seed)
{
	uint8_t expected[CFS_SIZES_HEADER_BYTES];

	if (rest->n < CFS_SIZES_HEADER_BYTES)
		return CFS_EFORMAT;
	id->place = cfs_le64_get(rest->p + 16);
	id->state = cfs_le64_get(rest->p + 24);
	*seed = cfs_sizes_header_encode(id, expected);
	if (memcmp(expected, rest->p, sizeof(expected)) != 0)
		return CFS_EFORMAT;
	*rest = cfs_slice_from(*rest, CFS_SIZES_HEADER_BYTES);
	return CFS_OK;
}

static uint64_t batch_sum(struct cfs_slice batch, uint64_t seed)
{
	uint64_t head =
		cfs_hash64(cfs_slice_sub(batch, 0, CHECKED_BYTES), seed);

	return cfs_hash64(cfs_slice_from(batch, CFS_SIZES_BATCH_BYTES), head);
}

int cfs_sizes_batch_encode(uint64_t seed, uint32_t code,
			   const struct cfs_sizes_entry *v, uint32_t n,
			   struct cfs_buf *out)
{
	size_t at = out->n;

	assert(n >= 1 && n <= CFS_SIZES_BATCH_MAX);
	cfs_buf_le32(out, CFS_SIZES_BATCH_MAGIC);
	cfs_buf_le32(out, n);
	cfs_buf_le32(out, code);
	cfs_buf_le32(out, 0);
	cfs_buf_le64(out, 0);
	for (uint32_t i = 0; i < n; i++) {
		cfs_buf_le64(out, v[i].key | (v[i].holds_for_any_code ?
					      CFS_SIZES_ANY_CODE : 0));
		cfs_buf_le64(out, v[i].size);
	}
	if (out->failed != CFS_OK)
		return out->failed;
	cfs_le64_put(out->p + at + CHECKED_BYTES,
		     batch_sum(cfs_slice_from(cfs_buf_slice(out), at), seed));
	return CFS_OK;
}

static bool entries_are_sound(struct cfs_slice entries)
{
	for (size_t i = 0; i < entries.n; i += CFS_SIZES_ENTRY_BYTES)
		if (cfs_le64_get(entries.p + i) >
			    (CFS_SIZES_KEY_MAX | CFS_SIZES_ANY_CODE) ||
		    cfs_le64_get(entries.p + i + 8) > CFS_SIZES_SIZE_MAX)
			return false;
	return true;
}

int cfs_sizes_batch_parse(struct cfs_slice *rest, uint64_t seed,
			  struct cfs_sizes_batch *out)
{
	struct cfs_slice batch;
	uint32_t n;

	if (rest->n == 0)
		return CFS_END;
	if (rest->n < CFS_SIZES_BATCH_BYTES ||
	    cfs_le32_get(rest->p) != CFS_SIZES_BATCH_MAGIC ||
	    cfs_le32_get(rest->p + 12) != 0)
		return CFS_EFORMAT;
	n = cfs_le32_get(rest->p + 4);
	if (n == 0 || n > CFS_SIZES_BATCH_MAX ||
	    (rest->n - CFS_SIZES_BATCH_BYTES) / CFS_SIZES_ENTRY_BYTES < n)
		return CFS_EFORMAT;
	batch = cfs_slice_sub(*rest, 0, CFS_SIZES_BATCH_BYTES +
					(size_t)n * CFS_SIZES_ENTRY_BYTES);
	out->n = n;
	out->code = cfs_le32_get(rest->p + 8);
	out->entries = cfs_slice_from(batch, CFS_SIZES_BATCH_BYTES);
	if (cfs_le64_get(batch.p + CHECKED_BYTES) != batch_sum(batch, seed) ||
	    !entries_are_sound(out->entries))
		return CFS_EFORMAT;
	*rest = cfs_slice_from(*rest, batch.n);
	return CFS_OK;
}

struct cfs_sizes_entry cfs_sizes_entry_at(const struct cfs_sizes_batch *b,
					  uint32_t i)
{
	const uint8_t *p = b->entries.p + (size_t)i * CFS_SIZES_ENTRY_BYTES;
	uint64_t key = cfs_le64_get(p);

	return (struct cfs_sizes_entry){
		.key = key & CFS_SIZES_KEY_MAX,
		.size = cfs_le64_get(p + 8),
		.holds_for_any_code = (key & CFS_SIZES_ANY_CODE) != 0,
	};
}

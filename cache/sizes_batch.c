/* sizes_batch.c - encodes and parses batches of kept sizes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sizes_batch.h"

#include <assert.h>
#include <nettle/sha2.h>

#include "base/hash.h"

void cfs_cache_id_of_sizes(const struct cfs_sizes_id *of,
			   struct cfs_cache_id *out)
{
	uint8_t id[16];
	struct sha256_ctx sha;

	cfs_le64_put(id, of->place);
	cfs_le64_put(id + 8, of->state);
	sha256_init(&sha);
	sha256_update(&sha, 6, (const uint8_t *)"sizes");	/* with its NUL */
	sha256_update(&sha, sizeof(id), id);
	sha256_digest(&sha, CFS_SEG_ID_BYTES, out->b);
}

int cfs_sizes_batch_encode(uint32_t code, const struct cfs_sizes_entry *v,
			   uint32_t n, struct cfs_buf *out)
{
	assert(n >= 1 && n <= CFS_SIZES_BATCH_MAX);
	cfs_buf_le32(out, code);
	cfs_buf_le32(out, 0);
	for (uint32_t i = 0; i < n; i++) {
		cfs_buf_le64(out, v[i].key | (v[i].holds_for_any_code ?
					      CFS_SIZES_ANY_CODE : 0));
		cfs_buf_le64(out, v[i].size);
	}
	return out->failed;
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

int cfs_sizes_batch_parse(struct cfs_slice data, struct cfs_sizes_batch *out)
{
	struct cfs_cursor c = { data, false };
	uint32_t zero;

	out->code = cfs_cursor_le32(&c);
	zero = cfs_cursor_le32(&c);
	out->entries = c.rest;
	if (c.bad || zero != 0 || c.rest.n == 0 ||
	    c.rest.n % CFS_SIZES_ENTRY_BYTES != 0 ||
	    c.rest.n / CFS_SIZES_ENTRY_BYTES > CFS_SIZES_BATCH_MAX ||
	    !entries_are_sound(c.rest))
		return CFS_EFORMAT;
	out->n = (uint32_t)(c.rest.n / CFS_SIZES_ENTRY_BYTES);
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

/* fuzz_sizes.c - any bytes as a file of kept sizes.
 *
 * Checksums are made good first, so that what lies behind them is reached.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "cache/sizes_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* Gives the header and every batch that is as long as it says its checksum,
 * unless the one it has is all ones. */
static void mend(uint8_t *p, size_t size)
{
	uint64_t seed = cfs_hash64(cfs_slice_of(p, 32), 0);
	size_t at = CFS_SIZES_HEADER_BYTES;

	if (cfs_le64_get(p + 32) != UINT64_MAX)
		cfs_le64_put(p + 32, seed);
	while (size - at >= CFS_SIZES_BATCH_BYTES) {
		size_t n = cfs_le32_get(p + at + 4);
		uint8_t *entries = p + at + CFS_SIZES_BATCH_BYTES;

		n *= CFS_SIZES_ENTRY_BYTES;
		if (n > size - at - CFS_SIZES_BATCH_BYTES)
			break;
		if (cfs_le64_get(p + at + 16) != UINT64_MAX)
			cfs_le64_put(p + at + 16,
				     cfs_hash64(cfs_slice_of(entries, n),
						cfs_hash64(cfs_slice_of(p + at, 16),
							   seed)));
		at += CFS_SIZES_BATCH_BYTES + n;
	}
}

/* What was read is what would be written. */
static void same_again(const struct cfs_sizes_batch *b, uint64_t seed)
{
	struct cfs_sizes_entry *v = malloc(b->n * sizeof(*v));
	struct cfs_buf out;

	must(v != NULL);
	for (uint32_t i = 0; i < b->n; i++) {
		v[i] = cfs_sizes_entry_at(b, i);
		must(v[i].key <= CFS_SIZES_KEY_MAX &&
		     v[i].size <= CFS_SIZES_SIZE_MAX);
	}
	cfs_buf_init(&out, 1 << 20);
	must(cfs_sizes_batch_encode(seed, b->code, v, b->n, &out) == CFS_OK);
	must(cfs_slice_eq(cfs_slice_from(cfs_buf_slice(&out),
					 CFS_SIZES_BATCH_BYTES), b->entries));
	cfs_buf_release(&out);
	free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *p = malloc(size > 0 ? size : 1);
	struct cfs_slice rest = { p, size };
	struct cfs_sizes_batch b;
	struct cfs_sizes_id id;
	uint64_t seed;
	int rc;

	must(p != NULL);
	if (size > 0)
		memcpy(p, data, size);
	if (size >= CFS_SIZES_HEADER_BYTES)
		mend(p, size);
	rc = cfs_sizes_header_parse(&rest, &id, &seed);
	while (rc == CFS_OK) {
		size_t before = rest.n;

		rc = cfs_sizes_batch_parse(&rest, seed, &b);
		must((rc == CFS_OK) == (rest.n < before));
		must((rc == CFS_END) == (before == 0));
		if (rc == CFS_OK)
			same_again(&b, seed);
	}
	free(p);
	return 0;
}

/* near_helper.c - makes an index of captures with made-up similarity hashes.
 *
 *     near_helper FILE N SEED [all]
 *
 * writes an index of N captures of made-up URLs, some with several captures, and
 * prints "URL TIME HASH" (Unix seconds; hexadecimal, or "-" for none) of each.
 * Three in four hashes are copies of an earlier one with 0 to 9 other bits, and
 * of one of the last hundred or of any; with `all`, one in four is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "indexing/builder.h"
#include "tests/program.h"
#include "tests/unit/rng.h"
#include "view/view.h"

#define TIME 1600000000

/* A hash with about a quarter of its bits set, as those of texts have. */
static uint64_t new_hash(uint64_t *rng)
{
	uint64_t out = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		out |= (uint64_t)(rng_below(rng, 4) == 0) << bit;
	return out;
}

static uint64_t copy_of(uint64_t hash, uint64_t *rng)
{
	uint64_t bits = rng_below(rng, 10);

	while (bits-- > 0)
		hash ^= (uint64_t)1 << rng_below(rng, 64);
	return hash;
}

static uint64_t next_hash(uint64_t *rng, const uint64_t *v, size_t i,
			  bool are_copies)
{
	if (i == 0 || (rng_below(rng, 4) == 0) == are_copies)
		return new_hash(rng);
	if (i > 100 && rng_below(rng, 2) == 0)
		return copy_of(v[i - 1 - rng_below(rng, 100)], rng);
	return copy_of(v[rng_below(rng, i)], rng);
}

static bool add(struct cfs_builder *b, size_t i, size_t n, uint64_t hash,
		bool has_hash, uint64_t *rng)
{
	char url[64];
	struct cfs_builder_capture c = { .kind = CFS_KIND_RESPONSE,
		.status = 200, .mime = CFS_SLICE_LIT("text/html"),
		.time = TIME + (int64_t)i, .body_is_exact = true,
		.span = { .offset = 1000 * i, .length = 900 } };

	snprintf(url, sizeof(url), "http://h%" PRIu64 ".example/%" PRIu64,
		 rng_below(rng, 100), rng_below(rng, n / 3 + 1));
	c.url = cfs_slice_str(url);
	cfs_view_bytes_set(&c.views, CFS_SLOT_META, 100);
	cfs_view_bytes_set(&c.views, CFS_SLOT_TEXT, 100);
	if (has_hash)
		cfs_view_bytes_set(&c.views, CFS_SLOT_SIMHASH, hash);
	printf("%s %" PRId64, url, c.time);
	if (has_hash)
		printf(" %016" PRIx64 "\n", hash);
	else
		printf(" -\n");
	return cfs_builder_add(b, 0, &c, NULL) == CFS_OK;
}

PROGRAM(argc, argv)
{
	static const struct cfs_builder_archive archive = {
		.name = "made.warc.gz", .size = UINT32_MAX };
	struct cfs_builder_opts o = { .format = CFS_INDEX_CFX, .threads = 1,
		.archives = &archive, .n_archives = 1,
		.view_version = cfs_view_version() };
	struct cfs_builder_counts counts;
	struct cfs_builder *b = NULL;
	uint64_t rng, *v;
	size_t n;
	bool good;

	if (argc < 4)
		return 2;
	o.path = argv[1];
	n = (size_t)strtoull(argv[2], NULL, 10);
	rng = strtoull(argv[3], NULL, 10);
	v = calloc(n + 1, sizeof(*v));
	good = v != NULL && cfs_builder_new(&b, &o, NULL) == CFS_OK;
	for (size_t i = 0; good && i < n; i++) {
		v[i] = next_hash(&rng, v, i, argc == 4);
		good = add(b, i, n, v[i], rng_below(&rng, 50) != 0, &rng);
	}
	good = good && cfs_builder_finish(b, &counts, NULL) == CFS_OK;
	cfs_builder_free(b);
	free(v);
	return good ? 0 : 1;
}

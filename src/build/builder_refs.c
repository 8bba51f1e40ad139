/* builder_refs.c - finds the captures that revisits refer to, by a filter and
 * a second sort.
 *
 * The second sort has the hash, big-endian, as its key; its values are one
 * zero byte where the hash is asked for, and 1 and the position, big-endian,
 * where a capture has it: so what is asked for comes before its captures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder_refs.h"

#include <stdlib.h>

/* The filter's bits: 8 MiB, of which a crawl without revisits touches none. */
#define BLOOM_BITS ((uint64_t)1 << 26)
/* Captures kept for one hash: an empty body has one digest all over a crawl. */
#define REFS_OF_ONE_MAX 256u

int cfs_builder_refs_init(struct cfs_builder_refs *r,
			  const struct cfs_extsort_opts *sort,
			  struct cfs_error *err)
{
	r->bloom = calloc(BLOOM_BITS / 64, sizeof(*r->bloom));
	if (r->bloom == NULL)
		return cfs_error_nomem(err);
	return cfs_extsort_new(&r->sort, sort, err);
}

void cfs_builder_refs_release(struct cfs_builder_refs *r)
{
	cfs_extsort_free(r->sort);
	free((void *)(uintptr_t)r->bloom);
}

void cfs_builder_refs_ask(struct cfs_builder_refs *r, uint64_t hash)
{
	uint64_t i = hash % BLOOM_BITS, j = (hash >> 32) % BLOOM_BITS;

	atomic_store_explicit(&r->is_asked, true, memory_order_relaxed);
	if (hash == 0)
		return;
	atomic_fetch_or_explicit(&r->bloom[i / 64], (uint64_t)1 << i % 64,
				 memory_order_relaxed);
	atomic_fetch_or_explicit(&r->bloom[j / 64], (uint64_t)1 << j % 64,
				 memory_order_relaxed);
}

static bool bloom_has(const struct cfs_builder_refs *r, uint64_t hash)
{
	uint64_t i = hash % BLOOM_BITS, j = (hash >> 32) % BLOOM_BITS;

	return (r->bloom[i / 64] >> i % 64 & 1) &&
	       (r->bloom[j / 64] >> j % 64 & 1);
}

bool cfs_builder_refs_any(const struct cfs_builder_refs *r)
{
	return atomic_load_explicit(&r->is_asked, memory_order_relaxed);
}

int cfs_builder_refs_add(struct cfs_builder_refs *r, bool is_revisit,
			 const uint64_t hash[2], cfs_pos pos,
			 struct cfs_error *err)
{
	uint8_t key[8], value[9] = { is_revisit ? 0 : 1 };
	int rc = CFS_OK;

	cfs_be64_put(value + 1, pos);
	for (unsigned i = 0; i < 2 && rc == CFS_OK; i++) {
		if (hash[i] == 0 || (!is_revisit && !bloom_has(r, hash[i])))
			continue;
		cfs_be64_put(key, hash[i]);
		rc = cfs_extsort_add(r->sort, 0, cfs_slice_of(key, sizeof(key)),
				     cfs_slice_of(value, is_revisit ? 1 :
						  sizeof(value)), err);
	}
	return rc;
}

int cfs_builder_refs_write(struct cfs_builder_refs *r,
			   struct cfs_cfx_writer *w, struct cfs_error *err)
{
	struct cfs_slice key, value;
	uint64_t hash = 0, now;
	unsigned written = 0;
	bool asked = false;
	int rc = cfs_extsort_merge(r->sort, err);

	while (rc == CFS_OK) {
		rc = cfs_extsort_next(r->sort, &key, &value, err);
		if (rc != CFS_OK)
			break;
		if (key.n != 8 || value.n != (value.p[0] == 0 ? 1 : 9))
			return cfs_error_set(err, CFS_EIO,
					     "temporary file is damaged");
		now = cfs_be64_get(key.p);
		if (now != hash) {
			asked = false;
			written = 0;
		}
		hash = now;
		if (value.p[0] == 0)
			asked = true;
		else if (asked && written++ < REFS_OF_ONE_MAX)
			rc = cfs_cfx_writer_ref(w, hash,
						cfs_be64_get(value.p + 1), err);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

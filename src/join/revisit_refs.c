/* revisit_refs.c - finds the captures that revisits refer to.
 *
 * The sort's keys are hashes, big-endian; its values are HAS or ASKED, the
 * position of the capture or revisit (8 bytes) and the number of the input that
 * it comes from (4), big-endian.  Captures therefore come before the revisits
 * that refer to them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "entries.h"

#include <stdlib.h>

/* The filter's bits: 8 MiB of memory that stay untouched without revisits. */
#define BLOOM_BITS ((uint64_t)1 << 26)
#define BLOOM_SHIFT (8 * CFS_CFX_REF_HASH_BYTES - 26)
#define VALUE_BYTES 13u
enum { HAS = 0, ASKED = 1 };

/* Ids and digests have hashes of one length here, as indexes without joindata
 * do not say which of the two a reference is. */
static uint64_t short_ref(uint64_t hash)
{
	return cfs_cfx_short_hash(hash, CFS_CFX_REF_HASH_BYTES);
}

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

void cfs_builder_refs_ask(struct cfs_builder_refs *r, const uint64_t hash[2])
{
	atomic_store_explicit(&r->is_asked, true, memory_order_relaxed);
	for (unsigned k = 0; k < 2; k++) {
		uint64_t h = short_ref(hash[k]);
		uint64_t i = h % BLOOM_BITS, j = h >> BLOOM_SHIFT;

		if (h == 0)
			continue;
		atomic_fetch_or_explicit(&r->bloom[i / 64],
					 (uint64_t)1 << i % 64,
					 memory_order_relaxed);
		atomic_fetch_or_explicit(&r->bloom[j / 64],
					 (uint64_t)1 << j % 64,
					 memory_order_relaxed);
	}
}

static bool bloom_has(const struct cfs_builder_refs *r, uint64_t hash)
{
	uint64_t i = hash % BLOOM_BITS, j = hash >> BLOOM_SHIFT;

	return (r->bloom[i / 64] >> i % 64 & 1) &&
	       (r->bloom[j / 64] >> j % 64 & 1);
}

bool cfs_builder_refs_any(const struct cfs_builder_refs *r)
{
	return atomic_load_explicit(&r->is_asked, memory_order_relaxed);
}

int cfs_builder_refs_add(struct cfs_builder_refs *r, bool is_revisit,
			 const uint64_t hash[2], cfs_pos pos, unsigned input,
			 struct cfs_error *err)
{
	uint8_t key[8], value[VALUE_BYTES] = { is_revisit ? ASKED : HAS };
	int rc = CFS_OK;

	cfs_be64_put(value + 1, pos);
	cfs_be32_put(value + 9, input);
	for (unsigned i = 0; i < 2 && rc == CFS_OK; i++) {
		uint64_t h = short_ref(hash[i]);

		if (h == 0 || (!is_revisit && !bloom_has(r, h)))
			continue;
		cfs_be64_put(key, h);
		rc = cfs_extsort_add(r->sort, 0, cfs_slice_of(key, sizeof(key)),
				     cfs_slice_of(value, sizeof(value)), err);
	}
	return rc;
}

/* The state of one hash as its pairs come: captures first, then revisits. */
struct one_hash {
	uint64_t hash;
	cfs_pos has[CFS_REFS_OF_ONE_MAX];
	unsigned n;		/* captures in has, not yet written */
	uint32_t input;		/* of the first capture */
	bool any, is_mixed;	/* captures were seen; from several inputs */
};

static void revisit_refs_take_capture(struct one_hash *h, cfs_pos pos,
				      uint32_t input)
{
	if (!h->any)
		h->input = input;
	h->is_mixed |= input != h->input;
	h->any = true;
	if (h->n < CFS_REFS_OF_ONE_MAX)
		h->has[h->n++] = pos;
}

/* Writes the captures of the hash at the first revisit that refers to it. */
static int take_asked(struct one_hash *h, cfs_pos pos, uint32_t input,
		      struct cfs_cfx_writer *w, struct cfs_extsort *again,
		      struct cfs_error *err)
{
	uint8_t key[8];
	int rc = CFS_OK;

	for (unsigned i = 0; i < h->n && rc == CFS_OK; i++)
		rc = cfs_cfx_writer_ref(w, h->hash, h->has[i], err);
	h->n = 0;
	if (rc != CFS_OK || again == NULL || !h->any || pos == CFS_POS_NONE ||
	    (!h->is_mixed && h->input == input))
		return rc;
	cfs_be64_put(key, pos);
	return cfs_extsort_add(again, 0, cfs_slice_of(key, sizeof(key)),
			       CFS_SLICE_EMPTY, err);
}

int cfs_builder_refs_write(struct cfs_builder_refs *r,
			   struct cfs_cfx_writer *w, struct cfs_extsort *again,
			   struct cfs_error *err)
{
	struct one_hash h = { .any = false };
	struct cfs_slice key, value;
	int rc = cfs_extsort_merge(r->sort, err);

	while (rc == CFS_OK) {
		cfs_pos pos;
		uint32_t input;

		rc = cfs_extsort_next(r->sort, &key, &value, err);
		if (rc != CFS_OK)
			break;
		if (key.n != 8 || value.n != VALUE_BYTES)
			return cfs_error_set(err, CFS_EIO,
					     "temporary file is damaged");
		if (cfs_be64_get(key.p) != h.hash)
			h = (struct one_hash){ .hash = cfs_be64_get(key.p) };
		pos = cfs_be64_get(value.p + 1);
		input = cfs_be32_get(value.p + 9);
		if (value.p[0] == HAS)
			revisit_refs_take_capture(&h, pos, input);
		else
			rc = take_asked(&h, pos, input, w, again, err);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

/* builder_sample.c - samples an index's keys and trains symbols from them.
 *
 * The sample consists of the keys with the smallest hashes.  It depends on the
 * keys alone, not on the feeders they came through or on the runs that were
 * spilled, and so does the index.  The prefix that a key shares with its
 * predecessor, which the writer leaves out, is not known yet; it is estimated
 * by builder_sample_cut(), from the key alone.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder_internal.h"

#include "base/error.h"
#include "base/hash.h"
#include "format/cfx/cfx_format.h"

/* Bytes of strings to train from, each with two bytes for its length.  Every
 * feeder keeps as many, so that its share of the sample is among them. */
#define SAMPLE_BYTES ((size_t)640 << 10)
/* Enough for several times as many strings of one byte, the worst case. */
#define SAMPLE_MEMORY ((size_t)8 << 20)

void cfs_builder_sample_init(struct cfs_builder_sample *s)
{
	*s = (struct cfs_builder_sample){ .hash_max = UINT64_MAX };
}

void cfs_builder_sample_release(struct cfs_builder_sample *s)
{
	cfs_kv_array_release(&s->keys);
}

/* Estimates the part of a key that is written: all of it at a restart, else its
 * last component. */
static struct cfs_slice builder_sample_cut(struct cfs_slice key, uint64_t hash)
{
	size_t at = key.n;

	if (hash % CFS_CFX_RESTART == 0)
		return key;
	while (at > 0 && key.p[at - 1] == 0)
		at--;
	while (at > 0 && key.p[at - 1] != 0)
		at--;
	return cfs_slice_from(key, at);
}

/* Keeps the smallest hashes, each once, up to SAMPLE_BYTES. */
static int compact(struct cfs_builder_sample *s)
{
	struct cfs_kv_array old = s->keys;
	struct cfs_slice hash, rest, last = CFS_SLICE_EMPTY;
	size_t bytes = 0;

	if (cfs_kv_array_init(&s->keys, SAMPLE_MEMORY) != CFS_OK) {
		s->keys = old;
		return CFS_ENOMEM;
	}
	cfs_kv_array_sort(&old);
	for (size_t i = 0; i < old.n; i++) {
		cfs_kv_array_get(&old, i, &hash, &rest);
		if (cfs_slice_eq(hash, last))
			continue;
		bytes += 2 + rest.n;
		if (bytes > SAMPLE_BYTES)
			break;
		cfs_kv_array_add(&s->keys, hash, rest);
		last = hash;
	}
	if (bytes > SAMPLE_BYTES)
		s->hash_max = cfs_be64_get(last.p);
	cfs_kv_array_release(&old);
	return CFS_OK;
}

static void builder_sample_put(struct cfs_builder_sample *s,
			       struct cfs_slice hash, struct cfs_slice rest)
{
	if (s->failed == CFS_OK && s->keys.mem == NULL)
		s->failed = cfs_kv_array_init(&s->keys, SAMPLE_MEMORY);
	if (s->failed != CFS_OK || cfs_kv_array_add(&s->keys, hash, rest))
		return;
	s->failed = compact(s);
	if (s->failed == CFS_OK)
		cfs_kv_array_add(&s->keys, hash, rest);
}

void cfs_builder_sample_take(struct cfs_builder_sample *s, struct cfs_slice key)
{
	uint64_t hash = cfs_hash64(key, 0);
	uint8_t h[8];

	if (hash > s->hash_max)
		return;
	cfs_be64_put(h, hash);
	builder_sample_put(s, cfs_slice_of(h, sizeof(h)),
			   builder_sample_cut(key, hash));
}

/* Gathers the samples of all feeders in the first one. */
static int builder_sample_gather(struct cfs_builder_sample *v, unsigned n)
{
	struct cfs_slice hash, rest;

	for (unsigned k = 1; k < n; k++) {
		if (v->failed == CFS_OK)
			v->failed = v[k].failed;
		for (size_t i = 0; i < v[k].keys.n; i++) {
			cfs_kv_array_get(&v[k].keys, i, &hash, &rest);
			builder_sample_put(v, hash, rest);
		}
	}
	return v->failed == CFS_OK ? compact(v) : v->failed;
}

int cfs_builder_sample_train(struct cfs_builder_sample *v, unsigned n,
			     struct cfs_symbols *out)
{
	struct cfs_slice hash, rest;
	CFS_BUF(strings, SAMPLE_BYTES);
	uint64_t scale = 1;
	int rc = builder_sample_gather(v, n);

	for (size_t i = 0; rc == CFS_OK && i < v->keys.n; i++) {
		cfs_kv_array_get(&v->keys, i, &hash, &rest);
		cfs_buf_le16(&strings, (uint16_t)rest.n);
		cfs_buf_add(&strings, rest);
	}
	if (v->hash_max > 0)	/* one key in so many is in the sample */
		scale = UINT64_MAX / v->hash_max;
	if (rc == CFS_OK)
		rc = strings.failed;
	if (rc == CFS_OK)
		rc = cfs_symbols_train(cfs_buf_slice(&strings),
				       scale < 1 ? 1 : scale > 16 ? 16 :
				       (unsigned)scale, out);
	return rc;
}

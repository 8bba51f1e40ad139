/* builder_sample.c - takes samples of an index's keys and makes symbols of
 * them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder_sample.h"

#include "base/error.h"
#include "index/cfx_format.h"

/* Bytes of keys that symbols are made from: of a feeder's first run, of each
 * later one, and of all together in the end. */
#define SAMPLE_FIRST ((size_t)256 << 10)
#define SAMPLE_LATER ((size_t)64 << 10)
#define SAMPLE_FEEDER ((size_t)1 << 20)
#define SAMPLE_TOTAL ((size_t)320 << 10)
/* Neighbouring keys of a sample: so that they share as in the index. */
#define SAMPLE_STRETCH 64u
/* What is left of a key where neighbours share, about. */
#define REST_BYTES 40u

void cfs_builder_sample_init(struct cfs_builder_sample *s)
{
	cfs_buf_init(&s->keys, 2 * SAMPLE_FEEDER);
	s->of = 0;
}

void cfs_builder_sample_release(struct cfs_builder_sample *s)
{
	cfs_buf_release(&s->keys);
}

/* Neighbouring keys, cut as the writer cuts them. */
static void take_stretch(struct cfs_builder_sample *s,
			 const struct cfs_pairs *pairs, size_t from, size_t to,
			 size_t limit)
{
	struct cfs_slice before = CFS_SLICE_EMPTY, key, value, rest;

	for (size_t i = from; i < to && s->keys.n < limit; i++) {
		cfs_pairs_get(pairs, i, &key, &value);
		rest = cfs_slice_from(key, (i - from) % CFS_CFX_RESTART == 0 ? 0 :
				      cfs_slice_common(key, before));
		cfs_buf_le16(&s->keys, (uint16_t)rest.n);
		cfs_buf_add(&s->keys, rest);
		before = key;
	}
}

void cfs_builder_sample_take(struct cfs_builder_sample *s,
			     const struct cfs_pairs *pairs)
{
	size_t n = pairs->n, stretches, each, take, limit;
	size_t bytes = s->of == 0 ? SAMPLE_FIRST : SAMPLE_LATER;

	s->of += n;
	if (s->keys.n + SAMPLE_LATER > SAMPLE_FEEDER)
		return;
	limit = s->keys.n + bytes;
	stretches = bytes / (REST_BYTES * SAMPLE_STRETCH);
	each = n / stretches;
	take = each < SAMPLE_STRETCH ? each : SAMPLE_STRETCH;
	if (n <= stretches * SAMPLE_STRETCH) {
		stretches = 1;
		take = each = n;
	}
	for (size_t i = 0; i < stretches; i++)
		take_stretch(s, pairs, i * each, i * each + take, limit);
}

/* Every k-th string of every sample, so that all fit.  Returns how many. */
static uint64_t thin_out(const struct cfs_builder_sample *v, unsigned n,
			 struct cfs_buf *out)
{
	uint64_t taken = 0;
	size_t bytes = 0, every, i = 0;

	for (unsigned t = 0; t < n; t++)
		bytes += v[t].keys.n;
	every = bytes / SAMPLE_TOTAL + 1;
	for (unsigned t = 0; t < n; t++) {
		struct cfs_cursor c = { cfs_buf_slice(&v[t].keys), false };

		while (c.rest.n > 0 && !c.bad) {
			uint16_t key_n = cfs_cursor_le16(&c);
			struct cfs_slice s = cfs_cursor_take(&c, key_n);

			if (i++ % every != 0)
				continue;
			cfs_buf_le16(out, key_n);
			cfs_buf_add(out, s);
			taken++;
		}
	}
	return taken;
}

int cfs_builder_sample_train(const struct cfs_builder_sample *v, unsigned n,
			     struct cfs_symbols *out)
{
	struct cfs_buf sample;
	uint64_t taken, of = 0, scale;
	int rc;

	cfs_buf_init(&sample, SIZE_MAX);
	taken = thin_out(v, n, &sample);
	for (unsigned i = 0; i < n; i++)
		of += v[i].of;
	scale = taken > 0 ? of / taken : 1;
	rc = sample.failed;
	if (rc == CFS_OK)
		rc = cfs_symbols_train(cfs_buf_slice(&sample),
				       scale < 1 ? 1 : scale > 4 ? 4 :
				       (unsigned)scale, out);
	cfs_buf_release(&sample);
	return rc;
}

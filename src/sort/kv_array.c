/* kv_array.c - key-value pairs in one block of memory, sorted in place.
 *
 * Pairs lie at the front of the memory as
 *
 *     16 bits key length, 16 bits value length (host order), key, value
 *
 * and grow towards an array of references that grows from the back.  They are
 * sorted by multikey quicksort with seven bytes of the key cached in each
 * reference (after Bentley and Sedgewick, and Kaerkkaeinen and Rantala's
 * "Engineering radix sort for strings").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kv_array.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clamp.h"
#include "base/error.h"

/* Bytes cached in a reference; the eighth byte is their number. */
#define CHUNK 7u
/* At most this many references are sorted by insertion. */
#define SMALL 12u

/* Returns seven bytes of s from off on, and in the lowest byte their number, 8
 * if more follow.  Such words sort as the strings do; equal words below 8 mean
 * equal strings. */
static uint64_t chunk_of(struct cfs_slice s, size_t off)
{
	const uint8_t *p = s.p + off;
	uint64_t w = 0;
	size_t n = s.n - off;

	if (n > CHUNK)		/* eight bytes can be read */
		return (cfs_be64_get(p) & ~(uint64_t)0xff) | 8;
	for (size_t i = 0; i < n; i++)
		w |= (uint64_t)p[i] << (56 - 8 * i);
	return w | n;
}

/* The number of chunks of a key; an empty key has one. */
static size_t chunks_of(struct cfs_slice key)
{
	return key.n > 0 ? (key.n + CHUNK - 1) / CHUNK : 1;
}

/* Chunk `depth` of a pair: the key's chunks, then the value's. */
static uint64_t pair_chunk(const struct cfs_kv_array *p, uint64_t off,
			   uint32_t depth)
{
	struct cfs_slice k, v;
	size_t chunks;

	cfs_kv_array_at(p, off, &k, &v);
	chunks = chunks_of(k);
	if (depth < chunks)
		return chunk_of(k, (size_t)depth * CHUNK);
	return chunk_of(v, (size_t)(depth - chunks) * CHUNK);
}

static int pair_cmp(const struct cfs_kv_array *p, const struct cfs_pair_ref *a,
		    const struct cfs_pair_ref *b)
{
	struct cfs_slice ka, va, kb, vb;
	int c;

	if (a->word != b->word)
		return a->word < b->word ? -1 : 1;
	cfs_kv_array_at(p, a->off, &ka, &va);
	cfs_kv_array_at(p, b->off, &kb, &vb);
	c = cfs_slice_cmp(ka, kb);
	return c != 0 ? c : cfs_slice_cmp(va, vb);
}

static void insertion_sort(const struct cfs_kv_array *p, struct cfs_pair_ref *r,
			   size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct cfs_pair_ref x = r[i];
		size_t j = i;

		for (; j > 0 && pair_cmp(p, &x, &r[j - 1]) < 0; j--)
			r[j] = r[j - 1];
		r[j] = x;
	}
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c)
{
	return a < b ? cfs_clamp_u64(c, a, b) : cfs_clamp_u64(c, b, a);
}

static uint64_t choose_pivot(const struct cfs_pair_ref *r, size_t n)
{
	size_t e = n / 8;

	if (n < 64)
		return median(r[0].word, r[n / 2].word, r[n - 1].word);
	return median(median(r[0].word, r[e].word, r[2 * e].word),
		      median(r[3 * e].word, r[4 * e].word, r[5 * e].word),
		      median(r[6 * e].word, r[7 * e].word, r[n - 1].word));
}

static void swap_refs(struct cfs_pair_ref *a, struct cfs_pair_ref *b)
{
	struct cfs_pair_ref t = *a;

	*a = *b;
	*b = t;
}

/* Partitions into less, equal, greater: [0, *lt), [*lt, *gt), [*gt, n). */
static void partition(struct cfs_pair_ref *r, size_t n, uint64_t pivot,
		      size_t *lt, size_t *gt)
{
	size_t i = 0;

	*lt = 0;
	*gt = n;
	while (i < *gt) {
		if (r[i].word < pivot)
			swap_refs(&r[i++], &r[(*lt)++]);
		else if (r[i].word > pivot)
			swap_refs(&r[i], &r[--*gt]);
		else
			i++;
	}
}

struct pair_part {
	struct cfs_pair_ref *r;
	size_t n;
	uint32_t depth;
};

/* The pairs of a part have equal chunks before `depth`; their words hold chunk
 * `depth`, which is equal too.  Loads the next chunk; false if there is
 * none. */
static bool go_deeper(const struct cfs_kv_array *p, struct pair_part *s)
{
	struct cfs_slice k, v;

	/* The word ends the value: the pairs are equal. */
	cfs_kv_array_at(p, s->r[0].off, &k, &v);
	if ((s->r[0].word & 0xff) != 8 && s->depth >= chunks_of(k))
		return false;
	s->depth++;
	for (size_t i = 0; i < s->n; i++)
		s->r[i].word = pair_chunk(p, s->r[i].off, s->depth);
	return true;
}

/* Sorts three parts by their lengths, the longest first. */
static void order_parts(struct pair_part part[3])
{
	for (unsigned i = 0; i < 3; i++) {
		unsigned j = (i + 1) % 2;	/* pairs (1 2) (0 1) (1 2) */

		if (part[j].n < part[j + 1].n) {
			struct pair_part t = part[j];

			part[j] = part[j + 1];
			part[j + 1] = t;
		}
	}
}

/* Parts wait on a stack, and the shortest one is sorted next: it has at most a
 * third of the pairs, and the one above the longest at most half of them.  So
 * the stack holds at most twice log2(n) parts, whatever the keys are. */
void cfs_kv_array_sort(struct cfs_kv_array *p)
{
	struct pair_part stack[2 * 64 + 2], s = { p->refs, p->n, 0 };
	unsigned top = 0;

	for (;;) {
		struct pair_part part[3];
		size_t lt, gt;

		if (s.n <= SMALL) {
			insertion_sort(p, s.r, s.n);
			if (top == 0)
				return;
			s = stack[--top];
			continue;
		}
		partition(s.r, s.n, choose_pivot(s.r, s.n), &lt, &gt);
		part[0] = (struct pair_part){ s.r, lt, s.depth };
		part[1] = (struct pair_part){ s.r + lt, gt - lt, s.depth };
		part[2] = (struct pair_part){ s.r + gt, s.n - gt, s.depth };
		if (part[1].n > 1 && !go_deeper(p, &part[1]))
			part[1].n = 0;
		order_parts(part);
		for (unsigned i = 0; i < 2; i++)
			if (part[i].n > 1)
				stack[top++] = part[i];
		s = part[2];
	}
}

/* ---- adding ---- */

int cfs_kv_array_init(struct cfs_kv_array *p, size_t bytes)
{
	/* Whole references only, so that those at the end are aligned. */
	p->cap = bytes / sizeof(struct cfs_pair_ref) *
		 sizeof(struct cfs_pair_ref);
	p->mem = malloc(p->cap);
	if (p->mem == NULL)
		return CFS_ENOMEM;
	cfs_kv_array_clear(p);
	return CFS_OK;
}

void cfs_kv_array_release(struct cfs_kv_array *p)
{
	free(p->mem);
	*p = (struct cfs_kv_array){ 0 };
}

void cfs_kv_array_clear(struct cfs_kv_array *p)
{
	p->used = p->n = 0;
	p->refs = (struct cfs_pair_ref *)(void *)(p->mem + p->cap);
}

bool cfs_kv_array_add(struct cfs_kv_array *p, struct cfs_slice key,
		      struct cfs_slice value)
{
	size_t need = 4 + key.n + value.n;
	uint16_t n[2] = { (uint16_t)key.n, (uint16_t)value.n };
	uint8_t *at = p->mem + p->used;

	assert(key.n <= CFS_KV_ARRAY_ITEM_MAX &&
	       value.n <= CFS_KV_ARRAY_ITEM_MAX);
	if (need + sizeof(*p->refs) >
	    p->cap - p->used - p->n * sizeof(*p->refs))
		return false;
	memcpy(at, n, sizeof(n));
	memcpy(at + 4, key.p, key.n);
	memcpy(at + 4 + key.n, value.p, value.n);
	p->refs--;
	p->refs[0] = (struct cfs_pair_ref){ chunk_of(key, 0), p->used };
	p->used += need;
	p->n++;
	return true;
}

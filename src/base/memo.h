/* memo.h - lossy tables of recent results, in fixed memory.
 *
 * Each key has one slot; a key that is added replaces another one in its slot.
 * What is found is right; what is not found may have been added all the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_MEMO_H
#define CFS_BASE_MEMO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The slot of a key among 2^bits, 1 <= bits <= 32.  Keys are inode numbers and
 * offsets, often at even distances: one multiplication alone would send rows of
 * them to the same slots. */
static inline size_t cfs_memo_slot(uint64_t key, unsigned bits)
{
	key *= UINT64_C(0x9E3779B97F4A7C15);
	key ^= key >> 32;
	key *= UINT64_C(0xD6E8FEB86659FD93);
	return (size_t)(key >> (64 - bits));
}

/* A lock-free set of keys other than 0.  `slots` has 2^bits of them, which are
 * zero at first. */
static inline void cfs_memo_add(_Atomic uint64_t *slots, unsigned bits,
				uint64_t key)
{
	_Atomic uint64_t *s = &slots[cfs_memo_slot(key, bits)];

	if (atomic_load_explicit(s, memory_order_relaxed) != key)
		atomic_store_explicit(s, key, memory_order_relaxed);
}

static inline bool cfs_memo_has(const _Atomic uint64_t *slots, unsigned bits,
				uint64_t key)
{
	return atomic_load_explicit(&slots[cfs_memo_slot(key, bits)],
				    memory_order_relaxed) == key;
}

static inline void cfs_memo_remove(_Atomic uint64_t *slots, unsigned bits,
				   uint64_t key)
{
	atomic_compare_exchange_strong(&slots[cfs_memo_slot(key, bits)], &key,
				       0);
}

/* A table of values of one size by key; threads share it. */
struct cfs_memo;

/* 2^bits slots.  NULL: out of memory. */
struct cfs_memo *cfs_memo_new(unsigned bits, size_t value_bytes);
void cfs_memo_free(struct cfs_memo *m);		/* accepts NULL */

/* Copies the value of key to *value; false if it is not there. */
bool cfs_memo_get(struct cfs_memo *m, uint64_t key, void *value);
void cfs_memo_put(struct cfs_memo *m, uint64_t key, const void *value);

#endif

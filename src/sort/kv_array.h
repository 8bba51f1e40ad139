/* kv_array.h - an array of key-value pairs in one block of memory, and its
 * sorting.
 *
 * Order: key bytes, then value bytes, both as cfs_slice_cmp has it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SORT_KV_ARRAY_H
#define CFS_SORT_KV_ARRAY_H

#include <string.h>

#include "base/slice.h"

/* Maximum bytes of a key or of a value. */
#define CFS_KV_ARRAY_ITEM_MAX 65535u

struct cfs_pair_ref {
	uint64_t word;	/* seven bytes of the key, and how many there are (8:
			 * more follow) */
	uint64_t off;	/* of the pair in mem */
};

struct cfs_kv_array {	/* used by one thread at a time */
	uint8_t *mem;
	size_t cap, used;		/* bytes of mem; those of them that
					 * pairs use */
	size_t n;			/* number of pairs */
	struct cfs_pair_ref *refs;	/* at the end of mem; newest first until
					 * sorted */
};

/* Allocates `bytes` of memory for everything.  0 or CFS_ENOMEM.  A zeroed
 * struct is empty, and has no memory. */
int cfs_kv_array_init(struct cfs_kv_array *p, size_t bytes);
void cfs_kv_array_release(struct cfs_kv_array *p);
void cfs_kv_array_clear(struct cfs_kv_array *p);

/* Copies a pair of at most CFS_KV_ARRAY_ITEM_MAX bytes each.  False: the memory
 * is full. */
bool cfs_kv_array_add(struct cfs_kv_array *p, struct cfs_slice key,
		      struct cfs_slice value);

void cfs_kv_array_sort(struct cfs_kv_array *p);

/* Lends the pair at an offset in mem. */
static inline void cfs_kv_array_at(const struct cfs_kv_array *p, uint64_t off,
				   struct cfs_slice *key,
				   struct cfs_slice *value)
{
	const uint8_t *at = p->mem + off;
	uint16_t n[2];

	memcpy(n, at, sizeof(n));
	*key = (struct cfs_slice){ at + 4, n[0] };
	*value = (struct cfs_slice){ at + 4 + n[0], n[1] };
}

/* Lends pair number i, in order once they are sorted. */
static inline void cfs_kv_array_get(const struct cfs_kv_array *p, size_t i,
				    struct cfs_slice *key,
				    struct cfs_slice *value)
{
	cfs_kv_array_at(p, p->refs[i].off, key, value);
}

#endif

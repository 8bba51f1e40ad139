/* array.h - arrays that grow.
 *
 *     if (cfs_array_reserve((void **)&v, &room, n + 1, sizeof(*v), MAX) != 0)
 *             ...
 *     v[n++] = item;
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_ARRAY_H
#define CFS_BASE_ARRAY_H

#include <stddef.h>

/*
 * Makes room for at least n items of item_bytes each in the array *v, which
 * has room for *room; it grows by doubling, and never beyond max items.
 * 0; CFS_ELIMIT for more than max; CFS_ENOMEM: *v and *room are as before.
 * The caller frees *v.
 */
int cfs_array_reserve(void **v, size_t *room, size_t n, size_t item_bytes,
		      size_t max);

#endif

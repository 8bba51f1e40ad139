/* array.c - grows arrays by doubling.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "array.h"

#include <stdlib.h>

#include "error.h"

#define FIRST_ITEMS 16u

int cfs_array_reserve(void **v, size_t *room, size_t n, size_t item_bytes,
		      size_t max)
{
	size_t cap = *room < FIRST_ITEMS ? FIRST_ITEMS : *room;
	size_t bytes;
	void *p;

	if (n <= *room)
		return CFS_OK;
	if (n > max)
		return CFS_ELIMIT;
	while (cap < n)
		cap = cap > max / 2 ? max : cap * 2;
	if (cap > max)
		cap = max;
	if (__builtin_mul_overflow(cap, item_bytes, &bytes))
		return CFS_ENOMEM;
	p = realloc(*v, bytes);
	if (p == NULL)
		return CFS_ENOMEM;
	*v = p;
	*room = cap;
	return CFS_OK;
}

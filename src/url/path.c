/* path.c - runs of keys (see path.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "path.h"

void cfs_ranges_init(struct cfs_ranges *r)
{
	r->n = 0;
	r->cancel = NULL;
	r->err = NULL;
	cfs_buf_init(&r->bytes, CFS_RANGES_MAX * 2 * ((size_t)CFS_KEY_MAX + 8));
}

void cfs_ranges_release(struct cfs_ranges *r)
{
	r->n = 0;
	cfs_buf_release(&r->bytes);
}

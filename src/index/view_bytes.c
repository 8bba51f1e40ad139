/* view_bytes.c - encodes and decodes the sizes of views (view_bytes.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "view_bytes.h"

_Static_assert(CFS_VIEW_SLOTS <= 31, "a slot is a bit of `known`");

size_t cfs_view_bytes_put_pair(const struct cfs_view_bytes *s, uint8_t *p)
{
	size_t n;

	if (!cfs_view_bytes_have_pair(s))
		return 0;
	n = cfs_varint_put(p, s->bytes[CFS_SLOT_META]);
	return n + cfs_varint_put(p + n, s->bytes[CFS_SLOT_TEXT]);
}

size_t cfs_view_bytes_put_list(const struct cfs_view_bytes *s, uint8_t *p)
{
	uint32_t listed = cfs_view_bytes_listed(s);
	size_t n;

	if (listed == 0)
		return 0;
	n = cfs_varint_put(p, listed);
	for (unsigned slot = 0; slot < CFS_VIEW_SLOTS; slot++)
		if (listed >> slot & 1)
			n += cfs_varint_put(p + n, s->bytes[slot]);
	return n;
}

void cfs_view_bytes_take_pair(struct cfs_view_bytes *s, struct cfs_cursor *c)
{
	cfs_view_bytes_set(s, CFS_SLOT_META, cfs_cursor_varint(c));
	cfs_view_bytes_set(s, CFS_SLOT_TEXT, cfs_cursor_varint(c));
}

void cfs_view_bytes_take_list(struct cfs_view_bytes *s, struct cfs_cursor *c)
{
	uint64_t listed = cfs_cursor_varint(c);

	for (unsigned slot = 0; listed != 0; slot++, listed >>= 1) {
		uint64_t bytes;

		if ((listed & 1) == 0)
			continue;
		bytes = cfs_cursor_varint(c);
		if (slot < CFS_VIEW_SLOTS)
			cfs_view_bytes_set(s, slot, bytes);
	}
}
